//! The hosts: the names of their events, how payloads identify the host, and at which events a host accepts context.

use serde_json::Value;

use crate::fields::{Fields, text};

/// The events of hook calls, common to all hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A session starts, or goes on after a pause.
    SessionStart,
    /// The user has written.
    Prompt,
    /// A tool is about to be called.
    BeforeTool,
    /// A tool was called.
    AfterTool,
    /// The context is about to be shortened.
    Compaction,
    /// The agent has answered.
    Stop,
    /// A subagent has answered.
    SubagentStop,
    /// A session ends.
    SessionEnd,
}

impl Event {
    /// All of them, in the order of a session.
    pub const ALL: [Event; 8] = [
        Event::SessionStart,
        Event::Prompt,
        Event::BeforeTool,
        Event::AfterTool,
        Event::Compaction,
        Event::Stop,
        Event::SubagentStop,
        Event::SessionEnd,
    ];

    /// Returns the name, which settings use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Event::SessionStart => "session-start",
            Event::Prompt => "prompt",
            Event::BeforeTool => "before-tool",
            Event::AfterTool => "after-tool",
            Event::Compaction => "compaction",
            Event::Stop => "stop",
            Event::SubagentStop => "subagent-stop",
            Event::SessionEnd => "session-end",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    Claude,
    Cursor,
    Copilot,
    Codex,
    Gemini,
    Qwen,
    Devin,
    Cline,
    Junie,
    Opencode,
    Kilo,
    Amp,
    Goose,
    Windsurf,
    /// An agent behind the proxy of the Agent Client Protocol.
    Acp,
    Antigravity,
    Droid,
    Pi,
}

impl Host {
    const ALL: [Host; 18] = [
        Host::Claude,
        Host::Cursor,
        Host::Copilot,
        Host::Codex,
        Host::Gemini,
        Host::Qwen,
        Host::Devin,
        Host::Cline,
        Host::Junie,
        Host::Opencode,
        Host::Kilo,
        Host::Amp,
        Host::Goose,
        Host::Windsurf,
        Host::Acp,
        Host::Antigravity,
        Host::Droid,
        Host::Pi,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Host::Claude => "claude",
            Host::Cursor => "cursor",
            Host::Copilot => "copilot",
            Host::Codex => "codex",
            Host::Gemini => "gemini",
            Host::Qwen => "qwen",
            Host::Devin => "devin",
            Host::Cline => "cline",
            Host::Junie => "junie",
            Host::Opencode => "opencode",
            Host::Kilo => "kilo",
            Host::Amp => "amp",
            Host::Goose => "goose",
            Host::Windsurf => "windsurf",
            Host::Acp => "acp",
            Host::Antigravity => "antigravity",
            Host::Droid => "droid",
            Host::Pi => "pi",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Host> {
        Host::ALL.into_iter().find(|host| host.name() == name)
    }
}

/// The names of events. Most hosts use those of Claude Code; the others are recognised by their payloads.
const EVENTS: [(&str, Host, Event); 27] = [
    ("SessionStart", Host::Claude, Event::SessionStart),
    ("UserPromptSubmit", Host::Claude, Event::Prompt),
    ("PreToolUse", Host::Claude, Event::BeforeTool),
    ("PostToolUse", Host::Claude, Event::AfterTool),
    ("PostToolUseFailure", Host::Claude, Event::AfterTool),
    ("PreCompact", Host::Claude, Event::Compaction),
    ("Stop", Host::Claude, Event::Stop),
    ("SubagentStop", Host::Claude, Event::SubagentStop),
    ("SessionEnd", Host::Claude, Event::SessionEnd),
    ("beforeSubmitPrompt", Host::Cursor, Event::Prompt),
    ("afterShellExecution", Host::Cursor, Event::AfterTool),
    ("afterAgentResponse", Host::Cursor, Event::Stop),
    ("preCompact", Host::Cursor, Event::Compaction),
    ("stop", Host::Cursor, Event::Stop),
    // Copilot, and Cursor with other payloads.
    ("sessionStart", Host::Copilot, Event::SessionStart),
    ("sessionEnd", Host::Copilot, Event::SessionEnd),
    ("userPromptSubmitted", Host::Copilot, Event::Prompt),
    ("preToolUse", Host::Copilot, Event::BeforeTool),
    ("postToolUse", Host::Copilot, Event::AfterTool),
    ("postToolUseFailure", Host::Copilot, Event::AfterTool),
    ("agentStop", Host::Copilot, Event::Stop),
    ("subagentStop", Host::Copilot, Event::SubagentStop),
    ("BeforeAgent", Host::Gemini, Event::Prompt),
    ("AfterTool", Host::Gemini, Event::AfterTool),
    ("AfterAgent", Host::Gemini, Event::Stop),
    ("post_run_command", Host::Windsurf, Event::AfterTool),
    ("post_cascade_response", Host::Windsurf, Event::Stop),
];
const COMPRESSION: (&str, Host, Event) = ("PreCompress", Host::Gemini, Event::Compaction);

/// Returns the names under which hosts report events.
#[must_use]
pub fn event_names() -> Vec<&'static str> {
    EVENTS.iter().chain([&COMPRESSION]).map(|(name, ..)| *name).collect()
}

pub(crate) fn native_event(name: &str) -> Option<(Host, Event)> {
    let found = EVENTS.iter().chain([&COMPRESSION]).find(|(known, ..)| *known == name);
    found.map(|(_, host, event)| (*host, *event))
}

/// Identifies the calling host: several also read the files of Claude Code, and call its hooks with its names.
pub(crate) fn host_of(payload: &Fields, named: Host, told: Option<&str>) -> Host {
    if let Some(known) = told.and_then(Host::named) {
        return known;
    }
    let has = |name: &str| payload.contains_key(name);
    if has("conversation_id") || has("cursor_version") {
        Host::Cursor
    } else if has("clineVersion") || has("hookName") {
        Host::Cline
    } else if has("turn_id") {
        Host::Codex
    } else if named != Host::Gemini && has("timestamp") {
        // Payloads of Gemini CLI have a timestamp too, but its events have names of their own.
        Host::Copilot
    } else {
        named
    }
}

/// True if the host accepts context at any event. Of the others, what their agents mark and what becomes of their commands is learned; goose takes
/// each other word of a hook for its failure.
pub(crate) fn takes_context(host: Host) -> bool {
    !matches!(host, Host::Goose | Host::Windsurf)
}

/// True if the agent of the host goes on when a hook has something to say at its end.
pub(crate) fn holds_at_stop(host: Host) -> bool {
    matches!(host, Host::Claude | Host::Codex | Host::Copilot)
}

/// True if the host shows a line of a hook to its user.
pub(crate) fn shows_lines(host: Host) -> bool {
    matches!(host, Host::Claude | Host::Gemini)
}

/// True if the host accepts context before a tool call. The others get it right after the call.
fn is_told_before(host: Host) -> bool {
    matches!(
        host,
        Host::Claude | Host::Copilot | Host::Codex | Host::Cline | Host::Junie | Host::Acp
    )
}

/// True if the host accepts notes about an action at this event.
pub(crate) fn takes_moments(host: Host, event: Event) -> bool {
    match event {
        Event::BeforeTool => is_told_before(host),
        Event::AfterTool => !is_told_before(host),
        _ => false,
    }
}

/// True if the host accepts a note about an earlier fix after a failed command.
pub(crate) fn takes_remedies(host: Host, native_name: &str) -> bool {
    host != Host::Junie && (host != Host::Cursor || native_name == "postToolUse")
}

pub(crate) fn folder_of(payload: &Fields) -> Option<&str> {
    let roots = payload.get("workspace_roots").or_else(|| payload.get("workspaceRoots"));
    let root = roots.and_then(Value::as_array).and_then(|roots| match roots.first()? {
        Value::String(path) => Some(path.as_str()),
        Value::Object(root) => text(root, &["path"]),
        _ => None,
    });
    text(payload, &["cwd", "workingDirectory", "project_path", "working_dir"]).or(root)
}
