//! Weak evidence: two clauses about the same thing with different values. The records are linked as being in conflict and the newer one is
//! ranked first; the evidence is not strong enough to retire the older one.

use super::agent::{is_agent, is_doer};
use super::claim::ValueKind;
use super::comparison::compared;
use super::entry::other_entry;
use super::keys::hash;
use super::named_change::{ended, named_change};
use super::phrase::{Clause, Phrase};
use super::roles::{Mark, Relation};
use super::rule::Rule;
use super::runs::{Run, WeakEvidence, has, is_specific, runs};

/// The maximum number of phrases of a value.
const VALUE_PHRASES_MAX: usize = 5;

/// Compares a newer clause with an older one. `newer_words` and `older_words` are the keys of the whole texts, sorted.
pub(super) fn weak_evidence(
    newer: &Clause,
    older: &Clause,
    newer_words: &[u64],
    older_words: &[u64],
) -> Option<WeakEvidence> {
    if newer.is_tentative || older.is_tentative || newer.adds {
        return None;
    }
    let change = || named_change(newer, older, newer_words, older_words);
    if let Some(found) = change()
        .or_else(|| ended(newer, older, newer_words))
        .or_else(|| other_entry(newer, older))
    {
        return Some(found);
    }
    let side = Side::new(newer, older);
    let ours = runs(newer, older, older_words);
    let theirs = runs(older, newer, newer_words);
    if side.is_named_elsewhere(&ours, &theirs, newer_words) {
        return Some(WeakEvidence {
            rule: Rule::Predicate,
            is_tight: false,
        });
    }
    side.polarity(&ours, &theirs)
        .or_else(|| side.other_value(&ours, &theirs))
}

struct Side<'a> {
    newer: &'a Clause,
    older: &'a Clause,
    common: Common,
}

/// Facts about the common words of two clauses.
#[derive(Debug, Clone, Copy, Default)]
struct Common {
    /// The number of specific ones.
    specific: usize,
    all: usize,
    is_distinct: bool,
    /// "Redis is fast", "Redis is old": a single word does not identify the attribute.
    has_attribute: bool,
    is_named: bool,
}

impl Common {
    fn of(newer: &Clause, older: &Clause) -> Self {
        let mut common = Common::default();
        for phrase in newer.phrases.iter().filter(|phrase| has(older, phrase)) {
            common.specific += usize::from(is_specific(phrase));
            common.all += 1;
            common.is_distinct |= phrase.is_distinct;
            common.has_attribute |= phrase.is_attribute || phrase.mark == Mark::Generic;
            common.is_named |= phrase.family.is_some();
        }
        common
    }
}

impl<'a> Side<'a> {
    fn new(newer: &'a Clause, older: &'a Clause) -> Self {
        let common = Common::of(newer, older);
        Side { newer, older, common }
    }

    fn ours(&self, run: Run) -> &[Phrase] {
        self.newer.phrases.get(run.from..run.to).unwrap_or_default()
    }

    fn theirs(&self, run: Run) -> &[Phrase] {
        self.older.phrases.get(run.from..run.to).unwrap_or_default()
    }

    /// Returns whether both only name one of several tools or states: "use tabs", "use spaces".
    fn is_bare(&self) -> bool {
        let kind = |clause: &Clause| match clause.phrases.as_slice() {
            [phrase] => match phrase.kind {
                Some(ValueKind::State(family)) => Some((0, family)),
                Some(ValueKind::Tool) => phrase.family.map(|family| (1, family)),
                _ => None,
            },
            _ => None,
        };
        kind(self.newer).is_some_and(|newer| kind(self.older) == Some(newer))
    }

    /// "Ladle documents the components, Storybook was too slow": another one does the same, and the text mentions the previous one.
    fn is_named_elsewhere(&self, ours: &[Run], theirs: &[Run], newer_words: &[u64]) -> bool {
        let ([value], [], Some(first)) = (ours, theirs, self.older.phrases.first()) else {
            return false;
        };
        let former = Run { from: 0, to: 1 };
        let is_elsewhere = !has(self.newer, first) && newer_words.binary_search(&first.key).is_ok();
        let is_value = self
            .ours(*value)
            .first()
            .is_some_and(|first| first.relation == Relation::With);
        is_elsewhere
            && (is_value || is_doer(self.newer, *value))
            && is_doer(self.older, former)
            && self.common.specific > 0
    }

    /// The same statement, negated or no longer negated.
    fn polarity(&self, ours: &[Run], theirs: &[Run]) -> Option<WeakEvidence> {
        let common = self.common;
        if self.newer.is_denied == self.older.is_denied
            || common.specific == 0
            || (common.all < 2 && !common.is_distinct)
        {
            return None;
        }
        let counts = |phrases: &[Phrase]| phrases.iter().any(is_specific);
        let is_ours = ours.iter().any(|run| counts(self.ours(*run)));
        let is_theirs = theirs.iter().any(|run| counts(self.theirs(*run)));
        let qualified = |phrases: &[Phrase]| phrases.iter().any(|phrase| phrase.mark == Mark::Qualifier);
        let is_elsewhere =
            ours.iter().any(|run| qualified(self.ours(*run))) || theirs.iter().any(|run| qualified(self.theirs(*run)));
        // A clause with additional words must state a change.
        let fits = if is_ours {
            !is_theirs && self.newer.tells_change
        } else {
            // "must be idempotent", "must not take longer than a minute"
            !is_theirs || ours.is_empty() || !self.newer.ended.is_empty()
        };
        let fits = fits && !is_elsewhere;
        fits.then_some(WeakEvidence {
            rule: Rule::Negation,
            is_tight: !is_ours && !is_theirs,
        })
    }

    /// Another value after the same words.
    fn other_value(&self, ours: &[Run], theirs: &[Run]) -> Option<WeakEvidence> {
        let is_about_nothing = self.common.specific == 0 && self.common.all < 2 && !self.is_bare();
        if self.newer.is_denied != self.older.is_denied || is_about_nothing {
            return None;
        }
        ours.iter().enumerate().find_map(|(our, value)| {
            theirs.iter().enumerate().find_map(|(their, former)| {
                let rule = self.gives_other(*value, *former)?;
                let extra_ours: Vec<&[Phrase]> = others(ours, our).map(|run| self.ours(run)).collect();
                let extra_theirs: Vec<&[Phrase]> = others(theirs, their).map(|run| self.theirs(run)).collect();
                let is_typed = rule != Rule::Predicate;
                // "on Friday at 15:00": the day and the time are one value.
                let is_moment = |phrases: &&[Phrase]| {
                    let is_when = |phrase: &Phrase| matches!(phrase.kind, Some(ValueKind::Day | ValueKind::Time));
                    matches!(rule, Rule::Day | Rule::Time) && phrases.iter().all(is_when)
                };
                let extra_ours: Vec<&[Phrase]> = extra_ours.into_iter().filter(|run| !is_moment(run)).collect();
                let extra_theirs: Vec<&[Phrase]> = extra_theirs.into_iter().filter(|run| !is_moment(run)).collect();
                // "polling interval is 30": a noun before the value names the attribute.
                let precedes = others(ours, our)
                    .any(|run| (run.from < value.from && run.to < value.from) || self.is_scope(run, *value));
                // Two subjects, one of them more general: "the server", "the mail server".
                let begins = |runs: &[Run], but: usize| others(runs, but).any(|run| run.from == 0);
                if begins(ours, our) && begins(theirs, their) {
                    return None;
                }
                let meet = |one: &&[Phrase]| {
                    let relation = one.first().map(|phrase| phrase.relation);
                    extra_theirs.iter().any(|other| {
                        other.first().map(|phrase| phrase.relation) == relation
                            && (one.iter().any(is_specific) || other.iter().any(is_specific))
                    })
                };
                if extra_ours.iter().any(meet) {
                    return None;
                }
                let follow = self.only_follow(*value, *former, ours, theirs);
                self.fits(&extra_ours, &extra_theirs, is_typed || follow, precedes)
                    .map(|is_tight| WeakEvidence { rule, is_tight })
            })
        })
    }

    /// Returns whether a run limits the clause to a case: "90 days for payments", "workers with a GPU have 16 GB".
    fn is_scope(&self, run: Run, value: Run) -> bool {
        let first = self.ours(run).first();
        first.is_some_and(|first| match first.relation {
            Relation::Other => true,
            Relation::When => first.preposition != hash("after"),
            Relation::With | Relation::Place => run.to <= value.from,
            _ => false,
        })
    }

    /// Returns whether all that differs besides two values follows them and describes them: "is written in Sass", "is written in
    /// plain CSS with nesting".
    fn only_follow(&self, value: Run, former: Run, ours: &[Run], theirs: &[Run]) -> bool {
        let link = |run: Run, clause: &Clause| clause.phrases.get(run.from).map_or(0, |phrase| phrase.link);
        let follows = |clause: &Clause, runs: &[Run], value: Run| {
            runs.iter().filter(|run| **run != value).all(|run| {
                let relation = clause.phrases.get(run.from).map(|phrase| phrase.relation);
                run.from >= value.to && matches!(relation, Some(Relation::With | Relation::Place))
            })
        };
        let ours_link = link(value, self.newer);
        ours_link != 0
            && ours_link == link(former, self.older)
            && value.from == former.from
            && follows(self.newer, ours, value)
            && follows(self.older, theirs, former)
    }

    fn fits(&self, ours: &[&[Phrase]], theirs: &[&[Phrase]], is_typed: bool, precedes: bool) -> Option<bool> {
        let counts = |runs: &[&[Phrase]]| runs.iter().any(|phrases| phrases.iter().any(is_specific));
        let qualifies = |runs: &[&[Phrase]]| {
            runs.iter()
                .any(|phrases| phrases.iter().any(|phrase| phrase.mark == Mark::Qualifier))
        };
        let measures = |runs: &[&[Phrase]]| {
            runs.iter()
                .any(|phrases| phrases.iter().any(|phrase| phrase.is_attribute))
        };
        if qualifies(ours) || qualifies(theirs) || (measures(ours) && measures(theirs)) {
            return None;
        }
        let changed = self.newer.tells_change;
        // Another verb makes another statement about the subject.
        let acts = |runs: &[&[Phrase]]| {
            runs.iter().any(|phrases| {
                phrases
                    .first()
                    .is_some_and(|first| first.relation == Relation::Next && is_specific(first))
            })
        };
        if !is_typed && (acts(ours) || acts(theirs)) {
            return None;
        }
        match (counts(ours), counts(theirs)) {
            (false, false) => Some(true),
            (true, true) => None,
            // Additional words mean another subject, unless the clause states a change.
            (true, false) => (changed || (is_typed && !precedes)).then_some(false),
            (false, true) => (changed || is_typed).then_some(false),
        }
    }

    /// Returns whether two runs are numbers after the same name: "Tailwind 3", "upgraded to Tailwind 4".
    fn is_release(&self, ours: Run, theirs: Run) -> bool {
        let name = |clause: &Clause, run: Run| {
            let before = clause.phrases.get(run.from.checked_sub(1)?)?;
            let is_number = matches!(clause.phrases.get(run.from..run.to)?, [phrase] if matches!(phrase.kind, Some(ValueKind::Number(0))));
            (is_number && before.is_name && !before.is_numbered).then_some(before.key)
        };
        let ours = name(self.newer, ours);
        ours.is_some() && ours == name(self.older, theirs)
    }

    /// Returns the rule by which two runs are different values.
    fn gives_other(&self, ours: Run, theirs: Run) -> Option<Rule> {
        let (value, former) = (self.ours(ours), self.theirs(theirs));
        if value.len() > VALUE_PHRASES_MAX || former.len() > VALUE_PHRASES_MAX {
            return None;
        }
        let common = self.common;
        let is_move = self.newer.tells_change && common.specific > 1;
        let rule = compared(value, former, common.specific > 1, is_move)?;
        let is_place = |phrases: &[Phrase]| phrases.iter().all(|phrase| phrase.mark == Mark::Qualifier);
        if is_place(value) && is_place(former) && !self.newer.tells_change {
            return None;
        }
        let (our, their) = (value.first()?, former.first()?);
        // "at least 12 characters", "at most 40 characters"
        if our.bound.zip(their.bound).is_some_and(|(one, other)| one != other) {
            return None;
        }
        let is_ours_agent =
            is_agent(self.newer, ours) || (their.relation == Relation::With && is_doer(self.newer, ours));
        let is_theirs_agent =
            is_agent(self.older, theirs) || (our.relation == Relation::With && is_doer(self.older, theirs));
        let is_release = self.newer.tells_change && self.is_release(ours, theirs);
        let are_variants = ours.from == 0
            && theirs.from == 0
            && our.program != 0
            && our.program == their.program
            && self
                .older
                .phrases
                .iter()
                .any(|phrase| has(self.newer, phrase) && phrase.relation != Relation::When);
        let relations = match (our.opens, their.opens) {
            (Some(one), Some(other)) => Some((one, other)),
            (Some(one), None) if is_theirs_agent => Some((one, Relation::With)),
            (None, Some(other)) if is_ours_agent => Some((Relation::With, other)),
            (None, None) if (is_ours_agent && is_theirs_agent) || are_variants => {
                Some((Relation::With, Relation::With))
            }
            _ if is_release => Some((Relation::Is, Relation::Is)),
            _ => None,
        };
        let (one, other) = relations?;
        let is_typed = rule != Rule::Predicate;
        let is_alike = one == other
            || self.newer.tells_change
            || is_typed
            || matches!(
                (one, other),
                (Relation::Is, Relation::With)
                    | (Relation::With, Relation::Is)
                    | (Relation::With, Relation::Place)
                    | (Relation::Place, Relation::With)
            );
        // "is deployed in X", "is deployed by Y"; but "are in X" and "go to Y" both say where.
        let has_place = one == Relation::Place || other == Relation::Place;
        let goes_to = |phrase: &Phrase| phrase.preposition == hash("to");
        let is_where = one == other && (goes_to(our) || goes_to(their));
        let (ours_at, theirs_at) = (our.preposition, their.preposition);
        let is_elsewhere = has_place && !is_where && ours_at != theirs_at && ours_at != 0 && theirs_at != 0;
        if is_elsewhere && !is_typed && !self.newer.tells_change {
            return None;
        }
        // "lives at X", "uses Y"
        let is_located = |phrase: &Phrase| matches!(phrase.kind, Some(ValueKind::Path | ValueKind::Url));
        if one != other && !is_typed && is_located(our) != is_located(their) && !self.newer.tells_change {
            return None;
        }
        // "goes to Glacier", "takes 40 minutes"
        let is_measured = |phrases: &[Phrase]| {
            let is_measure = |phrase: &Phrase| matches!(phrase.kind, Some(ValueKind::Number(_) | ValueKind::Time));
            phrases.first().is_some_and(is_measure)
        };
        if one != other && is_measured(value) != is_measured(former) && !self.newer.tells_change {
            return None;
        }
        // "uses self-hosted runners", "uses a shared cache"
        let is_common = |phrase: &Phrase| !phrase.is_name && phrase.kind.is_none() && !phrase.is_distinct;
        let are_kinds = value.last().is_some_and(is_common) && former.last().is_some_and(is_common);
        let is_phrase =
            value.len() + former.len() > 2 && value.last().map(|one| one.key) != former.last().map(|one| one.key);
        if one == Relation::With
            && one == other
            && our.preposition == 0
            && !our.is_acted
            && are_kinds
            && is_phrase
            && !self.newer.tells_change
        {
            return None;
        }
        let is_tool = value.iter().chain(former).any(|phrase| phrase.family.is_some());
        // "Compression is gzip", "Compression is brotli"
        let is_which = |phrases: &[Phrase]| {
            let is_one = phrases.len() == 1 || phrases.iter().all(|phrase| phrase.is_name || phrase.kind.is_some());
            is_one && phrases.iter().all(|phrase| !phrase.is_quality)
        };
        let are_names = our.is_name && their.is_name;
        let is_slot = one == other && (one == Relation::Is || are_names) && is_which(value) && is_which(former);
        let is_holder = is_ours_agent || is_theirs_agent;
        let is_file =
            |phrase: &Phrase| phrase.is_slashed || matches!(phrase.kind, Some(ValueKind::Path | ValueKind::Url));
        // "are stored in X", "are stored in Y"
        let is_same_act = our.link == their.link && our.is_acted;
        let is_moved = one == Relation::Place && one == other && (is_same_act || is_file(our) || is_file(their));
        let is_thin = common.specific < 2
            && !is_tool
            && !is_slot
            && !is_holder
            && !is_moved
            && !common.has_attribute
            && !is_typed
            && !self.newer.tells_change;
        let is_vague = |relation: Relation| matches!(relation, Relation::Is | Relation::Place);
        (is_alike && !(is_thin && (common.is_named || is_vague(one) || is_vague(other)))).then_some(rule)
    }
}

/// Returns whether two texts have different subjects, judged by their first clauses.
pub(super) fn has_other_subject(newer: &Clause, older: &Clause, newer_words: &[u64], older_words: &[u64]) -> bool {
    let lacks = |clause: &Clause, words: &[u64]| {
        let mut subject = clause.phrases.iter().take_while(|phrase| phrase.opens.is_none());
        subject.any(|phrase| is_specific(phrase) && words.binary_search(&phrase.key).is_err())
    };
    lacks(newer, older_words) && lacks(older, newer_words)
}

/// Returns whether two clauses are about different things, or about one thing under different circumstances, even if they share many words.
pub(super) fn is_of_another(
    newer: &Clause,
    older: &Clause,
    newer_words: &[u64],
    older_words: &[u64],
    rule: Rule,
) -> bool {
    let of = |clause: &Clause, other: &Clause, words: &[u64], before: &[u64]| {
        let mut found = (0, 0, 0);
        for run in runs(clause, other, words) {
            let phrases = clause.phrases.get(run.from..run.to).unwrap_or_default();
            let counts = phrases
                .iter()
                .any(|phrase| is_specific(phrase) && !before.contains(&phrase.text));
            let is_circumstance = phrases
                .first()
                .is_some_and(|first| !is_measure(first) && matches!(first.relation, Relation::Other | Relation::When));
            found.0 += usize::from(counts);
            found.1 += usize::from(counts && is_circumstance);
            found.2 += usize::from(phrases.iter().any(|phrase| phrase.mark == Mark::Qualifier));
        }
        found
    };
    let (ours, theirs) = (
        of(newer, older, older_words, &[]),
        of(older, newer, newer_words, &newer.before),
    );
    let mut shared = older
        .phrases
        .iter()
        .filter(|phrase| has(newer, phrase) && is_specific(phrase))
        .peekable();
    let is_moment =
        rule == Rule::Command && shared.peek().is_some() && shared.all(|phrase| phrase.relation == Relation::When);
    (ours.0 > 1 && theirs.0 > 1) || (ours.1 > 0 && theirs.1 > 0) || (ours.2 > 0 && theirs.2 > 0) || is_moment
}

/// A number is a value in any position.
fn is_measure(phrase: &Phrase) -> bool {
    matches!(
        phrase.kind,
        Some(ValueKind::Number(_) | ValueKind::Time | ValueKind::Day)
    )
}

fn others(runs: &[Run], but: usize) -> impl Iterator<Item = Run> + '_ {
    runs.iter()
        .enumerate()
        .filter(move |(at, _)| *at != but)
        .map(|(_, run)| *run)
}
