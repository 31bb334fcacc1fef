//! The lexicon: one table of words and phrases, of which each reader of texts takes the kinds that it needs.
//!
//! `lexicon.txt` is the table. A row begins with `[kind language]`, and commas separate its entries: words, phrases, `word = words`, or
//! `words | words`. The meaning of a kind is explained where it is used.

use std::sync::LazyLock;

use forge_memory_sorting::Arrange;
use rustc_hash::{FxHashMap, FxHashSet};

const TABLE: &str = include_str!("lexicon.txt");

/// The kinds and entries of the rows. The languages are for those who read the table.
static ROWS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = TABLE.split("\n[").skip(1);
    let row = |row: &'static str| {
        let (head, entries) = row.split("\n\n").next()?.split_once(']')?;
        Some((head.rsplit_once(' ')?.0, entries))
    };
    rows.filter_map(row).collect()
});

/// Returns the entries of a kind in all languages.
pub fn entries(kind: &str) -> impl Iterator<Item = &'static str> {
    let rows = ROWS.iter().filter(move |(of, _)| *of == kind);
    rows.flat_map(|(_, entries)| entries.split(',').map(str::trim))
}

/// Returns the two sides of the entries of a kind that say `left = right`.
pub(crate) fn pairs(kind: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    entries(kind).filter_map(|entry| entry.split_once('=').map(|(left, right)| (left.trim(), right.trim())))
}

/// Returns the words of a kind.
pub(crate) fn words(kind: &str) -> FxHashSet<&'static [u8]> {
    entries(kind).map(str::as_bytes).collect()
}

static STOP_WORDS: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("stop"));

/// True if a folded word is a stop word. A query that consists of stop words still searches for them.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word.as_bytes())
}

/// The phrases of some kinds. Every hit of every search is looked through for some, so most words are told apart by two bytes.
#[derive(Debug)]
pub struct Phrases {
    /// The phrases behind their first words, longer ones first, with their kinds.
    rests: FxHashMap<&'static [u8], Vec<Phrase>>,
    /// The lengths of the first words that begin with a byte, as bits.
    lengths: [u32; 256],
}

type Phrase = (&'static str, Vec<&'static [u8]>);

impl Phrases {
    /// Returns the phrases of the kinds that are wanted.
    pub fn of(is_wanted: impl Fn(&str) -> bool) -> Self {
        let mut rests: FxHashMap<&[u8], Vec<Phrase>> = FxHashMap::default();
        let mut lengths = [0; 256];
        for (kind, row) in ROWS.iter().filter(|(kind, _)| is_wanted(kind)) {
            for entry in row.split(',') {
                let mut words = entry.split_ascii_whitespace().map(str::as_bytes);
                let first = words.next().unwrap_or_default();
                lengths
                    .get_mut(lead_of(first))
                    .into_iter()
                    .for_each(|lengths| *lengths |= bit_of(first));
                rests.entry(first).or_default().push((kind, words.collect()));
            }
        }
        for phrases in rests.values_mut() {
            phrases.arrange_by_key(|(_, rest)| std::cmp::Reverse(rest.len()));
        }
        Phrases { rests, lengths }
    }

    /// Returns the kinds of the phrases that begin with a word, and how many words behind it belong to them; `word_at` returns these.
    pub fn at<'t>(
        &self,
        word: &[u8],
        word_at: impl Fn(usize) -> Option<&'t [u8]>,
    ) -> impl Iterator<Item = (&'static str, usize)> {
        let lengths = self.lengths.get(lead_of(word)).copied().unwrap_or_default();
        let rests = (lengths & bit_of(word) != 0).then(|| self.rests.get(word)).flatten();
        let is_there = move |rest: &[&[u8]]| rest.iter().enumerate().all(|(at, wanted)| word_at(at) == Some(wanted));
        let found = rests.into_iter().flatten().filter(move |(_, rest)| is_there(rest));
        found.map(|(kind, rest)| (*kind, rest.len()))
    }

    /// True if a text with these words contains one of the phrases.
    pub(crate) fn are_in(&self, words: &[&str]) -> bool {
        let word_at = |at: usize| words.get(at).map(|word| word.as_bytes());
        let mut places = words.iter().enumerate();
        places.any(|(at, word)| {
            self.at(word.as_bytes(), |ahead| word_at(at + 1 + ahead))
                .next()
                .is_some()
        })
    }
}

fn lead_of(word: &[u8]) -> usize {
    word.first().copied().unwrap_or_default().into()
}

/// The length of a word as a bit.
fn bit_of(word: &[u8]) -> u32 {
    1 << word.len().min(31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_kind_and_a_language_and_no_entry_is_empty_or_there_twice() {
        assert_eq!(ROWS.len(), TABLE.matches("\n[").count());
        for (kind, row) in ROWS.iter().filter(|(kind, _)| *kind != "exclusive") {
            let entries: Vec<&str> = row.split(',').map(str::trim).collect();
            let once: FxHashSet<&str> = entries.iter().copied().collect();
            assert_eq!(once.len(), entries.len(), "an entry of {kind} is there twice");
            assert!(
                !once.iter().any(|entry| entry.is_empty() || entry.starts_with('#')),
                "{kind}"
            );
        }
    }

    #[test]
    fn the_words_of_questions_are_stop_words() {
        for word in "who what where when why how which did does about not he she they me my a your".split(' ') {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["test", "off", "down", "out", "under", "now", "new"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }

    #[test]
    fn the_longest_phrase_is_found_first_and_none_in_other_words() {
        let remarks = Phrases::of(|kind| kind == "remark");
        let words = ["keep", "in", "mind", "that"];
        let tail = remarks.at(b"keep", |at| words.get(at + 1).map(|word| word.as_bytes()));
        assert_eq!(tail.collect::<Vec<_>>(), [("remark", 3), ("remark", 2)]);
        assert!(remarks.are_in(&words) && !remarks.are_in(&["keep", "in", "shape"]) && !remarks.are_in(&[]));
    }
}
