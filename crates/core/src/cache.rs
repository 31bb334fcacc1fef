//! Answers of the shared store that may be given again: `memory-search-cache.jsonl`.
//!
//! An entry is used while it is fresh and nothing was captured since that could change the answer. The file can be deleted
//! at any time; it only saves asking again. Entries that this machine did not write are none.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::clock::{Millis, format_iso, parse_iso};
use crate::error::{Error, Result};
use crate::events::Position;
use crate::journal::{Journal, Line};
use crate::memory::Memory;
use crate::thought::{ActionKind, FORMAT_VERSION, LineKind, read_line};

/// The file, within `.forge/`.
pub const CACHE_FILE: &str = "memory-search-cache.jsonl";

/// From this size on the file is rewritten with what can still be used.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The entries that a rewrite keeps, and how many bytes one may have.
const ENTRIES_KEPT: usize = 64;
const ENTRY_BYTES_MAX: usize = 64 * 1024;
/// Looking through more than this for a capture costs more than asking again.
const SINCE_BYTES_MAX: u64 = 1 << 20;

/// What an answer was restricted to; a capture outside of it cannot change the answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Restriction<'a> {
    /// Only of this project.
    pub project: Option<&'a str>,
    /// Only of this type.
    pub kind: Option<&'a str>,
}

impl Memory {
    /// Returns where the raw log stands now. Taken before a search, it tells later what was captured since.
    ///
    /// # Errors
    /// `IO` when the raw log is there but cannot be looked at.
    pub fn search_stamp(&mut self) -> Result<String> {
        let state = self.captures.journal.look()?;
        Ok(state.map_or_else(
            || "empty".to_owned(),
            |state| Position::at(state.id, state.len).to_string(),
        ))
    }

    /// Returns the entry of an earlier search with this key and `place` (what else the answer depends on, as a text), if it
    /// may still be used.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn cached_search(&mut self, key: &str, place: &str, within: Restriction<'_>) -> Result<Option<Value>> {
        let now = self.surroundings.clock.now_ms();
        let mut journal = self.cache_journal();
        let Some(state) = journal.look()? else { return Ok(None) };
        let check = self.marks.checker();
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
            && !self.has_changed_since(text_in(&entry, "stamp").unwrap_or_default(), within)?;
        Ok(is_usable.then_some(entry))
    }

    /// Keeps the answer of a search: the fields of [`build_cache_entry`], and whatever else belongs to the answer.
    /// Answers that are too large are not kept.
    ///
    /// # Errors
    /// `INVALID_INPUT` when a field is missing, otherwise as [`Journal::append`].
    pub fn keep_search(&mut self, entry: &Value, place: &str, stamp: &str) -> Result<()> {
        let now = self.surroundings.clock.now_ms();
        let Value::Object(mut kept) = build_cache_entry(entry, now)? else {
            return Err(Error::invalid("entry", "an object is due"));
        };
        add_missing(&mut kept, entry);
        kept.insert("place".into(), place.into());
        kept.insert("stamp".into(), stamp.into());
        let mut line = Value::Object(kept).to_string().into_bytes();
        if line.len() > ENTRY_BYTES_MAX {
            return Ok(());
        }
        self.marks.seal(CACHE_FILE, &mut line)?;
        self.furnish(true)?;
        let mut journal = self.cache_journal();
        let span = journal.append(&line)?;
        if span.offset + span.len > FILE_BYTES_MAX {
            journal.replace::<Error>(|old| Ok(Some(thin_out(old, now))))?;
        }
        Ok(())
    }

    fn cache_journal(&self) -> Journal {
        let forge: PathBuf = self.forge_dir();
        let lock = forge.join("locks/memory-search-cache.lock");
        Journal::new(Arc::clone(&self.surroundings.disk), forge.join(CACHE_FILE), lock)
    }

    /// Tells whether something was captured, edited or forgotten behind the stamp that an answer within `within` could show.
    fn has_changed_since(&mut self, stamp: &str, within: Restriction<'_>) -> Result<bool> {
        let Some(state) = self.captures.journal.look()? else {
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
        self.captures.journal.scan(from, state.len, &mut |line| {
            changed |= match read_line(line.bytes) {
                // What takes the place of something may take it out of the answer, whatever it is itself.
                LineKind::Record(fields) if fields.supersedes.is_some() => true,
                LineKind::Record(fields) => {
                    within.project.is_none_or(|project| project == fields.project)
                        && within.kind.is_none_or(|kind| kind == fields.kind)
                }
                LineKind::Action(action) => action.kind == ActionKind::Delete,
                LineKind::Other | LineKind::Unparsable => false,
            };
        })?;
        Ok(changed)
    }
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

/// Keeps the newest entry of each key that is fresh.
fn thin_out(old: &[u8], now: Millis) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use serde_json::json;

    use super::*;
    use crate::clock::Clock;
    use crate::input::CaptureInput;
    use crate::memory::Surroundings;

    #[derive(Debug)]
    struct Hands(AtomicI64);

    impl Clock for Hands {
        fn now_ms(&self) -> Millis {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn open() -> (tempfile::TempDir, Memory, Arc<Hands>) {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Hands(AtomicI64::new(1_790_000_000_000)));
        let mut surroundings = Surroundings::new(folder.path().join("p"), folder.path().join("home"));
        std::fs::create_dir_all(&surroundings.project_dir).unwrap();
        surroundings.clock = Arc::<Hands>::clone(&clock);
        (folder, Memory::open(surroundings), clock)
    }

    fn capture(memory: &mut Memory, kind: &str, body: &str) -> String {
        let input = CaptureInput {
            kind: Some(kind.into()),
            body: Some(body.into()),
            ..CaptureInput::default()
        };
        memory.capture(input).unwrap().thought.id
    }

    fn keep(memory: &mut Memory, key: &str) {
        let stamp = memory.search_stamp().unwrap();
        let entry = json!({ "key": key, "query": "q", "project": "p", "limit": 5, "results": [{ "id": "mem_1" }], "semantic": true });
        memory.keep_search(&entry, "here", &stamp).unwrap();
    }

    fn find(memory: &mut Memory, key: &str, kind: Option<&str>, project: Option<&str>) -> bool {
        let within = Restriction { project, kind };
        memory.cached_search(key, "here", within).unwrap().is_some()
    }

    #[test]
    fn an_answer_is_given_again_until_it_is_too_old() {
        let (_folder, mut memory, clock) = open();
        assert!(!find(&mut memory, "k", None, None));
        keep(&mut memory, "k");
        let entry = memory
            .cached_search("k", "here", Restriction::default())
            .unwrap()
            .unwrap();
        assert_eq!(
            (&entry["results"][0]["id"], &entry["semantic"]),
            (&json!("mem_1"), &json!(true))
        );
        assert!(!find(&mut memory, "other", None, None));
        assert!(
            memory
                .cached_search("k", "elsewhere", Restriction::default())
                .unwrap()
                .is_none()
        );
        clock.0.fetch_add(crate::cache::CACHE_TTL_MS, Ordering::Relaxed);
        assert!(!find(&mut memory, "k", None, None));
    }

    #[test]
    fn an_answer_that_came_with_a_clone_is_never_given() {
        let (_folder, mut memory, _) = open();
        keep(&mut memory, "k");
        let path = memory.forge_dir().join(CACHE_FILE);
        let kept = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, kept.replace("mem_1", "mem_2")).unwrap();
        assert!(!find(&mut memory, "k", None, None));
        std::fs::write(&path, kept).unwrap();
        assert!(find(&mut memory, "k", None, None));
    }

    #[test]
    fn a_capture_that_could_change_the_answer_ends_it_and_no_other_does() {
        let (_folder, mut memory, _) = open();
        let id = capture(&mut memory, "lesson", "there before");
        keep(&mut memory, "k");
        assert!(find(&mut memory, "k", None, None));
        capture(&mut memory, "lesson", "there before");
        assert!(find(&mut memory, "k", None, None), "a confirmation changes no answer");
        capture(&mut memory, "gotcha", "something new");
        assert!(!find(&mut memory, "k", None, None));
        assert!(find(&mut memory, "k", Some("lesson"), None), "of another type");
        assert!(find(&mut memory, "k", None, Some("elsewhere")), "of another project");
        assert!(!find(&mut memory, "k", Some("gotcha"), Some("p")));
        memory.forget(&id).unwrap();
        assert!(!find(&mut memory, "k", Some("lesson"), None));
    }

    #[test]
    fn the_file_is_thinned_out_and_what_is_fresh_stays() {
        let (_folder, mut memory, _) = open();
        for number in 0..3000 {
            let stamp = memory.search_stamp().unwrap();
            let results: Vec<Value> = (0..10).map(|n| json!({ "id": n, "content": "x".repeat(60) })).collect();
            let key = format!("key-{}", number % 100);
            let entry = json!({ "key": key, "query": "q", "project": "", "limit": 5, "results": results });
            memory.keep_search(&entry, "here", &stamp).unwrap();
        }
        let path = memory.forge_dir().join(CACHE_FILE);
        assert!(std::fs::metadata(path).unwrap().len() <= FILE_BYTES_MAX + ENTRY_BYTES_MAX as u64);
        assert!(find(&mut memory, "key-99", None, None));
        let large =
            json!({ "key": "large", "query": "q", "project": "", "limit": 5, "results": ["x".repeat(100_000)] });
        memory.keep_search(&large, "here", "empty").unwrap();
        assert!(!find(&mut memory, "large", None, None));
    }
}

/// How long a cached search is fresh when its entry does not say.
pub const CACHE_TTL_MS: Millis = 3_600_000;

/// Tells whether a cached search may still be used.
pub fn is_cache_entry_fresh(entry: &Value, now: Millis) -> bool {
    let cached_at = match entry.get("cachedAt") {
        Some(Value::String(at)) => parse_iso(at),
        Some(Value::Number(at)) => at.as_f64().map(|at| at as Millis),
        _ => None,
    };
    let ttl = entry
        .get("ttlMs")
        .and_then(Value::as_f64)
        .map_or(CACHE_TTL_MS, |ttl| ttl as Millis);
    cached_at.is_some_and(|at| at <= now && now - at < ttl)
}

/// Makes the entry of a search-result cache.
///
/// # Errors
/// `INVALID_INPUT` when a field is missing or has the wrong type.
pub fn build_cache_entry(entry: &Value, now: Millis) -> crate::Result<Value> {
    let wrong = |field: &str, due: &str| crate::Error::invalid(field, format!("{due} is due"));
    let text = |field: &str| {
        entry
            .get(field)
            .and_then(Value::as_str)
            .ok_or_else(|| wrong(field, "a text"))
    };
    let limit = entry
        .get("limit")
        .and_then(Value::as_f64)
        .ok_or_else(|| wrong("limit", "a number"))?;
    let results = entry
        .get("results")
        .filter(|results| results.is_array())
        .ok_or_else(|| wrong("results", "a list"))?;
    let ttl = match entry.get("ttlMs") {
        None | Some(Value::Null) => CACHE_TTL_MS as f64,
        Some(ttl) => ttl
            .as_f64()
            .filter(|ttl| *ttl >= 0.0)
            .ok_or_else(|| wrong("ttlMs", "a number from 0 up"))?,
    };
    Ok(serde_json::json!({
        "_v": FORMAT_VERSION,
        "key": text("key")?,
        "query": text("query")?,
        "project": text("project")?,
        "limit": limit,
        "results": results,
        "cachedAt": format_iso(now),
        "ttlMs": ttl,
    }))
}
