use std::collections::HashSet;

use forge_memory_ralph::{Choice, EXTERNAL_FILE, GLOBAL_FILE, RalphAddInput, RalphFilter, captured_type};

use crate::support::{EIGHT, HasLessons, Project, tree};

fn lesson(text: &str) -> RalphAddInput {
    RalphAddInput {
        lesson: Some(text.into()),
        ..RalphAddInput::default()
    }
}

#[test]
fn the_first_entry_makes_a_store_of_the_documented_form() {
    let project = Project::new();
    let outcome = project
        .memory()
        .ralph_add(RalphAddInput {
            kind: Some("failure_pattern".into()),
            loop_id: Some("abc123".into()),
            iteration: Some(2.0),
            context: Some("src/auth.ts".into()),
            tags: vec!["auth".into()],
            confidence: Some(0.9),
            ..lesson("Auth mocks go to beforeEach")
        })
        .unwrap();
    assert!(outcome.added && outcome.capture.is_none());
    let id = &outcome.entry.id;
    assert!(id.len() == 10 && id.starts_with("mem_"), "{id}");
    assert!(
        id[4..].bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()),
        "{id}"
    );
    assert_eq!(
        project.read(GLOBAL_FILE),
        format!(
            r#"[
  {{
    "id": "{id}",
    "loopId": "abc123",
    "iteration": 2,
    "createdAt": "2026-04-08T10:42:00.000Z",
    "type": "failure_pattern",
    "lesson": "Auth mocks go to beforeEach",
    "context": "src/auth.ts",
    "tags": [
      "auth"
    ],
    "confidence": 0.9
  }}
]
"#
        )
    );
    assert!(
        !project.path(".forge").exists(),
        "a loop's memory alone makes no memory of ours"
    );
}

#[test]
fn an_entry_is_appended_in_the_existing_layout_and_nothing_else_changes() {
    for (before, head, tail) in [
        ("[]", "[\n  {\n    \"id\"", "}\n]"),
        ("{}", "{\n  \"entries\": [\n    {\n      \"id\"", "    }\n  ]\n}\n"),
        (
            "{\"version\": 1.0}\n",
            "{\"version\": 1.0,\n  \"entries\": [\n    {",
            "    }\n  ]\n}\n",
        ),
        (
            "{\"a\":1e2,\"entries\":[],\"b\":\"\\u00e9\"}",
            "{\"a\":1e2,\"entries\":[\n    {",
            "\n    }\n  ],\"b\":\"\\u00e9\"}",
        ),
        (
            "[{\"id\":\"x\",\"lesson\":\"y\",\"odd\":1.50}]",
            "[{\"id\":\"x\",\"lesson\":\"y\",\"odd\":1.50},{ \"id\"",
            "}]",
        ),
        (
            "[\r\n\t{\"lesson\":\"y\"}\r\n]\r\n",
            "[\r\n\t{\"lesson\":\"y\"},\r\n\t{\r\n\t  \"id\"",
            "\r\n\t}\r\n]\r\n",
        ),
        (
            "[null , 7 ,\n {\"lesson\":\"y\"}]",
            "[null , 7 ,\n {\"lesson\":\"y\"} ,\n { \"id\"",
            "}]",
        ),
        (
            "\u{feff}[ {\"lesson\":\"y\"} ]",
            "\u{feff}[ {\"lesson\":\"y\"}, { \"id\"",
            "} ]",
        ),
        (
            "{\"loop_id\":\"a\",\"learnings\":[\"y\"],\"entries\":[\"z\"]}",
            "{\"loop_id\":\"a\",\"learnings\":[\"y\",{ \"id\"",
            "}],\"entries\":[\"z\"]}",
        ),
    ] {
        let project = Project::with(before);
        let count = project.listed(RalphFilter::default()).len();
        project
            .memory()
            .ralph_add(lesson("something \"new\" \u{2028} [1] {2}"))
            .unwrap();
        let after = project.read(GLOBAL_FILE);
        assert!(
            after.starts_with(head) && after.ends_with(tail),
            "{before:?} became {after:?}"
        );
        assert_eq!(project.listed(RalphFilter::default()).len(), count + 1, "{after}");
    }
}

#[test]
fn a_file_that_is_not_a_store_is_never_written() {
    for (text, code) in [
        ("", "CORRUPT"),
        ("{\"entries\":[", "CORRUPT"),
        ("7", "CORRUPT"),
        ("{\"entries\":{\"a\":1}}", "CORRUPT"),
    ] {
        let project = Project::with(text);
        let before = tree(project.folder.path());
        assert_eq!(
            project.memory().ralph_add(lesson("x")).unwrap_err().code(),
            code,
            "{text}"
        );
        assert_eq!(tree(project.folder.path()), before);
    }
}

#[test]
fn duplicates_and_near_duplicates_are_not_added_and_reversals_are() {
    let project = Project::new();
    let mut memory = project.memory();
    let text = "Always initialise the auth mocks inside beforeEach of the suite and never at module scope of the file";
    let first = memory.ralph_add(lesson(text)).unwrap();
    let before = project.read(GLOBAL_FILE);
    for (again, similarity) in [(text.to_uppercase(), 1.0), (format!("{text} please"), 0.9)] {
        let outcome = memory.ralph_add(lesson(&again)).unwrap();
        assert!(!outcome.added && outcome.similarity.unwrap() >= similarity, "{again}");
        assert_eq!(outcome.entry.id, first.entry.id);
    }
    assert_eq!(project.read(GLOBAL_FILE), before);
    assert!(
        memory
            .ralph_add(lesson(&text.replace("Always", "Never")))
            .unwrap()
            .added
    );
    let other_type = RalphAddInput {
        kind: Some("failure_pattern".into()),
        ..lesson(text)
    };
    assert!(memory.ralph_add(other_type).unwrap().added);
}

#[test]
fn ids_differ_even_in_their_shown_part() {
    let project = Project::new();
    let mut memory = project.memory();
    let word = |n: u32| -> String { n.to_string().bytes().map(|b| char::from(b - b'0' + b'a')).collect() };
    let ids: HashSet<String> = (0..200)
        .map(|n| memory.ralph_add(lesson(&word(n + 1000))).unwrap().entry.id[..8].to_owned())
        .collect();
    assert_eq!(ids.len(), 200);
}

#[test]
fn wrong_input_is_refused_and_nothing_is_written() {
    let project = Project::with(EIGHT);
    let before = tree(project.folder.path());
    let bad: [fn(&mut RalphAddInput); 8] = [
        |input| input.lesson = None,
        |input| input.lesson = Some("  ".into()),
        |input| input.lesson = Some("x".repeat(70_000)),
        |input| input.kind = Some("lesson".into()),
        |input| input.loop_id = Some(String::new()),
        |input| input.iteration = Some(1.5),
        |input| input.iteration = Some(-1.0),
        |input| input.confidence = Some(1.1),
    ];
    for spoil in bad {
        let mut input = lesson("fine");
        spoil(&mut input);
        assert_eq!(project.memory().ralph_add(input).unwrap_err().code(), "INVALID_INPUT");
    }
    assert_eq!(tree(project.folder.path()), before);
}

#[test]
fn secrets_are_redacted_unless_disabled_in_the_settings() {
    let secret = "psql postgres://app:hunter2@db.internal/shop";
    let project = Project::new();
    let outcome = project
        .memory()
        .ralph_add(RalphAddInput {
            context: Some(secret.into()),
            ..lesson(secret)
        })
        .unwrap();
    assert_eq!(outcome.redactions, 2);
    assert!(!project.read(GLOBAL_FILE).contains("hunter2"));
    project.write(".forge.json", r#"{"redact":false}"#);
    let asked = lesson(&format!("{secret} again and again and again"));
    assert_eq!(project.memory().ralph_add(asked).unwrap().redactions, 1);
    project.approve("redact: false");
    project
        .memory()
        .ralph_add(lesson(&format!("{secret} once the user has approved it")))
        .unwrap();
    assert!(project.read(GLOBAL_FILE).contains("hunter2"));
}

#[test]
fn entries_are_captured_when_the_settings_ask_for_it() {
    let project = Project::new();
    project.write(".forge.json", r#"{"ralph":{"capture":true}}"#);
    let mut memory = project.memory();
    for (kind, captured) in [
        ("lesson_learned", "lesson"),
        ("failure_pattern", "gotcha"),
        ("success_pattern", "pattern"),
    ] {
        assert_eq!(captured_type(kind), captured);
        let outcome = memory
            .ralph_add(RalphAddInput {
                kind: Some(kind.into()),
                tags: vec!["auth".into()],
                confidence: Some(0.9),
                ..lesson(&format!("about {kind} only"))
            })
            .unwrap();
        let capture = outcome.capture.unwrap();
        assert!(capture.captured);
        let thought = capture.thought;
        assert_eq!(
            (thought.kind.as_str(), thought.source.as_str()),
            (captured, "ralph/memory")
        );
        assert_eq!(
            (thought.content.as_str(), thought.confidence),
            (outcome.entry.lesson.as_str(), 0.9)
        );
        assert_eq!(thought.tags, ["auth"]);
    }
    assert!(project.read(".forge/openbrain-queue.jsonl").contains("success_pattern"));
    let again = memory.ralph_add(lesson("about lesson_learned only")).unwrap();
    assert!(!again.added && again.capture.unwrap().deduped, "known to both");
}

#[test]
fn the_external_store_is_written_on_request_and_a_link_is_preserved() {
    let project = Project::new();
    let input = RalphAddInput {
        store: Some(Choice::External),
        ..lesson("outside")
    };
    assert_eq!(project.memory().ralph_add(input).unwrap().store, EXTERNAL_FILE);
    assert!(project.path(EXTERNAL_FILE).is_file() && !project.path(GLOBAL_FILE).exists());
    #[cfg(unix)]
    {
        project.write("shared.json", "[]");
        project.write(".aiwg/ralph/x", "");
        std::os::unix::fs::symlink(project.path("shared.json"), project.path(GLOBAL_FILE)).unwrap();
        project.memory().ralph_add(lesson("through a link")).unwrap();
        assert!(project.path(GLOBAL_FILE).symlink_metadata().unwrap().is_symlink());
        assert!(project.read("shared.json").contains("through a link"));
    }
}

#[cfg(unix)]
#[test]
fn the_permissions_of_a_store_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::with("[]");
    std::fs::set_permissions(project.path(GLOBAL_FILE), std::fs::Permissions::from_mode(0o664)).unwrap();
    project.memory().ralph_add(lesson("x")).unwrap();
    let mode = project.path(GLOBAL_FILE).metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o664);
}
