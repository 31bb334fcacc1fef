//! The lines that a decision writes, given the standings of the records so far. Nothing here reads or writes a file.
//!
//! A decision is never void because another clock was ahead: its lines are dated no earlier than those that it overrules. One that changes
//! nothing writes nothing, so that it can be repeated.

use crate::error::{Error, Result};
use crate::judgement::reason::{Contradicted, SUPERSEDES, WHY_CAPTURED, WHY_REOPENED, WHY_RESTORED};
use crate::judgement::standing::{Review, Standings, VERDICTS_MAX};
use crate::judgement::state::State;
use crate::judgement::worth::{Subject, worth_to_person};
use crate::model::author::{Author, Speaker};
use crate::model::said::{Door, Said};
use crate::model::thought::{Fields, Lift, Ruling, RulingKind, id_hash};
use forge_memory_journal::clock::Millis;

/// A line of a decision. One write appends all of them, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The new record.
    Record,
    /// A record was captured again, from a source.
    Confirm {
        id: String,
        source: String,
        said: Said,
    },
    /// A record is forgotten.
    Delete {
        id: String,
        said: Said,
    },
    Ruling(Ruling, Told),
}

/// Who is told of a ruling, besides the readers of the journal. The shared store has not heard of a proposal, and not of what becomes of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    Nobody,
    Hub,
    All,
}

/// A new text, as far as it decides what becomes of it.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'p> {
    pub id: &'p str,
    /// The record of which it is a revision.
    pub supersedes: Option<&'p str>,
    /// Where it comes from; `None` when repetitions are not counted.
    pub source: Option<&'p str>,
    /// The records that it names as replaced.
    pub named: &'p [Contradicted],
    /// Who says it; `None` of the revision of an edit, which was permitted before.
    pub by: Option<By<'p>>,
    /// How long it is to hold, and how sure it is.
    pub worth: Lift,
}

impl Plan<'_> {
    /// True if it waits for a review.
    pub fn waits(&self) -> bool {
        self.by.is_some_and(|by| by.waits)
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy)]
pub struct By<'s> {
    pub speaker: &'s Speaker,
    /// True if what they say waits for a review.
    pub waits: bool,
}

impl By<'_> {
    /// True if they may only ask for a change of a record: what they say waits for a review, or a person said it.
    pub fn may_only_ask(self, said_by: Option<Author>) -> bool {
        !self.speaker.is_person() && (said_by == Some(Author::Person) || self.waits)
    }
}

/// The records that a new text meets.
#[derive(Debug)]
pub enum Found {
    /// A current one says the same.
    Known(Subject),
    /// One that is proposed or was rejected says the same.
    Withheld(Withheld),
    /// None says the same; it contradicts these.
    Others(Vec<Contradicted>),
}

/// A record that is proposed or was rejected.
#[derive(Debug)]
pub struct Withheld {
    pub record: Subject,
    /// The session that proposed it.
    pub proposer: Option<String>,
    /// The records that it was proposed to supersede, retired unless a person said them, and those that it contradicts.
    pub named: Vec<Contradicted>,
    pub contradicted: Vec<Contradicted>,
}

/// What becomes of a new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Stored,
    Proposed,
    Known,
    /// It is not stored: the same waits, or was rejected.
    Withheld(Review),
    /// The record that waited is accepted.
    Confirmed,
}

/// A decision about a new text.
#[derive(Debug)]
pub struct Decision {
    pub effect: Effect,
    pub lines: Vec<Line>,
    /// The records that it retires or contradicts.
    pub contradicted: Vec<Contradicted>,
}

/// Returns what a merge of two branches says of records that disagree: the same line on every machine.
pub fn disagreement(older: &str, newer: &str, why: &str, at_ms: Millis) -> Ruling {
    let standings = Standings::default();
    let judge = Judge::of(&standings, Said::tool(Door::Merge), at_ms);
    judge.rules(RulingKind::Conflict, older, Some(newer), why, at_ms)
}

/// Decides by the rulings of one journal, for one speaker, whom every line that it writes names.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'s> {
    standings: &'s Standings<u64>,
    now: Millis,
    said: Said,
}

impl<'s> Judge<'s> {
    pub fn of(standings: &'s Standings<u64>, said: Said, now: Millis) -> Self {
        Judge { standings, now, said }
    }

    /// Makes a ruling.
    pub(super) fn rules(self, kind: RulingKind, id: &str, other: Option<&str>, why: &str, at_ms: Millis) -> Ruling {
        Ruling {
            kind,
            id: id.to_owned(),
            other: other.map(str::to_owned),
            why: why.to_owned(),
            at_ms,
            said: self.said,
            lift: Lift::default(),
        }
    }

    /// Returns the rulings that propose a record or a request. They precede its line, so that no reader of a prefix of the file sees it as
    /// current. A proposal hides nothing: it and the records that it is to supersede are in conflict until it is accepted.
    pub fn propose<'n>(
        self,
        (id, at_ms): (&str, Millis),
        speaker: &Speaker,
        named: impl IntoIterator<Item = &'n Contradicted>,
    ) -> Vec<Line> {
        let (by, who) = (speaker.session.as_deref(), speaker.author.unwrap_or(Author::Agent));
        let propose = self.rules(RulingKind::Propose, id, by, who.name(), at_ms);
        let conflicts = named.into_iter().map(|older| {
            let conflict = self.rules(RulingKind::Conflict, &older.id, Some(id), SUPERSEDES, at_ms);
            Line::Ruling(conflict, Told::Nobody)
        });
        [Line::Ruling(propose, Told::Hub)]
            .into_iter()
            .chain(conflicts)
            .collect()
    }

    /// Decides what becomes of a new text.
    pub fn text(self, plan: &Plan<'_>, found: Found) -> Decision {
        let (effect, lines, contradicted) = match found {
            Found::Known(known) => (Effect::Known, self.confirm(plan, &known), Vec::new()),
            Found::Withheld(known) => match plan.by.filter(|by| self.confirms(&known, *by)) {
                Some(by) => {
                    let why = (by.speaker.session.as_deref(), WHY_CAPTURED);
                    (Effect::Confirmed, self.accept_record(known, why), Vec::new())
                }
                None => (
                    Effect::Withheld(self.review_of(&known.record.id)),
                    Vec::new(),
                    Vec::new(),
                ),
            },
            Found::Others(mut contradicted) => {
                if let Some(by) = plan.by.filter(|by| by.waits) {
                    let mut lines = self.propose((plan.id, self.now), by.speaker, plan.named);
                    lines.push(Line::Record);
                    return Decision {
                        effect: Effect::Proposed,
                        lines,
                        contradicted: Vec::new(),
                    };
                }
                contradicted.retain(|older| plan.named.iter().all(|named| named.id != older.id));
                let is_revised = |older: &&Contradicted| plan.supersedes == Some(&older.id);
                let also = plan.named.iter().filter(|older| !is_revised(older)).cloned();
                contradicted.splice(0..0, also);
                let mut lines = vec![Line::Record];
                lines.extend(self.on_contradicted(&contradicted, plan.id));
                let named = plan.named.iter().find(is_revised).cloned();
                let revised = plan
                    .supersedes
                    .map(|id| named.unwrap_or_else(|| Contradicted::superseded(id.to_owned())));
                contradicted.splice(0..0, revised);
                (Effect::Stored, lines, contradicted)
            }
        };
        Decision {
            effect,
            lines,
            contradicted,
        }
    }

    /// Confirms a record that a new text repeats. A person whose word counts at once vouches for it as well, if that adds anything.
    fn confirm(self, plan: &Plan<'_>, known: &Subject) -> Vec<Line> {
        let confirm = plan.source.map(|source| Line::Confirm {
            id: known.id.clone(),
            source: source.to_owned(),
            said: self.said,
        });
        let mut lines: Vec<Line> = confirm.into_iter().collect();
        if let Some(by) = plan.by.filter(|by| by.speaker.is_person() && !by.waits) {
            let lift = known.lacks(self.standings, plan.worth, self.now);
            if self.said_by(&known.id, known.author) != Some(Author::Person) || lift != Lift::default() {
                let accept = self.accept(&known.id, by.speaker.session.as_deref(), WHY_CAPTURED);
                lines.push(Line::Ruling(Ruling { lift, ..accept }, Told::All));
            }
        }
        lines
    }

    /// Returns who said a record, as far as it decides who may change it: a person, also when a person has vouched for it.
    pub fn said_by(self, id: &str, author: Option<Author>) -> Option<Author> {
        if self.standings.is_vouched_for(&id_hash(id)) {
            Some(Author::Person)
        } else {
            author
        }
    }

    /// Returns who retired a record that is retired: what a person retired, only a person makes current again.
    pub fn retired_by(self, id: &str) -> Option<Author> {
        self.retired_before(id, Millis::MAX)
    }

    /// Returns who retired a record that was retired at a moment and still is.
    pub(super) fn retired_before(self, id: &str, at: Millis) -> Option<Author> {
        let act = self.standings.retiring_act(&id_hash(id))?;
        act.author.filter(|_| act.at <= at)
    }

    /// Lets a person vouch for a record: it has the lifetime and the confidence of a record of theirs, unless it has more. Of others, and
    /// where a command is undone, a ruling stays as it is.
    pub fn vouched(self, ruling: Ruling, record: &Subject) -> Ruling {
        let lift = match self.said.author {
            Some(Author::Person) if self.said.door != Some(Door::Undo) => {
                record.lacks(self.standings, worth_to_person(&record.kind, self.now), self.now)
            }
            _ => ruling.lift,
        };
        Ruling { lift, ..ruling }
    }

    /// Rules on the records that a new one contradicts. Whoever kept a record by a clock that is ahead did so before it was named.
    fn on_contradicted(self, contradicted: &[Contradicted], by: &str) -> impl Iterator<Item = Line> {
        contradicted.iter().map(move |older| {
            let kind = if older.is_retired {
                RulingKind::Retire
            } else {
                RulingKind::Conflict
            };
            let latest = self
                .standings
                .latest(&id_hash(&older.id))
                .filter(|_| older.why.0 == SUPERSEDES);
            let at = latest.map_or(self.now, |latest| self.now.max(latest + 1));
            Line::Ruling(self.rules(kind, &older.id, Some(by), &older.why.0, at), Told::All)
        })
    }

    /// Accepts a record, which then does what a new one does: it retires what it contradicts, and what it was proposed to supersede. What a
    /// person said is retired by a person's review alone: whoever says the same again may know nothing of that.
    pub fn accept_record(self, withheld: Withheld, (by, why): (Option<&str>, &str)) -> Vec<Line> {
        let (record, named) = (withheld.record, withheld.named);
        let id = record.id.clone();
        let told = match self.review_of(&id) {
            Review::Proposed(_) => Told::Hub,
            _ => Told::All,
        };
        let mut contradicted = withheld.contradicted;
        contradicted.retain(|older| named.iter().all(|named| named.id != older.id));
        let is_review = self.said.author == Some(Author::Person) && why != WHY_CAPTURED;
        contradicted.extend(named.into_iter().map(|older| Contradicted {
            is_retired: older.is_retired || is_review,
            ..older
        }));
        let accept = Line::Ruling(self.vouched(self.accept(&id, by, why), &record), told);
        [accept]
            .into_iter()
            .chain(self.on_contradicted(&contradicted, &id))
            .collect()
    }

    /// Returns the lines of rulings. Only those on captures are told.
    pub fn lines(self, rulings: Vec<Ruling>, are_on_captures: bool) -> Vec<Line> {
        let is_untold = |ruling: &Ruling| {
            (ruling.kind.is_review() || ruling.kind.is_feedback())
                && matches!(self.review_of(&ruling.id), Review::Proposed(_))
        };
        let told = match rulings.iter().any(is_untold) {
            _ if !are_on_captures => Told::Nobody,
            true => Told::Hub,
            false => Told::All,
        };
        rulings.into_iter().map(|ruling| Line::Ruling(ruling, told)).collect()
    }

    pub fn review_of(self, id: &str) -> Review {
        self.standings.review_of(&id_hash(id), None)
    }

    pub fn state_of(self, id: &str) -> State {
        self.standings.state_of(&id_hash(id))
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

    /// Forgets records.
    pub fn forget(self, ids: &[String]) -> Vec<Line> {
        let said = self.said;
        let deletes = ids.iter().cloned().map(|id| Line::Delete { id, said });
        deletes.collect()
    }

    pub fn accept(self, id: &str, by: Option<&str>, why: &str) -> Ruling {
        self.rules(RulingKind::Accept, id, by, why, self.after_review(id))
    }

    pub fn reject(self, id: &str, by: Option<&str>) -> Ruling {
        self.rules(RulingKind::Reject, id, by, "", self.after_review(id))
    }

    /// Lets a record wait again, as it was proposed.
    ///
    /// # Errors
    /// `INVALID_INPUT` when it never was.
    pub fn propose_again(self, id: &str, proposal: Option<Ruling>) -> Result<Ruling> {
        let proposal = proposal.ok_or_else(|| Error::invalid("id", format!("{id} was never proposed")))?;
        let (id, at_ms) = (id.to_owned(), self.after_review(id));
        Ok(Ruling { id, at_ms, ..proposal })
    }

    /// Counts the feedback of a session: once, and no more than have an effect.
    pub fn feedback(self, record: &Subject, kind: RulingKind, session: &str) -> Option<Ruling> {
        let id = record.id.as_str();
        let (key, verdicts) = (id_hash(id), self.standings.verdicts_on(&id_hash(id), None));
        let so_far = match kind {
            RulingKind::Useful => verdicts.useful,
            _ => verdicts.wrong,
        };
        let counts = so_far < VERDICTS_MAX && !self.standings.has_said(&key, kind, &id_hash(session));
        let said = counts.then(|| self.rules(kind, id, Some(session), "", self.after_review(id)));
        match kind {
            RulingKind::Useful => said.map(|useful| self.vouched(useful, record)),
            _ => said,
        }
    }

    /// Takes back that a record was useful to a session, if that counts.
    pub fn withdraw(self, id: &str, session: &str) -> Option<Ruling> {
        let has_said = self
            .standings
            .has_said(&id_hash(id), RulingKind::Useful, &id_hash(session));
        has_said.then(|| self.rules(RulingKind::Withdraw, id, Some(session), "", self.after_review(id)))
    }

    /// Says that a record does not belong to a place, or that it does after all, if that changes anything.
    pub fn place(self, id: &str, is_out: bool, (key, place): (&str, &str)) -> Option<Ruling> {
        let kind = if is_out {
            RulingKind::Elsewhere
        } else {
            RulingKind::Here
        };
        let was_out = self
            .standings
            .has_said(&id_hash(id), RulingKind::Elsewhere, &id_hash(key));
        (is_out != was_out).then(|| self.rules(kind, id, Some(key), place, self.after_review(id)))
    }

    /// Makes those of the records current that are retired.
    pub fn keep<'i>(self, ids: impl IntoIterator<Item = &'i str>) -> Vec<Ruling> {
        let is_retired = |id: &&str| self.standings.retired_since(&id_hash(id), None).is_some();
        let retired = ids.into_iter().filter(is_retired);
        retired.map(|id| self.vouch(id)).collect()
    }

    /// Says of a record that it holds, whether it was retired or not.
    pub fn vouch(self, id: &str) -> Ruling {
        self.holds(id, "")
    }

    /// Says of a revision of a forgotten record that it brings the record back.
    pub fn restore(self, id: &str) -> Ruling {
        self.holds(id, WHY_RESTORED)
    }

    fn holds(self, id: &str, why: &str) -> Ruling {
        self.rules(RulingKind::Keep, id, None, why, self.after_rulings_on(id))
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
        self.rules(kind, id, by, why, self.after_keeps_of(id))
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
        let hold = (!is_held).then(|| self.rules(RulingKind::Hold, older, Some(newer), "", at));
        hold.into_iter().chain(self.keep([older, newer])).collect()
    }

    /// Takes back a decision about two records: they contradict each other again.
    pub fn reopen(self, one: &str, other: &str) -> Option<Ruling> {
        let held = self
            .standings
            .latest_between(&id_hash(one), &id_hash(other), RulingKind::Hold);
        let at = held.map_or(self.now, |held| self.now.max(held.saturating_add(1)));
        (!self.are_in_conflict(one, other))
            .then(|| self.rules(RulingKind::Conflict, one, Some(other), WHY_REOPENED, at))
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
        let is_persons = |author: Option<Author>| author == Some(Author::Person);
        !self.was_kept(&older.id) && (is_persons(newer.author) || !is_persons(self.said_by(&older.id, older.author)))
    }

    pub fn was_kept(self, id: &str) -> bool {
        self.standings.kept_at(&id_hash(id), None) != Millis::MIN
    }

    /// True if a proposed or rejected record becomes current because its text was captured again. Of those whose records wait, only another
    /// person is a witness: a second session of an agent says what the first one was told.
    fn confirms(self, known: &Withheld, By { speaker, waits }: By<'_>) -> bool {
        match self.review_of(&known.record.id) {
            Review::Rejected(_) => speaker.is_person() && !waits,
            Review::Proposed(_) if speaker.waits == Some(true) => false,
            Review::Proposed(_) if !waits => true,
            Review::Proposed(_) => {
                let is_other = |by: &String| speaker.session.as_ref().is_some_and(|session| session != by);
                speaker.is_person() && known.proposer.as_ref().is_some_and(is_other)
            }
            Review::None | Review::Accepted(_) => false,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
