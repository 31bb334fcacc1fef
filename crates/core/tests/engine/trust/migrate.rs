//! Migration: what it must not touch, and what stops it.

use std::fs;

use forge_memory_core::Error;
use forge_memory_core::clock::format_iso;
use forge_memory_core::error::FileError;
use forge_memory_core::migrate::FileFate;

use super::samples::{sample, tree};
use crate::common::lines::lines;
use crate::common::{NOON, Workshop, capture_of, list_all};

#[test]
fn tombstones_and_confirmations_survive_migration() {
    let workshop = sample("thoughts-without-id");
    let mut memory = workshop.open();
    let before = list_all(&mut memory);
    let gotcha = before.iter().find(|hit| hit.kind == "gotcha").unwrap().id.clone();
    // The tombstone goes by the id that was made from the line.
    memory.forget(&gotcha).unwrap();
    memory.migrate(false).unwrap();
    let texts: Vec<String> = list_all(&mut memory).into_iter().map(|hit| hit.text).collect();
    assert_eq!(texts, ["Ours stay as they are"]);
    assert_eq!(list_all(&mut workshop.open()).len(), 1);
}

#[test]
fn records_of_the_older_log_are_recalled_once_and_keep_their_ids() {
    let workshop = sample("liveguard");
    let mut memory = workshop.open();
    memory.migrate(false).unwrap();
    let ids = |memory: &mut forge_memory_core::Memory| -> Vec<String> {
        list_all(memory).into_iter().map(|hit| hit.id).collect()
    };
    let known = ids(&mut memory);
    assert_eq!(known.len(), 3);
    // The older tool goes on and says the same again: it is known.
    fs::copy(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../core/tests/data/migration/liveguard/forge/liveguard-memories.jsonl"),
        workshop.forge().join("liveguard-memories.jsonl"),
    )
    .unwrap();
    workshop.clock.advance(1000);
    memory.migrate(false).unwrap();
    assert_eq!(ids(&mut memory), known);
    assert_eq!(lines(&workshop.forge().join("decisions.jsonl")).len(), 1);
    // The older tool still finds its own records, now with their ids.
    let left = lines(&workshop.forge().join("liveguard-memories.jsonl"));
    assert_eq!(left.len(), 2);
    assert!(
        left.iter()
            .all(|line| String::from_utf8_lossy(line).contains("\"id\":\"mem_"))
    );
}

#[test]
fn a_newer_file_is_reported_and_left_unchanged_while_others_are_migrated() {
    let workshop = sample("newer-version");
    let report = workshop.open().migrate(false).unwrap();
    let fate = |name: &str| report.files.iter().find(|file| file.name == name).unwrap().fate;
    assert_eq!(
        (
            fate("memory-captures.jsonl"),
            fate("lessons.jsonl"),
            fate("drift-history.json")
        ),
        (FileFate::Newer, FileFate::Migrated, FileFate::Newer)
    );
}

#[test]
fn a_backup_folder_that_is_there_is_left_alone() {
    let workshop = sample("unstamped-lines");
    let stamp = format_iso(NOON).replace([':', '.'], "-");
    let folder = workshop.forge().join(format!(".migration-backup-{stamp}"));
    fs::create_dir(&folder).unwrap();
    let second = workshop.forge().join(format!(".migration-backup-{stamp}-2"));
    let report = workshop.open().migrate(false).unwrap();
    assert_eq!(report.backup, Some(second.display().to_string()));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    assert!(fs::read_dir(second).unwrap().count() > 0);
}

#[test]
fn without_a_free_name_for_the_backup_nothing_changes() {
    let workshop = sample("unstamped-lines");
    let stamp = format_iso(NOON).replace([':', '.'], "-");
    let folder = workshop.forge().join(format!(".migration-backup-{stamp}"));
    fs::create_dir(&folder).unwrap();
    for number in 2..=9 {
        fs::create_dir(workshop.forge().join(format!(".migration-backup-{stamp}-{number}"))).unwrap();
    }
    let before = tree(&workshop.forge());
    let error = workshop.open().migrate(false).unwrap_err();
    assert!(
        matches!(&error, Error::File(FileError::Io { path, .. }) if *path == folder),
        "{error}"
    );
    assert_eq!(tree(&workshop.forge()), before);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

#[test]
fn a_current_memory_needs_no_migration() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for kind in ["lesson", "gotcha", "insight"] {
        memory
            .capture(capture_of(kind, &format!("Something about {kind}")))
            .unwrap();
    }
    memory
        .save(crate::common::save_of("project", "convention", "Tabs, not spaces"))
        .unwrap();
    let before = tree(&workshop.forge());
    let report = memory.migrate(false).unwrap();
    assert_eq!((report.changed, report.backup.as_ref()), (0, None));
    assert!(
        report.files.iter().all(|file| file.fate == FileFate::Current),
        "{report:?}"
    );
    assert_eq!(tree(&workshop.forge()), before);
}

#[test]
fn files_that_are_not_histories_are_left_unchanged() {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    for (name, text) in [
        ("drift-history.json", "nothing that is JSON\n"),
        ("cost-history.json", "{\"runs\":[]}\n"),
        ("notes.txt", "mine\n"),
    ] {
        fs::write(workshop.forge().join(name), text).unwrap();
    }
    let before = tree(&workshop.forge());
    let report = workshop.open().migrate(false).unwrap();
    assert_eq!(report.files[0].fate, FileFate::Foreign);
    assert_eq!(tree(&workshop.forge()), before);
}

#[test]
fn secrets_of_older_tools_are_redacted_whatever_a_clone_asks_for() {
    let record = r#"{"content":"my password for staging is Tr0ub4dor&3","project":"shop","type":"lesson","source":"forge_a","captured_at":"2026-11-20T10:00:00.000Z"}"#;
    let migrated = |workshop: &Workshop| -> (String, Vec<String>) {
        fs::create_dir_all(workshop.forge()).unwrap();
        for name in ["liveguard-memories.jsonl", "gotchas.jsonl"] {
            fs::write(workshop.forge().join(name), format!("{record}\n")).unwrap();
        }
        let report = workshop.open().migrate(false).unwrap();
        let files = ["memory-captures.jsonl", "lessons.jsonl", "gotchas.jsonl"];
        let texts = files.map(|name| fs::read_to_string(workshop.forge().join(name)).unwrap());
        (
            texts.concat(),
            report.files.into_iter().flat_map(|file| file.notes).collect(),
        )
    };
    // Nor does a project turn it off by itself.
    for workshop in [Workshop::new(), Workshop::with_config(r#"{"redact": false}"#)] {
        let (texts, notes) = migrated(&workshop);
        assert!(!texts.contains("Tr0ub4dor"), "{texts}");
        assert_eq!(texts.matches("[redacted:password]").count(), 3, "{texts}");
        let told = notes.iter().filter(|note| *note == "1 secret redacted").count();
        assert_eq!(told, 2, "{notes:?}");
    }
}
