//! The number of memories: it follows what is written, what expires, and agrees with the list.

use std::fs;
use std::io::Write;

use forge_memory_core::clock::DAY_MS;
use forge_memory_core::{CaptureInput, Memory, RecallOptions};

use crate::common::dice::Dice;
use crate::common::{Workshop, capture_lessons, delete_index, lesson};

fn check(memory: &mut Memory, when: &str) -> usize {
    let counts = memory.record_counts();
    let (_, listed) = memory.list(&RecallOptions::default()).unwrap();
    assert_eq!(counts.memories, listed, "{when}");
    let expired = RecallOptions {
        include_expired: true,
        ..RecallOptions::default()
    };
    let (_, with_expired) = memory.list(&expired).unwrap();
    assert_eq!(counts.memories + counts.expired, with_expired, "{when}");
    assert_eq!(counts.retired, memory.retired(None).unwrap().len(), "{when}");
    counts.memories
}

#[test]
fn what_expires_is_a_memory_no_more_although_nothing_was_written() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..3);
    let soon = CaptureInput {
        expires_at: Some("2096-11-21T10:00:00Z".into()),
        ..lesson(3)
    };
    memory.capture(soon).unwrap();
    assert_eq!((check(&mut memory, "before"), memory.record_counts().expired), (4, 0));
    workshop.clock.advance(2 * DAY_MS);
    assert_eq!((check(&mut memory, "after"), memory.record_counts().expired), (3, 1));
    // A clock that is set back shows it again.
    workshop.clock.advance(-2 * DAY_MS);
    assert_eq!(check(&mut memory, "again"), 4);
}

#[test]
fn the_count_is_the_same_in_memory_in_segments_and_without_an_index() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let mut dice = Dice::new(7);
    let mut ids: Vec<String> = Vec::new();
    for number in 0..2600 {
        let supersedes = (number % 9 == 4).then(|| ids[dice.roll(ids.len())].clone());
        let input = CaptureInput {
            supersedes: supersedes.into_iter().collect(),
            ..lesson(number)
        };
        // A record that is retired or forgotten already may not be named again.
        if let Ok(outcome) = memory.capture(input) {
            ids.push(outcome.thought.id);
        }
        if number % 11 == 7 {
            let id = ids[dice.roll(ids.len())].clone();
            let _ = memory.forget(&id);
        }
    }
    let count = check(&mut memory, "in memory");
    let all = memory.record_counts();
    assert!(all.forgotten > 100 && all.retired > 100, "{all:?}");
    assert_eq!(
        count + all.retired + all.forgotten,
        ids.len(),
        "every record has one fate: {all:?}"
    );
    memory.settle().unwrap();
    check(&mut memory, "settled");
    assert_eq!(memory.record_counts(), all);
    let mut other = workshop.open();
    check(&mut other, "by another process");
    assert_eq!(other.record_counts(), all);
    delete_index(&workshop.forge());
    assert_eq!(workshop.open().record_counts(), all);
}

#[test]
fn a_text_counts_once_when_its_newest_records_are_all_forgotten_and_an_older_one_holds() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..300);
    let log = fs::read_to_string(workshop.raw_log()).unwrap();
    let line = log.lines().next().unwrap();
    let id = memory.capture(lesson(0)).unwrap().thought.id;
    // As merges leave them.
    let copy = |number: usize| format!("mem_{number:032x}");
    let append = |number: usize| {
        let mut file = fs::OpenOptions::new().append(true).open(workshop.raw_log()).unwrap();
        writeln!(file, "{}", line.replace(&id, &copy(number))).unwrap();
    };
    (0..16).for_each(append);
    memory.record_counts();
    memory.settle().unwrap();
    for number in 0..16 {
        assert!(memory.forget(&copy(number)).unwrap());
    }
    append(16);
    assert_eq!(memory.record_counts().memories, 300);
    assert_eq!(memory.current_counts().memories, 300);
}
