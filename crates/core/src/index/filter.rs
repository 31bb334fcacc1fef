//! The filter of a search.

use super::{JournalIndex, Part};
use crate::clock::Millis;
use crate::model::thought::NEVER;
use crate::text::TermHash;

/// Selects the records that a search may find.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Types or categories; empty means all.
    pub kinds: Vec<String>,
    /// Tags, all of which a record must have.
    pub tags: Vec<TermHash>,
    /// The earliest time of creation.
    pub since: Option<Millis>,
    /// The minimum confidence.
    pub min_confidence: f32,
    /// True if expired records are included.
    pub include_expired: bool,
    /// True if proposed records are included; ignored for a past point in time.
    pub include_proposed: bool,
    /// The current time.
    pub now: Millis,
    /// The past point in time to search, if it is not the present.
    pub at: Option<Millis>,
    /// True if retired records are included; the caller replaces them by their successors.
    pub with_retired: bool,
}

impl Filter {
    /// Selects current records.
    pub fn current(now: Millis) -> Self {
        Filter {
            now,
            ..Filter::default()
        }
    }
}

pub(super) struct Allowed<'a> {
    filter: &'a Filter,
    kinds: Option<Vec<bool>>,
    tags: Option<Vec<bool>>,
}

impl<'a> Allowed<'a> {
    pub fn new(filter: &'a Filter, part: Part<'_>) -> Self {
        let kinds = (!filter.kinds.is_empty()).then(|| part.kinds().iter().map(|k| filter.kinds.contains(k)).collect());
        let tags = (!filter.tags.is_empty()).then(|| {
            let mut counts = vec![0_usize; part.docs() as usize];
            for tag in &filter.tags {
                if let Some(list) = part.postings(*tag) {
                    list.for_each(|doc, _| counts.get_mut(doc as usize).into_iter().for_each(|count| *count += 1));
                }
            }
            counts.into_iter().map(|count| count == filter.tags.len()).collect()
        });
        Allowed { filter, kinds, tags }
    }

    /// Returns true if it excludes more than forgotten, superseded and expired records.
    pub fn is_selective(&self) -> bool {
        let filter = self.filter;
        self.kinds.is_some()
            || self.tags.is_some()
            || filter.since.is_some()
            || filter.at.is_some()
            || filter.min_confidence > 0.0
    }

    /// Returns true if a record passes. `base` is the number of its part's first record in the journal index.
    pub fn admits(&self, journal_index: &JournalIndex, part: Part<'_>, base: u32, doc: u32) -> bool {
        let filter = self.filter;
        // The kind is told at once; whether a record counts takes looking into several tables.
        let kinds = self.kinds.as_ref();
        if kinds.is_some_and(|kinds| kinds.get(usize::from(part.kind(doc))) != Some(&true)) {
            return false;
        }
        let row = part.row(doc);
        let (gone, expires) = if filter.include_proposed {
            journal_index.gone_and_expires_with_proposed(part, base, doc)
        } else {
            journal_index.gone_and_expires_of(&row, base, doc)
        };
        let created = row.created;
        // Clocks of other machines may be ahead, so in the present all written records are included.
        let counts = || gone == NEVER || (filter.with_retired && journal_index.is_only_retired(part, base, doc));
        let seen = filter.at.map_or_else(counts, |at| gone > at && created <= at);
        let was_retired = |at| journal_index.was_retired(|| row.id, at);
        seen && !filter.at.is_some_and(was_retired)
            && (filter.include_expired || expires > filter.at.unwrap_or(filter.now))
            && filter.since.is_none_or(|since| created >= since)
            && (filter.min_confidence <= 0.0 || row.confidence >= filter.min_confidence)
            && self
                .tags
                .as_ref()
                .is_none_or(|tags| tags.get(doc as usize) == Some(&true))
    }
}
