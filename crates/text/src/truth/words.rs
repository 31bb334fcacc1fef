//! The words of a sentence, from the lexemes that the duplicate check has read.

use xxhash_rust::xxh3::xxh3_64;

use crate::content::root_of;
use crate::lexicon::traits::{GENERIC, VERSIONED};
use crate::lexicon::{Known, Role, known};
use crate::tokenization::{Form, Gap, Lexeme, Lexemes, Part};

/// A word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'s> {
    pub text: &'s [u8],
    /// The hash of its root, the same for all inflections.
    pub key: u64,
    /// What the lexicon says of it.
    pub known: Known,
    pub lexeme: &'s Lexeme,
    /// True if a comma, a bracket, a colon or a dash is between it and the next one.
    pub breaks: bool,
}

impl Word<'_> {
    pub fn has(&self, traits: u32) -> bool {
        self.known.has(traits)
    }

    pub fn is(&self, words: &[&str]) -> bool {
        words.iter().any(|word| word.as_bytes() == self.text)
    }

    pub fn is_number(&self) -> bool {
        self.lexeme.form == Form::Plain && self.text.first().is_some_and(u8::is_ascii_digit)
    }

    pub fn is_negation(&self) -> bool {
        self.known.role == Some(Role::Negation) && !self.is(&["without"])
    }

    pub fn is_filler(&self) -> bool {
        self.known.role == Some(Role::Filler)
    }

    /// True if it carries meaning of its own.
    pub fn is_content(&self) -> bool {
        let is_tie = || self.known.role.is_some_and(|role| role.is_tie());
        self.lexeme.quote > 0 || !(self.is_filler() || is_tie() || self.has(GENERIC))
    }

    /// True if it is written as a name is, or as code.
    pub fn is_name(&self) -> bool {
        self.lexeme.is_capital
            || self.lexeme.quote > 0
            || self.lexeme.form != Form::Plain
            || self.lexeme.is_code()
            || self.has(VERSIONED)
    }
}

/// A text with more bytes, spaces aside, is a note with several statements, none of which stands for all of it.
pub(super) const STATEMENT_BYTES_MAX: usize = 400;

/// Returns the words of a sentence.
pub(super) fn words_of(lexemes: &Lexemes, sentence: u32) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for (at, lexeme) in lexemes.list.iter().enumerate() {
        if lexeme.sentence != sentence {
            continue;
        }
        let text = lexemes.word(at);
        let known = known(text);
        if let Some(before) = words.last_mut() {
            // "read-only" is one word.
            let is_hyphen = before.lexeme.part != Part::Whole && lexeme.part != Part::Whole;
            before.breaks |= (lexeme.gap > Gap::Space && !is_hyphen) || lexeme.is_defined;
        }
        words.push(Word {
            text,
            // Another inflection of an identifier is another identifier.
            key: xxh3_64(if lexeme.is_code() {
                text
            } else {
                root_of(lexeme, text, known.role)
            }),
            known,
            lexeme,
            breaks: false,
        });
    }
    words
}
