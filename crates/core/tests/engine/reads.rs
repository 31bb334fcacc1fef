//! The bytes read to show, edit or forget one record among many (its own line, not the whole journal), and to import many.

use std::sync::Arc;

use crate::common::{Workshop, lesson};
use forge_memory_core::EditInput;
use forge_memory_core::clock::parse_iso;
use forge_memory_core::transfer::ImportOptions;
use forge_memory_test_disk::{ReadCounter, WatchedDisk};

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
