//! A part of the index, mapped or in memory, behind one face.

use std::sync::Arc;

use super::memory_segment::MemorySegment;
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
    /// One that no longer changes.
    Segment(&'a Arc<Segment>),
    /// A young one.
    Memory(&'a MemorySegment),
}

impl<'a> Part<'a> {
    /// Returns how many records there are.
    pub fn docs(self) -> u32 {
        match self {
            Part::Segment(segment) => segment.docs(),
            Part::Memory(memtable) => memtable.docs(),
        }
    }

    /// Returns the segment that it is, if it is one.
    pub(super) fn segment(self) -> Option<&'a Segment> {
        match self {
            Part::Segment(segment) => Some(segment),
            Part::Memory(_) => None,
        }
    }

    /// Returns how many words the texts have together.
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

    /// Returns who has a term.
    pub fn postings(self, term: TermHash) -> Option<Postings<'a>> {
        match self {
            Part::Segment(segment) => segment.postings(term),
            Part::Memory(memtable) => memtable.postings(term),
        }
    }

    /// Returns the youngest record with this id.
    pub fn find_id(self, id: u64) -> Option<u32> {
        match self {
            Part::Segment(segment) => segment.find_id(id),
            Part::Memory(memtable) => memtable.find_id(id),
        }
    }

    /// Calls `visit` with the records that may be exact duplicates.
    pub fn for_each_exact(self, exact: u64, visit: impl FnMut(u32)) {
        match self {
            Part::Segment(segment) => segment.for_each_exact(exact, visit),
            Part::Memory(memtable) => memtable.for_each_exact(exact, visit),
        }
    }

    /// Returns a record's facts.
    #[inline]
    pub(super) fn row(self, doc: u32) -> Row {
        match self {
            Part::Segment(segment) => segment.row(doc),
            Part::Memory(memtable) => memtable.rows[doc as usize],
        }
    }

    /// Returns where a record stands in the journal.
    pub fn span(self, doc: u32) -> Span {
        self.row(doc).span()
    }

    /// Returns the hash of a record's id.
    pub fn id(self, doc: u32) -> u64 {
        self.row(doc).id
    }

    /// Returns the hash of all that makes an exact duplicate.
    pub fn exact(self, doc: u32) -> u64 {
        self.row(doc).exact
    }

    /// Returns when a record was made.
    pub fn created(self, doc: u32) -> Millis {
        self.row(doc).created
    }

    /// Returns when a record that was last confirmed at `confirmed`, as far as other parts know, expires.
    pub fn expires(self, doc: u32, confirmed: Millis) -> Millis {
        self.row(doc).expires(confirmed)
    }

    /// Returns when a record was last confirmed, as far as this part knows.
    pub fn confirmed(self, doc: u32) -> Millis {
        self.row(doc).confirmed
    }

    /// Returns from when on a record is hidden, as far as this part knows.
    pub fn gone(self, doc: u32) -> Millis {
        self.row(doc).gone
    }

    /// Returns how sure a record is.
    pub fn confidence(self, doc: u32) -> f32 {
        self.row(doc).confidence
    }

    /// Returns the number of a record's type in [`Part::kinds`].
    pub fn kind(self, doc: u32) -> u16 {
        match self {
            Part::Segment(segment) => segment.u16_at(Section::Kind, doc),
            Part::Memory(memtable) => memtable.kind_of[doc as usize],
        }
    }
}

/// The lengths of a part's texts, for a tight loop.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lengths<'a> {
    Packed(&'a [u8]),
    Plain(&'a [u16]),
}

impl Lengths<'_> {
    #[inline]
    pub fn at(self, doc: u32) -> u16 {
        let doc = doc as usize;
        match self {
            Lengths::Packed(bytes) => bytes
                .get(doc * 2..doc * 2 + 2)
                .map_or(0, |b| u16::from_le_bytes([b[0], b[1]])),
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
    /// Calls `visit` with every place and its word.
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
    /// Calls `visit` with the spellings that begin with a letter, and how many bytes each shares with the one before.
    pub(super) fn each_spelling(self, first: char, mut visit: impl FnMut(&str, usize)) {
        match self {
            Part::Segment(segment) => {
                let lead = first.encode_utf8(&mut [0; 4]).bytes().next().unwrap_or(0);
                segment.spellings(lead).each(|spelling, shared| {
                    // The list is walked to its end: what a spelling shares, it shares with the one before, whatever its letter.
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
            Part::Segment(segment) => Lengths::Packed(segment.section(Section::Length)),
            Part::Memory(memtable) => Lengths::Plain(&memtable.lengths),
        }
    }
}
