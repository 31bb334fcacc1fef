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
