//! Every operation of a write fails, once or from then on. The store is old or new, and a later write succeeds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forge_memory_core::Memory;
use forge_memory_ralph::{Choice, ClearOptions, GLOBAL_FILE, RalphAddInput, RalphFilter};
use forge_memory_test_disk::{Fault, FaultyDisk, Operation, Torn, Watch, WatchedDisk};

use crate::support::{EIGHT, HasLessons, Project};

fn walk(write: impl Fn(&mut Memory) -> bool, allowed: &[usize]) {
    for for_good in [false, true] {
        for at in 1.. {
            let project = Project::with(EIGHT);
            let disk = FaultyDisk::of(Fault {
                at,
                torn: Torn::Half,
                dead: for_good,
            });
            let mut surroundings = project.surroundings("2026-04-08T10:42:00Z");
            surroundings.disk = Arc::new(disk.clone());
            let acknowledged = write(&mut Memory::open(surroundings));
            let steps = disk.operations().len();
            let count = project.listed(RalphFilter::default()).len();
            assert!(allowed.contains(&count), "operation {at} left {count} entries");
            if acknowledged {
                assert_eq!(count, allowed[1], "operation {at}: it was said to be done");
            }
            assert!(write(&mut project.memory()), "operation {at}: the next write");
            assert_eq!(
                project.listed(RalphFilter::default()).len(),
                allowed[1],
                "operation {at}"
            );
            let folder = project.path(GLOBAL_FILE);
            let leftovers: Vec<_> = fs::read_dir(folder.parent().unwrap())
                .unwrap()
                .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".tmp"))
                .collect();
            assert!(leftovers.is_empty(), "operation {at}: {leftovers:?}");
            if steps < at {
                assert!(at > 6, "the write has more operations than that");
                break;
            }
        }
    }
}

#[test]
fn an_add_that_fails_anywhere_leaves_the_old_store_or_the_new_one() {
    let add = |memory: &mut Memory| {
        let input = RalphAddInput {
            lesson: Some("a quite different lesson".into()),
            ..RalphAddInput::default()
        };
        memory.ralph_add(input).is_ok()
    };
    walk(add, &[8, 9]);
}

#[test]
fn a_clear_that_fails_anywhere_leaves_the_old_store_or_the_new_one() {
    let clear = |memory: &mut Memory| {
        let options = ClearOptions {
            store: Some(Choice::Global),
            ..ClearOptions::default()
        };
        memory.ralph_clear(&options).is_ok()
    };
    walk(clear, &[8, 0]);
}

#[test]
fn entries_of_a_program_that_ignores_the_lock_are_merged() {
    /// Writes to the store without the lock, when the first temporary file is made.
    #[derive(Debug)]
    struct Meddler(PathBuf, AtomicUsize);
    impl Watch for Meddler {
        fn before(&self, operation: Operation, _: &Path) -> io::Result<()> {
            if operation == Operation::OpenAppend && self.1.fetch_add(1, Ordering::Relaxed) == 0 {
                fs::write(
                    &self.0,
                    EIGHT.replacen('[', "[{\"id\":\"mem_theirs\",\"lesson\":\"theirs\"},", 1),
                )?;
            }
            Ok(())
        }
    }
    let project = Project::with(EIGHT);
    let mut surroundings = project.surroundings("2026-04-08T10:42:00Z");
    let meddler = Meddler(project.path(GLOBAL_FILE), AtomicUsize::new(0));
    surroundings.disk = Arc::new(WatchedDisk::new(meddler));
    let input = RalphAddInput {
        lesson: Some("ours".into()),
        ..RalphAddInput::default()
    };
    let ours = Memory::open(surroundings).ralph_add(input).unwrap().entry.id;
    let ids = project.listed(RalphFilter::default());
    assert_eq!(ids.len(), 10);
    assert!(ids.contains(&ours) && ids.contains(&"mem_theirs".to_owned()));
}
