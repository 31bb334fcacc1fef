//! Repair: files are rebuilt from the raw log, and nothing is discarded.

use std::fs;

use forge_memory_core::index::index_folder;

use super::samples::tree;
use crate::common::lines::{lines, objects};
use crate::common::{Workshop, capture_of, list_all, save_of, times_recalled};

fn filled() -> Workshop {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for (kind, text) in [
        ("lesson", "Close the pool"),
        ("lesson", "Open the pool"),
        ("gotcha", "Mind the gap"),
        ("insight", "Just a thought"),
    ] {
        memory.capture(capture_of(kind, text)).unwrap();
    }
    memory
        .save(save_of("project", "convention", "Tabs, not spaces"))
        .unwrap();
    let id = memory.capture(capture_of("decision", "Undecided")).unwrap().thought.id;
    memory.forget(&id).unwrap();
    workshop
}

#[test]
fn a_sound_memory_is_left_as_it_is() {
    let workshop = filled();
    let before = tree(&workshop.forge());
    let report = workshop.open().repair().unwrap();
    assert_eq!((report.files.len(), report.reindexed), (0, true));
    assert_eq!(tree(&workshop.forge()), before);
}

#[test]
fn removed_type_files_and_queue_are_restored() {
    let workshop = filled();
    let forge = workshop.forge();
    let before = tree(&forge);
    let queued = |forge: &std::path::Path| -> Vec<String> {
        objects(&forge.join("openbrain-queue.jsonl"))
            .iter()
            .map(|line| format!("{} {}", line["id"], line["_action"]))
            .collect()
    };
    let mut due = queued(&forge);
    for name in [
        "lessons.jsonl",
        "gotchas.jsonl",
        "decisions.jsonl",
        "openbrain-queue.jsonl",
    ] {
        fs::remove_file(forge.join(name)).unwrap();
    }
    workshop.open().repair().unwrap();
    let after = tree(&forge);
    for name in ["lessons.jsonl", "gotchas.jsonl", "decisions.jsonl"] {
        assert_eq!(after.get(name), before.get(name), "{name}");
    }
    // What is forgotten is not queued to be stored first.
    due.retain(|line| !line.ends_with("null") || !due_is_forgotten(line, &forge));
    assert_eq!(queued(&forge), due);
}

fn due_is_forgotten(line: &str, forge: &std::path::Path) -> bool {
    objects(&forge.join("memory-captures.jsonl"))
        .iter()
        .any(|record| record["_action"] == "delete" && line.contains(record["id"].as_str().unwrap()))
}

#[test]
fn invalid_lines_are_set_aside_and_the_others_keep_their_bytes() {
    let workshop = filled();
    let raw = workshop.raw_log();
    let good = lines(&raw);
    let mut bytes = b"half a rec".to_vec();
    for (at, line) in good.iter().enumerate() {
        bytes.extend_from_slice(b"\n");
        bytes.extend_from_slice(line);
        if at == 1 {
            bytes.extend_from_slice(b"\n\xff\xfe not text\n[1,2]\n<<<<<<< HEAD");
        }
    }
    bytes.extend_from_slice(b"\n{\"torn\":\n");
    fs::write(&raw, bytes).unwrap();
    let lessons = workshop.forge().join("lessons.jsonl");
    let mut edited = fs::read_to_string(&lessons).unwrap().replace("Close", "Shut");
    edited.push_str("{\"id\":\"mem_by_hand\",\"content\":\"Written by hand\",\"type\":\"lesson\"}\nbroken\n");
    fs::write(&lessons, edited).unwrap();
    let found = workshop.open().verify().unwrap();
    assert_eq!((found.damaged, found.ok), (5, false));
    let report = workshop.open().repair().unwrap();
    assert_eq!(lines(&raw), good);
    let log = report
        .files
        .iter()
        .find(|file| file.name == "memory-captures.jsonl")
        .unwrap();
    let aside = fs::read(log.quarantine.as_ref().unwrap()).unwrap();
    assert_eq!(
        (log.quarantined, aside.as_slice()),
        (
            5,
            b"half a rec\n\xff\xfe not text\n[1,2]\n<<<<<<< HEAD\n{\"torn\":\n".as_slice()
        )
    );
    let typed = report.files.iter().find(|file| file.name == "lessons.jsonl").unwrap();
    assert_eq!((typed.quarantined, typed.corrected), (2, 1));
    let kept = fs::read_to_string(&lessons).unwrap();
    assert!(kept.contains("Close the pool") && kept.contains("Written by hand") && !kept.contains("Shut"));
    assert!(workshop.open().verify().unwrap().ok);
    let settled = tree(&workshop.forge());
    assert_eq!(workshop.open().repair().unwrap().files.len(), 0);
    assert_eq!(tree(&workshop.forge()), settled);
}

#[test]
fn a_damaged_index_is_rebuilt() {
    let workshop = filled();
    let index = index_folder(&workshop.forge(), "memory-captures");
    fs::create_dir_all(&index).unwrap();
    fs::write(index.join("manifest.json"), "not a manifest").unwrap();
    let mut memory = workshop.open();
    memory.repair().unwrap();
    assert!(!index.join("manifest.json").exists());
    assert_eq!(times_recalled(&mut memory, "Mind the gap"), 1);
    assert_eq!(list_all(&mut memory).len(), 5);
}

#[test]
fn delivered_records_are_not_queued_again() {
    let workshop = filled();
    let forge = workshop.forge();
    fs::rename(
        forge.join("openbrain-queue.jsonl"),
        forge.join("openbrain-queue.archive.jsonl"),
    )
    .unwrap();
    assert_eq!(workshop.open().repair().unwrap().files.len(), 0);
    assert!(!forge.join("openbrain-queue.jsonl").exists());
}

#[test]
fn torn_lines_of_events_and_of_telemetry_are_set_aside() {
    let workshop = filled();
    let names = ["hub-events.jsonl", "telemetry/memory-captures.jsonl"];
    let mut whole = Vec::new();
    for name in names {
        let path = workshop.forge().join(name);
        whole.push(lines(&path));
        let text = fs::read_to_string(&path).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        fs::write(&path, format!("{first}\n{{\"type\":\"run\",\"no\n{rest}{{\"torn")).unwrap();
    }
    let mut memory = workshop.open();
    assert!(
        memory
            .diagnose()
            .iter()
            .any(|finding| finding.code == "UNPARSABLE_LINES")
    );
    let report = memory.repair().unwrap();
    for (name, whole) in names.into_iter().zip(whole) {
        let repaired = report.files.iter().find(|file| file.name == name).unwrap();
        assert_eq!(repaired.quarantined, 2, "{name}");
        let aside = fs::read_to_string(repaired.quarantine.as_ref().unwrap()).unwrap();
        assert_eq!(aside, "{\"type\":\"run\",\"no\n{\"torn\n", "{name}");
        assert_eq!(lines(&workshop.forge().join(name)), whole, "{name}");
    }
    assert!(
        memory
            .diagnose()
            .iter()
            .all(|finding| finding.code != "UNPARSABLE_LINES")
    );
    memory.capture(capture_of("lesson", "The next event goes on")).unwrap();
    assert!(workshop.open().repair().unwrap().files.is_empty());
}
