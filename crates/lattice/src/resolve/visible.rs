//! What others can tell of a definition that they found by its name.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::facts::Facts;
use crate::graph::look_of;
use crate::kind::Kind;

/// All that a look at a name alone tells of one definition, its file aside: as much as [`super::view::View`] hands out
/// without noting the file.
#[derive(Debug, PartialEq, Eq)]
struct Shape<'f> {
    kind: Kind,
    owner: &'f str,
    /// What it stands in.
    holder: (Kind, &'f str),
}

/// Of each name its definitions, in their order.
fn shapes<'f>(facts: &'f Facts<'_>) -> BTreeMap<&'f str, Vec<Shape<'f>>> {
    let mut all: BTreeMap<&str, Vec<Shape<'_>>> = BTreeMap::new();
    for chunk in facts.chunks.iter().skip(1) {
        let holder = facts.chunks.get(chunk.parent as usize);
        all.entry(&chunk.name).or_default().push(Shape {
            kind: chunk.kind,
            owner: &chunk.owner,
            holder: holder.map_or((Kind::File, ""), |holder| (holder.kind, &holder.name)),
        });
    }
    all
}

/// Returns the names that mean something else with the new facts of a file than they did with the old ones.
pub(crate) fn differing(old: &Facts<'_>, new: &Facts<'_>) -> FxHashSet<u32> {
    let (old, new) = (shapes(old), shapes(new));
    let names = old.keys().chain(new.keys());
    names
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| look_of(name))
        .collect()
}
