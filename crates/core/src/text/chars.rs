//! Character classes for tokenization.

use unicode_normalization::char::is_combining_mark;

/// The class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter, digit, mark or underscore.
    Word,
    /// A letter of a script that is written without spaces between words.
    Spaceless,
    /// Everything else.
    Other,
}

pub(super) fn class_of(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() || c == '_' {
            Class::Word
        } else {
            Class::Other
        };
    }
    if is_spaceless(c) {
        Class::Spaceless
    } else if c.is_alphanumeric() || is_combining_mark(c) {
        Class::Word
    } else {
        Class::Other
    }
}

/// Tells whether a character belongs to Han, Kana, Hangul, Thai, Lao, Khmer or Myanmar. (Korean has spaces, but its endings
/// are matched better by pairs of syllables.)
fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0E4E | 0x0E81..=0x0ECF | 0x1000..=0x109F | 0x1780..=0x17D3
        | 0x3005..=0x3007 | 0x3041..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF66..=0xFF9D | 0x2_0000..=0x3_FFFF)
        && (c.is_alphanumeric() || is_combining_mark(c))
}
