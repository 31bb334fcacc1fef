//! Phrases of the lexicon, also in texts without spaces between words.

use super::lexicon::{Phrases, entries};
use super::tokenization::{Class, class_of};

/// True of what has a character of a script without spaces.
pub(super) fn is_spaceless(entry: &&str) -> bool {
    entry.chars().any(|c| class_of(c) == Class::Spaceless)
}

/// The phrases of one kind in all languages: those of a script without spaces are parts of a text.
#[derive(Debug)]
pub struct Sayings {
    phrases: Phrases,
    parts: Vec<&'static str>,
}

impl Sayings {
    /// Returns the phrases of a kind.
    pub fn of(kind: &'static str) -> Self {
        Sayings {
            phrases: Phrases::of(|of| of == kind),
            parts: entries(kind).filter(is_spaceless).collect(),
        }
    }

    /// True if a text in lower case, with these words, contains one of the phrases.
    pub fn are_in(&self, text: &str, words: &[&str]) -> bool {
        self.phrases.are_in(words) || (!text.is_ascii() && self.parts.iter().any(|part| text.contains(part)))
    }
}
