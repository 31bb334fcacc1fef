//! The terms of a text: what the index finds it by.
//!
//! Every word is indexed under its stem; the spelling is a term of its own only where it differs from the stem, so that a word in
//! its base form costs one posting. An identifier stands in the text with its parts; the whole is a term without a place.

use std::ops::Range;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::fold;
use super::identifier::{Parts, is_compound};
use super::snowball::{stem, stem_ascii, transliterate};
use super::tokenization::{Token, each_token, normalize};

/// A term's name in the index: a hash of its folded form.
pub type TermHash = u64;

/// Keeps stems apart from the spellings they look like.
const STEM_SALT: u64 = 0x53_74_65_6d_53_74_65_6d;
/// Keeps second spellings (`groesse` of `größe`) apart from words that are spelt so.
const SECOND_SALT: u64 = 0x32_6e_64_53_32_6e_64_53;
/// Keeps whole tags, which filters ask for, apart from the words in them.
const TAG_SALT: u64 = 0x54_61_67_54_61_67_54_61;

/// How many spellings an analyzer remembers before it starts again.
const KNOWN_MAX: usize = 1 << 16;
/// Shorter and longer words are neither corrected nor completed.
const LETTERS: Range<usize> = 3..25;

/// Returns the term of a stem, or of anything that has no other forms.
pub(super) fn stem_term(stem: &str) -> TermHash {
    xxh3_64(stem.as_bytes()) ^ STEM_SALT
}

/// Returns the term of a folded spelling.
pub(super) fn spelling_term(word: &str) -> TermHash {
    xxh3_64(word.as_bytes())
}

/// Returns the term under which a word with umlauts stands beside its own.
pub(super) fn second_term(stem: &str) -> TermHash {
    xxh3_64(stem.as_bytes()) ^ SECOND_SALT
}

/// Returns the term a filter on `tag` asks for.
pub fn tag_term(tag: &str) -> TermHash {
    xxh3_64(fold(tag.trim()).as_bytes()) ^ TAG_SALT
}

/// The terms of one text. Reuse one value for many texts: it remembers the terms of every spelling it has met, which is
/// several times quicker than finding them out again.
#[derive(Debug, Default, Clone)]
pub struct Terms {
    /// Stems in the order of the text, the parts of an identifier in its place.
    pub words: Vec<TermHash>,
    /// Terms without a place: whole identifiers, second spellings, pairs of neighbouring characters in scripts without spaces.
    pub extras: Vec<TermHash>,
    /// Spellings that differ from their stem.
    pub spellings: Vec<TermHash>,
    known: FxHashMap<u64, Known>,
    /// The terms of the known spellings, one after the other.
    terms: Vec<TermHash>,
    vocabulary: Option<Vocabulary>,
}

/// Where the terms of a spelling are: its words, its extras, its spellings.
#[derive(Debug, Clone, Copy)]
struct Known {
    start: u32,
    words: u16,
    extras: u16,
    spellings: u16,
}

/// The terms of a spelling that have no place.
#[derive(Debug, Default)]
struct Placeless {
    extras: Vec<TermHash>,
    spellings: Vec<TermHash>,
}

/// Spellings of words, one after the other.
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

    /// Returns the spellings in the order in which they were met, some of them more than once.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let from = std::mem::replace(&mut start, *end as usize);
            self.letters.get(from..*end as usize).unwrap_or_default()
        })
    }
}

/// Tells whether a folded word is one that a typing mistake may have made of another: letters alone, neither few nor many.
pub(crate) fn is_correctable(word: &str) -> bool {
    LETTERS.contains(&word.chars().count()) && word.chars().all(char::is_alphabetic)
}

impl Terms {
    /// Returns one that keeps the spellings it meets.
    pub fn with_vocabulary() -> Self {
        Terms {
            vocabulary: Some(Vocabulary::default()),
            ..Terms::default()
        }
    }

    /// Forgets the terms of the text, and nothing else.
    pub fn clear(&mut self) {
        self.words.clear();
        self.extras.clear();
        self.spellings.clear();
    }

    /// Returns the spellings that were met so far, if they are kept.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.vocabulary.as_ref()
    }

    /// Adds the terms of `text`.
    pub fn add(&mut self, text: &str) {
        each_token(&normalize(text), |token| match token {
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
        if run.is_ascii() {
            self.learn_ascii(run, &mut others);
        } else {
            self.learn_word(&fold(run), &mut others);
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

    fn learn_ascii(&mut self, run: &str, others: &mut Placeless) {
        let folded = run.to_ascii_lowercase();
        if !is_compound(run.as_bytes()) {
            return self.learn_word(&folded, others);
        }
        for (from, to) in Parts::new(run.as_bytes()) {
            self.learn_word(folded.get(from..to).unwrap_or_default(), others);
        }
        let stem = stem_ascii(&folded);
        others.extras.push(stem_term(&stem));
        if stem != folded {
            others.spellings.push(spelling_term(&folded));
        }
        self.spell(&folded);
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

/// Returns the term of two neighbouring characters of a script without spaces.
pub(super) fn pair_term(first: char, second: char) -> TermHash {
    let mut bytes = [0_u8; 8];
    let mut len = first.encode_utf8(&mut bytes).len();
    if let Some(rest) = bytes.get_mut(len..) {
        len += second.encode_utf8(rest).len();
    }
    xxh3_64(bytes.get(..len).unwrap_or_default()) ^ STEM_SALT
}
