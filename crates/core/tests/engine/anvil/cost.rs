//! The cost of a pass depends on its batch, not on the length of the queue.

use std::sync::Arc;

use forge_memory_core::anvil::{Drain, OutcomeKind};
use forge_memory_test_disk::{Fault, FaultyDisk, Operation};

use super::support::*;
use crate::common::Workshop;

/// Counts the reads from files in each of the first passes of a process over a queue of this length.
fn reads_of_first_passes(records: usize) -> Vec<usize> {
    let workshop = Workshop::new();
    write_queue(&workshop, records);
    let now = now_of(&workshop);
    let pass = |_| {
        let disk = FaultyDisk::of(Fault::NONE);
        let mut drain = Drain::open(&surroundings(&workshop, Arc::new(disk.clone()))).unwrap();
        let batch = drain.lease(50, now).unwrap();
        settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
        disk.operations()
            .iter()
            .filter(|done| **done == Operation::Read)
            .count()
    };
    (0..8).map(pass).collect()
}

#[test]
fn the_pass_of_a_new_process_does_not_read_the_whole_queue() {
    // Two hundred times the records: a pass that read them would read that much more often.
    assert_eq!(reads_of_first_passes(1_000), reads_of_first_passes(200_000));
}

#[test]
fn the_queue_and_its_log_shrink_while_a_backlog_is_drained() {
    let workshop = Workshop::new();
    write_queue(&workshop, 100_000);
    let whole = size_of(&queue_path(&workshop));
    let (mut drain, now) = (open_drain(&workshop), now_of(&workshop));
    let (mut delivered, mut sizes) = (0, std::collections::BTreeSet::new());
    loop {
        let batch = drain.lease(1000, now).unwrap();
        if batch.is_empty() {
            break;
        }
        delivered += batch.len();
        settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
        let size = size_of(&queue_path(&workshop));
        sizes.insert(size);
        let left = whole * (100_000 - delivered as u64) / 100_000;
        assert!(size <= left * 2 + 9_000_000, "{size} bytes with {left} left");
        assert!(size_of(&workshop.forge().join("openbrain-settled.jsonl")) <= 3_000_000);
    }
    assert_eq!(delivered, 100_000);
    assert!((3..8).contains(&sizes.len()), "rewritten to {sizes:?}");
    drain.close(now);
    assert_eq!(size_of(&queue_path(&workshop)), 0);
}

#[test]
fn an_endless_outage_does_not_grow_the_log_without_bound() {
    let workshop = Workshop::new();
    write_queue(&workshop, 200);
    let (mut drain, mut now) = (open_drain(&workshop), now_of(&workshop));
    for _ in 0..3_000 {
        let batch = drain.lease(50, now).unwrap();
        if !batch.is_empty() {
            settle_all(&mut drain, &batch, OutcomeKind::Busy, now).unwrap();
        }
        now = drain.next_due_at(now).unwrap().unwrap();
    }
    let size = size_of(&workshop.forge().join("openbrain-settled.jsonl"));
    assert!(size < 600_000, "{size} bytes");
    drop(drain);
    let (mut drain, mut shelf) = (open_drain(&workshop), Shelf::default());
    drain.resume(now).unwrap();
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 200);
}
