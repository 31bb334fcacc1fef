//! Spelling correction of query words that no record contains: compounds are split when both parts are known, the last word is completed,
//! and all others are corrected by edit distance. The first letter is assumed to be right (Pollock and Zamora, "Automatic spelling
//! correction in scientific and scholarly text", 1984), so only spellings that begin with it are compared.
//!
//! Costs nothing while all words are known, because that follows from the posting lists that the search looks up anyway.

use super::part::Part;
use crate::text::edit_distance::EditDistance;
use crate::text::{QueryWord, TermHash, asked_words, is_correctable, joined_neighbours};
use schemars::JsonSchema;
use serde::Serialize;

/// Words with more letters may have two mistakes, shorter ones one, and those with fewer than four letters none.
const LETTERS_FOR_TWO: usize = 8;
const LETTERS_FOR_ONE: usize = 4;
const CORRECTIONS_MAX: usize = 2;
const COMPLETIONS_MAX: usize = 8;
/// The minimum number of letters of a compound's part.
const PART_LETTERS_MIN: usize = 3;
/// The maximum number of words per query that are corrected.
const UNKNOWN_MAX: usize = 8;
/// The weight of a replacement.
const CORRECTED_WEIGHT: f32 = 0.8;
const COMPLETED_WEIGHT: f32 = 0.7;

/// A word of a query that no record contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    /// The word, in lower case.
    pub word: String,
    /// The words that were searched instead, the most frequent first.
    pub taken_for: Vec<String>,
}

/// The words that the texts of a memory or of a store have.
pub trait KnownWords {
    /// Returns the number of texts with a term.
    fn count(&self, term: TermHash) -> u32;

    /// True if any text has a term.
    fn has(&self, term: TermHash) -> bool {
        self.count(term) > 0
    }

    /// Calls `visit` with the spellings that begin with a letter, and perhaps others, and how many bytes each has in common with the one before.
    fn each_spelling(&self, first: char, visit: &mut dyn FnMut(&str, usize));
}

impl KnownWords for [Part<'_>] {
    fn count(&self, term: TermHash) -> u32 {
        let lists = self.iter().filter_map(|part| part.postings(term));
        lists.map(|postings| postings.count()).sum()
    }

    fn has(&self, term: TermHash) -> bool {
        self.iter().any(|part| part.postings(term).is_some())
    }

    fn each_spelling(&self, first: char, visit: &mut dyn FnMut(&str, usize)) {
        for part in self {
            part.each_spelling(first, &mut *visit);
        }
    }
}

/// Returns the words to search, and the corrections.
pub fn forgiving_words<K: KnownWords + ?Sized>(query: &str, known: &K) -> (Vec<QueryWord>, Vec<Correction>) {
    let typed = asked_words(query);
    let memory = Memory { known };
    let last = typed.len().saturating_sub(1);
    let (mut words, mut corrections) = (Vec::with_capacity(typed.len()), Vec::new());
    for (number, word) in typed.into_iter().enumerate() {
        let is_open = !word.common && !word.has_parts && is_correctable(&word.text);
        if !is_open || corrections.len() == UNKNOWN_MAX || memory.knows(&word) {
            words.push(word);
            continue;
        }
        let found = memory.replace(&word, number == last);
        if found.is_empty() {
            words.push(word);
            continue;
        }
        corrections.push(Correction {
            taken_for: found.iter().map(|found| found.text.clone()).collect(),
            word: word.text.clone(),
        });
        words.extend(found);
    }
    for joined in joined_neighbours(query) {
        let word = QueryWord::joined(&joined);
        if memory.knows(&word) && words.iter().all(|other| other.stems.first() != word.stems.first()) {
            words.push(word);
        }
    }
    (words, corrections)
}

struct Memory<'k, K: ?Sized> {
    known: &'k K,
}

impl<K: KnownWords + ?Sized> Memory<'_, K> {
    /// Returns the number of records that contain a word in one of its forms.
    fn count_of(&self, word: &QueryWord) -> u32 {
        word.stems.iter().map(|term| self.known.count(*term)).sum()
    }

    fn knows(&self, word: &QueryWord) -> bool {
        let mut terms = word.meant().chain(word.spellings.iter().copied());
        terms.any(|term| self.known.has(term))
    }

    fn replace(&self, word: &QueryWord, is_last: bool) -> Vec<QueryWord> {
        let apart = self.take_apart(&word.text);
        if !apart.is_empty() {
            return apart;
        }
        let (completions, corrections) = self.find_similar(&word.text, is_last);
        let (found, weight) = if completions.is_empty() {
            (self.most_frequent(corrections, CORRECTIONS_MAX), CORRECTED_WEIGHT)
        } else {
            (self.most_frequent(completions, COMPLETIONS_MAX), COMPLETED_WEIGHT)
        };
        let mut words: Vec<QueryWord> = Vec::with_capacity(found.len());
        for spelling in found {
            let found = QueryWord::of(&spelling, weight * word.weight);
            if words.iter().all(|other| other.stems != found.stems) {
                words.push(found);
            }
        }
        words
    }

    /// Splits a compound into two known words: `appsettings`, `shutdown`. Of several splits, the one whose rarer part is most frequent.
    fn take_apart(&self, word: &str) -> Vec<QueryWord> {
        let mut best = (0, Vec::new());
        for (at, _) in word.char_indices() {
            let (one, other) = word.split_at(at);
            if one.chars().count() < PART_LETTERS_MIN || other.chars().count() < PART_LETTERS_MIN {
                continue;
            }
            let parts = [one, other].map(|part| QueryWord::of(part, 1.0));
            if parts.iter().any(|part| part.common) {
                continue;
            }
            let least = parts.iter().map(|part| self.count_of(part)).min().unwrap_or(0);
            if least > best.0 {
                best = (least, parts.to_vec());
            }
        }
        best.1
    }

    /// Returns the completions of a word, if it may be completed, and the spellings with the smallest distance.
    fn find_similar(&self, word: &str, is_last: bool) -> (Vec<String>, Vec<String>) {
        let letters = word.chars().count();
        let mut nearest = match letters {
            ..LETTERS_FOR_ONE => 0,
            LETTERS_FOR_ONE..LETTERS_FOR_TWO => 1,
            _ => 2,
        };
        let (mut completions, mut corrections) = (Vec::new(), Vec::new());
        let Some(first) = word.chars().next() else {
            return (completions, corrections);
        };
        let mut distance = EditDistance::new(word, nearest);
        self.known.each_spelling(first, &mut |spelling, shared| {
            if is_last && spelling.starts_with(word) {
                completions.push(spelling.to_owned());
            }
            let found = distance.of(spelling, shared);
            let Some(found) = found.filter(|found| (1..=nearest).contains(found) && spelling.starts_with(first)) else {
                return;
            };
            if found < nearest {
                nearest = found;
                corrections.clear();
            }
            corrections.push(spelling.to_owned());
        });
        (completions, corrections)
    }

    /// Returns the most frequent spellings; equals in alphabetical order.
    fn most_frequent(&self, mut spellings: Vec<String>, limit: usize) -> Vec<String> {
        spellings.sort_unstable();
        spellings.dedup();
        let mut counted: Vec<(u32, String)> = spellings
            .into_iter()
            .map(|spelling| (self.count_of(&QueryWord::of(&spelling, 1.0)), spelling))
            .filter(|(count, _)| *count > 0)
            .collect();
        counted.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        counted.truncate(limit);
        counted.into_iter().map(|(_, spelling)| spelling).collect()
    }
}
