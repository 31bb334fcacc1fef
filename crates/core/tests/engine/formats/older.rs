//! Files of earlier tools.

use std::fs;

use forge_memory_core::{EditInput, RecallOptions, Scope};

use super::{THEN, briefs, counts, find, open_stored, record};
use crate::common::{Workshop, capture_of, list_all, save_of};

#[test]
fn files_of_the_older_tools_are_read_as_they_were_written() {
    let (_workshop, mut memory) = open_stored("older");
    let hits = list_all(&mut memory);
    let (project, global) = (Scope::Project, Scope::Global);
    assert_eq!(
        briefs(&hits),
        [
            record(global, "test_command", "make smoke needs a running redis"),
            record(global, "tool_usage", "Prefer ripgrep over find and grep"),
            record(project, "architecture", "The exporter retries only idempotent requests"),
            record(project, "convention", "Run the linter before the type checker"),
            record(
                project,
                "decision",
                "Zeitzonen: Server laufen in UTC, Berichte in Europe/Berlin"
            ),
            record(project, "gotcha", "An old hint that nobody needs any more"),
            record(project, "gotcha", "Numbers as labels are passed over"),
            record(project, "gotcha", "Teardown removed a branch that was still in use"),
            record(project, "gotcha", "The packer loses symlinks on network drives"),
            record(project, "lesson", "Slice three failed twice on a stale lock file"),
            record(project, "test_command", "make smoke needs a running redis"),
            record(project, "tool_usage", "Füge Umlaute immer als UTF-8 ein"),
        ]
    );
    assert_eq!(find(&hits, "Run the linter").id, "mem_1763632000000_9zk");
    let smoke: Vec<_> = hits
        .iter()
        .filter(|hit| hit.text.starts_with("make smoke"))
        .map(|hit| hit.confidence)
        .collect();
    assert_eq!(smoke, [0.5, 0.0], "one in each scope");
    assert_eq!(find(&hits, "The exporter").confidence, 0.7);
    let odd = find(&hits, "Numbers as labels");
    assert_eq!((&odd.tags, odd.confidence), (&vec!["kept".to_owned()], 0.7));
    let teardown = find(&hits, "Teardown");
    assert_eq!(
        (teardown.created_at.as_str(), teardown.tags.len()),
        ("2026-11-19T08:10:00.000Z", 2)
    );
    let zones = find(&hits, "Zeitzonen");
    let since = RecallOptions {
        since: Some("2026-11-19T08:00:00Z".into()),
        ..RecallOptions::default()
    };
    let outcome = memory.recall("Zeitzonen", &since).unwrap();
    assert_eq!(outcome.hits.iter().map(|hit| &hit.id).collect::<Vec<_>>(), [&zones.id]);
    let (fresh, total) = memory
        .list(&RecallOptions {
            limit: Some(50.0),
            ..RecallOptions::default()
        })
        .unwrap();
    // Without the one that has expired; the copies that a race has left count once.
    assert_eq!((fresh.len(), total), (11, 11));
}

#[test]
fn the_report_on_files_of_the_older_tools_is_exact() {
    let (_workshop, mut memory) = open_stored("older");
    let report = memory.report();
    assert_eq!(
        counts(&report),
        [
            ("memory-captures.jsonl", 8, 1),
            ("memory/project.jsonl", 5, 1),
            ("memory/global.jsonl", 2, 0),
            ("openbrain-queue.jsonl", 7, 1),
            ("openbrain-queue.archive.jsonl", 3, 0),
            ("openbrain-dlq.jsonl", 2, 0),
            ("openbrain-stats.jsonl", 3, 0),
            ("hub-events.jsonl", 2, 0),
            ("telemetry/memory-captures.jsonl", 3, 0),
            ("memory-search-cache.jsonl", 3, 0),
        ]
    );
    assert_eq!(
        (report.queue.pending, report.queue.dlq, report.queue.foreign),
        (0, 0, 9)
    );
    memory.trust_foreign_records().unwrap();
    let taken = memory.report();
    let queue = &taken.queue;
    assert_eq!(
        (queue.pending, queue.delivered, queue.failed, queue.deferred, queue.dlq),
        (5, 4, 1, 1, 2)
    );
    let trend = &report.drain_trend;
    assert_eq!((trend.passes, trend.last_attempted, trend.last_delivered), (3, 5, 0));
    assert_eq!((trend.total_delivered, trend.total_deferred), (3, 6));
    assert_eq!((report.telemetry.total, report.telemetry.deduped), (3, 1));
    let cache = &report.cache;
    assert_eq!((cache.total_entries, cache.unique_keys, cache.fresh_entries), (3, 2, 2));
    assert_eq!(report.orphans, ["notes-of-somebody.txt"]);
    let versions = &report
        .files
        .iter()
        .find(|file| file.name == "openbrain-queue.jsonl")
        .unwrap()
        .versions;
    assert_eq!(
        versions
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .collect::<Vec<_>>(),
        [("1", 6), ("none", 1)]
    );
}

#[test]
fn records_of_the_older_tools_are_known_changed_and_forgotten_like_ours() {
    let (workshop, mut memory) = open_stored("older");
    let before = fs::read(workshop.raw_log()).unwrap();
    let hits = list_all(&mut memory);
    // Their thoughts have no ids: they are known by one that is made of the line.
    let known = memory
        .capture(capture_of("gotcha", "the packer loses SYMLINKS on network drives"))
        .unwrap();
    assert!(known.deduped);
    let packer = find(&hits, "The packer").id.clone();
    assert_eq!(known.thought.id, packer);
    let changes = EditInput {
        body: Some("The packer keeps symlinks since version four".into()),
        ..EditInput::default()
    };
    let edited = memory.edit(&packer, changes).unwrap();
    assert_eq!(edited.supersedes.as_deref(), Some(packer.as_str()));
    assert!(memory.forget(&find(&hits, "Slice three").id).unwrap());
    // A short piece of such an id will do as well.
    let teardown = find(&hits, "Teardown").id.clone();
    assert!(memory.forget(&teardown[4..14]).unwrap());
    assert!(memory.forget("mem_1763632002750_q0p1").unwrap());
    let saved = memory
        .save(save_of("project", "test_command", "MAKE smoke needs a running redis"))
        .unwrap();
    assert!(!saved.is_saved() && saved.id == "mem_1763632001500_x");
    let texts: Vec<String> = list_all(&mut memory).into_iter().map(|hit| hit.text).collect();
    for gone in ["The packer loses", "Slice three", "Teardown", "The exporter"] {
        assert!(!texts.iter().any(|text| text.starts_with(gone)), "{gone}");
    }
    assert!(
        texts
            .iter()
            .any(|text| text == "The packer keeps symlinks since version four")
    );
    let after = fs::read(workshop.raw_log()).unwrap();
    // The torn line is closed, not touched.
    assert!(after.starts_with(&before) && after[before.len()] == b'\n');
    let report = memory.report();
    assert_eq!(report.files[0].unparsable, 2);
}

#[test]
fn a_record_in_the_older_tools_file_is_forgotten_and_not_edited() {
    let (workshop, mut memory) = open_stored("older");
    let path = workshop.forge().join("memory/global.jsonl");
    let before = fs::read(&path).unwrap();
    assert_eq!(
        memory
            .edit("mem_1763632010000_g1", EditInput::default())
            .unwrap_err()
            .code(),
        "UNSUPPORTED"
    );
    assert!(!memory.forget("mem_nobody_has_this").unwrap());
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(memory.forget("mem_1763632010000_g1").unwrap());
    let after = fs::read(&path).unwrap();
    assert!(after.starts_with(&before), "what the older tool wrote stays");
    assert!(
        list_all(&mut workshop.open())
            .iter()
            .all(|hit| hit.id != "mem_1763632010000_g1")
    );
}

#[test]
fn a_text_truncated_inside_a_character_is_still_read() {
    let workshop = Workshop::at(THEN);
    fs::create_dir_all(workshop.forge()).unwrap();
    // Tools that cut strings by UTF-16 units write half a pair as an escape.
    let lines = [
        r#"{"id":"mem_1","content":"shortened to a face \ud83d","type":"lesson"}"#,
        r#"{"id":"mem_2","content":"\ude00 begins with the rest","type":"lesson","tags":["\ud83d\ude00"]}"#,
        r#"{"id":"mem_3","content":"no escape: \\ud83d, but this is: \ud83dx","type":"lesson"}"#,
    ];
    fs::write(workshop.raw_log(), lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let mut texts: Vec<_> = list_all(&mut workshop.open())
        .into_iter()
        .map(|hit| (hit.id, hit.text, hit.tags))
        .collect();
    texts.sort();
    assert_eq!(texts[0].1, "shortened to a face \u{fffd}");
    assert_eq!(
        (texts[1].1.as_str(), &texts[1].2),
        ("\u{fffd} begins with the rest", &vec!["\u{1f600}".to_owned()])
    );
    assert_eq!(texts[2].1, "no escape: \\ud83d, but this is: \u{fffd}x");
}

#[test]
fn a_line_that_is_not_utf_8_counts_as_damaged_and_hides_nothing() {
    let workshop = Workshop::at(THEN);
    fs::create_dir_all(workshop.forge()).unwrap();
    let mut bytes = b"{\"_v\":1,\"id\":\"mem_1\",\"content\":\"before\",\"type\":\"lesson\"}\n".to_vec();
    bytes.extend_from_slice(b"{\"_v\":1,\"id\":\"mem_2\",\"content\":\"br\xffken\",\"type\":\"lesson\"}\n");
    bytes.extend_from_slice(b"{\"_v\":1,\"id\":\"mem_3\",\"content\":\"behind\",\"type\":\"lesson\"}\n");
    fs::write(workshop.raw_log(), bytes).unwrap();
    let mut memory = workshop.open();
    let file = &memory.report().files[0];
    assert_eq!((file.records, file.unparsable), (2, 1));
    assert_eq!(list_all(&mut memory).len(), 2);
}
