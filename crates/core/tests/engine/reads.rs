//! The bytes read to show, edit or forget one record among many (its own line, not the whole journal), and to import many.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Workshop, capture_lessons, capture_of, lesson};
use forge_memory_core::clock::parse_iso;
use forge_memory_core::transfer::ImportOptions;
use forge_memory_core::{EditInput, Memory, RecallOptions};
use forge_memory_test_disk::{Operation, ReadCounter, Watch, WatchedDisk};

const RECORDS: usize = 1500;
/// The lines of a record and its revisions, several times over.
const BYTES_MAX: u64 = 8 * 1024;

#[test]
fn one_record_among_many_is_shown_edited_and_forgotten_without_reading_the_others() {
    let workshop = Workshop::with_config("{\"redact\":false}");
    let disk = WatchedDisk::new(ReadCounter::default());
    let mut memory = workshop.open_on(Arc::new(disk.clone()));
    let ids: Vec<String> = (0..RECORDS)
        .map(|n| memory.capture(lesson(n)).unwrap().thought.id)
        .collect();
    let journal = workshop.raw_log().metadata().unwrap().len();
    assert!(journal > 50 * BYTES_MAX);
    let counted = |what: &str, work: &mut dyn FnMut()| {
        disk.0.take();
        work();
        let bytes = disk.0.take();
        assert!(bytes <= BYTES_MAX, "{what}: {bytes} of {journal} bytes");
    };
    let mut edited = String::new();
    counted("showing", &mut || {
        assert_eq!(memory.history(&ids[3]).unwrap().unwrap().current().id, ids[3]);
    });
    counted("editing", &mut || {
        let changes = EditInput {
            confidence: Some(0.9),
            ..EditInput::default()
        };
        edited = memory.edit(&ids[700], changes).unwrap().id;
    });
    counted("showing a revision", &mut || {
        let history = memory.history(&edited).unwrap().unwrap();
        let shown: Vec<&str> = history.revisions().map(|(revision, _)| revision.id.as_str()).collect();
        assert_eq!(shown, [&ids[700], &edited]);
        assert_eq!(
            history.revisions().next().unwrap().0.ended_ms,
            Some(history.current().created_ms)
        );
    });
    counted("forgetting", &mut || assert!(memory.forget(&ids[RECORDS - 1]).unwrap()));
}

#[test]
fn records_that_are_years_old_are_imported_without_reading_the_journal_again_for_each() {
    let older = Workshop::at(parse_iso("2020-05-01T10:00:00.000Z").unwrap());
    let mut source = older.open();
    (0..RECORDS).for_each(|n| assert!(source.capture(lesson(n)).unwrap().captured));
    let workshop = Workshop::new();
    let disk = WatchedDisk::new(ReadCounter::default());
    let mut memory = workshop.open_on(Arc::new(disk.clone()));
    let report = memory.import(&older.raw_log(), &ImportOptions::default()).unwrap();
    assert_eq!(report.imported, RECORDS as u64);
    let (bytes, source) = (disk.0.take(), older.raw_log().metadata().unwrap().len());
    assert!(bytes <= 10 * source, "{bytes} bytes were read to import {source}");
}

/// Counts how often segments of the index are opened.
#[derive(Debug, Default)]
struct SegmentsOpened(AtomicUsize);

impl Watch for SegmentsOpened {
    fn before(&self, operation: Operation, path: &Path) -> io::Result<()> {
        let is_segment = path.extension().is_some_and(|ending| ending == "seg");
        if operation == Operation::OpenRead && is_segment {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[test]
fn a_process_opens_each_segment_of_the_index_once() {
    let workshop = Workshop::with_config("{\"redact\":false}");
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..RECORDS);
    memory.settle().unwrap();
    let disk = WatchedDisk::new(SegmentsOpened::default());
    let mut memory = workshop.open_on(Arc::new(disk.clone()));
    assert!(
        !memory
            .recall("lesson", &RecallOptions::default())
            .unwrap()
            .hits
            .is_empty()
    );
    assert_eq!(disk.0.0.load(Ordering::Relaxed), 1);
}

/// What a process reads to answer from so many indexed conventions, once their index is open.
fn read_for(records: usize, answer: impl Fn(&mut Memory)) -> u64 {
    let workshop = Workshop::with_config("{\"redact\":false}");
    let mut memory = workshop.open();
    for number in 0..records {
        let text = format!("convention{number} of module{}", number * 7);
        assert!(memory.capture(capture_of("convention", &text)).unwrap().captured);
    }
    // The next process writes the index.
    let mut memory = workshop.open();
    memory.list(&RecallOptions::default()).unwrap();
    memory.settle().unwrap();
    let disk = WatchedDisk::new(ReadCounter::default());
    let mut memory = workshop.open_on(Arc::new(disk.clone()));
    memory.config();
    // Whether the index fits a small journal is told by reading that.
    memory.recall("", &RecallOptions::default()).unwrap();
    disk.0.take();
    answer(&mut memory);
    disk.0.take()
}

#[test]
fn the_notes_of_a_start_and_a_question_without_an_answer_do_not_cost_more_with_the_history() {
    let start: &dyn Fn(&mut Memory) = &|memory| {
        assert!(!memory.session_notes(None).unwrap().is_empty());
        let recent = RecallOptions {
            since: Some("7d".to_owned()),
            ..RecallOptions::default()
        };
        assert_eq!(
            memory.list_recent(&recent).unwrap(),
            memory.list_recent(&recent).unwrap()
        );
    };
    let question: &dyn Fn(&mut Memory) = &|memory| {
        let outcome = memory.recall("xylophones", &RecallOptions::default()).unwrap();
        assert!(outcome.hits.is_empty() && outcome.message.is_some());
    };
    for (what, answer) in [("the start of a session", start), ("a question", question)] {
        let (few, many) = (read_for(3000, answer), read_for(9000, answer));
        assert!(
            many < few + few / 2,
            "{what}: {few} bytes of 3,000 records, {many} of 9,000"
        );
    }
}

#[test]
fn what_was_written_last_is_listed_as_what_is_newest_is() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..40);
    let newest = RecallOptions {
        limit: Some(12.0),
        ..RecallOptions::default()
    };
    let (listed, _) = memory.list(&newest).unwrap();
    assert_eq!(memory.list_recent(&newest).unwrap(), listed);
    memory.forget(&listed[0].id).unwrap();
    let (listed, _) = memory.list(&newest).unwrap();
    assert_eq!(memory.list_recent(&newest).unwrap(), listed);
}

/// So many that what is counted is kept for the next process.
const MANY: usize = 5000;

/// The answer of a new process to how many memories there are, and the bytes that it reads for that after a search.
fn counted_by_a_new_process(workshop: &Workshop) -> (usize, u64) {
    let disk = WatchedDisk::new(ReadCounter::default());
    let mut memory = workshop.open_on(Arc::new(disk.clone()));
    memory.recall("lesson77 about539", &RecallOptions::default()).unwrap();
    disk.0.take();
    (memory.current_counts().memories, disk.0.take())
}

#[test]
fn memories_are_counted_once_and_not_by_every_process() {
    let workshop = Workshop::with_config("{\"redact\":false}");
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..MANY);
    memory.settle().unwrap();
    let rows = 64 * MANY as u64;
    let is_kept = |wanted: usize| {
        let (memories, bytes) = counted_by_a_new_process(&workshop);
        assert_eq!(memories, wanted);
        assert!(bytes < rows / 4, "{bytes} bytes");
    };
    is_kept(MANY);
    let is_counted_again = |wanted: usize| {
        assert_eq!(counted_by_a_new_process(&workshop).0, wanted);
        is_kept(wanted);
    };
    // What the tail of the journal has beside what is counted, and what it takes away.
    let captured = workshop.open().capture(lesson(MANY)).unwrap().thought.id;
    is_kept(MANY + 1);
    assert!(workshop.open().forget(&captured).unwrap());
    is_kept(MANY);
    let old = workshop.open().recall("lesson77 about539", &RecallOptions::default());
    assert!(workshop.open().forget(&old.unwrap().hits[0].id).unwrap());
    is_counted_again(MANY - 1);
    // What was forgotten would wait for a person.
    assert!(workshop.open().capture(lesson(MANY + 1)).unwrap().captured);
    is_kept(MANY);
    // Of another machine, or damaged.
    let folder = forge_memory_core::index::index_folder(&workshop.forge(), "memory-captures");
    let path = folder.join("count.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"project\":", "\"project\":1")).unwrap();
    is_counted_again(MANY);
}

#[test]
fn new_records_are_compared_with_old_ones_by_their_fingerprints() {
    let (workshop, other) = (Workshop::with_config("{\"redact\":false}"), Workshop::new());
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..MANY);
    memory.settle().unwrap();
    let before = counted_by_a_new_process(&workshop).1;
    let read = || {
        let disk = WatchedDisk::new(ReadCounter::default());
        let mut memory = workshop.open_on(Arc::new(disk.clone()));
        memory.recall("lesson77 about539", &RecallOptions::default()).unwrap();
        disk.0.take()
    };
    let without = read();
    capture_lessons(&mut other.open(), MANY..MANY + 100);
    let new = std::fs::read(other.raw_log()).unwrap();
    let whole = [std::fs::read(workshop.raw_log()).unwrap(), new.clone()].concat();
    std::fs::write(workshop.raw_log(), whole).unwrap();
    let with = read();
    let (tables, rows) = (64 * 1024, 64 * MANY as u64);
    assert!(
        with - without < 3 * new.len() as u64 + tables,
        "{without}, {with}, {before}"
    );
    assert!(rows > 4 * tables);
}

#[test]
fn a_large_copy_is_compared_as_a_whole_by_one_process_only() {
    let workshop = Workshop::with_config("{\"redact\":false}");
    let mut lines = String::new();
    for number in 0..900 {
        let words: String = (0..1500)
            .map(|word| format!("word{} ", (number * 7 + word * 11) % 900))
            .collect();
        let record = serde_json::json!({
            "_v": 1, "id": format!("mem_{number}"), "content": format!("lesson{number} {words}"), "project": "shop", "type": "lesson",
            "source": "test", "captured_at": "2096-11-20T09:00:00.000Z",
        });
        lines += &format!("{record}\n");
    }
    assert!(lines.len() > 8 << 20);
    std::fs::create_dir_all(workshop.forge()).unwrap();
    std::fs::write(workshop.raw_log(), &lines).unwrap();
    let mut memory = workshop.open();
    memory.recall("lesson7", &RecallOptions::default()).unwrap();
    memory.settle().unwrap();
    drop(memory);
    let read = || {
        let disk = WatchedDisk::new(ReadCounter::default());
        let mut memory = workshop.open_on(Arc::new(disk.clone()));
        assert_eq!(
            memory.recall("lesson7", &RecallOptions::default()).unwrap().hits[0].id,
            "mem_7"
        );
        disk.0.take()
    };
    let same = read();
    let copy = workshop.raw_log().with_extension("copy");
    std::fs::write(&copy, &lines).unwrap();
    std::fs::rename(&copy, workshop.raw_log()).unwrap();
    let (first, second) = (read(), read());
    assert!(first > lines.len() as u64, "{first}");
    assert!(second < same + (64 << 10), "{same}, {second}");
}
