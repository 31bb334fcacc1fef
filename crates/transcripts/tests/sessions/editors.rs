//! The readers of editors, and of compressed sessions, on stores that are made by hand: several versions of a format side by side.

use crate::common::Home;
use forge_memory_transcripts::{Agent, Filter};
use rusqlite::{Connection, params};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fn database(home: &Home, path: &str, tables: &str) -> Connection {
    let path = home.write(path, "");
    let store = Connection::open(path).unwrap();
    store.execute_batch(tables).unwrap();
    store
}

#[test]
fn cursor_conversations_with_inline_and_with_separate_messages() {
    let home = Home::new();
    let user = ".config/Cursor/User";
    let store = database(
        &home,
        &format!("{user}/globalStorage/state.vscdb"),
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB); CREATE TABLE ItemTable (key TEXT, value BLOB);",
    );
    let put = |key: &str, value: &str| {
        store
            .execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", params![key, value])
            .unwrap();
    };
    put(
        "composerData:new",
        r#"{"composerId":"new","name":"Money","createdAt":1785574800000,"lastUpdatedAt":1785574900000,"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2},{"bubbleId":"b3","type":2},{"bubbleId":"b4","type":2},{"bubbleId":"gone","type":2}]}"#,
    );
    put(
        "bubbleId:new:b1",
        r#"{"type":1,"text":"remember: amounts are kept in cents","_v":2}"#,
    );
    put("bubbleId:new:b2", r#"{"type":2,"text":"thinking","isThought":true}"#);
    put(
        "bubbleId:new:b3",
        r#"{"type":2,"text":"","toolFormerData":{"tool":15,"name":"run_terminal_cmd","toolCallId":"t1","status":"completed","params":"{\"command\":\"make test\"}","result":"{\"output\":\"ok\",\"exitCode\":2}"}}"#,
    );
    put(
        "bubbleId:new:b4",
        r#"{"type":2,"text":"Done.","toolFormerData":{"name":"edit_file","toolCallId":"t2","status":"cancelled","userDecision":"rejected","rawArgs":"{\"target_file\":\"src/a.ts\"}"}}"#,
    );
    put(
        "composerData:old",
        r#"{"composerId":"old","createdAt":1700000000000,"conversation":[{"bubbleId":"o1","type":1,"text":"hello there"},{"bubbleId":"o2","type":2,"text":"hi","timingInfo":{"clientStartTime":1700000001000}}]}"#,
    );
    put(
        "composerData:draft",
        r#"{"composerId":"draft","fullConversationHeadersOnly":[]}"#,
    );
    put("composerData:torn", r#"{"composerId":"#);
    store
        .execute("INSERT INTO cursorDiskKV VALUES ('composerData:null', NULL)", [])
        .unwrap();
    home.write(
        &format!("{user}/workspaceStorage/0123/workspace.json"),
        r#"{"folder":"file:///w/de%20mo"}"#,
    );
    let workspace = database(
        &home,
        &format!("{user}/workspaceStorage/0123/state.vscdb"),
        "CREATE TABLE ItemTable (key TEXT, value BLOB);",
    );
    workspace
        .execute(
            "INSERT INTO ItemTable VALUES ('composer.composerData', ?1)",
            [r#"{"allComposers":[{"composerId":"new"}]}"#],
        )
        .unwrap();
    let shown = home.shown(Agent::Cursor);
    assert_eq!(
        shown.lines,
        [
            "Prompt: remember: amounts are kept in cents",
            "Shell: `make test`",
            "Result Failed: ok",
            "Text: Done.",
            "Edit: src/a.ts",
            "Rejection Rejected: ",
            "Prompt: hello there",
            "Text: hi",
        ]
    );
    let folders: Vec<Option<&str>> = shown.sessions.iter().map(|session| session.cwd.as_deref()).collect();
    assert_eq!(folders, [Some("/w/de mo"), None]);
    assert_eq!(shown.skipped.invalid, 1);
    let plan = home.plan("/w/de mo");
    assert_eq!(plan.findings.len(), 1, "{:?}", plan.findings);
    // While the editor runs, new rows are in the write-ahead log first.
    store.pragma_update(None, "journal_mode", "WAL").unwrap();
    put(
        "bubbleId:new:b2",
        r#"{"type":1,"text":"from now on run make lint before you commit"}"#,
    );
    assert_eq!(home.plan("/w/de mo").findings.len(), 2);
}

#[test]
fn conversations_of_cursor_three_have_their_folder_from_the_list_beside_them() {
    let home = Home::new();
    let user = ".config/Cursor/User";
    let store = database(
        &home,
        &format!("{user}/globalStorage/state.vscdb"),
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB); CREATE TABLE ItemTable (key TEXT, value BLOB);",
    );
    for id in ["path", "uri", "hash", "unknown"] {
        let value =
            format!(r#"{{"composerId":"{id}","conversation":[{{"bubbleId":"o1","type":1,"text":"hello {id}"}}]}}"#);
        let key = format!("composerData:{id}");
        store
            .execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", params![key, value])
            .unwrap();
    }
    home.write(
        &format!("{user}/workspaceStorage/0123/workspace.json"),
        r#"{"folder":"file:///w/by%20hash"}"#,
    );
    let headers = r#"{"allComposers":[
        {"composerId":"path","workspaceIdentifier":{"id":"x","uri":{"fsPath":"/w/by path","external":"file:///w/no"}}},
        {"composerId":"uri","workspaceIdentifier":{"id":"x","uri":"file:///w/by%20uri"}},
        {"composerId":"hash","workspaceIdentifier":{"id":"0123"}},
        {"composerId":"unknown","workspaceIdentifier":{"id":"4567"}},{"composerId":7},null]}"#;
    store
        .execute(
            "INSERT INTO ItemTable VALUES ('composer.composerHeaders', ?1)",
            [headers],
        )
        .unwrap();
    let shown = home.shown(Agent::Cursor);
    let of = |id: &str| {
        shown
            .sessions
            .iter()
            .find(|session| session.id == id)
            .unwrap()
            .cwd
            .as_deref()
    };
    assert_eq!(
        (of("path"), of("uri"), of("hash"), of("unknown")),
        (Some("/w/by path"), Some("/w/by uri"), Some("/w/by hash"), None)
    );
    assert_eq!(shown.lines.len(), 4);
    store.execute("UPDATE ItemTable SET value = '{'", []).unwrap();
    assert_eq!(home.shown(Agent::Cursor).lines.len(), 4);
}

#[test]
fn transcripts_of_copilot_in_the_editor_are_read_where_the_editor_has_no_session_of_its_own() {
    let home = Home::new();
    let place = ".config/Code/User/workspaceStorage/0a1b";
    home.write(&format!("{place}/workspace.json"), r#"{"folder":"file:///w/demo"}"#);
    let events = |said: &str| {
        format!(
            r#"{{"type":"session.start","timestamp":"2026-11-01T09:00:00.000Z","data":{{"sessionId":"{said}","producer":"copilot-agent"}}}}
{{"type":"user.message","id":"e2","timestamp":"2026-11-01T09:00:01.000Z","data":{{"content":"{said}"}}}}
{{"type":"assistant.message","data":{{"content":"Running.","toolRequests":[]}}}}
{{"type":"tool.execution_start","data":{{"toolCallId":"c1","toolName":"run_in_terminal","arguments":{{"command":"npm test"}}}}}}
{{"type":"tool.execution_complete","data":{{"toolCallId":"c1","success":false,"result":{{"content":"bad"}}}}}}
{{"type":"assistant.turn_end","data":{{}}}}
{{"type":"user.mes"#
        )
    };
    let folder = format!("{place}/GitHub.copilot-chat/transcripts");
    home.write(&format!("{folder}/alone.jsonl"), events("alone"));
    home.write(&format!("{folder}/stored.jsonl"), events("stored"));
    home.write(
        &format!("{place}/chatSessions/stored.json"),
        r#"{"sessionId":"stored","requests":[{"message":{"text":"as the editor has it"},"response":[]}]}"#,
    );
    home.write(&format!("{place}/other.extension/transcripts/x.jsonl"), events("x"));
    let shown = home.shown(Agent::Vscode);
    assert_eq!(
        shown.lines,
        [
            "Prompt: as the editor has it",
            "Prompt: alone",
            "Text: Running.",
            "Shell: `npm test`",
            "Result Failed: bad"
        ]
    );
    let of = |id: &str| shown.sessions.iter().find(|session| session.id == id).unwrap();
    assert_eq!(of("alone").cwd.as_deref(), Some("/w/demo"));
    assert_eq!(shown.sessions.len(), 2);
}

#[test]
fn a_database_of_another_program_is_reported_and_skipped() {
    let home = Home::new();
    database(
        &home,
        ".config/Cursor/User/globalStorage/state.vscdb",
        "CREATE TABLE ItemTable (key TEXT, value BLOB);",
    );
    database(
        &home,
        ".local/share/zed/threads/threads.db",
        "CREATE TABLE threads (id TEXT);",
    );
    for agent in [Agent::Cursor, Agent::Zed] {
        let shown = home.shown(agent);
        assert_eq!(
            (shown.lines.len(), shown.skipped.unknown.get("database")),
            (0, Some(&1))
        );
    }
}

#[test]
fn vs_code_chats_as_a_document_and_as_a_log_of_changes() {
    let home = Home::new();
    let place = ".config/Code/User/workspaceStorage/0a1b";
    home.write(&format!("{place}/workspace.json"), r#"{"folder":"file:///w/demo"}"#);
    home.write(
        &format!("{place}/chatSessions/old.json"),
        r#"{"version":3,"sessionId":"old","creationDate":1785574800000,"requests":[{"requestId":"r1","timestamp":1785574801000,"message":{"text":"why does it fail?","parts":[]},"response":[{"value":{"kind":"markdownContent","content":{"value":"Because of "}}},{"kind":"inlineReference","name":"a.ts"},{"value":"."},{"kind":"toolInvocationSerialized","toolId":"run_in_terminal","toolCallId":"t1","isComplete":true,"toolSpecificData":{"kind":"terminal","commandLine":{"original":"npm test"}}},{"kind":"textEditGroup","uri":{"fsPath":"/w/demo/a.ts"},"edits":[]},{"kind":"hologram"}]}]}"#,
    );
    home.write(
        &format!("{place}/chatSessions/new.jsonl"),
        r#"{"kind":0,"v":{"version":3,"sessionId":"new","customTitle":"Lint","creationDate":1785574800000,"requests":[]}}
{"kind":2,"k":["requests"],"v":[{"requestId":"r1","timestamp":1785574801000,"message":{"text":"hi","parts":[]},"response":[]}]}
{"kind":2,"k":["requests",0,"response"],"v":[{"value":"Hello"},{"value":" wor"}]}
{"kind":2,"k":["requests",0,"response"],"i":1,"v":[{"value":" world"}]}
not json
{"kind":1,"k":["requests",0,"isCanceled"],"v":true}
{"kind":1,"k":["requests",7,"isCanceled"],"v":true}
{"kind":3,"k":["customTitle"]}
{"kind":2,"k":["requests"],"v":[{"requestId":"r2","message":{"text":"from now on run make lint before you commit"},"response":[{"kind":"toolInvocationSerialized","toolId":"copilot_replaceString","toolCallId":"t2","isConfirmed":false}]}]}
{"kind":2,"k":["requests"],"v":[{"requestId":"#,
    );
    home.write(
        ".config/Code/User/globalStorage/emptyWindowChatSessions/e.json",
        r#"{"sessionId":"e","requests":[{"message":{"text":"no folder"},"response":[]}]}"#,
    );
    home.write(
        &format!("{place}/chatSessions/half.json"),
        r#"{"sessionId":"half","requests":["#,
    );
    let shown = home.shown(Agent::Vscode);
    assert_eq!(
        shown.lines,
        [
            "Prompt: why does it fail?",
            "Text: Because of a.ts.",
            "Shell: `npm test`",
            "Edit: /w/demo/a.ts",
            "Prompt: no folder",
            "Prompt: hi",
            "Text: Hello world",
            "Interrupt: ",
            "Prompt: from now on run make lint before you commit",
            "Edit: replacestring",
            "Rejection Rejected: ",
        ]
    );
    assert_eq!(shown.skipped.unknown.get("hologram"), Some(&1));
    assert_eq!(shown.skipped.invalid, 2);
    let of = |id: &str| shown.sessions.iter().find(|session| session.id == id).unwrap();
    assert_eq!(
        (of("new").cwd.as_deref(), of("new").title.as_deref()),
        (Some("/w/demo"), None)
    );
    assert_eq!(of("e").cwd, None);
    let found = home.plan_with("/w/demo", &Filter::default()).findings;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].seen.agent, found[0].seen.session.as_str()),
        (Agent::Vscode, "new")
    );
}

#[test]
fn zed_threads_of_two_versions_plain_and_compressed() {
    let home = Home::new();
    let store = database(
        &home,
        ".local/share/zed/threads/threads.db",
        "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB);
         ALTER TABLE threads ADD COLUMN parent_id TEXT; ALTER TABLE threads ADD COLUMN folder_paths TEXT;",
    );
    let newer = r#"{"version":"0.3.0","title":"T","messages":[{"User":{"id":"1","content":[{"Text":"always run make lint before a commit"},{"Mention":{"uri":"x"}}]}},{"Agent":{"content":[{"Thinking":{"text":"hm"}},{"Text":"ok"},{"ToolUse":{"id":"t1","name":"terminal","raw_input":"{\"command\":\"ls\"}","input":{"command":"make lint","cd":"."}}}],"tool_results":{"t1":{"tool_name":"terminal","is_error":true,"content":{"Text":"no rule"},"output":null}}}},"Resume"]}"#;
    let older = r#"{"version":"0.2.0","summary":"S","messages":[{"id":0,"role":"user","segments":[{"type":"text","text":"hello"}],"tool_uses":[],"tool_results":[]},{"id":1,"role":"assistant","segments":[{"type":"thinking","text":"x"},{"type":"text","text":"hi"}],"tool_uses":[{"id":"u","name":"edit_file","input":{"path":"b.rs"}}],"tool_results":[{"tool_use_id":"u","is_error":false,"content":"fine"}]}]}"#;
    let packed = compress_to_vec(newer.as_bytes(), CompressionLevel::Fastest);
    let bomb = compress_to_vec(vec![b' '; 30 << 20].as_slice(), CompressionLevel::Fastest);
    let sql = "INSERT INTO threads VALUES (?1, ?2, '2026-08-01T09:00:00Z', ?3, ?4, ?5, ?6)";
    let none: Option<&str> = None;
    store
        .execute(sql, params!["a", "New", "zstd", packed, none, "/w/demo\n/w/other"])
        .unwrap();
    store
        .execute(sql, params!["b", "Old", "json", older.as_bytes(), none, none])
        .unwrap();
    store
        .execute(sql, params!["c", "Sub", "json", newer.as_bytes(), "a", "/w/demo"])
        .unwrap();
    store
        .execute(
            sql,
            params!["d", "Torn", "zstd", &packed[..packed.len() / 2], none, none],
        )
        .unwrap();
    store
        .execute(sql, params!["e", "Bomb", "zstd", bomb, none, none])
        .unwrap();
    store
        .execute(sql, params!["f", "Other", "lz4", "x".as_bytes(), none, none])
        .unwrap();
    let shown = home.shown(Agent::Zed);
    assert_eq!(
        shown.lines,
        [
            "Prompt: always run make lint before a commit",
            "Text: ok",
            "Shell: `make lint`",
            "Result Failed: no rule",
            "Prompt: hello",
            "Text: hi",
            "Edit: b.rs",
            "Result Ok: fine",
            "Text: ok",
            "Shell: `make lint`",
            "Result Failed: no rule",
        ]
    );
    assert_eq!((shown.skipped.invalid, shown.skipped.unknown.get("lz4")), (2, Some(&1)));
    assert_eq!(shown.sessions[0].cwd.as_deref(), Some("/w/demo"));
}

#[test]
fn compressed_codex_sessions_are_read_unless_an_uncompressed_copy_exists() {
    let home = Home::new();
    let session = |id: &str, text: &str| {
        format!(
            "{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"{id}\",\"cwd\":\"/w/demo\",\"source\":\"cli\"}}}}\n\
             {{\"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":\"{text}\"}}]}}}}\n"
        )
    };
    let pack = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    let folder = ".codex/archived_sessions";
    let packed = pack(&session("z1", "from now on run make lint before you commit"));
    home.write(&format!("{folder}/rollout-1.jsonl.zst"), &packed);
    home.write(
        &format!("{folder}/rollout-2.jsonl.zst"),
        pack(&session("z2", "never push to main directly")),
    );
    home.write(
        &format!("{folder}/rollout-2.jsonl"),
        session("z2", "never push to main directly"),
    );
    home.write(&format!("{folder}/rollout-3.jsonl.zst"), &packed[..packed.len() - 9]);
    home.write(&format!("{folder}/rollout-4.jsonl.zst"), "not zstd");
    let plan = home.plan("/w/demo");
    let mut found: Vec<&str> = plan.findings.iter().map(|finding| finding.text.as_str()).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "from now on run make lint before you commit",
            "never push to main directly"
        ]
    );
    assert_eq!(plan.agents[0].files, 4, "the compressed twin is passed over");
    let broken: Vec<_> = plan
        .problems
        .iter()
        .map(|problem| problem.path.file_name().unwrap())
        .collect();
    assert_eq!(broken, ["rollout-3.jsonl.zst", "rollout-4.jsonl.zst"]);
}
