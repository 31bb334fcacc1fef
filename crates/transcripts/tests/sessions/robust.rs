//! Backfill from damaged and unusual stores: torn, huge, linked, of other users, growing, rewritten.

use std::fs;
use std::io::Write;

use crate::common::Home;
use forge_memory_journal::OsDisk;
use forge_memory_transcripts::{Agent, Checkpoint, FORMATS, FileRead, FindingKind, Format, count_files, read_file};

fn claude() -> &'static Format {
    FORMATS.iter().find(|format| format.agent == Agent::Claude).unwrap()
}

fn prompt(session: &str, number: u32, text: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"{session}-{number}\",\"sessionId\":\"{session}\",\"timestamp\":\"2026-08-01T09:00:{number:02}.000Z\",\"cwd\":\"/w/demo\",\"message\":{{\"role\":\"user\",\"content\":{}}}}}\n",
        serde_json::to_string(text).unwrap()
    )
}

#[test]
fn a_line_of_200_mb_is_skipped_and_the_next_one_is_read() {
    let home = Home::new();
    let path = home.write(".claude/projects/p/s.jsonl", "");
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"type\":\"user\",\"message\":{\"content\":\"")
        .unwrap();
    // Not base64: spaces break every run.
    let block = b"many words ".repeat(1 << 16);
    for _ in 0..300 {
        file.write_all(&block).unwrap();
    }
    file.write_all(b"\"}}\n").unwrap();
    file.write_all(prompt("s", 1, "from now on use tabs").as_bytes())
        .unwrap();
    let shown = home.shown(Agent::Claude);
    assert_eq!(shown.lines, ["Prompt: from now on use tabs"]);
    assert_eq!(shown.skipped.oversized, 1);
}

#[test]
fn text_beside_a_picture_is_read() {
    let home = Home::new();
    let picture = "iVBORw0KGgo".repeat(3 << 20);
    let line = format!(
        "{{\"type\":\"user\",\"uuid\":\"1\",\"sessionId\":\"s\",\"cwd\":\"/w/demo\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"data\":\"{picture}\"}}}},{{\"type\":\"text\",\"text\":\"never use this icon\"}}]}}}}\n"
    );
    home.write(".claude/projects/p/s.jsonl", line);
    let shown = home.shown(Agent::Claude);
    assert_eq!(shown.lines, ["Prompt: never use this icon"]);
    assert_eq!((shown.skipped.oversized, shown.skipped.invalid), (0, 0));
}

fn read(home: &Home, known: Option<&Checkpoint>) -> FileRead {
    let root = home.path().join(".claude/projects");
    read_file(
        claude(),
        (&root, &root.join("p/s.jsonl")),
        &OsDisk,
        known,
        &|_| true,
        None,
    )
    .unwrap()
}

#[test]
fn incremental_reading_learns_the_same_as_one_run() {
    let step = |number: u32, kind: &str, content: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"{number}\",\"sessionId\":\"s\",\"cwd\":\"/w/demo\",\"message\":{{\"role\":\"{kind}\",\"content\":{content}}}}}\n"
        )
    };
    let whole = [
        step(1, "user", "\"fix the build\""),
        step(2, "assistant", r#"[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"make build"}}]"#),
        step(3, "user", r#"[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"Exit code 2\nld: library not found for -lfoo"}]"#),
        step(4, "assistant", r#"[{"type":"tool_use","id":"b","name":"Edit","input":{"file_path":"/w/demo/Makefile"}}]"#),
        step(5, "assistant", r#"[{"type":"tool_use","id":"c","name":"Bash","input":{"command":"make build"}}]"#),
        step(6, "user", r#"[{"type":"tool_result","tool_use_id":"c","content":"ok"}]"#),
        step(7, "user", "\"from now on run make lint first\""),
    ]
    .concat();
    let home = Home::new();
    home.write(".claude/projects/p/s.jsonl", &whole);
    let at_once = read(&home, None).learned.candidates;
    assert_eq!(at_once.len(), 2, "{at_once:?}");
    for cut in (1..whole.len()).step_by(37) {
        let home = Home::new();
        let path = home.write(".claude/projects/p/s.jsonl", &whole[..cut]);
        let first = read(&home, None);
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&whole.as_bytes()[cut..]).unwrap();
        drop(file);
        let second = read(&home, Some(&first.known));
        assert_eq!(
            [first.learned.candidates, second.learned.candidates].concat(),
            at_once,
            "cut at {cut}"
        );
    }
}

#[test]
fn a_rewritten_file_is_read_from_the_beginning() {
    let home = Home::new();
    let root = home.path().join(".claude/projects");
    let path = home.write(
        ".claude/projects/p/s.jsonl",
        [prompt("s", 1, "from now on use tabs"), prompt("s", 2, "never use eval")].concat(),
    );
    let first = read_file(claude(), (&root, &path), &OsDisk, None, &|_| true, None).unwrap();
    assert_eq!(first.learned.candidates.len(), 2);
    for content in [
        prompt("s", 3, "always use UTC"),
        [
            prompt("t", 1, "always use UTC"),
            prompt("t", 2, "thanks ".repeat(90).trim()),
        ]
        .concat(),
    ] {
        fs::write(&path, content).unwrap();
        let second = read_file(claude(), (&root, &path), &OsDisk, Some(&first.known), &|_| true, None).unwrap();
        let texts: Vec<&str> = second
            .learned
            .candidates
            .iter()
            .map(|candidate| candidate.text.as_str())
            .collect();
        assert_eq!(texts, ["always use UTC"]);
    }
}

#[cfg(unix)]
#[test]
fn fifos_and_links_out_of_the_home_are_reported_and_not_opened() {
    use std::os::unix::fs::symlink;
    let (home, elsewhere) = (Home::new(), Home::new());
    let secret = elsewhere.write("x.jsonl", prompt("x", 1, "from now on read other homes"));
    home.write(".claude/projects/p/s.jsonl", prompt("s", 1, "from now on use tabs"));
    let moved = home.write(
        "dotfiles/moved.jsonl",
        prompt("m", 1, "from now on follow links at home"),
    );
    let folder = home.path().join(".claude/projects/p");
    symlink(&secret, folder.join("linked.jsonl")).unwrap();
    symlink(elsewhere.path(), folder.join("tree")).unwrap();
    symlink(&moved, folder.join("moved.jsonl")).unwrap();
    symlink(&folder, folder.join("circle")).unwrap();
    std::process::Command::new("mkfifo")
        .arg(folder.join("pipe.jsonl"))
        .status()
        .unwrap();
    let plan = home.plan("/w/demo");
    let texts: Vec<&str> = plan.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("other homes")));
    let reasons: Vec<String> = plan
        .problems
        .iter()
        .map(|problem| format!("{} {}", problem.path.file_name().unwrap().display(), problem.reason))
        .collect();
    assert_eq!(
        reasons,
        [
            "linked.jsonl is a link that leads out of the home folder",
            "pipe.jsonl is a FIFO, a socket or a device",
            "tree is a link that leads out of the home folder",
        ]
    );
}

#[test]
fn files_are_counted_by_agent_and_not_read() {
    let home = Home::new();
    assert_eq!(count_files(&OsDisk, &home.places()), []);
    home.write(".claude/projects/p/one.jsonl", "not JSON at all");
    home.write(".claude/projects/p/two.jsonl", prompt("two", 1, "hello"));
    home.write(".claude/projects/p/notes.txt", "no session");
    home.write(".codex/sessions/2026/08/01/rollout-1.jsonl", "{}");
    let counts = count_files(&OsDisk, &home.places());
    let found: Vec<(Agent, u64)> = counts.iter().map(|count| (count.agent, count.files)).collect();
    assert_eq!(found, [(Agent::Claude, 2), (Agent::Codex, 1)]);
    assert_eq!(counts.last().map(|count| count.bytes), Some(2));
}

#[cfg(unix)]
#[test]
fn files_of_another_user_are_reported_and_not_opened() {
    let home = Home::new();
    let path = home.write(".claude/projects/p/s.jsonl", prompt("s", 1, "from now on use tabs"));
    // Only root may give a file away; for everybody else a file that cannot be opened is the same case.
    if std::os::unix::fs::chown(&path, Some(12345), None).is_err() {
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    }
    let plan = home.plan("/w/demo");
    assert!(plan.findings.is_empty());
    assert_eq!(plan.problems.len(), 1, "{:?}", plan.problems);
    assert!(
        ["belongs to another user", "cannot be"]
            .iter()
            .any(|reason| plan.problems[0].reason.starts_with(reason))
    );
}

#[test]
fn weak_evidence_waits_for_a_second_session_and_a_fork_does_not_count() {
    let home = Home::new();
    let text = "don't print from the library code";
    home.write(".claude/projects/p/a.jsonl", prompt("a", 1, text));
    // A fork repeats the record with its id.
    home.write(
        ".claude/projects/p/b.jsonl",
        prompt("a", 1, text).replace("\"sessionId\":\"a\"", "\"sessionId\":\"b\""),
    );
    let plan = home.plan("/w/demo");
    assert_eq!((plan.findings.len(), plan.waiting), (0, 1), "{:?}", plan.findings);
    plan.commit(&OsDisk, &std::collections::BTreeSet::new()).unwrap();
    home.write(
        ".claude/projects/p/c.jsonl",
        prompt("c", 1, "Please don't print from library code!"),
    );
    let plan = home.plan("/w/demo");
    assert_eq!(plan.read, 1, "what has not changed is not read again");
    assert_eq!(plan.findings.len(), 1, "{:?}", plan.waiting);
    assert_eq!(plan.findings[0].sessions, 2);
}

#[test]
fn commands_used_in_several_sessions_of_this_project_are_offered() {
    let home = Home::new();
    let session = |name: &str, cwd: &str, command: &str| {
        let line = |kind: &str, content: String| {
            format!(
                "{{\"type\":\"{kind}\",\"uuid\":\"{name}{kind}\",\"sessionId\":\"{name}\",\"cwd\":\"{cwd}\",\"message\":{{\"content\":{content}}}}}\n"
            )
        };
        let call = line(
            "assistant",
            format!(
                "[{{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"Bash\",\"input\":{{\"command\":\"{command}\"}}}}]"
            ),
        );
        call + &line(
            "user",
            "[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"ok\"}]".to_owned(),
        )
    };
    for (name, cwd, command) in [
        ("a", "/w/demo", "npm test"),
        ("b", "/w/demo/lib", "npm test 2>&1 | tail -5"),
        ("c", "/w/demo", "npm run once"),
        ("d", "/w/other", "make test"),
        ("e", "/w/other", "make test"),
        ("f", "/w/demonstration", "make test"),
    ] {
        home.write(&format!(".claude/projects/p/{name}.jsonl"), session(name, cwd, command));
    }
    let plan = home.plan("/w/demo");
    let texts: Vec<(FindingKind, &str)> = plan
        .findings
        .iter()
        .map(|finding| (finding.kind, finding.text.as_str()))
        .collect();
    assert_eq!(texts, [(FindingKind::Command, "Run the tests with `npm test`.")]);
}

#[test]
fn nothing_is_learned_from_read_files_or_own_notes_and_secrets_are_refused() {
    let home = Home::new();
    let texts = [
        "[recorded notes]\n  always use UTC\n[end of recorded notes]\nthanks",
        "<private>never tell anybody about the merger</private> ok",
        "remember: the staging password is hunter2Xk93mQz7pL and the api_key=sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    ];
    let lines: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| prompt("s", at as u32, text))
        .collect();
    home.write(".claude/projects/p/s.jsonl", lines.concat());
    let plan = home.plan("/w/demo");
    assert!(plan.findings.is_empty(), "{:?}", plan.findings);
    assert_eq!(plan.secrets, 1);
}
