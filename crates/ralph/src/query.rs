//! Search of entries by substrings of words.
//!
//! score(e) = (found / words)^2 * sum over words w and fields f of m(w, f), where m is 1 when w begins at a word or a part of a
//! compound word (`resetAllMocks` has `mocks`), 0.5 when it occurs elsewhere, and 0 otherwise. The fields are lesson, pattern,
//! context and each tag, all folded. The factor (coordination level matching) ranks an entry with all words above one that repeats
//! a single one.

use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;

use memchr::memmem::Finder;

use super::entry::{RalphEntry, RalphRecord};
use super::halves::in_halves;
use super::reading::{Found, LIMIT_MAX, RalphFilter, Reading, newest_first};
use crate::Lessons;
use forge_memory_core::error::Result;
use forge_memory_core::limits::{BODY_BYTES_MAX, check_text, check_whole};
use forge_memory_core::text::{fold, query_words, written_words};

pub(super) const LIMIT_DEFAULT: usize = 10;

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RalphAnswer")]
pub struct QueryOutcome {
    /// The query.
    pub query: String,
    /// The entries, best first; ties are ordered by confidence, then newest first, then by id.
    pub entries: Vec<RalphRecord>,
    /// The total number of matching entries.
    pub total: usize,
    /// True when no store exists.
    pub missing: bool,
    /// Warnings about invalid parts, which were skipped.
    pub warnings: Vec<String>,
}

impl Lessons<'_> {
    /// Finds the entries that match a query, best first.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the query is empty, otherwise as [`Lessons::list`].
    pub fn query(&mut self, query: Option<&str>, limit: Option<f64>, filter: &RalphFilter) -> Result<QueryOutcome> {
        let query = check_query(query)?;
        let limit = check_whole("limit", limit, LIMIT_DEFAULT, 1.0, LIMIT_MAX)?;
        let checked = filter.check(self.memory.now_ms())?;
        self.read_stores(&checked, |reading| {
            let ranking = rank(&reading, &query, limit);
            let entries = ranking.best.iter().map(|(score, found)| RalphRecord {
                score: Some(*score),
                ..filter.shown(found.entry.to_record())
            });
            Ok(QueryOutcome {
                query,
                entries: entries.collect(),
                total: ranking.total,
                missing: reading.is_missing(),
                warnings: reading.warnings,
            })
        })
    }
}

pub(super) fn check_query(query: Option<&str>) -> Result<String> {
    check_text("query", query.map(str::to_owned), BODY_BYTES_MAX)
}

pub(super) struct Ranking<'r, 'a> {
    pub best: Vec<(f64, &'r Found<'a>)>,
    pub total: usize,
}

pub(super) fn rank<'r, 'a>(reading: &'r Reading<'a>, query: &str, limit: usize) -> Ranking<'r, 'a> {
    let words = words_of(query);
    let (mut ranking, other) = in_halves(&reading.found, |found, _| rank_part(found, &words, limit));
    if let Some(other) = other {
        ranking.total += other.total;
        ranking.best.extend(other.best);
    }
    ranking.best.sort_by(better);
    ranking.best.truncate(limit);
    ranking
}

/// Selects the best entries of a part, unordered.
fn rank_part<'r, 'a>(found: &'r [Found<'a>], words: &[Word], limit: usize) -> Ranking<'r, 'a> {
    let mut matcher = Matcher::new(words);
    let mut best: Vec<(f64, &Found<'a>)> = found
        .iter()
        .map(|found| (matcher.score(&found.entry), found))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    let total = best.len();
    // Only the best entries are shown, so they are selected before they are sorted.
    if total > limit {
        best.select_nth_unstable_by(limit, better);
        best.truncate(limit);
    }
    Ranking { best, total }
}

fn better(one: &(f64, &Found<'_>), other: &(f64, &Found<'_>)) -> Ordering {
    let ((score, a), (score_of_other, b)) = (one, other);
    score_of_other
        .total_cmp(score)
        .then_with(|| b.entry.confidence.total_cmp(&a.entry.confidence))
        .then_with(|| newest_first(&a.entry, &b.entry))
}

/// One word of the query, and parts of it that match when all of them occur.
struct Word {
    whole: Finder<'static>,
    parts: Vec<Finder<'static>>,
}

struct Matcher<'w> {
    words: &'w [Word],
    /// Which of the words occur in the current entry.
    has: Vec<bool>,
    folded: Vec<u8>,
}

impl<'w> Matcher<'w> {
    fn new(words: &'w [Word]) -> Self {
        Matcher {
            words,
            has: vec![false; words.len()],
            folded: Vec::new(),
        }
    }

    fn score(&mut self, entry: &RalphEntry<'_>) -> f64 {
        self.has.fill(false);
        let texts = [&entry.lesson, &entry.pattern, &entry.context];
        let sum: f64 = texts
            .into_iter()
            .chain(&entry.tags)
            .map(|text| self.score_field(text))
            .sum();
        let found = self.has.iter().filter(|has| **has).count();
        #[expect(clippy::cast_precision_loss, reason = "a query has few words")]
        let share = found as f64 / self.words.len().max(1) as f64;
        sum * share * share
    }

    fn score_field(&mut self, text: &str) -> f64 {
        if text.is_empty() {
            return 0.0;
        }
        self.folded.clear();
        let is_ascii = text.is_ascii();
        if is_ascii {
            self.folded.extend(text.bytes().map(|b| b.to_ascii_lowercase()));
        } else {
            self.folded.extend(fold(text).bytes());
        }
        // Capitals mark parts of words only when folding preserved all offsets.
        let original = if is_ascii { text.as_bytes() } else { &self.folded };
        let mut sum = 0.0;
        for (word, has) in self.words.iter().zip(&mut self.has) {
            let points = points(word, &self.folded, original);
            *has |= points > 0.0;
            sum += points;
        }
        sum
    }
}

fn points(word: &Word, folded: &[u8], original: &[u8]) -> f64 {
    let mut best: f64 = 0.0;
    for at in word.whole.find_iter(folded) {
        if begins_word(original, at) {
            return 1.0;
        }
        best = 0.5;
    }
    let begins_one = |part: &Finder<'_>| part.find_iter(folded).any(|at| begins_word(original, at));
    if best == 0.0 && !word.parts.is_empty() && word.parts.iter().all(begins_one) {
        best = 0.5;
    }
    best
}

/// True if a word, or a part of a compound one, begins at `at`.
fn begins_word(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|at| text.get(at)) else {
        return true;
    };
    let is_capital = text.get(at).is_some_and(u8::is_ascii_uppercase);
    // Non-ASCII bytes nearly always belong to letters.
    !(before.is_ascii_alphanumeric() || *before >= 0x80) || (is_capital && !before.is_ascii_uppercase())
}

/// Returns the words of the query, compound ones with their parts. Stop words are used only when there are no others.
fn words_of(query: &str) -> Vec<Word> {
    let word = |text: &str| Word {
        whole: finder(&fold(text)),
        parts: parts_of(text),
    };
    let runs = written_words(query, "_");
    let mut words: Vec<Word> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for only_telling in [true, false] {
        for run in runs.clone() {
            let folded = fold(run);
            let is_common = query_words(run).iter().all(|word| word.common);
            if (only_telling && is_common) || seen.contains(&folded) {
                continue;
            }
            words.push(word(run));
            seen.push(folded);
        }
        if !words.is_empty() {
            return words;
        }
    }
    // Only punctuation, which is searched literally.
    vec![Word {
        whole: finder(&fold(query.trim())),
        parts: Vec::new(),
    }]
}

/// Returns the parts of a compound word, and the pairs of adjacent characters in scripts without spaces.
fn parts_of(run: &str) -> Vec<Finder<'static>> {
    let folded = fold(run);
    let parts: Vec<String> = query_words(run).into_iter().map(|word| word.text).collect();
    parts
        .iter()
        .filter(|part| **part != folded && folded.contains(part.as_str()))
        .map(|part| finder(part))
        .collect()
}

fn finder(text: &str) -> Finder<'static> {
    Finder::new(text.as_bytes()).into_owned()
}
