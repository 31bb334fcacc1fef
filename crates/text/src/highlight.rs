//! Highlights: where a text has the words of a query.
//!
//! A word of the text is matched by its terms, as the index does it: in all its forms, whole or by a part of an identifier.
//! Offsets are in UTF-16 code units, in which JavaScript counts: `text.slice(start, end)` is the word.

use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::fold;
use super::identifier::parts_of;
use super::query::{QueryWord, query_words, searched_words};
use super::terms::{TermHash, number_text, pair_term, stem_term};
use super::tokenization::{Token, each_token};

/// The maximum number of highlights in one text.
const HIGHLIGHTS_MAX: usize = 100;

/// A range of a text that has a word of the query, in UTF-16 code units: `text.slice(start, end)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Highlight {
    /// Where it begins.
    pub start: usize,
    /// Where it ends: the offset behind its last unit.
    pub end: usize,
}

/// The terms of a query, to be found in texts.
#[derive(Debug)]
pub struct Highlighter {
    terms: FxHashSet<TermHash>,
}

impl Highlighter {
    /// Returns the highlighter of a query.
    pub fn new(words: &[QueryWord]) -> Self {
        let searched = searched_words(words).into_iter();
        let terms = searched.flat_map(|(_, word)| word.meant().chain(word.spellings.iter().copied()));
        Highlighter { terms: terms.collect() }
    }

    /// Returns the first matches in a text, in order and without overlaps.
    pub fn highlights(&self, text: &str) -> Vec<Highlight> {
        let mut found: Vec<Range<usize>> = Vec::new();
        each_token(text, |at, token| match token {
            _ if found.len() >= HIGHLIGHTS_MAX => {}
            Token::Run { text: run, signed } => self.find_in_run(run, signed, at, &mut found),
            Token::Number(number) => {
                if self.terms.contains(&stem_term(&number_text(number))) {
                    add(&mut found, at..at + number.len());
                }
            }
            Token::Spaceless { before: Some(first), c } if self.terms.contains(&pair_term(first, c)) => {
                add(&mut found, at - first.len_utf8()..at + c.len_utf8());
            }
            Token::Spaceless { c, .. } | Token::Emoji(c) => {
                if self.terms.contains(&stem_term(c.encode_utf8(&mut [0; 4]))) {
                    add(&mut found, at..at + c.len_utf8());
                }
            }
        });
        found.truncate(HIGHLIGHTS_MAX);
        in_utf16(text, &found)
    }

    /// Adds a word, with its sign (`C++`) if that matches, or else those of its parts that match.
    fn find_in_run(&self, run: &str, signed: Option<&str>, at: usize, found: &mut Vec<Range<usize>>) {
        if let Some(signed) = signed.filter(|signed| self.terms.contains(&stem_term(&fold(signed)))) {
            let start = at - usize::from(signed.starts_with('.'));
            add(found, start..start + signed.len());
            return;
        }
        if query_words(run).first().is_some_and(|whole| self.has(whole)) {
            add(found, at..at + run.len());
            return;
        }
        for (from, to) in parts_of(run).into_iter().flatten() {
            let part = fold(run.get(from..to).unwrap_or_default());
            if self.has(&QueryWord::of(&part, 1.0)) {
                add(found, at + from..at + to);
            }
        }
    }

    fn has(&self, word: &QueryWord) -> bool {
        let mut terms = word.stems.iter().chain(&word.spellings);
        terms.any(|term| self.terms.contains(term))
    }
}

/// Adds a range; one that overlaps the last one extends it.
fn add(found: &mut Vec<Range<usize>>, range: Range<usize>) {
    match found.last_mut() {
        Some(last) if range.start < last.end => last.end = last.end.max(range.end),
        _ => found.push(range),
    }
}

/// Converts byte offsets, which ascend, to UTF-16.
fn in_utf16(text: &str, ranges: &[Range<usize>]) -> Vec<Highlight> {
    let (mut bytes, mut units) = (0, 0);
    let mut unit_at = |offset: usize| {
        let between = text.get(bytes..offset).unwrap_or_default();
        units += between.encode_utf16().count();
        bytes = offset;
        units
    };
    let convert = |range: &Range<usize>| Highlight {
        start: unit_at(range.start),
        end: unit_at(range.end),
    };
    ranges.iter().map(convert).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(query: &str, text: &str) -> Vec<String> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let highlights = Highlighter::new(&query_words(query)).highlights(text);
        let word = |found: &Highlight| String::from_utf16(&units[found.start..found.end]).unwrap();
        highlights.iter().map(word).collect()
    }

    #[test]
    fn words_are_found_in_all_their_forms_and_stop_words_are_not() {
        assert_eq!(
            marked("the retries of uploads", "Uploading: the upload is retried, of course"),
            ["Uploading", "upload", "retried"]
        );
        assert_eq!(marked("größe", "die Groesse und die Größe"), ["Groesse", "Größe"]);
        assert_eq!(marked("nothing", "here"), Vec::<String>::new());
        assert_eq!(marked("", "here"), Vec::<String>::new());
    }

    #[test]
    fn identifiers_match_whole_or_by_their_parts() {
        assert_eq!(marked("jwtSecret", "set jwtSecret"), ["jwtSecret"]);
        assert_eq!(marked("secret", "set jwtSecret"), ["Secret"]);
        // Without its sign it is a term of the query too, and finds the record.
        assert_eq!(marked("c++", "C++ and C"), ["C++", "C"]);
        assert_eq!(marked(".net", "for .NET only"), [".NET"]);
    }

    #[test]
    fn offsets_count_units_of_utf_16() {
        let text = "\u{1f680} naïve café\u{1f680}: deploy \u{1f680}";
        assert_eq!(marked("deploy", text), ["deploy"]);
        assert_eq!(marked("\u{1f680}", text).len(), 3);
        assert_eq!(marked("数据库", "主数据库关闭"), ["数据库"]);
    }

    #[test]
    fn many_matches_are_cut() {
        assert_eq!(marked("a1", &"a1 ".repeat(5000)).len(), HIGHLIGHTS_MAX);
    }
}
