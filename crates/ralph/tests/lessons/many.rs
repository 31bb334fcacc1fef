//! Stores that are large enough to be processed by two threads.

use std::fmt::Write;

use forge_memory_ralph::{EXTERNAL_FILE, RalphFilter, RalphRecord};

use crate::support::{HasLessons, Project};

const COUNT: usize = 20_000;

/// Entries of every form: plain ones, with escapes, with fields of the wrong type, strings, and values that are not
/// entries.
fn store() -> String {
    let mut store = "[\n".to_owned();
    for at in 0..COUNT {
        let _ = match at % 50 {
            7 => writeln!(
                store,
                r#"  {{"id": "mem_{at}", "lesson": "a \"quoted\" | lesson\nof two lines", "tags": ["\u202e", "é"]}},"#
            ),
            13 => writeln!(
                store,
                r#"  {{"lesson": 7, "pattern": "numbered {at}", "odd": {{"deep": [{{"lesson": "}}, {{"}}]}}, "confidence": 1e-1}},"#
            ),
            21 => writeln!(store, r#"  "a text alone, {at}","#),
            34 => writeln!(store, "  {at},"),
            _ => writeln!(
                store,
                r#"  {{"id": "mem_{at:06}", "loopId": "loop-{}", "iteration": {}, "createdAt": "2026-04-{:02}T10:{:02}:00Z", "type": "lesson_learned",
    "lesson": "Auth mocks of test {at} go to beforeEach", "context": "src/auth.test.ts", "tags": ["auth", "n{}"], "confidence": 0.{}}},"#,
                at / 100,
                at % 12,
                1 + at % 28,
                at % 60,
                at % 97,
                at % 10,
            ),
        };
    }
    store + "  null\n]\n"
}

#[test]
fn a_long_list_is_truncated_and_counts_the_omitted_entries() {
    let project = Project::with(&store());
    let list = project.memory().ralph_list(&RalphFilter::default()).unwrap();
    assert_eq!(list.entries.len(), COUNT - COUNT / 50);
    assert_eq!(list.warnings.len(), 2, "{:?}", list.warnings);
    let moment = |entry: &RalphRecord| entry.created_at.clone();
    assert!(list.entries.is_sorted_by(|a, b| moment(a) >= moment(b)), "newest first");
}

#[test]
fn many_hits_are_ranked_like_few() {
    let project = Project::with(&store());
    let all = project
        .memory()
        .ralph_query(Some("mocks n13"), Some(100_000.0), &RalphFilter::default())
        .unwrap();
    assert_eq!(all.total, all.entries.len());
    let ten = project
        .memory()
        .ralph_query(Some("mocks n13"), None, &RalphFilter::default())
        .unwrap();
    assert_eq!((ten.total, ten.entries.as_slice()), (all.total, &all.entries[..10]));
    assert!(ten.entries.iter().all(|hit| hit.tags.contains(&"n13".to_owned())));
    let order = |hit: &forge_memory_ralph::RalphRecord| (-hit.score.unwrap(), -hit.confidence);
    assert!(all.entries.is_sorted_by(|a, b| order(a) <= order(b)));
}

#[test]
fn a_store_that_is_invalid_near_its_end_is_refused() {
    let project = Project::with(&store().replace("null\n]", "null,\n]"));
    let error = project.memory().ralph_list(&RalphFilter::default()).unwrap_err();
    assert_eq!(error.code(), "CORRUPT");
    assert!(error.to_string().contains("trailing comma at line"), "{error}");
    let mut bytes = store().into_bytes();
    let middle = bytes.len() / 2;
    bytes[middle] = 0xff;
    project.write(EXTERNAL_FILE, "[]");
    std::fs::write(project.path(forge_memory_ralph::GLOBAL_FILE), bytes).unwrap();
    let error = project.memory().ralph_list(&RalphFilter::default()).unwrap_err();
    assert_eq!(error.code(), "CORRUPT");
    assert!(error.to_string().contains("invalid utf-8"), "{error}");
}
