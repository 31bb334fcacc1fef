//! Keys of words and values, the same for all their spellings.

use xxhash_rust::xxh3::xxh3_64;

use super::token::{Shape, Token};

pub(super) fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// The [`Phrase::key`] of a content word.
pub(super) fn key_of(token: &Token<'_>) -> u64 {
    match token.shape {
        Shape::Word => token.root,
        _ => name_key(token.lower),
    }
}

pub(super) fn time_key(lower: &str, is_late: bool) -> u64 {
    let plain = lower.trim_end_matches(['a', 'p', 'm']).trim_start_matches('0');
    let hour = plain.split(':').next().and_then(|hour| hour.parse::<u32>().ok());
    match hour.filter(|hour| is_late && *hour < 12) {
        Some(hour) => hash(&plain.replacen(&hour.to_string(), &(hour + 12).to_string(), 1)),
        None => hash(plain),
    }
}

pub(super) fn name_key(lower: &str) -> u64 {
    let plain = lower
        .trim_start_matches("./")
        .trim_end_matches("()")
        .trim_end_matches('(');
    // "fix/" is not a word.
    let is_one = plain.find('/').is_some_and(|at| at + 1 == plain.len());
    hash(if is_one { plain } else { plain.trim_end_matches('/') })
}

pub(super) fn version_key(lower: &str) -> u64 {
    let plain = lower.trim_start_matches(['v', '~', '^', '>', '<', '=', ' ']);
    let plain = plain.trim_end_matches(".x").trim_end_matches(['+', '*', '.']);
    plain.parse::<f64>().map_or_else(|_| hash(plain), f64::to_bits)
}
