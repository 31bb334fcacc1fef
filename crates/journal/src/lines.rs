//! Reads JSON Lines leniently: byte order marks, CRLF, blank lines, torn tails and oversized lines. It reads block by
//! block, with bounded memory.

use std::io;

use super::disk::DiskFile;

/// A longer line is not a record; it is skipped without being held in memory.
pub const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The size of a block: small enough to stay in the L2 cache while its lines are visited.
const BLOCK_BYTES: usize = 1 << 18;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// One complete line of a journal.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The offset of its first byte.
    pub offset: u64,
    /// Its bytes, without line end, `\r` or byte order mark.
    pub bytes: &'a [u8],
    /// Its length in the file, line end included.
    pub span: u64,
    /// True if it was too long to be read; `bytes` is empty then.
    pub oversized: bool,
}

/// Calls `visit` for every non-blank complete line in `from..to` and returns the offset after the last complete one.
/// Bytes after the last line end are a torn tail, which is left to the next scan.
///
/// # Errors
/// The errors of reading the file.
pub fn scan_lines(file: &dyn DiskFile, from: u64, to: u64, visit: &mut dyn FnMut(Line<'_>)) -> io::Result<u64> {
    let block_bytes = BLOCK_BYTES.min(usize::try_from(to.saturating_sub(from)).unwrap_or(BLOCK_BYTES));
    let mut block = vec![0_u8; block_bytes];
    let mut carry: Vec<u8> = Vec::new();
    let mut line_at = from;
    let mut skipping = false;
    let mut at = from;
    while at < to {
        let want = block.len().min(usize::try_from(to - at).unwrap_or(usize::MAX));
        let got = file.read_at(at, block.get_mut(..want).unwrap_or_default())?;
        if got == 0 {
            break;
        }
        let mut rest = block.get(..got).unwrap_or_default();
        while let Some((line, behind)) = split_line(rest) {
            let next_at = at + (got - behind.len()) as u64;
            let span = next_at - line_at;
            if skipping || carry.len() + line.len() > LINE_BYTES_MAX {
                visit(Line {
                    offset: line_at,
                    bytes: &[],
                    span,
                    oversized: true,
                });
                skipping = false;
            } else if carry.is_empty() {
                emit(line_at, line, span, visit);
            } else {
                carry.extend_from_slice(line);
                emit(line_at, &carry, span, visit);
            }
            carry.clear();
            line_at = next_at;
            rest = behind;
        }
        if skipping || carry.len() + rest.len() > LINE_BYTES_MAX {
            skipping = true;
            carry = Vec::new();
        } else {
            carry.extend_from_slice(rest);
        }
        at += got as u64;
    }
    Ok(line_at)
}

/// Returns the first line without its end, and the rest; `None` when there is no line end.
fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', bytes)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

fn emit(offset: u64, raw: &[u8], span: u64, visit: &mut dyn FnMut(Line<'_>)) {
    let bytes = clean(raw);
    if !bytes.is_empty() {
        visit(Line {
            offset,
            bytes,
            span,
            oversized: false,
        });
    }
}

/// Returns a line's bytes without byte order mark and surrounding white space. Concatenated files can have such
/// marks at the beginning of any line. An oversized line keeps all of its bytes: no reader treats it as a record.
pub fn clean(raw: &[u8]) -> &[u8] {
    let line = raw.strip_suffix(b"\n").unwrap_or(raw);
    if line.len() > LINE_BYTES_MAX {
        return line;
    }
    line.strip_prefix(BOM).unwrap_or(line).trim_ascii()
}

/// Iterates over all lines of a file in memory, including blank lines and a torn tail: the raw bytes with the line end, and the
/// [`clean`] bytes.
pub fn each_line(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let len = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let raw = rest.get(..len)?;
        let cleaned = clean(raw);
        at += len;
        Some((raw, cleaned))
    })
}

/// Splits lines into two halves at the first line end after the middle, for two threads. Fewer than `least` bytes are not
/// split.
pub fn halves(bytes: &[u8], least: usize) -> (&[u8], &[u8]) {
    let middle = bytes.len() / 2;
    let end = bytes
        .get(middle..)
        .filter(|_| bytes.len() >= least)
        .and_then(|rest| memchr::memchr(b'\n', rest));
    end.and_then(|end| bytes.split_at_checked(middle + end + 1))
        .unwrap_or((bytes, &[]))
}
