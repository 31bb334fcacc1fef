//! Tells values that people write from random ones.
//!
//! The measure is *surprise*: the share of adjacent pairs of letters and digits that are rare in words, identifiers and
//! file names. It is near 0.7 for random base-62 text, near 0.6 for hex, and below 0.15 for prose and identifiers, so that
//! one threshold in between needs no dictionary and no list of words (a bigram model reduced to one bit per pair).

/// For each first letter, the second letters that follow it in ordinary words: 262 pairs, which make up 97 % of running
/// technical English and little more than a third of uniformly random pairs.
const COMMON_PAIRS: [u32; 26] = [
    letters(b"bcdfgiklmnprstuvy"),
    letters(b"adeilorsuy"),
    letters(b"acehikloprstuy"),
    letters(b"abdeilorsu"),
    letters(b"acdefglmnpqrstvwxy"),
    letters(b"aefilortu"),
    letters(b"aehiorsu"),
    letters(b"aeiortu"),
    letters(b"abcdefglmnoprstvxz"),
    letters(b"es"),
    letters(b"eis"),
    letters(b"adefilostuy"),
    letters(b"abcdeimopsu"),
    letters(b"acdefgiklnostuv"),
    letters(b"abcdfgiklmnoprstuvw"),
    letters(b"adehiloprstuy"),
    letters(b"u"),
    letters(b"acdegikmnorstuvy"),
    letters(b"acehiklopstuy"),
    letters(b"acehiloprstuy"),
    letters(b"abcdegilmnprst"),
    letters(b"aei"),
    letters(b"aehinors"),
    letters(b"eipt"),
    letters(b"npst"),
    letters(b"e"),
];

/// Only this prefix of a value is measured, which is enough to decide and bounds the work per trigger.
pub(super) const MEASURED_BYTES_MAX: usize = 256;

/// The surprise from which a run of letters and digits counts as random.
const RANDOM_SURPRISE: f32 = 0.34;

/// The surprise up to which a text counts as words, identifiers or a path.
const WRITTEN_SURPRISE: f32 = 0.22;

/// The maximum length of a word or part of an identifier.
const WORD_BYTES_MAX: usize = 24;

/// Statistics of the first [`MEASURED_BYTES_MAX`] bytes of a value.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Shape {
    pub(super) len: usize,
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digit: usize,
    /// `! @ # $ % ^ & * ? ~`: signs that occur in passwords, but not in identifiers, paths and versions.
    pub(super) strong_sign: usize,
    pub(super) other: usize,
    pub(super) distinct: u32,
    /// The length of the longest run of letters and digits.
    pub(super) longest_run: usize,
    pairs: usize,
    surprise: f32,
}

impl Shape {
    pub(super) fn of(value: &[u8]) -> Self {
        let head = value.get(..MEASURED_BYTES_MAX).unwrap_or(value);
        super::work::add(head.len());
        let mut shape = Shape {
            len: value.len(),
            ..Shape::default()
        };
        let (mut seen, mut run, mut before) = (0u128, 0usize, b' ');
        for &byte in head {
            match byte {
                b'a'..=b'z' => shape.lower += 1,
                b'A'..=b'Z' => shape.upper += 1,
                b'0'..=b'9' => shape.digit += 1,
                b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'~' => shape.strong_sign += 1,
                _ => shape.other += 1,
            }
            seen |= 1u128 << (byte & 0x7f);
            run = if byte.is_ascii_alphanumeric() { run + 1 } else { 0 };
            shape.longest_run = shape.longest_run.max(run);
            if run > 1 {
                shape.pairs += 1;
                shape.surprise += pair_surprise(before, byte);
            }
            before = byte;
        }
        shape.distinct = seen.count_ones();
        shape
    }

    pub(super) fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// The share of surprising pairs, in 0..=1; 0 for a value without pairs.
    pub(super) fn surprise(&self) -> f32 {
        if self.pairs == 0 {
            0.0
        } else {
            self.surprise / self.pairs as f32
        }
    }

    /// True if the value is random with near certainty: long, varied, and unlike words.
    pub(super) fn is_random(&self) -> bool {
        let mixed = self.digit > 0 || (self.lower > 0 && self.upper > 0) || self.surprise() >= 0.5;
        self.len >= 16 && self.distinct >= 8 && self.longest_run >= 8 && mixed && self.surprise() >= RANDOM_SURPRISE
    }

    /// True if the value reads like words, an identifier or a path.
    pub(super) fn is_written(&self) -> bool {
        self.longest_run <= WORD_BYTES_MAX && self.surprise() < WRITTEN_SURPRISE
    }
}

const fn letters(of: &[u8]) -> u32 {
    let (mut mask, mut rest) = (0, of);
    while let [letter, behind @ ..] = rest {
        mask |= 1 << (*letter - b'a');
        rest = behind;
    }
    mask
}

/// Returns how surprising `b` is after `a`, in 0..=1; both are ASCII letters or digits.
fn pair_surprise(a: u8, b: u8) -> f32 {
    match (a.is_ascii_digit(), b.is_ascii_digit()) {
        (true, true) => 0.0,
        (true, false) | (false, true) => 1.0,
        // Camel case has one such pair per word; random text has it in every fourth pair.
        (false, false) if a.is_ascii_lowercase() && b.is_ascii_uppercase() => 0.5,
        (false, false) => {
            let (a, b) = ((a | 0x20) - b'a', (b | 0x20) - b'a');
            let common = COMMON_PAIRS.get(usize::from(a)).is_some_and(|row| row >> b & 1 == 1);
            if common { 0.0 } else { 1.0 }
        }
    }
}

/// True if `value` consists of hex digits of one case.
pub(super) fn is_hex(value: &[u8]) -> bool {
    let lower = value.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let upper = || value.iter().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F'));
    !value.is_empty() && (lower || upper())
}

/// True if `value` is a UUID in its usual text form.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// True if every part between `- _ . / : ,` is a word, a number, or a word with a short number at one end, like names
/// that people choose: `db-password-2`, `prod/eu-west-1/api`, `v1.2.3-beta.4`, `my_app_v2`.
pub(super) fn is_name(value: &[u8]) -> bool {
    let mut parts = value.split(|b| matches!(b, b'-' | b'_' | b'.' | b'/' | b':' | b',' | b'\\' | b'+' | b'='));
    parts.all(|part| {
        let head = part.iter().take_while(|b| b.is_ascii_digit()).count();
        let rest = part.get(head..).unwrap_or_default();
        let tail = rest.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let word = rest.get(..rest.len() - tail).unwrap_or_default();
        let is_word = word.iter().all(u8::is_ascii_alphabetic) && (word.len() <= 3 || Shape::of(word).is_written());
        is_word && (head + tail <= 4 || word.is_empty() && part.len() <= 10)
    })
}
