//! A hook call, normalized across hosts.

use std::path::PathBuf;

use crate::action::{Action, action_of, tool_in};
use crate::fields::{Fields, line_in, object, object_in, parse_object, text};
use crate::hosts::{Event, Host, folder_of, host_of, native_event};
use crate::lines::{pattern, tail};

pub(crate) const NO_SESSION: &str = "unknown";

/// A command of the shell, and how it went.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub line: String,
    pub exit_code: Option<i64>,
    pub output: Option<String>,
}

/// A hook call. Fields that the host does not report are absent.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub host: Host,
    pub event: Event,
    /// The event by the agent's own name, which its answer repeats.
    pub native_event: String,
    /// The event by the name that the payload gives it, where that is another one.
    pub called_event: Option<String>,
    pub session_id: String,
    /// The id of a subagent, which has a context of its own.
    pub branch_id: Option<String>,
    pub cwd: Option<PathBuf>,
    pub prompt: Option<String>,
    /// Why a session starts. After a compaction or a clear, the context holds none of the earlier notes.
    pub source: Option<String>,
    /// A file with one JSON document a line: the conversation so far.
    pub transcript: Option<PathBuf>,
    /// The last message of the agent, where the host hands it over.
    pub said: Option<String>,
    pub command: Option<Command>,
    /// The action of a tool, planned or done.
    pub action: Option<Action>,
    /// True if the agent goes on because a hook had something to say when it stopped.
    pub is_held: bool,
    /// The id of the tool call. It distinguishes two hosts that report one call from one host that repeats it.
    pub tool_use_id: Option<String>,
}

impl Call {
    /// Returns the name of the session: calls without one are of one session in the same folder.
    pub(crate) fn session_key(&self) -> String {
        if self.session_id != NO_SESSION {
            return self.session_id.clone();
        }
        let cwd = self.cwd.as_deref().unwrap_or_else(|| std::path::Path::new(""));
        format!("{NO_SESSION}:{}:{}", self.host.name(), cwd.display())
    }
}

pub(crate) fn event_in(payload: &Fields) -> Option<&str> {
    text(payload, &["hook_event_name", "hookEventName", "hookName"])
}

/// Reads the payload of a hook; the name of the event is that of the command line, else that of the payload. `None` when the event is unknown or the
/// payload is not a JSON object.
pub(crate) fn read_call(name: Option<&str>, input: &str, told: Option<&str>) -> Option<Call> {
    let mut payload = parse_object(input.strip_prefix('\u{feff}').unwrap_or(input))?;
    // Windsurf reports what an event is about in an object of its own.
    if let Some(serde_json::Value::Object(about)) = payload.remove("tool_info") {
        payload.extend(about);
    }
    let name = name.or_else(|| event_in(&payload))?.to_owned();
    let (named, event) = native_event(&name)?;
    let owned = |found: Option<&str>| found.map(str::to_owned);
    let tool = tool_in(&payload);
    let host = host_of(&payload, named, told);
    let session = [
        "session_id",
        "conversation_id",
        "sessionId",
        "taskId",
        "sessionID",
        "trajectory_id",
    ];
    let last = text(
        &payload,
        &["last_assistant_message", "finalMessage", "prompt_response", "response"],
    );
    let prompt = || text(object(&payload, "userPromptSubmit")?, &["prompt"]);
    let transcript = ["agent_transcript_path", "transcript_path", "transcriptPath"];
    Some(Call {
        host,
        event,
        called_event: owned(text(&payload, &["hookEventName", "hook_event_name"])),
        session_id: text(&payload, &session).unwrap_or(NO_SESSION).to_owned(),
        branch_id: owned(text(&payload, &["agent_id"])),
        cwd: folder_of(&payload).map(PathBuf::from),
        prompt: owned(text(&payload, &["prompt"]).or_else(prompt)),
        source: owned(text(&payload, &["source"])),
        transcript: text(&payload, &transcript).map(PathBuf::from),
        said: owned(if name == "afterAgentResponse" {
            text(&payload, &["text"])
        } else {
            last
        }),
        command: command_of(host, &name, &payload, tool.as_ref().map(|tool| &tool.input)),
        action: tool.as_ref().and_then(action_of),
        is_held: payload.get("stop_hook_active") == Some(&serde_json::Value::Bool(true)),
        tool_use_id: owned(text(&payload, &["tool_use_id", "toolUseId", "callID", "tool_call_id"])),
        native_event: name,
    })
}

/// The shell command that was run, which each host reports in another form.
fn command_of(host: Host, event: &str, payload: &Fields, input: Option<&Fields>) -> Option<Command> {
    let line = text(payload, &["command", "command_line"]).map(str::to_owned);
    let line = line.or_else(|| line_in(input?))?;
    let is_background = ["run_in_background", "is_background", "isBackground"]
        .iter()
        .any(|name| input.and_then(|input| input.get(*name)) == Some(&serde_json::Value::Bool(true)));
    let whole = |name: &str| object(payload, name).cloned();
    let result = whole("tool_response")
        .or_else(|| whole("toolResult"))
        .or_else(|| object_in(payload.get("tool_output")))
        .or_else(|| whole("postToolUse"));
    let output = output_of(payload, result.as_ref());
    // Codex passes the output alone, whatever became of the command.
    let is_bare = payload.get("tool_response").is_some_and(serde_json::Value::is_string);
    let exit_code = exit_code_of(payload, result.as_ref()).or_else(|| {
        if is_bare {
            let end = tail(output.as_deref().unwrap_or_default(), REPORT_TAIL);
            Some(code_at(end).unwrap_or_else(|| i64::from(failed().is_match(end))))
        } else {
            implied_exit_code(host, event)
        }
    });
    Some(Command {
        line,
        // It goes on: how it ends is not known yet.
        exit_code: exit_code.filter(|_| !is_background),
        output,
    })
}

/// Returns how a command ended, as the end of a report says it.
fn code_at(end: &str) -> Option<i64> {
    report_end().captures(end)?.get(1)?.as_str().parse().ok()
}

fn exit_code_of(payload: &Fields, result: Option<&Fields>) -> Option<i64> {
    for fields in result.into_iter().chain([payload]) {
        for name in ["exit_code", "exitCode", "returnCode", "code"] {
            if let Some(code) = fields.get(name).filter(|value| value.is_number()) {
                // A fraction is no success either.
                return Some(code.as_i64().unwrap_or(1));
            }
        }
    }
    let result = result?;
    // Cline calls every list of commands a success that could be started, and says in its report how the last one ended.
    let report = result
        .get("result")
        .map(|report| report.as_str().map_or_else(|| report.to_string(), str::to_owned));
    if let Some(code) = report.as_deref().and_then(|report| code_at(tail(report, REPORT_TAIL))) {
        return Some(code);
    }
    let is = |name: &str| result.get(name).and_then(serde_json::Value::as_bool);
    if let Some(is_success) = is("success") {
        return Some(i64::from(!is_success));
    }
    let kind = text(result, &["resultType"]);
    let has_error = object(result, "error").is_some() || text(result, &["error"]).is_some();
    if has_error || is("is_error") == Some(true) || is("interrupted") == Some(true) || kind == Some("failure") {
        return Some(1);
    }
    // Copilot CLI calls every command a success that could be started.
    let report = text(result, &["textResultForLlm"]).map(|report| tail(report, REPORT_TAIL));
    if let Some(ended) = report.and_then(|report| copilot_end().captures(report)) {
        return ended.get(1)?.as_str().parse().ok();
    }
    if is("is_error") == Some(false) || kind == Some("success") {
        return Some(0);
    }
    written_exit_code(text(result, &["llmContent"])?)
}

pattern!(
    /// The text that Copilot CLI appends to the output of a command for the model.
    copilot_end,
    r"<shellId: [^<>\n]{1,64} completed with exit code (\d{1,10})>\s*$"
);
pattern!(
    /// The text that Cline, and Factory droid, append to the output of a command for the model.
    report_end,
    r"\[(?:Command|Process) exited with code (\d{1,10})\]"
);
pattern!(
    /// The lines that Gemini CLI and Qwen Code append to the output of a command for the model.
    exit_line,
    r"\nExit Code: (\d{1,10}|\(none\))(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*(?:\n</untrusted_context>)?\s*$"
);
pattern!(
    /// How the last lines of a command begin that has failed, in the languages of its programs.
    failed,
    r"(?m)^(?:\s*(?:[A-Z]\w*(?:Error|Exception)\b|Error\b|error(?:\[\w+\])?:|ERROR\b|fatal:|FAILED?\b|FAILURE\b|Traceback\b|panic:|npm (?:ERR!|error)|make(?:\[\d+\])?: \*\*\*|thread '.*' panicked)|(?:[\w./-]+: ){1,3}(?:command not found|No such file or directory|Permission denied))"
);
/// The length of that report at the end; the output before it may be of any length.
const REPORT_TAIL: usize = 2000;

/// Gemini CLI and Qwen Code pass no field with the exit code, and Gemini CLI writes no line for 0.
fn written_exit_code(report: &str) -> Option<i64> {
    if !report.starts_with("Output: ") && !report.contains("\nOutput: ") {
        return None;
    }
    match exit_line()
        .captures(tail(report, REPORT_TAIL))
        .and_then(|found| found.get(1))
    {
        Some(code) => code.as_str().parse().ok().or(Some(0)),
        None => Some(0),
    }
}

/// Claude Code names no exit code: commands that fail have an event of their own. Of goose it is not known that each of them has.
fn implied_exit_code(host: Host, event: &str) -> Option<i64> {
    match event {
        "PostToolUse" if host != Host::Goose => Some(0),
        "PostToolUseFailure" | "postToolUseFailure" => Some(1),
        _ => None,
    }
}

fn output_of(payload: &Fields, result: Option<&Fields>) -> Option<String> {
    let of_payload = ["output", "error", "error_message"].map(|name| text(payload, &[name]));
    let names = [
        "stdout",
        "stderr",
        "output",
        "textResultForLlm",
        "llmContent",
        "error",
        "result",
    ];
    let of_result = names.map(|name| text(result?, &[name]));
    let bare = payload.get("tool_response").and_then(serde_json::Value::as_str);
    let parts: Vec<&str> = of_payload
        .into_iter()
        .chain(of_result)
        .chain([bare])
        .flatten()
        .collect();
    if parts.is_empty() {
        // Cline reports a list.
        let report = result?
            .get("result")
            .filter(|report| report.is_array() || report.is_object())?;
        return Some(report.to_string().replace("\\n", "\n"));
    }
    Some(parts.join("\n"))
}
