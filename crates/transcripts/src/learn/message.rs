//! Splits a message into sentences: those that a person typed, without pasted text.

use forge_memory_core::text::lines::head;
use forge_memory_core::text::sentences_of;

use super::foreign::without_foreign;
use super::sentence::Sentence;

/// The longest sentence that is considered, in bytes.
const SENTENCE_MAX: usize = 400;
/// A longer message with little prose counts as pasted.
const PASTED_LINES: usize = 30;
/// Beginnings of lines of logs and of differences between files.
const LOGGED: &str = "ERROR|WARN|INFO|DEBUG|Traceback|error[|error:|Error:|npm |FAIL |FAILED|panic:|warning:|diff --git|@@|at |e: |w: |hint: |! ";

/// Splits a message into sentences.
pub(crate) fn sentences(message: &str) -> Vec<Sentence> {
    let message = message
        .replace(['\u{2018}', '\u{2019}'], "'")
        .replace(['\u{a0}', '\u{202f}'], " ")
        .replace("\u{ab} ", "\"")
        .replace(" \u{bb}", "\"")
        .replace(['\u{201c}', '\u{201d}', '\u{201e}', '\u{ab}', '\u{bb}'], "\"");
    if is_command(&message) || Sentence::of(head(&message, SENTENCE_MAX)).is("^role") {
        return Vec::new();
    }
    let total = message.lines().filter(|line| !line.trim().is_empty()).count();
    let message = without_foreign(&message);
    let prose = message.lines().filter(|line| is_prose(line));
    let prose: Vec<&str> = prose.map(|line| without_bullet(line.trim())).collect();
    if total > PASTED_LINES && prose.len() * 2 < total {
        return Vec::new();
    }
    let parts = prose.into_iter().flat_map(units_of);
    let mut found: Vec<Sentence> = Vec::new();
    for part in parts.filter(|part| part.len() <= SENTENCE_MAX) {
        let mut sentence = Sentence::of(part);
        sentence.note("first", found.is_empty());
        found.extend((sentence.words > 0).then_some(sentence));
    }
    found
}

/// True if a message is a command of the agent's program: `/compact`.
fn is_command(message: &str) -> bool {
    let name = message.trim_start().strip_prefix('/');
    let name = name.and_then(|rest| rest.split_whitespace().next());
    name.is_some_and(|name| {
        name.chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'))
    })
}

/// Splits a line into sentences: what is behind a semicolon belongs to what is before, and scripts without spaces write none behind a full stop.
fn units_of(line: &str) -> Vec<&str> {
    let mut units: Vec<&str> = Vec::new();
    let (mut from, mut end) = (0, 0);
    for part in sentences_of(line) {
        end += line.get(end..).and_then(|rest| rest.find(part)).unwrap_or(0) + part.len();
        if !part.ends_with(';') {
            units.extend(line.get(from..end));
            from = end;
        }
    }
    units.extend(line.get(from..end));
    let wide = units
        .into_iter()
        .flat_map(|unit| unit.split_inclusive(['\u{3002}', '\u{ff01}', '\u{ff1f}']));
    wide.map(str::trim).filter(|unit| !unit.is_empty()).collect()
}

fn is_prose(line: &str) -> bool {
    let is_indented = line.starts_with("    ");
    let line = line.trim();
    let is_marked = line.is_empty() || line.starts_with(['>', '|', '{', '}', '[', '+', '<']);
    let is_logged = LOGGED.split('|').any(|lead| line.starts_with(lead)) || is_finding(line);
    let has_year = line
        .get(..4)
        .is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    let all = line.chars().count();
    let is_dated = has_year && line.contains(':');
    let is_worded = all <= 10 || letters * 2 >= all;
    is_worded && !(is_indented || is_marked || is_logged || is_dated)
}

/// True if a line is one of the output of a linter: `src/a.ts:3:10 ...`, `3:10  error  ...`, `web:lint: ...`.
fn is_finding(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let place = first.trim_end_matches([':', ',']);
    let mut numbers = place
        .rsplit(':')
        .take_while(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let has_place = numbers.next().is_some() && place.contains(':');
    let is_graded = matches!(second.trim_end_matches(':'), "error" | "warning" | "note" | "info");
    first.contains(":lint:") || has_place && (is_graded || numbers.next().is_some() || place.contains('.'))
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

#[cfg(test)]
mod tests {
    use super::{is_finding, sentences, units_of};

    #[test]
    fn a_sentence_goes_on_behind_a_semicolon_and_ends_at_a_wide_full_stop() {
        assert_eq!(
            units_of("Never commit .env; put examples into .env.example; thanks. Then go on."),
            [
                "Never commit .env; put examples into .env.example; thanks.",
                "Then go on."
            ]
        );
        assert_eq!(units_of("先改代码。然后测试！"), ["先改代码。", "然后测试！"]);
        assert_eq!(units_of(""), [""; 0]);
    }

    #[test]
    fn what_a_linter_prints_is_no_sentence() {
        for line in [
            "src/a.ts:3:10 error 'x' is assigned a value but never used",
            "  3:10  error  'x' is assigned a value but never used",
            "web:lint: 3:10 error 'x' is assigned a value but never used",
            "/compact and always remember it",
        ] {
            assert!(sentences(line).is_empty(), "{line}");
        }
        assert!(!is_finding("the port is 3000: never use it"));
        assert!(!is_finding("12:30 is when the practice closes"));
    }
}
