//! Fault injection: every disk operation fails once, alone or as the last one before the process dies. Half-written
//! files are not trusted, unreadable files do not count as deleted, and errors name the file.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use crate::support::Project;
use forge_memory_core::Result;
use forge_memory_core::journal::{Disk, OsDisk};
use forge_memory_lattice::{Answers, IndexOptions, IndexOutcome, Lattice, QueryOptions, Seed};
use forge_memory_test_disk::{Fault, FaultyDisk, Operation, Torn};

const OLD: [&str; 2] = ["old", "helper"];
const NEW: [&str; 2] = ["fresh", "more"];

/// A project with an index, and changes that are not indexed yet.
fn changed_project(home: &Path) -> Project {
    let project = Project::new();
    project.write(".gitignore", "ignored.js\n");
    project.write("ignored.js", "function ignored() {}\n");
    project.write_at("a.js", "function old() { helper() }\nfunction helper() {}\n", 1);
    project.write_at("inner/same.js", "const nothing = 1\n", 1);
    run(&mut lattice(&project, home, Arc::new(OsDisk))).unwrap();
    project.write_at("a.js", "function fresh() {}\n", 2);
    project.write_at("b.js", "function more() {}\n", 2);
    project
}

fn lattice(project: &Project, home: &Path, disk: Arc<dyn Disk>) -> Lattice {
    project.lattice_on(disk).marked(home)
}

fn run(lattice: &mut Lattice) -> Result<IndexOutcome> {
    lattice.index(&IndexOptions::default(), &|_, _| {})
}

fn all(lattice: &mut Lattice) -> Result<Answers> {
    lattice.query(&QueryOptions {
        limit: Some(1000.0),
        ..QueryOptions::default()
    })
}

/// The definitions, as queries return them.
fn definitions(answers: &Answers) -> Vec<&str> {
    let names = answers.chunks.iter().map(|chunk| chunk.name.as_str());
    names.filter(|name| !name.is_empty()).collect()
}

/// Performs some work on a disk that fails at one operation, for every operation. Files are read by several threads, so that operations
/// are counted by kind. Returns the kinds that failed.
fn walk(name: &str, dead: bool, work: impl Fn(&mut Lattice, &Project, &str) -> bool) -> BTreeSet<Operation> {
    let home = tempfile::tempdir().unwrap();
    let (mut failed, mut refused) = (BTreeSet::new(), 0);
    for kind in Operation::ALL {
        for at in 1.. {
            let project = changed_project(home.path());
            let torn = [Torn::Half, Torn::AllButLast, Torn::All][at % 3];
            let disk = FaultyDisk::of_kind(kind, Fault { at, torn, dead });
            let mut lattice = lattice(&project, home.path(), Arc::new(disk.clone()));
            let label = format!("{name}, {kind:?} {at}, dead: {dead}");
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut lattice, &project, &label)));
            refused += usize::from(!outcome.unwrap_or_else(|_| panic!("{label}: panicked")));
            if !disk.has_failed() {
                break;
            }
            failed.insert(kind);
            disk.repair();
            // After any fault, the next run repairs the index.
            drop(lattice);
            let mut next = self::lattice(&project, home.path(), Arc::new(OsDisk));
            let seen = all(&mut next).unwrap();
            let seen = definitions(&seen);
            let is_whole = seen.is_empty() || seen == OLD || seen == NEW || seen == ["fresh"] || seen == ["more"];
            assert!(is_whole, "{label}: {seen:?}");
            run(&mut next).unwrap();
            assert_eq!(definitions(&all(&mut next).unwrap()), NEW, "{label}");
            assert_eq!(project.definitions(), ["a.js fresh", "b.js more"], "{label}");
        }
    }
    assert!(refused > 10, "{name}: only {refused} faults were reported");
    failed
}

/// Asserts that an error names a file of the project, the home or the index.
fn assert_names_a_file(error: &forge_memory_core::Error, project: &Project, label: &str) {
    let text = error.to_string();
    let is_named = text.contains(&project.root().display().to_string()) || text.contains(".key");
    assert!(is_named, "{label}: {text}");
}

/// Runs on the failing disk. It leaves the old index, the new one, or the new one without the file that the error names.
fn index_once(lattice: &mut Lattice, project: &Project, label: &str) -> bool {
    match run(lattice) {
        Ok(outcome) => {
            let unreadable = outcome.skipped.get("unreadable").copied().unwrap_or(0);
            assert_eq!(outcome.files_indexed + unreadable, 3, "{label}: {outcome:?}");
            assert_eq!(outcome.files_removed, 0, "{label}");
            unreadable == 0
        }
        Err(error) => {
            assert_names_a_file(&error, project, label);
            false
        }
    }
}

#[test]
fn a_fault_of_the_disk_during_a_run_leaves_the_old_index_or_the_new_one() {
    for dead in [false, true] {
        let failed = walk("index", dead, index_once);
        let expected = [
            Operation::Stat,
            Operation::OpenAppend,
            Operation::OpenRead,
            Operation::OpenLock,
            Operation::Rename,
            Operation::List,
            Operation::Append,
            Operation::Read,
            Operation::State,
            Operation::TryLock,
        ];
        for operation in expected {
            assert!(failed.contains(&operation), "{operation:?} never failed");
        }
    }
}

#[test]
fn a_fault_of_the_disk_during_a_question_is_an_error_or_changes_no_answer() {
    let ask = |lattice: &mut Lattice, project: &Project, label: &str| {
        let mut is_fine = true;
        let seed = Seed {
            name: Some("helper".into()),
            ..Seed::default()
        };
        match all(lattice) {
            Ok(answers) => assert_eq!(definitions(&answers), OLD, "{label}: {}", answers.message),
            Err(error) => {
                assert_names_a_file(&error, project, label);
                is_fine = false;
            }
        }
        match lattice.callers(&seed) {
            Ok(answers) => assert_eq!(definitions(&answers), ["old"], "{label}: {}", answers.message),
            Err(error) => {
                assert_names_a_file(&error, project, label);
                is_fine = false;
            }
        }
        is_fine
    };
    // The graph as written, and the graph rebuilt from the lines.
    for is_deleted in [false, true] {
        walk("question", false, |lattice, project, label| {
            if is_deleted {
                std::fs::remove_file(project.lattice_file("graph.bin")).unwrap();
            }
            ask(lattice, project, label)
        });
    }
}

#[test]
fn a_fault_while_paths_are_inspected_is_an_error_or_changes_nothing() {
    let index_paths = |lattice: &mut Lattice, project: &Project, label: &str| {
        let options = IndexOptions {
            paths: Some(vec!["a.js".into(), "b.js".into(), "inner".into()]),
            ..IndexOptions::default()
        };
        match lattice.index(&options, &|_, _| {}) {
            Ok(outcome) => {
                assert_eq!(outcome.files_removed, 0, "{label}");
                !outcome.skipped.contains_key("unreadable")
            }
            Err(error) => {
                let is_refused = ["INVALID_INPUT", "ERR_LATTICE_PATH_OUTSIDE_REPO"].contains(&error.code());
                if !is_refused {
                    assert_names_a_file(&error, project, label);
                }
                false
            }
        }
    };
    walk("index of paths", false, index_paths);
}

#[test]
fn an_unreadable_file_is_retried_by_the_next_run_although_unchanged() {
    let project = Project::new();
    project.write_at("a.js", "function a() {}\n", 1);
    let disk = FaultyDisk::of(Fault {
        at: 0,
        torn: Torn::Half,
        dead: false,
    });
    run(&mut project.lattice_on(Arc::new(disk.clone()))).unwrap();
    let reads = disk.operations();
    let mut unreadable = 0;
    for at in 1..=reads.len() {
        let project = Project::new();
        project.write_at("a.js", "function a() {}\n", 1);
        let disk = FaultyDisk::of(Fault {
            at,
            torn: Torn::Half,
            dead: false,
        });
        let outcome = run(&mut project.lattice_on(Arc::new(disk)));
        if outcome.is_ok_and(|outcome| outcome.skipped.contains_key("unreadable")) {
            unreadable += 1;
            project.index();
            assert_eq!(
                project.definitions(),
                ["a.js a"],
                "operation {at}: {:?}",
                reads.get(at - 1)
            );
        }
    }
    assert!(unreadable > 0);
}
