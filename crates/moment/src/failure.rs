//! Extracts the errors from the output of a failed command, and matches them with texts.

use std::collections::HashSet;
use std::sync::LazyLock;

use forge_memory_core::text::lexicon::{entries, says};
use forge_memory_core::text::written_words;

use crate::lines::{as_line, head, pattern, tail};

/// The parts of a long output that are read: errors are at the end, their context at the beginning.
const HEAD: usize = 4000;
const TAIL: usize = 16_000;
const LINE_MAX: usize = 600;
const REASONS_MAX: usize = 6;
const WORDS_MAX: usize = 30;
const LAST_LINES: usize = 3;

pattern!(
    /// Error codes and names of exceptions, which identify an error.
    code,
    r"\b(?:[a-z]+(?:[A-Z][a-z]+){2,}|[A-Z][a-z]+(?:[A-Z][a-z]+){2,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|ERR_[A-Z][A-Z_]+|E[A-Z]{4,}|TS\d{4,5}|E\d{4}|SIG[A-Z]{3,5}|ORA-\d{4,5}|P\d{4}|[A-Z]{2,6}-?\d{3,5}|[A-Z][a-zA-Z]{3,}(?:Error|Exception))\b"
);
pattern!(
    /// The name of an exception behind its package: `com.shop.CartFull:`.
    in_package,
    r"\b(?:\w+\.)+([A-Z][a-z]+[A-Z][a-zA-Z]+):"
);
pattern!(
    /// Codes of whole classes of errors.
    common_code,
    r"^(ENOENT|EPERM|EACCES|EEXIST|EINVAL|ERR_ASSERTION|ERR_TEST_FAILURE|ERROR|ERRORS|TypeError|ReferenceError|SyntaxError|RangeError|AssertionError|RuntimeError|ValueError|KeyError|AttributeError|NameError|ImportError|IndexError|NullPointerException|NullReferenceException|InvalidOperationException|ArgumentException|ArgumentNullException|IOException|FileNotFoundError|ModuleNotFoundError|PermissionError|OSError|TimeoutError|UnboundLocalError|UnicodeDecodeError|JSONDecodeError|OutOfMemoryError|StackOverflowError|UnhandledPromiseRejection|IllegalArgumentException|UTF-?\d+|SHA-?\d+|HTTP-?\d+|ES\d+|ISO-?\d+|RFC-?\d+)$"
);
pattern!(
    /// Phrases that are common in errors.
    common_phrase,
    r"(?i)no such file or directory|command not found|permission denied|is not a function|is not defined|cannot read propert(y|ies) of (undefined|null)|cannot find module|no module named|process exited with( exit)? code|exited with code|exit status \d+|invalid memory address or nil pointer dereference|command failed with|most recent call last|see the output above|for more information"
);

/// Words that are common in errors.
static STOP: LazyLock<HashSet<&str>> = LazyLock::new(|| entries("why-stop").collect());

fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
}

#[derive(Debug, Default)]
pub(crate) struct Failure {
    codes: Vec<String>,
    /// The words of each line that states an error.
    reasons: Vec<Vec<String>>,
    /// The same lines as text, without common phrases.
    lines: Vec<String>,
}

impl Failure {
    pub(crate) fn read(output: &str) -> Self {
        let parts = if output.len() > HEAD + TAIL {
            vec![head(output, HEAD), tail(output, TAIL)]
        } else {
            vec![output]
        };
        let lines = parts.into_iter().flat_map(|part| part.split('\n'));
        let said: Vec<String> = lines
            .map(|line| as_line(head(line, LINE_MAX)))
            .filter(|line| !line.is_empty())
            .collect();
        let found: Vec<&String> = said.iter().filter(|line| says_why(line)).take(REASONS_MAX).collect();
        let telling = if found.is_empty() {
            said.iter().skip(said.len().saturating_sub(LAST_LINES)).collect()
        } else {
            found
        };
        let mut codes = Vec::new();
        for line in &telling {
            for code in codes_in(line) {
                if !codes.iter().any(|known| known == code) {
                    codes.push(code.to_owned());
                }
            }
        }
        let reasons = telling
            .iter()
            .map(|line| words_of(line))
            .filter(|words| words.len() >= 3);
        Failure {
            codes,
            reasons: reasons.collect(),
            lines: telling
                .iter()
                .map(|line| common_phrase().replace_all(line, " | ").into_owned())
                .collect(),
        }
    }

    pub(crate) fn query(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        for word in self.codes.iter().chain(self.reasons.iter().flatten()) {
            if words.len() < WORDS_MAX && !words.contains(&word.as_str()) {
                words.push(word);
            }
        }
        words.join(" ")
    }

    /// True if the command was ended because it did not end.
    pub(crate) fn has_hung(&self) -> bool {
        self.lines.iter().any(|line| says(line, "timed out"))
    }

    /// Returns the code or the name of the error: nothing else of an output is stored by itself, because anybody may have written it.
    pub(crate) fn name(&self) -> Option<&str> {
        let own = self.codes.iter().find(|code| !common_code().is_match(code));
        own.or(self.codes.first()).map(String::as_str)
    }

    /// Returns the evidence that a text is about it: an error code, or most of the words of an error line.
    pub(crate) fn match_of(&self, text: &str) -> Option<String> {
        let said = codes_in(text);
        let shared: Vec<&String> = self.codes.iter().filter(|code| said.contains(&code.as_str())).collect();
        if let Some(own) = shared.iter().find(|code| !common_code().is_match(code)) {
            return Some((*own).clone());
        }
        if let Some(phrase) = self.shared_phrase(text) {
            return Some(phrase);
        }
        let words: HashSet<String> = words_of(text).into_iter().collect();
        for reason in &self.reasons {
            let found: Vec<&str> = reason
                .iter()
                .filter(|word| words.contains(*word))
                .map(String::as_str)
                .collect();
            let share = found.len() as f64 / reason.len() as f64;
            let is_enough = match found.len() {
                SHARED_MIN.. => share >= SHARE_MIN,
                count => count == SHARED_MIN - 1 && found.len() == reason.len(),
            };
            if is_enough {
                return Some(found.iter().take(SHARED_MIN).copied().collect::<Vec<_>>().join(" "));
            }
            if let Some(code) = shared.first()
                && found.len() >= SHARED_MIN - 1
                && share >= SHARE_WITH_CODE_MIN
            {
                return Some((*code).clone());
            }
        }
        None
    }

    fn shared_phrase(&self, text: &str) -> Option<String> {
        let said = format!(" {} ", in_row(text).join(" "));
        for part in self.lines.iter().flat_map(|line| line.split('|')) {
            let words = in_row(part);
            for phrase in words.windows(PHRASE_WORDS) {
                let telling = |word: &&String| word.chars().count() > 2 && !is_stop(word) && !is_number(word);
                if phrase.iter().filter(telling).count() >= 2 {
                    let phrase = phrase.join(" ");
                    if said.contains(&format!(" {phrase} ")) {
                        return Some(phrase);
                    }
                }
            }
        }
        None
    }
}

/// The minimum share of an error's words that a text must contain.
const SHARE_MIN: f64 = 0.6;
const SHARED_MIN: usize = 4;
const SHARE_WITH_CODE_MIN: f64 = 0.4;
/// The minimum number of consecutive words that a text and a failure share.
const PHRASE_WORDS: usize = 4;

fn says_why(line: &str) -> bool {
    says(line, "why-test") || says(line, "why")
}

fn codes_in(text: &str) -> Vec<&str> {
    let codes = code().find_iter(text).map(|found| found.as_str());
    let named = in_package().captures_iter(text).filter_map(|found| found.get(1));
    codes.chain(named.map(|found| found.as_str())).collect()
}

fn in_row(text: &str) -> Vec<String> {
    written_words(&text.to_lowercase(), "_").map(str::to_owned).collect()
}

fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in in_row(text) {
        let is_telling = word.chars().count() >= 3 && !is_stop(&word) && !is_number(&word);
        if is_telling && words.len() < WORDS_MAX && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}
