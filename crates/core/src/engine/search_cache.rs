//! The cache of searches in the shared store: `memory-search-cache.jsonl`.
//!
//! An entry is valid while its TTL lasts, the version of the store is the same, and no record was captured since that could change
//! the answer (invalidation by the raw log). The file can be deleted at any time. Entries that this machine did not write are
//! ignored.

use serde_json::{Map, Value};

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::{Journal, Line};
use crate::model::cache_entry::{build_cache_entry, is_cache_entry_fresh};
use crate::model::thought::{ActionKind, LineKind, read_line};
use crate::observe::events::Position;
use crate::project::Project;
use crate::project::layout::Layout;

/// The file, within `.forge/`.
pub const CACHE_FILE: &str = "memory-search-cache.jsonl";

/// At this size the file is rewritten with its valid entries.
pub const FILE_BYTES_MAX: u64 = 1 << 20;
/// How many entries a rewrite keeps.
const ENTRIES_KEPT: usize = 64;
/// The maximum size of an entry.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;
/// Scanning more of the raw log than this costs more than another search.
const SINCE_BYTES_MAX: u64 = 1 << 20;

/// The filter of a search; a capture outside of it cannot change the answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Restriction<'a> {
    /// Only of this project.
    pub project: Option<&'a str>,
    /// Only of this type.
    pub kind: Option<&'a str>,
}

/// Returns a stamp of the raw log. Taken before a search, it later shows the captures since.
///
/// # Errors
/// `IO` when the raw log exists but its state cannot be read.
pub(crate) fn search_stamp(raw_log: &mut Journal) -> Result<String> {
    let state = raw_log.look()?;
    Ok(state.map_or_else(
        || "empty".to_owned(),
        |state| Position::at(state.id, state.len).to_string(),
    ))
}

/// Returns the entry of an earlier search with this key and `place` (the rest that the answer depends on, as a text), if it may
/// still be used.
///
/// # Errors
/// `IO` when a file exists but cannot be read.
pub(crate) fn cached_search(
    project: &Project,
    raw_log: &mut Journal,
    key: &str,
    place: &str,
    within: Restriction<'_>,
) -> Result<Option<Value>> {
    let now = project.now();
    let mut journal = cache_journal(&project.layout);
    let Some(state) = journal.look()? else { return Ok(None) };
    let check = project.marks.checker();
    let mut found = None;
    journal.scan(0, state.len, &mut |line: Line<'_>| {
        if memchr::memmem::find(line.bytes, key.as_bytes()).is_some()
            && let Ok(entry) = serde_json::from_slice::<Value>(line.bytes)
            && text_in(&entry, "key") == Some(key)
            && check.is_sealed(CACHE_FILE, line.bytes)
        {
            found = Some(entry);
        }
    })?;
    let Some(entry) = found else { return Ok(None) };
    let is_usable = is_cache_entry_fresh(&entry, now)
        && text_in(&entry, "place") == Some(place)
        && !has_changed_since(raw_log, text_in(&entry, "stamp").unwrap_or_default(), within)?;
    Ok(is_usable.then_some(entry))
}

/// Caches the answer of a search: the fields of [`build_cache_entry`] and all other fields of `entry`. Answers that are too
/// large are not cached.
///
/// # Errors
/// `INVALID_INPUT` when a field is missing, otherwise as [`Journal::append`].
pub(crate) fn keep_search(project: &mut Project, entry: &Value, place: &str, stamp: &str) -> Result<()> {
    let now = project.now();
    let Value::Object(mut kept) = build_cache_entry(entry, now)? else {
        return Err(Error::invalid("entry", "expected an object"));
    };
    add_missing(&mut kept, entry);
    kept.insert("place".into(), place.into());
    kept.insert("stamp".into(), stamp.into());
    let mut line = Value::Object(kept).to_string().into_bytes();
    if line.len() > ENTRY_BYTES_MAX {
        return Ok(());
    }
    project.marks.seal(CACHE_FILE, &mut line)?;
    project.ensure_gitignore(true)?;
    let mut journal = cache_journal(&project.layout);
    let span = journal.append(&line)?;
    if span.offset + span.len > FILE_BYTES_MAX {
        journal.replace::<Error>(|old| Ok(Some(prune(old, now))))?;
    }
    Ok(())
}

fn cache_journal(layout: &Layout) -> Journal {
    layout.journal_under_own_lock(CACHE_FILE)
}

/// True if a record that matches `within` was captured, edited or forgotten after the stamp.
fn has_changed_since(raw_log: &mut Journal, stamp: &str, within: Restriction<'_>) -> Result<bool> {
    let Some(state) = raw_log.look()? else {
        return Ok(stamp != "empty");
    };
    let from = match stamp.parse::<Position>() {
        Ok(position) if position.file() == state.id && position.offset() <= state.len => position.offset(),
        _ => return Ok(true),
    };
    if state.len - from > SINCE_BYTES_MAX {
        return Ok(true);
    }
    let mut changed = false;
    raw_log.scan(from, state.len, &mut |line| {
        changed |= match read_line(line.bytes) {
            // A revision may remove its predecessor from the answer even when it does not match itself.
            LineKind::Record(fields) if fields.supersedes.is_some() => true,
            LineKind::Record(fields) => {
                within.project.is_none_or(|project| project == fields.project)
                    && within.kind.is_none_or(|kind| kind == fields.kind)
            }
            LineKind::Action(action) => action.kind == ActionKind::Delete,
            LineKind::Ruling(_) => true,
            LineKind::Other | LineKind::Unparsable => false,
        };
    })?;
    Ok(changed)
}

fn text_in<'a>(entry: &'a Value, name: &str) -> Option<&'a str> {
    entry.get(name).and_then(Value::as_str)
}

fn add_missing(kept: &mut Map<String, Value>, entry: &Value) {
    for (name, value) in entry.as_object().into_iter().flatten() {
        if !kept.contains_key(name) {
            kept.insert(name.clone(), value.clone());
        }
    }
}

/// Keeps the newest fresh entry of each key.
fn prune(old: &[u8], now: Millis) -> Vec<u8> {
    let mut keys = Vec::new();
    let mut lines = Vec::new();
    for line in old.split(|b| *b == b'\n').rev() {
        let Ok(entry) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let key = text_in(&entry, "key").unwrap_or_default().to_owned();
        if lines.len() < ENTRIES_KEPT && !keys.contains(&key) && is_cache_entry_fresh(&entry, now) {
            keys.push(key);
            lines.push(line);
        }
    }
    let mut kept = Vec::new();
    for line in lines.iter().rev() {
        kept.extend_from_slice(line);
        kept.push(b'\n');
    }
    kept
}
