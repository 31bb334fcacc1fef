//! A part of the index: an immutable segment or a segment in memory, with one interface.

use std::sync::Arc;

use super::memory_segment::MemorySegment;
use super::near::Wide;
use super::postings::Postings;
use super::row::Row;
use super::segment::{Section, Segment};
use crate::clock::Millis;
use crate::journal::Span;
use crate::text::analysis::Fingerprint;
use crate::text::{TermHash, Vocabulary};

/// A part of the index.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// An immutable segment.
    Segment(&'a Arc<Segment>),
    /// A segment in memory.
    Memory(&'a MemorySegment),
}

impl<'a> Part<'a> {
    /// Returns the number of records.
    pub fn docs(self) -> u32 {
        match self {
            Part::Segment(segment) => segment.docs(),
            Part::Memory(memtable) => memtable.docs(),
        }
    }

    pub(super) fn segment(self) -> Option<&'a Segment> {
        match self {
            Part::Segment(segment) => Some(segment),
            Part::Memory(_) => None,
        }
    }

    /// Returns the total number of words of all texts.
    pub fn words_total(self) -> u64 {
        match self {
            Part::Segment(segment) => segment.words_total(),
            Part::Memory(memtable) => memtable.words_total,
        }
    }

    /// Returns the names of types and categories.
    pub fn kinds(self) -> &'a [String] {
        match self {
            Part::Segment(segment) => segment.kinds(),
            Part::Memory(memtable) => &memtable.kinds,
        }
    }

    /// Returns the posting list of a term.
    pub fn postings(self, term: TermHash) -> Option<Postings<'a>> {
        match self {
            Part::Segment(segment) => segment.postings(term),
            Part::Memory(memtable) => memtable.postings(term),
        }
    }

    /// Returns the newest record with this id.
    pub fn find_id(self, id: u64) -> Option<u32> {
        match self {
            Part::Segment(segment) => segment.find_id(id),
            Part::Memory(memtable) => memtable.find_id(id),
        }
    }

    /// Calls `visit` with the candidates for exact duplicates.
    pub fn for_each_exact(self, exact: u64, visit: impl FnMut(u32)) {
        match self {
            Part::Segment(segment) => segment.for_each_exact(exact, visit),
            Part::Memory(memtable) => memtable.for_each_exact(exact, visit),
        }
    }

    #[inline]
    pub(super) fn row(self, doc: u32) -> Row {
        match self {
            Part::Segment(segment) => segment.row(doc),
            Part::Memory(memtable) => memtable.rows.get(doc as usize).copied().unwrap_or(Row::UNKNOWN),
        }
    }

    /// Prefetches the fixed-size fields of a record.
    #[inline]
    pub(super) fn touch_row(self, doc: u32) -> u8 {
        self.segment().map_or(0, |segment| segment.touch_row(doc))
    }

    /// Calls `visit` with the fixed-size fields of each record, in order.
    pub(super) fn each_row(self, mut visit: impl FnMut(u32, Row)) {
        match self {
            Part::Segment(segment) => segment.each_row(visit),
            Part::Memory(_) => (0..self.docs()).for_each(|doc| visit(doc, self.row(doc))),
        }
    }

    /// Returns the span of a record's line in the journal.
    pub fn span(self, doc: u32) -> Span {
        self.row(doc).span()
    }

    /// Returns the hash of a record's id.
    pub fn id(self, doc: u32) -> u64 {
        self.row(doc).id
    }

    /// Returns the hash by which exact duplicates are recognised.
    pub fn exact(self, doc: u32) -> u64 {
        self.row(doc).exact
    }

    /// Returns when a record was made.
    pub fn created(self, doc: u32) -> Millis {
        self.row(doc).created
    }

    /// Returns when a record expires; `confirmed` is its last confirmation in other parts.
    pub fn expires(self, doc: u32, confirmed: Millis) -> Millis {
        self.row(doc).expires(confirmed)
    }

    /// Returns when a record was last confirmed, according to this part.
    pub fn confirmed(self, doc: u32) -> Millis {
        self.row(doc).confirmed
    }

    /// Returns since when a record is hidden, according to this part.
    pub fn gone(self, doc: u32) -> Millis {
        self.row(doc).gone
    }

    /// Returns a record's confidence.
    pub fn confidence(self, doc: u32) -> f32 {
        self.row(doc).confidence
    }

    /// Returns the wide sketch of a record's content words; `None` for patterns, which have none.
    pub(crate) fn content_sketch(self, doc: u32) -> Option<Wide> {
        let sketch = match self {
            Part::Segment(segment) => segment.wide(doc),
            Part::Memory(memtable) => memtable.wide(doc),
        };
        sketch.filter(|sketch| *sketch != Wide::default())
    }

    /// Returns the hash of the session in which a record was captured; 0 when that is not known.
    #[inline]
    pub fn session(self, doc: u32) -> u32 {
        match self {
            Part::Segment(segment) => segment.u32_at(Section::Session, doc),
            Part::Memory(memtable) => memtable.sessions.get(doc as usize).copied().unwrap_or(0),
        }
    }

    /// Returns the number of a record's type in [`Part::kinds`].
    pub fn kind(self, doc: u32) -> u16 {
        match self {
            Part::Segment(segment) => segment.u16_at(Section::Kind, doc),
            Part::Memory(memtable) => memtable.kind_of.get(doc as usize).copied().unwrap_or(0),
        }
    }
}

/// The lengths of a part's texts, for a tight loop.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lengths<'a> {
    Packed(&'a [[u8; 2]]),
    Plain(&'a [u16]),
}

impl Lengths<'_> {
    #[inline]
    pub fn at(self, doc: u32) -> u16 {
        let doc = doc as usize;
        match self {
            Lengths::Packed(lengths) => lengths.get(doc).map_or(0, |length| u16::from_le_bytes(*length)),
            Lengths::Plain(lengths) => lengths.get(doc).copied().unwrap_or(0),
        }
    }
}

/// The words of a text in order.
#[derive(Debug, Clone, Copy)]
pub(super) enum Places<'a> {
    Packed(&'a [[u8; 2]]),
    Plain(&'a [Fingerprint]),
}

impl Places<'_> {
    /// Returns the first `count` of them.
    #[inline]
    pub fn first(self, count: usize) -> Self {
        match self {
            Places::Packed(words) => Places::Packed(words.get(..count).unwrap_or(words)),
            Places::Plain(words) => Places::Plain(words.get(..count).unwrap_or(words)),
        }
    }

    /// Reads the first word, so that it is in the cache.
    #[inline]
    pub fn touch(self) -> Fingerprint {
        match self {
            Places::Packed(words) => words.first().map_or(0, |word| Fingerprint::from_le_bytes(*word)),
            Places::Plain(words) => words.first().copied().unwrap_or(0),
        }
    }

    /// Calls `visit` with every position and its word.
    #[inline]
    pub fn each(self, mut visit: impl FnMut(usize, Fingerprint)) {
        match self {
            Places::Packed(words) => {
                let words = words.iter().map(|word| Fingerprint::from_le_bytes(*word));
                words.enumerate().for_each(|(at, word)| visit(at, word));
            }
            Places::Plain(words) => words.iter().enumerate().for_each(|(at, word)| visit(at, *word)),
        }
    }
}

impl<'a> Part<'a> {
    /// Calls `visit` with the spellings that begin with a letter, and the number of bytes that each shares with the previous one.
    pub(super) fn each_spelling(self, first: char, mut visit: impl FnMut(&str, usize)) {
        match self {
            Part::Segment(segment) => {
                let lead = first.encode_utf8(&mut [0; 4]).bytes().next().unwrap_or(0);
                segment.spellings(lead).each(|spelling, shared| {
                    // The list is walked to its end, because the shared prefix refers to the previous spelling, whatever its first letter.
                    visit(spelling, shared);
                });
            }
            Part::Memory(memtable) => {
                let spellings = memtable.analysis.vocabulary().into_iter().flat_map(Vocabulary::iter);
                let fitting = spellings.filter(|spelling| spelling.starts_with(first));
                fitting.for_each(|spelling| visit(spelling, 0));
            }
        }
    }

    /// Returns the words of a record's text in order.
    pub(super) fn places(self, doc: u32) -> Places<'a> {
        match self {
            Part::Segment(segment) => Places::Packed(segment.places(doc)),
            Part::Memory(memtable) => Places::Plain(memtable.places(doc)),
        }
    }

    pub(super) fn lengths(self) -> Lengths<'a> {
        match self {
            Part::Segment(segment) => Lengths::Packed(segment.section(Section::Length).as_chunks().0),
            Part::Memory(memtable) => Lengths::Plain(&memtable.lengths),
        }
    }
}
