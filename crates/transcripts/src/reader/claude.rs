//! Claude Code: `projects/<folder>/<session>.jsonl`, subagents below `<session>/subagents/`.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Claude,
    roots: |places| vec![places.or_home("CLAUDE_CONFIG_DIR", ".claude").join("projects")],
    accepts: |path| is_jsonl(path) && !path.ends_with("journal.jsonl") && !names(path).contains(&"memory"),
    storage: Storage::Lines(open),
};

/// Record types without content of interest.
const PASSED_OVER: [&str; 14] = [
    "system",
    "last-prompt",
    "mode",
    "permission-mode",
    "file-history-snapshot",
    "pr-link",
    "bridge-session",
    "agent-name",
    "agent-setting",
    "progress",
    "summary",
    "attachment",
    "queue-operation",
    "custom-title",
];
const REFUSED: &str = "The user doesn't want to proceed with this tool use";
const SAID: &str = "the user said:";

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn super::LineReader> {
    resumed(saved, || Claude {
        session: Session::new(Agent::Claude, source.stem()),
        is_told: false,
    })
}

#[derive(Serialize, Deserialize)]
struct Claude {
    session: Session,
    is_told: bool,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: Option<String>,
}

fn pass_over(line: &[u8], out: &mut Emitter<'_>) {
    match serde_json::from_slice::<Head>(line) {
        Ok(Head { kind: Some(kind) }) if !PASSED_OVER.contains(&kind.as_str()) => out.unknown(&kind),
        Ok(_) => {}
        Err(_) => out.skipped.invalid += 1,
    }
}

impl RecordReader for Claude {
    fn passes_over(&self, line: &[u8], out: &mut Emitter<'_>) -> bool {
        let has = |part: &[u8]| memchr::memmem::find(line, part).is_some();
        // File contents and snapshots are most of the bytes: their lines are recognised by type and not parsed.
        let is_relevant =
            has(b"\"user\"") || has(b"\"assistant\"") || has(b"\"queued_command\"") || has(b"\"ai-title\"");
        if !is_relevant {
            pass_over(line, out);
        }
        !is_relevant
    }

    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        let stamp = Stamp::new(number, time(record.get("timestamp")), text(record, "uuid"));
        match text(record, "type") {
            Some("user") => {
                self.learn(record, stamp.at_ms, out);
                self.user(record, stamp, out);
            }
            Some("assistant") => {
                self.learn(record, stamp.at_ms, out);
                if deep(record, "/message/model") != Some("<synthetic>") {
                    blocks::assistant(stamp, record.pointer("/message/content").unwrap_or(&Value::Null), out);
                }
            }
            Some("attachment") => {
                self.learn(record, stamp.at_ms, out);
                let attachment = record.get("attachment").unwrap_or(&Value::Null);
                let is_typed = text(attachment, "type") == Some("queued_command")
                    && matches!(text(attachment, "commandMode"), None | Some("prompt"));
                if is_typed && !is_true(record, "isSidechain") {
                    let typed = attachment.get("prompt").map(content).unwrap_or_default();
                    out.human(stamp.event(Kind::Steer, typed));
                }
            }
            Some("ai-title") => {
                self.session.title = text(record, "aiTitle").map(str::to_owned);
            }
            Some(kind) if !PASSED_OVER.contains(&kind) => out.unknown(kind),
            _ => {}
        }
    }
}

impl Claude {
    /// Takes session metadata from a record.
    fn learn(&mut self, record: &Value, at_ms: Option<i64>, out: &mut Emitter<'_>) {
        let before = self.session.clone();
        let session = &mut self.session;
        if is_true(record, "isSidechain") && !session.is_subagent {
            session.is_subagent = true;
            session.parent = text(record, "sessionId").map(str::to_owned);
        } else if !session.is_subagent
            && let Some(id) = text(record, "sessionId")
        {
            session.id = id.to_owned();
        }
        session.cwd = session.cwd.take().or_else(|| text(record, "cwd").map(str::to_owned));
        session.branch = session
            .branch
            .take()
            .or_else(|| text(record, "gitBranch").map(str::to_owned));
        session.is_automated |= text(record, "entrypoint").is_some_and(|entry| entry.starts_with("sdk-"));
        session.started_ms = session.started_ms.or(at_ms);
        if !self.is_told || *session != before {
            self.is_told = true;
            out.session(session);
        }
        self.session.ended_ms = at_ms.or(self.session.ended_ms);
    }

    fn user(&self, record: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
        if ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"]
            .iter()
            .any(|mark| is_true(record, mark))
        {
            return;
        }
        let message = record.pointer("/message/content").unwrap_or(&Value::Null);
        if refusal(record, message, stamp, out) {
            return;
        }
        let origin = deep(record, "/origin/kind").is_none_or(|kind| kind == "human");
        let source = text(record, "promptSource").is_none_or(|source| matches!(source, "typed" | "queued"));
        let is_typed = origin && source && record.get("toolUseResult").is_none() && !self.session.is_subagent;
        let typed = content(message);
        if typed.starts_with("[Request interrupted by user") {
            return out.event(stamp.event(Kind::Interrupt, ""));
        }
        if is_typed && let Some((_, note)) = typed.split_once("<user-memory-input>") {
            let note = note.split("</user-memory-input>").next().unwrap_or_default();
            return out.event(stamp.event(Kind::Remember, note.trim()));
        }
        if is_typed && let Some((_, arguments)) = typed.split_once("<command-args>") {
            let arguments = arguments.split("</command-args>").next().unwrap_or_default();
            return out.human(stamp.event(Kind::Prompt, arguments));
        }
        blocks::user(stamp, message, is_typed, out);
    }
}

/// Emits a refusal, with the reason if the person typed one.
fn refusal(record: &Value, message: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) -> bool {
    let Some(blocks) = message.as_array() else { return false };
    let mut found = false;
    for block in blocks.iter().filter(|block| text(block, "type") == Some("tool_result")) {
        let answer = block.get("content").map(content).unwrap_or_default();
        let is_plan = answer.starts_with("The agent proposed a plan that was rejected by the user");
        if !(is_true(block, "is_error") && (answer.starts_with(REFUSED) || is_plan)) {
            continue;
        }
        found = true;
        let reason = answer
            .split_once(SAID)
            .map(|(_, reason)| reason.trim())
            .unwrap_or_default();
        out.event(stamp.rejection(text(block, "tool_use_id"), reason));
    }
    let _ = record;
    found
}
