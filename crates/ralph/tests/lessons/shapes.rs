use std::fs;

use forge_memory_ralph::{Choice, EXTERNAL_FILE, GLOBAL_FILE, RalphFilter};

use crate::support::{EIGHT, HasLessons, Project, of_loop, since, tree};

const ENTRY: &str =
    r#"{"id":"mem_1","loopId":"abc","createdAt":"2026-04-01T00:00:00Z","type":"lesson_learned","lesson":"one"}"#;

#[test]
fn every_shape_in_use_is_read() {
    for (shape, ids) in [
        (format!("[{ENTRY}]"), vec!["mem_1"]),
        (format!(r#"{{"entries":[{ENTRY}],"version":1}}"#), vec!["mem_1"]),
        (format!(r#"{{"version":"1","memories":[{ENTRY}]}}"#), vec!["mem_1"]),
        (format!(r#"{{"loop_id":"abc","learnings":[{ENTRY}]}}"#), vec!["mem_1"]),
        (format!("\u{feff}\r\n[\r\n{ENTRY}\r\n]\r\n"), vec!["mem_1"]),
        (
            format!(r#"{{"entries":[{ENTRY}],"learnings":[{{"id":"mem_2","lesson":"two"}}]}}"#),
            vec!["mem_1", "mem_2"],
        ),
        (
            r#"[{"id":"a","pattern":"p","category":"convention","timestamp":"2026-01-01T00:00:00.000Z"}]"#.into(),
            vec!["a"],
        ),
        (
            r#"[{"id":"b","content":{"description":"d"},"created_at":"2026-01-01"}]"#.into(),
            vec!["b"],
        ),
    ] {
        assert_eq!(Project::with(&shape).listed(RalphFilter::default()), ids, "{shape}");
    }
}

#[test]
fn a_text_alone_is_a_lesson_of_the_loop_of_its_document() {
    let project = Project::with(r#"{"loop_id":"abc","learnings":["Use fakes",""]}"#);
    let list = project.memory().ralph_list(&of_loop("abc")).unwrap();
    assert_eq!(list.entries.len(), 1);
    let entry = &list.entries[0];
    assert_eq!(
        (entry.lesson.as_str(), entry.kind.as_str()),
        ("Use fakes", "lesson_learned")
    );
    assert_eq!(entry.id.len(), 10);
    assert_eq!(
        list.entries,
        project.memory().ralph_list(&of_loop("abc")).unwrap().entries,
        "its id stays"
    );
}

#[test]
fn the_state_of_a_loop_is_found_under_either_of_its_ids() {
    let project = Project::with(EIGHT);
    let state = r#"{"loopId":"0f7c-uuid","objective":"Fix it","accumulatedLearnings":"Iteration 1: all","learnings":[{"id":"mem_s","lesson":"whole"}],
        "iterations":[{"number":1,"completedAt":"2026-04-02T00:00:00Z","learnings":["first","second"]},{"number":2},7]}"#;
    project.write(".aiwg/ralph-external/loops/fix-it-1/session-state.json", state);
    project.write(
        ".aiwg/ralph-external/loops/old.json",
        r#"{"learnings":[{"id":"mem_o","lesson":"older"}],"iterations":3}"#,
    );
    for id in ["fix-it-1", "0f7c-uuid"] {
        let list = project.memory().ralph_list(&of_loop(id)).unwrap();
        let lessons: Vec<&str> = list.entries.iter().map(|entry| entry.lesson.as_str()).collect();
        assert_eq!(lessons.len(), 3, "{id}");
        assert!(lessons.contains(&"first") && lessons.contains(&"second") && lessons.contains(&"whole"));
        let first = list.entries.iter().find(|entry| entry.lesson == "first").unwrap();
        assert_eq!(
            (first.iteration, first.created_at.as_deref()),
            (Some(1.0), Some("2026-04-02T00:00:00Z"))
        );
    }
    assert_eq!(project.listed(of_loop("old")), ["mem_o"]);
    assert_eq!(
        project.listed(RalphFilter::default()).len(),
        8,
        "without a loop only the stores of all loops are read"
    );
}

#[test]
fn without_a_loop_the_global_store_is_read_and_either_or_both_can_be_asked_for() {
    let project = Project::with(EIGHT);
    project.write(
        EXTERNAL_FILE,
        r#"[{"id":"mem_ext","loopId":"abc123","lesson":"outside"}]"#,
    );
    let stored = |store: Choice| {
        project.listed(RalphFilter {
            store: Some(store),
            ..RalphFilter::default()
        })
    };
    assert_eq!(project.listed(RalphFilter::default()).len(), 8);
    assert_eq!(
        (
            stored(Choice::All).len(),
            stored(Choice::Global).len(),
            stored(Choice::External)
        ),
        (9, 8, vec!["mem_ext".into()])
    );
    assert_eq!(project.listed(of_loop("abc123")).len(), 4);
    fs::remove_file(project.path(GLOBAL_FILE)).unwrap();
    assert_eq!(project.listed(RalphFilter::default()), [] as [&str; 0]);
    assert_eq!(stored(Choice::All), ["mem_ext"]);
}

#[test]
fn only_the_exact_id_of_a_loop_counts() {
    let project = Project::with(EIGHT);
    assert_eq!(project.listed(of_loop("abc123")).len(), 3);
    for unknown in ["abc", "abc1234", "ABC123", "../ralph/memory", "x/../../y"] {
        let error = project.memory().ralph_list(&of_loop(unknown)).unwrap_err();
        assert_eq!((error.code(), error.to_string().contains(unknown)), ("NOT_FOUND", true));
    }
    for bad in ["", " ", "a\nb", &"x".repeat(200)] {
        assert_eq!(
            project.memory().ralph_list(&of_loop(bad)).unwrap_err().code(),
            "INVALID_INPUT",
            "{bad:?}"
        );
    }
}

#[test]
fn lists_are_newest_first_with_ties_by_id_and_undated_ones_last() {
    let at = |id: &str, when: &str| format!(r#"{{"id":"{id}","lesson":"x","createdAt":{when}}}"#);
    let store = [
        at("d", r#""2026-04-01T00:00:00Z""#),
        at("z", "null"),
        at("a", r#""2026-04-01T00:00:00.001Z""#),
        at("y", r#""yesterday""#),
        at("c", r#""2026-04-01T02:00:00+02:00""#),
        at("b", r#""2026-05-01""#),
    ];
    let ids = Project::with(&format!("[{}]", store.join(","))).listed(RalphFilter::default());
    assert_eq!(ids, ["b", "a", "c", "d", "y", "z"]);
}

#[test]
fn since_is_an_inclusive_bound() {
    let store = r#"[{"id":"at","lesson":"x","createdAt":"2026-04-01T00:00:00.000Z"},
        {"id":"before","lesson":"x","createdAt":"2026-03-31T23:59:59.999Z"},{"id":"undated","lesson":"x"}]"#;
    let project = Project::with(store);
    for when in ["2026-04-01", "2026-04-01T00:00:00Z", "2026-04-01T02:00:00+02:00"] {
        assert_eq!(project.listed(since(when)), ["at"], "{when}");
    }
    for (now, when) in [
        ("2026-04-08T00:00:00Z", "7d"),
        ("2026-04-15T00:00:00Z", "2w"),
        ("2026-04-01T12:00:00Z", "12h"),
        ("2026-04-01T00:30:00Z", "30m"),
    ] {
        let list = project.memory_at(now).ralph_list(&since(when)).unwrap();
        let ids: Vec<&str> = list.entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["at"], "{when}");
    }
    for bad in [
        "7x",
        "-1d",
        "",
        "2026-13-01",
        "2026-02-30",
        "d",
        "7",
        "99999999999999999999w",
    ] {
        assert_eq!(
            project.memory().ralph_list(&since(bad)).unwrap_err().code(),
            "INVALID_INPUT",
            "{bad}"
        );
    }
}

#[test]
fn values_of_the_wrong_type_are_ignored_and_reported() {
    let store = r#"[{"id":7,"loopId":["x"],"iteration":"two","createdAt":9,"type":null,"lesson":"kept","context":{},"tags":["a",1],"confidence":"high"},
        {"id":"mem_2","lesson":42,"confidence":7,"tags":"a,b"},{"id":"mem_3","lesson":"fine"},null,42,[1],true,{"note":"no lesson"},-1,1.5]"#;
    let project = Project::with(store);
    let list = project.memory().ralph_list(&RalphFilter::default()).unwrap();
    assert_eq!(list.entries.len(), 3);
    let kept = list.entries.iter().find(|entry| entry.lesson == "kept").unwrap();
    assert_eq!((kept.tags.len(), kept.confidence, kept.iteration), (1, 0.7, None));
    assert!(kept.id.starts_with("mem_"));
    assert_eq!(list.warnings.len(), 2, "{:?}", list.warnings);
    assert!(list.warnings[0].contains("2 entries") && list.warnings[0].contains("tags, confidence"));
    assert!(list.warnings[1].contains("7 elements"), "{:?}", list.warnings);
    assert_eq!(project.read(GLOBAL_FILE), store);
}

#[test]
fn a_path_that_is_not_a_store_file_is_refused_and_left_unchanged() {
    let folder = Project::new();
    fs::create_dir_all(folder.path(GLOBAL_FILE)).unwrap();
    let error = folder.memory().ralph_list(&RalphFilter::default()).unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().contains("a folder has the name")),
        ("UNSAFE_PATH", true)
    );

    let large = Project::with("[]");
    let file = fs::File::options().write(true).open(large.path(GLOBAL_FILE)).unwrap();
    file.set_len(1 << 30).unwrap();
    let error = large.memory().ralph_list(&RalphFilter::default()).unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().contains("1024 MiB")),
        ("UNSUPPORTED", true)
    );
    assert_eq!(fs::metadata(large.path(GLOBAL_FILE)).unwrap().len(), 1 << 30);

    let binary = Project::new();
    binary.write(GLOBAL_FILE, "");
    fs::write(binary.path(GLOBAL_FILE), b"[\"\xff\xfe\"]").unwrap();
    assert_eq!(
        binary.memory().ralph_list(&RalphFilter::default()).unwrap_err().code(),
        "CORRUPT"
    );
}

#[test]
fn a_broken_store_of_another_loop_is_only_a_warning() {
    let project = Project::with(EIGHT);
    project.write(".aiwg/ralph-external/loops/broken.json", "{");
    let list = project.memory().ralph_list(&of_loop("abc123")).unwrap();
    assert_eq!((list.entries.len(), list.warnings.len()), (3, 1));
    assert_eq!(
        project.memory().ralph_list(&of_loop("broken")).unwrap_err().code(),
        "CORRUPT"
    );
}

#[test]
fn reading_changes_and_creates_nothing() {
    let project = Project::with(EIGHT);
    let before = tree(project.folder.path());
    let mut memory = project.memory();
    memory.ralph_list(&RalphFilter::default()).unwrap();
    memory.ralph_query(Some("auth"), None, &RalphFilter::default()).unwrap();
    memory.ralph_list(&of_loop("abc123")).unwrap();
    assert_eq!(tree(project.folder.path()), before);
    let none = Project::new();
    assert!(none.memory().ralph_list(&RalphFilter::default()).unwrap().missing);
    assert_eq!(fs::read_dir(none.path("")).unwrap().count(), 0);
}

#[test]
fn deep_and_odd_documents_are_refused_without_a_crash() {
    for text in [
        "[".repeat(100_000),
        format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)),
    ] {
        let project = Project::with(&text);
        if let Err(error) = project.memory().ralph_list(&RalphFilter::default()) {
            assert_eq!(error.code(), "CORRUPT");
        }
    }
}
