//! Random operations on the outbox, compared with a model (model-based testing).

use std::collections::{BTreeMap, BTreeSet};

use forge_memory_core::anvil::{Drain, LeasedThought, OutcomeKind, Work};
use forge_memory_core::clock::{DAY_MS, Millis};
use forge_memory_core::{EditInput, Memory};

use super::support::*;
use crate::common::dice::{Dice, seed};
use crate::common::{Workshop, capture_of};

/// The model: the expected state, independent of the files.
struct World {
    workshop: Workshop,
    memory: Memory,
    drain: Option<Drain>,
    now: Millis,
    shelf: Shelf,
    /// Live thoughts and their texts.
    live: BTreeMap<String, String>,
    gone: BTreeSet<String>,
    /// Unsettled records: stores and deletes.
    unsettled: usize,
    letters: usize,
    leased: BTreeMap<String, LeasedThought>,
    captured: usize,
}

impl World {
    fn new() -> Self {
        let workshop = Workshop::new();
        World {
            memory: workshop.open(),
            drain: None,
            now: now_of(&workshop),
            workshop,
            shelf: Shelf::default(),
            live: BTreeMap::new(),
            gone: BTreeSet::new(),
            unsettled: 0,
            letters: 0,
            leased: BTreeMap::new(),
            captured: 0,
        }
    }

    fn capture(&mut self, dice: &mut Dice) {
        self.captured += 1;
        let text = format!("remark {} about {} and {}", self.captured, dice.next(), dice.next());
        let outcome = self.memory.capture(capture_of("lesson", &text)).unwrap();
        assert!(outcome.captured && outcome.tiers.openbrain.is_ok());
        self.live.insert(outcome.thought.id, text);
        self.unsettled += 1;
    }

    fn edit(&mut self, dice: &mut Dice) {
        let Some(id) = self.any_live(dice) else { return };
        let text = format!("revised {} to {}", dice.next(), dice.next());
        let changes = EditInput {
            body: Some(text.clone()),
            ..EditInput::default()
        };
        let thought = self.memory.edit(&id, changes).unwrap();
        // The old revision stays in the store: hiding it is the store's business.
        self.live.insert(thought.id, text);
        self.live.remove(&id);
        self.unsettled += 1;
    }

    fn forget(&mut self, dice: &mut Dice) {
        let Some(id) = self.any_live(dice) else { return };
        let history = self.memory.history(&id).unwrap().unwrap();
        let revisions: Vec<String> = history.revisions().map(|(revision, _)| revision.id.clone()).collect();
        assert!(self.memory.forget(&id).unwrap());
        self.live.remove(&id);
        self.unsettled += revisions.len();
        self.gone.extend(revisions);
    }

    fn any_live(&self, dice: &mut Dice) -> Option<String> {
        (!self.live.is_empty()).then(|| self.live.keys().nth(dice.roll(self.live.len())).unwrap().clone())
    }

    fn drain(&mut self) -> &mut Drain {
        let workshop = &self.workshop;
        self.drain.get_or_insert_with(|| open_drain(workshop))
    }

    fn lease(&mut self, dice: &mut Dice) {
        let (now, max) = (self.now, 1 + dice.roll(12));
        let batch = self.drain().lease(max, now).unwrap();
        assert!(batch.len() <= max);
        let mut names = BTreeSet::new();
        for leased in batch {
            let ids = match &leased.work {
                Work::Store(thought) => vec![thought.id.clone()],
                Work::Delete(ids) => ids.clone(),
                Work::Rule(ruling) => vec![ruling.id.clone()],
            };
            for id in ids {
                assert!(names.insert(id), "two records of a batch are about the same thought");
            }
            let before = self.leased.insert(leased.key.clone(), leased);
            assert!(before.is_none(), "a record is leased twice");
        }
    }

    fn settle(&mut self, dice: &mut Dice, mood: usize) {
        let keys: Vec<String> = self.leased.keys().filter(|_| dice.percent(80)).cloned().collect();
        let mut outcomes = Vec::new();
        for key in &keys {
            let leased = &self.leased[key];
            let kind = match (mood, dice.roll(10)) {
                (0, _) => OutcomeKind::Busy,
                (1, 0..3) => OutcomeKind::Misconfigured,
                (_, 0) => OutcomeKind::Rejected,
                (_, 1 | 2) => OutcomeKind::Busy,
                (_, 3) => OutcomeKind::Gone,
                _ => OutcomeKind::Delivered,
            };
            let is_store = matches!(leased.work, Work::Store(_));
            // A store may have taken what it then failed to acknowledge.
            let kind = match kind {
                OutcomeKind::Gone if is_store => OutcomeKind::Delivered,
                OutcomeKind::Rejected if !is_store => OutcomeKind::Delivered,
                other => other,
            };
            let arrives = matches!(kind, OutcomeKind::Delivered | OutcomeKind::Gone)
                || (kind == OutcomeKind::Busy && dice.percent(30));
            if arrives {
                self.shelf.take(leased);
            }
            match kind {
                OutcomeKind::Delivered | OutcomeKind::Gone => self.unsettled -= 1,
                OutcomeKind::Rejected => (self.unsettled, self.letters) = (self.unsettled - 1, self.letters + 1),
                _ => {}
            }
            outcomes.push(outcome(leased, kind));
        }
        let now = self.now;
        let report = self.drain().settle(&outcomes, now).unwrap();
        assert_eq!(report.unknown, 0);
        for key in keys {
            self.leased.remove(&key);
        }
    }

    fn leave(&mut self, dice: &mut Dice) {
        if let Some(drain) = self.drain.take() {
            if dice.percent(50) {
                drain.close(self.now);
            }
            self.leased.clear();
        }
    }

    fn retry(&mut self) {
        let retried = self.memory.retry_dead_letters(None).unwrap();
        assert_eq!((retried.retried + retried.forgotten) as usize, self.letters);
        self.unsettled += retried.retried as usize;
        self.letters = 0;
    }

    fn step(&mut self, dice: &mut Dice, mood: usize) {
        match dice.roll(100) {
            0..30 => self.capture(dice),
            30..34 => self.edit(dice),
            34..40 => self.forget(dice),
            40..62 => self.lease(dice),
            62..84 => self.settle(dice, mood),
            84..90 => self.now += [1_000, 40_000, 600_000, 4_000_000][dice.roll(4)],
            90..93 => self.leave(dice),
            93..95 => self.retry(),
            95..97 => {
                let now = self.now;
                self.drain().resume(now).unwrap();
            }
            _ => self.check_status(),
        }
    }

    fn check_status(&mut self) {
        let status = self.memory.queue_status();
        assert_eq!(
            (status.queued as usize, status.dead_letters as usize),
            (self.unsettled, self.letters)
        );
        assert_eq!(status.malformed, 0);
        assert!(status.deferred <= status.queued);
    }

    /// The store recovers, and everything is delivered.
    fn finish(&mut self) {
        self.drain = None;
        self.leased.clear();
        self.retry();
        let mut drain = open_drain(&self.workshop);
        drain.resume(self.now).unwrap();
        let delivered = deliver_all(&mut drain, &mut self.shelf, self.now)
            + deliver_all(&mut drain, &mut self.shelf, self.now + DAY_MS);
        assert_eq!(delivered, self.unsettled);
        assert_eq!(drain.next_due_at(self.now).unwrap(), None);
        for (id, text) in &self.live {
            assert_eq!(
                self.shelf.texts.get(id),
                Some(text),
                "a live thought is not in the store"
            );
        }
        for id in &self.gone {
            assert!(
                !self.shelf.texts.contains_key(id),
                "a forgotten thought is in the store"
            );
        }
        drain.close(self.now);
        self.unsettled = 0;
        self.check_status();
    }
}

#[test]
fn random_delivery_schedules_lose_and_duplicate_nothing() {
    let seed = seed("anvil", 20_261_120);
    for world in 0..60 {
        let mut dice = Dice::new(seed + world);
        let mut now = World::new();
        let steps = 50 + dice.roll(250);
        let mut mood = 2;
        for _ in 0..steps {
            if dice.percent(5) {
                mood = dice.roll(4);
            }
            now.step(&mut dice, mood);
        }
        now.finish();
    }
}
