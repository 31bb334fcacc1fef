//! The index terms of a text.
//!
//! Every word is indexed under its stem; the spelling is a term of its own only where it differs from the stem, so that a
//! word in its base form has one posting. The parts of an identifier, or of a number with signs, are indexed at its position, and the whole
//! without a position.

use std::ops::Range;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::fold;
use super::identifier::parts_of;
use super::snowball::{stem, stem_ascii, transliterate};
use super::tokenization::{Token, each_token, normalize};

/// A term in the index: a hash of its folded form.
pub type TermHash = u64;

/// Distinguishes stems from equal spellings.
const STEM_SALT: u64 = 0x53_74_65_6d_53_74_65_6d;
/// Distinguishes alternative spellings (`groesse` of `größe`) from equal words.
const SECOND_SALT: u64 = 0x32_6e_64_53_32_6e_64_53;
/// Distinguishes whole tags, for filters, from the words in them.
const TAG_SALT: u64 = 0x54_61_67_54_61_67_54_61;

/// The maximum number of spellings in the cache of an analyzer, which is then cleared.
const KNOWN_MAX: usize = 1 << 16;
/// The lengths of words that are corrected and completed.
const LETTERS: Range<usize> = 3..25;

/// Returns the term of a stem, or of anything without inflections.
pub(super) fn stem_term(stem: &str) -> TermHash {
    xxh3_64(stem.as_bytes()) ^ STEM_SALT
}

/// Returns the text of a number: a decimal comma is a dot.
pub(super) fn number_text(number: &str) -> String {
    fold(number).replace(',', ".")
}

/// Returns the term of a folded spelling.
pub(super) fn spelling_term(word: &str) -> TermHash {
    xxh3_64(word.as_bytes())
}

/// Returns the term of a word's alternative spelling.
pub(super) fn second_term(stem: &str) -> TermHash {
    xxh3_64(stem.as_bytes()) ^ SECOND_SALT
}

/// Returns the term for a filter on `tag`.
pub fn tag_term(tag: &str) -> TermHash {
    xxh3_64(fold(tag.trim()).as_bytes()) ^ TAG_SALT
}

/// The terms of a text. Reuse one value for many texts: it caches the terms of every spelling, which is several times
/// faster than computing them.
#[derive(Debug, Default, Clone)]
pub struct Terms {
    /// Stems in the order of the text, with the parts of an identifier at its position.
    pub words: Vec<TermHash>,
    /// Terms without a position: whole identifiers and numbers, alternative spellings, bigrams of scripts without spaces.
    pub extras: Vec<TermHash>,
    /// Spellings that differ from their stem.
    pub spellings: Vec<TermHash>,
    known: FxHashMap<u64, Known>,
    /// The terms of the cached spellings, concatenated.
    terms: Vec<TermHash>,
    vocabulary: Option<Vocabulary>,
}

/// The ranges of a spelling's terms: words, extras, spellings.
#[derive(Debug, Clone, Copy)]
struct Known {
    start: u32,
    words: u16,
    extras: u16,
    spellings: u16,
}

/// The terms of a spelling without a position.
#[derive(Debug, Default)]
struct Placeless {
    extras: Vec<TermHash>,
    spellings: Vec<TermHash>,
}

/// Spellings of words, concatenated.
#[derive(Debug, Default, Clone)]
pub struct Vocabulary {
    letters: String,
    ends: Vec<u32>,
}

impl Vocabulary {
    fn push(&mut self, word: &str) {
        if word.len() < LETTERS.start || !is_correctable(word) {
            return;
        }
        if let Ok(end) = u32::try_from(self.letters.len() + word.len()) {
            self.letters.push_str(word);
            self.ends.push(end);
        }
    }

    /// Iterates over the spellings in order of appearance; some occur more than once.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let from = std::mem::replace(&mut start, *end as usize);
            self.letters.get(from..*end as usize).unwrap_or_default()
        })
    }
}

/// True if a folded word can be a typing mistake: only letters, neither few nor many.
pub fn is_correctable(word: &str) -> bool {
    LETTERS.contains(&word.chars().count()) && word.chars().all(char::is_alphabetic)
}

impl Terms {
    /// Returns a value that also collects spellings.
    pub fn with_vocabulary() -> Self {
        Terms {
            vocabulary: Some(Vocabulary::default()),
            ..Terms::default()
        }
    }

    /// Clears the terms of the text, but not the cache.
    pub fn clear(&mut self) {
        self.words.clear();
        self.extras.clear();
        self.spellings.clear();
    }

    /// Returns the collected spellings, if it collects them.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.vocabulary.as_ref()
    }

    /// Adds the terms of `text`.
    pub fn add(&mut self, text: &str) {
        each_token(&normalize(text), |_, token| match token {
            Token::Run { text, signed } => {
                self.add_run(text);
                if let Some(name) = signed {
                    self.extras.push(stem_term(&fold(name)));
                }
            }
            Token::Spaceless { before, c } => {
                let mut bytes = [0; 8];
                self.words.push(stem_term(c.encode_utf8(&mut bytes)));
                if let Some(before) = before {
                    self.extras.push(pair_term(before, c));
                }
            }
            Token::Number(number) => self.extras.push(stem_term(&number_text(number))),
            Token::Emoji(c) => self.words.push(stem_term(c.encode_utf8(&mut [0; 4]))),
        });
    }

    fn add_run(&mut self, run: &str) {
        let key = xxh3_64(run.as_bytes());
        let known = match self.known.get(&key) {
            Some(known) => *known,
            None => self.learn(key, run),
        };
        let mut start = known.start as usize;
        let lists = [
            (&mut self.words, known.words),
            (&mut self.extras, known.extras),
            (&mut self.spellings, known.spellings),
        ];
        for (list, count) in lists {
            let end = start + usize::from(count);
            list.extend_from_slice(self.terms.get(start..end).unwrap_or_default());
            start = end;
        }
    }

    #[cold]
    fn learn(&mut self, key: u64, run: &str) -> Known {
        if self.known.len() >= KNOWN_MAX {
            self.known.clear();
            self.terms.clear();
        }
        let start = self.terms.len();
        let mut others = Placeless::default();
        let folded = fold(run);
        match parts_of(run) {
            None => self.learn_word(&folded, &mut others),
            Some(parts) => {
                for (from, to) in parts {
                    self.learn_word(folded.get(from..to).unwrap_or_default(), &mut others);
                }
                let stem = stem_ascii(&folded);
                others.extras.push(stem_term(&stem));
                if stem != folded {
                    others.spellings.push(spelling_term(&folded));
                }
                self.spell(&folded);
            }
        }
        let words = self.terms.len() - start;
        let counts = (others.extras.len(), others.spellings.len());
        self.terms.append(&mut others.extras);
        self.terms.append(&mut others.spellings);
        let count = |of: usize| u16::try_from(of).unwrap_or(u16::MAX);
        let known = Known {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            words: count(words),
            extras: count(counts.0),
            spellings: count(counts.1),
        };
        self.known.insert(key, known);
        known
    }

    fn learn_word(&mut self, folded: &str, others: &mut Placeless) {
        let stem = stem(folded);
        self.terms.push(stem_term(&stem));
        if stem != folded {
            others.spellings.push(spelling_term(folded));
        }
        if let Some(second) = transliterate(folded) {
            others.extras.push(second_term(&second));
        }
        self.spell(folded);
    }

    fn spell(&mut self, folded: &str) {
        if let Some(vocabulary) = &mut self.vocabulary {
            vocabulary.push(folded);
        }
    }
}

/// Returns the term of two adjacent characters of a script without spaces (bigram).
pub(super) fn pair_term(first: char, second: char) -> TermHash {
    let mut bytes = [0_u8; 8];
    let mut len = first.encode_utf8(&mut bytes).len();
    if let Some(rest) = bytes.get_mut(len..) {
        len += second.encode_utf8(rest).len();
    }
    xxh3_64(bytes.get(..len).unwrap_or_default()) ^ STEM_SALT
}
