//! What a text asserts: for each sentence a subject (the words that say what it is about, in any order) and values, which
//! another text about the same subject may give otherwise. This is slot filling over a fixed lexicon, not understanding:
//! what has no such form asserts nothing here, and nothing is concluded from it.

use super::token::{Tokens, tokens_of};

/// Longer texts are notes: several things are said in them, and none of them is the text.
const TEXT_BYTES_MAX: usize = 480;
const SENTENCES_MAX: u16 = 4;

/// What kind of value a statement gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// A number, with its family of units.
    Number(u8),
    /// A version.
    Version,
    /// A day, or a rhythm.
    Day,
    /// A time of day or a date.
    Time,
    /// A path, or the name of a file.
    Path,
    /// An address.
    Url,
    /// A flag of a command.
    Flag,
    /// A command.
    Command,
    /// What is used for something.
    Tool,
    /// Who has or does something.
    Owner,
    /// What a setting is.
    Setting,
    /// One of several states that exclude each other, by their family.
    State(u8),
    /// What stands behind the last word that ties a sentence together: "is built with X".
    Predicate,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value {
    /// What kind it is.
    pub kind: ValueKind,
    /// The same for all spellings of the value.
    pub key: u64,
    /// The words as they stand in the text: by these a change names what held before.
    pub text: u64,
    /// Of a tool, the family that it is known to be of.
    pub family: Option<u8>,
}

/// What one sentence asserts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claim {
    /// What it is about: hashes of the roots of words, sorted.
    pub subject: Vec<u64>,
    /// The values, sorted.
    pub values: Vec<Value>,
    /// Whether it is denied.
    pub is_denied: bool,
    /// What held before, by the words of the text.
    pub before: Vec<u64>,
    /// It may come to be, or is asked.
    pub is_tentative: bool,
    /// Somebody says so, and has not looked.
    pub is_hearsay: bool,
    /// It is what the text is there to say, as opposed to what it says besides.
    pub is_main: bool,
}

/// What a text asserts. Reuse one value for many texts: its buffers stay.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    /// Sentence by sentence; those that assert nothing are left out.
    pub list: Vec<Claim>,
    /// How many sentences there are.
    pub sentences: usize,
}

impl Claims {
    /// Returns what a text asserts.
    pub fn of(text: &str) -> Self {
        if text.len() > TEXT_BYTES_MAX {
            return Claims::default();
        }
        let lowered = text.to_ascii_lowercase();
        let tokens = tokens_of(text, &lowered);
        if tokens.sentences > SENTENCES_MAX {
            return Claims::default();
        }
        let mut claims = Claims {
            list: Vec::new(),
            sentences: usize::from(tokens.sentences),
        };
        let Tokens { list, questions, .. } = &tokens;
        for sentence in list.chunk_by(|one, next| one.sentence == next.sentence) {
            let number = sentence.first().map_or(0, |token| token.sentence.min(63));
            let is_question = questions >> number & 1 == 1;
            claims.take_sentence(sentence, is_question);
        }
        claims
    }
}
