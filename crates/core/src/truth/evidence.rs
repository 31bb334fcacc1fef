//! The rules: what two texts have to say for the newer one to retire the older one, or for the two to be in conflict.
//! docs/truth.md has the table, with how often each rule is right.

use super::claims::{Claim, Claims, Value, ValueKind};
use crate::text::Statement;

/// What is concluded of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// By which rule.
    pub rule: Rule,
    /// Whether the older one is retired; else the two are in conflict.
    pub retires: bool,
}

/// The rules, by what they look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The newer text says that something took the place of what the older one asserts.
    Change,
    /// The same subject has another number.
    Number,
    /// The same subject has another version.
    Version,
    /// The same subject happens on another day, or in another rhythm.
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
    /// The same is denied, or no longer denied.
    Negation,
    /// The same sentence ends otherwise.
    Predicate,
    /// The same words of content say it the other way round.
    Order,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 16] = [
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
    ];

    /// Returns its name, as the journal has it.
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
        }
    }

    /// Returns the rule of a name.
    pub fn named(name: &str) -> Option<Self> {
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// Returns what it has found, in words.
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
        }
    }

    fn of(kind: ValueKind) -> Self {
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

    /// Tells whether it is right often enough to retire: the others only link.
    fn is_strong(self) -> bool {
        self != Rule::Order
    }
}

/// A text that is about to be stored, ready to be held against others.
#[derive(Debug)]
pub struct Newer<'a> {
    claims: &'a Claims,
    statement: &'a Statement,
}

impl<'a> Newer<'a> {
    /// Returns a text by what it asserts and what it says.
    pub fn new(claims: &'a Claims, statement: &'a Statement) -> Self {
        Newer { claims, statement }
    }

    /// Holds it against an older text.
    pub fn against(&self, text: &str) -> Option<Evidence> {
        let older = Claims::of(text);
        let mut best: Option<Evidence> = None;
        // A note that says other things as well would be lost with what is out of date.
        let says_more = older.sentences > self.claims.sentences.max(1) + 1;
        for newer in self.claims.list.iter().filter(|newer| !newer.is_tentative) {
            for older in older.list.iter().filter(|older| !older.is_tentative) {
                // Two comments that disagree are no reason to doubt what the texts are there to say.
                if !newer.is_main && !older.is_main {
                    continue;
                }
                let Some((rule, is_sure)) = contradiction(newer, older) else {
                    continue;
                };
                let retires = is_sure && rule.is_strong() && older.is_main && !newer.is_hearsay && !says_more;
                if best.is_none_or(|best| retires && !best.retires) {
                    best = Some(Evidence { rule, retires });
                }
            }
        }
        let turned = || {
            self.is_turned(text).then_some(Evidence {
                rule: Rule::Order,
                retires: false,
            })
        };
        best.or_else(turned)
    }

    /// Tells whether the other text has the same words of content and still says something else.
    fn is_turned(&self, text: &str) -> bool {
        let words = self.statement.words();
        if words.len() < 3 {
            return false;
        }
        let other = Statement::of(text);
        other.words() == words && self.statement.likeness(&other, 1.0).is_none()
    }
}

/// Returns the rule by which one statement contradicts another, and whether it is sure.
fn contradiction(newer: &Claim, older: &Claim) -> Option<(Rule, bool)> {
    if let Some(sure) = is_changed(newer, older) {
        return Some((Rule::Change, sure));
    }
    if newer.subject != older.subject || newer.values.len() != older.values.len() {
        return None;
    }
    let pairs = || newer.values.iter().zip(&older.values);
    if pairs().any(|(a, b)| a.kind != b.kind) {
        return None;
    }
    let mut differing = pairs().filter(|(a, b)| a.key != b.key);
    let first = differing.next();
    let is_single = differing.next().is_none();
    match (first, newer.is_denied != older.is_denied) {
        (None, true) => (!newer.subject.is_empty()).then_some((Rule::Negation, true)),
        (Some((a, b)), false) if is_single && is_about_something(newer, a, b) => {
            Some((Rule::of(a.kind), !newer.is_denied))
        }
        _ => None,
    }
}

/// What has no subject is about the tool itself: two of one family exclude each other.
fn is_about_something(claim: &Claim, a: &Value, b: &Value) -> bool {
    let is_one_family = a.family.is_some() && a.family == b.family;
    match (a.family, b.family) {
        (Some(a), Some(b)) if a != b => false,
        _ => is_one_family || !claim.subject.is_empty(),
    }
}

/// Tells whether the newer statement says that what the older one asserts holds no more, and whether that is sure.
fn is_changed(newer: &Claim, older: &Claim) -> Option<bool> {
    if newer.before.is_empty() || older.is_denied || !older.before.is_empty() && older.values.is_empty() {
        return None;
    }
    let asserted = older.values.iter().find(|value| newer.before.contains(&value.text))?;
    if newer.values.iter().any(|value| value.text == asserted.text) {
        return None;
    }
    let shared = older.subject.iter().filter(|word| newer.subject.contains(word)).count();
    let (ours, theirs) = (newer.subject.len(), older.subject.len());
    let is_plain_number = matches!(asserted.kind, ValueKind::Number(_) | ValueKind::State(_));
    if ours == 0 || theirs == 0 {
        return (!is_plain_number).then_some(true);
    }
    if shared == 0 {
        return None;
    }
    Some(shared == ours || shared == theirs)
}
