//! Fault injection into rulings: every disk access fails once while records are retired, kept and disputed. Acknowledged rulings are
//! effective, nothing is lost, and failed operations can be repeated.

use std::collections::BTreeMap;
use std::sync::Arc;

use forge_memory_core::Memory;
use forge_memory_core::history::RecordState;
use forge_memory_core::journal::Disk;
use forge_memory_core::resolve::Resolution;
use forge_memory_test_disk::{Fault, FaultyDisk, Torn};

use crate::common::lines::times_stored;
use crate::common::{Workshop, capture_of, list_all};

const OLD: &str = "The API rate limit is 100 requests per minute";
const NEW: &str = "The API rate limit is 250 requests per minute";
const LATER: &str = "The API rate limit is 400 requests per minute";

/// The acknowledged outcomes of a run: the ids of captures, and which of them are current; `None` where an operation failed.
#[derive(Default)]
struct Acknowledged {
    ids: BTreeMap<&'static str, String>,
    is_current: BTreeMap<&'static str, Option<bool>>,
    is_disputed: bool,
    /// True once something waits for a review, which all does while the settings cannot be read.
    waits: bool,
}

impl Acknowledged {
    fn capture(&mut self, workshop: &Workshop, memory: &mut Memory, text: &'static str, retires: &[&'static str]) {
        workshop.clock.advance(1000);
        let outcome = memory.capture(capture_of("lesson", text)).unwrap();
        self.waits |= outcome.review.is_some();
        let is_known = (outcome.captured || outcome.deduped) && outcome.review.is_none();
        if outcome.review.is_some() {
            self.ids.insert(text, outcome.thought.id.clone());
        }
        if is_known {
            self.ids.insert(text, outcome.thought.id.clone());
            self.is_current.insert(text, Some(true));
            self.is_disputed |= !outcome.conflicts.is_empty();
        }
        for older in retires {
            let is_retired = outcome.retired.iter().any(|retired| retired.text == **older);
            let was_known = self.is_current.contains_key(older);
            if was_known {
                self.is_current.insert(older, (is_known && is_retired).then_some(false));
            }
        }
    }

    fn keep(&mut self, workshop: &Workshop, memory: &mut Memory, text: &'static str) {
        workshop.clock.advance(1000);
        let Some(id) = self.ids.get(text) else { return };
        let before = self.is_current.get(text).copied().flatten();
        let now = match memory.resolver().keep(id) {
            Ok(kept) if kept.kept => Some(true),
            // The lines of a capture that failed may have arrived all the same, which the process has not seen yet.
            Ok(_) => before,
            Err(_) => None,
        };
        self.is_current.insert(text, now);
    }

    fn settle(&mut self, workshop: &Workshop, memory: &mut Memory, newer: &'static str, older: &'static str) {
        workshop.clock.advance(1000);
        let (Some(one), Some(other)) = (self.ids.get(newer), self.ids.get(older)) else {
            return;
        };
        let is_settled = memory.resolver().resolve(one, other, Resolution::Newer).is_ok();
        self.is_current.insert(newer, is_settled.then_some(true));
        self.is_current.insert(older, is_settled.then_some(false));
    }
}

fn work(workshop: &Workshop, memory: &mut Memory) -> Acknowledged {
    let mut acknowledged = Acknowledged::default();
    acknowledged.capture(workshop, memory, OLD, &[]);
    acknowledged.capture(workshop, memory, NEW, &[OLD]);
    acknowledged.keep(workshop, memory, OLD);
    // What was kept is in conflict with it and not retired.
    acknowledged.capture(workshop, memory, LATER, &[NEW, OLD]);
    acknowledged.settle(workshop, memory, LATER, OLD);
    acknowledged
}

fn check(label: &str, workshop: &Workshop, acknowledged: &Acknowledged, memory: &mut Memory) {
    for (text, id) in &acknowledged.ids {
        assert_eq!(
            times_stored(&workshop.raw_log(), id),
            1,
            "{label}: {text} is stored once"
        );
        let state = memory.history(id).unwrap().unwrap().state();
        match acknowledged.is_current.get(text).copied().flatten() {
            Some(true) => assert_eq!(state, RecordState::Current, "{label}: {text}"),
            Some(false) => assert_eq!(state, RecordState::Retired, "{label}: {text}"),
            None => assert!(
                matches!(state, RecordState::Current | RecordState::Retired)
                    || (acknowledged.waits && state == RecordState::Proposed),
                "{label}: {text}"
            ),
        }
    }
    if !acknowledged.ids.is_empty() && !acknowledged.waits {
        assert!(!list_all(memory).is_empty(), "{label}: something holds");
    }
}

fn texts(memory: &mut Memory) -> Vec<String> {
    list_all(memory).into_iter().map(|hit| hit.text).collect()
}

#[test]
fn acknowledged_rulings_survive_any_failed_file_access() {
    let mut at = 1;
    let mut acts = 0;
    loop {
        let mut is_past_the_end = true;
        for (torn, dead) in [(Torn::Half, false), (Torn::Half, true)] {
            let workshop = Workshop::new();
            let disk = FaultyDisk::of(Fault { at, torn, dead });
            let shared: Arc<dyn Disk> = Arc::new(disk.clone());
            let mut memory = workshop.open_on(shared);
            let acknowledged = work(&workshop, &mut memory);
            is_past_the_end &= disk.operations().len() < at;
            acts += acknowledged.ids.len();
            disk.repair();
            let label = format!("access {at}, {torn:?}, dead: {dead}");
            if !dead {
                check(&label, &workshop, &acknowledged, &mut memory);
                assert_eq!(texts(&mut memory), texts(&mut workshop.open()), "{label}");
            }
            drop(memory);
            check(&label, &workshop, &acknowledged, &mut workshop.open());
            // All of it once more, on a disk that works.
            let again = work(&workshop, &mut workshop.open());
            assert_eq!(again.ids.len(), 3, "{label}");
            check(&label, &workshop, &again, &mut workshop.open());
        }
        if is_past_the_end {
            break;
        }
        at += 1;
    }
    assert!(at > 20 && acts > at, "{at} accesses, {acts} captures");
}
