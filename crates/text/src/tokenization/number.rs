//! Numbers: versions, dates, times, ranges, and their units.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::lexeme::{Lexemes, Shape};
use crate::lexicon::pairs;

/// The words for units behind a number; an empty one for endings as in "3rd".
static SUFFIXES: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| pairs("suffix").collect());

/// Returns the end of a number, which may be a version, a date, a time, a range, or have a unit.
pub(super) fn number_end(body: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = body.get(at) {
        let next = body.get(at + 1).copied().unwrap_or(0);
        let joins = match byte {
            byte if byte.is_ascii_alphanumeric() => true,
            b'.' => next.is_ascii_digit() || matches!(next, b'x' | b'*'),
            b'*' => at > start && body.get(at - 1) == Some(&b'.'),
            b',' => is_group(body.get(at + 1..).unwrap_or_default()),
            b':' | b'/' | b'-' => next.is_ascii_digit(),
            _ => false,
        };
        if !joins {
            break;
        }
        at += 1;
    }
    at
}

/// Exactly three digits: the comma before them is a thousands separator.
fn is_group(digits: &[u8]) -> bool {
    let begins = digits
        .get(..3)
        .is_some_and(|group| group.iter().all(u8::is_ascii_digit));
    begins && !digits.get(3).is_some_and(u8::is_ascii_digit)
}

pub(super) fn take_number(number: &[u8], lexemes: &mut Lexemes) {
    let plain: Vec<u8> = number.iter().copied().filter(|byte| *byte != b',').collect();
    let digits = plain.iter().position(u8::is_ascii_alphabetic).unwrap_or(plain.len());
    let (digits, suffix) = plain.split_at(digits);
    let suffix = suffix.to_ascii_lowercase();
    match SUFFIXES.get(std::str::from_utf8(&suffix).unwrap_or_default()) {
        _ if suffix.is_empty() => lexemes.push(&plain, Shape::Exact),
        Some(unit) => {
            lexemes.push(digits, Shape::Exact);
            if !unit.is_empty() {
                lexemes.push(unit.as_bytes(), Shape::Word);
            }
        }
        None => lexemes.push(&plain, Shape::Exact),
    }
}
