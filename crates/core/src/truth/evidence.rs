//! The rules by which a newer text retires an older one, or by which the two are in conflict. docs/truth.md has the table, with the
//! measured precision of each rule.

use super::claim::{Claim, Value, ValueKind};
use super::claims::Claims;
use super::frequency::Frequency;
use super::likelihood::{is_likely, overlap};
use super::phrase::Clause;
use super::rule::Rule;
use super::weak_evidence::{has_other_subject, is_of_another, weak_evidence};
use crate::text::Statement;

/// The overlap from which two texts are linked: two notes of several sentences have a word or two in common by chance.
const OVERLAP_MIN: f32 = 0.25;

/// The conclusion about two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// The rule.
    pub rule: Rule,
    /// True when the older text is retired; otherwise the two are in conflict.
    pub retires: bool,
}

/// A text that is about to be stored, prepared for comparison with older ones.
#[derive(Debug)]
pub struct Newer<'a> {
    claims: &'a Claims,
    statement: &'a Statement,
    frequency: Frequency,
}

impl<'a> Newer<'a> {
    /// Returns a text from its claims and its statement.
    pub fn new(claims: &'a Claims, statement: &'a Statement) -> Self {
        Newer {
            claims,
            statement,
            frequency: Frequency::default(),
        }
    }

    /// Considers how frequent its words are in the memory.
    pub fn among(self, frequency: Frequency) -> Self {
        Newer { frequency, ..self }
    }

    /// Compares it with an older text.
    pub fn against(&self, text: &str) -> Option<Evidence> {
        let older = Claims::of(text);
        let mut best: Option<Evidence> = None;
        let says_less = self.says_less(&older);
        for newer in self.claims.list.iter().filter(|newer| !newer.is_tentative) {
            for older in older.list.iter().filter(|older| !older.is_tentative) {
                // A disagreement of two side remarks says nothing about the main statements.
                if !newer.is_main && !older.is_main {
                    continue;
                }
                let Some((rule, is_sure)) = contradiction(newer, older) else {
                    continue;
                };
                // The cause of a problem is often a guess, and there may be several causes.
                let is_guess = rule == Rule::Predicate && self.claims.is_about_problem;
                let is_settled = older.is_main
                    && (newer.is_main || newer.subject.len() > 1)
                    && !newer.is_hearsay
                    && !says_less
                    && !is_guess;
                let retires = is_sure && rule.is_strong() && is_settled;
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
        let is_enough = |found: &Evidence| found.retires || overlap(self.claims, &older) >= OVERLAP_MIN;
        let best = best.filter(|best| !self.is_of_another(&older, best.rule));
        best.or_else(|| self.weak_evidence(&older))
            .filter(is_enough)
            .or_else(turned)
            .or_else(|| self.likelihood(&older))
    }

    /// Whether an older text of several sentences says much that this one does not: retiring it would also retire what is still true.
    fn says_less(&self, older: &Claims) -> bool {
        let is_said = |word: &&u64| self.claims.words.binary_search(word).is_ok();
        let is_half_said = older.words.iter().filter(is_said).count() * 2 >= older.words.len();
        older.sentences > self.claims.sentences.max(1) + 1 || (older.sentences > 1 && !is_half_said)
    }

    /// Two texts of one clause each may be about two things with similar names.
    fn is_of_another(&self, older: &Claims, rule: Rule) -> bool {
        match (self.claims.clauses.first(), older.clauses.first()) {
            (Some(newer), Some(first)) => is_of_another(newer, first, &self.claims.words, &older.words, rule),
            _ => false,
        }
    }

    /// Looks for weak evidence.
    fn weak_evidence(&self, older: &Claims) -> Option<Evidence> {
        let (ours, theirs) = (&self.claims.clauses, &older.clauses);
        let is_elsewhere = match (ours.first(), theirs.first()) {
            (Some(newer), Some(first)) => has_other_subject(newer, first, &self.claims.words, &older.words),
            _ => return None,
        };
        let of = |(at, newer): (usize, &Clause)| {
            if newer.is_restated || !self.claims.compares(at, newer) {
                return None;
            }
            let clauses = theirs.iter().enumerate();
            let clauses = clauses.filter(|(other, clause)| !newer.before.is_empty() || older.compares(*other, clause));
            // Later clauses are about the subject of the first one.
            let mut clauses = clauses.filter(|(other, _)| !is_elsewhere || at == 0 || *other == 0);
            clauses.find_map(|(_, clause)| weak_evidence(newer, clause, &self.claims.words, &older.words))
        };
        let found = ours.iter().enumerate().find_map(of)?;
        Some(Evidence {
            rule: found.rule,
            retires: false,
        })
    }

    /// Looks for a text about the same subject, in other words.
    fn likelihood(&self, older: &Claims) -> Option<Evidence> {
        // Two long texts share words by chance.
        if self.claims.is_long || older.is_long {
            return None;
        }
        // "CI moved from CircleCI back to Jenkins" says again that CI runs on Jenkins.
        let mut before = self
            .claims
            .clauses
            .iter()
            .flat_map(|clause| &clause.before_keys)
            .peekable();
        let is_from_another = before.peek().is_some() && before.all(|key| older.words.binary_search(key).is_err());
        if is_from_another && self.claims.repeat(older) {
            return None;
        }
        let rarity = |word| self.frequency.rarity(word);
        is_likely(self.claims, older, &rarity).then_some(Evidence {
            rule: Rule::Subject,
            retires: false,
        })
    }

    /// Returns whether the other text has the same content words but another meaning.
    fn is_turned(&self, text: &str) -> bool {
        let words = self.statement.words();
        if words.len() < 3 || !self.claims.has_order {
            return false;
        }
        let other = Statement::of(text);
        other.words() == words && self.statement.likeness(&other, 1.0).is_none()
    }
}

/// Returns the rule by which one statement contradicts another, and whether it is reliable enough to retire.
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

/// A claim without a subject is about the tool itself: two tools of one family exclude each other.
fn is_about_something(claim: &Claim, a: &Value, b: &Value) -> bool {
    let is_one_family = a.family.is_some() && a.family == b.family;
    match (a.family, b.family) {
        (Some(a), Some(b)) if a != b => false,
        _ => is_one_family || !claim.subject.is_empty(),
    }
}

/// Returns whether the newer statement says that what the older one asserts is no longer true, and whether that is reliable enough to
/// retire.
fn is_changed(newer: &Claim, older: &Claim) -> Option<bool> {
    if newer.before.is_empty() || older.is_denied || !older.before.is_empty() && older.values.is_empty() {
        return None;
    }
    // "60 s, no longer 30 s" repeats "60 s (was 30 s)".
    if newer
        .values
        .iter()
        .any(|value| older.values.iter().any(|known| known.key == value.key))
    {
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
        // Without a subject, only the name of a tool, a file or a command says that both are about the same.
        return (!is_plain_number).then_some(asserted.kind.is_unique() || asserted.family.is_some());
    }
    if shared == 0 {
        return None;
    }
    (shared == ours || shared == theirs).then_some(true)
}
