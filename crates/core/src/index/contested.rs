//! Records that a new one may contradict: looked up by the keys of what they assert, a few for each, however long the history.

use super::entry::Entry;
use super::journal_index::{JournalIndex, Place};
use super::part::Part;
use crate::clock::Millis;
use crate::error::Result;
use crate::journal::{Journal, clean};
use crate::model::thought::{LineKind, read_line};
use crate::text::TermHash;
use crate::truth::each_wanted;

/// So many records are read for a capture at the most, the newest of those that could be meant.
const READ_MAX: usize = 32;
/// A key that more records of a part have is that of a series, such as numbered entries, and not of one value that changes. Going through
/// all of them would make a capture slower with the history.
const SERIES_MIN: usize = 1024;

/// Returns the lines of the records that count at `now` and may be contradicted by an entry, the newest first.
///
/// # Errors
/// `IO` when the journal cannot be read.
pub(crate) fn find_contested(
    journal_index: &JournalIndex,
    journal: &Journal,
    entry: &Entry,
    now: Millis,
) -> Result<Vec<Vec<u8>>> {
    let parts = journal_index.parts();
    let mut places: Vec<Place> = Vec::new();
    each_wanted(&entry.claims, entry.statement.words(), |key| {
        for (number, part) in parts.iter().enumerate() {
            each_with(*part, key, |doc| places.push(Place { part: number, doc }));
        }
    });
    places.sort_unstable_by_key(|place| std::cmp::Reverse((place.part, place.doc)));
    places.dedup();
    let mut lines = Vec::new();
    for place in places {
        if lines.len() == READ_MAX {
            break;
        }
        if !journal_index.is_live(place, now) {
            continue;
        }
        let line = journal.read(parts[place.part].span(place.doc))?;
        if matches!(read_line(clean(&line)), LineKind::Record(_)) {
            lines.push(line);
        }
    }
    Ok(lines)
}

fn each_with(part: Part<'_>, key: TermHash, mut visit: impl FnMut(u32)) {
    match part {
        Part::Memory(memtable) => {
            let newest = memtable.with_claim(key).iter().rev().take(SERIES_MIN);
            newest.for_each(|doc| visit(*doc));
        }
        Part::Segment(segment) => {
            let list = segment.postings(key);
            if let Some(list) = list.filter(|list| (list.count() as usize) < SERIES_MIN) {
                list.for_each(|doc, _| visit(doc));
            }
        }
    }
}
