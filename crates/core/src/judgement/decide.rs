//! The lines that a decision writes, given the standings of the records so far. Nothing here reads or writes a file.
//!
//! A decision is never void because another clock was ahead: its lines are dated no earlier than those that it overrules. One that changes
//! nothing writes nothing, so that it can be repeated.

use crate::clock::Millis;
use crate::judgement::standing::{Review, Standings, VERDICTS_MAX};
use crate::model::author::{Author, Speaker};
use crate::model::thought::{Fields, Ruling, RulingKind, id_hash};

/// The reason of a conflict that a person has decided before, and has taken the decision back.
pub(crate) const WHY_REOPENED: &str = "reopened";

/// Decides by the rulings of one journal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judge<'s> {
    standings: &'s Standings<u64>,
    now: Millis,
}

pub(crate) fn ruling(kind: RulingKind, id: &str, other: Option<&str>, why: &str, at_ms: Millis) -> Ruling {
    Ruling {
        kind,
        id: id.to_owned(),
        other: other.map(str::to_owned),
        why: why.to_owned(),
        at_ms,
    }
}

impl<'s> Judge<'s> {
    pub fn of(standings: &'s Standings<u64>, now: Millis) -> Self {
        Judge { standings, now }
    }

    /// Returns a time that no ruling about a record is later than.
    fn after_rulings_on(self, id: &str) -> Millis {
        let latest = self.standings.latest(&id_hash(id));
        latest.map_or(self.now, |latest| self.now.max(latest))
    }

    /// Returns a time later than every `keep` of a record: of two at the same time, the `keep` counts.
    fn after_keeps_of(self, id: &str) -> Millis {
        let after = self.after_rulings_on(id);
        after + Millis::from(self.standings.kept_at(&id_hash(id), None) == after)
    }

    /// Returns a time later than all rulings on a record's review.
    pub fn after_review(self, id: &str) -> Millis {
        let latest = self.standings.latest_of_review(&id_hash(id));
        latest.map_or(self.now, |latest| self.now.max(latest.saturating_add(1)))
    }

    pub fn accept(self, id: &str, by: Option<&str>, why: &str) -> Ruling {
        ruling(RulingKind::Accept, id, by, why, self.after_review(id))
    }

    pub fn reject(self, id: &str, by: Option<&str>) -> Ruling {
        ruling(RulingKind::Reject, id, by, "", self.after_review(id))
    }

    /// Lets a record wait again, as it was proposed.
    pub fn propose_again(self, id: &str, proposal: Ruling) -> Ruling {
        let (id, at_ms) = (id.to_owned(), self.after_review(id));
        Ruling { id, at_ms, ..proposal }
    }

    /// Counts the feedback of a session: once, and no more than have an effect.
    pub fn feedback(self, id: &str, kind: RulingKind, session: &str) -> Option<Ruling> {
        let (key, verdicts) = (id_hash(id), self.standings.verdicts_on(&id_hash(id), None));
        let so_far = match kind {
            RulingKind::Useful => verdicts.useful,
            _ => verdicts.wrong,
        };
        let counts = so_far < VERDICTS_MAX && !self.standings.has_said(&key, kind, &id_hash(session));
        counts.then(|| ruling(kind, id, Some(session), "", self.after_review(id)))
    }

    /// Takes back that a record was useful to a session, if that counts.
    pub fn withdraw(self, id: &str, session: &str) -> Option<Ruling> {
        let has_said = self
            .standings
            .has_said(&id_hash(id), RulingKind::Useful, &id_hash(session));
        has_said.then(|| ruling(RulingKind::Withdraw, id, Some(session), "", self.after_review(id)))
    }

    /// Says that a record does not belong to a place, or that it does after all, if that changes anything.
    pub fn rule_out(self, id: &str, is_out: bool, (key, place): (&str, &str)) -> Option<Ruling> {
        let kind = if is_out {
            RulingKind::Elsewhere
        } else {
            RulingKind::Here
        };
        let was_out = self
            .standings
            .has_said(&id_hash(id), RulingKind::Elsewhere, &id_hash(key));
        (is_out != was_out).then(|| ruling(kind, id, Some(key), place, self.after_review(id)))
    }

    /// Makes those of the records current that are retired.
    pub fn keep<'i>(self, ids: impl IntoIterator<Item = &'i str>) -> Vec<Ruling> {
        let is_retired = |id: &&str| self.standings.retired_since(&id_hash(id), None).is_some();
        let retired = ids.into_iter().filter(is_retired);
        retired
            .map(|id| ruling(RulingKind::Keep, id, None, "", self.after_rulings_on(id)))
            .collect()
    }

    /// Retires one record by another, and sees to it that the other one is current.
    pub fn retire(self, id: &str, by: &str, why: &str) -> Vec<Ruling> {
        let is_retired = self.is_retired_by(id, Some(by));
        if is_retired && self.standings.retiring_act(&id_hash(by)).is_none() {
            return Vec::new();
        }
        let mut rulings = self.keep([by]);
        rulings.push(self.replace(RulingKind::Retire, id, Some(by), why));
        rulings
    }

    /// Says that a record is out of date, or, of one that the speaker may not retire, that it is in conflict with its replacement.
    pub fn replace(self, kind: RulingKind, id: &str, by: Option<&str>, why: &str) -> Ruling {
        ruling(kind, id, by, why, self.after_keeps_of(id))
    }

    /// True if a record is retired by the other one, or by anything when none is named.
    pub fn is_retired_by(self, id: &str, by: Option<&str>) -> bool {
        let act = self.standings.retiring_act(&id_hash(id));
        act.is_some_and(|act| by.is_none_or(|by| act.other == Some(id_hash(by))))
    }

    /// Declares two records compatible.
    pub fn hold(self, older: &str, newer: &str) -> Vec<Ruling> {
        let (one, other) = (id_hash(older), id_hash(newer));
        let contradicted = self.standings.latest_between(&one, &other, RulingKind::Conflict);
        let at = contradicted.map_or(self.now, |at| self.now.max(at));
        let is_held = self.standings.is_held(&one, &other);
        let hold = (!is_held).then(|| ruling(RulingKind::Hold, older, Some(newer), "", at));
        hold.into_iter().chain(self.keep([older, newer])).collect()
    }

    /// Takes back a decision about two records: they contradict each other again.
    pub fn reopen(self, one: &str, other: &str) -> Option<Ruling> {
        let held = self
            .standings
            .latest_between(&id_hash(one), &id_hash(other), RulingKind::Hold);
        let at = held.map_or(self.now, |held| self.now.max(held.saturating_add(1)));
        (!self.are_in_conflict(one, other)).then(|| ruling(RulingKind::Conflict, one, Some(other), WHY_REOPENED, at))
    }

    pub fn are_in_conflict(self, one: &str, other: &str) -> bool {
        let conflicts = self.standings.conflicts_of(&id_hash(one));
        conflicts.iter().any(|act| act.other == Some(id_hash(other)))
    }

    /// True if two records are in conflict, or were until one of them was retired by the other or both were held.
    pub fn were_in_conflict(self, one: &str, other: &str) -> bool {
        self.are_in_conflict(one, other)
            || self.is_retired_by(one, Some(other))
            || self.is_retired_by(other, Some(one))
            || self.standings.is_held(&id_hash(one), &id_hash(other))
    }

    /// True if a record may retire an older one. What a person said is retired only by what a person says, and what somebody has kept
    /// by no rule at all: they are in conflict, and a person decides.
    pub fn may_retire(self, newer: &Fields<'_>, older: &Fields<'_>) -> bool {
        let is_persons = |fields: &Fields<'_>| fields.author == Some(Author::Person);
        !self.was_kept(&older.id) && (is_persons(newer) || !is_persons(older))
    }

    pub fn was_kept(self, id: &str) -> bool {
        self.standings.kept_at(&id_hash(id), None) != Millis::MIN
    }

    /// True if a proposed or rejected record becomes current because this speaker captured the same text. Of those whose records wait, only
    /// another person is a witness: a second session of an agent says what the first one was told. `proposer` is the session that proposed it.
    pub fn confirms(
        self,
        id: &str,
        speaker: &Speaker,
        is_covered: bool,
        proposer: impl FnOnce() -> Option<String>,
    ) -> bool {
        match self.standings.review_of(&id_hash(id), None) {
            Review::Rejected(_) => speaker.is_person() && !is_covered,
            Review::Proposed(_) if speaker.waits == Some(true) => false,
            Review::Proposed(_) if !is_covered => true,
            Review::Proposed(_) => {
                let is_other = |by: String| speaker.session.as_ref().is_some_and(|session| *session != by);
                speaker.is_person() && proposer().is_some_and(is_other)
            }
            Review::None | Review::Accepted(_) => false,
        }
    }
}
