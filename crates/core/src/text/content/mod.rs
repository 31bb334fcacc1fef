//! What a text says, as opposed to how: the words that carry its meaning, and what ties them together.
//!
//! Dedup compares texts by this and by nothing else. docs/duplicates.md has the rule; [`says_the_same`] applies it.

mod chunk;
mod code;
mod lexicon;
mod likeness;
mod number;
mod order;
mod phrase;
mod piece;
mod verdict;

pub use likeness::{Statement, cosine, cosine_needed, extra_max};
pub use verdict::says_the_same;

use xxhash_rust::xxh3::xxh3_64;

use super::TermHash;
use super::stem::root_len;
use chunk::split_text;
use lexicon::{BINDING, Role, TURNS, is_auxiliary, role_of};
use phrase::phrase_tail;
use piece::{Gap, Part, Piece, Pieces, Shape};

/// One word of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// The same for all inflections of a word.
    pub key: TermHash,
    /// The same for one spelling only.
    pub form: TermHash,
    /// Number of the sentence it is in.
    pub sentence: u32,
    /// Number of the part between commas, brackets, colons or dashes that it is in.
    pub clause: u32,
    /// It may neither come nor go: a number, an identifier, a path, a name, a state.
    pub is_telling: bool,
    /// It stands in a shape that only code has; its inflections are other identifiers.
    pub is_code: bool,
    /// Nothing but commas, "and" or "or" stands between it and the token before.
    pub is_listed: bool,
}

/// A word that is no content itself but changes what the content says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub sense: Sense,
    /// The spelling.
    pub word: TermHash,
    pub sentence: u32,
    /// How many tokens stand before it.
    pub at: u32,
    /// Its two sides may not be exchanged.
    pub is_turn: bool,
    /// It may neither come nor go.
    pub is_binding: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Negation,
    Limit,
    Member { family: u8, group: u8 },
}

/// A text, read for what it says. Reuse one value for many texts: its buffers stay.
#[derive(Debug, Default, Clone)]
pub struct Reading {
    pub(super) tokens: Vec<Token>,
    pub(super) marks: Vec<Mark>,
    pieces: Pieces,
}

impl Reading {
    /// Returns the reading of a text.
    pub fn of(text: &str) -> Self {
        let mut reading = Reading::default();
        reading.read(text);
        reading
    }

    /// Reads another text.
    pub fn read(&mut self, text: &str) {
        self.tokens.clear();
        self.marks.clear();
        let mut pieces = std::mem::take(&mut self.pieces);
        split_text(text, &mut pieces);
        self.take(&pieces, false);
        if self.tokens.is_empty() {
            // "To be or not to be": where nothing else is said, every word counts.
            self.marks.clear();
            self.take(&pieces, true);
        }
        self.pieces = pieces;
    }

    /// Returns the words of content in the order of the text, inflections of one word being the same.
    pub fn words(&self) -> impl Iterator<Item = TermHash> + '_ {
        self.tokens.iter().map(|token| token.key)
    }

    fn take(&mut self, pieces: &Pieces, everything: bool) {
        let mut skipped = 0;
        let mut gap = Gap::Break;
        let mut clause = 0;
        for (number, piece) in pieces.list.iter().enumerate() {
            gap = gap.max(piece.gap);
            clause += u32::from(piece.gap > Gap::Space);
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            let word = pieces.word(number);
            let role = match piece.shape {
                Shape::Word if !everything => {
                    let following = |ahead: usize| pieces.word_in_sentence(number + 1 + ahead, piece.sentence);
                    if let Some(tail) = phrase_tail(word, following) {
                        (skipped, gap) = (tail, Gap::Break);
                        continue;
                    }
                    if is_auxiliary(word, following(0)) {
                        Some(Role::Filler)
                    } else {
                        role_of(word)
                    }
                }
                _ => None,
            };
            let sense = match role {
                // acme-assets-us, queue A
                Some(Role::Filler) if piece.part == Part::Outer || pieces.is_name(number) => None,
                Some(Role::Filler) => {
                    gap = Gap::Break;
                    continue;
                }
                Some(Role::Negation) => Some(Sense::Negation),
                Some(Role::Limit) => Some(Sense::Limit),
                Some(Role::Member { family, group }) => Some(Sense::Member { family, group }),
                _ => None,
            };
            let Some(sense) = sense else {
                self.tokens.push(token_of(piece, clause, word, role, gap == Gap::Comma));
                gap = Gap::Space;
                continue;
            };
            let joins = matches!(word, b"and" | b"or" | b"&");
            gap = gap.max(if joins { Gap::Comma } else { Gap::Break });
            self.marks.push(Mark {
                sense,
                word: xxh3_64(word),
                sentence: piece.sentence,
                at: u32::try_from(self.tokens.len()).unwrap_or(u32::MAX),
                is_turn: TURNS.contains(&word),
                is_binding: BINDING.contains(&word),
            });
        }
    }
}

fn token_of(piece: &Piece, clause: u32, word: &[u8], role: Option<Role>, is_listed: bool) -> Token {
    let (spelt, is_telling) = match role {
        Some(Role::FormOf(base)) => (base.as_bytes(), false),
        Some(Role::Number(digits)) => (digits.as_bytes(), true),
        Some(Role::Telling) => (word, true),
        _ => (word, piece.shape != Shape::Word),
    };
    let root = match piece.shape {
        Shape::Exact => spelt.len(),
        Shape::Word | Shape::Code => root_len(spelt),
    };
    Token {
        key: xxh3_64(spelt.get(..root).unwrap_or(spelt)),
        form: xxh3_64(word),
        sentence: piece.sentence,
        clause,
        is_telling: is_telling || piece.is_capital || piece.part != Part::Whole,
        is_code: piece.shape == Shape::Code,
        is_listed,
    }
}

#[cfg(test)]
mod tests;
