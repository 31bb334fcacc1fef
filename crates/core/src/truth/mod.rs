//! Contradiction detection: extracts what texts assert, and decides whether a newer text contradicts an older one and which one is current.
//! docs/truth.md explains the rules. This module reads neither files nor the clock.

mod agent;
mod aside;
mod change;
mod claim;
mod claims;
mod clause;
mod comparison;
mod entry;
mod evidence;
mod extent;
mod frequency;
mod handover;
mod keys;
mod languages;
mod lexicon;
mod likelihood;
mod named_change;
mod naming;
mod opening;
mod outline;
mod outline_words;
mod phrase;
mod phrases;
mod roles;
mod rule;
mod runs;
mod segmentation;
mod sentence;
mod token;
mod topic;
mod weak_evidence;
mod words;

pub use claim::{Claim, Value, ValueKind};
pub use claims::Claims;
pub use evidence::{Evidence, Newer};
pub use frequency::Frequency;
pub use likelihood::score_of_change;
pub use rule::Rule;
pub use segmentation::STATEMENT_BYTES_MAX;
pub use topic::{Reason, Topic, each_topic};

use xxhash_rust::xxh3::xxh3_64;

use crate::text::TermHash;

/// Distinguishes these keys from index terms of texts.
const FRAME_SALT: u64 = 0x66_72_61_6d_65_66_72_61;
const SUBJECT_SALT: u64 = 0x73_75_62_6a_65_63_74_73;
const VALUE_SALT: u64 = 0x76_61_6c_75_65_76_61_6c;
const WORDS_SALT: u64 = 0x77_6f_72_64_73_77_6f_72;
const SHORT_SALT: u64 = 0x73_68_6f_72_74_73_68_6f;
/// A text with at most this many words is found by a single one of them.
const SHORT_MAX: usize = 4;
const TOPIC_SALT: u64 = 0x74_6f_70_69_63_74_6f_70;
/// The maximum number of words of a text that are looked up.
pub(in crate::truth) const TOPICS_MAX: usize = 24;
/// Of texts with more content words, not all words are looked up.
const WORDS_MAX: usize = 24;

/// Replaces `keys` by the keys under which a record is indexed for records that may contradict it.
pub fn take_keys(claims: &Claims, words: &[TermHash], keys: &mut Vec<TermHash>) {
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

/// Replaces `keys` by the keys under which a record is indexed for records that share words with it.
pub fn take_topic_keys(claims: &Claims, keys: &mut Vec<TermHash>) {
    keys.clear();
    let is_short = claims.words.len() <= SHORT_MAX;
    let salt = if is_short { SHORT_SALT } else { TOPIC_SALT };
    keys.extend(claims.topics.iter().map(|word| word ^ salt));
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

/// The same key for two statements that differ only in values.
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

/// The same key for two statements about the same subject.
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

/// The same key for texts with the same content words in any order.
fn words_key(words: &[TermHash]) -> Option<TermHash> {
    (3..=WORDS_MAX).contains(&words.len()).then(|| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        xxh3_64(&bytes) ^ WORDS_SALT
    })
}

#[cfg(test)]
mod tests;
