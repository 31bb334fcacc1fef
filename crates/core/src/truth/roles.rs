//! What a word of the lexicon does in a statement.

/// The role of a word in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A filler, which is not part of the subject.
    Filler,
    /// A negation.
    Negation,
    /// One of several mutually exclusive states: the family, and the state.
    State(u8, u8),
    /// A tool of a category of which a project uses only one.
    Tool(u8),
    /// A time expression: since when a statement is true, or that it is true now.
    Since,
    /// It introduces a reason or a circumstance, which is not part of the statement.
    Aside,
    /// The statement is hypothetical or about a past event, and asserts nothing.
    Tentative,
    /// The statement is hearsay.
    Hearsay,
    /// The statement reports a single event, which a later one does not contradict.
    Episode,
    /// A day or a frequency.
    Day,
    /// A unit: the family, and its size in the smallest unit of the family.
    Unit(u8, u32),
    /// A synonym or form of this word.
    FormOf(&'static str),
    /// A verb of use: the tool that is used follows.
    Use,
}

/// The family of *always* and *never* among the states.
pub(super) const ALWAYS: u8 = 11;

/// The relation of a word to the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Adjacent: they belong together.
    Next,
    /// It is the first word.
    Start,
    /// "is", "=", ":", "called"
    Is,
    /// "with", "by", "uses"
    With,
    /// "in", "at", "to"
    Place,
    /// "has", "needs": a number after it is a value, and anything else one of several.
    Has,
    /// "for", "of": a circumstance.
    Other,
    /// "before", "when": a time or condition.
    When,
}

/// The role of a word in weak evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mark {
    #[default]
    None,
    /// A generic word: a subject with it and one without it may be the same.
    Generic,
    /// It distinguishes two things of one kind.
    Qualifier,
    /// It says that something has changed.
    Change,
    /// It says that something is true in addition.
    Addition,
}
