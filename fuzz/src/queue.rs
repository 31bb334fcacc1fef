//! A queue, whoever wrote its lines: every line that orders something is handed out once, and no byte that nobody
//! understands is lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use forge_memory_core::anvil::{DeliveryOutcome, Drain, LeasedThought, OutcomeKind, Work};
use forge_memory_core::clock::{Millis, SystemClock};
use forge_memory_core::journal::OsDisk;
use forge_memory_core::{Environment, Memory};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

/// All that is deferred is due by then, also what an input says of itself.
const LATER: Millis = 4_102_444_800_000;
const BATCH: usize = 3;
/// No record is tried more often than this before the store takes it.
const TRIES: u32 = 2;

pub fn check(input: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let forge = folder.path().join("shop/.forge");
    let queue = forge.join("openbrain-queue.jsonl");
    fs::create_dir_all(&forge).unwrap();
    fs::write(&queue, input).unwrap();
    assert_eq!(
        drained(folder.path(), 0),
        BTreeSet::new(),
        "what this machine did not write is set aside"
    );
    assert_eq!(fs::read(&queue).unwrap(), input);
    take_over(folder.path());
    let first = drained(folder.path(), xxh3_64(input));
    let left = fs::read(&queue).unwrap_or_default();
    for line in lines_of(input).filter(|line| !is_object(line)) {
        assert!(
            lines_of(&left).any(|kept| kept == line),
            "a line that nobody understands stays"
        );
    }
    assert_eq!(
        drained(folder.path(), 0),
        BTreeSet::new(),
        "what is settled is not handed out again"
    );
    // The same queue elsewhere is the same orders.
    fs::remove_dir_all(&forge).unwrap();
    fs::create_dir_all(&forge).unwrap();
    fs::write(&queue, input).unwrap();
    take_over(folder.path());
    assert_eq!(drained(folder.path(), xxh3_64(input)), first);
}

fn surroundings(root: &Path) -> Environment {
    Environment {
        code_names: None,
        embedder: None,
        models: None,
        project_dir: root.join("shop"),
        main: Default::default(),
        home: root.join("home"),
        git_settings: Vec::new(),
        users: Vec::new(),
        clock: Arc::new(SystemClock),
        disk: Arc::new(OsDisk),
    }
}

/// Makes the queue ours, as a user can.
fn take_over(root: &Path) {
    Memory::open(surroundings(root)).trust_foreign_records().unwrap();
}

/// Delivers all there is, after failures that the number decides, and returns what was delivered.
fn drained(root: &Path, mut number: u64) -> BTreeSet<String> {
    let mut drain = Drain::open(&surroundings(root)).unwrap();
    let mut delivered = BTreeSet::new();
    for round in 0.. {
        let now = LATER + 86_400_000 * round;
        let batch = drain.lease(BATCH, now).unwrap();
        if batch.is_empty() && drain.next_due_at(now).unwrap().is_none() {
            break;
        }
        assert!(round < 100_000, "the drain comes to an end");
        check_batch(&batch);
        let mut outcomes = Vec::new();
        for leased in batch {
            number = number.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let kind = match number % 4 {
                0 if leased.attempts < TRIES => OutcomeKind::Failed,
                _ => OutcomeKind::Delivered,
            };
            if kind == OutcomeKind::Delivered {
                assert!(delivered.insert(leased.key.clone()), "no record is handed out twice");
            }
            let (key, reason) = (leased.key, None);
            outcomes.push(DeliveryOutcome { key, kind, reason });
        }
        let report = drain.settle(&outcomes, now).unwrap();
        assert_eq!(report.unknown, 0);
    }
    drain.close(LATER);
    delivered
}

fn check_batch(batch: &[LeasedThought]) {
    assert!(batch.len() <= BATCH);
    let mut seen = BTreeSet::new();
    for leased in batch {
        let ids = match &leased.work {
            Work::Store(thought) => {
                assert!(!thought.content.trim().is_empty());
                assert!((0.0..=1.0).contains(&thought.confidence));
                assert!(serde_json::from_str::<Value>(&thought.metadata).is_ok_and(|value| value.is_object()));
                vec![thought.id.clone()]
            }
            Work::Delete(ids) => ids.clone(),
            Work::Rule(ruling) => vec![ruling.id.clone()],
        };
        assert!(!ids.is_empty() && ids.iter().all(|id| !id.is_empty()));
        for id in ids {
            assert!(seen.insert(id), "nothing in a batch depends on another part of it");
        }
    }
}

/// The whole lines, as a reader sees them.
fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Tells whether something may have been done with a line.
fn is_object(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.is_empty() || line.starts_with(b"{")
}
