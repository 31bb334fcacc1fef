//! Maps the title of a plan slice to search queries, by keywords.

use forge_memory_settings::{KEYWORD_MAP, Settings};
use regex_lite::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use forge_memory_text::lexicon::pairs;
use forge_memory_text::{stem, written_words};

/// Maps words of a title to queries.
#[derive(Debug, Clone)]
pub struct KeywordMap {
    entries: Vec<Keywords>,
}

#[derive(Debug, Clone)]
struct Keywords {
    query: String,
    trigger: Trigger,
}

#[derive(Debug, Clone)]
enum Trigger {
    /// One of these words, or of several words in sequence.
    Words(Vec<&'static str>),
    Pattern {
        pattern: Regex,
        flags: String,
    },
}

/// An entry of the keyword map, in the form of the setting `keywordMap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeywordEntry {
    /// A regular expression.
    pub pattern: String,
    /// Its flags.
    pub flags: String,
    /// The question that a match raises.
    pub query: String,
}

impl Default for KeywordMap {
    fn default() -> Self {
        let entry = |(query, words): (&str, &'static str)| Keywords {
            query: query.to_owned(),
            trigger: Trigger::Words(words.split('|').map(str::trim).collect()),
        };
        KeywordMap {
            entries: pairs("topic").map(entry).collect(),
        }
    }
}

impl KeywordMap {
    /// Reads the keyword map of the settings: `[{ pattern, flags?, query }]`. It replaces the default when at
    /// least one entry is valid; the second value describes the invalid ones.
    pub(super) fn of(settings: &Settings) -> (Self, Vec<String>) {
        let list = settings.keyword_map();
        let (mut entries, mut problems) = (Vec::new(), Vec::new());
        for (at, entry) in list.iter().enumerate() {
            match read_entry(entry) {
                Ok(entry) => entries.push(entry),
                Err(reason) => problems.push(format!("{KEYWORD_MAP}[{at}]: {reason}")),
            }
        }
        if entries.is_empty() {
            return (KeywordMap::default(), problems);
        }
        (KeywordMap { entries }, problems)
    }

    /// Returns the entries in the form of the settings, for tools that match texts themselves.
    pub fn entries(&self) -> impl Iterator<Item = KeywordEntry> + '_ {
        self.entries.iter().map(Keywords::entry)
    }

    /// Returns the queries for a title, in the order of the map.
    pub fn queries<'a>(&'a self, title: &'a str) -> impl Iterator<Item = &'a str> {
        let words = words_of(title);
        let raises = move |entry: &&Keywords| match &entry.trigger {
            Trigger::Words(triggers) => triggers.iter().any(|trigger| has_phrase(&words, trigger)),
            Trigger::Pattern { pattern, .. } => matches(pattern, title, &words),
        };
        self.entries.iter().filter(raises).map(|entry| entry.query.as_str())
    }
}

impl Keywords {
    fn entry(&self) -> KeywordEntry {
        let (pattern, flags) = match &self.trigger {
            Trigger::Words(words) => (pattern_of(words), "i".to_owned()),
            Trigger::Pattern { pattern, flags } => (pattern.as_str().to_owned(), flags.clone()),
        };
        KeywordEntry {
            pattern,
            flags,
            query: self.query.clone(),
        }
    }
}

/// Returns a pattern for whole words, in the forms that most of them are inflected to.
fn pattern_of(words: &[&str]) -> String {
    let forms = words.iter().map(|word| match word.strip_suffix('y') {
        _ if word.len() < 4 => (*word).to_owned(),
        Some(base) => format!("{base}(?:y|ies)"),
        None => format!("{word}(?:s|es|d|ed|ing|e|ion|er)?"),
    });
    format!("\\b(?:{})\\b", forms.collect::<Vec<_>>().join("|"))
}

fn read_entry(entry: &Value) -> Result<Keywords, String> {
    let text = |name: &str| {
        entry
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.trim().is_empty())
    };
    let query = text("query").ok_or("query is missing or empty")?;
    let pattern = text("pattern").ok_or("pattern is missing or empty")?;
    let flags = entry.get("flags").and_then(Value::as_str).unwrap_or("i");
    let pattern = RegexBuilder::new(pattern)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .size_limit(1 << 20)
        .build()
        .map_err(|e| format!("pattern is not a valid regular expression: {e}"))?;
    Ok(Keywords {
        query: query.trim().to_owned(),
        trigger: Trigger::Pattern {
            pattern,
            flags: flags.to_owned(),
        },
    })
}

/// A pattern is also tried on the forms that words of the title may be inflected from.
fn matches(pattern: &Regex, title: &str, words: &[String]) -> bool {
    pattern.is_match(title)
        || words
            .iter()
            .any(|word| forms_of(word).iter().any(|form| pattern.is_match(form)))
}

/// Splits a title into lower-case words; `AuthService` is two.
fn words_of(title: &str) -> Vec<String> {
    let mut words = Vec::new();
    for piece in written_words(title, "") {
        let mut word = String::new();
        let mut was_lower = false;
        for c in piece.chars() {
            if c.is_uppercase() && was_lower {
                words.push(std::mem::take(&mut word));
            }
            was_lower = c.is_lowercase() || c.is_numeric();
            word.extend(c.to_lowercase());
        }
        words.push(word);
    }
    words
}

fn has_phrase(words: &[String], phrase: &str) -> bool {
    let wanted: Vec<&str> = phrase.split(' ').collect();
    words
        .windows(wanted.len())
        .any(|row| row.iter().zip(&wanted).all(|(word, wanted)| is_form_of(word, wanted)))
}

fn is_form_of(word: &str, wanted: &str) -> bool {
    if word == wanted || stem(word) == wanted {
        return true;
    }
    // Short words have short stems, which too many others share.
    let is_long = wanted.len() >= 4 && word.len() >= 4;
    (is_long && stem(word) == stem(wanted)) || forms_of(word).iter().any(|form| form == wanted)
}

/// Returns the base forms that a word may be inflected from.
fn forms_of(word: &str) -> Vec<String> {
    const ENDINGS: [(&str, &[&str]); 6] = [
        ("ies", &["y"]),
        ("es", &["", "e"]),
        ("s", &[""]),
        ("ing", &["", "e"]),
        ("ed", &["", "e"]),
        ("ion", &["", "e"]),
    ];
    let mut forms = Vec::new();
    for (ending, others) in ENDINGS {
        let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= 2) else {
            continue;
        };
        forms.extend(others.iter().map(|other| format!("{base}{other}")));
        let mut shorter = base.chars();
        let last = shorter.next_back();
        if last.is_some() && last == shorter.clone().next_back() && matches!(ending, "ing" | "ed") {
            forms.push(shorter.as_str().to_owned());
        }
    }
    forms
}
