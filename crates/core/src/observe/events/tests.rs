use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::journal::{OsDisk, generation_path};

mod interleaved;
mod live;

const NOW: Millis = 1_790_000_000_000;
const ROOM: u64 = 1 << 30;

struct Project {
    folder: tempfile::TempDir,
    home: std::path::PathBuf,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Project {
            home: folder.path().join("home"),
            folder,
        }
    }

    /// Another project of the same user.
    fn beside(other: &Project) -> Self {
        Project {
            home: other.home.clone(),
            ..Project::new()
        }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("hub-events.jsonl")
    }

    fn log(&self) -> EventLog {
        self.log_on(Arc::new(OsDisk))
    }

    fn log_on(&self, disk: Arc<dyn crate::journal::Disk>) -> EventLog {
        let lock = self.folder.path().join("locks/a.lock");
        EventLog::new(Journal::new(disk, self.path(), lock), &self.marks())
    }

    fn marks(&self) -> Arc<Marks> {
        let disk: Arc<dyn crate::journal::Disk> = Arc::new(OsDisk);
        Arc::new(Marks::new(&disk, &self.home, self.folder.path()))
    }

    /// A live tail of a process that has the event log `log`.
    fn live(&self, log: &EventLog, start: Start) -> EventTail {
        let reader = log.readers.enter();
        let mut tail = self.tail(start);
        tail.live_by(reader);
        tail
    }

    fn event_bytes(&self) -> Vec<u64> {
        let files = generations::event_files(&OsDisk, &self.path());
        files.iter().map(|file| file.len).collect()
    }

    fn tail(&self, start: Start) -> EventTail {
        EventTail::open(
            Arc::new(OsDisk),
            self.path(),
            &self.marks(),
            start,
            &EventFilter::default(),
            None,
        )
        .unwrap()
    }
}

fn push(log: &mut EventLog, kind: &str, number: usize, limit: u64) -> u64 {
    log.push(kind, &format!("\"n\":{number}"), NOW + number as i64, limit)
        .unwrap()
}

/// Reads everything there is, in reads of a few bytes.
fn drain(tail: &mut EventTail, bytes: u64) -> (Vec<usize>, Vec<(f64, f64)>) {
    let (mut found, mut lost) = (Vec::new(), Vec::new());
    loop {
        let batch = tail.read(bytes, &EventFilter::default(), None).unwrap();
        found.extend(batch.events.iter().map(number_in));
        lost.extend(batch.lost.map(|gap| (gap.after_seq, gap.before_seq)));
        if batch.done {
            return (found, lost);
        }
    }
}

fn number_in(event: &TailEvent) -> usize {
    let value: Value = serde_json::from_str(&event.line).unwrap();
    usize::try_from(value["n"].as_u64().unwrap()).unwrap()
}

fn append_raw(path: &Path, text: &str) {
    use std::io::Write;
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn events_of_one_batch_have_numbers_in_a_row() {
    let project = Project::new();
    let mut log = project.log();
    let batch = [
        NewEvent::new("a", "\"n\":0"),
        NewEvent::new("b", ""),
        NewEvent::new("c", "\"n\":2"),
    ];
    assert_eq!(log.push_all(&batch, NOW, ROOM).unwrap(), 3);
    assert_eq!(push(&mut log, "d", 3, ROOM), 4);
    let text = fs::read_to_string(project.path()).unwrap();
    let numbers: Vec<u64> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_eq!(
        log.push("x", "\"a\":\n1", NOW, ROOM).unwrap_err().code(),
        "INVALID_INPUT"
    );
    assert_eq!(fs::read_to_string(project.path()).unwrap(), text);
}

#[test]
fn a_tail_yields_every_event_once_across_rotations() {
    for bytes in [1, 300, 1 << 20] {
        let project = Project::new();
        let (mut log, mut other) = (project.log(), project.log());
        let mut tail = project.tail(Start::Newest(0));
        let mut found = Vec::new();
        for number in 0..400 {
            push(if number % 3 == 0 { &mut other } else { &mut log }, "a", number, 4096);
            if number % 7 == 0 {
                let (more, lost) = drain(&mut tail, bytes);
                assert!(lost.is_empty());
                found.extend(more);
            }
        }
        found.extend(drain(&mut tail, bytes).0);
        assert_eq!(found, (0..400).collect::<Vec<_>>(), "reads of {bytes} bytes");
    }
}

#[test]
fn a_line_that_is_half_written_waits_for_its_end() {
    let project = Project::new();
    push(&mut project.log(), "a", 1, ROOM);
    let mut tail = project.tail(Start::Newest(0));
    let line = "{\"type\":\"a\",\"seq\":2,\"n\":7}\n";
    for cut in 1..line.len() {
        append_raw(&project.path(), &line[cut - 1..cut]);
        assert_eq!(drain(&mut tail, 4096).0, Vec::<usize>::new(), "cut={cut}");
    }
    append_raw(&project.path(), "\n");
    assert_eq!(drain(&mut tail, 4096).0, [7]);
}

#[test]
fn a_torn_line_does_not_hide_later_lines() {
    let project = Project::new();
    let mut log = project.log();
    let mut tail = project.tail(Start::Newest(0));
    push(&mut log, "a", 1, ROOM);
    append_raw(&project.path(), "{\"type\":\"a\",\"seq\":2,\"n\":");
    assert_eq!(drain(&mut tail, 4096).0, [1]);
    push(&mut project.log(), "a", 3, ROOM);
    append_raw(&project.path(), "no json\n[1]\n{\"n\":1}\n");
    push(&mut project.log(), "a", 4, ROOM);
    assert_eq!(drain(&mut tail, 4096).0, [3, 4]);
    assert_eq!(tail.passed_over(), 4);
}

#[test]
fn a_truncated_file_yields_later_events_and_none_twice() {
    for keep in [0, 1, 5, 9, 10] {
        let project = Project::new();
        let mut log = project.log();
        let mut tail = project.tail(Start::Newest(0));
        for number in 0..10 {
            push(&mut log, "a", number, ROOM);
        }
        assert_eq!(drain(&mut tail, 4096).0.len(), 10);
        let text = fs::read_to_string(project.path()).unwrap();
        let kept: String = text.split_inclusive('\n').take(keep).collect();
        fs::write(project.path(), &kept).unwrap();
        for number in 10..40 {
            push(&mut project.log(), "a", number, ROOM);
        }
        assert_eq!(drain(&mut tail, 4096).0, (10..40).collect::<Vec<_>>(), "keep={keep}");
    }
}

#[test]
fn a_file_that_replaces_the_old_one_is_continued() {
    let project = Project::new();
    let mut log = project.log();
    let mut tail = project.tail(Start::Newest(0));
    for number in 0..10 {
        push(&mut log, "a", number, ROOM);
    }
    assert_eq!(drain(&mut tail, 100).0.len(), 10);
    let text = fs::read_to_string(project.path()).unwrap();
    let kept: String = text.split_inclusive('\n').skip(4).collect();
    fs::write(project.folder.path().join("other"), kept).unwrap();
    fs::rename(project.folder.path().join("other"), project.path()).unwrap();
    push(&mut project.log(), "a", 10, ROOM);
    assert_eq!(drain(&mut tail, 100), (vec![10], vec![]));
}

#[test]
fn a_tail_many_rotations_behind_loses_no_event() {
    let project = Project::new();
    let mut log = project.log();
    push(&mut log, "a", 0, 4096);
    let mut tail = project.tail(Start::Newest(0));
    let (mut number, mut seen) = (1, Vec::new());
    for burst in [30, 300, 900, 1, 300] {
        for _ in 0..burst {
            push(&mut log, "a", number, 4096);
            number += 1;
        }
        let (found, lost) = drain(&mut tail, 1 << 12);
        assert!(lost.is_empty(), "{lost:?}");
        seen.extend(found);
    }
    assert_eq!(seen, (1..number).collect::<Vec<_>>());
    let (found, lost) = drain(&mut project.tail(Start::After(500.0)), 1 << 20);
    assert_eq!((found, lost), ((500..number).collect(), Vec::new()));
}

#[test]
fn old_generations_are_removed_so_that_their_space_is_bounded() {
    let project = Project::new();
    let mut log = project.log();
    for number in 0..6000 {
        push(&mut log, "a", number, 4096);
    }
    let files = fs::read_dir(project.folder.path()).unwrap().flatten();
    let events = files.filter(|file| file.file_name().to_string_lossy().starts_with("hub-events"));
    let events = events.filter(|file| !file.file_name().to_string_lossy().contains(".mark."));
    assert_eq!(events.count(), 65);
    let large = Project::new();
    let mut log = large.log();
    for number in 0..6 {
        log.push(
            "a",
            &format!("\"n\":{number},\"x\":\"{}\"", "x".repeat(1 << 20)),
            NOW,
            1 << 20,
        )
        .unwrap();
    }
    assert!(rotated_path(&large.path()).exists());
}

#[test]
fn a_rotation_that_was_killed_hides_no_generation_from_a_reader() {
    let project = Project::new();
    let mut log = project.log();
    push(&mut log, "a", 0, 4096);
    let mut tail = project.tail(Start::Newest(0));
    let mut number = 1;
    while !generation_path(&project.path(), 4).exists() {
        push(&mut log, "a", number, 4096);
        number += 1;
    }
    // Killed between moving the second and the first one.
    for age in [4, 3, 2] {
        fs::rename(
            generation_path(&project.path(), age),
            generation_path(&project.path(), age + 1),
        )
        .unwrap();
    }
    assert_eq!(drain(&mut tail, 1 << 20), ((1..number).collect(), Vec::new()));
    let (found, lost) = drain(&mut project.tail(Start::After(0.0)), 1 << 20);
    assert_eq!((found, lost), ((0..number).collect(), Vec::new()));
}

#[test]
fn a_tail_opened_before_the_file_existed_begins_with_the_first_event() {
    let project = Project::new();
    let mut tail = project.tail(Start::Newest(0));
    let mut log = project.log();
    for number in 0..300 {
        push(&mut log, "a", number, 4096);
    }
    assert!(generation_path(&project.path(), 3).exists());
    assert_eq!(drain(&mut tail, 1 << 20), ((0..300).collect(), Vec::new()));
}

#[test]
fn a_gap_is_reported_when_files_were_removed_unread() {
    let project = Project::new();
    let mut log = project.log();
    push(&mut log, "a", 0, 4096);
    let mut tail = project.tail(Start::Newest(0));
    for number in 1..6000 {
        push(&mut log, "a", number, 4096);
    }
    let (found, lost) = drain(&mut tail, 1 << 20);
    assert_eq!(lost.len(), 1);
    let (before, behind) = lost[0];
    assert!(before < behind - 1.0);
    let first = *found.iter().find(|number| **number as f64 + 1.0 >= behind).unwrap();
    assert_eq!(first as f64 + 1.0, behind);
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(found.last(), Some(&5999));
}

#[test]
fn a_subscriber_resumes_after_its_sequence_number() {
    let project = Project::new();
    let mut log = project.log();
    for number in 1..=120 {
        push(&mut log, "a", number, 8192);
    }
    for after in [0, 1, 59, 60, 61, 100, 119, 120] {
        let (found, lost) = drain(&mut project.tail(Start::After(f64::from(after))), 1 << 20);
        let from = usize::try_from(after).unwrap() + 1;
        assert_eq!(found, (from..=120).collect::<Vec<_>>(), "after={after}");
        assert!(lost.is_empty());
    }
}

#[test]
fn the_newest_events_of_the_wanted_types_are_found_across_the_rotation() {
    let project = Project::new();
    let mut log = project.log();
    for number in 1..=120 {
        push(
            &mut log,
            if number % 10 == 0 { "rare-one" } else { "often" },
            number,
            8192,
        );
    }
    let filter = EventFilter::only(vec!["rare-*".into()]);
    for count in [0, 1, 5, 12, 50] {
        let disk = Arc::new(OsDisk);
        let mut tail = EventTail::open(
            disk,
            project.path(),
            &project.marks(),
            Start::Newest(count),
            &filter,
            None,
        )
        .unwrap();
        let batch = tail.read(1 << 20, &filter, None).unwrap();
        let found: Vec<usize> = batch.events.iter().map(number_in).collect();
        let all: Vec<usize> = (1..=12).map(|n| n * 10).collect();
        assert_eq!(found, all[all.len() - count.min(12)..], "count={count}");
        assert!(batch.done && batch.lost.is_none());
        assert_eq!(tail.seq(), 120.0);
    }
}

#[test]
fn a_reader_stops_at_the_position_of_another_one() {
    let project = Project::new();
    let mut log = project.log();
    let mut first = project.tail(Start::Newest(0));
    for number in 0..5 {
        push(&mut log, "a", number, ROOM);
    }
    drain(&mut first, 4096);
    push(&mut log, "a", 5, ROOM);
    let mut second = project.tail(Start::Newest(100));
    let batch = second.read(1 << 20, &EventFilter::default(), first.position()).unwrap();
    assert_eq!((batch.events.len(), batch.done), (5, true));
    assert_eq!(second.seq(), first.seq());
}

#[test]
fn lines_of_older_tools_get_numbers_in_between() {
    let project = Project::new();
    let mut log = project.log();
    push(&mut log, "a", 1, ROOM);
    append_raw(
        &project.path(),
        "{\"type\":\"old\",\"n\":2}\n{\"type\":\"old\",\"n\":3}\n",
    );
    push(&mut project.log(), "a", 4, ROOM);
    let mut tail = project.tail(Start::Newest(10));
    let batch = tail.read(1 << 20, &EventFilter::default(), None).unwrap();
    let numbers: Vec<f64> = batch.events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, [1.0, 1.000_001, 1.000_002, 2.0]);
    assert_eq!(batch.events[1].line, "{\"seq\":1.000001,\"type\":\"old\",\"n\":2}");
    assert_eq!(drain(&mut project.tail(Start::After(1.000_001)), 4096).0, [3, 4]);
}

#[test]
fn a_position_survives_a_round_trip() {
    let project = Project::new();
    push(&mut project.log(), "a", 1, ROOM);
    let position = project.tail(Start::Newest(1)).position().unwrap();
    assert_eq!(position.to_string().parse::<Position>().unwrap(), position);
    for wrong in ["", "1:2", "a:b:c", "1:2:-3"] {
        assert_eq!(wrong.parse::<Position>().unwrap_err().code(), "INVALID_INPUT");
    }
}

#[test]
fn a_file_that_is_rewritten_stays_own_only_if_it_was() {
    for is_own in [true, false] {
        let project = Project::new();
        push(&mut project.log(), "a", 1, ROOM);
        push(&mut project.log(), "a", 2, ROOM);
        let mut old = fs::read_to_string(project.path()).unwrap();
        if !is_own {
            old = old.replacen("{\"_v\":1,", "{\"_v\":1, ", 1);
            fs::write(project.path(), &old).unwrap();
        }
        let fresh = old.replace("\"version\":\"1.0\"", "\"version\":\"1.1\"");
        let ownership = Ownership::of(&project.path(), project.marks());
        ownership.renew(&OsDisk, old.as_bytes(), fresh.as_bytes()).unwrap();
        fs::write(project.path(), &fresh).unwrap();
        let expected: &[usize] = if is_own { &[1, 2] } else { &[] };
        assert_eq!(drain(&mut project.tail(Start::Newest(10)), 4096).0, expected);
    }
}

#[test]
fn an_event_file_that_came_with_a_clone_is_not_replayed() {
    let project = Project::new();
    let foreign = "{\"version\":\"1.0\",\"type\":\"memory-captured\",\"seq\":9007199254740000,\"n\":7}\n";
    fs::write(project.path(), foreign).unwrap();
    fs::write(crate::journal::rotated_path(&project.path()), foreign).unwrap();
    for start in [Start::Newest(10), Start::After(0.0)] {
        let mut tail = project.tail(start);
        assert_eq!(drain(&mut tail, 4096).0, Vec::<usize>::new());
        assert_eq!(tail.seq(), 0.0);
    }
    let mut follower = project.tail(Start::Newest(0));
    assert_eq!(push(&mut project.log(), "a", 1, ROOM), 1, "numbers start anew");
    assert_eq!(push(&mut project.log(), "a", 2, ROOM), 2);
    assert_eq!(drain(&mut follower, 4096).0, [1, 2]);
    let aside = project.folder.path().join("hub-events.foreign.jsonl");
    assert_eq!(fs::read_to_string(aside).unwrap(), foreign, "kept");
    // Other tools still find its events, without numbers of their own, before ours.
    let text = fs::read_to_string(project.path()).unwrap();
    let first =
        "{\"_v\":1,\"_carried\":true,\"version\":\"1.0\",\"type\":\"memory-captured\",\"n\":7}\n{\"_v\":1,\"version\"";
    assert!(text.starts_with(first), "{text}");
    // A file that another tool put in place of ours is not ours.
    fs::remove_file(project.path()).unwrap();
    fs::write(project.path(), foreign).unwrap();
    assert_eq!(drain(&mut project.tail(Start::Newest(10)), 4096).0, Vec::<usize>::new());
    assert_eq!(push(&mut project.log(), "a", 3, ROOM), 1);
}
