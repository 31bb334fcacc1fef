//! The rules by which a newer text takes the place of an older one.

use super::claim::ValueKind;

/// A rule, named after the values that it compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The newer text says that the statement of the older one was replaced.
    Change,
    /// The same subject has another number.
    Number,
    /// The same subject has another version.
    Version,
    /// The same subject has another path.
    Path,
    /// The same subject has another address.
    Url,
    /// The same subject has another flag.
    Flag,
    /// The same is done by another command.
    Command,
    /// The same statement is said to hold no longer, or gives the opposite of two states.
    Negation,
    /// The same statement is negated, or no longer negated: one of the two is wrong, and the text does not say which.
    Denial,
}

/// The reason of a rule about values.
macro_rules! another {
    ($value:literal $of:literal) => {
        concat!("the newer record gives another ", $value, " ", $of, " the same thing")
    };
}

/// The names of the rules in journals, and their reasons, as texts for people.
const NAMES: [(Rule, &str, &str); 9] = [
    (Rule::Change, "change", "the newer record says that it was replaced"),
    (Rule::Number, "number", another!("number" "for")),
    (Rule::Version, "version", another!("version" "of")),
    (Rule::Path, "path", another!("path" "for")),
    (Rule::Url, "url", another!("address" "for")),
    (Rule::Flag, "flag", another!("flag" "for")),
    (Rule::Command, "command", another!("command" "for")),
    (Rule::Negation, "negation", DENIES),
    (Rule::Denial, "denial", DENIES),
];
const DENIES: &str = "the newer record denies what it says, or says what it denies";

/// Returns the reason of the rule with a name, as a text for people.
pub fn reason_of_rule(name: &str) -> Option<&'static str> {
    let found = NAMES.iter().find(|(_, known, _)| *known == name);
    found.map(|(.., reason)| *reason)
}

impl Rule {
    /// Every rule.
    pub fn all() -> impl Iterator<Item = Rule> {
        NAMES.into_iter().map(|(rule, ..)| rule)
    }

    /// Returns its name in journals.
    pub fn name(self) -> &'static str {
        let own = NAMES.iter().find(|(rule, ..)| *rule == self);
        own.map_or("", |(_, name, _)| name)
    }

    /// True if records of these types may be compared by it: the numbers of successful runs are no state.
    pub fn is_of_state(self, kinds: [&str; 2]) -> bool {
        !(matches!(self, Rule::Number | Rule::Version) && kinds.contains(&"success_pattern"))
    }

    /// True if the newer record takes the place of the older one, and is not only in conflict with it.
    pub fn retires(self) -> bool {
        self != Rule::Denial
    }

    pub(super) fn of(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Number(_) => Rule::Number,
            ValueKind::Version => Rule::Version,
            ValueKind::Path => Rule::Path,
            ValueKind::Url => Rule::Url,
            ValueKind::Flag => Rule::Flag,
            ValueKind::Command => Rule::Command,
        }
    }
}
