//! What is retired, kept and in conflict is delivered as well, once, and after the record that it is about.

use forge_memory_core::anvil::{OutcomeKind, Work};
use forge_memory_core::author::Speaker;

use super::support::*;
use crate::common::{Workshop, capture_of};

const OLD: &str = "The payment API listens on port 8080";
const NEW: &str = "The payment API listens on port 9090";

#[test]
fn a_retirement_is_delivered_after_its_record_and_a_keep_brings_the_record_along() {
    let workshop = Workshop::new();
    let (mut memory, now) = (workshop.open(), now_of(&workshop));
    let old = memory.capture(capture_of("decision", OLD)).unwrap().thought.id;
    let outcome = memory.capture(capture_of("decision", NEW)).unwrap();
    assert_eq!(outcome.retired[0].id, old);
    let (mut drain, mut shelf) = (open_drain(&workshop), Shelf::default());
    let batch = drain.lease(10, now).unwrap();
    assert!(
        batch.iter().all(|leased| matches!(leased.work, Work::Store(_))),
        "the ruling is held back"
    );
    settle_all(&mut drain, &batch, OutcomeKind::Delivered, now).unwrap();
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 1);
    assert_eq!(shelf.rulings, [format!("retire {old}")]);
    // Of two lines of one moment and content, one is a repetition.
    workshop.clock.advance(1);
    let now = now_of(&workshop);
    memory.resolver().by(Speaker::person()).keep(&old).unwrap();
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 2);
    assert_eq!(shelf.rulings, [format!("retire {old}"), format!("keep {old}")]);
    assert_eq!(shelf.texts[&old], OLD);
}

#[test]
fn a_ruling_that_a_crash_kept_out_of_the_queue_is_delivered_once() {
    let workshop = Workshop::new();
    let (mut memory, now) = (workshop.open(), now_of(&workshop));
    let old = memory.capture(capture_of("decision", OLD)).unwrap().thought.id;
    let (mut drain, mut shelf) = (open_drain(&workshop), Shelf::default());
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 1);
    drop(drain);
    memory.capture(capture_of("decision", NEW)).unwrap();
    std::fs::remove_file(workshop.project().join(".forge/openbrain-queue.jsonl")).unwrap();
    let mut drain = open_drain(&workshop);
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 2);
    assert_eq!(shelf.rulings, [format!("retire {old}")]);
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 0);
    workshop.clock.advance(1);
    let now = now_of(&workshop);
    assert_eq!(memory.count_again(None).unwrap(), memory.queue_again(None).unwrap());
    assert_eq!(
        deliver_all(&mut drain, &mut shelf, now),
        2,
        "the current record, and what was said"
    );
}

#[test]
fn rulings_that_came_with_a_clone_are_not_delivered() {
    let workshop = Workshop::new();
    let (mut memory, now) = (workshop.open(), now_of(&workshop));
    let id = memory.capture(capture_of("decision", OLD)).unwrap().thought.id;
    let (mut drain, mut shelf) = (open_drain(&workshop), Shelf::default());
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 1);
    let log = workshop.project().join(".forge/memory-captures.jsonl");
    let line = format!("{{\"_v\":1,\"_action\":\"retire\",\"id\":\"{id}\",\"at\":\"2026-11-20T10:00:00.000Z\"}}\n");
    let marked = line.replace('}', ",\"_mark\":\"00000000000000000000000000000000\"}");
    std::fs::write(&log, [std::fs::read_to_string(&log).unwrap(), line, marked].concat()).unwrap();
    assert_eq!(deliver_all(&mut drain, &mut shelf, now), 0);
}
