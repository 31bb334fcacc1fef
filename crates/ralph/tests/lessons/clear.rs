use forge_memory_ralph::{Choice, ClearOptions, ClearOutcome, EXTERNAL_FILE, GLOBAL_FILE, RalphAddInput, RalphFilter};

use crate::support::{EIGHT, HasLessons, Project, tree};

fn options(loop_id: Option<&str>) -> ClearOptions {
    ClearOptions {
        loop_id: loop_id.map(str::to_owned),
        ..ClearOptions::default()
    }
}

fn everywhere() -> ClearOptions {
    ClearOptions {
        store: Some(Choice::All),
        ..ClearOptions::default()
    }
}

fn counted(project: &Project, loop_id: Option<&str>) -> ClearOutcome {
    let dry = ClearOptions {
        dry_run: true,
        ..options(loop_id)
    };
    project.memory().ralph_clear(&dry).unwrap()
}

fn confirmed(project: &Project, loop_id: Option<&str>, keys: Vec<String>) -> ClearOutcome {
    let only = ClearOptions {
        only: Some(keys),
        ..options(loop_id)
    };
    project.memory().ralph_clear(&only).unwrap()
}

#[test]
fn a_dry_run_counts_and_writes_nothing() {
    let project = Project::with(EIGHT);
    let before = tree(project.folder.path());
    let outcome = counted(&project, Some("abc123"));
    assert_eq!((outcome.counted, outcome.deleted, outcome.remaining), (3, 0, 5));
    assert_eq!(outcome.keys.len(), 3);
    assert_eq!(tree(project.folder.path()), before);
}

#[test]
fn entries_added_during_the_confirmation_are_kept() {
    for loop_id in [None, Some("abc123")] {
        let project = Project::with(EIGHT);
        let question = counted(&project, loop_id);
        let late = RalphAddInput {
            lesson: Some("arrived late".into()),
            loop_id: Some("abc123".into()),
            ..RalphAddInput::default()
        };
        let late = project.memory().ralph_add(late).unwrap().entry.id;
        let outcome = confirmed(&project, loop_id, question.keys);
        assert_eq!((outcome.deleted, outcome.arrived), (question.counted, 1));
        let left = project.listed(RalphFilter::default());
        assert!(left.contains(&late));
        assert_eq!(left.len(), outcome.remaining);
    }
}

#[test]
fn entries_are_recognised_after_another_program_has_reformatted_the_file() {
    let project = Project::with(EIGHT);
    let question = counted(&project, None);
    let value: serde_json::Value = serde_json::from_str(EIGHT).unwrap();
    project.write(GLOBAL_FILE, &serde_json::to_string_pretty(&value).unwrap());
    assert_eq!(confirmed(&project, None, question.keys).deleted, 8);
}

#[test]
fn an_entry_that_was_edited_in_between_stays_and_identical_entries_are_counted_separately() {
    let twin = r#"{"id":"mem_1","lesson":"same"}"#;
    let project = Project::with(&format!("[{twin},{twin},{{\"id\":\"mem_2\",\"lesson\":\"old\"}}]"));
    let question = counted(&project, None);
    project.write(
        GLOBAL_FILE,
        &format!("[{twin},{{\"id\":\"mem_2\",\"lesson\":\"new\"}},{twin},{twin}]"),
    );
    let outcome = confirmed(&project, None, question.keys);
    assert_eq!((outcome.counted, outcome.deleted, outcome.remaining), (4, 2, 2));
    assert!(project.read(GLOBAL_FILE).contains("new"));
}

#[test]
fn elements_that_are_not_entries_keep_their_bytes() {
    for (before, after) in [
        (
            "{\"version\": 1.50, \"entries\": [ {\"id\":\"a\",\"lesson\":\"x\"}, 42 , {\"id\":\"b\",\"lesson\":\"y\"}, {\"odd\":\"\\u00e9\"} ], \"stats\": {\"n\": 1e2}}",
            "{\"version\": 1.50, \"entries\": [ 42, {\"odd\":\"\\u00e9\"} ], \"stats\": {\"n\": 1e2}}",
        ),
        (
            "[\n  {\"id\":\"a\",\"lesson\":\"x\"},\n  {\"id\":\"b\",\"lesson\":\"y\"}\n]\n",
            "[]\n",
        ),
        (
            "{\"memories\":[\"x\"],\"learnings\":[\"y\", null]}",
            "{\"memories\":[],\"learnings\":[null]}",
        ),
    ] {
        let project = Project::with(before);
        project.memory().ralph_clear(&options(None)).unwrap();
        assert_eq!(project.read(GLOBAL_FILE), after);
    }
}

#[test]
fn clearing_a_loop_affects_only_its_own_store() {
    let project = Project::with(EIGHT);
    project.write(
        EXTERNAL_FILE,
        r#"[{"id":"e1","loopId":"abc123","lesson":"x"},{"id":"e2","loopId":"zzz","lesson":"y"}]"#,
    );
    let state = ".aiwg/ralph-external/loops/abc123/session-state.json";
    project.write(
        state,
        r#"{"objective":"o","learnings":["one"],"iterations":[{"number":1,"learnings":["two"],"status":"done"}]}"#,
    );
    let other = ".aiwg/ralph-external/loops/def456.json";
    project.write(other, r#"{"learnings":["stays"]}"#);
    let outcome = counted(&project, Some("abc123"));
    assert_eq!((outcome.counted, outcome.stores.len(), outcome.remaining), (6, 3, 6));
    let outcome = confirmed(&project, Some("abc123"), outcome.keys);
    assert_eq!((outcome.deleted, outcome.remaining), (6, 6));
    assert_eq!(
        project.read(state),
        r#"{"objective":"o","learnings":[],"iterations":[{"number":1,"learnings":[],"status":"done"}]}"#
    );
    assert_eq!(project.read(other), r#"{"learnings":["stays"]}"#);
    assert_eq!(
        project.read(EXTERNAL_FILE),
        r#"[{"id":"e2","loopId":"zzz","lesson":"y"}]"#
    );
}

#[test]
fn nothing_is_deleted_anywhere_when_one_store_cannot_be_read() {
    let project = Project::with(EIGHT);
    project.write(EXTERNAL_FILE, "{");
    let before = tree(project.folder.path());
    assert_eq!(
        project.memory().ralph_clear(&everywhere()).unwrap_err().code(),
        "CORRUPT"
    );
    assert_eq!(tree(project.folder.path()), before);
    assert_eq!(project.memory().ralph_clear(&options(None)).unwrap().deleted, 8);
}

#[test]
fn a_reset_spares_the_stores_that_it_does_not_name() {
    let project = Project::with(EIGHT);
    let external = r#"[{"id":"e1","loopId":"abc123","lesson":"x"}]"#;
    project.write(EXTERNAL_FILE, external);
    let question = counted(&project, None);
    assert_eq!((question.counted, question.remaining), (8, 0));
    assert_eq!(confirmed(&project, None, question.keys).deleted, 8);
    assert_eq!(project.read(EXTERNAL_FILE), external);
    let outcome = project.memory().ralph_clear(&everywhere()).unwrap();
    assert_eq!((outcome.deleted, outcome.stores), (1, vec![EXTERNAL_FILE.to_owned()]));
}

#[test]
fn clearing_an_empty_store_creates_no_file() {
    let none = Project::new();
    let outcome = none.memory().ralph_clear(&options(None)).unwrap();
    assert!(outcome.missing && outcome.deleted == 0);
    assert_eq!(tree(none.folder.path()), []);
    let project = Project::with(EIGHT);
    assert_eq!(
        project
            .memory()
            .ralph_clear(&options(Some("nobody")))
            .unwrap_err()
            .code(),
        "NOT_FOUND"
    );
    assert_eq!(project.read(GLOBAL_FILE), EIGHT);
}

#[test]
fn a_dry_run_reports_entries_without_a_loop_and_several_files() {
    let project = Project::with(
        r#"[{"lesson":"x"},{"lesson":"y","loopId":"a-longer-id","createdAt":"2026-04-01T00:00:00Z"},{"lesson":"z","loopId":"a-longer-id"}]"#,
    );
    project.write(EXTERNAL_FILE, r#"["w"]"#);
    let dry = ClearOptions {
        dry_run: true,
        ..everywhere()
    };
    let outcome = project.memory().ralph_clear(&dry).unwrap();
    let loops: Vec<_> = outcome
        .loops
        .iter()
        .map(|count| (count.loop_id.as_str(), count.entries, count.date.as_deref()))
        .collect();
    assert_eq!(loops, [("a-longer-id", 2, Some("2026-04-01")), ("", 2, None)]);
    assert_eq!(outcome.stores, [GLOBAL_FILE, EXTERNAL_FILE]);
}
