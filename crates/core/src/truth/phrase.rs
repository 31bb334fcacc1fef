//! Phrases: the content words and values of a clause, each with its relation to the previous one.

use super::claim::ValueKind;
use super::roles::{Mark, Relation};
use super::token::Token;
use super::words::words;

/// The side on which a number limits something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// "at least"
    Least,
    /// "at most"
    Most,
}

impl Bound {
    /// Returns the bound that a word before a number gives.
    pub fn of(token: &Token<'_>) -> Option<Self> {
        if token.is(words!["least", "min"]) {
            Some(Bound::Least)
        } else {
            token.is(words!["most", "max"]).then_some(Bound::Most)
        }
    }
}

/// A content word or a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Phrase {
    /// A key that is the same for all spellings.
    pub key: u64,
    /// The hash of the word as written, by which a change names the previous value.
    pub text: u64,
    /// The type of value, judged by its spelling.
    pub kind: Option<ValueKind>,
    /// The family of a tool, if it is known.
    pub family: Option<u8>,
    /// The relation to the previous phrase.
    pub relation: Relation,
    /// The relation of the value that may begin here.
    pub opens: Option<Relation>,
    pub mark: Mark,
    /// The hash of the words between the previous phrase and this one: "stored in".
    pub link: u64,
    /// Whether it names a problem.
    pub is_problem: bool,
    /// Whether it contains a slash: "deploy/docker".
    pub is_slashed: bool,
    /// The hash of the preposition before it.
    pub preposition: u64,
    /// Whether it is the least or the most that is allowed.
    pub bound: Option<Bound>,
    /// Whether these words contain a verb.
    pub is_acted: bool,
    /// Of a command, the hash of its program.
    pub program: u64,
    /// Whether it is a name in capitals: "PENDING".
    pub is_constant: bool,
    /// Whether it is a unique name: a file, an identifier, a command or an address.
    pub is_distinct: bool,
    /// Whether it describes a quality: "slow", "deprecated".
    pub is_quality: bool,
    /// Whether it is spelled like a name.
    pub is_name: bool,
    /// Whether it has a definite article, as in "is the default branch", which only one thing can be.
    pub is_definite: bool,
    /// Whether it is an attribute that has a value: "port", "version", "branch".
    pub is_attribute: bool,
    /// Whether a number after it is part of a name.
    pub is_numbered: bool,
    /// Whether a number after it is a value.
    pub is_measured: bool,
    /// "SDK 35"
    pub is_acronym: bool,
    /// Whether it looks like a verb: "binds 5000".
    pub is_verb: bool,
    /// Whether it is a verb of responsibility ("owns", "maintains"), whose subject is the value.
    pub is_office: bool,
}

/// One clause.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clause {
    pub(super) phrases: Vec<Phrase>,
    /// The previous value, as hashes of words as written.
    pub(super) before: Vec<u64>,
    /// The previous value, as keys.
    pub(super) before_keys: Vec<u64>,
    /// What it says no longer holds, as hashes of words as written: "no longer Y".
    pub(super) ended: Vec<u64>,
    /// Whether it says that something no longer exists.
    pub(super) is_gone: bool,
    /// Whether it says that something was renamed.
    pub(super) is_renamed: bool,
    /// Whether it says that something is unchanged.
    pub(super) is_restated: bool,
    /// The number of phrases before the first colon.
    pub(super) label: usize,
    /// Whether it is negated.
    pub(super) is_denied: bool,
    /// Whether it says that something has changed.
    pub(super) tells_change: bool,
    /// Whether it says that something is true in addition.
    pub(super) adds: bool,
    pub(super) is_tentative: bool,
    pub(super) is_hearsay: bool,
    pub(super) is_used_for: bool,
    /// Whether the new value comes first: "X replaces Y".
    pub(super) is_agent_first: bool,
}

impl Clause {
    /// The keys of its content words.
    pub(super) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let is_word = |phrase: &&Phrase| !matches!(phrase.kind, Some(ValueKind::Number(_) | ValueKind::State(_)));
        self.phrases.iter().filter(is_word).map(|phrase| phrase.key)
    }
}
