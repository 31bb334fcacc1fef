use std::fs;

use forge_memory_core::Memory;
use forge_memory_core::history::RecordState;

use crate::common::{Workshop, delete_index, list_all};

fn record(id: &str, older: Option<&str>) -> String {
    let supersedes = older
        .map(|older| format!(",\"supersedes\":\"{older}\""))
        .unwrap_or_default();
    format!(
        "{{\"id\":\"{id}\",\"content\":\"text of {id}\",\"type\":\"lesson\",\"captured_at\":\"2096-01-01T00:00:00.000Z\"{supersedes}}}\n"
    )
}

fn workshop_of(lines: &[String]) -> Workshop {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    fs::write(workshop.raw_log(), lines.concat()).unwrap();
    workshop
}

fn ids(memory: &mut Memory) -> Vec<String> {
    let mut ids: Vec<String> = list_all(memory).into_iter().map(|hit| hit.id).collect();
    ids.sort_unstable();
    ids
}

/// Three rings of different lengths, a record that one of them is revised by, one that is revised by a ring, and a chain.
fn lines() -> Vec<String> {
    vec![
        record("self", Some("self")),
        record("a", Some("b")),
        record("b", Some("a")),
        record("older", None),
        record("x", Some("z")),
        record("y", Some("x")),
        record("z", Some("y")),
        record("tail", Some("x")),
        record("v1", None),
        record("v2", Some("v1")),
    ]
}

const SHOWN: [&str; 8] = ["a", "b", "older", "self", "tail", "v2", "y", "z"];

#[test]
fn a_cycle_of_revisions_hides_nothing_for_any_segmentation() {
    let lines = lines();
    for cut in 0..=lines.len() {
        for settle in [false, true] {
            let workshop = workshop_of(&lines[..cut]);
            let mut memory = workshop.open();
            ids(&mut memory);
            if settle {
                memory.settle().unwrap();
            }
            fs::write(workshop.raw_log(), lines.concat()).unwrap();
            assert_eq!(ids(&mut memory), SHOWN, "cut at {cut}, {settle}");
            assert_eq!(ids(&mut workshop.open()), SHOWN, "cut at {cut}, {settle}");
        }
    }
}

#[test]
fn a_cycle_of_revisions_in_a_segment_hides_nothing() {
    // Long enough to be indexed in one go.
    let fill = |from: usize| (from..from + 12_000).map(move |number| record(&format!("fill{from}x{number}"), None));
    let mut all: Vec<String> = fill(0).collect();
    all.extend(lines());
    all.extend(fill(50_000));
    let workshop = workshop_of(&all);
    for round in 0..3 {
        let mut memory = workshop.open();
        for id in SHOWN {
            let history = memory.history(id).unwrap().unwrap();
            assert_eq!(history.state(), RecordState::Current, "{id}, round {round}");
        }
        for id in SHOWN {
            assert_eq!(
                crate::common::times_recalled(&mut memory, &format!("text of {id}")),
                1,
                "{id}, round {round}"
            );
        }
        memory.settle().unwrap();
        if round == 1 {
            drop(memory);
            delete_index(&workshop.forge());
        }
    }
}

#[test]
fn a_cycle_of_revisions_is_reported_and_survives_compaction() {
    let workshop = workshop_of(&lines());
    let mut memory = workshop.open();
    let findings = memory.diagnose();
    let ring = findings.iter().find(|finding| finding.code == "REVISION_RING").unwrap();
    assert!(
        ring.message.contains("5 records") && ring.message.contains("a, b, x, y, z"),
        "{}",
        ring.message
    );
    let report = memory.compact(false).unwrap();
    // `v1`, but not `x`: without it the others were a chain.
    assert_eq!(report.files.iter().map(|file| file.superseded).sum::<u64>(), 1);
    assert_eq!(ids(&mut memory), SHOWN);
    assert_eq!(ids(&mut workshop.open()), SHOWN);
    // What is forgotten goes, and the others are still no chain.
    memory.forget("z").unwrap();
    let without_z: Vec<&str> = SHOWN.into_iter().filter(|id| *id != "z").collect();
    for _ in 0..2 {
        assert_eq!(ids(&mut memory), without_z);
        assert_eq!(ids(&mut workshop.open()), without_z);
        workshop.clock.advance(1000);
        memory.compact(false).unwrap();
        assert!(!fs::read_to_string(workshop.raw_log()).unwrap().contains("text of z"));
        memory.settle().unwrap();
    }
}

#[test]
fn each_record_of_a_cycle_is_shown_and_forgotten_alone() {
    let workshop = workshop_of(&lines());
    let mut memory = workshop.open();
    for (gone, id) in SHOWN.iter().enumerate() {
        let history = memory.history(id).unwrap().unwrap();
        assert_eq!(history.current().id, *id);
        assert!(memory.forget(id).unwrap(), "{id}");
        assert_eq!(ids(&mut memory), SHOWN[gone + 1..], "{id}");
        assert_eq!(ids(&mut workshop.open()), SHOWN[gone + 1..], "{id}");
    }
}

#[test]
fn a_cycle_that_others_append_to_is_found() {
    let workshop = workshop_of(&[record("one", Some("two"))]);
    let mut memory = workshop.open();
    assert_eq!(ids(&mut memory), ["one"]);
    for (id, older, shown) in [
        ("two", Some("one"), &["one", "two"][..]),
        ("three", Some("two"), &["one", "three"]),
        ("four", None, &["four", "one", "three"]),
    ] {
        let log = fs::read_to_string(workshop.raw_log()).unwrap();
        fs::write(workshop.raw_log(), log + &record(id, older)).unwrap();
        assert_eq!(ids(&mut memory), shown);
    }
}
