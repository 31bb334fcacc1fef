//! Splits a message into sentences: those that a person typed, without pasted text.

use forge_memory_core::text::sentences_of;

use super::foreign::without_foreign;
use super::sentence::Sentence;

/// The longest sentence that is considered, in bytes.
const SENTENCE_MAX: usize = 400;
/// A longer message with little prose counts as pasted.
const PASTED_LINES: usize = 30;
/// Beginnings of lines of logs and of differences between files.
const LOGGED: &str =
    "ERROR|WARN|INFO|DEBUG|Traceback|error[|error:|Error:|npm ERR!|FAIL |panic:|warning:|diff --git|@@|at ";

/// Splits a message into sentences.
pub(crate) fn sentences(message: &str) -> Vec<Sentence> {
    let message = message
        .replace(['\u{2018}', '\u{2019}'], "'")
        .replace(['\u{201c}', '\u{201d}'], "\"");
    let total = message.lines().filter(|line| !line.trim().is_empty()).count();
    let message = without_foreign(&message);
    let prose = message.lines().filter(|line| is_prose(line));
    let prose: Vec<&str> = prose.map(|line| without_bullet(line.trim())).collect();
    if total > PASTED_LINES && prose.len() * 2 < total {
        return Vec::new();
    }
    let parts = prose.into_iter().flat_map(sentences_of);
    let mut found: Vec<Sentence> = Vec::new();
    for part in parts.filter(|part| part.len() <= SENTENCE_MAX) {
        let mut sentence = Sentence::of(part);
        sentence.note("first", found.is_empty());
        found.extend((sentence.words > 0).then_some(sentence));
    }
    found
}

fn is_prose(line: &str) -> bool {
    let is_indented = line.starts_with("    ");
    let line = line.trim();
    let is_marked = line.is_empty() || line.starts_with(['>', '|', '{', '}', '[', '+', '<']);
    let is_logged = LOGGED.split('|').any(|lead| line.starts_with(lead));
    let has_year = line
        .get(..4)
        .is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    let all = line.chars().count();
    let is_dated = has_year && line.contains(':');
    let is_worded = all <= 10 || letters * 2 >= all;
    is_worded && !(is_indented || is_marked || is_logged || is_dated)
}

fn without_bullet(line: &str) -> &str {
    let plain = line.trim_start_matches(['-', '*', '•', ' ']);
    let rest = plain.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = matches!(plain.len() - rest.len(), 1..3) && rest.starts_with(['.', ')']);
    if is_number {
        rest.trim_start_matches(['.', ')', ' '])
    } else {
        plain
    }
}
