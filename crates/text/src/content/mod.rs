//! The content of a text: the words that carry its meaning, and the words that relate them.
//!
//! Dedup compares texts only by their content. docs/duplicates.md has the rule; [`says_the_same`] applies it.

mod likeness;
mod order;
mod spelling;
mod verdict;

pub use likeness::{Statement, cosine, cosine_needed, extra_max};
pub(crate) use spelling::has_same_names;
pub use verdict::{says_no_more, says_the_same};

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::TermHash;
use super::lexicon::traits::{BINDING, PARTICIPLE, TURN};
use super::lexicon::{Known, Phrases, Role, known, words};
use super::stem::root_len;
use super::tokenization::{Case, Gap, Lexeme, Lexemes, Part, Shape, Symbol, split_text};

/// Phrases that have as little meaning as filler.
static REMARKS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind == "remark"));

/// Names whose letters are filler in lower case.
static ACRONYMS: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("acronym"));

/// A content word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// The hash of the stem: the same for all inflections.
    pub key: TermHash,
    /// The hash of the spelling.
    pub form: TermHash,
    /// The number of its lexeme.
    pub lexeme: u32,
    /// The number of its sentence.
    pub sentence: u32,
    /// The number of its clause, between commas, brackets, colons or dashes.
    pub clause: u32,
    /// True if it may neither be added nor removed: a number, an identifier, a path, a name, a state.
    pub is_telling: bool,
    /// True if it has a form that only occurs in code, so that an inflection is another identifier.
    pub is_code: bool,
    /// What separates it from the previous token.
    pub gap: Gap,
}

impl Token {
    /// True if only commas, slashes, "and" or "or" separate it from the previous token.
    fn is_listed(&self) -> bool {
        matches!(self.gap, Gap::Comma | Gap::Slash)
    }
}

/// A word that is not content, but changes the meaning of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// A negation, a limit, or a member of a family.
    pub sense: Role,
    /// The hash of the spelling.
    pub word: TermHash,
    pub sentence: u32,
    /// The number of tokens before it.
    pub at: u32,
    /// True if its two sides must not be exchanged.
    pub is_turn: bool,
    /// True if it may neither be added nor removed.
    pub is_binding: bool,
}

/// The signs of a text that are no punctuation.
#[derive(Debug, Default, Clone)]
pub(super) struct Signs {
    /// Each with the content word that it stands beside, sorted.
    pub beside: Vec<u64>,
    /// Those behind a word, as units are, alone, sorted.
    pub alone: Vec<u64>,
    /// The pictographs at the beginning and the end; 0 without one.
    pub ends: [u64; 2],
}

impl Signs {
    fn clear(&mut self) {
        self.beside.clear();
        self.alone.clear();
        self.ends = [0; 2];
    }

    fn place(&mut self, symbol: &Symbol, before: Option<&Token>, behind: Option<&Token>) {
        let [begin, end] = &mut self.ends;
        if symbol.may_decorate && before.is_none() {
            *begin = begin.rotate_left(1) ^ symbol.hash;
        } else if symbol.may_decorate && behind.is_none() {
            *end = end.rotate_left(1) ^ symbol.hash;
        } else {
            let before = before.filter(|_| !symbol.is_ahead || behind.is_none());
            let behind = behind.filter(|token| before.is_none_or(|before| before.sentence == token.sentence));
            let [left, right] = [before, behind].map(|side| side.map_or(0, |token| token.key));
            self.beside
                .push(symbol.hash ^ left.rotate_left(1) ^ right.rotate_left(2));
            if before.is_some() {
                self.alone.push(symbol.hash);
            }
        }
    }
}

/// The content of a text. Reuse one value for many texts, because it keeps its buffers.
#[derive(Debug, Default, Clone)]
pub struct Reading {
    pub(super) tokens: Vec<Token>,
    pub(super) marks: Vec<Mark>,
    pub(super) signs: Signs,
    lexemes: Lexemes,
}

impl Reading {
    /// Returns the content of a text.
    pub fn of(text: &str) -> Self {
        let mut reading = Reading::default();
        reading.read(text);
        reading
    }

    /// Replaces the text.
    pub fn read(&mut self, text: &str) {
        self.tokens.clear();
        self.marks.clear();
        let mut lexemes = std::mem::take(&mut self.lexemes);
        split_text(text, &mut lexemes);
        self.take(&lexemes, false);
        if self.tokens.is_empty() {
            // "To be or not to be": when a text has no content words, every word counts.
            self.marks.clear();
            self.take(&lexemes, true);
        }
        self.place_signs(&lexemes);
        self.lexemes = lexemes;
    }

    /// Returns the lexemes of the text.
    pub(crate) fn lexemes(&self) -> &Lexemes {
        &self.lexemes
    }

    /// Returns the stems of the content words in the order of the text.
    pub fn words(&self) -> impl Iterator<Item = TermHash> + '_ {
        self.tokens.iter().map(|token| token.key)
    }

    /// Places each sign beside the content words that it belongs to.
    fn place_signs(&mut self, lexemes: &Lexemes) {
        self.signs.clear();
        for symbol in &lexemes.symbols {
            let at = self.tokens.partition_point(|token| (token.lexeme as usize) < symbol.at);
            let before = at.checked_sub(1).and_then(|at| self.tokens.get(at));
            self.signs.place(symbol, before, self.tokens.get(at));
        }
        self.signs.beside.sort_unstable();
        self.signs.alone.sort_unstable();
    }

    fn take(&mut self, lexemes: &Lexemes, everything: bool) {
        let mut skipped = 0;
        let mut gap = Gap::Break;
        let mut clause = 0;
        for (number, lexeme) in lexemes.list.iter().enumerate() {
            gap = gap.max(lexeme.gap);
            clause += u32::from(lexeme.gap > Gap::Space);
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            let word = lexemes.word(number);
            let known = match lexeme.shape {
                Shape::Word if !everything => {
                    let following = |ahead: usize| lexemes.word_in_sentence(number + 1 + ahead, lexeme.sentence);
                    if let Some((_, tail)) = REMARKS.at(word, following).next() {
                        (skipped, gap) = (tail, Gap::Break);
                        continue;
                    }
                    let mut known = known(word);
                    if is_auxiliary(word, following(0)) {
                        known.role = Some(Role::Filler);
                    }
                    known
                }
                _ => Known::default(),
            };
            let sense = match known.role {
                // acme-assets-us, queue A
                Some(Role::Filler) if lexeme.part == Part::Outer || lexemes.is_name(number) => None,
                Some(Role::Filler) if is_acronym(lexemes, number) => None,
                Some(Role::Filler) => {
                    gap = Gap::Break;
                    continue;
                }
                role => role.filter(|role| role.is_tie()),
            };
            let Some(sense) = sense else {
                let mut token = token_of(lexeme, clause, word, known.role, gap);
                token.lexeme = u32::try_from(number).unwrap_or(u32::MAX);
                self.tokens.push(token);
                gap = Gap::Space;
                continue;
            };
            let joins = matches!(word, b"and" | b"or" | b"&");
            gap = gap.max(if joins { Gap::Comma } else { Gap::Break });
            self.marks.push(Mark {
                sense,
                word: xxh3_64(word),
                sentence: lexeme.sentence,
                at: u32::try_from(self.tokens.len()).unwrap_or(u32::MAX),
                is_turn: known.has(TURN),
                is_binding: known.has(BINDING),
            });
        }
    }
}

/// True of "IT" and "US", unless all around is written in capitals.
fn is_acronym(lexemes: &Lexemes, number: usize) -> bool {
    let mut around = [number.wrapping_sub(1), number + 1]
        .into_iter()
        .filter_map(|at| lexemes.list.get(at));
    let own = lexemes.list.get(number).is_some_and(|own| own.case == Case::Capitals);
    own && ACRONYMS.contains(lexemes.word(number)) && around.any(|near| near.case == Case::Plain)
}

/// True if a word only forms a passive with the next one: "gets deleted" is "is deleted".
fn is_auxiliary(word: &[u8], next: Option<&[u8]>) -> bool {
    let is_participle = |next: &[u8]| (next.len() > 4 && next.ends_with(b"ed")) || known(next).has(PARTICIPLE);
    matches!(word, b"get" | b"gets" | b"got" | b"getting") && next.is_some_and(is_participle)
}

/// Returns the part that all inflections of a word have in common.
pub(crate) fn root_of<'w>(lexeme: &Lexeme, word: &'w [u8], role: Option<Role>) -> &'w [u8] {
    let spelt = match role {
        Some(Role::FormOf(base)) => base.as_bytes(),
        Some(Role::Number(digits)) => digits.as_bytes(),
        _ => word,
    };
    let root = match lexeme.shape {
        Shape::Exact => spelt.len(),
        Shape::Word | Shape::Code => root_len(spelt),
    };
    spelt.get(..root).unwrap_or(spelt)
}

fn token_of(lexeme: &Lexeme, clause: u32, word: &[u8], role: Option<Role>, gap: Gap) -> Token {
    let is_telling = match role {
        Some(Role::FormOf(_)) => false,
        Some(Role::Number(_) | Role::Telling) => true,
        _ => lexeme.shape != Shape::Word,
    };
    Token {
        key: xxh3_64(root_of(lexeme, word, role)),
        form: xxh3_64(word),
        lexeme: 0,
        sentence: lexeme.sentence,
        clause,
        is_telling: is_telling || lexeme.is_capital || lexeme.part != Part::Whole,
        is_code: lexeme.shape == Shape::Code,
        gap,
    }
}

#[cfg(test)]
mod tests;
