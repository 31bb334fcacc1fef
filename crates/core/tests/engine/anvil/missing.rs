//! What this machine captured is delivered although the queue lost it, and nothing else is.

use std::fs;
use std::io::Write;
use std::sync::Arc;

use forge_memory_core::anvil::OutcomeKind;
use forge_memory_core::clock::DAY_MS;
use forge_memory_test_disk::{ReadCounter, WatchedDisk};

use super::support::*;
use crate::common::{Workshop, capture_lessons, capture_of, lines::lines};

/// Removes the last line of the queue, as if the process had ended before it was written.
fn lose_last_line(workshop: &Workshop) {
    let text = fs::read_to_string(queue_path(workshop)).unwrap();
    let kept = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
    fs::write(queue_path(workshop), &text[..kept]).unwrap();
}

/// Removes what git ignores: everything but the journals of the records.
fn clean(workshop: &Workshop) {
    for entry in fs::read_dir(workshop.forge()).unwrap() {
        let path = entry.unwrap().path();
        let is_kept = path.file_name().unwrap() == "memory-captures.jsonl";
        match path.is_dir() {
            true => fs::remove_dir_all(path).unwrap(),
            false if !is_kept => fs::remove_file(path).unwrap(),
            false => {}
        }
    }
}

/// Writes the raw log as git does: as another file of the same name.
fn replace_raw_log(workshop: &Workshop, change: impl Fn(String) -> String) {
    let text = change(fs::read_to_string(workshop.raw_log()).unwrap());
    let beside = workshop.forge().join("beside");
    fs::write(&beside, text).unwrap();
    fs::rename(beside, workshop.raw_log()).unwrap();
}

fn delivered(workshop: &Workshop) -> Vec<String> {
    let (mut drain, mut shelf, now) = (open_drain(workshop), Shelf::default(), now_of(workshop));
    deliver_all(&mut drain, &mut shelf, now);
    drain.close(now);
    assert!(shelf.deliveries.values().all(|times| *times == 1));
    let mut texts: Vec<String> = shelf.texts.into_values().collect();
    texts.sort();
    texts
}

fn capture(workshop: &Workshop, text: &str) {
    workshop.open().capture(capture_of("lesson", text)).unwrap();
}

const GATE: &str = "The gate needs --runInBand on Windows";
const PUMP: &str = "The pump of the pool leaks when it is closed twice";
const DOOR: &str = "Doors of the lift stay open while the alarm is tested";

#[test]
fn a_capture_that_ended_before_the_queue_is_delivered_by_the_next_drain() {
    let workshop = Workshop::new();
    capture(&workshop, GATE);
    capture(&workshop, PUMP);
    lose_last_line(&workshop);
    assert_eq!(delivered(&workshop), [GATE, PUMP]);
    // also when the queue and its log were compared before
    capture(&workshop, DOOR);
    lose_last_line(&workshop);
    assert_eq!(delivered(&workshop), [DOOR]);
    assert_eq!(delivered(&workshop), [""; 0]);
}

#[test]
fn what_a_clean_of_ignored_files_removes_from_the_queue_is_found_and_delivered() {
    let workshop = Workshop::new();
    capture(&workshop, GATE);
    capture(&workshop, PUMP);
    clean(&workshop);
    let mut memory = workshop.open();
    let finding = memory
        .diagnose()
        .into_iter()
        .find(|finding| finding.code == "NOT_QUEUED")
        .unwrap();
    assert!(finding.message.starts_with("2 records"), "{}", finding.message);
    assert!(finding.hint.unwrap().contains("drain"));
    assert_eq!(delivered(&workshop), [GATE, PUMP]);
    assert!(memory.diagnose().iter().all(|finding| finding.code != "NOT_QUEUED"));
    assert_eq!(delivered(&workshop), [""; 0]);
}

#[test]
fn records_of_others_forgotten_and_proposed_ones_are_not_queued() {
    let workshop = Workshop::with_config(r#"{"review": "agents"}"#);
    let other = Workshop::new();
    capture(&other, "Another machine wrote this lesson about the vault");
    let theirs = lines(&other.raw_log()).concat();
    let mut memory = workshop.open();
    let mut by_person = |text: &str| {
        let mut capture = capture_of("lesson", text);
        capture.author = Some("person".into());
        memory.capture(capture).unwrap().thought.id
    };
    by_person(GATE);
    let forgotten = by_person(PUMP);
    capture(&workshop, DOOR);
    memory.forget(&forgotten).unwrap();
    clean(&workshop);
    let mut log = fs::OpenOptions::new().append(true).open(workshop.raw_log()).unwrap();
    log.write_all(&theirs).unwrap();
    log.write_all(
        b"\n{\"_v\":1,\"id\":\"mem_planted\",\"content\":\"planted\",\"project\":\"shop\",\"type\":\"lesson\"}\n",
    )
    .unwrap();
    log.write_all(b"{\"_v\":1,\"id\":\"mem_forged\",\"content\":\"forged\",\"project\":\"shop\",\"type\":\"lesson\",\"_mark\":\"00112233445566778899aabbccddeeff\"}\n")
        .unwrap();
    assert_eq!(delivered(&workshop), [GATE]);
}

#[test]
fn a_line_of_another_machine_with_the_same_id_hides_no_record() {
    let workshop = Workshop::new();
    capture(&workshop, GATE);
    let queued = fs::read_to_string(queue_path(&workshop)).unwrap();
    let mark = queued.find("_mark\":\"").unwrap() + 8;
    fs::write(
        queue_path(&workshop),
        queued.replace(&queued[mark..mark + 32], &"0".repeat(32)),
    )
    .unwrap();
    assert_eq!(delivered(&workshop), [GATE]);
}

#[test]
fn nothing_is_queued_twice_when_the_raw_log_is_replaced_or_the_queue_compacted() {
    let workshop = Workshop::new();
    capture_lessons(&mut workshop.open(), 0..40);
    assert_eq!(delivered(&workshop).len(), 40);
    assert_eq!(size_of(&queue_path(&workshop)), 0);
    replace_raw_log(&workshop, |text| text);
    assert_eq!(delivered(&workshop), [""; 0]);
    // as a merge: the lines of a colleague come first
    let other = Workshop::new();
    capture(&other, "Another machine wrote this lesson about the vault");
    let theirs = fs::read_to_string(other.raw_log()).unwrap();
    workshop.clock.advance(DAY_MS);
    capture(&workshop, GATE);
    replace_raw_log(&workshop, |text| theirs.clone() + &text);
    lose_last_line(&workshop);
    assert_eq!(delivered(&workshop), [GATE]);
    assert_eq!(delivered(&workshop), [""; 0]);
}

#[test]
fn a_queue_that_somebody_deleted_after_a_drain_is_noticed() {
    let workshop = Workshop::new();
    capture(&workshop, GATE);
    assert_eq!(delivered(&workshop), [GATE]);
    capture(&workshop, PUMP);
    // compared, but not delivered
    let now = now_of(&workshop);
    let mut drain = open_drain(&workshop);
    let batch = drain.lease(50, now).unwrap();
    settle_all(&mut drain, &batch, OutcomeKind::Busy, now).unwrap();
    drain.close(now);
    fs::remove_file(queue_path(&workshop)).unwrap();
    let leased = open_drain(&workshop).lease(50, now + DAY_MS).unwrap();
    assert_eq!(leased.iter().map(text_of).collect::<Vec<_>>(), [PUMP]);
}

#[test]
fn a_drain_reads_what_is_new_in_the_raw_log_and_not_the_rest() {
    let read_by_drain = |records: usize| {
        let workshop = Workshop::new();
        capture_lessons(&mut workshop.open(), 0..records);
        assert_eq!(delivered(&workshop).len(), records);
        capture(&workshop, GATE);
        let disk = WatchedDisk::new(ReadCounter::default());
        let environment = surroundings(&workshop, Arc::new(disk.clone()));
        let mut drain = forge_memory_core::anvil::Drain::open(&environment).unwrap();
        assert_eq!(drain.lease(50, now_of(&workshop)).unwrap().len(), 1);
        disk.0.take()
    };
    let (few, many) = (read_by_drain(50), read_by_drain(1_000));
    assert!(many < few + 20_000, "{few} bytes with 50 records, {many} with 1,000");
}
