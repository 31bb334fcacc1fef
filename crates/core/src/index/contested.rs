//! Candidates for contradictions: records that a new one may contradict, looked up by the keys of their claims. Their number is bounded
//! regardless of the length of the history.

use super::entry::Entry;
use super::journal_index::{JournalIndex, Place};
use super::part::Part;
use super::postings::Postings;
use super::{SERIES_MIN, TOPIC_SERIES_MIN};
use crate::clock::Millis;
use crate::error::Result;
use crate::journal::Journal;
use crate::text::TermHash;
use crate::truth::{Frequency, Reason, Topic, each_topic, each_wanted};

/// The maximum number of records read per capture, the newest ones.
const READ_MAX: usize = 32;

/// The maximum number of records that are also read because they share words with it.
const NEAR_MAX: usize = 8;

/// The maximum number of postings that are read for that, those of the rarest words first, so that the cost of a capture does not grow with
/// the history.
const TOPIC_POSTINGS_MAX: usize = 1024;

/// What a new record is compared with.
#[derive(Debug)]
pub(crate) struct Contested {
    /// The lines of the records that are current and may be contradicted, the newest first.
    pub lines: Vec<Vec<u8>>,
    /// How frequent the words of the new record are.
    pub frequency: Frequency,
}

/// Returns the records that are current at `now` and may be contradicted by an entry.
///
/// # Errors
/// `IO` when the journal cannot be read.
pub(crate) fn find_contested(
    journal_index: &JournalIndex,
    journal: &Journal,
    entry: &Entry,
    now: Millis,
) -> Result<Contested> {
    let parts = journal_index.parts();
    let mut places: Vec<Place> = Vec::new();
    each_wanted(&entry.claims, entry.statement.words(), |key| {
        for (number, part) in parts.iter().enumerate() {
            PostingList::of(*part, key, SERIES_MIN).each(|doc| places.push(Place { part: number, doc }));
        }
    });
    let (near, frequency) = near_places(journal_index, &parts, entry, now);
    places.extend(near);
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
        let Some(part) = parts.get(place.part) else { continue };
        lines.push(journal.read(part.span(place.doc))?);
    }
    Ok(Contested { lines, frequency })
}

/// Returns the places of the records that share the rarest words with an entry, of equals, the newest first; and how frequent its words are.
fn near_places(
    journal_index: &JournalIndex,
    parts: &[Part<'_>],
    entry: &Entry,
    now: Millis,
) -> (Vec<Place>, Frequency) {
    let mut lists: Vec<(Topic, usize, PostingList<'_>)> = Vec::new();
    let mut counts: Vec<(u64, TermHash, u32)> = Vec::new();
    each_topic(&entry.claims, |topic| {
        let mut count = 0;
        for (number, part) in parts.iter().enumerate() {
            let list = PostingList::of(*part, topic.key, TOPIC_SERIES_MIN);
            count += list.count() as u32;
            lists.extend((list.count() > 0).then_some((topic, number, list)));
        }
        counts.push((topic.word, topic.key, count));
    });
    let frequency = Frequency::of(counts);
    lists.sort_by_key(|(_, _, list)| list.count());
    let mut found: Vec<u64> = Vec::new();
    for (topic, part, list) in lists {
        if found.len() + list.count() > TOPIC_POSTINGS_MAX {
            break;
        }
        let reason = Reason::of(topic, &frequency);
        list.each(|doc| found.push(packed(Place { part, doc }, reason)));
    }
    found.sort_unstable();
    let mut near: Vec<(Reason, Place)> = Vec::new();
    for same in found.chunk_by(|one, other| one >> REASON_BITS == other >> REASON_BITS) {
        let reason = same.iter().fold(Reason::default(), |sum, one| sum.and(reason_of(*one)));
        let place = same.first().map(|one| (reason, place_of(*one)));
        near.extend(place.filter(|(reason, _)| reason.is_enough()));
    }
    near.sort_unstable_by_key(|(reason, place)| std::cmp::Reverse((reason.weight, place.part, place.doc)));
    let places = near.into_iter().map(|(_, place)| place);
    let live = places.filter(|place| journal_index.is_live(*place, now));
    (live.take(NEAR_MAX).collect(), frequency)
}

/// The number of low bits of a packed integer that hold a reason.
const REASON_BITS: u32 = 12;

/// Packs a place and a reason into one integer that sorts by place: part (20 bits), record (32), halves (4), weight (8).
fn packed(place: Place, reason: Reason) -> u64 {
    let reason = u64::from(reason.halves) << 8 | u64::from(reason.weight);
    (place.part as u64) << 44 | u64::from(place.doc) << REASON_BITS | reason
}

/// Returns the place of a packed integer.
fn place_of(packed: u64) -> Place {
    Place {
        part: (packed >> 44) as usize,
        doc: (packed >> REASON_BITS) as u32,
    }
}

/// Returns the reason of a packed integer.
fn reason_of(packed: u64) -> Reason {
    Reason {
        halves: (packed >> 8) as u8 & 15,
        weight: packed as u8,
    }
}

/// The posting list of a key in one part.
enum PostingList<'a> {
    Memory(&'a [u32]),
    Segment(Option<Postings<'a>>),
}

impl<'a> PostingList<'a> {
    /// Of a part in memory, the newest `series_min` records. Of a segment, all, or none if there are `series_min` or more: a key of so many
    /// records tells nothing apart.
    fn of(part: Part<'a>, key: TermHash, series_min: usize) -> Self {
        match part {
            Part::Memory(memtable) => {
                let docs = memtable.with_claim(key);
                PostingList::Memory(docs.get(docs.len().saturating_sub(series_min)..).unwrap_or_default())
            }
            Part::Segment(segment) => {
                let list = segment.postings(key);
                PostingList::Segment(list.filter(|list| (list.count() as usize) < series_min))
            }
        }
    }

    fn count(&self) -> usize {
        match self {
            PostingList::Memory(docs) => docs.len(),
            PostingList::Segment(list) => list.map_or(0, |list| list.count() as usize),
        }
    }

    fn each(&self, mut visit: impl FnMut(u32)) {
        match self {
            PostingList::Memory(docs) => docs.iter().for_each(|doc| visit(*doc)),
            PostingList::Segment(list) => {
                if let Some(list) = list {
                    list.for_each(|doc, _| visit(doc));
                }
            }
        }
    }
}
