//! Readers of journals that are independent of the tested crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Returns the complete non-blank lines of a file; a missing one has none.
pub fn lines(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap_or_default();
    let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    lines.pop();
    lines.retain(|line| !line.trim_ascii().is_empty());
    lines
}

/// Returns the lines that are JSON objects.
pub fn objects(path: &Path) -> Vec<Value> {
    lines(path)
        .iter()
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(Value::is_object)
        .collect()
}

fn text_of<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// Returns the last line if it has no line end and is a JSON object.
fn unended(path: &Path) -> Option<Value> {
    let bytes = fs::read(path).unwrap_or_default();
    let line = bytes.rsplit(|b| *b == b'\n').next()?;
    serde_json::from_slice::<Value>(line).ok().filter(Value::is_object)
}

/// Returns how many live records there are of every text: not forgotten, not superseded, one for every id. A record
/// whose line has no end yet counts, unless it takes the place of another one.
pub fn live_texts(path: &Path) -> BTreeMap<String, usize> {
    let mut records: BTreeMap<String, String> = BTreeMap::new();
    let mut gone: BTreeSet<String> = BTreeSet::new();
    for line in objects(path) {
        let Some(id) = text_of(&line, "id") else { continue };
        match text_of(&line, "_action") {
            Some("delete") => {
                gone.insert(id.to_owned());
            }
            Some(_) => {}
            None => {
                if let Some(text) = text_of(&line, "content").or(text_of(&line, "pattern")) {
                    records.insert(id.to_owned(), text.to_owned());
                }
                gone.extend(text_of(&line, "supersedes").map(str::to_owned));
            }
        }
    }
    let unended = unended(path).filter(|line| line.get("_action").is_none() && line.get("supersedes").is_none());
    if let Some(line) = unended
        && let Some(id) = text_of(&line, "id")
        && let Some(text) = text_of(&line, "content").or(text_of(&line, "pattern"))
    {
        records.entry(id.to_owned()).or_insert_with(|| text.to_owned());
    }
    let mut texts = BTreeMap::new();
    for (_, text) in records.into_iter().filter(|(id, _)| !gone.contains(id)) {
        *texts.entry(text).or_default() += 1;
    }
    texts
}

/// Returns how many lines of a file have this id and are not actions.
pub fn times_stored(path: &Path, id: &str) -> usize {
    objects(path)
        .iter()
        .filter(|line| text_of(line, "id") == Some(id) && line.get("_action").is_none())
        .count()
}
