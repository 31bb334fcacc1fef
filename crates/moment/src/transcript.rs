//! The texts of the agent itself in a transcript: no user, no tool output.

use std::path::Path;

use forge_memory_core::journal::{Disk, DiskFile, OsDisk};
use forge_memory_core::{Error, Result};
use serde_json::Value;

/// The most of a transcript that is read at once.
const BYTES_MAX: u64 = 4 << 20;
/// How much is read of the first line of one.
const HEAD_BYTES: usize = 4096;

/// The texts of an agent since the last read.
pub(crate) struct AgentTexts {
    pub texts: Vec<String>,
    /// The offset of the next read.
    pub next: u64,
    /// True if more follows.
    pub is_more: bool,
}

/// Opens a regular file, which is no link.
fn open(path: &Path) -> Result<Box<dyn DiskFile>> {
    let refused = |kind: &str| {
        let message = format!("{} is {kind}; it was not opened", path.display());
        Err(Error::io("open", path)(std::io::Error::other(message)))
    };
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => refused("a link"),
        Ok(found) if found.is_dir() => refused("a folder"),
        Ok(found) if !found.is_file() => refused(special(found.file_type())),
        _ => OsDisk.open_read(path).map_err(Error::io("open", path)),
    }
}

#[cfg(unix)]
fn special(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if kind.is_fifo() => "a FIFO",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(not(unix))]
fn special(_kind: std::fs::FileType) -> &'static str {
    "a device"
}

fn length(file: &dyn DiskFile, path: &Path) -> Result<u64> {
    Ok(file.state().map_err(Error::io("inspect", path))?.len)
}

/// Returns the offset of the first read of a transcript: older parts belong to earlier sessions.
pub(crate) fn start_of(path: &Path) -> Result<u64> {
    if !path.exists() {
        return Ok(0);
    }
    Ok(length(open(path)?.as_ref(), path)?.saturating_sub(BYTES_MAX))
}

/// Reads a transcript from an offset on. A line that is not whole yet is left for the next look.
pub(crate) fn read_agent_texts(path: &Path, since: u64) -> Result<AgentTexts> {
    let file = open(path)?;
    let size = length(file.as_ref(), path)?;
    // A shorter file is another one.
    let start = if since <= size {
        since
    } else {
        size.saturating_sub(BYTES_MAX)
    };
    let mut bytes = vec![0; usize::try_from((size - start).min(BYTES_MAX)).unwrap_or(0)];
    let got = file.read_at(start, &mut bytes).map_err(Error::io("read", path))?;
    bytes.truncate(got);
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
    // A line that fills the whole buffer is not a text of the agent.
    let is_full = end == 0 && got as u64 == BYTES_MAX;
    let next = start + if is_full { got } else { end } as u64;
    Ok(AgentTexts {
        texts: lines.lines().flat_map(texts_of).collect(),
        next,
        is_more: next > start && start + (got as u64) < size,
    })
}

/// Returns how a session of Codex was started, `cli`, `vscode` or `exec`, and an empty text of a subagent; `None` where its transcript does not
/// say it. The first line is long, and says it before the instructions of the agent.
pub(crate) fn codex_source(path: &Path) -> Option<String> {
    let mut head = vec![0; HEAD_BYTES];
    let got = open(path).ok()?.read_at(0, &mut head).ok()?;
    let head = String::from_utf8_lossy(head.get(..got)?).into_owned();
    let head = head.split("\"base_instructions\"").next()?;
    let (_, source) = head.split_once("\"source\":")?;
    let name = source.trim_start().strip_prefix('"').unwrap_or_default();
    Some(name.split('"').next().unwrap_or_default().to_owned())
}

/// Claude Code: `{type: 'assistant', message: {content}}`; Copilot: `{type: 'assistant.message', data: {content}}`; Cursor and others:
/// `{role: 'assistant', content}`.
fn texts_of(line: &str) -> Vec<String> {
    // Only lines with a mark or a citation say something to the memory.
    if !line.contains("assistant") || !(line.contains("[remember") || line.contains("[mem:")) {
        return Vec::new();
    }
    let Ok(entry) = serde_json::from_str::<Value>(line) else {
        return Vec::new();
    };
    let message = entry.get("message").or_else(|| entry.get("data")).unwrap_or(&entry);
    let kind = entry.get("type").and_then(Value::as_str);
    let role = message.get("role").and_then(Value::as_str);
    if !matches!(kind, Some("assistant" | "assistant.message")) && role != Some("assistant") {
        return Vec::new();
    }
    match message.get("content") {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(parts)) => {
            let texts = parts
                .iter()
                .filter(|part| part.get("type").and_then(Value::as_str) == Some("text"));
            texts
                .filter_map(|part| part.get("text")?.as_str().map(str::to_owned))
                .collect()
        }
        _ => Vec::new(),
    }
}
