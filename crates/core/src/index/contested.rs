//! The records that a new one may take the place of: those with a claim that differs only in a value or a negation, looked up by the keys
//! of the claims, and for a text that names a previous value, those that a search for its words finds. Their number is bounded regardless
//! of the length of the history.

use super::SERIES_MIN;
use super::entry::Entry;
use super::filter::Filter;
use super::journal_index::{JournalIndex, Place};
use super::part::Part;
use super::search::Plan;
use super::window::Windows;
use crate::clock::Millis;
use crate::error::Result;
use crate::journal::Journal;
use crate::text::{TermHash, query_words};

/// The maximum number of records read per capture, the newest ones.
const READ_MAX: usize = 32;

/// The maximum number of records that may state a previous value.
const CHANGED_MAX: usize = 16;

/// Returns the lines of the records that are current at `now` and whose place an entry with this text may take, the newest first. For a
/// text that names a change, all records must have been analysed.
pub(crate) fn find_contested(
    journal_index: &JournalIndex,
    journal: &Journal,
    entry: &Entry,
    text: &str,
    now: Millis,
) -> Result<Vec<Vec<u8>>> {
    let mut places: Vec<Place> = Vec::new();
    if entry.claims.change.is_some() {
        places.extend(states_previous(journal_index, text, now));
    }
    let parts = journal_index.parts();
    for key in &entry.claim_keys {
        for (number, part) in parts.iter().enumerate() {
            each_with_claim(*part, *key, |doc| places.push(Place { part: number, doc }));
        }
    }
    places.sort_unstable_by_key(|place| std::cmp::Reverse((place.part, place.doc)));
    places.dedup();
    let mut lines = Vec::new();
    for place in places
        .into_iter()
        .filter(|place| journal_index.is_live(*place, now))
        .take(READ_MAX)
    {
        let Some(part) = parts.get(place.part) else { continue };
        lines.push(journal.read(part.span(place.doc))?);
    }
    Ok(lines)
}

/// Returns the places of the records that a search for a text finds.
fn states_previous(journal_index: &JournalIndex, text: &str, now: Millis) -> Vec<Place> {
    let indexes = [journal_index];
    let plan = Plan::new(&query_words(text), &indexes);
    let found = plan.best(&indexes, &Filter::current(now), CHANGED_MAX, &mut Windows::default());
    found.into_iter().map(|found| found.place).collect()
}

/// Calls `visit` with the records of a part that have a claim under a key. Of a part in memory, these are the newest ones; of a segment,
/// none when there are so many that the key belongs to a series.
fn each_with_claim(part: Part<'_>, key: TermHash, mut visit: impl FnMut(u32)) {
    match part {
        Part::Memory(memtable) => {
            let docs = memtable.with_claim(key);
            let newest = docs.get(docs.len().saturating_sub(SERIES_MIN)..).unwrap_or_default();
            newest.iter().for_each(|doc| visit(*doc));
        }
        Part::Segment(segment) => {
            let list = segment
                .postings(key)
                .filter(|list| (list.count() as usize) < SERIES_MIN);
            if let Some(list) = list {
                list.for_each(|doc, _| visit(doc));
            }
        }
    }
}
