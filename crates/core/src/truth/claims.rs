//! The claims of a text: per sentence a subject (a set of words) and values, which another text about the same subject may give
//! differently. This is slot filling with a fixed lexicon and no language understanding: a sentence in another form asserts
//! nothing here, and nothing is concluded from it.

use super::claim::Claim;
use super::outline::Outline;
use super::phrase::{Clause, Phrase};
use super::runs::is_specific;

/// The claims of a text. Reuse one value for many texts, because it keeps its buffers.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    /// One per sentence, without sentences that assert nothing.
    pub list: Vec<Claim>,
    /// The number of sentences.
    pub sentences: usize,
    /// The clauses, for weak evidence.
    pub clauses: Vec<Clause>,
    /// Whether it contains a word that orders two things: "over", "than", "before".
    pub has_order: bool,
    /// Whether it is too long to be one statement, which stands for the whole.
    pub is_long: bool,
    /// Whether it is about a problem.
    pub is_about_problem: bool,
    /// The keys of all content words, sorted.
    pub words: Vec<u64>,
    /// The words by which the text is found, sorted.
    pub(super) topics: Vec<u64>,
    /// The outline, for texts that no rule compares.
    pub(super) outline: Outline,
}

impl Claims {
    /// Whether a clause is compared with those of another text: of a long text only the first one, which says what it is about, and those
    /// that name a previous value.
    pub(super) fn compares(&self, at: usize, clause: &Clause) -> bool {
        !self.is_long || at == 0 || !clause.before.is_empty()
    }

    /// Returns whether an older text says nothing that this one does not say: the same words and values, and neither negated.
    pub fn repeat(&self, older: &Claims) -> bool {
        let is_said = |phrase: &Phrase| {
            let mut ours = self.clauses.iter().flat_map(|clause| &clause.phrases);
            ours.any(|known| known.key == phrase.key)
        };
        let is_denied = |claims: &Claims| claims.clauses.iter().any(|clause| clause.is_denied);
        let mut phrases = older.clauses.iter().flat_map(|clause| &clause.phrases).peekable();
        phrases.peek().is_some()
            && phrases.all(|phrase| !is_specific(phrase) || is_said(phrase))
            && !is_denied(older)
            && {
                // A denial elsewhere in this text, of what held in between, does not matter.
                self.clauses.first().is_some_and(|first| !first.is_denied)
            }
    }
}
