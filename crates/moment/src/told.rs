//! Which notes were injected into a session, and whether the agent used them.

use std::path::Path;

use forge_memory_core::RecallHit;
use serde_json::{Value, json};

use crate::action::Action;
use crate::call::Call;
use crate::command_line::{commands_in, named_words};
use crate::failure::Failure;
use crate::hosts::Event;
use crate::lines::{head, short_id};
use crate::paths::{Mention, Mentions, path_within};
use crate::private::digest;
use crate::session::{Session, Told};
use crate::workplace::Workplace;

/// The maximum number of notes kept per session, and the length kept of each.
const NOTES_MAX: usize = 200;
const TEXT_MAX: usize = 500;
const WORDS_MIN: usize = 2;
/// The maximum number of ways to fail that are kept per session.
const FAILED_MAX: usize = 50;

/// Subagents have a context of their own, so notes are tracked for each.
fn key_of(call: &Call, id: &str) -> String {
    match &call.branch_id {
        None => id.to_owned(),
        Some(branch) => format!("{branch}/{id}"),
    }
}

/// Returns at which event a note was injected into the session before, unless it has changed since.
pub(crate) fn was_told(call: &Call, session: &Session, hit: &RecallHit) -> Option<String> {
    let told = session.told.get(&key_of(call, &hit.id));
    let told: Told = serde_json::from_value(told?.clone()).ok()?;
    // A host that repeats a tool call has not got the answer.
    let is_same_call =
        told.hook == call.event.name() && told.tool_use_id.is_some() && told.tool_use_id == call.tool_use_id;
    (told.hash == hash_of(hit) && !is_same_call).then_some(told.hook)
}

/// Notes how a command failed. Returns true if one failed in the same way before in this session: with the same last line, or because it did not end.
pub(crate) fn note_failure(call: &Call, session: &mut Session) -> bool {
    let command = call.command.as_ref().filter(|_| call.event == Event::AfterTool);
    let Some((command, code)) = command.and_then(|command| Some((command, command.exit_code?))) else {
        return false;
    };
    let line = digest(command.line.trim(), 12);
    let known = session.broken.iter().position(|broken| *broken == line);
    match known {
        Some(at) if code == 0 => {
            session.broken.remove(at);
            session.has_lesson = true;
        }
        None if code != 0 && session.broken.len() < FAILED_MAX => session.broken.push(line),
        _ => {}
    }
    if code == 0 {
        return false;
    }
    let output = command.output.as_deref().unwrap_or_default();
    let last = output.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let has_hung = Failure::read(output).has_hung();
    let way = if has_hung { "timeout" } else { last.unwrap_or_default() };
    let way = digest(way, 12);
    let is_repeated = session.failed.contains(&way);
    if !is_repeated && session.failed.len() < FAILED_MAX {
        session.failed.push(way);
    }
    is_repeated
}

pub(crate) fn record_told(call: &Call, session: &mut Session, hits: &[&RecallHit]) {
    for hit in hits {
        let told = Told {
            hash: hash_of(hit),
            hook: call.event.name().to_owned(),
            text: head(&hit.text, TEXT_MAX).to_owned(),
            tool_use_id: call.tool_use_id.clone(),
            is_used: false,
        };
        session
            .told
            .insert(key_of(call, &hit.id), serde_json::to_value(&told).unwrap_or_default());
    }
    let excess = session.told.len().saturating_sub(NOTES_MAX);
    if excess > 0 {
        session.told = std::mem::take(&mut session.told).into_iter().skip(excess).collect();
    }
}

/// Forgets the injected notes at events after which the context no longer holds them.
pub(crate) fn forget_told(call: &Call, session: &mut Session) {
    let is_new = call.event == Event::SessionStart && call.source.as_deref() != Some("resume");
    if call.event == Event::Compaction || is_new {
        session.told.clear();
    }
}

fn hash_of(hit: &RecallHit) -> String {
    let state = hit.freshness.as_ref().map(|freshness| freshness.state.name());
    digest(&json!([hit.text, state, hit.contradicted_by.len()]).to_string(), 16)
}

/// Finds injected notes that this call uses: it touches their file, runs their command or cites their id.
pub(crate) fn uses_in(call: &Call, session: &mut Session, place: &Workplace) -> Vec<Value> {
    let mut uses = Vec::new();
    for (key, value) in &mut session.told {
        let Ok(mut told) = serde_json::from_value::<Told>(value.clone()) else {
            continue;
        };
        let id = key.rsplit('/').next().unwrap_or(key);
        let is_own_call = call.tool_use_id.is_some() && call.tool_use_id == told.tool_use_id;
        if told.is_used || is_own_call {
            continue;
        }
        if let Some(how) = how_used(call, &told, id, place) {
            uses.push(json!({ "kind": "used", "hook": told.hook, "id": id, "how": how }));
            told.is_used = true;
            *value = serde_json::to_value(&told).unwrap_or_default();
        }
    }
    uses
}

fn how_used(call: &Call, told: &Told, id: &str, place: &Workplace) -> Option<&'static str> {
    let line = match &call.action {
        Some(Action::Command { line }) => Some(line),
        _ => None,
    };
    let mut said = call.said.iter().chain(line);
    if said.any(|text| text.contains(short_id(id))) {
        return Some("cited");
    }
    match call.action.as_ref()? {
        Action::Edit { paths, .. } | Action::Read { paths } => is_file_of(paths, &told.text, place).then_some("file"),
        Action::Command { line } | Action::Failure { line, .. } => {
            let mut commands = commands_in(line).into_iter();
            commands
                .any(|command| named_words(&told.text, &command) >= WORDS_MIN)
                .then_some("command")
        }
    }
}

fn is_file_of(paths: &[String], text: &str, place: &Workplace) -> bool {
    let project: &Path = &place.project;
    let mentions = Mentions::of(text);
    let mut paths = paths.iter().filter_map(|path| path_within(project, path, &place.cwd));
    paths.any(|path| mentions.of_file(&path) == Some(Mention::File))
}
