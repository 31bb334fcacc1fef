//! Lines that manual edits, merges or hostile clones can contain: cycles, unknown ids, rulings before their records.

use std::fs;

use forge_memory_core::Memory;
use forge_memory_core::said::Said;
use forge_memory_core::thought::{Lift, Ruling, RulingKind};

use crate::common::{Workshop, list_all};

fn record(id: &str, text: &str) -> String {
    format!(
        r#"{{"_v":1,"id":"{id}","content":"{text}","project":"shop","type":"lesson","source":"x","created_by":"x","captured_at":"2026-01-01T00:00:00.000Z","tags":[],"confidence":0.7}}"#
    )
}

fn ruling(kind: RulingKind, id: &str, other: &str, at_ms: i64) -> String {
    let ruling = Ruling {
        kind,
        id: id.into(),
        other: (!other.is_empty()).then(|| other.into()),
        why: "number".into(),
        at_ms,
        said: Said::default(),
        lift: Lift::default(),
    };
    ruling.line()
}

/// Opens a memory on these lines, once from the lines and once from segments.
fn opened(lines: &[String]) -> Vec<(Workshop, Memory)> {
    [false, true]
        .into_iter()
        .map(|from_segments| {
            let workshop = Workshop::new();
            fs::create_dir_all(workshop.forge()).unwrap();
            fs::write(workshop.raw_log(), lines.join("\n") + "\n").unwrap();
            let mut memory = workshop.open();
            if from_segments {
                list_all(&mut memory);
                memory.settle().unwrap();
                memory = workshop.open();
            }
            (workshop, memory)
        })
        .collect()
}

fn current(memory: &mut Memory) -> Vec<String> {
    let mut ids: Vec<String> = list_all(memory).into_iter().map(|hit| hit.id).collect();
    ids.sort();
    ids
}

#[test]
fn records_that_retire_each_other_in_a_cycle_are_all_recalled() {
    let lines = [
        record("a", "one"),
        record("b", "two"),
        record("c", "three"),
        ruling(RulingKind::Retire, "a", "b", 10),
        ruling(RulingKind::Retire, "b", "a", 20),
        ruling(RulingKind::Retire, "c", "a", 30),
    ];
    for (_workshop, mut memory) in opened(&lines) {
        assert_eq!(current(&mut memory), ["a", "b"]);
    }
}

#[test]
fn a_record_that_retires_itself_is_recalled() {
    let lines = [
        record("a", "one"),
        r#"{"_v":1,"_action":"retire","id":"a","by":"a","at":"2026-01-01T00:00:00.000Z"}"#.to_owned(),
    ];
    for (_workshop, mut memory) in opened(&lines) {
        assert_eq!(current(&mut memory), ["a"]);
    }
}

#[test]
fn a_ruling_may_come_before_its_record_or_never_find_one() {
    let lines = [
        ruling(RulingKind::Retire, "late", "b", 10),
        ruling(RulingKind::Retire, "nobody", "b", 10),
        ruling(RulingKind::Keep, "nobody", "", 20),
        ruling(RulingKind::Conflict, "b", "nobody", 20),
        record("b", "two"),
        record("late", "one"),
    ];
    for (_workshop, mut memory) in opened(&lines) {
        assert_eq!(current(&mut memory), ["b"]);
        assert!(memory.conflicts().is_empty());
        assert!(memory.resolver().keep("nobody").is_err());
        assert!(memory.resolver().keep("late").unwrap().kept);
        assert_eq!(current(&mut memory), ["b", "late"]);
    }
}

#[test]
fn a_clock_that_was_ahead_does_not_override_a_decision() {
    let ahead = crate::common::NOON + 3_600_000;
    let lines = [
        record("a", "one"),
        record("b", "two"),
        ruling(RulingKind::Retire, "a", "b", ahead),
    ];
    for (_workshop, mut memory) in opened(&lines) {
        assert_eq!(current(&mut memory), ["b"]);
        assert!(memory.resolver().keep("a").unwrap().kept);
        assert_eq!(current(&mut memory), ["a", "b"]);
    }
}
