//! Live readers postpone the rotation, up to the retention limit.

use super::*;

#[test]
fn rotation_keeps_events_that_a_live_reader_has_not_read() {
    for started in [true, false] {
        let project = Project::new();
        let (mut log, reading) = (project.log(), project.log());
        if started {
            push(&mut log, "a", 0, 4096);
        }
        fs::create_dir_all(project.folder.path().join("locks")).unwrap();
        let (mut tail, mut other) = (
            project.live(&reading, Start::Newest(0)),
            project.live(&reading, Start::Newest(0)),
        );
        let first = usize::from(started);
        // Many times the size that is retained for disconnected readers.
        for number in first..12_000 {
            push(&mut log, "a", number, 4096);
            if number == 6000 {
                assert_eq!(drain(&mut other, 1 << 20), ((first..=6000).collect(), Vec::new()));
            }
        }
        assert_eq!(drain(&mut tail, 1 << 16), ((first..12_000).collect(), Vec::new()));
        assert_eq!(drain(&mut other, 1 << 16), ((6001..12_000).collect(), Vec::new()));
        drop((tail, other));
        assert_rotates_again(&project, &mut log, 12_000);
    }
}

/// Shows that files have the usual size and number again once no live reader is behind.
fn assert_rotates_again(project: &Project, log: &mut EventLog, from: usize) {
    for number in from..from + 6000 {
        push(log, "a", number, 4096);
    }
    let sizes = project.event_bytes();
    assert_eq!(sizes.len(), 65);
    assert!(sizes.iter().all(|bytes| *bytes < 8192), "{sizes:?}");
}

#[test]
fn a_reader_that_ended_does_not_retain_events() {
    let project = Project::new();
    let (mut log, reading) = (project.log(), project.log());
    push(&mut log, "a", 0, 4096);
    drop(project.live(&reading, Start::Newest(0)));
    let mut let_go = project.live(&reading, Start::Newest(0));
    let_go.let_go();
    assert_rotates_again(&project, &mut log, 1);
    let lost = drain(&mut let_go, 1 << 20).1;
    assert_eq!(lost.len(), 1, "and is told what it missed");
}

#[test]
fn a_live_reader_whose_lock_was_deleted_takes_another() {
    let project = Project::new();
    let (mut log, reading) = (project.log(), project.log());
    push(&mut log, "a", 0, 4096);
    let mut tail = project.live(&reading, Start::Newest(0));
    fs::remove_dir_all(project.folder.path().join("locks")).unwrap();
    let mut number = 1;
    while !rotated_path(&project.path()).exists() {
        push(&mut log, "a", number, 4096);
        number += 1;
    }
    let mut found = drain(&mut tail, 1 << 20).0;
    for number in number..6000 {
        push(&mut log, "a", number, 4096);
    }
    found.extend(drain(&mut tail, 1 << 20).0);
    assert_eq!(found, (1..6000).collect::<Vec<_>>());
}

#[test]
fn a_live_reader_that_never_reads_gets_a_gap_once_the_retention_limit_is_reached() {
    const LIMIT: u64 = 1 << 20;
    let project = Project::new();
    let (mut log, reading) = (project.log(), project.log());
    push(&mut log, "a", 0, LIMIT);
    let mut tail = project.live(&reading, Start::Newest(0));
    let fill = format!(",\"x\":\"{}\"", "x".repeat(400_000));
    let mut largest = 0;
    for number in 1..400 {
        log.push("a", &format!("\"n\":{number}{fill}"), NOW, LIMIT).unwrap();
        largest = largest.max(fs::metadata(project.path()).unwrap().len());
    }
    assert!(largest > UNREAD_BYTES_MAX, "kept as long as it may be");
    assert!(largest < UNREAD_BYTES_MAX + 2 * LIMIT, "{largest}");
    assert!(project.event_bytes().iter().sum::<u64>() < 2 * UNREAD_BYTES_MAX + 10 * LIMIT);
    let (found, lost) = drain(&mut tail, 1 << 22);
    let told: f64 = lost.iter().map(|(before, behind)| behind - before - 1.0).sum();
    assert_eq!(lost.len(), 1);
    assert_eq!(
        found.len() + told as usize,
        399,
        "every event came or was counted as lost"
    );
}
