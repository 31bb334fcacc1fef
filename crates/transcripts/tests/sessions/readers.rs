//! Every reader, on hand-made stores with several versions of each format.

use crate::common::Home;
use forge_memory_transcripts::Agent;
use rusqlite::Connection;

#[test]
fn claude_code_files_of_two_generations() {
    let home = Home::new();
    let head = r#""sessionId":"s1","timestamp":"2026-08-01T09:00:00.000Z","cwd":"/w/demo","gitBranch":"main","isSidechain":false"#;
    let lines = [
        r#"{"type":"mode","mode":"default","sessionId":"s1"}"#.to_owned(),
        format!(
            r#"{{"type":"user","uuid":"u1",{head},"promptSource":"typed","origin":{{"kind":"human"}},"message":{{"role":"user","content":"<system-reminder>ctx</system-reminder>\nrun the tests"}}}}"#
        ),
        format!(
            r#"{{"type":"assistant","uuid":"a1",{head},"message":{{"id":"m","role":"assistant","content":[{{"type":"text","text":"Running."}},{{"type":"tool_use","id":"t1","name":"Bash","input":{{"command":"npm test"}}}}]}}}}"#
        ),
        format!(
            r#"{{"type":"user","uuid":"u2",{head},"toolUseResult":"Error: Exit code 1\nmissing","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 1\nmissing script: test"}}]}}}}"#
        ),
        format!(
            r#"{{"type":"attachment","uuid":"q1",{head},"attachment":{{"type":"queued_command","commandMode":"prompt","prompt":"no, use pnpm"}}}}"#
        ),
        format!(
            r#"{{"type":"user","uuid":"u3",{head},"toolDenialKind":"user-rejected","toolUseResult":"User rejected tool use","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"The user doesn't want to proceed with this tool use. the user said:\nnever edit src/gen"}}]}}}}"#
        ),
        format!(
            r#"{{"type":"user","uuid":"u4",{head},"isCompactSummary":true,"message":{{"role":"user","content":"This session is being continued: always use UTC"}}}}"#
        ),
        // Before version 2: no origin and no source of the prompt; a leading `#` marks a memory.
        format!(
            r#"{{"type":"user","uuid":"u5",{head},"message":{{"role":"user","content":"<user-memory-input>always use UTC</user-memory-input>"}}}}"#
        ),
        format!(
            r#"{{"type":"user","uuid":"u6",{head},"message":{{"role":"user","content":[{{"type":"text","text":"[Request interrupted by user]"}}]}}}}"#
        ),
        r#"{"type":"hologram","sessionId":"s1"}"#.to_owned(),
        r#"{"type":"user","uuid":"u7","#.to_owned(),
    ];
    home.write(
        ".claude/projects/-w-demo/s1.jsonl",
        format!("\u{feff}{}", lines.join("\n")),
    );
    home.write(
        ".claude/projects/-w-demo/s1/subagents/agent-1.jsonl",
        r#"{"type":"user","uuid":"x1","sessionId":"s1","isSidechain":true,"agentId":"1","cwd":"/w/demo","message":{"role":"user","content":"never trust this prompt"}}"#,
    );
    let shown = home.shown(Agent::Claude);
    assert_eq!(
        shown.lines,
        [
            "Prompt: run the tests",
            "Text: Running.",
            "Shell: `npm test`",
            "Result Failed: Exit code 1\\nmissing script: test",
            "Steer: no, use pnpm",
            "Rejection Rejected: never edit src/gen",
            "Remember: always use UTC",
            "Interrupt: ",
        ]
    );
    assert_eq!(shown.sessions[0].cwd.as_deref(), Some("/w/demo"));
    assert!(
        shown
            .sessions
            .iter()
            .any(|session| session.is_subagent && session.parent.as_deref() == Some("s1"))
    );
    assert_eq!(shown.skipped.unknown.get("hologram"), Some(&1));
    assert_eq!(shown.skipped.invalid, 0, "the torn line waits for its end");
}

#[test]
fn codex_files_with_every_form_of_outcome_and_a_fork() {
    let home = Home::new();
    let lines = r##"{"timestamp":"2026-08-01T09:00:00.100Z","type":"session_meta","payload":{"id":"c1","cwd":"/w/demo","originator":"codex-tui","source":"cli","git":{"branch":"main","repository_url":"git@example.org:w/demo.git"}}}
{"timestamp":"2026-08-01T09:00:00.200Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /w/demo\n<INSTRUCTIONS>never</INSTRUCTIONS>"}]}}
{"timestamp":"2026-08-01T09:00:01.000Z","type":"turn_context","payload":{"turn_id":"t-1","cwd":"/w/demo"}}
{"timestamp":"2026-08-01T09:00:01.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix the build"}]}}
{"timestamp":"2026-08-01T09:00:01.100Z","type":"event_msg","payload":{"type":"user_message","message":"fix the build"}}
{"timestamp":"2026-08-01T09:00:03.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c1","arguments":"{\"cmd\":\"make build\"}"}}
{"timestamp":"2026-08-01T09:00:05.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: x1\nProcess exited with code 2\nOutput:\nld: library not found for -lfoo\n"}}
{"timestamp":"2026-08-01T09:00:07.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","call_id":"c2","input":"*** Begin Patch\n*** Update File: Makefile\n*** End Patch"}}
{"timestamp":"2026-08-01T09:00:08.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c3","arguments":"{\"command\":[\"bash\",\"-lc\",\"make build\"]}"}}
{"timestamp":"2026-08-01T09:00:09.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c3","output":"{\"output\":\"ok\",\"metadata\":{\"exit_code\":0}}"}}
{"timestamp":"2026-08-01T09:00:10.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c4","output":"exec command rejected by user"}}
{"timestamp":"2026-08-01T09:00:11.000Z","type":"event_msg","payload":{"type":"turn_aborted"}}
"##;
    home.write(".codex/sessions/2026/08/01/rollout-2026-08-01T11-00-00-c1.jsonl", lines);
    let fork = r#"{"timestamp":"2026-08-02T09:00:00.100Z","type":"session_meta","payload":{"id":"c2","cwd":"/w/demo","forked_from_id":"c1"}}
{"timestamp":"2026-08-02T09:00:01.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a copy"}]}}
{"timestamp":"2026-08-02T09:00:01.000Z","type":"turn_context","payload":{"turn_id":"t-2"}}
{"timestamp":"2026-08-02T09:00:01.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"its own"}]}}
"#;
    home.write(".codex/archived_sessions/rollout-2026-08-02T11-00-00-c2.jsonl", fork);
    // The oldest files have no envelopes.
    home.write(
        ".codex/sessions/rollout-2025-05-01-c0.jsonl",
        "{\"id\":\"c0\",\"timestamp\":\"2025-05-01T00:00:00Z\",\"instructions\":null}\n{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"old\"}]}\n",
    );
    let shown = home.shown(Agent::Codex);
    assert_eq!(
        shown.lines,
        [
            "Prompt: fix the build",
            "Shell: `make build`",
            "Result Failed: ld: library not found for -lfoo\\n",
            "Edit: Makefile",
            "Shell: `make build`",
            "Result Ok: ok",
            "Rejection Rejected: ",
            "Interrupt: ",
            "Prompt: old",
            "Prompt: its own",
        ]
    );
    assert_eq!(shown.sessions[0].remote.as_deref(), Some("git@example.org:w/demo.git"));
}

#[test]
fn gemini_cli_files_as_a_log_and_as_a_document() {
    let home = Home::new();
    home.write(".gemini/projects.json", r#"{"projects":{"/w/demo":"demo"}}"#);
    home.write(
        ".gemini/tmp/demo/chats/session-1.jsonl",
        r#"{"sessionId":"g1","projectHash":"demo","startTime":"2026-08-01T09:00:00.000Z","kind":"main"}
{"id":"m1","timestamp":"2026-08-01T09:00:01.000Z","type":"user","content":[{"text":"always run make lint before commit"}]}
{"id":"m2","timestamp":"2026-08-01T09:00:05.000Z","type":"gemini","content":"ok","toolCalls":[{"id":"k1","name":"run_shell_command","args":{"command":"make lint"},"status":"success","result":[{"functionResponse":{"id":"k1","response":{"output":"Output: (empty)"}}}]},{"id":"k2","name":"save_memory","args":{"fact":"amounts are in cents"},"status":"success"}]}
{"$set":{"lastUpdated":"2026-08-01T09:00:06.000Z"}}
{"id":"m3","type":"user","content":"/help"}
"#,
    );
    home.write(
        ".gemini/tmp/demo/chats/session-0.json",
        r#"{"sessionId":"g0","startTime":"2026-01-01T09:00:00.000Z","messages":[{"id":"a","type":"user","content":"hello there"},{"id":"b","type":"gemini","content":"hi","toolCalls":[{"id":"k","name":"run_shell_command","args":{"command":"false"},"status":"success","result":[{"functionResponse":{"response":{"output":"Output: \nExit Code: 1"}}}]}]}]}"#,
    );
    let shown = home.shown(Agent::Gemini);
    assert_eq!(
        shown.lines,
        [
            "Prompt: always run make lint before commit",
            "Text: ok",
            "Shell: `make lint`",
            "Result Ok: Output: (empty)",
            "Remember: amounts are in cents",
            "Prompt: hello there",
            "Text: hi",
            "Shell: `false`",
            "Result Failed: Output: \\nExit Code: 1",
        ]
    );
    assert_eq!(shown.sessions[0].cwd.as_deref(), Some("/w/demo"));
}

#[test]
fn qwen_copilot_cursor_droid_kiro_and_pi() {
    let home = Home::new();
    home.write(
        ".qwen/projects/-w-demo/chats/q1.jsonl",
        r#"{"uuid":"q1","sessionId":"q","timestamp":"2026-08-01T09:00:00.000Z","type":"user","cwd":"/w/demo","message":{"role":"user","parts":[{"text":"build it"}]}}
{"uuid":"q2","type":"assistant","message":{"role":"model","parts":[{"text":"plan","thought":true},{"text":"ok"},{"functionCall":{"id":"f1","name":"run_shell_command","args":{"command":"make"}}}]}}
{"uuid":"q3","type":"tool_result","toolCallResult":{"callId":"f1","status":"error","resultDisplay":"not found"},"message":{"role":"user","parts":[{"functionResponse":{"id":"f1","response":{"error":"make: not found"}}}]}}
{"uuid":"q4","type":"system","subtype":"mid_turn_user_message","message":{"parts":[{"text":"use ninja"}]}}
"#,
    );
    assert_eq!(
        home.shown(Agent::Qwen).lines,
        [
            "Prompt: build it",
            "Text: ok",
            "Shell: `make`",
            "Result Failed: make: not found",
            "Steer: use ninja"
        ]
    );
    home.write(
        ".copilot/session-state/e1/events.jsonl",
        r#"{"type":"session.start","id":"e1","timestamp":"2026-08-01T09:00:00.000Z","data":{"sessionId":"e1","context":{"cwd":"/w/demo","branch":"main"}}}
{"type":"user.message","id":"e2","data":{"content":"build","transformedContent":"<ctx>never</ctx> build"}}
{"type":"tool.execution_start","id":"e3","data":{"toolCallId":"t1","toolName":"bash","arguments":"{\"command\":\"make\"}"}}
{"type":"tool.execution_complete","id":"e4","data":{"toolCallId":"t1","success":false,"error":{"code":"failure","message":"exit 2"}}}
{"type":"abort","id":"e5","data":{}}
"#,
    );
    home.write(
        ".copilot/history-session-state/e0/workspace.yaml",
        "id: e0\ncwd: \"/w/old\"\n",
    );
    home.write(
        ".copilot/history-session-state/e0/events.jsonl",
        "{\"type\":\"user.message\",\"id\":\"o\",\"data\":{\"content\":\"from the older place\"}}\n",
    );
    let copilot = home.shown(Agent::Copilot);
    assert_eq!(
        copilot.lines,
        [
            "Prompt: build",
            "Shell: `make`",
            "Result Failed: exit 2",
            "Interrupt: ",
            "Prompt: from the older place"
        ]
    );
    assert_eq!(copilot.sessions[1].cwd.as_deref(), Some("/w/old"));
    home.write(
        ".cursor/projects/w-demo/agent-transcripts/k1/k1.jsonl",
        r#"{"role":"user","message":{"content":[{"type":"text","text":"<timestamp>now</timestamp>\n<user_query>\nuse tabs here\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Shell","input":{"command":"ls"}},{"type":"tool_use","name":"StrReplace","input":{"path":"a.ts"}}]}}
{"type":"turn_ended","status":"ok"}
"#,
    );
    assert_eq!(
        home.shown(Agent::Cursor).lines,
        ["Prompt: use tabs here", "Shell: `ls`", "Edit: a.ts"]
    );
    home.write(
        ".factory/sessions/-w-demo/f1.jsonl",
        r#"{"type":"session_start","id":"f1","title":"Fix","cwd":"/w/demo"}
{"type":"message","id":"1","timestamp":"2026-08-01T09:00:00.000Z","message":{"role":"user","content":"hello"}}
{"type":"message","id":"2","message":{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"Execute","input":{"command":"make"}}]}}
{"type":"message","id":"3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"done"}]}}
{"type":"todo_state"}
"#,
    );
    assert_eq!(
        home.shown(Agent::Droid).lines,
        ["Prompt: hello", "Shell: `make`", "Result Ok: done"]
    );
    home.write(
        ".kiro/sessions/cli/r1.json",
        r#"{"session_id":"r1","cwd":"/w/demo","created_at":"2026-08-01T09:00:00.000Z"}"#,
    );
    home.write(
        ".kiro/sessions/cli/r1.jsonl",
        r#"{"kind":"Prompt","data":{"message_id":"1","content":[{"kind":"text","data":"hello"}]}}
{"kind":"AssistantMessage","data":{"content":[{"kind":"toolUse","data":{"toolUseId":"x","name":"execute_bash","input":{"command":"make"}}}]}}
{"kind":"ToolResults","data":{"content":[{"kind":"toolResult","data":{"toolUseId":"x","content":"bad","status":"error"}}]}}
"#,
    );
    let kiro = home.shown(Agent::Kiro);
    assert_eq!(kiro.lines, ["Prompt: hello", "Shell: `make`", "Result Failed: bad"]);
    assert_eq!(kiro.sessions[0].cwd.as_deref(), Some("/w/demo"));
    home.write(
        ".pi/agent/sessions/--w-demo--/1_p1.jsonl",
        r#"{"type":"session","version":3,"id":"p1","timestamp":"2026-08-01T09:00:00.000Z","cwd":"/w/demo"}
{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"hello"}]}}
{"type":"message","id":"2","message":{"role":"assistant","content":[{"type":"toolCall","id":"x","name":"bash","arguments":{"command":"make"}}]}}
{"type":"message","id":"3","message":{"role":"toolResult","toolCallId":"x","isError":true,"content":[{"type":"text","text":"bad"}]}}
{"type":"model_change","id":"4"}
"#,
    );
    assert_eq!(
        home.shown(Agent::Pi).lines,
        ["Prompt: hello", "Shell: `make`", "Result Failed: bad"]
    );
}

#[test]
fn documents_of_amp_continue_cline_and_roo() {
    let home = Home::new();
    home.write(
        ".local/share/amp/threads/T-1.json",
        r#"{"id":"T-1","created":1785574800000,"env":{"initial":{"trees":[{"uri":"file:///w/demo"}]}},"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"Bash","input":{"cmd":"make"}}]},{"role":"user","content":[{"type":"tool_result","toolUseID":"x","run":{"status":"done","result":{"output":"bad","exitCode":2}}}]}]}"#,
    );
    let amp = home.shown(Agent::Amp);
    assert_eq!(amp.lines, ["Prompt: hello", "Shell: `make`", "Result Failed: bad"]);
    assert_eq!(amp.sessions[0].cwd.as_deref(), Some("/w/demo"));
    home.write(".continue/sessions/sessions.json", "[]");
    home.write(
        ".continue/sessions/n1.json",
        r#"{"sessionId":"n1","workspaceDirectory":"file:///w/demo","history":[{"message":{"role":"user","content":[{"type":"text","text":"hello"}]}},{"message":{"role":"assistant","content":"ok"},"toolCallStates":[{"toolCallId":"x","toolCall":{"function":{"name":"builtin_run_terminal_command","arguments":"{\"command\":\"make\"}"}},"status":"done","output":[{"content":"Command failed with exit code 2"}]},{"toolCallId":"y","toolCall":{"function":{"name":"run_terminal_command","arguments":"{\"command\":\"rm x\"}"}},"status":"canceled"}]}]}"#,
    );
    assert_eq!(
        home.shown(Agent::Continue).lines,
        [
            "Prompt: hello",
            "Text: ok",
            "Shell: `make`",
            "Result Failed: Command failed with exit code 2",
            "Shell: `rm x`",
            "Rejection Rejected: "
        ]
    );
    let task =
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1785574800000/api_conversation_history.json";
    home.write(
        task,
        r#"[{"role":"user","content":[{"type":"text","text":"<task>\nhello\n</task>"},{"type":"text","text":"<environment_details>\nCurrent Working Directory (/w/demo) Files\n</environment_details>"}]},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"execute_command","input":{"command":"make"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"The user denied this operation.\nThe user provided the following feedback:\n<feedback>\nuse ninja\n</feedback>"}]}]"#,
    );
    home.write(
        ".cline/data/sessions/z1/z1.json",
        r#"{"session_id":"z1","cwd":"/w/demo","started_at":"2026-08-01T09:00:00.000Z"}"#,
    );
    home.write(
        ".cline/data/sessions/z1/z1.messages.json",
        r#"{"messages":[{"role":"user","content":"newer","ts":1785574800000}]}"#,
    );
    let cline = home.shown(Agent::Cline);
    assert_eq!(
        cline.lines,
        [
            "Prompt: hello",
            "Shell: `make`",
            "Rejection Rejected: use ninja",
            "Prompt: newer"
        ]
    );
    assert_eq!(cline.sessions[0].cwd.as_deref(), Some("/w/demo"));
    let roo = ".config/VSCodium/User/globalStorage/rooveterinaryinc.roo-cline/tasks/o1";
    home.write(
        &format!("{roo}/history_item.json"),
        r#"{"id":"o1","ts":1785574800000,"task":"t","workspace":"/w/demo"}"#,
    );
    home.write(
        &format!("{roo}/api_conversation_history.json"),
        r#"[{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"execute_command","input":{"command":"make"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"Command executed in terminal within working directory '/w/demo'. Exit code: 2\nOutput:\nbad"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"y","content":"{\"status\":\"denied\",\"feedback\":\"never do that\"}"}]}]"#,
    );
    let roo = home.shown(Agent::Roo);
    assert_eq!(roo.lines[0], "Shell: `make`");
    assert!(roo.lines[1].starts_with("Result Failed"), "{:?}", roo.lines);
    assert_eq!(roo.lines[2], "Rejection Rejected: never do that");
}

fn database(home: &Home, path: &str, sql: &str) {
    let path = home.write(path, "");
    std::fs::remove_file(&path).unwrap();
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn opencode_two_beside_the_older_tables_and_files() {
    let home = Home::new();
    database(
        &home,
        ".local/share/opencode/opencode.db",
        r#"CREATE TABLE session(id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT);
CREATE TABLE session_v2(id TEXT, directory TEXT, time_created INTEGER);
CREATE TABLE session_message(id TEXT, session_id TEXT, type TEXT, seq INTEGER, data TEXT);
INSERT INTO session VALUES('both', NULL, '/w/demo', 'T', 1785574800000),('old', NULL, '/w/demo', 'T', 1785574800000);
INSERT INTO message VALUES('m1','both',1,'{"role":"user"}'),('m2','old',2,'{"role":"user"}');
INSERT INTO part VALUES('p1','m1','both','{"type":"text","text":"the stale half"}'),('p2','m2','old','{"type":"text","text":"only in the old tables"}');
INSERT INTO session_v2 VALUES('both','/w/demo',1785574800000),('empty','/w/demo',1);
INSERT INTO session_message VALUES
('n2','both','assistant',2,'{"time":{"created":1785574802000},"content":[{"type":"reasoning","id":"r","text":"hm"},{"type":"text","id":"t","text":"Running."},{"type":"tool","id":"c1","name":"bash","state":{"status":"completed","input":{"command":"go test ./..."},"content":[{"type":"text","text":"FAIL"}],"structured":{"exit":1}}},{"type":"tool","id":"c2","name":"edit","state":{"status":"error","input":{"filePath":"a.go"},"content":[],"structured":{},"error":{"message":"The user rejected permission to use this specific tool call with the following feedback: never edit a.go"}}},{"type":"tool","id":"c3","name":"bash","state":{"status":"pending","input":"{\"command\":\"make\"}"}},{"type":"hologram"}]}'),
('n1','both','user',1,'{"time":{"created":1785574801000},"text":"run the tests"}'),
('n3','both','synthetic',3,'{"text":"injected"}'),('n4','both','compaction',4,'{"summary":"s"}'),
('n5','both','shell',5,'{"callID":"s1","command":"git status","output":"clean"}'),('n6','both','user',6,'not json'),('n7','both','novelty',7,'{}');"#,
    );
    let storage = ".local/share/opencode/storage";
    for (id, text) in [("ses_file", "only in files"), ("old", "the database has it")] {
        home.write(
            &format!("{storage}/session/p/{id}.json"),
            format!(r#"{{"id":"{id}","directory":"/w/demo","title":"T","time":{{"created":1700000000000}}}}"#),
        );
        home.write(
            &format!("{storage}/message/{id}/msg_{id}.json"),
            format!(r#"{{"id":"msg_{id}","role":"user","time":{{"created":1700000001000}}}}"#),
        );
        home.write(
            &format!("{storage}/part/msg_{id}/prt_1.json"),
            format!(r#"{{"id":"prt_1","type":"text","text":"{text}"}}"#),
        );
    }
    home.write(&format!("{storage}/session/p/half.json"), "{\"id\":");
    home.write(
        &format!("{storage}/session/p/climbs.json"),
        r#"{"id":"../../../../etc","directory":"/w/demo"}"#,
    );
    let shown = home.shown(Agent::Opencode);
    assert_eq!(
        shown.lines,
        [
            "Prompt: run the tests",
            "Text: Running.",
            "Shell: `go test ./...`",
            "Result Failed: FAIL",
            "Edit: a.go",
            "Rejection Rejected: never edit a.go",
            "Shell: `make`",
            "Shell: `git status`",
            "Result Ok: clean",
            "Prompt: only in the old tables",
            "Prompt: only in files",
        ]
    );
    assert_eq!(shown.skipped.invalid, 2);
    assert_eq!(
        (
            shown.skipped.unknown.get("hologram"),
            shown.skipped.unknown.get("novelty")
        ),
        (Some(&1), Some(&1))
    );
    let ids: Vec<&str> = shown.sessions.iter().map(|session| session.id.as_str()).collect();
    assert_eq!(ids, ["both", "old", "ses_file"]);
}

#[test]
fn a_database_of_opencode_that_a_variable_names_is_read() {
    let home = Home::new();
    let tables = r#"CREATE TABLE session_v2(id TEXT, directory TEXT, time_created INTEGER);
CREATE TABLE session_message(id TEXT, session_id TEXT, type TEXT, seq INTEGER, data TEXT);
INSERT INTO session_v2 VALUES('s','/w/demo',1785574800000);
INSERT INTO session_message VALUES('n1','s','user',1,'{"text":"from now on run make lint before you commit"}');"#;
    database(&home, "elsewhere/my.db", tables);
    let places = |named: &str| {
        let mut places = home.places();
        places.variables.insert("OPENCODE_DB".into(), named.into());
        places
    };
    let path = home.path().join("elsewhere/my.db");
    let findings = |named: &str| home.plan_at(&places(named), "/w/demo").findings.len();
    assert_eq!(findings(&path.display().to_string()), 1);
    assert_eq!(findings(":memory:"), 0);
    assert_eq!(findings("absent.db"), 0);
    // A name is one in the folder of the data.
    database(&home, ".local/share/opencode/my.db", tables);
    assert_eq!(findings("my.db"), 1);
}

#[test]
fn sessions_of_kilo_are_its_own() {
    let home = Home::new();
    database(
        &home,
        ".local/share/kilo/kilo.db",
        r#"CREATE TABLE session(id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT);
INSERT INTO session VALUES('ses_1', NULL, '/w/demo', 'T', 1785574800000);
INSERT INTO message VALUES('m1','ses_1',1,'{"role":"user"}');
INSERT INTO part VALUES('p1','m1','ses_1','{"type":"text","text":"hello"}');"#,
    );
    let task = ".config/Code/User/globalStorage/kilocode.kilo-code/tasks/k1";
    home.write(
        &format!("{task}/api_conversation_history.json"),
        r#"[{"role":"user","content":[{"type":"text","text":"<task>older</task>"}]}]"#,
    );
    assert_eq!(home.shown(Agent::Kilo).lines, ["Prompt: hello", "Prompt: older"]);
    for agent in [Agent::Opencode, Agent::Roo] {
        assert!(home.shown(agent).lines.is_empty(), "{agent:?}");
    }
}

#[test]
fn databases_of_opencode_crush_and_goose() {
    let home = Home::new();
    database(
        &home,
        ".local/share/opencode/opencode.db",
        r#"PRAGMA journal_mode=WAL;
CREATE TABLE session(id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT);
INSERT INTO session VALUES('ses_1', NULL, '/w/demo', 'T', 1785574800000);
INSERT INTO message VALUES('m1','ses_1',1,'{"role":"user"}'),('m2','ses_1',2,'{"role":"assistant"}'),('m3','ses_1',3,'{"role":"assistant","summary":true}');
INSERT INTO part VALUES('p1','m1','ses_1','{"type":"text","text":"hello"}'),('p2','m1','ses_1','{"type":"text","text":"injected","synthetic":true}'),
('p3','m2','ses_1','{"type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command":"go test ./..."},"output":"FAIL","metadata":{"exit":1}}}'),
('p4','m2','ses_1','{"type":"tool","callID":"c2","tool":"edit","state":{"status":"error","input":{"filePath":"a.go"},"error":"The user rejected permission to use this specific tool call with the following feedback: never edit a.go"}}'),
('p5','m3','ses_1','{"type":"text","text":"summary"}'),('p6','m2','ses_1','not json'),('p7','m2','ses_1',NULL);"#,
    );
    let opencode = home.shown(Agent::Opencode);
    assert_eq!(
        opencode.lines,
        [
            "Prompt: hello",
            "Shell: `go test ./...`",
            "Result Failed: FAIL",
            "Edit: a.go",
            "Rejection Rejected: never edit a.go"
        ]
    );
    assert_eq!(opencode.skipped.invalid, 1);
    database(
        &home,
        ".local/share/goose/sessions/sessions.db",
        r#"CREATE TABLE sessions(id TEXT, description TEXT, working_dir TEXT);
CREATE TABLE messages(session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER);
INSERT INTO sessions VALUES('20260801_1','d','/w/demo');
INSERT INTO messages VALUES('20260801_1','user','[{"type":"text","text":"hello"}]',1785574800),
('20260801_1','assistant','[{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{"command":"make"}}}}]',1785574801),
('20260801_1','user','[{"type":"toolResponse","id":"c1","toolResult":{"status":"error","error":"bad"}}]',1785574802);"#,
    );
    home.write(
        ".local/share/goose/sessions/20250101_1.jsonl",
        "{\"description\":\"d\",\"working_dir\":\"/w/old\",\"message_count\":1}\n{\"role\":\"user\",\"created\":1735689600,\"content\":[{\"type\":\"text\",\"text\":\"old\"}]}\n",
    );
    let goose = home.shown(Agent::Goose);
    let mut lines: Vec<&str> = goose.lines.iter().map(String::as_str).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["Prompt: hello", "Prompt: old", "Result Failed: bad", "Shell: `make`"]
    );
    database(
        &home,
        "work/demo/.crush/crush.db",
        r#"CREATE TABLE sessions(id TEXT, parent_session_id TEXT, title TEXT, created_at INTEGER);
CREATE TABLE messages(id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER);
INSERT INTO sessions VALUES('s1', NULL, 'T', 1785574800);
INSERT INTO messages VALUES('1','s1','user','[{"type":"text","data":{"text":"remember: the server runs on port 4000"}}]',1),
('2','s1','assistant','[{"type":"tool_call","data":{"id":"c1","name":"bash","input":"{\"command\":\"make\"}","finished":true}}]',2),
('3','s1','tool','[{"type":"tool_result","data":{"tool_call_id":"c1","name":"bash","content":"bad\n\nExit code 2","is_error":false}}]',3);"#,
    );
    let folder = home.path().join("work/demo").display().to_string();
    home.write(
        ".local/share/crush/projects.json",
        format!(r#"{{"projects":[{{"path":"{folder}","data_dir":".crush"}}]}}"#),
    );
    let plan = home.plan(&folder);
    assert_eq!(plan.findings.len(), 1, "{:?}", plan.findings);
    assert_eq!(plan.findings[0].seen.agent, Agent::Crush);
}
