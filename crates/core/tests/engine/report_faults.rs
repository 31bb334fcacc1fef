//! Every operation of a report, a diagnosis, a list or a search fails once: the answer omits something or reports the failure, nothing is
//! written because of it, and the next answer of the same process equals that of a new process.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::common::{Workshop, capture_lessons, list_all, save_of};
use forge_memory_core::Memory;
use forge_memory_core::report::{Bucket, SeriesOptions};
use forge_memory_test_disk::{Fault, FaultyDisk, Torn};

/// The captures of the last day, by the hour.
fn of_the_last_day() -> SeriesOptions {
    SeriesOptions {
        bucket: Bucket::Hour,
        since: Some("1d".to_owned()),
        ..SeriesOptions::default()
    }
}

/// Everything that only reads, as one text.
fn answers(memory: &mut Memory) -> String {
    let report = format!("{:?}", memory.report());
    let diagnosis = format!("{:?}", memory.diagnose());
    let series = format!("{:?}", memory.series(&of_the_last_day()));
    let (mut coverage, disk, path) = memory.take_coverage();
    let counted = coverage.refresh(disk.as_ref(), &path);
    let coverage_text = format!(
        "{counted:?} {:?} {:?}",
        coverage.report(0).total,
        coverage.report(0).by_tool
    );
    memory.keep_coverage(coverage);
    let queue = format!("{:?}", memory.queue_status());
    let list = format!("{:?}", list_all(memory));
    let hits = format!(
        "{:?}",
        memory.recall("lesson3 about21", &Default::default()).unwrap().hits
    );
    [report, diagnosis, series, coverage_text, queue, list, hits].join("\n")
}

/// The files of the memory, without those that say when it was looked at.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_failed_read_only_removes_its_own_part_of_the_report() {
    // Telemetry that was rotated once, so that what is counted lies in two files.
    let workshop = Workshop::with_config(r#"{"projectName":"shop","limits":{"telemetryBytes":4096}}"#);
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..30);
    assert!(workshop.forge().join("telemetry/memory-captures.1.jsonl").exists());
    memory.save(save_of("project", "test_command", "npm test")).unwrap();
    memory.settle().unwrap();
    drop(memory);
    let wanted = answers(&mut workshop.open());
    let before = files(workshop.project().parent().unwrap());
    let none = FaultyDisk::of(Fault {
        at: 0,
        torn: Torn::Half,
        dead: false,
    });
    assert_eq!(answers(&mut workshop.open_on(Arc::new(none.clone()))), wanted);
    let operations = none.operations();
    let mut differing = 0;
    for at in 1..=operations.len() {
        for dead in [false, true] {
            let torn = Torn::Half;
            let disk = FaultyDisk::of(Fault { at, torn, dead });
            let mut memory = workshop.open_on(Arc::new(disk.clone()));
            differing += usize::from(answers(&mut memory) != wanted);
            disk.repair();
            let label = format!("operation {at} ({:?}, dead: {dead})", operations[at - 1]);
            let again = answers(&mut memory);
            let differs = again.lines().zip(wanted.lines()).find(|(one, other)| one != other);
            assert_eq!(differs, None, "{label}");
            let after = files(workshop.project().parent().unwrap());
            assert!(after == before, "{label}: a file was changed");
        }
    }
    println!("{} operations, {differing} answers told of less", operations.len());
    assert!(differing > 0);
}
