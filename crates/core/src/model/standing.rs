//! Whether records count, by what the rulings about them say together. The answer is a function of the set of rulings: neither
//! their order nor the machine that reads them makes a difference.
//!
//! A record is retired while its latest retirement is later than the last time it was kept. Where records retire each other
//! in a circle, which only a merge or a hand can make, none of them is: nothing may vanish without something in its place.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clock::Millis;
use crate::journal::{Span, each_line};
use crate::model::rings::Links;
use crate::model::thought::{LineKind, Ruling, RulingKind, read_line};

/// A ruling as it is seen from one of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Act<K> {
    /// What it says.
    pub kind: RulingKind,
    /// The other record.
    pub other: Option<K>,
    /// Since when.
    pub at: Millis,
    /// Where its line stands.
    pub span: Span,
}

/// What the rulings of a journal say; records are named by their ids, or by the hashes of those.
#[derive(Debug, Clone)]
pub(crate) struct Standings<K> {
    acts: FxHashMap<K, Vec<Act<K>>>,
    /// The records that each one has retired at some time.
    retired_by: FxHashMap<K, Vec<K>>,
    /// Records that retire each other in a circle.
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
    /// Tells whether there are no rulings, as in most journals.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.acts.is_empty()
    }

    /// Takes in a ruling; one that is known already changes nothing.
    pub fn take(&mut self, id: K, act: Act<K>) {
        let known = self.acts.entry(id.clone()).or_default();
        if known.contains(&act) {
            return;
        }
        known.push(act.clone());
        let Some(other) = act.other.clone() else {
            self.are_rings_due |= !self.rings.is_empty();
            return;
        };
        match act.kind {
            RulingKind::Retire => {
                // A circle is closed by one that is retired itself.
                self.are_rings_due |= !self.rings.is_empty() || self.retirement(&other, None).is_some();
                let retired = self.retired_by.entry(other).or_default();
                if !retired.contains(&id) {
                    retired.push(id);
                }
            }
            RulingKind::Conflict | RulingKind::Hold => {
                let mirrored = Act {
                    other: Some(id),
                    ..act
                };
                self.acts.entry(other).or_default().push(mirrored);
            }
            RulingKind::Keep => {}
        }
    }

    /// Looks for circles, if there may be new ones: due after rulings were taken in.
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

    /// Returns since when a record is retired, now or as it was at a moment.
    pub fn retired_since(&self, id: &K, at: Option<Millis>) -> Option<Millis> {
        if self.rings.contains(id) {
            return None;
        }
        let kept = self.kept_at(id, at);
        let within = |act: &&Act<K>| act.kind == RulingKind::Retire && act.at > kept && is_seen(act, at);
        self.acts.get(id)?.iter().filter(within).map(|act| act.at).min()
    }

    /// Returns the ruling by which a record is retired now: the latest.
    pub fn retiring_act(&self, id: &K) -> Option<&Act<K>> {
        self.retirement(id, None).filter(|_| !self.rings.contains(id))
    }

    /// Returns when a record was last kept; the earliest of all moments when it never was.
    pub fn kept_at(&self, id: &K, at: Option<Millis>) -> Millis {
        let acts = self.acts.get(id).into_iter().flatten();
        let kept = acts.filter(|act| act.kind == RulingKind::Keep && is_seen(act, at));
        kept.map(|act| act.at).max().unwrap_or(Millis::MIN)
    }

    /// Returns the latest moment of the rulings about a record that hide it or bring it back.
    pub fn latest(&self, id: &K) -> Option<Millis> {
        let acts = self.acts.get(id).into_iter().flatten();
        let ruled = acts.filter(|act| matches!(act.kind, RulingKind::Retire | RulingKind::Keep));
        ruled.map(|act| act.at).max()
    }

    /// Returns the conflicts of a record that nobody has settled: the ruling, with the other record.
    pub fn conflicts_of(&self, id: &K) -> Vec<Act<K>> {
        let acts = self.acts.get(id).map_or(&[][..], Vec::as_slice);
        let of = |kind: RulingKind| acts.iter().filter(move |act| act.kind == kind);
        let is_held = |act: &&Act<K>| of(RulingKind::Hold).any(|held| held.other == act.other);
        let mut open: Vec<Act<K>> = Vec::new();
        for act in of(RulingKind::Conflict).filter(|act| !is_held(act)) {
            if open.iter().all(|known| known.other != act.other) {
                open.push(act.clone());
            }
        }
        open
    }

    /// Tells whether somebody has said that two records hold beside each other.
    pub fn hold_together(&self, id: &K, other: &K) -> bool {
        let acts = self.acts.get(id).into_iter().flatten();
        let mut held = acts.filter(|act| act.kind == RulingKind::Hold);
        held.any(|act| act.other.as_ref() == Some(other))
    }

    /// Returns the records that are retired, and this one was the last to do it.
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

    fn retirement(&self, id: &K, at: Option<Millis>) -> Option<&Act<K>> {
        let kept = self.kept_at(id, at);
        let retirements = self.acts.get(id)?.iter();
        let retirements = retirements.filter(|act| act.kind == RulingKind::Retire && act.at > kept);
        // Of two at the same time the one whose line stands first: files that were merged have them in the same order.
        retirements.rev().max_by_key(|act| act.at)
    }
}

fn is_seen<K>(act: &Act<K>, at: Option<Millis>) -> bool {
    at.is_none_or(|at| act.at <= at)
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
        let act = Act {
            kind: ruling.kind,
            other: ruling.other,
            at: ruling.at_ms,
            span: Span { offset: 0, len: 0 },
        };
        self.take(ruling.id, act);
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
            };
            standings.take(*id, act);
            standings.settle();
        }
        standings
    }

    use RulingKind::{Conflict, Hold, Keep, Retire};

    #[test]
    fn the_later_of_a_retirement_and_a_keep_counts_in_whatever_order_they_come() {
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
        assert_eq!(standings(&[(Retire, "a", "b", 10), (Keep, "a", "", 10)]).retired_since(&"a", None), None);
    }

    #[test]
    fn records_that_retire_each_other_in_a_circle_all_count() {
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
        assert!(found.conflicts_of(&"a").is_empty() && found.hold_together(&"a", &"b"));
    }
}
