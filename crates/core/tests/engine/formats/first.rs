//! Files of the first release.

use std::fs;

use forge_memory_core::clock::format_iso;
use forge_memory_core::history::RecordState;
use forge_memory_core::thought::content_hash;
use forge_memory_core::{Memory, RecallOptions, Scope};

use super::{briefs, counts, find, open_stored, record, stored};
use crate::common::lines::objects;
use crate::common::{capture_of, list_all, save_of};

#[test]
fn files_of_the_first_release_are_read_as_they_were_written() {
    let (workshop, mut memory) = open_stored("v1");
    let hits = list_all(&mut memory);
    let project = Scope::Project;
    assert_eq!(
        briefs(&hits),
        [
            record(Scope::Global, "convention", "Commit messages say why"),
            record(project, "convention", "Größen stehen in Bytes, Zeiten in Millisekunden"),
            record(
                project,
                "decision",
                "Prices are integers of cents; quantities are decimals"
            ),
            record(
                project,
                "gotcha",
                "The staging certificate is renewed on the first of December"
            ),
            record(project, "gotcha", "Windows paths over 260 characters break the packer"),
            record(project, "lesson", "Tests close the pool in afterAll; Jest waits for it"),
            record(
                project,
                "pattern",
                "Repository functions take the transaction as their first argument"
            ),
            record(project, "test_command", "pnpm vitest --run for CI; watch mode hangs"),
        ]
    );
    let lesson = find(&hits, "Tests close");
    assert_eq!(lesson.id, "mem_01a1f86f5bda7103802bd422df4f72eb");
    assert_eq!((lesson.source.as_str(), lesson.confidence), ("forge_run_plan", 0.95));
    assert_eq!(
        (lesson.created_at.as_str(), &lesson.tags),
        ("2026-11-20T10:10:10.010Z", &vec!["jest".to_owned()])
    );
    assert_eq!(lesson.expires_at.map(format_iso).unwrap(), "2027-11-20T10:10:10.010Z");
    assert_eq!(find(&hits, "Repository").expires_at, None);
    let pattern = find(&hits, "pnpm");
    assert_eq!(
        (pattern.source.as_str(), pattern.confidence, pattern.tags.len()),
        ("memory_save", 1.0, 1)
    );
    // After the first of December one of them is over.
    workshop.clock.advance(12 * 86_400_000);
    let (hits, total) = memory.list(&RecallOptions::default()).unwrap();
    assert_eq!((hits.len(), total), (7, 7));
}

#[test]
fn histories_of_the_first_release_are_read() {
    let (_workshop, mut memory) = open_stored("v1");
    let lesson = memory.history("mem_01a1f8660d007a8a93eafb92c894f6b7").unwrap().unwrap();
    let texts: Vec<&str> = lesson.revisions().map(|(revision, _)| revision.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Integration tests must close the pool, or the runner hangs",
            "Tests close the pool in afterAll; Jest waits for it"
        ]
    );
    let states: Vec<RecordState> = lesson.revisions().map(|(_, state)| state).collect();
    assert_eq!(states, [RecordState::Superseded, RecordState::Current]);
    assert_eq!((lesson.state(), lesson.confirmations), (RecordState::Current, 1));
    let forgotten = memory.history("mem_01a1f86ab46d74208835c58d82fb2c3b").unwrap().unwrap();
    assert_eq!(forgotten.state(), RecordState::Forgotten);
    assert_eq!(forgotten.current().text, "数据库连接池在测试后必须关闭");
    // In the past the answer is the one of then.
    let then = RecallOptions {
        at: Some("2026-11-20T10:05:30Z".into()),
        ..RecallOptions::default()
    };
    let texts = |memory: &mut Memory, query: &str, options: &RecallOptions| -> Vec<String> {
        memory
            .recall(query, options)
            .unwrap()
            .hits
            .into_iter()
            .map(|hit| hit.text)
            .collect()
    };
    assert_eq!(texts(&mut memory, "数据库", &then), ["数据库连接池在测试后必须关闭"]);
    assert_eq!(
        texts(&mut memory, "数据库", &RecallOptions::default()),
        Vec::<String>::new()
    );
    assert_eq!(
        texts(&mut memory, "floats", &then),
        ["Prices are integers of cents, never floats"]
    );
}

#[test]
fn the_report_on_files_of_the_first_release_is_exact() {
    let (_workshop, mut memory) = open_stored("v1");
    let report = memory.report();
    assert_eq!(
        counts(&report),
        [
            ("memory-captures.jsonl", 11, 0),
            ("gotchas.jsonl", 2, 0),
            ("lessons.jsonl", 2, 0),
            ("decisions.jsonl", 2, 0),
            ("patterns.jsonl", 1, 0),
            ("conventions.jsonl", 1, 0),
            ("memory/project.jsonl", 4, 0),
            ("openbrain-queue.jsonl", 10, 0),
            ("hub-events.jsonl", 11, 0),
            ("telemetry/memory-captures.jsonl", 10, 0),
        ]
    );
    assert_eq!(
        (report.queue.pending, report.queue.foreign),
        (0, 10),
        "written before there were marks: set aside until the user takes it over"
    );
    memory.trust_foreign_records().unwrap();
    let report = memory.report();
    assert_eq!(
        (report.queue.pending, report.queue.delivered, report.queue.deferred),
        (10, 0, 0)
    );
    assert_eq!((report.telemetry.total, report.telemetry.deduped), (49, 5));
    let by_tool: Vec<_> = report
        .telemetry
        .by_tool
        .iter()
        .map(|(tool, count)| (tool.as_str(), *count))
        .collect();
    assert_eq!(
        by_tool,
        [
            ("Bad Tool", 1),
            ("forge_crucible", 1),
            ("forge_health", 1),
            ("forge_run_plan", 2),
            ("forge_sweep", 26),
            ("hook", 16),
            ("unknown", 1),
            ("watcher", 1)
        ]
    );
    assert_eq!(report.orphans, Vec::<String>::new());
    for file in &report.files {
        let others: Vec<_> = file.versions.keys().filter(|version| *version != "1").collect();
        // Events carry the version of the hub.
        let wanted = if file.name == "hub-events.jsonl" {
            vec!["none"]
        } else {
            vec![]
        };
        assert_eq!(others, wanted, "{}", file.name);
    }
}

#[test]
fn hallmarks_of_the_first_release_are_those_of_their_records() {
    let files = [
        "memory-captures",
        "lessons",
        "gotchas",
        "decisions",
        "patterns",
        "conventions",
    ];
    let mut verified = 0;
    for file in files {
        for thought in objects(&stored("v1/forge").join(format!("{file}.jsonl"))) {
            if let Some(hash) = thought["hallmark"]["contentHash"].as_str() {
                assert_eq!(hash, content_hash(&thought), "{}", thought["id"]);
                verified += 1;
            }
        }
    }
    assert_eq!(verified, 17);
}

#[test]
fn new_lines_can_follow_those_of_the_first_release() {
    let (workshop, mut memory) = open_stored("v1");
    let before = fs::read(workshop.raw_log()).unwrap();
    let known = memory
        .capture(capture_of(
            "gotcha",
            "windows paths over 260 CHARACTERS break the packer",
        ))
        .unwrap();
    assert!(known.deduped && known.thought.id == "mem_01a1f866fb49714d84a6e15827056ac4");
    let saved = memory
        .save(save_of("global", "convention", "commit messages say WHY"))
        .unwrap();
    assert!(!saved.is_saved() && saved.id == "mem_01a1f87226b57bacad2cc73c44fee61e");
    // A forgotten text may be captured again.
    assert!(
        memory
            .capture(capture_of("insight", "数据库连接池在测试后必须关闭"))
            .unwrap()
            .captured
    );
    assert!(memory.forget("mem_01a1f869c6247b389c33427d9ffab551").unwrap());
    let after = fs::read(workshop.raw_log()).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len());
    let events = objects(&workshop.forge().join("hub-events.jsonl"));
    let numbers: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}
