//! Records, copies, confirmations and tombstones, with segment borders at every position between them.

use forge_memory_core::Memory;
use forge_memory_core::clock::{DAY_MS, format_iso};

use super::{Scene, foreign};
use crate::common::other::OtherShelf;
use crate::common::{NOON, Workshop, capture_lessons, capture_of, times_recalled};

/// Returns the line of a record that expires ten days after the workshop's beginning.
fn short_lived(id: &str) -> String {
    let (at, expires) = (format_iso(NOON), format_iso(NOON + 10 * DAY_MS));
    let content = format!("{id} expires soon");
    format!(
        "{{\"_v\":1,\"id\":\"{id}\",\"content\":\"{content}\",\"project\":\"shop\",\"type\":\"insight\",\"captured_at\":\"{at}\",\"expiresAt\":\"{expires}\"}}\n"
    )
}

#[test]
fn a_confirmation_applies_to_all_copies_of_its_record() {
    let confirmation = format!("{}\n", foreign::confirmation("mem_twice", NOON + 9 * DAY_MS));
    let record = short_lived("mem_twice");
    // The index is persisted behind none, one or two of the three lines.
    for cuts in 0..3 {
        let mut scene = Scene::new(1);
        scene.workshop.clock.advance(9 * DAY_MS);
        for (number, line) in [&record, &confirmation, &record].into_iter().enumerate() {
            foreign::append(&scene.workshop.raw_log(), line.as_bytes());
            if number < cuts {
                scene.persist_file(scene.workshop.raw_log());
            }
        }
        scene.workshop.clock.advance(5 * DAY_MS);
        for memory in &mut scene.handles {
            assert_eq!(times_recalled(memory, "mem_twice expires soon"), 1, "{cuts} cuts");
        }
        scene.check_against_fresh(0);
    }
}

fn plain(id: &str) -> String {
    format!("{{\"_v\":1,\"id\":\"{id}\",\"content\":\"about {id}\",\"project\":\"shop\",\"type\":\"insight\"}}\n")
}

/// Returns records, followed by a tombstone for the second one and a copy of the third.
fn history(count: usize) -> String {
    let mut text: String = (0..count).map(|number| plain(&format!("mem_{number}"))).collect();
    text.push_str(&format!("{}\n", foreign::tombstone("mem_1", NOON)));
    text.push_str(&plain("mem_2"));
    text
}

#[test]
fn segments_of_another_process_with_other_borders_apply_hidden_records() {
    let mut scene = Scene::new(1);
    let log = scene.workshop.raw_log();
    let (first, rest) = (history(500), (500..1200).map(|number| plain(&format!("mem_{number}"))));
    // The other process persists in the middle of what becomes one chunk to us, which starts without that index.
    let middle = plain("mem_0").len() * 100;
    foreign::append(&log, &first.as_bytes()[..middle]);
    let mut other = OtherShelf::of(log.clone());
    assert!(other.persist());
    let away = other.folder.with_extension("away");
    std::fs::rename(&other.folder, &away).unwrap();
    foreign::append(&log, &first.as_bytes()[middle..]);
    foreign::append(&log, rest.collect::<String>().as_bytes());
    scene.check_against_model(0);
    std::fs::rename(&away, &other.folder).unwrap();
    scene.adopt(0);
    scene.check_against_model(0);
    scene.check_against_fresh(0);
}

#[test]
fn a_long_tail_finds_records_of_earlier_chunks() {
    let mut scene = Scene::new(1);
    let log = scene.workshop.raw_log();
    let first: String = (0..1300).map(|number| plain(&format!("mem_{number}"))).collect();
    foreign::append(&log, first.as_bytes());
    scene.check_against_model(0);
    // Behind a full chunk and half of another come copies and tombstones, and more than is taken in line by line.
    let mut tail = history(3);
    tail.push_str(&format!("{}\n", foreign::tombstone("mem_1100", NOON)));
    for number in 2000..2500 {
        let more = "x".repeat(5000);
        tail.push_str(&plain(&format!("mem_{number}")).replace("about", &more));
    }
    foreign::append(&log, tail.as_bytes());
    scene.check_against_model(0);
    scene.check_against_fresh(0);
}

#[test]
fn index_work_waits_while_records_come_in_a_row() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let mut captured = 0;
    let mut capture = |memory: &mut Memory, count: usize| {
        capture_lessons(memory, captured..captured + count);
        captured += count;
    };
    capture(&mut memory, 2 * 1024);
    assert_eq!(memory.take_jobs().len(), 0, "two chunks wait for more");
    workshop.clock.advance(1000);
    assert_eq!(memory.take_jobs().len(), 1, "after a pause one would be enough");
    assert_eq!(memory.take_jobs().len(), 0, "it was handed out");
    capture(&mut memory, 3 * 1024);
    assert_eq!(memory.take_jobs().len(), 0, "three more wait");
    capture(&mut memory, 1024);
    let jobs = memory.take_jobs();
    assert_eq!(jobs.len(), 1, "four are enough");
    assert!(jobs[0].run().unwrap());
    memory.adopt().unwrap();
    capture(&mut memory, 1023);
    workshop.clock.advance(1000);
    capture(&mut memory, 1);
    assert_eq!(memory.take_jobs().len(), 1, "the last one came after a pause");
}

#[test]
fn index_work_does_not_fail_on_a_deleted_journal() {
    let mut scene = Scene::new(1);
    foreign::append(&scene.workshop.raw_log(), history(1100).as_bytes());
    scene.check_against_model(0);
    let jobs = scene.handles[0].take_jobs();
    assert_eq!(jobs.len(), 1);
    std::fs::remove_file(scene.workshop.raw_log()).unwrap();
    assert!(!jobs[0].run().unwrap());
    scene.handles[0].adopt().unwrap();
    scene.check_against_model(0);
}

#[test]
fn a_fully_indexed_journal_that_is_rewritten_in_place_is_indexed_again() {
    let mut scene = Scene::new(1);
    let log = scene.workshop.raw_log();
    foreign::append(&log, history(5).as_bytes());
    assert!(OtherShelf::of(log.clone()).persist());
    scene.check_against_model(0);
    // An editor writes into the same file: other records in front, and more of them.
    let text = format!("{}{}", plain("mem_in_front"), history(9));
    foreign::rewrite_in_place(&log, text.as_bytes(), NOON);
    let known = scene.handles[0]
        .capture(capture_of("insight", "about mem_in_front"))
        .unwrap();
    assert!(known.deduped, "it is there already");
    scene.check_against_model(0);
    scene.check_against_fresh(0);
}

#[test]
fn an_index_of_another_version_is_rebuilt() {
    let mut scene = Scene::new(1);
    let log = scene.workshop.raw_log();
    foreign::append(&log, history(1100).as_bytes());
    assert!(OtherShelf::of(log.clone()).persist());
    let folder = OtherShelf::of(log.clone()).folder;
    let manifest = folder.join("manifest.json");
    let ours = std::fs::read_to_string(&manifest).unwrap();
    let theirs = ours.replacen("\"format\":", "\"format\":9", 1);
    std::fs::write(&manifest, &theirs).unwrap();
    let left = folder.join("left-by-another-version.seg");
    std::fs::write(&left, b"FMIX\x09").unwrap();
    scene.check_against_model(0);
    assert!(OtherShelf::of(log).persist(), "there is something to do");
    assert_ne!(std::fs::read_to_string(&manifest).unwrap(), theirs);
    assert!(!left.exists(), "what the other version had is gone");
    scene.adopt(0);
    scene.check_against_model(0);
    scene.check_against_fresh(0);
}

/// Appends lines and enough records to fill a segment, and loads that segment beside the existing ones.
fn grow_by_a_segment(scene: &mut Scene, lines: &str, number: usize) {
    let log = scene.workshop.raw_log();
    let fillers = (0..1024).map(|filler| plain(&format!("mem_{number}_{filler}")));
    foreign::append(&log, format!("{lines}{}", fillers.collect::<String>()).as_bytes());
    scene.check_against_model(0);
    let jobs = scene.handles[0].take_jobs();
    assert_eq!(jobs.len(), 1, "a chunk is full");
    assert!(jobs[0].run().unwrap());
    scene.handles[0].adopt().unwrap();
    scene.check_against_model(0);
}

#[test]
fn a_tombstone_in_an_older_segment_hides_a_record_in_a_newer_one() {
    let mut scene = Scene::new(1);
    let tombstone = |id: &str| format!("{}\n", foreign::tombstone(id, NOON));
    // Of two records that are forgotten in the second segment, one comes only afterwards and the other comes again.
    grow_by_a_segment(&mut scene, &plain("mem_again"), 0);
    grow_by_a_segment(&mut scene, &(tombstone("mem_late") + &tombstone("mem_again")), 1);
    grow_by_a_segment(&mut scene, &(plain("mem_late") + &plain("mem_again")), 2);
    for id in ["mem_late", "mem_again"] {
        assert_eq!(times_recalled(&mut scene.handles[0], &format!("about {id}")), 0, "{id}");
    }
    grow_by_a_segment(&mut scene, &plain("mem_last"), 3);
    scene.check_against_fresh(0);
}
