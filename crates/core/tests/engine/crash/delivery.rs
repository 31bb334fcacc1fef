//! Power failures while records are captured, delivered, refused, requeued and compacted: acknowledged records are delivered after the
//! restart, and settled deliveries are not repeated. A delivery that was not settled may be repeated with the same id (at-least-once).

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use forge_memory_core::Memory;
use forge_memory_core::anvil::{Drain, LeasedThought, OutcomeKind, Work};
use forge_memory_core::clock::{DAY_MS, Millis};
use forge_memory_core::journal::Disk;
use forge_memory_test_disk::{CrashDisk, Found, Survivors, SyncCall, SyncKind};

use super::survivors;
use super::work::CONFIG;
use crate::anvil::support::{Shelf, archive_path, deliver_all, now_of, open_drain, outcome, surroundings};
use crate::common::lines::objects;
use crate::common::{Workshop, capture_of};

/// What was acknowledged about a thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fact {
    Captured,
    Forgotten,
    Delivered,
    Refused,
    PutBack,
}

/// The work, done once.
struct Recording {
    workshop: Workshop,
    root: PathBuf,
    disk: CrashDisk,
    /// An acknowledged fact about a thought, with its range of events; it must be true after the last one.
    facts: Vec<(Fact, String, Range<usize>)>,
    /// What the store was handed, and after how many events.
    handed: Vec<(usize, LeasedThought)>,
    /// After how many events each step was done.
    ends: Vec<usize>,
}

const TEXTS: [&str; 6] = [
    "Always close the pool after integration tests",
    "Windows runners need short temporary paths",
    "Queue retries use jittered exponential backoff",
    "Prices are stored as integers of cents",
    "The staging certificate expires every quarter",
    "Invoices are numbered per fiscal year without gaps",
];
const LATE_TEXT: &str = "Migrations run before the service starts";

impl Recording {
    fn make() -> Self {
        let workshop = Workshop::with_config(CONFIG);
        let root = workshop.project().parent().unwrap().to_path_buf();
        let disk = CrashDisk::over(&root);
        let mut recording = Recording {
            workshop,
            root,
            disk,
            facts: Vec::new(),
            handed: Vec::new(),
            ends: Vec::new(),
        };
        recording.work();
        recording
    }

    fn shared(&self) -> Arc<dyn Disk> {
        Arc::new(self.disk.clone())
    }

    fn work(&mut self) {
        use OutcomeKind::{Busy, Delivered, Failed, Gone, Rejected};
        let mut memory = self.workshop.open_on(self.shared());
        let ids = TEXTS.map(|text| self.capture(&mut memory, text));
        self.forget(&mut memory, &ids[5]);
        let mut drain = Drain::open(&surroundings(&self.workshop, self.shared())).unwrap();
        let now = now_of(&self.workshop);
        self.pass(&mut drain, &[Delivered, Rejected, Busy], now);
        self.pass(&mut drain, &[Rejected, Delivered], now);
        self.put_back(&[&ids[1]], |_| {
            let retried = memory.retry_dead_letters(Some(&ids[1..2])).unwrap();
            assert_eq!(retried.retried, 1);
        });
        // What failed is due again, and so is what was put back.
        let later = now + DAY_MS;
        self.pass(&mut drain, &[Delivered, Failed, Gone], later);
        let letter = self.last_refused();
        self.put_back(&[&letter], |recording| {
            let replayed = drain.replay_dead_letters(later).unwrap();
            assert_eq!(replayed, 1, "{:?}", recording.facts);
        });
        self.close(drain, later);
        self.capture(&mut memory, LATE_TEXT);
        self.forget(&mut memory, &ids[0]);
        let mut drain = Drain::open(&surroundings(&self.workshop, self.shared())).unwrap();
        let last = later + DAY_MS;
        self.pass(&mut drain, &[Delivered, Busy, Delivered, Delivered], last);
        self.close(drain, last);
    }

    /// Does something that acknowledges a fact about each of some thoughts.
    fn note<T>(&mut self, fact: Fact, work: impl FnOnce(&mut Self) -> (T, Vec<String>)) -> T {
        let start = self.disk.events();
        let (answer, ids) = work(self);
        let end = self.disk.events();
        self.ends.push(end);
        self.facts.extend(ids.into_iter().map(|id| (fact, id, start..end)));
        answer
    }

    fn capture(&mut self, memory: &mut Memory, text: &str) -> String {
        self.note(Fact::Captured, |_| {
            let outcome = memory.capture(capture_of("lesson", text)).unwrap();
            assert!(outcome.captured && outcome.tiers.openbrain.is_ok());
            (outcome.thought.id.clone(), vec![outcome.thought.id])
        })
    }

    fn forget(&mut self, memory: &mut Memory, id: &str) {
        self.note(Fact::Forgotten, |_| {
            assert!(memory.forget(id).unwrap());
            ((), vec![id.to_owned()])
        });
    }

    fn put_back(&mut self, ids: &[&str], work: impl FnOnce(&mut Self)) {
        self.note(Fact::PutBack, |recording| {
            work(recording);
            ((), ids.iter().map(|id| (*id).to_owned()).collect())
        });
    }

    fn close(&mut self, drain: Drain, now: Millis) {
        drain.close(now);
        self.ends.push(self.disk.events());
    }

    fn last_refused(&self) -> String {
        let mut refused = self.facts.iter().filter(|(fact, ..)| *fact == Fact::Refused);
        refused.next_back().unwrap().1.clone()
    }

    /// Leases as many records as there are outcomes, hands them to the store, and settles these outcomes.
    fn pass(&mut self, drain: &mut Drain, kinds: &[OutcomeKind], now: Millis) {
        let batch = drain.lease(kinds.len(), now).unwrap();
        assert!(!batch.is_empty());
        let at = self.disk.events();
        let outcomes = batch
            .iter()
            .zip(kinds)
            .map(|(leased, kind)| outcome(leased, *kind))
            .collect::<Vec<_>>();
        drain.settle(&outcomes, now).unwrap();
        let span = at..self.disk.events();
        self.ends.push(span.end);
        for (leased, kind) in batch.into_iter().zip(kinds) {
            let fact = match kind {
                OutcomeKind::Delivered | OutcomeKind::Gone => Some(Fact::Delivered),
                OutcomeKind::Rejected => Some(Fact::Refused),
                _ => None,
            };
            if let (Some(fact), Work::Store(thought)) = (fact, &leased.work) {
                self.facts.push((fact, thought.id.clone(), span.clone()));
            }
            if fact == Some(Fact::Delivered) {
                self.handed.push((at, leased));
            }
        }
    }

    /// Returns what must be true of a thought after a number of events: the last acknowledged fact, and whether another one has begun.
    fn known(&self, id: &str, events: usize) -> (Option<Fact>, bool) {
        let own = || self.facts.iter().filter(|(_, of, _)| of == id);
        let done = || own().filter(|(_, _, span)| span.end <= events).map(|(fact, ..)| *fact);
        // What is forgotten stays so, whatever is settled about it later.
        let last = done()
            .find(|fact| *fact == Fact::Forgotten)
            .or_else(|| done().next_back());
        let has_begun = own().any(|(_, _, span)| span.start < events && events < span.end);
        (last, has_begun)
    }

    /// Puts a state in the place of the work, where this machine's marks hold.
    fn restore(&self, found: &Found) {
        for entry in fs::read_dir(&self.root).unwrap() {
            fs::remove_dir_all(entry.unwrap().path()).unwrap();
        }
        found.write_to(&self.root);
    }

    /// Returns the violated properties after a power failure after a number of events, when everything that is left was delivered.
    fn wrong(&self, events: usize, found: &Found) -> Vec<String> {
        self.restore(found);
        let mut shelf = Shelf::default();
        for (_, leased) in self.handed.iter().filter(|(at, _)| *at < events) {
            shelf.take(leased);
        }
        shelf.deliveries.clear();
        let later = now_of(&self.workshop) + 3 * DAY_MS;
        let mut drain = open_drain(&self.workshop);
        drain.resume(later).unwrap();
        deliver_all(&mut drain, &mut shelf, later);
        drain.close(later);
        let mut letters: BTreeMap<String, usize> = BTreeMap::new();
        for letter in self.workshop.open().dead_letters().unwrap() {
            *letters.entry(letter.id).or_default() += 1;
        }
        let archived = objects(&archive_path(&self.workshop));
        let mut ids: Vec<&String> = self.facts.iter().map(|(_, id, _)| id).collect();
        ids.sort_unstable();
        ids.dedup();
        let judge = |id: &String| {
            let (last, has_begun) = self.known(id, events);
            let is_stored = shelf.texts.contains_key(id);
            let again = shelf.deliveries.get(id).copied().unwrap_or(0);
            let letters = letters.get(id).copied().unwrap_or(0);
            let is_archived = archived.iter().any(|row| row["id"] == id.as_str());
            let holds = match last {
                None => true,
                // Whatever began since may have come to its end, or not; but it is somewhere, and never twice as a letter.
                Some(_) if has_begun && last != Some(Fact::Forgotten) => {
                    (is_stored || letters == 1 || shelf.forgotten.contains(id)) && letters <= 1 && again <= 1
                }
                Some(Fact::Captured | Fact::PutBack) => is_stored && letters == 0 && again == 1,
                Some(Fact::Delivered) => is_stored && again == 0 && is_archived,
                Some(Fact::Refused) => !is_stored && letters == 1 && again == 0,
                Some(Fact::Forgotten) => !is_stored,
            };
            let state = format!("stored {is_stored}, again {again}, letters {letters}, archived {is_archived}");
            (!holds).then(|| format!("{id} after {last:?}, another began {has_begun}: {state}"))
        };
        ids.into_iter().filter_map(judge).collect()
    }

    fn next_end(&self, events: usize) -> usize {
        let mut ends = self.ends.iter().copied().filter(|end| *end > events);
        ends.next().unwrap_or(self.disk.events())
    }

    /// True if something acknowledged is missing or delivered again when the disk ignores a sync.
    fn is_missed(&self, sync: &SyncCall) -> bool {
        self.ends.iter().copied().filter(|end| *end > sync.at).any(|end| {
            survivors(self.disk.pending(end, Some(sync.at)), end)
                .into_iter()
                .any(|survivors| {
                    let found = self.disk.state(end, Some(sync.at), survivors);
                    !self.wrong(end, &found).is_empty()
                })
        })
    }

    /// Why nothing is missed without a sync, if there is a reason.
    fn reason(&self, sync: &SyncCall) -> Option<&'static str> {
        let is_needed_at = |events| self.disk.pending(events, None) != self.disk.pending(events, Some(sync.at));
        if !is_needed_at(sync.at + 1) {
            return Some("all that it is about lasts already");
        }
        if !is_needed_at(self.next_end(sync.at)) {
            return Some("before anything is acknowledged, another sync is about the same");
        }
        // The raw log lasts before the queue is written, and the drain queues again what only the raw log has.
        let is_captured =
            |(fact, _, span): &(Fact, String, Range<usize>)| *fact == Fact::Captured && span.contains(&sync.at);
        if self.facts.iter().any(is_captured) {
            return Some("the raw log has the record, and the drain queues it again");
        }
        let is_log = |path: &PathBuf| path.to_string_lossy().contains("openbrain-settled.jsonl");
        let covered = self.disk.covered(sync.at);
        let is_about_log = match sync.kind {
            SyncKind::File => is_log(&sync.path),
            SyncKind::Folder => covered.iter().all(is_log),
        };
        // It names lines by what they are, and the queue has lost those.
        (is_about_log && self.is_after_compaction(sync))
            .then_some("the queue was compacted: its log says nothing any more")
    }

    /// True if nothing was written for the queue between its last rewrite and a sync.
    fn is_after_compaction(&self, sync: &SyncCall) -> bool {
        let syncs = self.disk.syncs();
        let of_queue = |call: &&SyncCall| {
            call.kind == SyncKind::File && call.at < sync.at && {
                let name = call.path.file_name().unwrap_or_default().to_string_lossy();
                name.contains("openbrain-") && !name.contains("settled")
            }
        };
        let last = syncs.iter().rfind(of_queue);
        last.is_some_and(|call| call.path.to_string_lossy().ends_with(".tmp"))
    }

    /// True if a sync makes something of the outbox last.
    fn is_of_outbox(&self, sync: &SyncCall) -> bool {
        let is_own = |path: &PathBuf| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().contains("openbrain-"))
        };
        match sync.kind {
            SyncKind::File => is_own(&sync.path),
            SyncKind::Folder => self.disk.covered(sync.at).iter().any(is_own),
        }
    }
}

#[test]
fn no_power_loss_loses_or_duplicates_a_delivery() {
    let recording = Recording::make();
    let whole = recording
        .disk
        .state(recording.disk.events(), None, Survivors::Everything);
    assert_eq!(recording.wrong(recording.disk.events(), &whole), Vec::<String>::new());
    let (mut states, mut findings, mut last) = (0, Vec::new(), Vec::new());
    for events in 0..=recording.disk.events() {
        let is_end = recording.ends.contains(&events);
        let mut seen: Vec<Found> = Vec::new();
        for survivors in survivors(recording.disk.pending(events, None), events) {
            let found = recording.disk.state(events, None, survivors);
            if seen.contains(&found) || last.contains(&found) && !is_end {
                continue;
            }
            states += 1;
            let wrong = recording.wrong(events, &found);
            findings.extend(
                wrong
                    .into_iter()
                    .map(|finding| format!("after {events} events, {survivors:?}: {finding}")),
            );
            seen.push(found);
        }
        last = seen;
    }
    println!("{states} states after {} events", recording.disk.events());
    assert!(states > recording.disk.events());
    findings.truncate(20);
    assert_eq!(findings, Vec::<String>::new());
}

#[test]
fn omitting_any_sync_of_the_outbox_loses_or_repeats_a_delivery() {
    let recording = Recording::make();
    let (mut missed, mut idle) = (BTreeMap::<String, usize>::new(), Vec::new());
    for sync in recording.disk.syncs() {
        if !recording.is_of_outbox(&sync) {
            continue;
        }
        let name = sync.path.strip_prefix(&recording.root).unwrap().display().to_string();
        let label = format!("{:?} {name}", sync.kind);
        if recording.is_missed(&sync) {
            *missed.entry(label).or_default() += 1;
        } else if recording.reason(&sync).is_none() {
            idle.push(format!("{label}, event {}", sync.at));
        }
    }
    println!("a loss is found without: {missed:#?}");
    assert_eq!(idle, Vec::<String>::new(), "syncs that nothing misses");
    assert!(missed.len() >= 4, "{missed:?}");
}
