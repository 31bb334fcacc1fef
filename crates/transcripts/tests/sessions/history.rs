//! The history of damaged and unusual stores: torn, huge, linked, growing, in databases, compressed.

use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::common::Home;
use forge_memory_core::progress::Progress;
use forge_memory_core::{Result, TextEmbedder};
use forge_memory_journal::OsDisk;
use forge_memory_transcripts::{Agent, Forget, Found, History, HistoryFilter, Updated};
use rusqlite::{Connection, params};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fn with<T>(home: &Home, work: impl FnOnce(&History<'_>) -> T) -> T {
    with_model(home, None, work)
}

fn with_model<T>(home: &Home, model: Option<Letters>, work: impl FnOnce(&History<'_>) -> T) -> T {
    let (places, progress) = (home.places(), Progress::default());
    work(&History {
        disk: Arc::new(OsDisk),
        places: &places,
        home: &home.path().join(".forge"),
        embedder: model.map(|model| Arc::new(model) as Arc<dyn TextEmbedder>),
        progress: &progress,
    })
}

/// A model to which texts of the same letters are the same, and all others a little.
#[derive(Debug)]
struct Letters {
    key: &'static str,
    alike: f32,
}

impl TextEmbedder for Letters {
    fn model(&self) -> &str {
        self.key
    }

    fn is_installed(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let vector = |text: &&str| {
            let mut vector = vec![0.0; 27];
            for letter in text.bytes().filter(u8::is_ascii_lowercase) {
                vector[usize::from(letter - b'a')] += 1.0;
            }
            vector[26] = self.alike * text.len() as f32;
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// The sessions that a model finds, in order, after an update of at most `limit`.
fn found_with(home: &Home, model: Letters, query: &str, limit: Option<Duration>) -> Vec<String> {
    let filter = HistoryFilter {
        limit: Some(50),
        ..HistoryFilter::default()
    };
    let found = with_model(home, Some(model), |history| history.search(query, &filter, limit)).unwrap();
    found.hits.into_iter().map(|hit| hit.session).collect()
}

fn search(home: &Home, query: &str) -> Found {
    with(home, |history| history.search(query, &HistoryFilter::default(), None)).unwrap()
}

fn sessions(home: &Home, query: &str) -> Vec<String> {
    let mut found: Vec<String> = search(home, query).hits.into_iter().map(|hit| hit.session).collect();
    found.sort();
    found
}

fn update(home: &Home) -> Updated {
    with(home, |history| history.update(None)).unwrap()
}

fn prompt(session: &str, number: u32, text: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"{session}-{number}\",\"sessionId\":\"{session}\",\"timestamp\":\"2026-08-01T09:00:{number:02}.000Z\",\"cwd\":\"/w/demo\",\"message\":{{\"role\":\"user\",\"content\":{}}}}}\n",
        serde_json::to_string(text).unwrap()
    )
}

#[test]
fn an_empty_query_lists_the_newest_sessions_that_no_other_one_started() {
    let home = Home::new();
    let at = |session: &str, day: u32, text: &str| {
        prompt(session, 1, text).replace("2026-08-01", &format!("2026-08-{day:02}"))
    };
    let title = "{\"type\":\"summary\",\"summary\":\"Tall animals\",\"leafUuid\":\"old-1\"}\n";
    home.write(
        ".claude/projects/p/old.jsonl",
        at("old", 3, "the giraffe") + &at("old", 4, "again") + title,
    );
    home.write(".claude/projects/p/new.jsonl", at("new", 9, "the hippo"));
    home.write(
        ".claude/projects/q/other.jsonl",
        at("other", 8, "elsewhere").replace("/w/demo", "/w/other"),
    );
    home.write(
        ".claude/projects/p/old/subagents/agent-1.jsonl",
        at("old", 10, "a part of it").replace(
            "\"type\":\"user\"",
            "\"isSidechain\":true,\"agentId\":\"1\",\"type\":\"user\"",
        ),
    );
    let list = |filter: &HistoryFilter| with(&home, |history| history.search(" ", filter, None)).unwrap().hits;
    let all = list(&HistoryFilter::default());
    let told: Vec<_> = all.iter().map(|hit| (hit.session.as_str(), hit.turn_count)).collect();
    assert_eq!(told, [("new", 1), ("other", 1), ("old", 2)]);
    assert_eq!(all[2].turns[0].text, "the giraffe");
    assert!(all[2].ended_ms > all[2].started_ms);
    assert_eq!(all[2].resume.as_deref(), Some("claude --resume old"));
    let few = HistoryFilter {
        limit: Some(1),
        ..HistoryFilter::default()
    };
    assert_eq!(list(&few)[0].session, "new");
    let page = |query: &str, offset: usize| {
        let filter = HistoryFilter { offset, ..few.clone() };
        let found = with(&home, |history| history.search(query, &filter, None)).unwrap();
        (found.hits.first().map(|hit| hit.session.clone()), found.has_more)
    };
    let pages = [0, 1, 2, 3].map(|offset| page("", offset));
    let told = pages
        .each_ref()
        .map(|(session, more)| (session.as_deref().unwrap_or(""), *more));
    assert_eq!(told, [("new", true), ("other", true), ("old", false), ("", false)]);
    let (first, second) = (page("giraffe hippo", 0), page("giraffe hippo", 1));
    assert!(first.1 && first.0 != second.0 && !second.1, "{first:?} {second:?}");
    let here = HistoryFilter {
        project: Some("/w/other".into()),
        ..HistoryFilter::default()
    };
    assert_eq!(
        list(&here).iter().map(|hit| hit.session.as_str()).collect::<Vec<_>>(),
        ["other"]
    );
    let codex = HistoryFilter {
        agents: vec![Agent::Codex],
        ..HistoryFilter::default()
    };
    assert!(list(&codex).is_empty());
    assert!(
        with(&home, |history| history.search("...", &few, None)).is_err(),
        "characters without words"
    );
}

#[test]
fn huge_torn_and_picture_lines_do_not_hide_other_lines() {
    let home = Home::new();
    let path = home.write(".claude/projects/p/s.jsonl", prompt("s", 1, "the giraffe is tall"));
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"type\":\"user\",\"message\":{\"content\":\"")
        .unwrap();
    let block = b"many words ".repeat(1 << 16);
    for _ in 0..290 {
        file.write_all(&block).unwrap();
    }
    file.write_all(b"\"}}\n").unwrap();
    let picture = "iVBORw0KGgo".repeat(1 << 20);
    let line = format!(
        "{{\"type\":\"user\",\"uuid\":\"p\",\"sessionId\":\"s\",\"cwd\":\"/w/demo\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"image\",\"source\":{{\"data\":\"{picture}\"}}}},{{\"type\":\"text\",\"text\":\"an elephant in the picture\"}}]}}}}\n"
    );
    file.write_all(line.as_bytes()).unwrap();
    file.write_all(b"not json at all\n\xff\xfe\n").unwrap();
    // Half a record: the agent is still writing.
    let next = prompt("s", 9, "the hippo swims");
    file.write_all(&next.as_bytes()[..next.len() / 2]).unwrap();
    for word in ["giraffe", "elephant"] {
        assert_eq!(sessions(&home, word), ["s"], "{word}");
    }
    assert_eq!(sessions(&home, "hippo"), [""; 0]);
    file.write_all(&next.as_bytes()[next.len() / 2..]).unwrap();
    assert_eq!(sessions(&home, "hippo"), ["s"]);
}

#[cfg(unix)]
#[test]
fn fifos_and_links_out_of_the_home_are_reported_and_not_opened() {
    use std::os::unix::fs::symlink;
    let (home, elsewhere) = (Home::new(), Home::new());
    let secret = elsewhere.write("x.jsonl", prompt("x", 1, "a giraffe of another home"));
    home.write(".claude/projects/p/s.jsonl", prompt("s", 1, "a giraffe at home"));
    let folder = home.path().join(".claude/projects/p");
    symlink(&secret, folder.join("linked.jsonl")).unwrap();
    symlink(elsewhere.path(), folder.join("folder")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("fifo.jsonl"))
        .status()
        .unwrap();
    assert!(made.success());
    let found = search(&home, "giraffe");
    assert_eq!(found.hits.len(), 1);
    let told: Vec<&str> = found
        .updated
        .problems
        .iter()
        .map(|problem| problem.reason.as_str())
        .collect();
    assert_eq!(told.len(), 3, "{told:?}");
    // A file that was indexed and is now a link to another home is not read back.
    fs::remove_file(folder.join("s.jsonl")).unwrap();
    symlink(&secret, folder.join("s.jsonl")).unwrap();
    assert_eq!(sessions(&home, "giraffe"), [""; 0]);
}

#[test]
fn incremental_indexing_gives_the_same_turns_as_one_run() {
    let whole: String = (1..20)
        .map(|number| prompt("s", number, &format!("topic{number} and more")))
        .collect();
    let at_once = Home::new();
    at_once.write(".claude/projects/p/s.jsonl", &whole);
    let turns = |home: &Home| {
        update(home);
        with(home, |history| history.status()).unwrap().turns
    };
    assert_eq!(turns(&at_once), 19);
    for cut in (1..whole.len()).step_by(211) {
        let home = Home::new();
        let path = home.write(".claude/projects/p/s.jsonl", &whole[..cut]);
        update(&home);
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&whole.as_bytes()[cut..]).unwrap();
        drop(file);
        assert_eq!(turns(&home), 19, "cut at {cut}");
        assert_eq!(
            search(&home, "topic7").hits[0]
                .turns
                .iter()
                .filter(|turn| turn.is_match)
                .count(),
            1
        );
    }
}

#[test]
fn databases_and_compressed_files_are_indexed_and_their_write_ahead_logs_too() {
    let home = Home::new();
    let path = home.write(".local/share/opencode/opencode.db", "");
    let store = Connection::open(path).unwrap();
    store
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
             CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
             CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
             INSERT INTO session VALUES ('ses_1', NULL, '/w/demo', 'Zoo token=ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5', 1785574800000);
             INSERT INTO message VALUES ('m1', 'ses_1', 1785574801000, '{\"role\":\"user\"}');
             INSERT INTO part VALUES ('p1', 'm1', 'ses_1', '{\"type\":\"text\",\"text\":\"feed the giraffe\"}');",
        )
        .unwrap();
    let found = search(&home, "giraffe");
    let hit = &found.hits[0];
    assert_eq!(
        (hit.agent, hit.resume.as_deref()),
        (Agent::Opencode, Some("opencode --session ses_1"))
    );
    assert!(
        hit.title
            .as_deref()
            .is_some_and(|title| title.starts_with("Zoo") && !title.contains("ghp_aB3d"))
    );
    assert_eq!(hit.turns[0].text, "feed the giraffe");
    assert_eq!(update(&home).read, 0, "a log that has not changed is not read again");
    store
        .execute(
            "INSERT INTO part VALUES ('p2', 'm1', 'ses_1', ?1)",
            params![r#"{"type":"text","text":"wash the hippo"}"#],
        )
        .unwrap();
    assert_eq!(sessions(&home, "hippo"), ["ses_1"]);
    let session = r#"{"type":"session_meta","payload":{"id":"z1","cwd":"/w/demo","source":"cli"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"comb the walrus"}]}}
"#;
    let packed = compress_to_vec(session.as_bytes(), CompressionLevel::Fastest);
    home.write(".codex/archived_sessions/rollout-1.jsonl.zst", packed);
    let found = search(&home, "walrus");
    assert_eq!(found.hits[0].turns[0].text, "comb the walrus");
    assert_eq!(found.hits[0].resume.as_deref(), Some("codex resume z1"));
}

#[test]
fn rare_and_repeated_words_weigh_more() {
    let home = Home::new();
    home.write(
        ".claude/projects/p/rare.jsonl",
        prompt("rare", 1, "the giraffe and the quagga share a stable"),
    );
    home.write(
        ".claude/projects/p/often.jsonl",
        prompt("often", 1, "giraffe giraffe giraffe share a stable"),
    );
    for number in 0..8 {
        let name = format!("common-{number}");
        home.write(
            &format!(".claude/projects/p/{name}.jsonl"),
            prompt(&name, 1, "the giraffe of the zoo has a stable now"),
        );
    }
    home.write(".claude/projects/p/other.jsonl", prompt("other", 1, "feed the hippo"));
    assert_eq!(search(&home, "giraffe quagga").hits[0].session, "rare");
    assert_eq!(search(&home, "giraffe").hits[0].session, "often");
}

#[test]
fn turns_of_subagents_rank_lower_and_errors_and_commands_are_indexed() {
    let home = Home::new();
    home.write(".claude/projects/p/s.jsonl", prompt("s", 1, "tune the giraffe"));
    home.write(
        ".claude/projects/p/s/subagents/agent-1.jsonl",
        r#"{"type":"user","uuid":"x1","sessionId":"s","isSidechain":true,"agentId":"1","cwd":"/w/demo","message":{"role":"user","content":"tune the giraffe"}}
{"type":"assistant","uuid":"x2","sessionId":"s","isSidechain":true,"agentId":"1","cwd":"/w/demo","message":{"role":"assistant","content":[{"type":"text","text":"the giraffe is tuned"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"zebrafish --stripes"}}]}}
{"type":"user","uuid":"x3","sessionId":"s","isSidechain":true,"agentId":"1","cwd":"/w/demo","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"Exit code 127\nzebrafish: command not found, try quagga"}]}}
"#,
    );
    let hits = search(&home, "giraffe").hits;
    assert_eq!(hits.len(), 2);
    assert_eq!((hits[0].session.as_str(), hits[0].parent.as_deref()), ("s", None));
    assert_eq!(
        (hits[1].parent.as_deref(), hits[1].resume.as_deref()),
        (Some("s"), None)
    );
    for word in ["zebrafish", "quagga"] {
        assert_eq!(search(&home, word).hits[0].parent.as_deref(), Some("s"), "{word}");
    }
    // Forgetting a session includes the sessions that it started.
    let forgotten = with(&home, |history| {
        history.forget(&Forget::Session("s".into()), 1_800_000_000_000)
    })
    .unwrap();
    assert_eq!((forgotten, sessions(&home, "giraffe").len()), (2, 0));
}

#[test]
fn vectors_of_a_former_model_are_not_compared_before_they_are_replaced() {
    let home = Home::new();
    home.write(".claude/projects/p/s.jsonl", prompt("s", 1, "below"));
    let model = |key| Letters { key, alike: 0.0 };
    let no_time = Some(Duration::ZERO);
    assert_eq!(found_with(&home, model("one"), "elbow", None), ["s"]);
    assert_eq!(found_with(&home, model("other"), "elbow", no_time), [""; 0]);
    assert_eq!(found_with(&home, model("one"), "elbow", no_time), ["s"]);
    assert_eq!(found_with(&home, model("other"), "elbow", None), ["s"]);
}

#[test]
fn a_model_to_which_all_texts_are_alike_finds_what_stands_out() {
    let home = Home::new();
    for number in 0..30_u32 {
        let letter = |at: u32| char::from_u32(u32::from(b'a') + (number * 5 + at * at * (number % 7 + 1)) % 26);
        let word: String = (0..6).filter_map(letter).collect();
        let session = format!("s{number}");
        home.write(
            &format!(".claude/projects/p/{session}.jsonl"),
            prompt(&session, 1, &word),
        );
    }
    home.write(".claude/projects/p/s.jsonl", prompt("s", 1, "below"));
    let narrow = Letters {
        key: "narrow",
        alike: 0.7,
    };
    let found = found_with(&home, narrow, "elbow", None);
    assert_eq!(found.first().map(String::as_str), Some("s"));
    assert!(found.len() < 16, "nearly all are near: {found:?}");
}

#[test]
fn a_session_with_more_turns_about_it_comes_first() {
    let home = Home::new();
    home.write(
        ".claude/projects/p/both.jsonl",
        prompt("both", 1, "the giraffe") + &prompt("both", 2, "the quagga"),
    );
    home.write(
        ".claude/projects/p/one.jsonl",
        prompt("one", 1, "the giraffe, a giraffe"),
    );
    home.write(".claude/projects/p/other.jsonl", prompt("other", 1, "feed the hippo"));
    assert_eq!(search(&home, "giraffe quagga").hits[0].session, "both");
    assert_eq!(search(&home, "giraffe").hits[0].session, "one");
}

#[test]
fn private_sessions_and_private_parts_are_not_indexed() {
    let home = Home::new();
    home.write(
        ".codex/sessions/rollout-1.jsonl",
        r#"{"type":"session_meta","payload":{"id":"c1","cwd":"/w/demo","source":"cli","memory_mode":"disabled"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"the giraffe is a secret"}]}}
"#,
    );
    home.write(
        ".claude/projects/p/s.jsonl",
        prompt("s", 1, "the hippo <private>has a giraffe</private> swims"),
    );
    assert_eq!(sessions(&home, "giraffe"), [""; 0]);
    let found = search(&home, "hippo");
    assert!(found.hits[0].turns.iter().all(|turn| !turn.text.contains("giraffe")));
}

#[test]
fn an_update_that_runs_out_of_time_continues_later_and_updates_do_not_block_each_other() {
    let home = Home::new();
    for number in 0..20 {
        home.write(
            &format!(".claude/projects/p/s{number}.jsonl"),
            prompt(&format!("s{number}"), 1, "the giraffe"),
        );
    }
    let first = with(&home, |history| history.update(Some(Duration::ZERO))).unwrap();
    assert_eq!((first.read, first.pending), (0, 20));
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(|| update(&home));
        (update(&home), other.join().unwrap())
    });
    assert!(one.read + other.read >= 20 || one.is_elsewhere || other.is_elsewhere);
    update(&home);
    assert_eq!(with(&home, |history| history.status()).unwrap().turns, 20);
}
