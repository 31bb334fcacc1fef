//! Private keys as text: PEM, OpenSSH, PGP, PuTTY; complete, truncated, quoted, or on one line with `\n` between the parts.

use super::bytes::{count, has, rest};
use super::shape::Shape;
use std::ops::Range;

const LABEL_BYTES_MAX: usize = 64;
/// The maximum size of a key; the largest RSA and PGP keys in use are smaller.
const KEY_BYTES_MAX: usize = 32 * 1024;
const HEADERS_MAX: usize = 6;
const HEADER_BYTES_MAX: usize = 256;
/// The minimum length of a line of key material, except the last one.
const LINE_BYTES_MIN: usize = 24;

/// Finds the private key whose `-----BEGIN` (or `---- BEGIN`) is at `start`.
///
/// A key without an end line extends as far as its material. Without material nothing is found: a sentence about the header
/// is not a key.
pub(super) fn pem(text: &[u8], start: usize) -> Option<Range<usize>> {
    let label = start + count(text, start, 8, |b| matches!(b, b'-' | b' '));
    let len = count(text, label, LABEL_BYTES_MAX, |b| {
        b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' '
    });
    let dashes = dashes_at(text, label + len);
    if dashes < 4 || !has(text.get(label..label + len)?, "PRIVATE KEY") {
        return None;
    }
    let (end, material) = material(text, label + len + dashes);
    let closed = closing_line(text, end);
    (material > 0).then_some(start..closed.unwrap_or(end))
}

/// Finds the private part of a PuTTY key file; `start` is the position of `Private-Lines:`.
pub(super) fn putty(text: &[u8], start: usize) -> Option<Range<usize>> {
    let number = start + "Private-Lines:".len();
    let line = number + count(text, number, 6, |b| b.is_ascii_digit() || b == b' ');
    let (end, material) = material(text, line);
    let from = line + count(text, line, 4, |b| b.is_ascii_whitespace());
    (material > 0 && from < end).then_some(from..end)
}

/// Reads key material from `from` on; returns where it ends, and its length in bytes.
fn material(text: &[u8], from: usize) -> (usize, usize) {
    let limit = text.len().min(from + KEY_BYTES_MAX);
    let body = after_headers(text, from, limit);
    let (mut at, mut end, mut found) = (body, body, 0);
    loop {
        at = skip_separators(text, at, limit);
        let len = base64_len(text, at, limit);
        let token = text.get(at..at + len).unwrap_or_default();
        let is_header = text.get(at + len) == Some(&b':');
        if len == 0 || is_header || !is_material(token, found, closing_line(text, at + len).is_some()) {
            return (end, found);
        }
        found += len;
        at += len;
        end = at;
    }
}

/// Skips the headers `Proc-Type: 4,ENCRYPTED`, `DEK-Info: ...`, `Version: ...`.
fn after_headers(text: &[u8], from: usize, limit: usize) -> usize {
    let mut at = from;
    for _ in 0..HEADERS_MAX {
        let start = skip_separators(text, at, limit);
        let name = base64_len(text, start, limit);
        let line = line_end(text, start, limit);
        let has_colon = memchr::memchr(b':', text.get(start..line).unwrap_or_default()).is_some();
        if name == 0 || !matches!(text.get(start + name), Some(b':' | b'-')) || !has_colon {
            break;
        }
        at = line;
    }
    at
}

fn base64_len(text: &[u8], at: usize, limit: usize) -> usize {
    count(text, at, limit.saturating_sub(at), is_base64)
}

/// True if `token` is a line of a key, and not a word of the text after a truncated key.
fn is_material(token: &[u8], found: usize, closed: bool) -> bool {
    let shape = Shape::of(token);
    let is_cased = shape.upper > 0 && shape.lower > 0;
    let starts_key = [&b"MI"[..], b"b3Bl", b"lQ"].iter().any(|head| token.starts_with(head));
    let is_drawn = match token.len() {
        40.. => true,
        LINE_BYTES_MIN.. => !shape.is_written(),
        16.. => is_cased && !shape.is_written(),
        8.. => is_cased && shape.digit > 0 && !shape.is_written(),
        4.. => closed && !shape.is_written(),
        _ => false,
    };
    let is_padded = token.len() >= 4 && token.ends_with(b"=");
    is_drawn || is_padded || closed && found > 0 || starts_key && found == 0 && token.len() >= 8
}

/// Skips the signs that may separate two lines of a key: white space, escaped line ends, quotes, and the line prefixes of
/// source code, diffs, comments and quoted mail.
fn skip_separators(text: &[u8], mut at: usize, limit: usize) -> usize {
    while at < limit {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'`' | b',' | b'>' | b'#' | b'|' | b'+' | b';') => {
                at += 1
            }
            Some(b'-') if text.get(at + 1).is_some_and(|b| is_base64(*b)) => at += 1,
            Some(b'\\') if matches!(text.get(at + 1), Some(b'n' | b'r' | b't' | b'\\' | b'"' | b'\n')) => at += 2,
            _ => break,
        }
    }
    at
}

/// Returns the end of the END line, if it comes next.
fn closing_line(text: &[u8], at: usize) -> Option<usize> {
    let from = skip_separators(text, at, text.len().min(at + 64));
    let dashes = dashes_at(text, from);
    let label = from + dashes + count(text, from + dashes, 1, |b| b == b' ');
    let line = label + count(text, label, LABEL_BYTES_MAX, |b| b != b'-');
    let closing = dashes_at(text, line);
    (dashes >= 3 && closing >= 3 && rest(text, label).starts_with(b"END")).then_some(line + closing)
}

fn dashes_at(text: &[u8], at: usize) -> usize {
    count(text, at, 8, |b| b == b'-')
}

fn line_end(text: &[u8], at: usize, limit: usize) -> usize {
    let rest = text.get(at..limit.min(at + HEADER_BYTES_MAX)).unwrap_or_default();
    let escaped = memchr::memmem::find(rest, b"\\n").unwrap_or(rest.len());
    at + memchr::memchr(b'\n', rest).unwrap_or(rest.len()).min(escaped)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
