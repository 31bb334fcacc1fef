//! The standing of records: the combined effect of all rulings about them. It is a function of the set of rulings,
//! independent of their order and of the machine (like a last-writer-wins register).
//!
//! A record is retired while its latest `retire` is later than its latest `keep`. Records that retire each other in a
//! cycle, which only a merge or a manual edit can produce, are all current, so that nothing disappears without a
//! replacement.

use schemars::JsonSchema;
use serde::Serialize;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::rings::Links;
use crate::model::said::{Author, Door};
use crate::model::thought::{Lift, LineKind, Ruling, RulingKind, id_hash, read_line};
use forge_memory_journal::clock::Millis;
use forge_memory_journal::{Span, each_line};

/// A ruling, seen from one of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Act<K> {
    /// Its kind.
    pub kind: RulingKind,
    /// The other record.
    pub other: Option<K>,
    /// When it was made.
    pub at: Millis,
    /// The position of its line.
    pub span: Span,
    /// Who made it, when that is known.
    pub author: Option<Author>,
    /// What a person adds to the record with it.
    pub lift: Lift,
    /// True if it takes back another ruling, and vouches for no record.
    pub is_undo: bool,
}

impl Act<u64> {
    /// The ruling of a line, with the other record by its hash.
    pub fn of(ruling: &Ruling, span: Span) -> Self {
        Act::with(ruling, ruling.other.as_deref().map(id_hash), span)
    }
}

impl<K> Act<K> {
    fn with(ruling: &Ruling, other: Option<K>, span: Span) -> Self {
        Act {
            kind: ruling.kind,
            other,
            at: ruling.at_ms,
            span,
            author: ruling.said.author,
            lift: ruling.lift,
            is_undo: ruling.said.door == Some(Door::Undo),
        }
    }
}

/// The review state of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// It was never proposed, and so needs no review.
    None,
    /// It is proposed, since then.
    Proposed(Millis),
    /// It was accepted then.
    Accepted(Millis),
    /// It was rejected then.
    Rejected(Millis),
}

impl Review {
    /// Returns since when it keeps a record out of answers.
    pub fn withheld_since(self) -> Option<Millis> {
        match self {
            Review::Proposed(at) | Review::Rejected(at) => Some(at),
            Review::None | Review::Accepted(_) => None,
        }
    }
}

/// The maximum number of sessions that count for each verdict on a record; compaction removes further lines.
pub const VERDICTS_MAX: usize = 8;

/// The number of sessions that have to find a record wrong before it enters the review inbox.
pub const WRONG_TO_REVIEW: usize = 2;

/// The verdicts of sessions on a record; each session counts once, and at most 8 count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MemoryVerdicts")]
pub struct Verdicts {
    /// Sessions that found it useful.
    pub useful: usize,
    /// Sessions that found it wrong since it was last accepted.
    pub wrong: usize,
}

impl Verdicts {
    /// True if a person should review the record.
    pub fn are_disputed(self) -> bool {
        self.wrong >= WRONG_TO_REVIEW
    }
}

/// The combined rulings of a journal; records are identified by their ids, or by hashes of those.
#[derive(Debug, Clone)]
pub struct Standings<K> {
    acts: FxHashMap<K, Vec<Act<K>>>,
    /// The records that each record has ever retired.
    retired_by: FxHashMap<K, Vec<K>>,
    /// Records that retire each other in a cycle.
    rings: FxHashSet<K>,
    are_rings_due: bool,
}

impl<K> Default for Standings<K> {
    fn default() -> Self {
        Standings {
            acts: FxHashMap::default(),
            retired_by: FxHashMap::default(),
            rings: FxHashSet::default(),
            are_rings_due: false,
        }
    }
}

impl<K: Hash + Eq + Clone> Standings<K> {
    /// True if there are no rulings, as in most journals.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.acts.is_empty()
    }

    /// Adds a ruling; a known one changes nothing.
    pub fn take(&mut self, id: K, act: Act<K>) {
        let known = self.acts.entry(id.clone()).or_default();
        if known.contains(&act) {
            return;
        }
        known.push(act.clone());
        if act.kind.is_review() || act.kind.is_feedback() {
            return;
        }
        let Some(other) = act.other.clone() else {
            self.are_rings_due |= !self.rings.is_empty();
            return;
        };
        match act.kind {
            RulingKind::Retire => {
                // A cycle is closed by a record that is itself retired.
                self.are_rings_due |= !self.rings.is_empty() || self.retirement(&other, None).is_some();
                let retired = self.retired_by.entry(other).or_default();
                if !retired.contains(&id) {
                    retired.push(id);
                }
            }
            RulingKind::Conflict | RulingKind::Hold => {
                let mirrored = Act { other: Some(id), ..act };
                self.acts.entry(other).or_default().push(mirrored);
            }
            _ => {}
        }
    }

    /// Searches for cycles if new ones are possible. Must be called after rulings were added.
    pub fn settle(&mut self) {
        if !std::mem::take(&mut self.are_rings_due) {
            return;
        }
        self.rings.clear();
        let mut links = Links::default();
        for id in self.acts.keys() {
            if let Some(other) = self.retirement(id, None).and_then(|act| act.other.clone()) {
                links.add(id.clone(), other);
            }
        }
        self.rings = links.in_rings();
    }

    /// Returns the review state of a record, now or at a point in time. The latest ruling counts; of simultaneous ones,
    /// a rejection precedes an acceptance, which precedes a proposal. A record that is proposed now was never visible
    /// before.
    pub fn review_of(&self, id: &K, at: Option<Millis>) -> Review {
        let rank = |kind: RulingKind| match kind {
            RulingKind::Propose => 0,
            RulingKind::Accept => 1,
            _ => 2,
        };
        let acts = || self.acts_of(id).iter().filter(|act| act.kind.is_review());
        let seen = acts().filter(|act| is_seen(act, at));
        match seen.max_by_key(|act| (act.at, rank(act.kind))) {
            Some(act) if act.kind == RulingKind::Propose => Review::Proposed(act.at),
            Some(act) if act.kind == RulingKind::Accept => Review::Accepted(act.at),
            Some(act) => Review::Rejected(act.at),
            None => {
                let proposed = acts().filter(|act| act.kind == RulingKind::Propose);
                proposed.map(|act| act.at).min().map_or(Review::None, Review::Proposed)
            }
        }
    }

    /// Returns the ruling that proposed a record, if it is known.
    pub fn proposer_of(&self, id: &K) -> Option<&Act<K>> {
        self.of_record(id, RulingKind::Propose).max_by_key(|act| act.at)
    }

    /// Returns the rulings of a kind on a record.
    pub fn of_record(&self, id: &K, kind: RulingKind) -> impl Iterator<Item = &Act<K>> {
        self.acts_of(id).iter().filter(move |act| act.kind == kind)
    }

    /// Returns the rulings of a kind.
    pub fn of_kind(&self, kind: RulingKind) -> impl Iterator<Item = (&K, &Act<K>)> {
        let acts = self
            .acts
            .iter()
            .flat_map(|(id, acts)| acts.iter().map(move |act| (id, act)));
        acts.filter(move |(_, act)| act.kind == kind)
    }

    /// Returns the moment of the latest ruling on the review of a record, or of feedback on it.
    pub fn latest_of_review(&self, id: &K) -> Option<Millis> {
        self.latest_of(id, |act| act.kind.is_review() || act.kind.is_feedback())
    }

    /// Counts the verdicts of sessions on a record. Each session counts once per verdict, and at most [`VERDICTS_MAX`]
    /// count. An acceptance resets the earlier `wrong` verdicts, and a session takes back that a record was useful to it.
    pub fn verdicts_on(&self, id: &K, at: Option<Millis>) -> Verdicts {
        let count = |kind: RulingKind| {
            let counts = |act: &&Act<K>| act.kind == kind && is_seen(act, at) && self.is_in_force(id, act, at);
            let mut sessions: Vec<&Option<K>> = Vec::new();
            for act in self.acts_of(id).iter().filter(counts) {
                if sessions.len() < VERDICTS_MAX && !sessions.contains(&&act.other) {
                    sessions.push(&act.other);
                }
            }
            sessions.len()
        };
        Verdicts {
            useful: count(RulingKind::Useful),
            wrong: count(RulingKind::Wrong),
        }
    }

    /// True if feedback was not set aside since: by an acceptance, or by the session itself; of a place, by anybody.
    fn is_in_force(&self, id: &K, feedback: &Act<K>, at: Option<Millis>) -> bool {
        let ends = |act: &Act<K>| match feedback.kind {
            RulingKind::Wrong => act.kind == RulingKind::Accept,
            RulingKind::Elsewhere => act.kind == RulingKind::Here && act.other == feedback.other,
            _ => act.kind == RulingKind::Withdraw && act.other == feedback.other,
        };
        let ended = self.latest_of(id, |act| ends(act) && is_seen(act, at));
        ended.is_none_or(|ended| feedback.at > ended)
    }

    /// True if a person has vouched for a record: kept or accepted it, or found it useful.
    pub fn is_vouched_for(&self, id: &K) -> bool {
        self.vouchers_of(id).next().is_some()
    }

    /// True if what somebody else said is a person's by now.
    pub fn vouches_for(&self, id: &K, author: Option<Author>) -> bool {
        author != Some(Author::Person) && self.is_vouched_for(id)
    }

    /// Returns what those people have added to its lifetime and its confidence.
    pub fn lift_of(&self, id: &K) -> Lift {
        let lifts = self.vouchers_of(id).map(|act| act.lift);
        lifts.fold(Lift::default(), Lift::or_higher)
    }

    fn vouchers_of(&self, id: &K) -> impl Iterator<Item = &Act<K>> {
        let vouches = |act: &&Act<K>| {
            let is_kind = matches!(act.kind, RulingKind::Keep | RulingKind::Accept | RulingKind::Useful);
            is_kind && act.author == Some(Author::Person) && !act.is_undo
        };
        let acts = self.acts_of(id).iter().filter(vouches);
        // A record that waits again was not accepted, and a record that an undo retires again was not kept.
        let ended = self.latest_of(id, |act| act.kind == RulingKind::Retire && act.is_undo);
        let proposed = self.latest_of(id, |act| act.kind == RulingKind::Propose);
        acts.filter(move |act| match act.kind {
            RulingKind::Useful => self.is_in_force(id, act, None),
            RulingKind::Accept => proposed.is_none_or(|proposed| act.at >= proposed),
            _ => ended.is_none_or(|ended| act.at > ended),
        })
    }

    /// True if a session has given this verdict on a record, or somebody did about a place, and it counts.
    pub fn has_said(&self, id: &K, kind: RulingKind, session: &K) -> bool {
        let is_it = |act: &Act<K>| act.kind == kind && act.other.as_ref() == Some(session);
        let acts = self.acts_of(id).iter();
        acts.filter(|act| is_it(act)).any(|act| self.is_in_force(id, act, None))
    }

    /// Returns since when a record is hidden, because it is retired, proposed or rejected.
    pub fn hidden_since(&self, id: &K, at: Option<Millis>) -> Option<Millis> {
        let withheld = self.review_of(id, at).withheld_since();
        match (self.retired_since(id, at), withheld) {
            (Some(retired), Some(withheld)) => Some(retired.min(withheld)),
            (retired, withheld) => retired.or(withheld),
        }
    }

    /// Returns since when a record is retired, now or as it was at a moment.
    pub fn retired_since(&self, id: &K, at: Option<Millis>) -> Option<Millis> {
        if self.rings.contains(id) {
            return None;
        }
        let kept = self.kept_at(id, at);
        let within = |act: &&Act<K>| act.kind == RulingKind::Retire && act.at > kept && is_seen(act, at);
        self.acts_of(id).iter().filter(within).map(|act| act.at).min()
    }

    /// Returns the latest ruling by which a record is now retired.
    pub fn retiring_act(&self, id: &K) -> Option<&Act<K>> {
        self.retirement(id, None).filter(|_| !self.rings.contains(id))
    }

    /// Returns when a record was last kept; the minimum when it never was.
    pub fn kept_at(&self, id: &K, at: Option<Millis>) -> Millis {
        let kept = self.latest_of(id, |act| act.kind == RulingKind::Keep && is_seen(act, at));
        kept.unwrap_or(Millis::MIN)
    }

    /// Returns the time of the latest ruling that retires or keeps a record.
    pub fn latest(&self, id: &K) -> Option<Millis> {
        self.latest_of(id, |act| matches!(act.kind, RulingKind::Retire | RulingKind::Keep))
    }

    /// True if two records were declared compatible (`hold`), and no contradiction was declared since.
    pub fn is_held(&self, id: &K, other: &K) -> bool {
        let held = self.latest_between(id, other, RulingKind::Hold);
        held.is_some() && held >= self.latest_between(id, other, RulingKind::Conflict)
    }

    /// Returns the records with which this one was declared compatible.
    pub fn held_with(&self, id: &K) -> impl Iterator<Item = K> {
        let others = self.acts_of(id).iter().filter_map(|act| act.other.clone());
        others.filter(|other| self.is_held(id, other))
    }

    /// Returns the time of the latest ruling of a kind on two records.
    pub fn latest_between(&self, id: &K, other: &K, kind: RulingKind) -> Option<Millis> {
        self.latest_of(id, |act| act.kind == kind && act.other.as_ref() == Some(other))
    }

    /// Returns the unsettled conflicts of a record: each ruling with the other record.
    pub fn conflicts_of(&self, id: &K) -> Vec<Act<K>> {
        let is_held = |act: &Act<K>| act.other.as_ref().is_some_and(|other| self.is_held(id, other));
        let mut open: Vec<Act<K>> = Vec::new();
        let conflicts = self.acts_of(id).iter().filter(|act| act.kind == RulingKind::Conflict);
        for act in conflicts.filter(|act| !is_held(act)) {
            if open.iter().all(|known| known.other != act.other) {
                open.push(act.clone());
            }
        }
        open
    }

    /// True if others say the same about a record: what it contradicts, what it is compatible with, and the verdicts on it.
    pub fn says_same(&self, other: &Self, id: &K) -> bool {
        let held = |standings: &Self| -> FxHashSet<K> { standings.held_with(id).collect() };
        let open = |standings: &Self| -> FxHashSet<K> {
            let conflicts = standings.conflicts_of(id).into_iter();
            conflicts.filter_map(|act| act.other).collect()
        };
        let verdicts = |standings: &Self| standings.verdicts_on(id, None);
        open(self) == open(other) && held(self) == held(other) && verdicts(self) == verdicts(other)
    }

    /// Returns the records that were last retired by this one.
    pub fn retired_by(&self, id: &K) -> Vec<K> {
        let named = self.retired_by.get(id).into_iter().flatten();
        let is_last = |other: &&K| {
            let act = self.retiring_act(other);
            act.is_some_and(|act| act.other.as_ref() == Some(id))
        };
        named.filter(is_last).cloned().collect()
    }

    /// Returns every record that a ruling names first.
    pub fn ids(&self) -> impl Iterator<Item = &K> {
        self.acts.keys()
    }

    fn acts_of(&self, id: &K) -> &[Act<K>] {
        self.acts.get(id).map_or(&[], Vec::as_slice)
    }

    fn latest_of(&self, id: &K, is_it: impl Fn(&Act<K>) -> bool) -> Option<Millis> {
        let acts = self.acts_of(id).iter();
        acts.filter(|act| is_it(act)).map(|act| act.at).max()
    }

    fn retirement(&self, id: &K, at: Option<Millis>) -> Option<&Act<K>> {
        let kept = self.kept_at(id, at);
        let retirements = self.acts_of(id).iter();
        let retirements = retirements.filter(|act| act.kind == RulingKind::Retire && act.at > kept);
        // Of simultaneous rulings, the one whose line comes first; the order of lines is the same in merged files.
        retirements.rev().max_by_key(|act| act.at)
    }
}

fn is_seen<K>(act: &Act<K>, at: Option<Millis>) -> bool {
    at.is_none_or(|at| act.at <= at)
}

impl Standings<u64> {
    /// True if something was ruled on a record.
    pub fn is_about(&self, id: &str) -> bool {
        !self.acts_of(&id_hash(id)).is_empty()
    }

    /// True if a ruling is one of these, wherever its line is.
    pub fn has(&self, ruling: &Ruling) -> bool {
        let other = ruling.other.as_deref().map(id_hash);
        let mut acts = self.acts_of(&id_hash(&ruling.id)).iter();
        acts.any(|act| (act.kind, act.other, act.at) == (ruling.kind, other, ruling.at_ms))
    }
}

impl Standings<String> {
    /// Reads the rulings of a file.
    pub fn in_file(bytes: &[u8]) -> Self {
        let mut standings = Standings::default();
        if memchr::memmem::find(bytes, b"\"_action\"").is_none() {
            return standings;
        }
        let finder = memchr::memmem::Finder::new("\"_action\"");
        for (_, line) in each_line(bytes) {
            if finder.find(line).is_some()
                && let LineKind::Ruling(ruling) = read_line(line)
            {
                standings.take_ruling(ruling);
            }
        }
        standings.settle();
        standings
    }

    fn take_ruling(&mut self, ruling: Ruling) {
        let act = Act::with(&ruling, ruling.other.clone(), Span { offset: 0, len: 0 });
        self.take(ruling.id, act);
    }
}

/// The rulings on records, combined, for a store that keeps them.
#[derive(Debug)]
pub struct SharedStandings(Standings<String>);

impl SharedStandings {
    /// Combines rulings, in any order.
    pub fn of(rulings: impl IntoIterator<Item = Ruling>) -> Self {
        let mut standings = Standings::default();
        rulings.into_iter().for_each(|ruling| standings.take_ruling(ruling));
        standings.settle();
        SharedStandings(standings)
    }

    /// True if a record is retired or rejected.
    pub fn is_hidden(&self, id: &str) -> bool {
        self.0.hidden_since(&id.to_owned(), None).is_some()
    }

    /// Returns the records with which it is in conflict.
    pub fn conflicts_of(&self, id: &str) -> Vec<String> {
        let conflicts = self.0.conflicts_of(&id.to_owned());
        conflicts.into_iter().filter_map(|act| act.other).collect()
    }

    /// Counts the verdicts of sessions on a record.
    pub fn verdicts_on(&self, id: &str) -> Verdicts {
        self.0.verdicts_on(&id.to_owned(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(rulings: &[(RulingKind, &'static str, &'static str, Millis)]) -> Standings<&'static str> {
        let mut standings = Standings::default();
        for (kind, id, other, at) in rulings {
            let act = Act {
                kind: *kind,
                other: (!other.is_empty()).then_some(*other),
                at: *at,
                span: Span { offset: 0, len: 0 },
                author: None,
                lift: Lift::default(),
                is_undo: false,
            };
            standings.take(*id, act);
            standings.settle();
        }
        standings
    }

    use RulingKind::{Conflict, Hold, Keep, Retire, Useful, Withdraw};

    #[test]
    fn a_session_takes_back_that_a_record_was_useful_in_any_order() {
        let lines = [
            (Useful, "a", "mine", 10),
            (Useful, "a", "yours", 15),
            (Withdraw, "a", "mine", 20),
            (Useful, "a", "mine", 30),
        ];
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let found = standings(&order.map(|at| lines[at]));
            let useful = |at| found.verdicts_on(&"a", at).useful;
            assert_eq!(
                [useful(Some(17)), useful(Some(25)), useful(None)],
                [2, 1, 2],
                "{order:?}"
            );
        }
        let found = standings(&lines[..3]);
        assert!(!found.has_said(&"a", Useful, &"mine") && found.has_said(&"a", Useful, &"yours"));
    }

    #[test]
    fn the_later_of_retire_and_keep_wins_in_any_order() {
        let lines = [(Retire, "a", "b", 10), (Keep, "a", "", 20), (Retire, "a", "c", 30)];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2], [0, 2, 1], [2, 0, 1]] {
            let found = standings(&order.map(|at| lines[at]));
            assert_eq!(found.retired_since(&"a", None), Some(30), "{order:?}");
            assert_eq!(found.retired_since(&"a", Some(25)), None);
            assert_eq!(found.retired_since(&"a", Some(15)), Some(10));
            assert_eq!(found.retired_since(&"a", Some(5)), None);
            assert_eq!(found.retired_by(&"c"), ["a"]);
            assert!(found.retired_by(&"b").is_empty());
        }
        assert_eq!(standings(&lines[..2]).retired_since(&"a", None), None);
        assert_eq!(
            standings(&[(Retire, "a", "b", 10), (Keep, "a", "", 10)]).retired_since(&"a", None),
            None
        );
    }

    #[test]
    fn records_that_retire_each_other_in_a_cycle_are_all_current() {
        let circle = [(Retire, "a", "b", 10), (Retire, "b", "c", 20), (Retire, "c", "a", 30)];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let found = standings(&order.map(|at| circle[at]));
            for id in ["a", "b", "c"] {
                assert_eq!(found.retired_since(&id, None), None, "{order:?} {id}");
            }
        }
        let opened = [circle[0], circle[1], circle[2], (Keep, "c", "", 40)];
        let found = standings(&opened);
        assert_eq!(found.retired_since(&"a", None), Some(10));
        assert_eq!(found.retired_since(&"c", None), None);
    }

    #[test]
    fn a_conflict_is_seen_from_both_sides_until_both_hold() {
        let found = standings(&[(Conflict, "a", "b", 10)]);
        assert_eq!(found.conflicts_of(&"a")[0].other, Some("b"));
        assert_eq!(found.conflicts_of(&"b")[0].other, Some("a"));
        let found = standings(&[(Hold, "b", "a", 20), (Conflict, "a", "b", 10)]);
        assert!(found.conflicts_of(&"a").is_empty());
        let found = standings(&[(Conflict, "b", "a", 30), (Hold, "b", "a", 20), (Conflict, "a", "b", 10)]);
        assert_eq!(found.conflicts_of(&"a")[0].other, Some("b"));
        assert!(!found.is_held(&"a", &"b"));
    }
}
