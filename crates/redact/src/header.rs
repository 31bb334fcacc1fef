//! Credentials in HTTP headers, announced by the authentication scheme. The header's name and scheme stay.

use super::base64::is_encoded_login;
use super::bytes::{any_at, count, has, head};
use super::pattern::{TOKEN68, is_left_edge, run_len};
use super::shape::Shape;
use super::{placeholder, verdict};
use std::ops::Range;

const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// Finds the token after the `Bearer` at `start`.
pub(super) fn bearer(text: &[u8], start: usize) -> Option<Range<usize>> {
    let range = credentials(text, start, "bearer".len())?;
    let value = text.get(range.clone())?;
    let next = text.get(range.end).copied().unwrap_or(b' ');
    let is_code = matches!(next, b'(' | b'[' | b'{' | b'$' | b'<' | b'>' | b'*');
    (!is_code && verdict::is_opaque(value, 8)).then_some(range)
}

/// Finds the encoded login after the `Basic` at `start`. After the ordinary word "basic", nothing decodes to a login.
pub(super) fn basic(text: &[u8], start: usize) -> Option<Range<usize>> {
    let range = credentials(text, start, "basic".len())?;
    is_encoded_login(text.get(range.clone())?).then_some(range)
}

fn credentials(text: &[u8], start: usize, scheme_len: usize) -> Option<Range<usize>> {
    let after = start + scheme_len;
    let gap = gap_len(text, after);
    if gap == 0 || !is_left_edge(text, start) {
        return None;
    }
    let from = after + gap;
    let end = from + run_len(text, from, TOKEN68, TOKEN_BYTES_MAX);
    let dots = text.get(from..end)?.iter().rev().take_while(|b| **b == b'.').count();
    (end - dots > from).then_some(from..end - dots)
}

/// Returns the length of the gap between a scheme and its token: white space, encoded or not, a colon, quotes.
fn gap_len(text: &[u8], at: usize) -> usize {
    match any_at(text, at, &["%20"]) {
        Some(blank) => blank.len(),
        None => count(text, at, 4, |b| {
            matches!(b, b' ' | b'\t' | b':' | b'=' | b'"' | b'\'' | b'`' | b'+')
        }),
    }
}

/// Finds the values of a `Cookie:` or `Set-Cookie:` header, or of the option of curl, that identify a session; `end` is the end of its name.
/// Returns them and the end of the header.
pub(super) fn cookies(text: &[u8], end: usize) -> (Vec<Range<usize>>, usize) {
    let mut found = Vec::new();
    let Some(from) = header_value(text, end).or_else(|| option_value(text, end)) else {
        return (found, end);
    };
    let len = count(text, from, TOKEN_BYTES_MAX, |b| {
        !matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`')
    });
    // Behind the option comes the address.
    let is_option = header_value(text, end).is_none();
    let len = if is_option {
        count(text, from, len, |b| b != b' ')
    } else {
        len
    };
    let line = text.get(from..from + len).unwrap_or_default();
    let mut at = from;
    for pair in line.split(|b| *b == b';') {
        if let Some(equals) = memchr::memchr(b'=', pair) {
            let value = pair.get(equals + 1..).unwrap_or_default().trim_ascii_end();
            let shape = Shape::of(value);
            let is_mixed = value.len() >= 8 && shape.digit > 0 && shape.letters() > 0;
            let is_named = is_mixed && !placeholder::is_stand_in(value, &shape) && names_session(pair.get(..equals));
            let is_session = is_named || shape.is_random() || value.len() >= 24 && super::shape::is_hex(value);
            if is_session && !placeholder::is_syntactic(value) && !value.contains(&b' ') {
                let start = at + equals + 1;
                found.push(start..start + value.len());
            }
        }
        at += pair.len() + 1;
    }
    (found, from + line.len())
}

/// Words in the names of cookies that identify a session, in lower case.
const SESSIONS: [&str; 7] = ["sess", "sid", "auth", "token", "jwt", "login", "remember"];

fn names_session(name: Option<&[u8]>) -> bool {
    let name = name.unwrap_or_default().trim_ascii().to_ascii_lowercase();
    SESSIONS.iter().any(|word| has(&name, word))
}

/// `--cookie VALUE`, and `-b VALUE` of curl.
fn option_value(text: &[u8], end: usize) -> Option<usize> {
    let head = head(text, end, 160);
    let line = head.rsplit(|b| matches!(b, b'\n' | b'|')).next()?;
    let is_option = line.ends_with(b"--cookie") || line.ends_with(b" -b") && has(line, "curl");
    let gap = count(text, end, 2, |b| matches!(b, b' ' | b'=' | b'"' | b'\''));
    (is_option && gap > 0).then_some(end + gap)
}

fn header_value(text: &[u8], end: usize) -> Option<usize> {
    let is_quote = |b| matches!(b, b'"' | b'\'' | b'\\');
    let colon = end + count(text, end, 4, is_quote);
    let gap = count(text, colon + 1, 4, |b| b == b' ' || is_quote(b));
    (text.get(colon) == Some(&b':')).then_some(colon + 1 + gap)
}
