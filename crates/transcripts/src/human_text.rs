//! Separates the text that a person typed from additions by programs in the same message: reminders, context, summaries, recalled notes.

use std::borrow::Cow;

use forge_memory_core::frame::unframe;

/// Tags of the blocks that programs insert into a message.
const WRAPPERS: [&str; 15] = [
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "user-prompt-submit-hook",
    "environment_context",
    "environment_details",
    "user_instructions",
    "permissions instructions",
    "skills_instructions",
    "recommended_plugins",
    "claude-mem-context",
    "session_context",
    "hook_context",
    "timestamp",
];

/// Beginnings of messages that a program wrote.
const MACHINE: [&str; 33] = [
    "<local-command-caveat>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<command-name>",
    "<command-message>",
    "<task-notification>",
    "<teammate-message",
    "<subagent_notification>",
    "<goal_context>",
    "<codex_internal_context",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "Stop hook feedback:",
    "Caveat: The messages below",
    "Another Claude session sent a message:",
    "This session is being continued from a previous conversation",
    "UserPromptSubmit hook additional context:",
    "SessionStart hook additional context:",
    "[Your previous response had no visible output",
    "You are Qwen Code",
    "# System Prompt",
    "# Identity",
    "<identity>",
    "## Included Rules",
    "# Task Tool Invocation",
    "<session_context>",
    "<hook_context>",
    "The user wants to clarify these questions",
    "# AGENTS.md instructions for",
];

/// Tags around text that a person typed.
const UNWRAPPED: [&str; 5] = ["user_query", "task", "feedback", "user_message", "USER_REQUEST"];

/// Returns the part of a message that a person typed; `None` when there is none.
pub(crate) fn human(text: &str) -> Option<String> {
    let text = without_private(text);
    let unframed = unframe(&text);
    let mut rest = unframed.text.trim().to_owned();
    if let Some((_, typed)) = rest.split_once("## My request for Codex:") {
        rest = typed.trim().to_owned();
    }
    if rest.starts_with("# AGENTS.md instructions") {
        rest = behind_instructions(&rest)?;
    }
    for name in WRAPPERS {
        rest = without_block(&rest, name);
    }
    for name in UNWRAPPED {
        if let Some(inner) = inside(&rest, name) {
            rest = inner;
        }
    }
    let rest = rest.trim();
    if rest.is_empty() || MACHINE.iter().any(|lead| rest.starts_with(lead)) {
        return None;
    }
    Some(rest.to_owned())
}

/// Removes `<private>` spans; an unclosed one extends to the end of the text.
pub(crate) fn without_private(text: &str) -> Cow<'_, str> {
    if !text.contains("<private>") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<private>") {
        kept.push_str(before);
        rest = behind.split_once("</private>").map_or("", |(_, behind)| behind);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

fn behind_instructions(text: &str) -> Option<String> {
    if !text.contains("<INSTRUCTIONS>") {
        return Some(text.to_owned());
    }
    let (_, behind) = text.split_once("</INSTRUCTIONS>")?;
    Some(behind.trim().to_owned())
}

/// Removes the blocks of one tag that begin a line. An unclosed block stays, because removing it would remove the whole message.
fn without_block(text: &str, name: &str) -> String {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    if !text.contains(&open) {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&open) {
        let (before, block) = rest.split_at(at);
        let is_tag = block
            .get(open.len()..)
            .is_some_and(|behind| behind.starts_with(['>', ' ']));
        let begins_line = before.trim_end_matches(' ').is_empty() || before.trim_end_matches(' ').ends_with('\n');
        match block.find(&close) {
            Some(end) if is_tag && begins_line => {
                kept.push_str(before);
                rest = block.get(end + close.len()..).unwrap_or_default();
            }
            _ => {
                let (head, tail) = block.split_at(open.len());
                kept.push_str(before);
                kept.push_str(head);
                rest = tail;
            }
        }
    }
    kept.push_str(rest);
    kept
}

fn inside(text: &str, name: &str) -> Option<String> {
    let (_, behind) = text.split_once(&format!("<{name}>"))?;
    let (inner, _) = behind.split_once(&format!("</{name}>"))?;
    Some(inner.trim().to_owned())
}
