//! The rules by which texts contradict each other.

use super::claim::ValueKind;

/// A rule, named after what it compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The newer text says that what the older one asserts was replaced.
    Change,
    /// The same subject has another number.
    Number,
    /// The same subject has another version.
    Version,
    /// The same subject happens on another day, or with another frequency.
    Day,
    /// The same subject happens at another time.
    Time,
    /// The same subject has another path.
    Path,
    /// The same subject has another address.
    Url,
    /// The same subject has another flag.
    Flag,
    /// The same is done by another command.
    Command,
    /// The same is done with another tool.
    Tool,
    /// The same has another owner.
    Owner,
    /// The same setting has another value.
    Setting,
    /// The same subject is in another state.
    State,
    /// The same statement is negated, or no longer negated.
    Negation,
    /// The same sentence has another predicate.
    Predicate,
    /// The same content words are in the opposite order.
    Order,
    /// The score of two texts about the same subject.
    Subject,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 17] = [
        Rule::Change,
        Rule::Number,
        Rule::Version,
        Rule::Day,
        Rule::Time,
        Rule::Path,
        Rule::Url,
        Rule::Flag,
        Rule::Command,
        Rule::Tool,
        Rule::Owner,
        Rule::Setting,
        Rule::State,
        Rule::Negation,
        Rule::Predicate,
        Rule::Order,
        Rule::Subject,
    ];

    /// Returns its name in journals.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Change => "change",
            Rule::Number => "number",
            Rule::Version => "version",
            Rule::Day => "day",
            Rule::Time => "time",
            Rule::Path => "path",
            Rule::Url => "url",
            Rule::Flag => "flag",
            Rule::Command => "command",
            Rule::Tool => "tool",
            Rule::Owner => "owner",
            Rule::Setting => "setting",
            Rule::State => "state",
            Rule::Negation => "negation",
            Rule::Predicate => "predicate",
            Rule::Order => "order",
            Rule::Subject => "subject",
        }
    }

    /// Returns the rule of a name.
    pub fn named(name: &str) -> Option<Self> {
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// Returns what it found, as a text for people.
    pub fn reason(self) -> &'static str {
        match self {
            Rule::Change => "the newer record says that it was replaced",
            Rule::Number => "the newer record gives another number for the same thing",
            Rule::Version => "the newer record gives another version of the same thing",
            Rule::Day => "the newer record gives another day for the same thing",
            Rule::Time => "the newer record gives another time for the same thing",
            Rule::Path => "the newer record gives another path for the same thing",
            Rule::Url => "the newer record gives another address for the same thing",
            Rule::Flag => "the newer record gives another flag for the same thing",
            Rule::Command => "the newer record gives another command for the same thing",
            Rule::Tool => "the newer record names another tool for the same thing",
            Rule::Owner => "the newer record names another owner of the same thing",
            Rule::Setting => "the newer record gives another value of the same setting",
            Rule::State => "the newer record describes another state",
            Rule::Negation => "the newer record denies what it says, or says what it denies",
            Rule::Predicate => "the newer record says the same of something else",
            Rule::Order => "both have the same words and say different things",
            Rule::Subject => "the newer record probably says something else about the same subject",
        }
    }

    pub(super) fn of(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Number(_) => Rule::Number,
            ValueKind::Version => Rule::Version,
            ValueKind::Day => Rule::Day,
            ValueKind::Time => Rule::Time,
            ValueKind::Path => Rule::Path,
            ValueKind::Url => Rule::Url,
            ValueKind::Flag => Rule::Flag,
            ValueKind::Command => Rule::Command,
            ValueKind::Tool => Rule::Tool,
            ValueKind::Owner => Rule::Owner,
            ValueKind::Setting => Rule::Setting,
            ValueKind::State(_) => Rule::State,
            ValueKind::Predicate => Rule::Predicate,
        }
    }

    /// Returns whether its precision is high enough to retire records; the other rules only link them.
    pub(super) fn is_strong(self) -> bool {
        !matches!(self, Rule::Order | Rule::Subject)
    }
}
