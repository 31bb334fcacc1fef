//! Texts: cutting them, making one line of them, and the details that a note shows beside its text.

use forge_memory_core::clock::{Millis, parse_iso};
pub(crate) use forge_memory_core::text::lines::{clean_line as as_line, head, one_line, tail};
use regex_lite::Regex;

/// Declares a pattern of this crate, compiled when it is first used.
macro_rules! pattern {
    ($(#[$meta:meta])* $name:ident, $text:expr) => {
        $(#[$meta])*
        fn $name() -> &'static regex_lite::Regex {
            static PATTERN: std::sync::OnceLock<regex_lite::Regex> = std::sync::OnceLock::new();
            PATTERN.get_or_init(|| $crate::lines::compile($text))
        }
    };
}
pub(crate) use pattern;

#[expect(
    clippy::expect_used,
    reason = "the patterns are written here, and every test uses them"
)]
pub(crate) fn compile(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

/// Shortens a text to so many characters, the last three of which say that it was.
pub(crate) fn shorten(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let kept: String = text.chars().take(length - 3).collect();
    kept + "..."
}

/// Returns the short form of an id, which commands and tools accept: ids of ours end in random digits.
pub(crate) fn short_id(id: &str) -> &str {
    let digits = id.strip_prefix("mem_").filter(|digits| digits.len() == 32);
    let is_own = digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
    if is_own { tail(id, 8) } else { id }
}

const HOUR: Millis = 3_600_000;
const AGES: [(&str, Millis); 5] = [
    ("y", 365 * 24 * HOUR),
    ("mo", 30 * 24 * HOUR),
    ("w", 7 * 24 * HOUR),
    ("d", 24 * HOUR),
    ("h", HOUR),
];

/// Formats the age of an instant in its largest unit: `5h`, `3d`, `2mo`. Empty when the instant is not known.
pub(crate) fn age_of(instant: &str, now: Millis) -> String {
    let Some(at) = parse_iso(instant) else {
        return String::new();
    };
    let age = now - at;
    match AGES.iter().find(|(_, size)| age >= *size) {
        Some((unit, size)) => format!("{}{unit}", age / size),
        None => "new".to_owned(),
    }
}
