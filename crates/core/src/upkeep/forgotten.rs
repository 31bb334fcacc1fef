//! Files with copies of records: the texts of forgotten ones go from them with a compaction, as they go from the log.

use std::io;

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::engine::search_cache::CACHE_FILE;
use crate::error::{Error, Result};
use crate::journal::each_line;
use crate::observe::events::{is_event_file, renew_mark};
use crate::project::Project;
use crate::project::backups::forget_in_backups;
use crate::project::files::{ARCHIVE_FILE, DEAD_LETTER_FILE, PREVIOUS_ARCHIVE_FILE};
use crate::project::layout::Layout;

/// What stands in the place of a text that is forgotten.
const FORGOTTEN: &str = "[forgotten]";
/// The fields of a record that say something of it.
const SAYING: [&str; 5] = ["content", "pattern", "text", "body", "quote"];

/// Returns the files that have copies of records, without the log, the queue and the backups: archives, dead letters, events, cached searches.
///
/// # Errors
/// `IO`.
pub(crate) fn files_with_copies(layout: &Layout) -> Result<Vec<String>> {
    let fixed = [ARCHIVE_FILE, PREVIOUS_ARCHIVE_FILE, DEAD_LETTER_FILE, CACHE_FILE];
    let entries = match layout.disk().list(layout.forge()) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(Error::io("list", layout.forge())(e)),
    };
    let names = entries.into_iter().filter_map(|entry| entry.name.into_string().ok());
    let events = names.filter(|name| is_event_file(name));
    let fixed = fixed.into_iter().filter(|name| layout.has(name)).map(str::to_owned);
    Ok(fixed.chain(events).collect())
}

/// Removes the texts of forgotten records from all copies. What says that there was one stays: numbers of events go on, and nothing is delivered again.
///
/// # Errors
/// `LOCKED` or `IO`; the next compaction continues.
pub(crate) fn forget_copies(project: &Project, ids: &FxHashSet<String>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let layout = &project.layout;
    forget_in_backups(layout, ids)?;
    for name in files_with_copies(layout)? {
        layout.journal_of(&name).replace::<Error>(|old| {
            let fresh = without_texts(old, ids).map(|fresh| {
                // The question of a cached search has words of it as well.
                if name == CACHE_FILE { Vec::new() } else { fresh }
            });
            if let Some(fresh) = &fresh {
                renew_mark(project, &name, old, fresh)?;
            }
            Ok(fresh)
        })?;
    }
    Ok(())
}

/// Returns the lines without the texts of some records; `None` when they have none.
fn without_texts(old: &[u8], ids: &FxHashSet<String>) -> Option<Vec<u8>> {
    let mut fresh = Vec::with_capacity(old.len());
    let mut has_changed = false;
    for (raw, line) in each_line(old) {
        let read = serde_json::from_slice::<Value>(line).ok();
        match read.and_then(|mut value| blank(&mut value, ids).then_some(value)) {
            Some(value) => {
                has_changed = true;
                fresh.extend_from_slice(value.to_string().as_bytes());
                fresh.push(b'\n');
            }
            None => fresh.extend_from_slice(raw),
        }
    }
    has_changed.then_some(fresh)
}

/// Blanks the texts of some records within a value; returns whether there were any.
fn blank(value: &mut Value, ids: &FxHashSet<String>) -> bool {
    match value {
        Value::Array(items) => {
            let mut any = false;
            for item in items {
                any |= blank(item, ids);
            }
            any
        }
        Value::Object(fields) => {
            let forgotten = fields
                .get("id")
                .and_then(Value::as_str)
                .is_some_and(|id| ids.contains(id));
            let mut any = false;
            for (name, field) in fields.iter_mut() {
                if forgotten && SAYING.contains(&name.as_str()) && field.as_str().is_some_and(|text| text != FORGOTTEN)
                {
                    *field = Value::from(FORGOTTEN);
                    any = true;
                } else {
                    any |= blank(field, ids);
                }
            }
            any
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_some_records_go_wherever_they_are_and_nothing_else_does() {
        let ids = FxHashSet::from_iter(["mem_1".to_owned()]);
        let line = |own: &str, other: &str| {
            format!(
                "{{\"seq\":7,\"thought\":{{\"id\":\"mem_1\",\"content\":\"{own}\"}},\"retired\":[{{\"id\":\"mem_2\",\"text\":\"{other}\"}}]}}\nno JSON\n"
            )
        };
        let fresh = without_texts(line("alpha", "beta").as_bytes(), &ids).unwrap();
        assert_eq!(String::from_utf8(fresh.clone()).unwrap(), line(FORGOTTEN, "beta"));
        assert_eq!(without_texts(&fresh, &ids), None);
    }

    #[test]
    fn events_and_their_generations_have_copies_and_their_marks_have_none() {
        for name in ["hub-events.jsonl", "hub-events.1.jsonl", "hub-events.12.jsonl"] {
            assert!(is_event_file(name), "{name}");
        }
        for name in [
            "hub-events.mark.jsonl",
            "hub-events.foreign.jsonl",
            "hub-events2.jsonl",
            "events.jsonl",
        ] {
            assert!(!is_event_file(name), "{name}");
        }
    }
}
