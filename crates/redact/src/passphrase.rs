//! Passphrases of several words: "passphrase of the key is correct horse battery", `password: "correct horse battery staple"`. Nothing but the
//! words tells them from a sentence about a password, so none of them may be one that sentences and labels are made of.

use std::ops::Range;

use super::bytes::{any_at, before, count, skip_blanks};
use super::key::{Class, Key};

const WORDS_MIN: usize = 3;
const WORDS_MAX: usize = 10;
const WORD_BYTES: std::ops::RangeInclusive<usize> = 3..=10;
/// How many words may be between the name and the verb: "of the key".
const BETWEEN_MAX: usize = 6;

/// Finds the words that follow a name of a passphrase in a sentence, or in quotes behind a name of a password.
pub(super) fn after(text: &[u8], key: &Key) -> Option<Range<usize>> {
    if key.class != Class::Password {
        return None;
    }
    let name = text.get(key.range.clone())?.to_ascii_lowercase();
    let closed = key.range.end + count(text, key.range.end, 1, |b| matches!(b, b'"' | b'\''));
    let at = skip_blanks(text, closed);
    if matches!(text.get(at), Some(b':' | b'=')) {
        let from = skip_blanks(text, at + 1);
        return quoted(text, from).or_else(|| name.ends_with(b"passphrase").then(|| told(text, from))?);
    }
    name.ends_with(b"passphrase")
        .then(|| told(text, verb_end(text, key.range.end)?))?
}

/// Returns where the value begins behind "is" or "was".
fn verb_end(text: &[u8], end: usize) -> Option<usize> {
    let mut at = end;
    for _ in 0..=BETWEEN_MAX {
        let from = skip_blanks(text, at);
        let verb = any_at(text, from, &["is: ", "is ", "was ", "= "]).filter(|_| from > at);
        if let Some(verb) = verb {
            return Some(skip_blanks(text, from + verb.len()));
        }
        let len = count(text, from, 24, |b| {
            b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'\'')
        });
        if len == 0 {
            return None;
        }
        at = from + len;
    }
    None
}

fn quoted(text: &[u8], from: usize) -> Option<Range<usize>> {
    let quote = *text.get(from).filter(|b| matches!(b, b'"' | b'\''))?;
    let end = words_end(text, from + 1)?;
    (text.get(end) == Some(&quote)).then_some(from + 1..end)
}

fn told(text: &[u8], from: usize) -> Option<Range<usize>> {
    let from = from + count(text, from, 1, |b| matches!(b, b'"' | b'\'' | b'`'));
    let end = words_end(text, from)?;
    let is_end = match text.get(end) {
        None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'`' | b')' | b';') => true,
        Some(b'.' | b',' | b'!') => text.get(end + 1).is_none_or(u8::is_ascii_whitespace),
        _ => false,
    };
    is_end.then_some(from..end)
}

/// Returns the end of the words at `from`, when they may be a passphrase.
fn words_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for number in 1..=WORDS_MAX {
        let len = count(text, at, WORD_BYTES.end() + 1, |b| b.is_ascii_lowercase());
        let word = text.get(at..at + len)?;
        if !WORD_BYTES.contains(&len) || is_of_sentence(word) {
            return None;
        }
        at += len;
        let is_more = text.get(at) == Some(&b' ') && text.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        if !is_more {
            return (number >= WORDS_MIN && before(text, from) != b'-').then_some(at);
        }
        at += 1;
    }
    None
}

/// True if a word is more likely one of a sentence or a label than one that was drawn.
fn is_of_sentence(word: &[u8]) -> bool {
    let ends = [&b"ed"[..], b"ing", b"ly", b"word", b"phrase", b"tion", b"ble"];
    ends.iter().any(|end| word.ends_with(end)) || SENTENCE.iter().any(|known| known.as_bytes() == word)
}

const SENTENCE: &[&str] = &[
    "the",
    "and",
    "for",
    "not",
    "are",
    "was",
    "has",
    "had",
    "have",
    "been",
    "will",
    "would",
    "can",
    "could",
    "may",
    "might",
    "must",
    "shall",
    "should",
    "our",
    "your",
    "their",
    "his",
    "her",
    "its",
    "this",
    "that",
    "these",
    "those",
    "with",
    "from",
    "into",
    "onto",
    "over",
    "under",
    "only",
    "also",
    "now",
    "then",
    "than",
    "when",
    "where",
    "while",
    "what",
    "which",
    "who",
    "how",
    "why",
    "all",
    "any",
    "each",
    "every",
    "some",
    "none",
    "nothing",
    "never",
    "always",
    "often",
    "again",
    "still",
    "too",
    "very",
    "more",
    "most",
    "less",
    "same",
    "other",
    "another",
    "new",
    "old",
    "empty",
    "wrong",
    "right",
    "too",
    "kept",
    "read",
    "set",
    "sent",
    "lost",
    "unset",
    "known",
    "unknown",
    "written",
    "given",
    "short",
    "long",
    "weak",
    "strong",
    "random",
    "secret",
    "value",
    "string",
    "text",
    "field",
    "hash",
    "hidden",
    "change",
    "enter",
    "choose",
    "type",
    "least",
    "characters",
    "letters",
    "digits",
    "required",
    "optional",
    "user",
    "team",
    "time",
    "times",
    "part",
    "policy",
    "manager",
    "file",
    "key",
    "login",
    "admin",
    "vault",
    "env",
];
