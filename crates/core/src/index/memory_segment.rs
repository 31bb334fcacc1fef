//! An in-memory segment: the newest records of the index (a memtable in the terms of log-structured merge trees); also the
//! builder of the segments that are written.

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

/// What happened to a record that stands in another part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutation {
    /// Hash of the id of the record.
    pub target: u64,
    /// When.
    pub at: Millis,
    /// What.
    pub kind: MutationKind,
}

/// The kinds of [`Mutation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutationKind {
    /// Forgotten, or superseded by a newer revision: not seen from that moment on.
    Gone,
    /// Captured again: lives on from that moment.
    Confirmed,
    /// The same id stands further down: that line counts, this one never does.
    Repeated,
}

/// Stands for "no record" in chains of records with the same hash.
const NONE: u32 = u32::MAX;

/// A part that is being filled.
#[derive(Debug)]
pub struct MemorySegment {
    pub(super) rows: Vec<Row>,
    /// Number of each record's type or category in `kinds`.
    pub(super) kind_of: Vec<u16>,
    /// How many words each record's text has; of the analysed ones only.
    pub(super) lengths: Vec<u16>,
    /// The words of the texts of the analysed records, one after the other, and where each text ends.
    pub(super) places: Vec<Fingerprint>,
    pub(super) place_ends: Vec<u32>,
    pub(super) analysis: Analysis,
    pub(super) kinds: Vec<String>,
    pub(super) terms: FxHashMap<TermHash, PostingsWriter>,
    /// Records whose terms nobody has asked for yet.
    waiting: TermSources,
    pub(super) mutations: Vec<Mutation>,
    pub(super) words_total: u64,
    /// The wide sketches.
    pub(super) wides: Vec<Wide>,
    /// The records of each partition.
    partitions: FxHashMap<u64, Vec<NearPosting>>,
    /// The records by the keys of what they assert.
    claims: FxHashMap<TermHash, Vec<u32>>,
    ids: Buckets,
    exacts: Buckets,
    same_exact: Vec<u32>,
    /// Set where a segment is made: nobody looks duplicates up there.
    is_builder: bool,
    end: u64,
}

impl Default for MemorySegment {
    fn default() -> Self {
        MemorySegment {
            rows: Vec::new(),
            kind_of: Vec::new(),
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
    /// Returns one that is never looked into, only made a segment of.
    pub(super) fn builder() -> Self {
        MemorySegment {
            is_builder: true,
            ..MemorySegment::default()
        }
    }

    /// Returns how many records there are.
    pub fn docs(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(NONE)
    }

    /// Returns the offset behind the last line that was taken in.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Notes that the journal is read up to `end`.
    pub fn advance(&mut self, end: u64) {
        self.end = self.end.max(end);
    }

    /// Takes in a record.
    pub fn add(&mut self, entry: &Entry, span: Span) {
        let doc = self.docs();
        // One id, one record: the last line counts, but neither a tombstone nor a confirmation is undone by a repetition.
        let (gone, confirmed) = match self.ids.insert(entry.id, doc) {
            Some(before) => {
                let before = &mut self.rows[before as usize];
                (std::mem::replace(&mut before.gone, Millis::MIN), before.confirmed)
            }
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
            self.add_claims(doc, &entry.claim_keys);
        } else {
            for key in &entry.claim_keys {
                self.claims.entry(*key).or_default().push(doc);
            }
        }
        self.advance(span.offset + span.len);
    }

    /// Finds out the terms of the records that wait for it; before that, nobody finds them by a term.
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

    /// Adds the keys of what a record asserts to the lists of a segment.
    fn add_claims(&mut self, doc: u32, keys: &[TermHash]) {
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            self.terms.entry(key).or_default().push(doc, 1);
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

    /// Takes in what happened to a record, here or in an older part.
    pub fn mutation(&mut self, mutation: Mutation) {
        match self.find_id(mutation.target) {
            Some(doc) => {
                let row = &mut self.rows[doc as usize];
                row.gone = row.gone.min(gone_by(mutation));
                row.confirmed = row.confirmed.max(confirmed_by(mutation));
            }
            None => self.mutations.push(mutation),
        }
    }

    /// Hides the newest record from a moment on and confirms it, as its older copy in another part was.
    pub(super) fn inherit_newest(&mut self, gone: Millis, confirmed: Millis) {
        if let Some(newest) = self.rows.last_mut() {
            newest.gone = newest.gone.min(gone);
            newest.confirmed = newest.confirmed.max(confirmed);
        }
    }

    /// Returns the youngest record with this id.
    pub fn find_id(&self, id: u64) -> Option<u32> {
        self.ids.get(&id).copied()
    }

    /// Calls `visit` with the records that may be exact duplicates.
    pub fn for_each_exact(&self, exact: u64, mut visit: impl FnMut(u32)) {
        let mut next = self.exacts.get(&exact).copied().unwrap_or(NONE);
        while next != NONE {
            visit(next);
            next = self.same_exact[next as usize];
        }
    }

    /// Returns the records that assert something under a key.
    pub(super) fn with_claim(&self, key: TermHash) -> &[u32] {
        self.claims.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Returns the records of a partition.
    pub(super) fn partition(&self, partition: u64) -> &[NearPosting] {
        self.partitions.get(&partition).map_or(&[], Vec::as_slice)
    }

    /// Returns a record's wide sketch.
    pub(super) fn wide(&self, doc: u32) -> Wide {
        self.wides[doc as usize]
    }

    /// Returns who has a term. All records have been analysed by now.
    pub fn postings(&self, term: TermHash) -> Option<Postings<'_>> {
        debug_assert!(self.waiting.is_empty(), "a search without its refresh");
        self.terms.get(&term).map(PostingsWriter::view)
    }

    fn kind_number(&mut self, kind: &str) -> u16 {
        let known = self.kinds.iter().position(|name| name == kind);
        let number = known.unwrap_or_else(|| {
            // Types are a handful; whoever invents 65,535 of them shares the last one.
            if self.kinds.len() < usize::from(u16::MAX) {
                self.kinds.push(kind.to_owned());
            }
            self.kinds.len() - 1
        });
        u16::try_from(number).unwrap_or(u16::MAX)
    }
}

/// Returns from when on a mutation hides its record.
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
