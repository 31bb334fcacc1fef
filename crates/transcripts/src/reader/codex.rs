//! Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl` and `archived_sessions/`.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Codex,
    roots,
    accepts,
    storage: Storage::Lines(open),
};

fn roots(places: &Places) -> Vec<PathBuf> {
    let home = places.or_home("CODEX_HOME", ".codex");
    vec![home.join("sessions"), home.join("archived_sessions")]
}

fn accepts(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("rollout-") && (is_jsonl(path) || name.ends_with(".jsonl.zst"))
}

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn super::LineReader> {
    resumed(saved, || Codex {
        session: Session::new(Agent::Codex, source.stem()),
        has_meta: false,
        has_turns: false,
        is_replay: false,
        has_items: false,
    })
}

#[derive(Serialize, Deserialize)]
struct Codex {
    session: Session,
    has_meta: bool,
    /// True after the first turn of this file has begun.
    has_turns: bool,
    /// True in a fork: lines before the first turn are copies of the parent's.
    is_replay: bool,
    /// True when the file has messages with roles, which its events repeat.
    has_items: bool,
}

impl RecordReader for Codex {
    fn passes_over(&self, line: &[u8], _: &mut Emitter<'_>) -> bool {
        is_idle(line)
    }

    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        let payload = record.get("payload").unwrap_or(&Value::Null);
        let at_ms = time(record.get("timestamp"));
        self.session.ended_ms = at_ms.or(self.session.ended_ms);
        let id = format!(
            "{}:{}",
            self.session.id,
            text(payload, "call_id").map_or_else(|| number.to_string(), str::to_owned)
        );
        let stamp = Stamp::new(number, at_ms, Some(&id));
        match text(record, "type") {
            Some("session_meta") => self.meta(payload, at_ms, out),
            Some("turn_context") => self.turn(payload, out),
            Some("response_item") if !self.skips() => self.item(payload, stamp, out),
            Some("event_msg") if !self.skips() => self.event(payload, stamp, out),
            Some("response_item" | "event_msg" | "compacted" | "inter_agent_communication" | "world_state") => {}
            // The oldest files contain items without an envelope.
            Some("message" | "function_call" | "function_call_output" | "reasoning") => self.item(record, stamp, out),
            Some(kind) => out.unknown(kind),
            None if record.get("id").is_some() && !self.has_meta => self.meta(record, at_ms, out),
            None => {}
        }
    }
}

/// Token counts, encrypted reasoning and copies of earlier items are a large part of the bytes. They are recognised by their type, at the
/// beginning of the line, and not parsed.
fn is_idle(line: &[u8]) -> bool {
    let head = line.get(..160).unwrap_or(line);
    let has = |part: &[u8]| memchr::memmem::find(head, part).is_some();
    has(b"\"type\":\"compacted\"") || has(b"\"type\":\"reasoning\"") || has(b"\"type\":\"token_count\"")
}

impl Codex {
    fn skips(&self) -> bool {
        self.is_replay && !self.has_turns
    }

    fn meta(&mut self, meta: &Value, at_ms: Option<i64>, out: &mut Emitter<'_>) {
        if self.has_meta {
            return;
        }
        self.has_meta = true;
        let session = &mut self.session;
        session.id = text(meta, "id").unwrap_or(&session.id).to_owned();
        session.cwd = text(meta, "cwd").map(str::to_owned);
        session.branch = deep(meta, "/git/branch").map(str::to_owned);
        session.remote = deep(meta, "/git/repository_url").map(str::to_owned);
        session.started_ms = time(meta.get("timestamp")).or(at_ms);
        let parent = text(meta, "parent_thread_id")
            .or_else(|| deep(meta, "/source/subagent/thread_spawn/parent_thread_id"))
            .or_else(|| text(meta, "forked_from_id"));
        session.parent = parent.map(str::to_owned);
        session.is_subagent =
            text(meta, "thread_source") == Some("subagent") || meta.pointer("/source/subagent").is_some();
        session.is_automated = text(meta, "source") == Some("exec")
            || text(meta, "originator")
                .is_some_and(|name| matches!(name, "codex_exec" | "codex_sdk_ts" | "Claude Code"));
        session.is_private = text(meta, "memory_mode").is_some_and(|mode| matches!(mode, "disabled" | "polluted"));
        self.is_replay = session.parent.is_some();
        out.session(session);
    }

    fn turn(&mut self, turn: &Value, out: &mut Emitter<'_>) {
        self.has_turns = true;
        if self.session.cwd.is_none() {
            self.session.cwd = text(turn, "cwd").map(str::to_owned);
            out.session(&self.session);
        }
    }

    fn item(&mut self, item: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
        let call = text(item, "call_id");
        match text(item, "type") {
            Some("message") => self.message(item, stamp, out),
            Some("function_call") => {
                let input = item.get("arguments").map(nested).unwrap_or_default();
                let name = text(item, "name").unwrap_or_default();
                out.event(stamp.call(call, name, &input));
            }
            Some("custom_tool_call") => {
                let input = item.get("input").unwrap_or(&Value::Null);
                let name = text(item, "name").unwrap_or_default();
                out.event(stamp.call(call, name, input));
            }
            Some("local_shell_call") => {
                out.event(stamp.call(call, "local_shell_call", item));
            }
            Some("function_call_output" | "custom_tool_call_output") => output(item, call, stamp, out),
            Some(
                "reasoning"
                | "web_search_call"
                | "tool_search_call"
                | "tool_search_output"
                | "image_generation_call"
                | "agent_message"
                | "compaction"
                | "ghost_snapshot",
            )
            | None => {}
            Some(kind) => out.unknown(kind),
        }
    }

    fn message(&mut self, item: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
        self.has_items = true;
        let written = item.get("content").map(content).unwrap_or_default();
        match text(item, "role") {
            Some("user") if self.session.has_human() => out.human(stamp.event(Kind::Prompt, written)),
            Some("assistant") => out.event(stamp.event(Kind::Text, written)),
            _ => {}
        }
    }

    fn event(&mut self, event: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
        match text(event, "type") {
            Some("turn_aborted") => out.event(stamp.event(Kind::Interrupt, "")),
            Some("user_message") if !self.has_items && self.session.has_human() => {
                out.human(stamp.event(Kind::Prompt, text(event, "message").unwrap_or_default()));
            }
            Some("agent_message") if !self.has_items => {
                out.event(stamp.event(Kind::Text, text(event, "message").unwrap_or_default()));
            }
            Some("exec_command_end") => {
                let code = event.get("exit_code").and_then(Value::as_i64);
                let outcome = code.map_or(Outcome::Unknown, shell::of_exit);
                let shown = text(event, "stderr")
                    .filter(|text| !text.is_empty())
                    .or_else(|| text(event, "stdout"));
                out.event(stamp.result(text(event, "call_id"), outcome, shown.unwrap_or_default()));
            }
            _ => {}
        }
    }
}

fn output(item: &Value, call: Option<&str>, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let raw = item.get("output").unwrap_or(&Value::Null);
    let parsed = nested(raw);
    let code = parsed.pointer("/metadata/exit_code").and_then(Value::as_i64);
    let answer = match text(&parsed, "output") {
        Some(inner) => inner.to_owned(),
        None => content(raw),
    };
    if matches!(
        answer.trim(),
        "exec command rejected by user" | "patch rejected by user"
    ) {
        out.event(stamp.rejection(call, ""));
        return;
    }
    let outcome = match code.or_else(|| shell::exit_in_header(&answer)) {
        Some(code) => shell::of_exit(code),
        None if answer.contains("command timed out after") => Outcome::Failed,
        None => Outcome::Unknown,
    };
    // The tool writes the header itself.
    let shown = answer
        .split_once("\nOutput:\n")
        .map_or(answer.as_str(), |(_, program)| program);
    out.event(stamp.result(call, outcome, shown));
}
