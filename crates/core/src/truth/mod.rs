//! What makes a memory out of date: what texts assert, and which of two that contradict each other holds now.
//! docs/truth.md has the rules in plain words. Nothing here reads a file or a clock.

mod aside;
mod change;
mod claims;
mod clauses;
mod evidence;
mod lexicon;
mod sentence;
mod token;

pub use claims::{Claim, Claims, Value, ValueKind};
pub use evidence::{Evidence, Newer, Rule};

use xxhash_rust::xxh3::xxh3_64;

use crate::text::TermHash;

/// Keeps these keys apart from the words of texts.
const FRAME_SALT: u64 = 0x66_72_61_6d_65_66_72_61;
const SUBJECT_SALT: u64 = 0x73_75_62_6a_65_63_74_73;
const VALUE_SALT: u64 = 0x76_61_6c_75_65_76_61_6c;
const WORDS_SALT: u64 = 0x77_6f_72_64_73_77_6f_72;
/// Texts with more words of content are not looked up by all of them.
const WORDS_MAX: usize = 24;

/// Adds the keys under which a record is found by those that may contradict it.
pub fn add_keys(claims: &Claims, words: &[TermHash], keys: &mut Vec<TermHash>) {
    keys.clear();
    for claim in &claims.list {
        keys.push(frame_key(claim));
        keys.extend((claim.subject.len() > 1).then(|| subject_key(claim)));
        let named = claim
            .values
            .iter()
            .filter(|value| !matches!(value.kind, ValueKind::State(_)));
        keys.extend(named.map(|value| value.text ^ VALUE_SALT));
    }
    keys.extend(words_key(words));
    keys.sort_unstable();
    keys.dedup();
}

/// Calls `visit` with the keys of the records that a new one may contradict.
pub fn each_wanted(claims: &Claims, words: &[TermHash], mut visit: impl FnMut(TermHash)) {
    for claim in &claims.list {
        if !claim.values.is_empty() || claim.subject.len() > 1 {
            visit(frame_key(claim));
        }
        claim.before.iter().for_each(|text| visit(text ^ VALUE_SALT));
        if !claim.before.is_empty() && claim.subject.len() > 1 {
            visit(subject_key(claim));
        }
    }
    if let Some(key) = words_key(words) {
        visit(key);
    }
}

/// The same for two statements that differ in nothing but values.
fn frame_key(claim: &Claim) -> TermHash {
    let mut bytes = Vec::with_capacity((claim.subject.len() + claim.values.len()) * 8);
    for word in &claim.subject {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for value in &claim.values {
        bytes.extend_from_slice(&[0xff, kind_number(value.kind)]);
    }
    xxh3_64(&bytes) ^ FRAME_SALT
}

/// The same for two statements about the same subject.
fn subject_key(claim: &Claim) -> TermHash {
    let bytes: Vec<u8> = claim.subject.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxh3_64(&bytes) ^ SUBJECT_SALT
}

fn kind_number(kind: ValueKind) -> u8 {
    match kind {
        ValueKind::Number(family) => 16 + family,
        ValueKind::State(family) => 64 + family,
        ValueKind::Version => 1,
        ValueKind::Day => 2,
        ValueKind::Time => 3,
        ValueKind::Path => 4,
        ValueKind::Url => 5,
        ValueKind::Flag => 6,
        ValueKind::Command => 7,
        ValueKind::Tool => 8,
        ValueKind::Owner => 9,
        ValueKind::Setting => 10,
        ValueKind::Predicate => 11,
    }
}

/// The same for texts with the same words of content, in whatever order.
fn words_key(words: &[TermHash]) -> Option<TermHash> {
    (3..=WORDS_MAX).contains(&words.len()).then(|| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        xxh3_64(&bytes) ^ WORDS_SALT
    })
}

#[cfg(test)]
mod tests;
