//! Recovery phrases of wallets (BIP-39): twelve to twenty-four words of a list of 2,048, the last of which contains a
//! checksum. Prose has shorter words in between, so that hardly any text is looked up in the list.

use std::ops::Range;

use bip39::{Language, Mnemonic};

use super::scan::Finding;

const WORDS_MIN: usize = 12;
const WORDS_MAX: usize = 24;
const WORD_BYTES: std::ops::RangeInclusive<usize> = 3..=8;
/// The maximum length of the gap between two words: spaces, commas, quotes, and numbers such as `12.`
const GAP_BYTES_MAX: usize = 8;

pub(super) fn findings(text: &str) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut run: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes.iter().skip(at).take_while(|b| b.is_ascii_alphabetic()).count();
        if len == 0 {
            at += 1;
            continue;
        }
        let word = at..at + len;
        let is_near = run
            .last()
            .is_none_or(|last| bytes.get(last.end..word.start).is_some_and(is_gap));
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

fn look_at(text: &str, run: &[Range<usize>], found: &mut Vec<Finding>) {
    if run.len() < WORDS_MIN {
        return;
    }
    let known = |place: &Range<usize>| {
        let word = text.get(place.clone()).unwrap_or_default().to_ascii_lowercase();
        let is_listed = Language::English.find_word(&word).is_some();
        (place.clone(), is_listed.then_some(word))
    };
    let words: Vec<(Range<usize>, Option<String>)> = run.iter().map(known).collect();
    let mut rest = words.as_slice();
    while rest.len() >= WORDS_MIN {
        let listed: Vec<&str> = rest
            .iter()
            .map_while(|(_, word)| word.as_deref())
            .take(WORDS_MAX)
            .collect();
        let phrase = (WORDS_MIN..=listed.len())
            .rev()
            .find(|count| listed.get(..*count).is_some_and(is_phrase))
            .and_then(|count| rest.get(..count));
        let passed = match phrase {
            Some(phrase) => {
                if let [(first, _), .., (last, _)] = phrase {
                    found.push(Finding::evident("seed-phrase", first.start..last.end));
                }
                phrase.len()
            }
            None if listed.len() < WORDS_MIN => listed.len() + 1,
            None => 1,
        };
        rest = rest.get(passed..).unwrap_or_default();
    }
}

/// Verifies the checksum. One repeated word is not a phrase, although its checksum is right once in sixteen cases.
fn is_phrase(words: &[&str]) -> bool {
    words.iter().any(|word| Some(word) != words.first())
        && words.len().is_multiple_of(3)
        && Mnemonic::parse_in_normalized(Language::English, &words.join(" ")).is_ok()
}
