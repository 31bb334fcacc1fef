//! Reads lines of any length in bounded memory. Long runs of base64 (pictures) are removed while a line is read, so that the rest of it
//! can be parsed; a line that is still longer than [`LINE_MAX`] is counted and dropped.

use std::io;

use forge_memory_journal::{DiskFile, clean};

/// Bytes read at once.
const BLOCK_BYTES: usize = 1 << 18;
/// The most bytes of one line that are kept in memory.
pub(crate) const LINE_MAX: usize = 8 << 20;
/// A run of base64 characters longer than this is binary data, not text.
const RUN_MAX: usize = 4096;

/// A line without its line end, long runs of base64 truncated.
#[derive(Debug)]
pub(crate) enum Line<'a> {
    /// Its bytes.
    Whole(&'a [u8]),
    /// Longer than [`LINE_MAX`].
    Oversized,
}

/// A buffer that keeps only the first [`RUN_MAX`] characters of each run of base64.
#[derive(Debug, Default)]
pub(crate) struct Base64Filter {
    held: Vec<u8>,
    run: usize,
    is_over: bool,
}

impl Base64Filter {
    /// Appends bytes.
    pub(crate) fn push(&mut self, bytes: &[u8], max: usize) {
        if self.is_over {
            return;
        }
        for chunk in bytes.chunks(4096) {
            if chunk.iter().all(|byte| is_base64(*byte)) {
                let room = RUN_MAX.saturating_sub(self.run).min(chunk.len());
                self.held.extend_from_slice(chunk.get(..room).unwrap_or_default());
                self.run = self.run.saturating_add(chunk.len());
            } else {
                self.push_mixed(chunk);
            }
            if self.held.len() > max {
                self.is_over = true;
                self.held = Vec::new();
                return;
            }
        }
    }

    fn push_mixed(&mut self, chunk: &[u8]) {
        for byte in chunk {
            self.run = if is_base64(*byte) { self.run + 1 } else { 0 };
            if self.run <= RUN_MAX {
                self.held.push(*byte);
            }
        }
    }

    /// Returns the bytes; `None` when they exceeded the limit.
    pub(crate) fn held(&self) -> Option<&[u8]> {
        (!self.is_over).then_some(&self.held)
    }

    fn clear(&mut self) {
        self.held.clear();
        self.run = 0;
        self.is_over = false;
    }

    fn is_empty(&self) -> bool {
        self.held.is_empty() && !self.is_over
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Calls `visit` with every non-blank line in the byte range `from..to` and the offset after it. A last line without line end is visited
/// when `takes_tail` considers it complete. Returns the offset after the last visited line.
pub(crate) fn scan(
    file: &dyn DiskFile,
    from: u64,
    to: u64,
    takes_tail: &dyn Fn(&[u8]) -> bool,
    visit: &mut dyn FnMut(Line<'_>, u64),
) -> io::Result<u64> {
    let mut block = vec![0_u8; BLOCK_BYTES];
    let mut carry = Base64Filter::default();
    let (mut at, mut covered) = (from, from);
    while at < to {
        let want = BLOCK_BYTES.min(usize::try_from(to - at).unwrap_or(BLOCK_BYTES));
        let got = file.read_at(at, block.get_mut(..want).unwrap_or_default())?;
        if got == 0 {
            break;
        }
        let mut rest = block.get(..got).unwrap_or_default();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, behind) = rest.split_at(end);
            let behind = behind.get(1..).unwrap_or_default();
            covered = at + (got - behind.len()) as u64;
            if carry.is_empty() {
                give(Some(line), covered, visit);
            } else {
                carry.push(line, LINE_MAX);
                give(carry.held(), covered, visit);
                carry.clear();
            }
            rest = behind;
        }
        carry.push(rest, LINE_MAX);
        at += got as u64;
    }
    if let Some(tail) = carry
        .held()
        .filter(|tail| !clean(tail).is_empty() && takes_tail(clean(tail)))
    {
        covered = at;
        give(Some(tail), covered, visit);
    }
    Ok(covered)
}

fn give(line: Option<&[u8]>, behind: u64, visit: &mut dyn FnMut(Line<'_>, u64)) {
    match line.map(clean) {
        None => visit(Line::Oversized, behind),
        Some([]) => {}
        Some(line) => visit(Line::Whole(line), behind),
    }
}

/// Reads a whole file, long runs of base64 truncated; `None` when it is still longer than `max` bytes.
pub(crate) fn read_without_base64(file: &dyn DiskFile, len: u64, max: usize) -> io::Result<Option<Vec<u8>>> {
    let mut block = vec![0_u8; BLOCK_BYTES];
    let mut filter = Base64Filter::default();
    let mut at = 0;
    while at < len {
        let got = file.read_at(at, &mut block)?;
        if got == 0 {
            break;
        }
        filter.push(block.get(..got).unwrap_or_default(), max);
        at += got as u64;
        if filter.is_over {
            return Ok(None);
        }
    }
    Ok(Some(filter.held))
}
