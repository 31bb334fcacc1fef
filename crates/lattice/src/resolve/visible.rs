//! The traits of a definition that other files see when they look it up by name.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::dependencies::dependency_key;
use crate::facts::Facts;
use crate::kind::Kind;

/// Everything that a lookup by name reveals about a definition, apart from its file: the traits that
/// [`super::view::View`] returns without recording a dependency on the file.
#[derive(Debug, PartialEq, Eq)]
struct VisibleTraits<'f> {
    kind: Kind,
    owner: &'f str,
    /// The enclosing definition.
    holder: (Kind, &'f str),
}

/// Returns the definitions of each name, in their order.
fn visible_traits<'f>(facts: &'f Facts<'_>) -> BTreeMap<&'f str, Vec<VisibleTraits<'f>>> {
    let mut all: BTreeMap<&str, Vec<VisibleTraits<'_>>> = BTreeMap::new();
    for chunk in facts.chunks.iter().skip(1) {
        let holder = facts.chunks.get(chunk.parent as usize);
        all.entry(&chunk.name).or_default().push(VisibleTraits {
            kind: chunk.kind,
            owner: &chunk.owner,
            holder: holder.map_or((Kind::File, ""), |holder| (holder.kind, &holder.name)),
        });
    }
    all
}

/// Returns the keys of the names whose visible traits differ between the old and the new facts of a file.
pub(crate) fn changed_names(old: &Facts<'_>, new: &Facts<'_>) -> FxHashSet<u32> {
    let (old, new) = (visible_traits(old), visible_traits(new));
    let names = old.keys().chain(new.keys());
    names
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| dependency_key(name))
        .collect()
}
