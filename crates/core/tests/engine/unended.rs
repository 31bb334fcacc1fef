//! A last line without line end, by tools that write none and by programs that are still writing.

use std::fs::{self, OpenOptions};
use std::io::Write;

use crate::common::{Workshop, capture_of, list_all, times_recalled};
use forge_memory_core::Memory;

const FIRST: &str = "Integration tests must close the pool";
const SECOND: &str = "Prices are integers of cents";

fn line_of(id: &str, text: &str) -> String {
    format!("{{\"_v\":1,\"id\":\"{id}\",\"content\":\"{text}\",\"type\":\"lesson\",\"project\":\"shop\"}}")
}

fn append(workshop: &Workshop, text: &str) {
    fs::create_dir_all(workshop.forge()).unwrap();
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(workshop.raw_log())
        .unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn texts(memory: &mut Memory) -> Vec<String> {
    let mut texts: Vec<String> = list_all(memory).into_iter().map(|hit| hit.text).collect();
    texts.sort();
    texts
}

#[test]
fn a_complete_record_without_line_end_is_recalled_and_later_lines_are_separated() {
    let workshop = Workshop::new();
    append(&workshop, &line_of("mem_first", FIRST));
    let (mut open, mut cold) = (workshop.open(), workshop.open());
    assert_eq!(times_recalled(&mut open, FIRST), 1);
    let before = fs::read(workshop.raw_log()).unwrap();
    assert_eq!(times_recalled(&mut cold, FIRST), 1);
    assert_eq!(fs::read(workshop.raw_log()).unwrap(), before, "no read writes");

    assert!(open.capture(capture_of("lesson", SECOND)).unwrap().captured);
    let raw = fs::read_to_string(workshop.raw_log()).unwrap();
    assert_eq!(raw.lines().count(), 2);
    assert_eq!(raw.lines().next(), Some(line_of("mem_first", FIRST).as_str()));
    for memory in [&mut open, &mut cold, &mut workshop.open()] {
        assert_eq!(texts(memory), [FIRST, SECOND]);
    }
}

#[test]
fn a_repeated_capture_finds_a_record_without_line_end() {
    let workshop = Workshop::new();
    append(&workshop, &line_of("mem_first", FIRST));
    let mut memory = workshop.open();
    assert_eq!(times_recalled(&mut memory, FIRST), 1);
    let outcome = memory
        .capture(forge_memory_core::CaptureInput {
            project: Some("shop".into()),
            ..capture_of("lesson", FIRST)
        })
        .unwrap();
    assert!(outcome.deduped && outcome.thought.id == "mem_first", "{outcome:?}");
    assert_eq!(texts(&mut memory), [FIRST]);
}

#[test]
fn a_record_becomes_visible_with_its_last_byte() {
    let workshop = Workshop::new();
    append(&workshop, &format!("{}\n", line_of("mem_first", FIRST)));
    let mut memory = workshop.open();
    let line = line_of("mem_second", SECOND);
    for byte in line.as_bytes() {
        assert_eq!(texts(&mut memory), [FIRST]);
        append(&workshop, std::str::from_utf8(&[*byte]).unwrap());
    }
    assert_eq!(texts(&mut memory), [FIRST, SECOND]);
    append(&workshop, "\n");
    assert_eq!(texts(&mut memory), [FIRST, SECOND]);
}

#[test]
fn bytes_appended_to_a_record_without_line_end_are_one_line_for_every_process() {
    let workshop = Workshop::new();
    append(&workshop, &line_of("mem_first", FIRST));
    let mut memory = workshop.open();
    assert_eq!(texts(&mut memory), [FIRST]);
    append(&workshop, &format!("{}\n", line_of("mem_second", SECOND)));
    assert_eq!(texts(&mut memory), texts(&mut workshop.open()));
}

#[test]
fn a_revision_without_line_end_waits_with_the_record_it_replaces() {
    let workshop = Workshop::new();
    append(&workshop, &format!("{}\n", line_of("mem_first", FIRST)));
    let revision = line_of("mem_second", SECOND).replace("\"_v\":1", "\"_v\":1,\"supersedes\":\"mem_first\"");
    append(&workshop, &revision);
    let mut memory = workshop.open();
    assert_eq!(texts(&mut memory), [FIRST]);
    append(&workshop, "\n");
    assert_eq!(texts(&mut memory), [SECOND]);
}
