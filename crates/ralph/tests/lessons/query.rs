use forge_memory_ralph::{RalphFilter, RalphRecord};

use crate::support::{EIGHT, HasLessons, Project, of_loop, since};

fn found(project: &Project, query: &str) -> Vec<String> {
    hits(project, query).into_iter().map(|hit| hit.id).collect()
}

fn hits(project: &Project, query: &str) -> Vec<RalphRecord> {
    let answer = project
        .memory()
        .ralph_query(Some(query), None, &RalphFilter::default())
        .unwrap();
    answer.entries
}

#[test]
fn the_example_has_the_documented_order() {
    assert_eq!(
        found(&Project::with(EIGHT), "auth mocks"),
        ["mem_a1b2c3", "mem_c3d4e5", "mem_x9y0z1"]
    );
}

#[test]
fn lesson_pattern_context_and_tags_are_searched_and_nothing_else() {
    let project = Project::with(
        r#"[{"id":"needle1","lesson":"a needle here"},{"id":"b","lesson":"x","pattern":"needle"},{"id":"c","lesson":"x","context":"src/needle.ts"},
            {"id":"d","lesson":"x","tags":["needle"]},{"id":"e","lesson":"x","type":"needle","loopId":"needle"}]"#,
    );
    let mut ids = found(&project, "needle");
    ids.sort();
    assert_eq!(ids, ["b", "c", "d", "needle1"]);
}

#[test]
fn words_match_inside_of_others_ignoring_case() {
    let project = Project::with(
        r#"[{"id":"camel","lesson":"call resetAllMocks() first"},{"id":"upper","lesson":"MOCKS AND STRASSE"},{"id":"spaced","lesson":"please reset all mocks"},
            {"id":"sharp","lesson":"die Straße"},{"id":"han","lesson":"教訓を覚える"},{"id":"other","lesson":"nothing"}]"#,
    );
    let sorted = |query: &str| {
        let mut ids = found(&project, query);
        ids.sort();
        ids
    };
    assert_eq!(sorted("mocks"), ["camel", "spaced", "upper"]);
    assert_eq!(sorted("resetAllMocks"), ["camel", "spaced"]);
    assert_eq!(sorted("straße"), ["sharp", "upper"]);
    assert_eq!(sorted("教訓"), ["han"]);
    // A letter alone is no part to look for: what is left is all and mo.
    assert_eq!(sorted("tAllMo"), ["camel", "spaced"]);
    assert_eq!(sorted("()"), ["camel"]);
}

#[test]
fn an_entry_with_all_words_ranks_above_one_that_repeats_a_single_word() {
    let project = Project::with(
        r#"[{"id":"repeats","lesson":"auth auth","pattern":"auth","context":"auth","tags":["auth"],"confidence":1},{"id":"both","lesson":"auth with mocks","confidence":0.1}]"#,
    );
    let hits = hits(&project, "auth mocks");
    assert_eq!((hits[0].id.as_str(), hits[0].score), ("both", Some(2.0)));
    assert_eq!((hits[1].id.as_str(), hits[1].score), ("repeats", Some(1.0)));
}

#[test]
fn a_match_at_the_beginning_of_a_word_weighs_more() {
    let project = Project::with(
        r#"[{"id":"inside","lesson":"restart","confidence":1},{"id":"word","lesson":"state of the art"},{"id":"camel","lesson":"stateArt","confidence":0.8}]"#,
    );
    assert_eq!(found(&project, "art"), ["camel", "word", "inside"]);
}

#[test]
fn ties_go_by_confidence_then_newest_then_id() {
    let entry = |id: &str, confidence: f64, day: u32| {
        format!(r#"{{"id":"{id}","lesson":"auth","confidence":{confidence},"createdAt":"2026-04-0{day}T00:00:00Z"}}"#)
    };
    let store = [
        entry("e", 0.5, 1),
        entry("d", 0.5, 1),
        entry("c", 0.5, 2),
        entry("b", 0.9, 1),
        r#"{"id":"a","lesson":"auth","confidence":0.5}"#.to_owned(),
    ];
    let project = Project::with(&format!("[{}]", store.join(",")));
    assert_eq!(found(&project, "auth"), ["b", "c", "d", "e", "a"]);
}

#[test]
fn filters_come_first_and_the_limit_last() {
    let project = Project::with(EIGHT);
    let mut memory = project.memory();
    let answer = memory.ralph_query(Some("auth"), None, &of_loop("ghi789")).unwrap();
    assert_eq!((answer.total, answer.entries[0].id.as_str()), (1, "mem_x9y0z1"));
    let answer = memory
        .ralph_query(Some("auth"), Some(1.0), &since("2026-04-01"))
        .unwrap();
    assert_eq!((answer.total, answer.entries.len()), (2, 1));
    for bad in [0.0, -1.0, 1.5, f64::NAN, 1e9] {
        let error = memory
            .ralph_query(Some("auth"), Some(bad), &RalphFilter::default())
            .unwrap_err();
        assert_eq!(error.code(), "INVALID_INPUT", "{bad}");
    }
    for bad in [None, Some(""), Some(" ")] {
        let error = memory.ralph_query(bad, None, &RalphFilter::default()).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().starts_with("query")),
            ("INVALID_INPUT", true)
        );
    }
}

#[test]
fn more_than_ten_answers_are_counted_and_ten_are_returned() {
    let entries: Vec<String> = (0..12)
        .map(|n| format!(r#"{{"id":"mem_{n}","lesson":"auth {n}"}}"#))
        .collect();
    let project = Project::with(&format!("[{}]", entries.join(",")));
    let answer = project
        .memory()
        .ralph_query(Some("auth"), None, &RalphFilter::default())
        .unwrap();
    assert_eq!((answer.total, answer.entries.len()), (12, 10));
}

#[test]
fn words_of_every_text_count_only_when_the_query_has_no_others() {
    let project = Project::with(r#"[{"id":"a","lesson":"how to do the thing"},{"id":"b","lesson":"auth"}]"#);
    assert_eq!(found(&project, "how do the auth"), ["b"]);
    assert_eq!(found(&project, "how to"), ["a"]);
}
