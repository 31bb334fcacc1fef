//! Posting lists: the records that contain a term, with counts, in delta encoding.
//!
//! Each posting is the distance to the previous record, shifted left by one, with the lowest bit set when the term occurs more than once;
//! in that case the count follows. Both are LEB128 integers.

use std::ops::Range;

use super::paged::PagedFile;

#[derive(Debug, Clone, Default)]
pub(super) struct PostingsWriter {
    bytes: Vec<u8>,
    next: u32,
    count: u32,
}

impl PostingsWriter {
    /// Adds a record; record numbers are ascending.
    pub fn push(&mut self, doc: u32, times: u16) {
        let distance = u64::from(doc - self.next) << 1;
        if times > 1 {
            write_leb(&mut self.bytes, distance | 1);
            write_leb(&mut self.bytes, u64::from(times));
        } else {
            write_leb(&mut self.bytes, distance);
        }
        self.next = doc + 1;
        self.count += 1;
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        (self.next, self.count) = (0, 0);
    }

    /// Returns the list for reading.
    pub fn view(&self) -> Postings<'_> {
        Postings {
            bytes: &self.bytes,
            more: None,
            count: self.count,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn count(&self) -> u32 {
        self.count
    }
}

fn write_leb(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// What was not read of a list in a file, whose length is not known before: a search reads no further than it goes.
#[derive(Debug, Clone, Copy)]
struct ListBytes<'a> {
    file: &'a PagedFile,
    /// Where it begins, and where the list ends at the latest.
    rest: (usize, usize),
}

impl<'a> ListBytes<'a> {
    /// Returns the last `kept` bytes again, followed by so many more.
    #[cold]
    fn take(&mut self, kept: usize, more: usize) -> &'a [u8] {
        let (at, end) = self.rest;
        let from = at.saturating_sub(kept);
        let bytes = self
            .file
            .get(from..at.saturating_add(more).min(end))
            .unwrap_or_default();
        self.rest.0 = from + bytes.len();
        bytes
    }

    /// True if all that the list may be was read.
    fn is_over(&self) -> bool {
        self.rest.0 >= self.rest.1
    }
}

/// A list that is being read.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'a> {
    bytes: &'a [u8],
    /// What follows these bytes, in a file.
    more: Option<ListBytes<'a>>,
    count: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn new(bytes: &'a [u8], count: u32) -> Self {
        Postings {
            bytes,
            more: None,
            count,
        }
    }

    /// A list in a range of a file, or in its beginning. Nothing is read yet.
    pub(super) fn in_file(file: &'a PagedFile, range: Range<usize>, count: u32) -> Self {
        Postings {
            bytes: &[],
            more: Some(ListBytes {
                file,
                rest: (range.start, range.end),
            }),
            count,
        }
    }

    /// Returns the maximum size of a list of `count` records in bytes.
    pub(super) fn bytes_max(count: u32) -> usize {
        // A distance has up to five bytes, a count up to three.
        count as usize * 8
    }

    /// The number of records with the term.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Calls `visit` with every record and its count. Damaged bytes end the list early.
    #[inline]
    pub fn for_each(&self, visit: impl FnMut(u32, u16)) {
        self.cursor().each_below(END, visit);
    }

    /// Returns a cursor at the first record.
    pub(super) fn cursor(&self) -> Cursor<'a> {
        let mut cursor = Cursor {
            rest: self.bytes,
            more: self.more,
            left: self.count,
            next: 0,
            doc: END,
            times: 0,
        };
        cursor.step();
        cursor
    }
}

/// The position of a [`Cursor`] after the last record; no record has this number.
pub(super) const END: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    more: Option<ListBytes<'a>>,
    left: u32,
    next: u32,
    doc: u32,
    times: u16,
}

impl<'a> Cursor<'a> {
    /// Returns the current record.
    #[inline]
    pub fn doc(&self) -> u32 {
        self.doc
    }

    /// Calls `visit` with the records from the current one up to `end`, exclusive, and their counts.
    #[inline]
    pub fn each_below(&mut self, end: u32, mut visit: impl FnMut(u32, u16)) {
        while self.doc < end {
            visit(self.doc, self.times);
            self.step();
        }
    }

    #[inline]
    fn step(&mut self) {
        self.doc = self.read_next().unwrap_or(END);
    }

    #[inline]
    fn read_next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        if self.rest.len() < POSTING_BYTES_MAX {
            self.read_more();
        }
        let head = read_leb(&mut self.rest)?;
        self.times = if head & 1 == 1 {
            read_leb(&mut self.rest).map_or(1, |times| u16::try_from(times).unwrap_or(u16::MAX))
        } else {
            1
        };
        let doc = u32::try_from(head >> 1)
            .ok()
            .and_then(|distance| self.next.checked_add(distance))?;
        self.next = doc.saturating_add(1);
        Some(doc)
    }

    /// Reads about as much of a file as the records that are left take: most have one byte.
    #[cold]
    fn read_more(&mut self) {
        let Some(more) = &mut self.more else { return };
        let wanted = (self.left as usize).saturating_mul(5) / 4 + 2 * POSTING_BYTES_MAX;
        self.rest = more.take(self.rest.len(), wanted);
        if more.is_over() {
            self.more = None;
        }
    }
}

#[inline]
fn read_leb(bytes: &mut &[u8]) -> Option<u64> {
    // The distances of frequent words have one byte, those of rare ones two.
    match bytes {
        [first, rest @ ..] if *first < 0x80 => {
            *bytes = rest;
            Some(u64::from(*first))
        }
        [first, second, rest @ ..] if *second < 0x80 => {
            let value = u64::from(*first & 0x7f) | u64::from(*second) << 7;
            *bytes = rest;
            Some(value)
        }
        _ => read_long_leb(bytes),
    }
}

/// The maximum number of bytes of an integer, and of a posting.
const LEB_BYTES_MAX: u32 = 9;
const POSTING_BYTES_MAX: usize = 2 * LEB_BYTES_MAX as usize;

#[cold]
fn read_long_leb(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut rest) = (0_u64, *bytes);
    for at in 0..LEB_BYTES_MAX {
        let (byte, following) = rest.split_first()?;
        value |= u64::from(byte & 0x7f) << (7 * at);
        rest = following;
        if *byte < 0x80 {
            *bytes = rest;
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_survive_a_round_trip() {
        let wanted = [(0, 1), (1, 3), (2, 1), (130, 1), (70_000, 65_535), (4_000_000, 2)];
        let mut list = PostingsWriter::default();
        wanted.iter().for_each(|(doc, times)| list.push(*doc, *times));
        let mut got = Vec::new();
        list.view().for_each(|doc, times| got.push((doc, times)));
        assert_eq!(got, wanted);
    }

    #[test]
    fn damaged_lists_end_early_and_never_panic() {
        for bytes in [
            &b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"[..],
            b"\x80",
            b"\x03",
            b"\xff\xff\xff\xff\x1f\x01",
        ] {
            let mut calls = 0;
            Postings::new(bytes, 1000).for_each(|_, _| calls += 1);
            assert!(calls <= bytes.len());
        }
    }
}
