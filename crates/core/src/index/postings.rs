//! Posting lists: which records have a term and how often, as bytes.
//!
//! Each posting is the distance to the record before, shifted left by one, with the lowest bit set when the term occurs
//! more than once; then the count follows. Both are LEB128.

/// A list that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct PostingsWriter {
    bytes: Vec<u8>,
    next: u32,
    count: u32,
}

impl PostingsWriter {
    /// Adds a record; records come in rising order.
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

    /// Returns what was written, to be read.
    pub fn view(&self) -> Postings<'_> {
        Postings {
            bytes: &self.bytes,
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

/// A list that is being read.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'a> {
    bytes: &'a [u8],
    count: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn new(bytes: &'a [u8], count: u32) -> Self {
        Postings { bytes, count }
    }

    /// Returns how many bytes a list of so many records has at most.
    pub(super) fn bytes_max(count: u32) -> usize {
        // A distance has up to five bytes, a count up to three.
        count as usize * 8
    }

    /// How many records have the term.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Calls `visit` with every record and its count. Damaged bytes end the list early.
    #[inline]
    pub fn for_each(&self, visit: impl FnMut(u32, u16)) {
        self.cursor().each_below(END, visit);
    }

    /// Returns a reader that stands on the first record.
    pub(super) fn cursor(&self) -> Cursor<'a> {
        let mut cursor = Cursor {
            rest: self.bytes,
            left: self.count,
            next: 0,
            doc: END,
            times: 0,
        };
        cursor.step();
        cursor
    }
}

/// Where a [`Cursor`] stands behind the last record; no record has this number.
pub(super) const END: u32 = u32::MAX;

/// A list that is being read step by step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    left: u32,
    next: u32,
    doc: u32,
    times: u16,
}

impl Cursor<'_> {
    /// Returns the record it stands on.
    #[inline]
    pub fn doc(&self) -> u32 {
        self.doc
    }

    /// Calls `visit` with the records before `end` and their counts, from where it stands on.
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
}

#[inline]
fn read_leb(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        *bytes = rest;
        return Some(u64::from(*first));
    }
    read_long_leb(bytes)
}

fn read_long_leb(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(9) {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if *byte < 0x80 {
            *bytes = &bytes[at + 1..];
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_as_they_were_written() {
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
