//! Telemetry of notes: one line for each injection, use and failed hook call, in the user's own folder. It is about a person's sessions, so it
//! is neither in the project nor in git.

use std::path::{Path, PathBuf};

use forge_memory_core::clock::{Millis, format_iso, parse_iso};
use forge_memory_core::journal::{OsDisk, read_bounded};
use serde_json::{Value, json};

use crate::lines::{as_line, head};
use crate::private;
use crate::session::MarkedBy;

/// The size at which a journal is rotated; one previous file is kept.
const BYTES_MAX: u64 = 2 << 20;
const MESSAGE_MAX: usize = 300;

fn journal_of(home: &Path, project: &Path) -> PathBuf {
    private::hashed(home, "moments", &project.to_string_lossy(), "jsonl")
}

/// Returns the journal of a project, ready for another line.
fn ready(home: &Path, project: &Path) -> PathBuf {
    let path = journal_of(home, project);
    if std::fs::symlink_metadata(&path).is_ok_and(|found| found.len() > BYTES_MAX) {
        let _ = std::fs::rename(&path, old(&path));
    }
    path
}

fn old(path: &Path) -> PathBuf {
    path.with_extension("jsonl.old")
}

/// Appends entries. Write errors are ignored: telemetry must not make a hook fail.
pub(crate) fn record(home: &Path, project: &Path, entries: &[Value]) {
    if entries.is_empty() {
        return;
    }
    let lines: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    let _ = private::append(home, &ready(home, project), &lines);
}

/// Returns the entry of a failed hook call. The host continued; `doctor` reports it to the user later.
pub(crate) fn fault(now: Millis, hook: &str, host: &str, message: &str) -> Value {
    let line = |text: &str, max: usize| head(&as_line(text), max).to_owned();
    json!({
        "at": format_iso(now),
        "kind": "fault",
        "hook": line(hook, 64),
        "host": line(host, 32),
        "message": line(message, MESSAGE_MAX),
    })
}

/// Returns the entry of a memory that an agent has marked in a session.
pub(crate) fn stored(now: Millis, by: &MarkedBy<'_>, id: &str) -> Value {
    json!({
        "at": format_iso(now),
        "kind": "stored",
        "hook": "mark",
        "host": by.agent,
        "session": by.session,
        "id": id,
    })
}

/// Returns the file and the line that a deadline leaves.
pub(crate) fn last_fault(home: &Path, project: &Path, entry: &Value) -> Option<(PathBuf, String)> {
    let path = ready(home, project);
    private::refuse_links(home, &path).ok()?;
    let _ = std::fs::create_dir_all(path.parent()?);
    Some((path, format!("{entry}\n")))
}

/// Reads the entries of a project, the oldest first; invalid lines are skipped.
pub(crate) fn entries(home: &Path, project: &Path) -> Vec<Value> {
    let path = journal_of(home, project);
    let mut found = Vec::new();
    for path in [old(&path), path] {
        if private::refuse_links(home, &path).is_err() {
            continue;
        }
        let bytes = read_bounded(&OsDisk, &path, 4 * BYTES_MAX).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        found.extend(
            lines
                .filter_map(|line| serde_json::from_slice(line).ok())
                .filter(is_entry),
        );
    }
    found
}

fn is_entry(entry: &Value) -> bool {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let is = |name: &str, check: fn(&Value) -> bool| entry.get(name).is_some_and(check);
    let is_known = match text("kind") {
        Some("told") => is("ids", Value::is_array) && is("tokens", Value::is_number) && is("ms", Value::is_number),
        Some("used" | "stored") => text("id").is_some(),
        Some("fault") => text("message").is_some(),
        _ => false,
    };
    is_known && text("hook").is_some() && text("at").and_then(parse_iso).is_some()
}
