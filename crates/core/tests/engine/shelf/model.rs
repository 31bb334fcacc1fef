//! The reference: recallable records, computed from the files in the simplest way, without an index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use forge_memory_core::clock::{Millis, parse_iso};
use forge_memory_core::text::fold;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

/// One record, as the last line with its id has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub id: String,
    pub text: String,
    pub kind: String,
    pub project: String,
    pub created: Millis,
    expires: Option<Millis>,
}

/// One journal.
#[derive(Debug, Default)]
pub struct Model {
    records: BTreeMap<String, Record>,
    gone: BTreeSet<String>,
    confirmed: BTreeMap<String, Millis>,
}

impl Model {
    pub fn read(path: &Path) -> Self {
        let mut model = Model::default();
        let bytes = fs::read(path).unwrap_or_default();
        let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        // After the last line end there is a torn tail, a record without line end, or nothing.
        let last = lines.pop().unwrap_or_default().trim_ascii();
        let unended = last.strip_prefix(b"\xef\xbb\xbf").unwrap_or(last);
        for line in lines {
            model.take(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii());
        }
        if model.is_new(unended) {
            model.take(unended);
        }
        model
    }

    /// True if a line is a record that changes no other one.
    fn is_new(&self, line: &[u8]) -> bool {
        let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(line) else {
            return false;
        };
        let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        text("_action").is_none()
            && text("supersedes").is_none()
            && text("id").is_none_or(|id| !self.records.contains_key(id))
    }

    fn take(&mut self, line: &[u8]) {
        let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let moment = |name: &str| text(name).and_then(parse_iso);
        match (text("_action"), text("id")) {
            // No step of the test keeps what a rule has retired.
            (Some("delete" | "retire"), Some(id)) => {
                self.gone.insert(id.to_owned());
            }
            (Some("confirm"), Some(id)) => {
                let at = self.confirmed.entry(id.to_owned()).or_insert(Millis::MIN);
                *at = (*at).max(moment("at").unwrap_or(0));
            }
            (Some(_), _) => {}
            (None, id) => {
                let Some(content) = text("content")
                    .or(text("pattern"))
                    .filter(|text| !text.trim().is_empty())
                else {
                    return;
                };
                let made_up = || format!("mem_{:032x}", xxh3_128(line));
                let id = id.filter(|id| !id.is_empty()).map_or_else(made_up, str::to_owned);
                self.gone
                    .extend(text("supersedes").filter(|id| !id.is_empty()).map(str::to_owned));
                let record = Record {
                    text: content.to_owned(),
                    kind: text("type").or(text("category")).unwrap_or_default().to_owned(),
                    project: text("project").unwrap_or_default().to_owned(),
                    created: moment("captured_at").or(moment("timestamp")).unwrap_or(0),
                    expires: moment("expiresAt"),
                    id: id.clone(),
                };
                self.records.insert(id, record);
            }
        }
    }

    /// Returns the records that are seen at `now`.
    pub fn live(&self, now: Millis) -> Vec<&Record> {
        let in_time = |record: &Record| {
            let confirmed = self.confirmed.get(&record.id).copied().unwrap_or(Millis::MIN);
            let more = if confirmed > record.created {
                confirmed - record.created
            } else {
                0
            };
            record.expires.is_none_or(|expires| expires + more > now)
        };
        self.records
            .values()
            .filter(|record| !self.gone.contains(&record.id) && in_time(record))
            .collect()
    }

    pub fn is_live(&self, id: &str, now: Millis) -> bool {
        self.live(now).iter().any(|record| record.id == id)
    }

    /// Returns what a list shows: copies of one lesson count once.
    pub fn shown(&self, now: Millis, with_project: bool) -> BTreeSet<(String, String, String)> {
        let project = |record: &Record| {
            if with_project {
                record.project.clone()
            } else {
                String::new()
            }
        };
        self.live(now)
            .into_iter()
            .map(|record| (record.kind.clone(), project(record), fold(&record.text)))
            .collect()
    }
}
