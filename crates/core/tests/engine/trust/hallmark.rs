//! Hallmarks: made, and verified against the current bytes.

use std::fs;
use std::sync::Arc;

use forge_memory_core::hallmark::{HallmarkInput, Sources, Standing, build_hallmark, hallmark_problems, verify_line};
use forge_memory_core::journal::OsDisk;
use forge_memory_core::{CaptureInput, Error};
use serde_json::{Value, json};

use crate::common::lines::{lines, objects};
use crate::common::{NOON, Workshop, capture_of, save_of};

fn captured_from(file: &str, range: Option<[u64; 2]>) -> CaptureInput {
    CaptureInput {
        source_file: Some(file.into()),
        byte_range: range,
        ..capture_of("lesson", &format!("Something about {file} {range:?}"))
    }
}

#[test]
fn every_new_record_is_stamped_and_intact() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let first = memory.capture(capture_of("lesson", "Close the pool")).unwrap().thought;
    memory
        .edit(
            &first.id,
            forge_memory_core::EditInput {
                body: Some("Close the pool twice".into()),
                ..Default::default()
            },
        )
        .unwrap();
    let saved = memory
        .save(save_of("project", "convention", "Tabs, not spaces"))
        .unwrap();
    memory
        .edit(
            &saved.id,
            forge_memory_core::EditInput {
                body: Some("Spaces, not tabs".into()),
                ..Default::default()
            },
        )
        .unwrap();
    memory.save(save_of("global", "convention", "Commit often")).unwrap();
    let found = memory.verify().unwrap();
    assert_eq!(
        (found.records, found.intact, found.coverage, found.ok),
        (5, 5, 1.0, true)
    );
    for line in [workshop.raw_log(), workshop.patterns(), workshop.global_patterns()]
        .iter()
        .flat_map(|path| objects(path))
    {
        assert_eq!(hallmark_problems(&line["hallmark"]), Vec::<String>::new());
    }
}

#[test]
fn a_change_of_any_field_except_bookkeeping_is_detected() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory.capture(capture_of("lesson", "Close the pool")).unwrap();
    let line = lines(&workshop.raw_log()).remove(0);
    let record: Value = serde_json::from_slice(&line).unwrap();
    let standing = |record: &Value| verify_line(record.to_string().as_bytes(), None).standing;
    assert_eq!(standing(&record), Standing::Intact);
    for name in record
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| !name.starts_with('_') && *name != "hallmark")
    {
        let mut changed = record.clone();
        changed[name] = json!("something else");
        assert_eq!(standing(&changed), Standing::Edited, "{name}");
        changed = record.clone();
        changed.as_object_mut().unwrap().remove(name);
        assert_eq!(standing(&changed), Standing::Edited, "without {name}");
    }
    let mut more = record.clone();
    more["_seen"] = json!(3);
    assert_eq!(standing(&more), Standing::Intact);
    more["note"] = json!("by hand");
    assert_eq!(standing(&more), Standing::Edited);
    let mut bare = record.clone();
    bare.as_object_mut().unwrap().remove("hallmark");
    assert_eq!(standing(&bare), Standing::Unstamped);
    bare["hallmark"] = json!({"schemaVersion":"hallmark/v1","toolName":"t","capturedAt":"2026-11-20T10:00:00Z"});
    assert_eq!(standing(&bare), Standing::Unstamped);
    for wrong in [
        json!("x"),
        json!({}),
        json!({"schemaVersion":"hallmark/v2"}),
        json!([1]),
    ] {
        bare["hallmark"] = wrong;
        assert_eq!(standing(&bare), Standing::Edited);
    }
}

#[test]
fn a_record_from_a_file_drifts_when_the_bytes_it_came_from_change() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    let file = workshop.project().join("src/pool.rs");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "fn close() {}\nfn open() {}\n").unwrap();
    memory.capture(captured_from("src/pool.rs", None)).unwrap();
    memory.capture(captured_from("src/pool.rs", Some([0, 13]))).unwrap();
    let absolute = file.display().to_string();
    let stored = memory
        .capture(captured_from(&absolute, Some([14, 26])))
        .unwrap()
        .thought;
    assert_eq!(stored.hallmark.unwrap().source_file.as_deref(), Some("src/pool.rs"));
    assert!(memory.verify().unwrap().ok);
    // Another part of the file changes: only the record on the whole file is about it.
    fs::write(&file, "fn close() {}\nfn open() {}\n\n").unwrap();
    let found = memory.verify().unwrap();
    assert_eq!((found.intact, found.drifted, found.ok), (2, 1, false));
    fs::write(&file, "fn shut() {}").unwrap();
    let found = memory.verify().unwrap();
    assert_eq!((found.drifted, found.suspects.len()), (3, 3));
    fs::remove_file(&file).unwrap();
    assert!(memory.verify().unwrap().suspects[0].reason.contains("no longer exists"));
    // Forgotten records are not verified.
    for suspect in found.suspects {
        memory.forget(&suspect.id.unwrap()).unwrap();
    }
    assert!(memory.verify().unwrap().ok);
}

#[test]
fn no_hallmark_names_a_file_outside_the_project() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    fs::write(workshop.project().join("../secret"), "x").unwrap();
    for bad in ["../secret", "/etc/hostname", "a/../../secret", "", "a\nb"] {
        let outcome = memory.capture(captured_from(bad, None));
        assert!(matches!(outcome, Err(Error::InvalidInput { .. })), "{bad:?}");
    }
    let outcome = memory.capture(captured_from("not/there.rs", None)).unwrap();
    let hallmark = outcome.thought.hallmark.unwrap();
    assert_eq!(
        (hallmark.source_file.as_deref(), hallmark.code_hash),
        (Some("not/there.rs"), None)
    );
    // A foreign hallmark does not lead outside of the project either.
    let line = json!({"id":"mem_1","content":"x","hallmark":{"schemaVersion":"hallmark/v1","toolName":"t",
        "capturedAt":"2026-11-20T10:00:00Z","sourceFile":"../secret","codeHash":format!("sha256:{:064}", 0)}});
    let mut stamped = line.clone();
    let hash = forge_memory_core::thought::content_hash(&line);
    stamped["hallmark"]["contentHash"] = json!(hash);
    let mut sources = Sources::new(Arc::new(OsDisk), &workshop.project());
    let verdict = verify_line(stamped.to_string().as_bytes(), Some(&mut sources));
    assert_eq!(verdict.standing, Standing::Drifted);
    assert!(verdict.reason.unwrap().contains("outside of the project"));
}

#[test]
fn a_hallmark_can_be_made_for_any_record_and_validation_names_the_problems() {
    let workshop = Workshop::new();
    let record = json!({"b": 1, "a": "x"});
    let input = HallmarkInput {
        tool_name: Some("forge_sweep".into()),
        record: Some(record.clone()),
        tool_version: Some("2.1.0".into()),
        ..HallmarkInput::default()
    };
    let hallmark = serde_json::to_value(build_hallmark(input, &OsDisk, &workshop.project(), NOON).unwrap()).unwrap();
    assert_eq!(hallmark_problems(&hallmark), Vec::<String>::new());
    assert_eq!(
        hallmark["contentHash"],
        json!(forge_memory_core::thought::content_hash(&record))
    );
    for (field, wrong) in [
        ("schemaVersion", json!("hallmark-provenance.v1")),
        ("toolName", json!("")),
        ("capturedAt", json!("2026-99-20T10:00:00Z")),
        ("capturedAt", json!("2026-11-20T10:00:00+01:00")),
        ("contentHash", json!("sha256:ABC")),
        ("codeHash", json!(7)),
        ("byteRange", json!([5, 2])),
        ("byteRange", json!([1.5, 2])),
        ("sourceFile", json!(7)),
        ("toolVersion", json!(null)),
        ("source_file_hash", json!("sha256:0")),
    ] {
        let mut changed = hallmark.clone();
        changed[field] = wrong;
        assert_eq!(hallmark_problems(&changed).len(), 1, "{changed}");
    }
    let wrong = |input: HallmarkInput| {
        build_hallmark(input, &OsDisk, &workshop.project(), NOON)
            .unwrap_err()
            .code()
    };
    assert_eq!(wrong(HallmarkInput::default()), "INVALID_INPUT");
    let input = HallmarkInput {
        tool_name: Some("t".into()),
        byte_range: Some([0, 1]),
        ..HallmarkInput::default()
    };
    assert_eq!(wrong(input), "INVALID_INPUT");
}

#[test]
fn coverage_and_verification_count_the_same_records() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for body in [
        "Close the pool last.",
        "Drain the queue first.",
        "Errors carry a stable code.",
    ] {
        memory.capture(capture_of("lesson", body)).unwrap();
    }
    let log = std::fs::read_to_string(workshop.raw_log()).unwrap();
    let others = [
        r#"{"id":"mem_a","content":"No stamp.","type":"lesson"}"#,
        r#"{"id":"mem_b","content":"A stamp of another shape.","type":"lesson","hallmark":{"toolName":7}}"#,
        r#"{"id":"mem_c","content":"No time.","type":"lesson","hallmark":{"schemaVersion":"hallmark/v1","toolName":"t"}}"#,
        r#"{"_v":1,"_action":"confirm","id":"mem_a","at":"2026-11-20T10:00:00.000Z"}"#,
        "no JSON",
    ];
    let text = format!("{}{}\n", log.replace("stable code", "stable number"), others.join("\n"));
    std::fs::write(workshop.raw_log(), text).unwrap();
    let mut memory = workshop.open();
    let verified = memory.verify().unwrap();
    let (mut measured, disk, path) = memory.take_coverage();
    measured.refresh(disk.as_ref(), &path).unwrap();
    let measured = measured.report(0);
    assert_eq!(
        (measured.total, measured.verified, measured.changed),
        (verified.records, verified.intact, verified.edited)
    );
    assert_eq!((measured.total, measured.verified, measured.changed), (6, 2, 3));
    assert_eq!(measured.total - measured.stamped, verified.unstamped);
}
