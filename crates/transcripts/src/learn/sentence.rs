//! Splits what a person typed into sentences, without pasted parts: code, logs, quotes, tables.

use xxhash_rust::xxh3::xxh3_64;

use super::cut::cut;
use super::foreign::without_foreign;

/// The longest sentence that is considered, in bytes.
const SENTENCE_MAX: usize = 400;
/// A longer message with little prose counts as pasted.
const PASTED_LINES: usize = 30;

/// A sentence, with a normalised form for matching.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    /// As typed.
    pub raw: String,
    /// Lower-case words with one space between and around them, without quoted speech.
    pub padded: String,
    pub is_question: bool,
    /// True for the first sentence of a message.
    pub is_first: bool,
}

impl Sentence {
    pub(crate) fn has(&self, words: &str) -> bool {
        self.padded.contains(&format!(" {words} "))
    }

    pub(crate) fn has_any(&self, all: &[&str]) -> bool {
        all.iter().any(|words| self.has(words))
    }

    pub(crate) fn begins(&self, words: &str) -> bool {
        self.padded.starts_with(&format!(" {words} "))
    }

    pub(crate) fn begins_any(&self, all: &[&str]) -> bool {
        all.iter().any(|words| self.begins(words))
    }

    pub(crate) fn words(&self) -> Vec<&str> {
        self.padded.split_whitespace().collect()
    }

    /// Returns the word after the first occurrence of a phrase.
    pub(crate) fn behind(&self, words: &str) -> Option<&str> {
        let (_, behind) = self.padded.split_once(&format!(" {words} "))?;
        behind.split_whitespace().next()
    }

    /// Returns the word before the first occurrence of a phrase.
    pub(crate) fn before(&self, words: &str) -> Option<&str> {
        let (before, _) = self.padded.split_once(&format!(" {words} "))?;
        before.split_whitespace().next_back()
    }
}

/// Splits a message into sentences.
pub(crate) fn sentences(message: &str) -> Vec<Sentence> {
    let message = message
        .replace(['\u{2018}', '\u{2019}'], "'")
        .replace(['\u{201c}', '\u{201d}'], "\"");
    let total = message.lines().filter(|line| !line.trim().is_empty()).count();
    let message = without_foreign(&message);
    let prose = prose_lines(&message);
    if total > PASTED_LINES && prose.len() * 2 < total {
        return Vec::new();
    }
    let mut found = Vec::new();
    for line in prose {
        for part in cut(line) {
            let sentence = sentence(part, found.is_empty());
            if sentence.padded.len() > 4 && part.len() <= SENTENCE_MAX {
                found.push(sentence);
            }
        }
    }
    found
}

fn sentence(raw: &str, is_first: bool) -> Sentence {
    let is_question = raw.trim_end_matches(['"', ')', ' ']).ends_with(['?', '\u{ff1f}']);
    Sentence {
        raw: raw.to_owned(),
        padded: padded(raw),
        is_question,
        is_first,
    }
}

fn padded(raw: &str) -> String {
    let mut padded = String::from(" ");
    for word in unquoted(raw).split_whitespace() {
        let edge = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '+' | '#' | '@' | '-' | '~' | '$'));
        let begin = word.trim_start_matches(|c: char| edge(c) && c != '.');
        let word = begin
            .trim_end_matches(edge)
            .trim_start_matches(|c: char| edge(c) && begin.len() < 2);
        if !word.is_empty() {
            padded.push_str(&word.to_lowercase());
            padded.push(' ');
        }
    }
    padded
}

/// Removes quoted speech, which is not the person's own statement. A quoted name or command stays.
fn unquoted(raw: &str) -> String {
    const SPOKEN_WORDS: usize = 3;
    let mut kept = String::new();
    for (at, part) in raw.split('"').enumerate() {
        if at % 2 == 0 || part.split_whitespace().count() < SPOKEN_WORDS {
            kept.push_str(part);
            kept.push(' ');
        }
    }
    if raw.matches('"').count() % 2 == 1 {
        raw.to_owned()
    } else {
        kept
    }
}

fn prose_lines(message: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in message.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        if !in_code && is_prose(line, trimmed) {
            found.push(without_bullet(trimmed));
        }
    }
    found
}

fn is_prose(line: &str, trimmed: &str) -> bool {
    if trimmed.is_empty() || trimmed.starts_with(['>', '|', '{', '}', '[', '+', '<']) || line.starts_with("    ") {
        return false;
    }
    if trimmed.starts_with("diff --git") || trimmed.starts_with("@@") || trimmed.starts_with("at ") {
        return false;
    }
    let looks_logged = [
        "ERROR",
        "WARN",
        "INFO",
        "DEBUG",
        "Traceback",
        "error[",
        "error:",
        "Error:",
        "npm ERR!",
        "FAIL ",
        "panic:",
        "warning:",
    ]
    .iter()
    .any(|lead| trimmed.starts_with(lead));
    let dated = trimmed
        .get(..4)
        .is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()))
        && trimmed.contains(':');
    let letters = trimmed.chars().filter(|c| c.is_alphabetic()).count();
    let all = trimmed.chars().count();
    !looks_logged && !dated && (all <= 10 || letters * 10 >= all * 5)
}

fn without_bullet(line: &str) -> &str {
    let plain = line.trim_start_matches(['-', '*', '•', ' ']);
    let digits = plain.len() - plain.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match plain.get(digits..) {
        Some(rest) if digits > 0 && digits < 3 && rest.starts_with(['.', ')']) => {
            rest.trim_start_matches(['.', ')', ' '])
        }
        _ => plain,
    }
}

/// Stop words of comparisons.
const STOP_WORDS: [&str; 34] = [
    "please", "just", "really", "ok", "okay", "and", "so", "but", "again", "actually", "no", "nope", "hey", "also",
    "the", "a", "an", "i", "you", "to", "that", "this", "is", "are", "be", "we", "should", "must", "need", "it", "in",
    "of", "for", "on",
];

/// Returns the hashes of the stemmed words that are compared, in order, without stop words.
pub(crate) fn compared_words(text: &str) -> Vec<u32> {
    const WORDS_MAX: usize = 24;
    let padded = padded(text);
    let words = padded.split_whitespace().filter(|word| !STOP_WORDS.contains(word));
    words
        .take(WORDS_MAX)
        .map(|word| xxh3_64(stem(word).as_bytes()) as u32)
        .collect()
}

fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 3 && !stem.ends_with('s') => stem,
        _ => word,
    }
}
