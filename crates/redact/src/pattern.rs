//! The pattern of a token with a recognisable prefix, and its matcher.
//!
//! A token is a fixed prefix followed by a few runs of a byte class. Runs are greedy and do not backtrack, so that a match
//! reads each byte once, and no automaton has to be compiled at startup.

use super::bytes::{count, count_back};
use super::shape::Shape;

/// A set of bytes: digits, lower-case and upper-case letters and single signs, as bits.
pub(super) type Class = u16;

const DIGIT: Class = 1;
const LOWER_HEX: Class = 1 << 1;
const LOWER_REST: Class = 1 << 2;
const UPPER_HEX: Class = 1 << 3;
const UPPER_REST: Class = 1 << 4;
const DASH: Class = 1 << 5;
const UNDERSCORE: Class = 1 << 6;
const DOT: Class = 1 << 7;
const PLUS_SLASH: Class = 1 << 8;
const EQUALS: Class = 1 << 9;
const PERCENT: Class = 1 << 10;
const TILDE: Class = 1 << 11;

/// `0-9`
pub(super) const NUM: Class = DIGIT;
/// `0-9 a-f`
pub(super) const HEX: Class = DIGIT | LOWER_HEX;
/// `a-z 0-9`
pub(super) const LOW: Class = HEX | LOWER_REST;
/// `A-Z 0-9`
pub(super) const UP: Class = DIGIT | UPPER_HEX | UPPER_REST;
/// `A-Z a-z 0-9`
pub(super) const ALNUM: Class = LOW | UP;
/// `A-Z a-z 0-9 _`
pub(super) const IDENT: Class = ALNUM | UNDERSCORE;
/// `A-Z a-z 0-9 _ -`: base64url
pub(super) const WORD: Class = IDENT | DASH;
/// base64url and dots
pub(super) const DOTTED: Class = WORD | DOT;
/// `A-Z a-z 0-9 -`
pub(super) const DASHED: Class = ALNUM | DASH;
/// `A-Z a-z 0-9 + /`
pub(super) const BASE64: Class = ALNUM | PLUS_SLASH;
/// `A-Z a-z 0-9 . /`: the alphabet of password hashes
pub(super) const CRYPT: Class = ALNUM | PLUS_SLASH | DOT;
/// base64 of both alphabets, with padding
pub(super) const BASE64_ANY: Class = WORD | PLUS_SLASH | EQUALS;
/// base64, URL-encoded
pub(super) const BASE64_URL_ENCODED: Class = BASE64_ANY | PERCENT;
/// base64 in the query of a signed URL, in which some providers write `~` for a sign
pub(super) const SIGNED: Class = BASE64_URL_ENCODED | TILDE;
/// the alphabet of bearer tokens (RFC 6750)
pub(super) const TOKEN68: Class = BASE64_ANY | DOT | TILDE;

const CLASS_OF: [Class; 256] = {
    let mut table = [0; 256];
    let mut rest: &mut [Class] = &mut table;
    let mut byte = 0_u8;
    while let [class, behind @ ..] = rest {
        *class = match byte {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' => LOWER_HEX,
            b'g'..=b'z' => LOWER_REST,
            b'A'..=b'F' => UPPER_HEX,
            b'G'..=b'Z' => UPPER_REST,
            b'-' => DASH,
            b'_' => UNDERSCORE,
            b'.' => DOT,
            b'+' | b'/' => PLUS_SLASH,
            b'=' => EQUALS,
            b'%' => PERCENT,
            b'~' => TILDE,
            _ => 0,
        };
        byte = byte.wrapping_add(1);
        rest = behind;
    }
    table
};

/// The length from which base64 before a prefix counts as a blob, not as a path.
const BLOB_BYTES_MIN: usize = 40;

/// How far a run is read before it is checked whether it looks like a token so far.
const FIRST_LOOK_BYTES: usize = 320;

/// One piece of a token after its prefix.
#[derive(Debug, Clone, Copy)]
pub(super) enum Piece {
    /// Exactly these bytes.
    Text(&'static str),
    /// Between a minimum and a maximum number of bytes of the class (greedy).
    Run(Class, usize, usize),
}

/// A token whose prefix is sufficient evidence.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: &'static str,
    pub(super) prefix: &'static str,
    pub(super) pieces: &'static [Piece],
    /// How much of the prefix stays readable, as in a URL whose last part is the secret.
    pub(super) kept: usize,
}

/// A token whose prefix is part of the secret.
pub(super) const fn token(kind: &'static str, prefix: &'static str, pieces: &'static [Piece]) -> Token {
    Token {
        kind,
        prefix,
        pieces,
        kept: 0,
    }
}

/// A secret after a prefix that stays readable.
pub(super) const fn after(kind: &'static str, prefix: &'static str, pieces: &'static [Piece]) -> Token {
    Token {
        kind,
        prefix,
        pieces,
        kept: prefix.len(),
    }
}

impl Token {
    /// Returns the end of the token that starts at `start`, if it matches completely.
    pub(super) fn end(&self, text: &[u8], start: usize) -> Option<usize> {
        let body = start + self.prefix.len();
        if text.get(start..body)? != self.prefix.as_bytes() || !is_left_edge(text, start) {
            return None;
        }
        let mut at = body;
        let mut last = 0;
        for piece in self.pieces {
            match *piece {
                Piece::Text(literal) => {
                    let next = at + literal.len();
                    if text.get(at..next)? != literal.as_bytes() {
                        return None;
                    }
                    at = next;
                }
                Piece::Run(class, min, max) => {
                    let taken = run_len(text, at, class, max.min(FIRST_LOOK_BYTES));
                    if taken < min || taken == FIRST_LOOK_BYTES && !is_drawn(text.get(body..at + taken)?) {
                        return None;
                    }
                    at += taken;
                    if taken == FIRST_LOOK_BYTES {
                        at += run_len(text, at, class, max.saturating_sub(taken));
                    }
                    last = class;
                }
            }
        }
        let end = trim_end(text, body, at);
        let is_whole = is_right_edge(text, at, last) && !is_inside_blob(text, start);
        (is_whole && is_drawn(text.get(body..end)?)).then_some(end)
    }
}

/// True if long base64 text precedes `start`: an encoded image contains every short prefix somewhere.
fn is_inside_blob(text: &[u8], start: usize) -> bool {
    run_len_back(text, start, BASE64, BLOB_BYTES_MIN) == BLOB_BYTES_MIN
}

/// Counts the bytes of the class from `at` on, at most `max`.
pub(super) fn run_len(text: &[u8], at: usize, class: Class, max: usize) -> usize {
    count(text, at, max, |b| is_of(b, class))
}

/// Counts the bytes of the class before `end`, at most `max`.
pub(super) fn run_len_back(text: &[u8], end: usize, class: Class, max: usize) -> usize {
    count_back(text, end, max, |b| is_of(b, class))
}

fn is_of(byte: u8, class: Class) -> bool {
    CLASS_OF.get(usize::from(byte)).is_some_and(|own| own & class != 0)
}

/// True if a token may start at `start`: no letter or digit precedes it, except as the end of an escape (`\n`, `%3D`,
/// `\u0022`, a terminal colour).
pub(super) fn is_left_edge(text: &[u8], start: usize) -> bool {
    let before = |n: usize| start.checked_sub(n).and_then(|i| text.get(i)).copied().unwrap_or(b' ');
    let last = before(1);
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    let escaped = before(2) == b'\\' && matches!(last, b'n' | b't' | b'r');
    let percent = before(3) == b'%' && before(2).is_ascii_hexdigit() && last.is_ascii_hexdigit();
    let unicode = before(6) == b'\\' && before(5) == b'u' && before(4) == b'0' && before(3) == b'0';
    let colour = last == b'm' && (before(2).is_ascii_digit() || before(2) == b'[') && {
        let parameters = (2..10).take_while(|n| matches!(before(*n), b'0'..=b'9' | b';')).count();
        before(2 + parameters) == b'['
    };
    escaped || percent || unicode || colour
}

/// True if a token may end before `at`, given the class of its last run.
pub(super) fn is_right_edge(text: &[u8], at: usize, class: Class) -> bool {
    text.get(at)
        .is_none_or(|b| !b.is_ascii_alphanumeric() && !is_of(*b, class & !(EQUALS | PERCENT | DOT)))
}

/// Excludes a full stop after a token, which belongs to the sentence around it.
fn trim_end(text: &[u8], from: usize, to: usize) -> usize {
    let body = text.get(from..to).unwrap_or_default();
    to - body.iter().rev().take_while(|b| **b == b'.').count()
}

/// True if the body of a token looks random: not a row of `x`, and not words, as in `sk-your-key-here`.
fn is_drawn(body: &[u8]) -> bool {
    let masked = body
        .iter()
        .filter(|b| matches!(b, b'x' | b'X' | b'*' | b'.' | b'-' | b'_'))
        .count();
    let shape = Shape::of(body);
    let written = shape.is_written() && shape.digit * 3 < shape.len;
    masked * 10 < body.len() * 8 && !written && !has_mask(body)
}

/// True if there are six `x` in a row, as in `ghp_ab12xxxxxxxxxx`.
fn has_mask(body: &[u8]) -> bool {
    body.windows(6)
        .any(|w| w.iter().all(|b| *b == b'x') || w.iter().all(|b| *b == b'X'))
}
