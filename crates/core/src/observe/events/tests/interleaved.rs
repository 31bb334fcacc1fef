//! A reader, while other processes rotate the file or are killed during a rotation between its steps.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;

use forge_memory_test_disk::{Fault, FaultyDisk, Operation, Torn, Watch, WatchedDisk};

use super::*;

/// So small that every event starts a new file.
const LIMIT: u64 = 1;
/// The maximum number of files in these tests; looking for further ones is not a step, and the disk is not asked, which took most of their time.
const FILES_MAX: usize = 8;

type Act = Box<dyn FnOnce() + Send>;

/// Runs actions before some of a reader's operations.
#[derive(Default)]
struct Schedule(Mutex<(usize, BTreeMap<usize, Act>)>);

impl std::fmt::Debug for Schedule {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Schedule")
    }
}

impl Schedule {
    fn steps(&self) -> usize {
        self.0.lock().unwrap().0
    }
}

impl Watch for Schedule {
    fn before(&self, operation: Operation, path: &Path) -> io::Result<()> {
        let generation = path.file_stem().and_then(|stem| Path::new(stem).extension());
        let generation = generation.and_then(|text| text.to_str()?.parse::<usize>().ok());
        if operation == Operation::Stat && generation.is_some_and(|age| age > FILES_MAX) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let act = {
            let mut state = self.0.lock().unwrap();
            state.0 += 1;
            let step = state.0;
            state.1.remove(&step)
        };
        if let Some(act) = act {
            act();
        }
        Ok(())
    }
}

/// The operations between the steps of a reader.
#[derive(Debug, Clone, Copy)]
struct Case {
    /// The number of events before the reader starts.
    before: usize,
    is_read: bool,
    /// The step in front of which a writer appends, and how many events.
    at: usize,
    events: usize,
    /// The operation at which this writer is killed, and how many steps later another one appends an event.
    killed_at: usize,
    later: usize,
}

/// Appends events and returns those that were acknowledged.
fn append(log: &mut EventLog, numbers: std::ops::Range<usize>) -> Vec<usize> {
    let push = |number: &usize| log.push("a", &format!("\"n\":{number}"), NOW, LIMIT).is_ok();
    numbers.filter(push).collect()
}

/// Runs a case and returns how many steps the reader took.
fn run(case: Case, user: &Project) -> usize {
    let project = Arc::new(Project::beside(user));
    let acknowledged = Arc::new(Mutex::new(append(&mut project.log(), 0..case.before)));
    let schedule = Arc::new(Schedule::default());
    let start = if case.is_read {
        Start::Newest(0)
    } else {
        Start::After(0.0)
    };
    let disk = Arc::new(WatchedDisk(Arc::clone(&schedule)));
    let filter = EventFilter::default();
    let first = if case.is_read { case.before } else { 0 };
    let act = |fault: Fault, numbers: std::ops::Range<usize>| -> Act {
        let (project, acknowledged) = (Arc::clone(&project), Arc::clone(&acknowledged));
        Box::new(move || {
            let mut log = project.log_on(Arc::new(FaultyDisk::of(fault)));
            acknowledged.lock().unwrap().extend(append(&mut log, numbers));
        })
    };
    let killed = Fault {
        at: case.killed_at,
        torn: Torn::All,
        dead: true,
    };
    let plan = || {
        let mut state = schedule.0.lock().unwrap();
        let acts = [
            (case.at, act(killed, case.before..case.before + case.events)),
            (case.at + case.later, act(Fault::NONE, 100..101)),
        ];
        *state = (0, acts.into());
    };
    // An event that is written while a reader looks for the newest one may or may not count as new.
    if !case.is_read {
        plan();
    }
    let mut tail = EventTail::open(disk, project.path(), &project.marks(), start, &filter, None).unwrap();
    if case.is_read {
        plan();
    }
    let (mut found, mut lost) = drain(&mut tail, 1 << 20);
    let steps = schedule.steps();
    acknowledged
        .lock()
        .unwrap()
        .extend(append(&mut project.log(), 200..202));
    for _ in 0..2 {
        let (more, gaps) = drain(&mut tail, 1 << 20);
        found.extend(more);
        lost.extend(gaps);
    }
    assert_eq!(lost, [], "{case:?}: {found:?}");
    let acknowledged = acknowledged.lock().unwrap();
    let wanted: Vec<usize> = acknowledged.iter().copied().filter(|number| *number >= first).collect();
    let answered: Vec<usize> = found
        .iter()
        .copied()
        .filter(|number| acknowledged.contains(number))
        .collect();
    // An event whose writer was killed before its answer may be there, too.
    assert_eq!(answered, wanted, "{case:?}: {found:?}");
    steps
}

fn walk(mut case: Case) {
    let user = Project::new();
    case.at = usize::MAX / 2;
    let steps = run(case, &user) + 4;
    for at in 1..=steps {
        run(Case { at, ..case }, &user);
    }
}

#[test]
fn a_rotation_between_two_steps_of_a_reader_hides_no_event() {
    for (before, is_read) in [(0, false), (0, true), (1, true), (3, true), (3, false)] {
        for (events, later) in [(1, 1), (2, 3), (1, 9), (1, 16)] {
            let killed_at = 0;
            walk(Case {
                before,
                is_read,
                at: 0,
                events,
                killed_at,
                later,
            });
        }
    }
}

#[test]
fn a_rotation_that_is_killed_between_two_steps_of_a_reader_hides_no_event() {
    for (before, is_read) in [(0, false), (1, true), (3, false)] {
        for killed_at in writes_of_an_append(before) {
            for later in [1, 9] {
                walk(Case {
                    before,
                    is_read,
                    at: 0,
                    events: 1,
                    killed_at,
                    later,
                });
            }
        }
    }
}

/// Returns which operations of an append after `before` others change something.
fn writes_of_an_append(before: usize) -> Vec<usize> {
    let project = Project::new();
    append(&mut project.log(), 0..before);
    let disk = FaultyDisk::of(Fault::NONE);
    append(&mut project.log_on(Arc::new(disk.clone())), 0..1);
    let numbered = (1..).zip(disk.operations());
    numbered
        .filter(|(_, operation)| operation.writes())
        .map(|(number, _)| number)
        .collect()
}
