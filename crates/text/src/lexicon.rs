//! The lexicon: one table of words and phrases, of which each reader of texts takes the kinds that it needs.
//!
//! `lexicon.txt` is the table. A row begins with `[kind language]`, and commas separate its entries: words, phrases, `word = words`, or
//! `words | words`. Three views of it: all [`entries`] of a kind, [`Phrases`] to be found in a row of words, and what is [`known`] of a
//! single word.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

const TABLE: &str = include_str!("lexicon.txt");

/// The kinds and entries of the rows. The languages are for those who read the table.
static ROWS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = TABLE.split("\n[").skip(1);
    let row = |row: &'static str| {
        let (head, entries) = row.split("\n\n").next()?.split("\n#").next()?.split_once(']')?;
        Some((head.rsplit_once(' ')?.0, entries))
    };
    rows.filter_map(row).collect()
});

/// Returns the entries of a kind in all languages.
pub fn entries(kind: &str) -> impl Iterator<Item = &'static str> {
    let rows = ROWS.iter().filter(move |(of, _)| *of == kind);
    rows.flat_map(|(_, entries)| entries.split(',').map(str::trim))
}

/// Returns the entries of all kinds, each with its kind.
pub fn all_entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = ROWS.iter();
    rows.flat_map(|(kind, entries)| entries.split(',').map(move |entry| (*kind, entry.trim())))
}

/// True if a kind has an entry.
pub fn has(kind: &str, entry: &str) -> bool {
    entries(kind).any(|known| known == entry)
}

/// True if a text has one of the entries of a kind, as a part of a word or not.
pub fn says(text: &str, kind: &str) -> bool {
    let lower = text.to_lowercase();
    entries(kind).any(|entry| lower.contains(entry))
}

/// Returns the two sides of the entries of a kind that say `left = right`.
pub fn pairs(kind: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    entries(kind).filter_map(|entry| entry.split_once('=').map(|(left, right)| (left.trim(), right.trim())))
}

/// Returns the words of a kind.
pub fn words(kind: &str) -> FxHashSet<&'static [u8]> {
    entries(kind).map(str::as_bytes).collect()
}

static STOP_WORDS: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("stop"));

/// True if a folded word is a stop word. A query that consists of stop words still searches for them.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word.as_bytes())
}

/// The role of a word in a statement. docs/duplicates.md explains them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A function word without meaning of its own. It may be added or removed.
    Filler,
    /// Reverses a statement.
    Negation,
    /// Restricts a statement. It may neither be added nor removed.
    Limit,
    /// A member of a family of words that exclude each other, and of a group of synonyms in it. It may be added or removed, but not
    /// replaced by a member of another group.
    Member(u8, u8),
    /// Content that may neither be added nor removed alone: a state, a day, a number.
    Telling,
    /// An inflected form of this word.
    FormOf(&'static str),
    /// A number as a word.
    Number(&'static str),
}

impl Role {
    /// True if a word with it relates content, and is none itself.
    pub(crate) fn is_tie(&self) -> bool {
        matches!(self, Role::Negation | Role::Limit | Role::Member(..))
    }
}

/// The families of exclusive words that the code names, by their places in the table: "must", "all", "up", "in", "on", "and", "to", "by".
pub(crate) mod family {
    pub(crate) const MODAL: u8 = 0;
    /// Quantities, which a content word may replace.
    pub(crate) const QUANTITY: u8 = 1;
    pub(crate) const UP_DOWN: u8 = 4;
    pub(crate) const INSIDE: u8 = 5;
    pub(crate) const SWITCH: u8 = 6;
    pub(crate) const JOINT: u8 = 7;
    pub(crate) const DIRECTION: u8 = 8;
    /// The preposition that names the agent.
    pub(crate) const AGENT: u8 = 10;
}

/// The family of the states "on" and "off", which are prepositions as well.
pub(crate) const SWITCHED: u8 = 2;

/// Declares the kinds of the table that are traits of single words, each with its bit.
macro_rules! traits {
    ($($name:ident $bit:literal $kind:literal,)*) => {
        /// The traits of single words. The table says what each means.
        pub(crate) mod traits {
            $(pub(crate) const $name: u32 = 1 << $bit;)*
            pub(super) const ALL: &[(u32, &str)] = &[$(($name, $kind)),*];
        }
    };
}

traits! {
    REASON 0 "reason", TENTATIVE 1 "tentative", ADDITION 2 "addition", PAST 3 "past", PERSONAL 4 "personal", EPISODE 5 "episode",
    GENERIC 6 "generic", MEASURED 7 "measured", VERSIONED 8 "versioned", RELATION 9 "relation", BE 10 "be", MOVE 11 "move",
    REPLACE 12 "replace", SINCE 13 "since", HEADING 14 "heading", REFERS 15 "refers", QUALIFIES 16 "qualifies", AMENDS 17 "amends",
    CHANGE 18 "change", COUNTED 19 "counted", PROBLEM 20 "problem", TURN 21 "turn", BINDING 22 "binding", PARTICIPLE 23 "participle",
    TURNED 24 "turned", LEADS_VALUE 25 "leads-value", LEADS_CHANGE 26 "leads-change",
}

/// What the table says of a single word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// Its role in a statement, unless it is an ordinary content word.
    pub role: Option<Role>,
    traits: u32,
    /// The family of a unit, and how many of the smallest one it is.
    pub unit: Option<(u8, f64)>,
    /// The family of two states that exclude each other, and whether it is the negative one.
    pub state: Option<(u8, bool)>,
}

impl Known {
    pub(crate) fn has(self, traits: u32) -> bool {
        self.traits & traits != 0
    }
}

static WORDS: LazyLock<FxHashMap<&'static [u8], Known>> = LazyLock::new(|| {
    fn each(known: &mut FxHashMap<&'static [u8], Known>, words: &'static str, put: impl Fn(&mut Known)) {
        for word in words.split_ascii_whitespace() {
            put(known.entry(word.as_bytes()).or_default());
        }
    }
    let mut known = FxHashMap::default();
    let mut roles = |words, role| each(&mut known, words, |word: &mut Known| word.role = Some(role));
    // Of a word with several roles, the last one counts.
    entries("filler").for_each(|word| roles(word, Role::Filler));
    pairs("form").for_each(|(base, forms)| roles(forms, Role::FormOf(base)));
    pairs("number").for_each(|(word, number)| roles(word, Role::Number(number)));
    entries("telling").for_each(|word| roles(word, Role::Telling));
    entries("limit").for_each(|word| roles(word, Role::Limit));
    entries("negation").for_each(|word| roles(word, Role::Negation));
    for (family, groups) in (0..).zip(entries("exclusive")) {
        for (group, words) in (0..).zip(groups.split('|')) {
            roles(words, Role::Member(family, group));
        }
    }
    for (bit, kind) in traits::ALL {
        entries(kind).for_each(|word| each(&mut known, word, |word| word.traits |= bit));
    }
    for (unit, spellings) in pairs("unit") {
        let unit = unit.split_once(' ');
        let unit = unit.and_then(|(family, size)| Some((family.parse().ok()?, size.parse().ok()?)));
        each(&mut known, spellings, |word| word.unit = unit);
    }
    for (family, sides) in (0..).zip(entries("state")) {
        for (words, is_negative) in sides.split('|').zip([false, true]) {
            each(&mut known, words, |word| word.state = Some((family, is_negative)));
        }
    }
    known
});

/// Returns what the table says of a folded word. "It's", "they're" and "we'll" have the role of their first part.
pub(crate) fn known(word: &[u8]) -> Known {
    let known = WORDS.get(word).copied().unwrap_or_default();
    let of_contraction = || {
        let at = word.iter().position(|byte| *byte == b'\'')?;
        let first = || WORDS.get(word.get(..at)?)?.role;
        if word.ends_with(b"n't") {
            Some(Role::Negation)
        } else {
            first()
        }
    };
    Known {
        role: known.role.or_else(of_contraction),
        ..known
    }
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
            phrases.sort_by_key(|(_, rest)| std::cmp::Reverse(rest.len()));
        }
        Phrases { rests, lengths }
    }

    /// Returns the kinds of the phrases that begin with a word, and how many words behind it belong to them; `word_at` returns these.
    pub fn at<'t>(
        &self,
        word: &[u8],
        word_at: impl Fn(usize) -> Option<&'t [u8]>,
    ) -> impl Iterator<Item = (&'static str, usize)> {
        let rests = self.may_begin_with(word).then(|| self.rests.get(word)).flatten();
        let is_there = move |rest: &[&[u8]]| rest.iter().enumerate().all(|(at, wanted)| word_at(at) == Some(wanted));
        let found = rests.into_iter().flatten().filter(move |(_, rest)| is_there(rest));
        found.map(|(kind, rest)| (*kind, rest.len()))
    }

    /// As [`Phrases::at`], of the word at a place among others.
    pub(crate) fn begin_at(&self, words: &[&str], at: usize) -> impl Iterator<Item = (&'static str, usize)> {
        let word_at = move |at: usize| words.get(at).map(|word| word.as_bytes());
        self.at(word_at(at).unwrap_or_default(), move |ahead| word_at(at + 1 + ahead))
    }

    /// False of most words that begin no phrase, by two bytes.
    #[inline]
    fn may_begin_with(&self, word: &[u8]) -> bool {
        let lengths = self.lengths.get(lead_of(word)).copied().unwrap_or_default();
        lengths & bit_of(word) != 0
    }

    /// True if a text with these words contains one of the phrases.
    pub(crate) fn are_in(&self, words: &[&str]) -> bool {
        let mut places = words.iter().enumerate();
        places.any(|(at, word)| self.may_begin_with(word.as_bytes()) && self.begin_at(words, at).next().is_some())
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
                !once
                    .iter()
                    .any(|entry| entry.is_empty() || entry.starts_with('#') || entry.contains("# ")),
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
