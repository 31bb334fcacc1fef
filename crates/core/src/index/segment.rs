//! An immutable segment of the index (an SSTable, in the terms of LSM trees): one block of bytes, usually a file that is read page by page.
//!
//! ```text
//! "FMIX" version:u32 docs:u32 sections:u32 words_total:u64 threshold:f64 header_hash:u64
//! sections x (offset:u64 length:u64), then the sections, each on a 64-byte boundary
//! ```
//!
//! All numbers are little-endian. Every read is bounds-checked, so damaged bytes cannot violate memory safety. The header contains its own
//! hash, and the catalog that of the whole file.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::memory_segment::{Mutation, MutationKind};
use super::near::{NearPosting, Wide};
use super::paged::{PagedFile, read_u32, read_u64};
use super::postings::Postings;
use super::row::Row;
use super::ruled::{HashedRuling, unpack_rulings};
use super::vocabulary::Spellings;
use crate::journal::DiskFile;
use crate::text::TermHash;

pub(super) const MAGIC: &[u8; 4] = b"FMIX";
/// Incremented when the layout changes, or the analysis that determines the terms and content words of a text.
pub(super) const FORMAT: u32 = 25;
pub(super) const HEADER_BYTES: usize = 40;
pub(super) const SECTIONS: usize = 17;
/// The alignment of sections: a cache line, so that each row lies in one.
pub(super) const BORDER: usize = 64;

/// The sections, in order.
#[derive(Debug, Clone, Copy)]
#[repr(usize)]
pub(super) enum Section {
    Rows,
    Kind,
    Length,
    IdTable,
    ExactTable,
    TermTable,
    Postings,
    NearTable,
    Near,
    Rarity,
    Mutations,
    Kinds,
    Wide,
    /// The words of the texts, concatenated, as fingerprints.
    Places,
    /// The end of each text, counted in words.
    PlaceEnds,
    /// The spellings of words: see `vocabulary.rs`.
    Vocabulary,
    /// The hash of each record's session.
    Session,
}

/// The sections with a fixed-size value per record, and its size in bytes.
const COLUMNS: [(Section, usize); 6] = [
    (Section::Rows, Row::BYTES),
    (Section::Kind, 2),
    (Section::Length, 2),
    (Section::Wide, 16),
    (Section::PlaceEnds, 4),
    (Section::Session, 4),
];

#[derive(Debug)]
enum Bytes {
    Paged(PagedFile),
    Owned(Vec<u8>),
}

/// An immutable part of the index.
#[derive(Debug)]
pub struct Segment {
    bytes: Bytes,
    sections: Vec<Range<usize>>,
    docs: u32,
    words_total: u64,
    threshold: f64,
    kinds: Vec<String>,
}

impl Segment {
    /// Opens the segment in a file; `None` when it has another version or another checksum.
    pub fn open_file(file: Box<dyn DiskFile>, checksum: u64) -> Option<Self> {
        let paged = PagedFile::open(file)?;
        (paged.root() == checksum).then(|| Segment::open(Bytes::Paged(paged)))?
    }

    /// Opens a segment in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        Segment::open(Bytes::Owned(bytes))
    }

    fn open(bytes: Bytes) -> Option<Self> {
        let mut segment = Segment {
            bytes,
            sections: Vec::new(),
            docs: 0,
            words_total: 0,
            threshold: 0.0,
            kinds: Vec::new(),
        };
        let header_len = HEADER_BYTES + SECTIONS * 16;
        let header = segment.range(0..header_len)?;
        let number = |at: usize| {
            let bytes = header.get(at..).and_then(<[u8]>::first_chunk);
            bytes.map(|bytes| u32::from_le_bytes(*bytes))
        };
        if !header.starts_with(MAGIC) || number(4)? != FORMAT || number(12)? != SECTIONS as u32 {
            return None;
        }
        if read_u64(header, OWN_HASH.start)? != header_hash(header) {
            return None;
        }
        let docs = number(8)?;
        let words_total = read_u64(header, 16)?;
        let threshold = f64::from_bits(read_u64(header, 24)?);
        let mut sections = Vec::with_capacity(SECTIONS);
        for section in 0..SECTIONS {
            let at = HEADER_BYTES + section * 16;
            let start = usize::try_from(read_u64(header, at)?).ok()?;
            let end = start.checked_add(usize::try_from(read_u64(header, at + 8)?).ok()?)?;
            (start <= end && end <= segment.len()).then_some(())?;
            sections.push(start..end);
        }
        let whole = |(section, width): &(Section, usize)| {
            let section = sections.get(*section as usize);
            section.is_some_and(|section| section.len() == (docs as usize).saturating_mul(*width))
        };
        if !COLUMNS.iter().all(whole) {
            return None;
        }
        let kinds = serde_json::from_slice(segment.range(sections.get(Section::Kinds as usize)?.clone())?).ok()?;
        segment.sections = sections;
        segment.docs = docs;
        segment.words_total = words_total;
        segment.threshold = threshold;
        segment.kinds = kinds;
        Some(segment)
    }

    /// Returns the number of records.
    pub fn docs(&self) -> u32 {
        self.docs
    }

    /// Returns the total number of words of all texts.
    pub fn words_total(&self) -> u64 {
        self.words_total
    }

    /// Returns the names of types and categories.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// Returns the smallest threshold for which near duplicates are found.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Returns true if a page that was read is damaged; answers may be incomplete then.
    pub fn is_damaged(&self) -> bool {
        match &self.bytes {
            Bytes::Paged(file) => file.is_damaged(),
            Bytes::Owned(_) => false,
        }
    }

    /// Reads the whole segment and returns true if it is undamaged.
    pub fn is_sound(&self) -> bool {
        self.range(0..self.len()).is_some() && !self.is_damaged()
    }

    fn len(&self) -> usize {
        match &self.bytes {
            Bytes::Paged(file) => file.len(),
            Bytes::Owned(bytes) => bytes.len(),
        }
    }

    #[inline]
    fn range(&self, range: Range<usize>) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::Paged(file) => file.get(range),
            Bytes::Owned(bytes) => bytes.get(range),
        }
    }

    /// Returns a whole section, which is read completely.
    #[inline]
    pub(super) fn section(&self, section: Section) -> &[u8] {
        self.within(section, 0..usize::MAX).unwrap_or(&[])
    }

    #[inline]
    fn section_len(&self, section: Section) -> usize {
        self.sections.get(section as usize).map_or(0, Range::len)
    }

    /// Returns a part of a section, limited to its end; `None` when it begins after the end.
    #[inline]
    fn within(&self, section: Section, part: Range<usize>) -> Option<&[u8]> {
        let whole = self.sections.get(section as usize)?;
        let start = whole.start.checked_add(part.start)?;
        let end = whole.start.saturating_add(part.end).min(whole.end);
        if start > end {
            return None;
        }
        self.range(start..end)
    }

    #[inline]
    pub(super) fn row(&self, doc: u32) -> Row {
        let at = doc as usize * Row::BYTES;
        Row::unpack(self.within(Section::Rows, at..at + Row::BYTES).unwrap_or(&[]))
    }

    /// Prefetches the row of a record.
    #[inline]
    pub(super) fn touch_row(&self, doc: u32) -> u8 {
        self.byte_at(Section::Rows, doc as usize * Row::BYTES)
    }

    /// Calls `visit` with each record's row, in order.
    pub(super) fn each_row(&self, mut visit: impl FnMut(u32, Row)) {
        let Bytes::Paged(file) = &self.bytes else {
            return (0..self.docs).for_each(|doc| visit(doc, self.row(doc)));
        };
        let section = self.sections.get(Section::Rows as usize).cloned().unwrap_or_default();
        let mut docs = 0..self.docs;
        // The section begins at a border of rows, and so does each page.
        file.each_page(section, |page| {
            for (row, doc) in page.chunks_exact(Row::BYTES).zip(docs.by_ref()) {
                visit(doc, Row::unpack(row));
            }
        });
        docs.for_each(|doc| visit(doc, Row::UNKNOWN));
    }

    #[inline]
    pub(super) fn u32_at(&self, section: Section, at: u32) -> u32 {
        let at = at as usize * 4;
        self.within(section, at..at + 4)
            .and_then(|bytes| read_u32(bytes, 0))
            .unwrap_or(0)
    }

    #[inline]
    pub(super) fn u16_at(&self, section: Section, at: u32) -> u16 {
        let at = at as usize * 2;
        match self.within(section, at..at + 2) {
            Some([low, high]) => u16::from_le_bytes([*low, *high]),
            _ => 0,
        }
    }

    /// Returns the mutations of records in older parts.
    pub fn mutations(&self) -> impl Iterator<Item = Mutation> + '_ {
        self.section(Section::Mutations).chunks_exact(24).filter_map(|raw| {
            let kind = match read_u64(raw, 16)? {
                0 => MutationKind::Gone,
                1 => MutationKind::Confirmed,
                2 => MutationKind::Repeated,
                _ => return None,
            };
            Some(Mutation {
                target: read_u64(raw, 0)?,
                at: read_u64(raw, 8)?.cast_signed(),
                kind,
            })
        })
    }

    /// Returns the rulings on records, of this part and of others.
    pub fn rulings(&self) -> impl Iterator<Item = HashedRuling> + '_ {
        unpack_rulings(self.section(Section::Mutations))
    }

    /// Returns the newest record with this id.
    pub fn find_id(&self, id: u64) -> Option<u32> {
        let mut found = None;
        self.probe(Section::IdTable, id, |row| row.id, |doc| found = found.max(Some(doc)));
        found
    }

    /// Prefetches the slot of an exact duplicate.
    #[inline]
    pub(super) fn touch_exact(&self, exact: u64) -> u8 {
        let slots = (self.section_len(Section::ExactTable) / 4).max(1);
        self.byte_at(Section::ExactTable, slot_of(exact, slots) * 4)
    }

    #[inline]
    fn byte_at(&self, section: Section, at: usize) -> u8 {
        let byte = self.within(section, at..at + 1);
        byte.and_then(|byte| byte.first()).copied().unwrap_or(0)
    }

    /// Calls `visit` with the candidates for exact duplicates.
    pub fn for_each_exact(&self, exact: u64, visit: impl FnMut(u32)) {
        self.probe(Section::ExactTable, exact, |row| row.exact, visit);
    }

    /// Walks a hash table of record numbers with open addressing. Only the rows of records with the same fingerprint are read.
    fn probe(&self, table: Section, wanted: u64, hash_of: impl Fn(Row) -> u64, mut visit: impl FnMut(u32)) {
        let slots = self.section_len(table) / 4;
        if slots == 0 {
            return;
        }
        let mask = doc_mask(self.docs);
        for slot in slots_from(wanted, slots) {
            let place = self.u32_at(table, slot as u32);
            let doc = place & mask;
            if doc == 0 {
                return;
            }
            if place == marked_doc(doc, wanted, mask) && doc <= self.docs && hash_of(self.row(doc - 1)) == wanted {
                visit(doc - 1);
            }
        }
    }

    /// Returns the start and the length of a key's list.
    #[inline]
    fn lookup(&self, table: Section, key: u64) -> Option<(usize, u32)> {
        let slots = self.section_len(table) / 16;
        if slots == 0 {
            return None;
        }
        for slot in slots_from(key, slots) {
            let at = slot * 16;
            let bytes = self.within(table, at..at + 16)?;
            let count = read_u32(bytes, 12)?;
            if count == 0 {
                return None;
            }
            if read_u64(bytes, 0)? == key {
                return Some((read_u32(bytes, 8)? as usize, count));
            }
        }
        None
    }

    /// Returns the posting list of a term.
    pub fn postings(&self, term: TermHash) -> Option<Postings<'_>> {
        let (start, count) = self.lookup(Section::TermTable, term)?;
        // A damaged table may contain an impossible count, and counts are summed.
        let count = count.min(self.docs);
        let section = self.sections.get(Section::Postings as usize)?;
        let from = section.start.checked_add(start).filter(|from| *from <= section.end)?;
        let range = from..from.saturating_add(Postings::bytes_max(count)).min(section.end);
        Some(match &self.bytes {
            Bytes::Paged(file) => Postings::in_file(file, range, count),
            Bytes::Owned(bytes) => Postings::new(bytes.get(range)?, count),
        })
    }

    /// Returns the words of a record's text in order, as packed fingerprints.
    pub(super) fn places(&self, doc: u32) -> &[[u8; 2]] {
        let end = self.u32_at(Section::PlaceEnds, doc) as usize;
        let start = doc
            .checked_sub(1)
            .map_or(0, |before| self.u32_at(Section::PlaceEnds, before) as usize);
        let packed = self.within(Section::Places, start * 2..end.max(start) * 2);
        packed.unwrap_or_default().as_chunks().0
    }

    /// Returns the spellings that begin with a byte.
    pub(super) fn spellings(&self, first: u8) -> Spellings<'_> {
        let bounds = self.within(Section::Vocabulary, Spellings::bounds_at(first));
        let range = bounds.and_then(Spellings::range_of);
        let packed = range.and_then(|range| self.within(Section::Vocabulary, range));
        Spellings::new(packed.unwrap_or_default())
    }

    /// Prefetches the slot of a key's list.
    #[inline]
    pub(super) fn touch_near(&self, key: u64) -> u8 {
        let slots = (self.section_len(Section::NearTable) / 16).max(1);
        self.byte_at(Section::NearTable, slot_of(key, slots) * 16)
    }

    /// Returns the records that have a key among their rarest words.
    #[inline]
    pub(super) fn near_list(&self, key: u64) -> Option<&[[u8; NearPosting::BYTES]]> {
        let (start, count) = self.lookup(Section::NearTable, key)?;
        let from = start * NearPosting::BYTES;
        let (near, _) = self
            .within(Section::Near, from..from + count as usize * NearPosting::BYTES)?
            .as_chunks();
        Some(near)
    }

    /// Returns the table of [`rarity_of`].
    #[inline]
    pub(super) fn rarities(&self) -> &[u8] {
        self.section(Section::Rarity)
    }

    #[inline]
    pub(super) fn wide(&self, doc: u32) -> Option<Wide> {
        let at = doc as usize * 16;
        let (pair, _) = self.within(Section::Wide, at..at + 16)?.as_chunks::<8>();
        let [low, high, ..] = pair else { return None };
        Some([u64::from_le_bytes(*low), u64::from_le_bytes(*high)])
    }
}

/// Returns the bits of a slot of a table of records that have the number of the record plus one; 0 is an empty slot. The others have bits of the
/// hash: the rows of records that only share a slot need not be read.
pub(super) fn doc_mask(docs: u32) -> u32 {
    u32::MAX.checked_shr(docs.leading_zeros()).unwrap_or(0)
}

/// Returns what is in the slot of a record, given its number plus one.
#[inline]
pub(super) fn marked_doc(doc: u32, hash: u64, mask: u32) -> u32 {
    doc | (hash >> 32) as u32 & !mask
}

/// Returns the frequency class of the words in a key's slot; 0 is the rarest.
#[inline]
pub(super) fn rarity_of(table: &[u8], key: u64) -> u8 {
    if table.is_empty() {
        return 0;
    }
    table.get(slot_of(key, table.len())).copied().unwrap_or(0)
}

/// Returns the first slot of a key, in a table of any size.
#[inline]
pub(super) fn slot_of(key: u64, slots: usize) -> usize {
    let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    (mixed.wrapping_mul(slots as u64) >> 32) as usize
}

/// Returns the slots of a key in probing order (linear probing).
#[inline]
pub(super) fn slots_from(key: u64, slots: usize) -> impl Iterator<Item = usize> {
    let first = slot_of(key, slots);
    (first..slots).chain(0..first.min(slots))
}

/// The position of the header's own hash.
const OWN_HASH: Range<usize> = 32..40;

fn header_hash(header: &[u8]) -> u64 {
    let mut covered = header.to_vec();
    if let Some(own) = covered.get_mut(OWN_HASH) {
        own.fill(0);
    }
    xxh3_64(&covered)
}

/// Writes the hash of a header into it.
pub(super) fn seal_header(header: &mut [u8]) {
    let hash = header_hash(header);
    if let Some(own) = header.get_mut(OWN_HASH) {
        own.copy_from_slice(&hash.to_le_bytes());
    }
}
