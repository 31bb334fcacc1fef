//! Reads JSON Lines leniently: byte order marks, CRLF, blank lines, torn tails and oversized lines. Reads in blocks, with bounded
//! memory.

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
    /// True when it was too long to be held; `bytes` is empty then.
    pub oversized: bool,
}

/// Calls `visit` for every non-blank complete line in `from..to` and returns the offset behind the last complete one.
/// Bytes behind the last line end are a torn tail and stay for the next scan.
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

/// Parts lines in two at the first line end behind the middle, for two threads; fewer than `least` bytes stay together.
pub fn halves(bytes: &[u8], least: usize) -> (&[u8], &[u8]) {
    let middle = bytes.len() / 2;
    let end = bytes
        .get(middle..)
        .filter(|_| bytes.len() >= least)
        .and_then(|rest| memchr::memchr(b'\n', rest));
    end.and_then(|end| bytes.split_at_checked(middle + end + 1))
        .unwrap_or((bytes, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileState;

    #[derive(Debug)]
    struct Bytes(Vec<u8>);

    impl DiskFile for Bytes {
        fn append(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            let rest = self.0.get(offset as usize..).unwrap_or(&[]);
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }
        fn sync(&self) -> io::Result<()> {
            Ok(())
        }
        fn state(&self) -> io::Result<FileState> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    fn lines(bytes: &[u8]) -> (Vec<(u64, String)>, u64) {
        let mut found = Vec::new();
        let end = scan_lines(&Bytes(bytes.to_vec()), 0, bytes.len() as u64, &mut |line| {
            let text = if line.oversized {
                "<oversized>".into()
            } else {
                String::from_utf8_lossy(line.bytes).into()
            };
            found.push((line.offset, text));
        })
        .unwrap();
        (found, end)
    }

    #[test]
    fn bom_crlf_and_blank_lines_are_no_part_of_a_record() {
        let (found, end) = lines(b"\xef\xbb\xbf{\"a\":1}\r\n\r\n\n  \n{\"b\":2}\n");
        assert_eq!(found, [(0, "{\"a\":1}".to_string()), (18, "{\"b\":2}".to_string())]);
        assert_eq!(end, 26);
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_a_line() {
        let text = b"{\"a\":1}\n\xef\xbb\xbf{\"b\":2}\n";
        let (found, _) = lines(text);
        assert_eq!(found[1], (8, "{\"b\":2}".to_string()));
        assert_eq!(each_line(text).nth(1).map(|line| line.1), Some(&b"{\"b\":2}"[..]));
    }

    #[test]
    fn a_torn_tail_stays_for_the_next_scan() {
        let (found, end) = lines(b"one\ntwo");
        assert_eq!(found, [(0, "one".to_string())]);
        assert_eq!(end, 4);
    }

    #[test]
    fn lines_across_block_borders_are_whole() {
        let long = "x".repeat(BLOCK_BYTES - 3);
        let text = format!("{long}\nabcdef\n{long}\n");
        let (found, end) = lines(text.as_bytes());
        assert_eq!(
            found.iter().map(|l| l.1.len()).collect::<Vec<_>>(),
            [long.len(), 6, long.len()]
        );
        assert_eq!(end, text.len() as u64);
    }

    #[test]
    fn a_line_without_end_is_passed_over_and_its_neighbours_are_found() {
        let text = format!("a\n{}\nb\n", "y".repeat(LINE_BYTES_MAX + 5));
        let (found, _) = lines(text.as_bytes());
        let short = |text: &str| text.chars().take(12).collect::<String>();
        assert_eq!(
            found.iter().map(|l| short(&l.1)).collect::<Vec<_>>(),
            ["a", "<oversized>", "b"]
        );
    }
}
