use forge_memory_ralph::{ClearOptions, PageRequest, RalphFilter};

use crate::support::{EIGHT, HasLessons, Project, of_loop, since, text};

const EMPTY: &str = "No memory entries found.

Al accumulates memory as it runs loops. Start a loop:
  /ralph \"your task\" --completion \"criteria\"
";

/// The four rows of the example, with the lessons as they are shown there.
const FOUR: &str = r#"[
 {"id":"mem_g7h8i9","loopId":"def456","iteration":2,"createdAt":"2026-03-28T11:00:00Z","type":"failure_pattern","lesson":"ts-node does not support isolatedModules by default"},
 {"id":"mem_c3d4e5","loopId":"abc123","iteration":3,"createdAt":"2026-04-01T10:41:00Z","type":"lesson_learned","lesson":"Use jest.resetAllMocks() in afterEach"},
 {"id":"mem_a1b2c3","loopId":"abc123","iteration":2,"createdAt":"2026-04-01T10:42:00Z","type":"failure_pattern","lesson":"Auth mocks must be in beforeEach, not module scope"},
 {"id":"mem_e5f6g7","loopId":"def456","iteration":5,"createdAt":"2026-03-28T12:00:00Z","type":"success_pattern","lesson":"ESM imports require .js extension in TypeScript"}
]"#;

#[test]
fn a_list_is_a_table_newest_first() {
    assert_eq!(
        Project::with(FOUR).list_page(RalphFilter::default(), None),
        "Al Memory \u{2014} 4 entries

| ID       | Type            | Loop   | Iter | Lesson                                              | Date       |
|----------|-----------------|--------|------|-----------------------------------------------------|------------|
| mem_a1b2 | failure_pattern | abc123 | 2    | Auth mocks must be in beforeEach, not module scope  | 2026-04-01 |
| mem_c3d4 | lesson_learned  | abc123 | 3    | Use jest.resetAllMocks() in afterEach               | 2026-04-01 |
| mem_e5f6 | success_pattern | def456 | 5    | ESM imports require .js extension in TypeScript     | 2026-03-28 |
| mem_g7h8 | failure_pattern | def456 | 2    | ts-node does not support isolatedModules by default | 2026-03-28 |

Use /ralph-memory query --query \"<text>\" to search.
"
    );
}

#[test]
fn one_entry_is_one_entry() {
    let page = Project::with(r#"[{"id":"mem_1","lesson":"x"}]"#).list_page(RalphFilter::default(), None);
    assert!(
        page.starts_with("Al Memory \u{2014} 1 entry\n\n| ID    | Type | Loop | Iter | Lesson | Date |\n"),
        "{page}"
    );
    assert!(
        page.contains("\n| mem_1 |      |      |      | x      |      |\n"),
        "{page}"
    );
}

#[test]
fn a_query_shows_ranked_blocks() {
    let project = Project::with(EIGHT);
    assert_eq!(
        project.query_page("auth mocks"),
        "Al Memory \u{2014} query: \"auth mocks\"

3 matching entries (ranked by relevance):

1. [mem_a1b2] failure_pattern \u{2014} confidence 0.90
   Lesson: Auth mocks must be in beforeEach, not module scope
   Context: src/auth/auth.test.ts iteration 2
   Tags: auth, mocks, jest
   Loop: abc123, Iter: 2, Date: 2026-04-01

2. [mem_c3d4] lesson_learned \u{2014} confidence 0.80
   Lesson: Use jest.resetAllMocks() in afterEach to prevent mock state leakage
   Context: src/auth/auth.test.ts iteration 3
   Tags: auth, jest, cleanup
   Loop: abc123, Iter: 3, Date: 2026-04-01

3. [mem_x9y0] failure_pattern \u{2014} confidence 0.60
   Lesson: Passport mock must stub req.user before middleware chain
   Context: src/auth/middleware.test.ts
   Tags: auth, passport, mocks
   Loop: ghi789, Iter: 1, Date: 2026-03-25
"
    );
    assert_eq!(
        project.query_page("quantum"),
        "No memory entries match \"quantum\".

Try broader terms or list all entries:
  /ralph-memory list
"
    );
}

#[test]
fn nothing_stored_and_nothing_there_are_told_apart() {
    let missing = |file: &str| {
        format!(
            "No Al memory found at {file}.

Al has not accumulated any memory yet. Run a loop first:
  /ralph \"your task\" --completion \"criteria\"
"
        )
    };
    let none = Project::new();
    assert_eq!(
        none.list_page(RalphFilter::default(), None),
        missing(".aiwg/ralph/memory.json")
    );
    assert_eq!(none.query_page("x"), missing(".aiwg/ralph/memory.json"));
    let external = RalphFilter {
        store: Some("external".into()),
        ..RalphFilter::default()
    };
    assert_eq!(
        none.list_page(external, None),
        missing(".aiwg/ralph-external/memory.json")
    );
    for empty in ["[]", "{}", r#"{"entries":[]}"#, "\u{feff}[ ]"] {
        assert_eq!(
            Project::with(empty).list_page(RalphFilter::default(), None),
            EMPTY,
            "{empty}"
        );
    }
    assert_eq!(Project::with(EIGHT).list_page(since("2026-04-02"), None), EMPTY);
}

#[test]
fn a_store_that_is_no_json_has_a_page_of_its_own() {
    for broken in [
        "",
        "  ",
        "{",
        "[1,",
        "[] x",
        "nul",
        "\"text\"",
        "42",
        "{\"entries\":[{}]",
    ] {
        let project = Project::with(broken);
        let mut memory = project.memory();
        let request = PageRequest {
            query: Some("x".into()),
            ..PageRequest::default()
        };
        let pages = [
            memory.ralph_list_page(&request).unwrap(),
            memory.ralph_query_page(&request).unwrap(),
            memory.ralph_clear_page(&ClearOptions::default()).unwrap().0,
        ];
        for page in pages {
            assert_eq!(page.problem.unwrap().code(), "CORRUPT", "{broken}");
            assert_eq!(
                text(page.bytes),
                "Memory file is not valid JSON: .aiwg/ralph/memory.json

Options:
1. Delete and start fresh: rm .aiwg/ralph/memory.json
2. Inspect manually to repair
"
            );
        }
        assert_eq!(project.read(".aiwg/ralph/memory.json"), broken);
    }
}

#[test]
fn a_query_without_words_shows_how_it_is_used() {
    let project = Project::with(EIGHT);
    for query in [None, Some(""), Some("  ")] {
        let request = PageRequest {
            query: query.map(str::to_owned),
            ..PageRequest::default()
        };
        let page = project.memory().ralph_query_page(&request).unwrap();
        assert_eq!(page.problem.unwrap().code(), "INVALID_INPUT");
        assert_eq!(
            text(page.bytes),
            "Error: --query is required for the 'query' subcommand.

Usage:
  /ralph-memory query --query \"auth mocks\"
  /ralph-memory query --query \"typescript\" --since 7d
"
        );
    }
}

fn clear(project: &Project, loop_id: Option<&str>, dry_run: bool) -> String {
    let options = ClearOptions {
        loop_id: loop_id.map(str::to_owned),
        dry_run,
        ..ClearOptions::default()
    };
    text(project.memory().ralph_clear_page(&options).unwrap().0.bytes)
}

#[test]
fn clearing_asks_with_a_line_for_each_loop() {
    let project = Project::with(EIGHT);
    for (id, title) in [
        ("abc123", "Fix auth tests"),
        ("def456", "ESM migration"),
        ("ghi789", "Middleware fix"),
    ] {
        let file = format!(".aiwg/ralph-external/loops/{id}/session-state.json");
        project.write(&file, &format!(r#"{{"loopId":"{id}","objective":"{title}"}}"#));
    }
    assert_eq!(
        clear(&project, None, true),
        "This will permanently delete 8 memory entries.

Entries by loop:
  abc123 \u{2014} 3 entries (Fix auth tests, 2026-04-01)
  def456 \u{2014} 4 entries (ESM migration, 2026-03-28)
  ghi789 \u{2014} 1 entry  (Middleware fix, 2026-03-25)

Type 'yes' to confirm:
"
    );
    assert_eq!(project.read(".aiwg/ralph/memory.json"), EIGHT);
}

#[test]
fn clearing_everything_says_which_file_was_reset() {
    let project = Project::with(EIGHT);
    assert_eq!(
        clear(&project, None, false),
        "Al memory cleared. 8 entries deleted.

Memory file reset: .aiwg/ralph/memory.json
"
    );
    assert_eq!(project.read(".aiwg/ralph/memory.json"), "[]\n");
    assert_eq!(clear(&project, None, false), EMPTY);
}

#[test]
fn clearing_one_loop_says_what_remains() {
    let project = Project::with(EIGHT);
    assert_eq!(
        clear(&project, Some("abc123"), false),
        "Cleared 3 memory entries for loop abc123.

Remaining entries: 5 (in other loops)
"
    );
    assert_eq!(project.listed(RalphFilter::default()).len(), 5);
    assert_eq!(
        clear(&project, Some("ghi789"), false),
        "Cleared 1 memory entry for loop ghi789.

Remaining entries: 4 (in other loops)
"
    );
    assert_eq!(
        project.memory().ralph_list(&of_loop("ghi789")).unwrap_err().code(),
        "NOT_FOUND"
    );
}

#[test]
fn bars_line_breaks_and_controls_cannot_break_the_table() {
    let lesson = "a | b\\n| c\\r\\n\\u001b[31m\\u202e d\\\\| \\u2028 e";
    let store = format!(r#"[{{"id":"mem_1","loopId":"l|1\n","lesson":"{lesson}","tags":["t\nt"]}}]"#);
    let project = Project::with(&store);
    let page = project.list_page(RalphFilter::default(), None);
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 3, "{page}");
    assert!(rows[2].contains("l\\|1 "), "{page}");
    assert!(
        rows[2].contains("a \\| b \\| c \\u{1b}[31m\\u{202e} d\\ \\| e"),
        "{page}"
    );
    let lengths: Vec<usize> = rows.iter().map(|row| row.chars().count()).collect();
    assert!(lengths.iter().all(|len| *len == lengths[0]), "{page}");
    assert!(!project.query_page("a").contains("\nt"), "a tag stays on its line");
}

#[test]
fn long_lessons_are_cut_to_the_width_and_wide_characters_count_double() {
    let lesson = "教訓を覚える".repeat(20);
    let store = format!(
        r#"[{{"id":"mem_1","lesson":"{lesson}"}},{{"id":"mem_2","lesson":"{}"}}]"#,
        "word ".repeat(40)
    );
    let project = Project::with(&store);
    let columns = |line: &str| {
        line.chars()
            .map(|c| if c > '\u{1100}' && c != '\u{2026}' { 2 } else { 1 })
            .sum::<usize>()
    };
    let page = project.list_page(RalphFilter::default(), Some(80));
    for line in page.lines().filter(|line| line.starts_with('|')) {
        assert_eq!(columns(line), 80, "{line}");
    }
    assert_eq!(page.matches('\u{2026}').count(), 2);
    let whole = project.list_page(RalphFilter::default(), None);
    assert!(whole.contains(&lesson) && !whole.contains('\u{2026}'));
    let narrow = project.list_page(RalphFilter::default(), Some(1));
    assert!(narrow.contains("word word word word\u{2026}"), "{narrow}");
}

#[test]
fn one_very_long_lesson_does_not_make_every_row_as_long() {
    let long = "word ".repeat(20_000);
    let project = Project::with(&format!(
        r#"[{{"id":"mem_1","lesson":"{long}"}},{{"id":"mem_2","lesson":"short","loopId":"{}"}}]"#,
        "l".repeat(1000)
    ));
    let page = project.list_page(RalphFilter::default(), None);
    assert!(page.contains(long.trim()), "off a terminal it is whole");
    assert!(page.len() < long.len() + 6000, "{}", page.len());
    let page = project.list_page(RalphFilter::default(), Some(100));
    assert!(page.len() < 6000, "{}", page.len());
}
