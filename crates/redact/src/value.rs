//! The end of a value: its closing quote, or a character that cannot be part of it.

use super::bytes::{count, count_back, rest};
use std::ops::Range;

/// A value and how it is written.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) range: Range<usize>,
    pub(super) is_quoted: bool,
}

/// How far the closing quote of a value is searched.
const QUOTED_BYTES_MAX: usize = 4096;
/// How far an unquoted value is measured. Once it is known to be a secret, it extends to its real end.
const MEASURED_BYTES_MAX: usize = 256;

const QUOTES: [(&str, &str); 8] = [
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("„", "“"),
    ("‘", "’"),
    ("«", "»"),
    ("「", "」"),
];

/// Reads a quoted value at `at`. Its quotes may be escaped, as in JSON inside JSON. A value contains no white space.
pub(super) fn quoted(text: &[u8], at: usize) -> Option<Value> {
    let escapes = count(text, at, 8, |b| b == b'\\');
    let open = rest(text, at + escapes);
    let (opening, closing) = QUOTES
        .iter()
        .find(|(opening, _)| open.starts_with(opening.as_bytes()))?;
    // three quotes in a row open a block in Python and TOML
    let is_block = escapes == 0 && (open.starts_with(b"\"\"\"") || open.starts_with(b"'''"));
    let from = at + escapes + if is_block { 3 } else { opening.len() };
    match end_of_quoted(rest(text, from), closing.as_bytes(), escapes > 0) {
        End::Closed(len) => {
            let tail = count_back(text, from + len, escapes.min(len), |b| b == b'\\');
            Some(Value {
                range: from..from + len - tail,
                is_quoted: true,
            })
        }
        End::Open => None,
        End::TooFar => unquoted(text, from, b""),
    }
}

enum End {
    /// The closing quote is at this position.
    Closed(usize),
    /// White space or the end of the text comes first.
    Open,
    /// Neither comes within the limit.
    TooFar,
}

fn end_of_quoted(body: &[u8], closing: &[u8], is_escaped: bool) -> End {
    let mut i = 0;
    let end = loop {
        match body.get(i) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r') => break End::Open,
            Some(_) if i >= QUOTED_BYTES_MAX => break End::TooFar,
            Some(_) if rest(body, i).starts_with(closing) => break End::Closed(i),
            // an escaped quote inside a plainly quoted value does not close it
            Some(b'\\') if !is_escaped => i += 2,
            Some(_) => i += 1,
        }
    };
    super::work::add(i + 1);
    end
}

/// Reads an unquoted value at `at`, up to white space, a quote, a bracket, or one of `stops`.
pub(super) fn unquoted(text: &[u8], at: usize, stops: &[u8]) -> Option<Value> {
    let follows = rest(text, at);
    let len = plain_len(measured(follows), stops);
    let trailing = count_back(text, at + len, len, |b| matches!(b, b'.' | b',' | b':' | b';' | b'?'));
    (len > trailing).then(|| Value {
        range: at..at + len - trailing,
        is_quoted: false,
    })
}

/// Extends a value that was measured in part to its real end.
pub(super) fn whole(text: &[u8], value: &Value) -> Range<usize> {
    let (start, measured) = (value.range.start, value.range.len());
    if value.is_quoted || measured < MEASURED_BYTES_MAX - 4 {
        return value.range.clone();
    }
    start..start + plain_len(rest(text, start), b",;)]}&").max(measured)
}

/// Reads the content of an XML element up to the next tag.
pub(super) fn within_element(text: &[u8], at: usize) -> Option<Value> {
    let len = count(text, at, QUOTED_BYTES_MAX, |b| b != b'<' && !b.is_ascii_whitespace());
    let is_closed = len > 0 && text.get(at + len) == Some(&b'<');
    is_closed.then(|| Value {
        range: at..at + len,
        is_quoted: true,
    })
}

/// Returns the prefix that is measured, cut between characters.
fn measured(text: &[u8]) -> &[u8] {
    let mut end = MEASURED_BYTES_MAX;
    while text.get(end).is_some_and(|b| matches!(b, 0x80..=0xbf)) {
        end += 1;
    }
    text.get(..end).unwrap_or(text)
}

/// Returns the length of the non-ASCII letter at `at` when it continues a value that began with one.
fn foreign_letter_len(text: &[u8], at: usize) -> Option<usize> {
    let character = rest(text, at).get(..4).unwrap_or(rest(text, at));
    let valid = match std::str::from_utf8(character) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(character.get(..error.valid_up_to())?).ok()?,
    };
    valid.chars().next().filter(|c| c.is_alphabetic()).map(char::len_utf8)
}

fn plain_len(text: &[u8], stops: &[u8]) -> usize {
    let is_foreign = text.first().is_some_and(|b| *b >= 0x80);
    let mut i = 0;
    while let Some(&byte) = text.get(i) {
        let ends = byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'\\' | 0x7f);
        if ends || stops.contains(&byte) || byte == b'&' && starts_other(text, i + 1) {
            break;
        }
        // Latin, Greek and Cyrillic letters may be part of a password; other scripts and typographic signs end it
        match byte {
            0xc3..=0xd4 if text.get(i + 1).is_some_and(|b| *b >= 0x80) => i += 2,
            0x80.. => match foreign_letter_len(text, i).filter(|_| is_foreign) {
                Some(len) => i += len,
                None => break,
            },
            _ => i += 1,
        }
    }
    super::work::add(i + 1);
    i
}

/// True if a further parameter (`&state=...`) or a character entity (`&quot;`) begins at an `&`.
fn starts_other(text: &[u8], at: usize) -> bool {
    let len = count(text, at, 48, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'#')
    });
    let next = text.get(at + len);
    len > 0 && (next == Some(&b'=') || len <= 6 && next == Some(&b';'))
}
