//! A drain with a recording store, and readers of the files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use forge_memory_core::anvil::{DeliveryOutcome, Drain, LeasedThought, OutcomeKind, SettleReport, Work};
use forge_memory_core::clock::{Clock, Millis};
use forge_memory_core::journal::{Disk, OsDisk};
use forge_memory_core::{Environment, Result};

use crate::common::Workshop;

/// A store in memory: thoughts by id, and how often each was delivered.
#[derive(Debug, Default)]
pub struct Shelf {
    pub texts: BTreeMap<String, String>,
    pub forgotten: BTreeSet<String>,
    pub deliveries: BTreeMap<String, usize>,
    pub rulings: Vec<String>,
}

impl Shelf {
    /// Does what a store with idempotent ids does.
    pub fn take(&mut self, leased: &LeasedThought) {
        match &leased.work {
            Work::Store(thought) => {
                *self.deliveries.entry(thought.id.clone()).or_default() += 1;
                if !self.forgotten.contains(&thought.id) {
                    self.texts.insert(thought.id.clone(), thought.content.clone());
                }
            }
            Work::Delete(ids) => {
                for id in ids {
                    self.texts.remove(id);
                    self.forgotten.insert(id.clone());
                }
            }
            Work::Rule(ruling) => self.rulings.push(format!("{} {}", ruling.kind.name(), ruling.id)),
        }
    }
}

pub fn surroundings(workshop: &Workshop, disk: Arc<dyn Disk>) -> Environment {
    Environment {
        code_names: None,
        embedder: None,
        models: None,
        project_dir: workshop.project(),
        main: Default::default(),
        home: workshop.home(),
        git_settings: Vec::new(),
        users: Vec::new(),
        clock: Arc::clone(&workshop.clock) as Arc<dyn Clock>,
        disk,
    }
}

pub fn open_drain(workshop: &Workshop) -> Drain {
    Drain::open(&surroundings(workshop, Arc::new(OsDisk))).unwrap()
}

pub fn outcome(leased: &LeasedThought, kind: OutcomeKind) -> DeliveryOutcome {
    DeliveryOutcome {
        key: leased.key.clone(),
        kind,
        reason: Some(format!("made to be {kind:?}")),
    }
}

pub fn settle_all(drain: &mut Drain, batch: &[LeasedThought], kind: OutcomeKind, now: Millis) -> Result<SettleReport> {
    let outcomes: Vec<DeliveryOutcome> = batch.iter().map(|leased| outcome(leased, kind)).collect();
    drain.settle(&outcomes, now)
}

/// Delivers until nothing is due, and returns how many records that were.
pub fn deliver_all(drain: &mut Drain, shelf: &mut Shelf, now: Millis) -> usize {
    let mut count = 0;
    loop {
        let batch = drain.lease(50, now).unwrap();
        if batch.is_empty() {
            return count;
        }
        for leased in &batch {
            shelf.take(leased);
        }
        let report = settle_all(drain, &batch, OutcomeKind::Delivered, now).unwrap();
        assert_eq!((report.delivered as usize, report.unknown), (batch.len(), 0));
        count += batch.len();
    }
}

/// The text of a record that stores.
pub fn text_of(leased: &LeasedThought) -> &str {
    match &leased.work {
        Work::Store(thought) => &thought.content,
        Work::Delete(_) | Work::Rule(_) => "",
    }
}

pub fn now_of(workshop: &Workshop) -> Millis {
    workshop.clock.now_ms()
}

/// Writes a queue of this many records in the current format, without capturing them.
pub fn write_queue(workshop: &Workshop, records: usize) {
    let mut text = String::with_capacity(records * 300);
    for number in 0..records {
        text.push_str(&queue_line(number, "a lesson about the build"));
    }
    fs::create_dir_all(workshop.forge()).unwrap();
    fs::write(queue_path(workshop), text).unwrap();
    take_over(workshop);
}

/// Makes what others wrote into the queue and the dead letters ours, as a user can.
pub fn take_over(workshop: &Workshop) {
    workshop.open().trust_foreign_records().unwrap();
}

pub fn queue_line(number: usize, content: &str) -> String {
    format!(
        "{{\"_v\":1,\"_status\":\"pending\",\"_attempts\":0,\"_enqueuedAt\":\"2026-11-20T10:00:00.000Z\",\
         \"_nextAttemptAt\":\"2026-11-20T10:00:00.000Z\",\"id\":\"mem_{number:032x}\",\"content\":\"{content} {number}\",\
         \"project\":\"shop\",\"type\":\"lesson\",\"source\":\"forge_sweep\",\"created_by\":\"forge-memory\",\
         \"captured_at\":\"2026-11-20T10:00:00.000Z\",\"tags\":[\"ci\"],\"confidence\":0.7}}\n"
    )
}

pub fn queue_path(workshop: &Workshop) -> std::path::PathBuf {
    workshop.forge().join("openbrain-queue.jsonl")
}

pub fn dead_path(workshop: &Workshop) -> std::path::PathBuf {
    workshop.forge().join("openbrain-dlq.jsonl")
}

pub fn archive_path(workshop: &Workshop) -> std::path::PathBuf {
    workshop.forge().join("openbrain-queue.archive.jsonl")
}

pub fn size_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |meta| meta.len())
}
