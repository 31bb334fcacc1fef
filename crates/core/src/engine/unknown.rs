//! What other memories tell beside the own one, as a replica of what a team stored: nothing twice, and nothing that does not hold here.

use crate::engine::recall::RecallHit;
use crate::index::{Family, Stores, exact_hash, for_each_exact};
use crate::model::thought::id_hash;

/// Removes the records of another memory of which the own one knows better: it has, or had, one with that id or that text, or something was
/// said about it here by which it does not hold. `names` are those of the project.
pub(crate) fn retain_unknown(stores: &mut Stores, names: &[String], hits: &mut Vec<RecallHit>) {
    stores.refresh();
    hits.retain(|hit| !stores.know(id_hash(&hit.id)) && !has_text(stores, names, hit));
}

/// True if a record with this id is, or was, there.
pub(crate) fn has_record(stores: &mut Stores, id: &str) -> bool {
    if !stores.captures.journal_index.is_open() {
        stores.refresh();
    }
    stores.have(id_hash(id))
}

/// True if a record has the same text, by the hash of exact duplicates under each name of the project.
fn has_text(stores: &Stores, names: &[String], hit: &RecallHit) -> bool {
    let parts = stores.captures.journal_index.parts();
    let mut is_there = false;
    for name in names.iter().chain([&hit.project]) {
        let exact = exact_hash(Family::Thoughts, &hit.kind, name, &hit.text);
        for_each_exact(&parts, exact, |_| is_there = true);
    }
    is_there
}
