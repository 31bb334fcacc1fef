//! Files that git could not merge.

use std::fs;

use forge_memory_core::markers::{has_markers, split_sides};

use super::samples::tree;
use crate::common::{Workshop, capture_of, times_recalled};

#[test]
fn conflict_markers_are_reported_and_healed_without_losing_a_record() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory.capture(capture_of("lesson", "Common ground")).unwrap();
    let base = fs::read_to_string(workshop.raw_log()).unwrap();
    let side = |id: &str, text: &str| {
        format!(
            "{{\"_v\":1,\"id\":\"{id}\",\"content\":\"{text}\",\"type\":\"lesson\",\"captured_at\":\"2026-11-20T10:00:00.000Z\"}}\n"
        )
    };
    let (ours, theirs) = (side("mem_o", "Ours alone"), side("mem_t", "Theirs alone"));
    let marked = format!("{base}<<<<<<< HEAD\n{ours}||||||| 1a2b3c\n=======\n{theirs}>>>>>>> branch\n");
    fs::write(workshop.raw_log(), &marked).unwrap();
    assert!(has_markers(marked.as_bytes()));
    let codes = |memory: &mut forge_memory_core::Memory| -> Vec<&'static str> {
        memory.diagnose().into_iter().map(|finding| finding.code).collect()
    };
    assert!(codes(&mut memory).contains(&"CONFLICT_MARKERS"));
    let report = memory.heal().unwrap();
    assert_eq!((report.files[0].markers, report.files[0].lines), (1, 3));
    let original = std::path::Path::new(report.backup.as_ref().unwrap()).join("memory-captures.jsonl");
    assert_eq!(fs::read_to_string(original).unwrap(), marked);
    for text in ["Common ground", "Ours alone", "Theirs alone"] {
        assert_eq!(times_recalled(&mut memory, text), 1, "{text}");
    }
    assert!(!codes(&mut memory).contains(&"CONFLICT_MARKERS"));
    let healed = tree(&workshop.forge());
    workshop.clock.advance(1);
    assert_eq!(memory.heal().unwrap().files.len(), 0);
    assert_eq!(tree(&workshop.forge()), healed);
}

#[test]
fn unpaired_markers_lose_no_line() {
    for text in ["=======\na\n", ">>>>>>> x\na\n", "<<<<<<< x\na\n", "|||||||\na\n"] {
        let sides = split_sides(text.as_bytes());
        assert!(
            [&sides.base, &sides.ours, &sides.theirs]
                .iter()
                .any(|side| side.as_slice() == b"a\n"),
            "{text}"
        );
    }
    assert!(!has_markers(b"{\"content\":\"<<<<<<< HEAD\"}\n<<<<<<<< eight\n"));
}

#[test]
fn conflicting_revisions_are_reported_until_one_is_forgotten_and_the_other_stays() {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    let line = |id: &str, text: &str, more: &str| {
        format!(
            "{{\"_v\":1,\"id\":\"{id}\",\"content\":\"{text}\",\"type\":\"insight\",\"captured_at\":\"2026-11-20T10:00:00.000Z\"{more}}}\n"
        )
    };
    let text = line("mem_xxxxxx", "old", "")
        + &line("mem_yyyyyy", "one way", ",\"supersedes\":\"mem_xxxxxx\"")
        + &line("mem_zzzzzz", "another way", ",\"supersedes\":\"mem_xxxxxx\"");
    fs::write(workshop.raw_log(), text).unwrap();
    let mut memory = workshop.open();
    let conflicts = |memory: &mut forge_memory_core::Memory| {
        memory
            .diagnose()
            .into_iter()
            .filter(|finding| finding.code == "CONFLICTING_REVISIONS")
            .count()
    };
    assert_eq!(conflicts(&mut memory), 1);
    assert!(memory.forget("mem_yyyyyy").unwrap());
    assert_eq!(conflicts(&mut memory), 0);
    memory.heal().unwrap();
    assert_eq!(times_recalled(&mut memory, "another way"), 1);
    assert_eq!(times_recalled(&mut memory, "one way"), 0);
}

#[test]
fn an_edit_of_a_record_forgotten_elsewhere_is_reported_and_forgotten_by_the_fix() {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    // As git's own union of lines leaves it.
    let text = "{\"_v\":1,\"id\":\"mem_xxxxxx\",\"content\":\"old\"}\n{\"_v\":1,\"_action\":\"delete\",\"id\":\"mem_xxxxxx\",\"at\":\"2026-11-20T10:00:00.000Z\"}\n{\"_v\":1,\"id\":\"mem_yyyyyy\",\"content\":\"come back\",\"supersedes\":\"mem_xxxxxx\"}\n";
    fs::write(workshop.raw_log(), text).unwrap();
    let mut memory = workshop.open();
    assert!(
        memory
            .diagnose()
            .iter()
            .any(|finding| finding.code == "FORGOTTEN_EDITS")
    );
    assert_eq!(memory.heal().unwrap().files[0].forgotten_edits, 1);
    assert_eq!(times_recalled(&mut memory, "come back"), 0);
    assert!(
        memory
            .diagnose()
            .iter()
            .all(|finding| finding.code != "FORGOTTEN_EDITS")
    );
}
