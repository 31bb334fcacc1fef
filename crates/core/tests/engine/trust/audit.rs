//! The audit, on memories with planted problems.

use std::fs;

use super::samples::tree;
use crate::common::{Workshop, capture_of, list_all};

const TOKEN: &str = concat!("gh", "p_0123456789abcdefghijklmnopqrstuvwxyzAB");

fn planted() -> Workshop {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    let mut text = String::new();
    let mut add = |id: &str, content: &str, more: &str| {
        let content = serde_json::Value::from(content);
        text.push_str(&format!(
            "{{\"_v\":1,\"id\":\"mem_{id}\",\"content\":{content},\"project\":\"shop\",\"type\":\"insight\"{more}}}\n"
        ));
    };
    let lesson = "Always close the database pool after the integration tests have run";
    add("original", lesson, "");
    add(
        "copy",
        "always close the DATABASE pool after the integration tests have run",
        "",
    );
    add(
        "near",
        "Always close the database pool after the integration tests have run once",
        "",
    );
    add(
        "reversal",
        "Never close the database pool after the integration tests have run",
        "",
    );
    add(
        "loop",
        &format!("Found 1 match in project memory:\n[insight] 0.7 \u{2014} {lesson}"),
        "",
    );
    add(
        "quote",
        &format!("As we said on several other occasions, in quite different words and in another room:\n> {lesson}"),
        "",
    );
    add("secret", &format!("The deploy token is {TOKEN}"), "");
    add("mute", "\u{2026} !!! ???", "");
    add(
        "old",
        "Something that was over long ago",
        ",\"expiresAt\":\"2026-01-01T00:00:00.000Z\"",
    );
    add("replaced", &format!("Replaced {TOKEN}"), "");
    add(
        "fine",
        "A replacement without anything wrong",
        ",\"supersedes\":\"mem_replaced\"",
    );
    text.push_str("not json\n");
    fs::write(workshop.raw_log(), text).unwrap();
    workshop
}

#[test]
fn the_audit_finds_planted_problems_and_no_others() {
    let workshop = planted();
    let before = tree(&workshop.forge());
    let report = workshop.open().audit().unwrap();
    assert_eq!(tree(&workshop.forge()), before, "an audit reads");
    let ids = |name: &str| -> Vec<String> { report.parts.iter().find(|part| part.name == name).unwrap().ids.clone() };
    assert_eq!(report.records, 10);
    assert_eq!(ids("exact duplicates"), ["mem_copy"]);
    assert_eq!(ids("near duplicates"), ["mem_near"]);
    assert_eq!(ids("recall loops"), ["mem_loop", "mem_quote"]);
    assert_eq!(ids("secrets"), ["mem_secret"]);
    assert_eq!(ids("never recallable"), ["mem_mute"]);
    assert_eq!(ids("damaged lines"), ["memory-captures.jsonl:12"]);
    assert_eq!(ids("expired"), ["mem_old"]);
    let cost: f64 = report.parts.iter().map(|part| part.cost).sum();
    assert!((report.score - (100.0 - cost)).abs() < 1e-9 && report.score < 60.0);
}

#[test]
fn a_memory_without_rot_has_the_full_score() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    assert_eq!(memory.audit().unwrap().score, 100.0);
    for text in ["Close the pool", "Mind the gap"] {
        memory.capture(capture_of("lesson", text)).unwrap();
    }
    assert_eq!(memory.audit().unwrap().score, 100.0);
}

#[test]
fn a_redaction_covers_every_file_and_intact_records_stay_intact() {
    let workshop = Workshop::with_config("{\"redact\":false}");
    workshop.approve("redact: false");
    let mut memory = workshop.open();
    let outcome = memory
        .capture(capture_of("lesson", &format!("The token is {TOKEN}")))
        .unwrap();
    memory.capture(capture_of("lesson", "Nothing to hide")).unwrap();
    assert!(
        tree(&workshop.forge())
            .values()
            .filter(|text| text.contains(TOKEN))
            .count()
            >= 4
    );
    let report = memory.redact_stored().unwrap();
    assert_eq!((report.secrets, report.lines, report.files.len()), (4, 4, 4));
    assert!(tree(&workshop.forge()).values().all(|text| !text.contains(TOKEN)));
    let found = memory.verify().unwrap();
    assert_eq!((found.intact, found.edited), (2, 0));
    assert!(list_all(&mut memory).iter().any(|hit| hit.id == outcome.thought.id));
    let settled = tree(&workshop.forge());
    assert_eq!(memory.redact_stored().unwrap().secrets, 0);
    assert_eq!(tree(&workshop.forge()), settled);
}
