//! Replaces retired records by their successors, so that a query in the words of an outdated fact finds the one that replaced it.

use rustc_hash::FxHashMap;

use crate::index::{Filter, Found, JournalIndex, Place, Store};
use crate::model::scope::Scope;

/// The maximum length of a chain of successors.
const STEPS_MAX: usize = 32;

/// Includes retired records in a search, unless it has a filter (a successor may be of another type) or asks about the past.
pub(super) fn reaching_retired(filter: Filter) -> Filter {
    let is_plain = filter.kinds.is_empty()
        && filter.tags.is_empty()
        && filter.since.is_none()
        && filter.at.is_none()
        && filter.min_confidence <= 0.0;
    Filter {
        with_retired: is_plain,
        ..filter
    }
}

/// Replaces each retired record by its successor; one without a successor is left out.
pub(super) fn follow(stores: &[(Scope, &Store)], found: &mut Vec<Found>, filter: &Filter) {
    let has_rulings = |(_, store): &(Scope, &Store)| !store.journal_index.standings().is_empty();
    if !filter.with_retired || !stores.iter().any(has_rulings) {
        return;
    }
    let words: FxHashMap<(usize, usize, u32), u32> = found
        .iter()
        .map(|found| ((found.journal_index, found.place.part, found.place.doc), found.words))
        .collect();
    found.retain_mut(|found| {
        let Some((_, store)) = stores.get(found.journal_index) else {
            return true;
        };
        let Some(id) = id_at(&store.journal_index, found.place) else {
            return true;
        };
        if store.journal_index.standings().retiring_act(&id).is_none() {
            return true;
        }
        let Some(place) = successor(&store.journal_index, id, filter) else {
            return false;
        };
        found.place = place;
        // Its relevance depends on the words of both.
        let own = (found.journal_index, place.part, place.doc);
        found.words |= words.get(&own).copied().unwrap_or(0);
        true
    });
}

fn id_at(journal_index: &JournalIndex, place: Place) -> Option<u64> {
    let parts = journal_index.parts();
    Some(parts.get(place.part)?.id(place.doc))
}

/// Returns the place of the current successor of a retired record.
fn successor(journal_index: &JournalIndex, id: u64, filter: &Filter) -> Option<Place> {
    let mut id = id;
    for _ in 0..STEPS_MAX {
        match journal_index.standings().retiring_act(&id) {
            Some(act) => id = act.other?,
            None => {
                let place = journal_index.find_id(id)?;
                return journal_index.is_live(place, filter.now).then_some(place);
            }
        }
    }
    None
}
