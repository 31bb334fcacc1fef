//! An in-memory segment with the newest records (a memtable, in the terms of log-structured merge trees). It is also the builder of
//! immutable segments.

use rustc_hash::FxHashMap;

use super::entry::{Buckets, Entry};
use super::near::{NearPosting, Wide};
use super::postings::{Postings, PostingsWriter};
use super::row::Row;
use super::term_sources::TermSources;
use crate::clock::Millis;
use crate::journal::Span;
use crate::model::thought::NEVER;
use crate::text::TermHash;
use crate::text::analysis::{Analysis, Fingerprint};

/// A mutation of a record in another part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutation {
    /// Hash of the id of the record.
    pub target: u64,
    /// Its time.
    pub at: Millis,
    /// Its kind.
    pub kind: MutationKind,
}

/// The kinds of [`Mutation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutationKind {
    /// Forgotten or superseded: hidden from that time on.
    Gone,
    /// Captured again: its lifetime restarts at that time.
    Confirmed,
    /// Replaced by a later line with the same id: hidden at all times.
    Repeated,
}

/// The end of a chain of records with the same hash.
const NONE: u32 = u32::MAX;

/// The segment to which new records are added.
#[derive(Debug)]
pub struct MemorySegment {
    pub(super) rows: Vec<Row>,
    /// The index of each record's type or category in `kinds`.
    pub(super) kind_of: Vec<u16>,
    pub(super) sessions: Vec<u32>,
    /// The number of words of each record's text, of the analysed records only.
    pub(super) lengths: Vec<u16>,
    /// The words of the analysed texts, concatenated, and the end of each text.
    pub(super) places: Vec<Fingerprint>,
    pub(super) place_ends: Vec<u32>,
    pub(super) analysis: Analysis,
    pub(super) kinds: Vec<String>,
    pub(super) terms: FxHashMap<TermHash, PostingsWriter>,
    /// Records that were not analysed yet.
    waiting: TermSources,
    pub(super) mutations: Vec<Mutation>,
    pub(super) words_total: u64,
    pub(super) wides: Vec<Wide>,
    partitions: FxHashMap<u64, Vec<NearPosting>>,
    claims: FxHashMap<TermHash, Vec<u32>>,
    ids: Buckets,
    exacts: Buckets,
    same_exact: Vec<u32>,
    /// Set in a segment builder, in which duplicates are never looked up.
    is_builder: bool,
    end: u64,
}

impl Default for MemorySegment {
    fn default() -> Self {
        MemorySegment {
            rows: Vec::new(),
            kind_of: Vec::new(),
            sessions: Vec::new(),
            lengths: Vec::new(),
            places: Vec::new(),
            place_ends: Vec::new(),
            analysis: Analysis::with_vocabulary(),
            claims: FxHashMap::default(),
            kinds: Vec::new(),
            terms: FxHashMap::default(),
            waiting: TermSources::default(),
            mutations: Vec::new(),
            words_total: 0,
            wides: Vec::new(),
            partitions: FxHashMap::default(),
            ids: Buckets::default(),
            exacts: Buckets::default(),
            same_exact: Vec::new(),
            is_builder: false,
            end: 0,
        }
    }
}

impl MemorySegment {
    /// Returns one that is only used to build a segment.
    pub(super) fn builder() -> Self {
        MemorySegment {
            is_builder: true,
            ..MemorySegment::default()
        }
    }

    /// Returns the number of records.
    pub fn docs(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(NONE)
    }

    /// Returns the offset after the last indexed line.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Sets the offset up to which the journal was read.
    pub fn advance(&mut self, end: u64) {
        self.end = self.end.max(end);
    }

    /// Adds a record.
    pub fn add(&mut self, entry: &Entry, span: Span) {
        let doc = self.docs();
        // Of several lines with one id, the last one counts, but a repetition undoes neither a tombstone nor a confirmation.
        let before = self.ids.insert(entry.id, doc);
        let (gone, confirmed) = match before.and_then(|before| self.rows.get_mut(before as usize)) {
            Some(before) => (std::mem::replace(&mut before.gone, Millis::MIN), before.confirmed),
            None => (NEVER, Millis::MIN),
        };
        self.rows.push(Row {
            offset: span.offset,
            len: u32::try_from(span.len).unwrap_or(u32::MAX),
            confidence: entry.confidence,
            id: entry.id,
            exact: entry.exact,
            created: entry.created,
            expires: entry.expires,
            gone,
            confirmed,
        });
        let kind = self.kind_number(&entry.kind);
        self.kind_of.push(kind);
        self.sessions.push(entry.session);
        self.wides.push(entry.sketches.wide);
        if !self.is_builder {
            let before = self.exacts.insert(entry.exact, doc).unwrap_or(NONE);
            self.same_exact.push(before);
        }
        if entry.partition != 0 && !self.is_builder {
            self.partitions.entry(entry.partition).or_default().push(NearPosting {
                sketch: entry.sketches.sketch,
                count: entry.sketches.count,
                before: 0,
                doc,
            });
        }
        self.waiting.push(doc, &entry.source);
        if self.is_builder {
            self.analyse();
        } else {
            for key in &entry.claim_keys {
                self.claims.entry(*key).or_default().push(doc);
            }
        }
        self.advance(span.offset + span.len);
    }

    /// Analyses the pending records, which cannot be found by terms before.
    pub fn analyse(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        waiting.each(|doc, text, origin, tags| {
            let number = self.kind_of.get(doc as usize).copied().map_or(0, usize::from);
            let kind = self.kinds.get(number).map_or("", String::as_str);
            self.analysis.take(text, kind, origin, tags);
            self.words_total += u64::from(self.analysis.length);
            self.lengths.push(self.analysis.length);
            self.places.extend_from_slice(&self.analysis.places);
            self.place_ends
                .push(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
            for (term, times) in &self.analysis.terms {
                self.terms.entry(*term).or_default().push(doc, *times);
            }
        });
        if self.is_builder {
            self.waiting = waiting.cleared();
        }
    }

    /// Returns the words of a record's text in order.
    pub(super) fn places(&self, doc: u32) -> &[Fingerprint] {
        let doc = doc as usize;
        let start = doc.checked_sub(1).and_then(|before| self.place_ends.get(before));
        let end = self.place_ends.get(doc).copied().unwrap_or_default() as usize;
        let start = start.copied().unwrap_or_default() as usize;
        self.places.get(start..end).unwrap_or_default()
    }

    /// Applies a mutation of a record, in this or an older part.
    pub fn mutation(&mut self, mutation: Mutation) {
        let doc = self.find_id(mutation.target);
        match doc.and_then(|doc| self.rows.get_mut(doc as usize)) {
            Some(row) => {
                row.gone = row.gone.min(gone_by(mutation));
                row.confirmed = row.confirmed.max(confirmed_by(mutation));
            }
            None => self.mutations.push(mutation),
        }
    }

    /// Hides and confirms the newest record like its older copy in another part.
    pub(super) fn inherit_newest(&mut self, gone: Millis, confirmed: Millis) {
        if let Some(newest) = self.rows.last_mut() {
            newest.gone = newest.gone.min(gone);
            newest.confirmed = newest.confirmed.max(confirmed);
        }
    }

    /// Returns the newest record with this id.
    pub fn find_id(&self, id: u64) -> Option<u32> {
        self.ids.get(&id).copied()
    }

    /// Calls `visit` with the candidates for exact duplicates.
    pub fn for_each_exact(&self, exact: u64, visit: impl FnMut(u32)) {
        let before = |doc: &u32| {
            self.same_exact
                .get(*doc as usize)
                .copied()
                .filter(|before| *before != NONE)
        };
        std::iter::successors(self.exacts.get(&exact).copied(), before).for_each(visit);
    }

    pub(super) fn with_claim(&self, key: TermHash) -> &[u32] {
        self.claims.get(&key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn partition(&self, partition: u64) -> &[NearPosting] {
        self.partitions.get(&partition).map_or(&[], Vec::as_slice)
    }

    pub(super) fn wide(&self, doc: u32) -> Option<Wide> {
        self.wides.get(doc as usize).copied()
    }

    /// Returns the posting list of a term. All records must have been analysed.
    pub fn postings(&self, term: TermHash) -> Option<Postings<'_>> {
        debug_assert!(self.waiting.is_empty(), "a search without its refresh");
        self.terms.get(&term).map(PostingsWriter::view)
    }

    fn kind_number(&mut self, kind: &str) -> u16 {
        let known = self.kinds.iter().position(|name| name == kind);
        let number = known.unwrap_or_else(|| {
            // There are usually few types; beyond 65,535 they share the last number.
            if self.kinds.len() < usize::from(u16::MAX) {
                self.kinds.push(kind.to_owned());
            }
            self.kinds.len() - 1
        });
        u16::try_from(number).unwrap_or(u16::MAX)
    }
}

/// Returns the time from which a mutation hides its record.
pub(super) fn gone_by(mutation: Mutation) -> Millis {
    match mutation.kind {
        MutationKind::Gone => mutation.at,
        MutationKind::Confirmed => NEVER,
        MutationKind::Repeated => Millis::MIN,
    }
}

/// Returns when a mutation last confirmed its record.
pub(super) fn confirmed_by(mutation: Mutation) -> Millis {
    if mutation.kind == MutationKind::Confirmed {
        mutation.at
    } else {
        Millis::MIN
    }
}
