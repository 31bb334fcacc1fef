//! The words that a wallet is made again from (BIP-39): twelve to twenty-four out of a list of 2,048, the last of which holds a
//! checksum. Prose has short words in between, so that hardly any text is looked up.

use std::ops::Range;

use bip39::{Language, Mnemonic};

use super::scan::Finding;

const WORDS_MIN: usize = 12;
const WORDS_MAX: usize = 24;
/// How long the words of the list are.
const WORD_BYTES: std::ops::RangeInclusive<usize> = 3..=8;
/// What may stand between two words: blanks, commas, quotes, and numbers such as `12.`
const GAP_BYTES_MAX: usize = 8;

/// Finds phrases.
pub(super) fn findings(text: &str) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut run: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        if len == 0 {
            at += 1;
            continue;
        }
        let word = at..at + len;
        let is_near = run.last().is_none_or(|last| is_gap(&bytes[last.end..word.start]));
        if !is_near || !WORD_BYTES.contains(&len) {
            look_at(text, &run, &mut found);
            run.clear();
        }
        if WORD_BYTES.contains(&len) {
            run.push(word);
        }
        at += len;
    }
    look_at(text, &run, &mut found);
    found
}

fn is_gap(gap: &[u8]) -> bool {
    let may_part = |b: &u8| {
        matches!(
            b,
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b'"' | b'\'' | b'.' | b')' | b'-' | b'0'..=b'9'
        )
    };
    gap.len() <= GAP_BYTES_MAX && gap.iter().all(may_part)
}

/// Looks for phrases in words that stand side by side.
fn look_at(text: &str, run: &[Range<usize>], found: &mut Vec<Finding>) {
    if run.len() < WORDS_MIN {
        return;
    }
    let known = |word: &Range<usize>| {
        let word = text.get(word.clone()).unwrap_or_default().to_ascii_lowercase();
        Language::English.find_word(&word).map(|_| word)
    };
    let words: Vec<Option<String>> = run.iter().map(known).collect();
    let mut at = 0;
    while at + WORDS_MIN <= words.len() {
        let listed: Vec<&str> = words[at..]
            .iter()
            .map_while(|word| word.as_deref())
            .take(WORDS_MAX)
            .collect();
        match (WORDS_MIN..=listed.len())
            .rev()
            .find(|count| is_phrase(&listed[..*count]))
        {
            Some(count) => {
                found.push(Finding::evident("seed-phrase", run[at].start..run[at + count - 1].end));
                at += count;
            }
            None if listed.len() < WORDS_MIN => at += listed.len() + 1,
            None => at += 1,
        }
    }
}

/// Whether the checksum is right. One word over and over is no phrase: its checksum is right once in sixteen times.
fn is_phrase(words: &[&str]) -> bool {
    words.iter().any(|word| *word != words[0])
        && words.len().is_multiple_of(3)
        && Mnemonic::parse_in_normalized(Language::English, &words.join(" ")).is_ok()
}
