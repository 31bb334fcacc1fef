//! Fault injection into reads of other files: sources named by hallmarks, imported files, targets of exports and hints. Every operation
//! fails once. The result is an error or correct, and a repetition is correct.

use std::fs;
use std::sync::Arc;

use forge_memory_core::sync::SyncOptions;
use forge_memory_core::transfer::{ExportFormat, ExportOptions, ImportOptions};
use forge_memory_core::{CaptureInput, Memory, Result};
use forge_memory_test_disk::{Fault, FaultyDisk, Torn};

use super::samples::tree;
use crate::common::{Workshop, capture_of, save_of};

/// A memory about sources, and stores of others beside it.
fn filled() -> Workshop {
    let workshop = Workshop::with_config(r#"{"projectName":"shop"}"#);
    let project = workshop.project();
    fs::create_dir_all(project.join("notes/inner")).unwrap();
    fs::create_dir_all(project.join("docs")).unwrap();
    fs::write(project.join("pool.js"), "pool.close()\n").unwrap();
    fs::write(
        project.join("notes/one.md"),
        "# One\n- [fact] The pool has ten places #db\n",
    )
    .unwrap();
    fs::write(
        project.join("notes/inner/two.md"),
        "# Two\n- [fact] Retries are jittered\n",
    )
    .unwrap();
    fs::write(
        project.join("store.jsonl"),
        "{\"id\":\"a\",\"content\":\"Imported\",\"type\":\"lesson\"}\n",
    )
    .unwrap();
    let mut memory = workshop.open();
    let about_source = CaptureInput {
        source_file: Some("pool.js".into()),
        ..capture_of("lesson", "Always close the pool")
    };
    assert!(memory.capture(about_source).unwrap().captured);
    memory
        .capture(capture_of("gotcha", "Windows wants short paths"))
        .unwrap();
    memory
        .save(save_of("project", "convention", "Tabs, not spaces"))
        .unwrap();
    memory.settle().unwrap();
    workshop
}

/// Makes each operation of `work` fail, alone or with all that follow. `tells` says whether an answer that differs names the fault.
fn walk(name: &str, work: &dyn Fn(&mut Memory) -> Result<String>, tells: &dyn Fn(&str) -> bool) {
    let workshop = filled();
    let wanted = work(&mut workshop.open()).unwrap();
    let before = tree(&workshop.project());
    let counting = FaultyDisk::of(Fault::NONE);
    assert_eq!(work(&mut workshop.open_on(Arc::new(counting.clone()))).unwrap(), wanted);
    let operations = counting.operations();
    let mut refused = 0;
    for at in 1..=operations.len() {
        for dead in [false, true] {
            let torn = Torn::Half;
            let disk = FaultyDisk::of(Fault { at, torn, dead });
            let mut memory = workshop.open_on(Arc::new(disk.clone()));
            let label = format!("{name}, operation {at} ({:?}, dead: {dead})", operations[at - 1]);
            match work(&mut memory) {
                Ok(answer) => assert!(answer == wanted || tells(&answer), "{label}: {answer}, not {wanted}"),
                Err(_) => refused += 1,
            }
            disk.repair();
            assert_eq!(work(&mut memory).unwrap(), wanted, "{label}: again");
            let mut after = tree(&workshop.project());
            // A temporary file of a process that died is litter that `doctor` names.
            let is_litter = |file: &&String| dead && file.ends_with(".tmp");
            for file in after.keys().filter(is_litter).cloned().collect::<Vec<_>>() {
                fs::remove_file(workshop.project().join(&file)).unwrap();
                after.remove(&file);
            }
            assert!(after == before, "{label}: a file was changed");
        }
    }
    println!("{name}: {refused} refusals over {} operations", operations.len());
    assert!(refused > 0, "{name}");
}

fn never(_: &str) -> bool {
    false
}

#[test]
fn an_unreadable_source_is_reported_and_not_treated_as_changed() {
    walk("verify", &|memory| Ok(format!("{:?}", memory.verify()?)), &|answer| {
        answer.contains("cannot be read: made to fail")
    });
}

#[test]
fn an_import_that_cannot_read_everything_fails() {
    let options = ImportOptions {
        dry_run: true,
        ..ImportOptions::default()
    };
    for from in ["notes", "store.jsonl"] {
        let import = |memory: &mut Memory| {
            let path = memory.project_dir().join(from);
            Ok(format!("{:?}", memory.import(&path, &options)?))
        };
        walk(from, &import, &never);
    }
}

#[test]
fn a_failed_export_or_sync_leaves_the_existing_file_unchanged() {
    let export = |memory: &mut Memory| {
        let options = ExportOptions {
            format: Some(ExportFormat::Markdown),
            path: Some("docs/memory.md".into()),
            overwrite: true,
            ..ExportOptions::default()
        };
        memory.export(&options).map(|exported| exported.records.to_string())
    };
    walk("export", &export, &never);
    let sync = |memory: &mut Memory| Ok(format!("{:?}", memory.sync(&SyncOptions::default())?));
    // The first run writes them; from then on they are what they are to be.
    let synced = |memory: &mut Memory| sync(memory).and_then(|_| sync(memory));
    walk("hints", &synced, &never);
}
