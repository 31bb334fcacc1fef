//! Fault injection into migration, compaction, repair and healing: stopped at every disk operation, run again, and
//! compared with an uninterrupted run.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use forge_memory_core::{EditInput, Memory, Result};
use forge_memory_test_disk::{Fault, FaultyDisk, Operation, Torn};

use super::samples::{copy, names, sample, tree};
use crate::common::{Workshop, capture_of, save_of};

/// What is compared: everything but the files that say when a run was.
fn state(workshop: &Workshop) -> BTreeMap<String, String> {
    tree(&workshop.forge())
}

fn walk(name: &str, pause: i64, prepare: &dyn Fn() -> Workshop, work: &dyn Fn(&mut Memory) -> Result<()>) {
    let untouched = prepare();
    let before = state(&untouched);
    let counting = FaultyDisk::of(Fault {
        at: 0,
        torn: Torn::Half,
        dead: false,
    });
    work(&mut untouched.open_on(Arc::new(counting.clone()))).unwrap();
    let operations = counting.operations();
    let wanted = state(&untouched);
    assert_ne!(before, wanted, "{name}: the walk has work to do");
    let mut runs = 0;
    for dead in [false, true] {
        for at in 1..=operations.len() {
            let torn: &[Torn] = match operations[at - 1] {
                Operation::Append => &[Torn::Half, Torn::AllButLast, Torn::All],
                _ => &[Torn::Half],
            };
            for torn in torn {
                let workshop = prepare();
                let disk = FaultyDisk::of(Fault { at, torn: *torn, dead });
                let mut memory = workshop.open_on(Arc::new(disk.clone()));
                let label = format!("{name} at {at} ({:?}, {torn:?}, dead: {dead})", operations[at - 1]);
                let outcome = work(&mut memory);
                disk.repair();
                if outcome.is_err() && !dead {
                    // Every file is the old one or the new one, whole.
                    for (file, bytes) in state(&workshop) {
                        let moving = file.starts_with('.');
                        let known = [before.get(&file), wanted.get(&file)].contains(&Some(&bytes)) || bytes.is_empty();
                        // Copies for older tools, which the next run completes.
                        let copied = file == "liveguard-memories.jsonl";
                        let partial = copied || file == "openbrain-queue.jsonl" || file.starts_with("quarantine/");
                        assert!(known || moving || partial, "{label}: {file} is neither old nor new");
                    }
                }
                drop(memory);
                workshop.clock.advance(pause);
                work(&mut workshop.open()).unwrap();
                let mut found = state(&workshop);
                // A temporary file of a process that died is litter that `doctor` names, not a record.
                found.retain(|file, _| !file.ends_with(".tmp"));
                let differs = |file: &&String| found.get(*file) != wanted.get(*file);
                for file in found.keys().chain(wanted.keys()).filter(differs) {
                    assert_eq!(found.get(file), wanted.get(file), "{label}: {file}");
                }
                runs += 1;
            }
        }
    }
    println!("{name}: {runs} runs over {} operations end the same", operations.len());
}

#[test]
fn a_migration_stopped_anywhere_and_run_again_ends_the_same() {
    for name in names() {
        walk(&format!("migration of {name}"), 1000, &|| sample(&name), &|memory| {
            memory.migrate(false).map(|_| ())
        });
    }
}

/// Makes a memory once, and copies of it as often as they are wanted.
fn copies_of(make: &dyn Fn(&Workshop)) -> impl Fn() -> Workshop {
    let original = Workshop::new();
    make(&original);
    move || {
        let workshop = Workshop::new();
        copy(&original.forge(), &workshop.forge());
        let _ = fs::remove_dir_all(workshop.forge().join("locks"));
        workshop.clock.advance(200 * 86_400_000);
        workshop
    }
}

fn lively(workshop: &Workshop) {
    let mut memory = workshop.open();
    for (kind, text) in [
        ("lesson", "One"),
        ("gotcha", "Two"),
        ("decision", "Three"),
        ("insight", "Four"),
    ] {
        memory.capture(capture_of(kind, text)).unwrap();
    }
    let id = memory
        .capture(capture_of("lesson", "An early text"))
        .unwrap()
        .thought
        .id;
    let changes = EditInput {
        body: Some("A later text".into()),
        ..EditInput::default()
    };
    memory.edit(&id, changes.clone()).unwrap();
    let id = memory.capture(capture_of("convention", "A secret")).unwrap().thought.id;
    memory.forget(&id).unwrap();
    let id = memory.save(save_of("project", "convention", "Tabs")).unwrap().id;
    memory.edit(&id, changes).unwrap();
}

#[test]
fn a_compaction_stopped_anywhere_and_run_again_ends_the_same() {
    walk("compaction", 1000, &copies_of(&lively), &|memory| {
        memory.compact(false).map(|_| ())
    });
}

#[test]
fn a_repair_stopped_anywhere_and_run_again_ends_the_same() {
    let damaged = |workshop: &Workshop| {
        lively(workshop);
        let forge = workshop.forge();
        let mut log = fs::read(workshop.raw_log()).unwrap();
        log.extend_from_slice(b"bad\nworse\n");
        fs::write(workshop.raw_log(), log).unwrap();
        fs::remove_file(forge.join("gotchas.jsonl")).unwrap();
        fs::write(forge.join("lessons.jsonl"), "bad\n").unwrap();
        fs::write(forge.join("openbrain-queue.jsonl"), "bad\n").unwrap();
        fs::write(workshop.patterns(), "bad\n").unwrap();
    };
    // The queue's lines say when they were written; so the clock stands still.
    let work = |memory: &mut Memory| memory.repair().map(|_| ());
    walk("repair", 0, &copies_of(&damaged), &work);
}

#[test]
fn a_healing_stopped_anywhere_and_run_again_ends_the_same() {
    let marked = |workshop: &Workshop| {
        lively(workshop);
        for name in ["memory-captures.jsonl", "lessons.jsonl"] {
            let path = workshop.forge().join(name);
            let text = fs::read_to_string(&path).unwrap();
            let (head, tail) = text.split_once('\n').unwrap();
            fs::write(&path, format!("{head}\n<<<<<<< HEAD\n{tail}=======\n{tail}>>>>>>> x\n")).unwrap();
        }
    };
    walk("healing", 1000, &copies_of(&marked), &|memory| {
        memory.heal().map(|_| ())
    });
}
