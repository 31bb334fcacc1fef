//! JSON Lines: ours, forge's and Plan Forge's.

use std::path::Path;

use serde_json::Value;

use super::incoming::{Incoming, Reading, damaged};
use crate::error::Result;
use crate::journal::each_line;
use crate::model::thought::{Facts, Fields, LineKind, is_id, read_line};

/// Reads lines, of which the first has a number.
pub(super) fn read(path: &Path, bytes: &[u8], first: usize, format: &'static str) -> Result<Reading> {
    let mut reading = Reading {
        format,
        ..Reading::default()
    };
    // Records do not expire during the import: their expiry is copied.
    let gone = crate::judgement::gone::find_hidden(bytes, i64::MIN);
    for (number, (raw, line)) in (first..).zip(each_line(bytes)) {
        if line.is_empty() {
            continue;
        }
        match read_line(line) {
            LineKind::Record(fields) if gone.contains(fields.id.as_ref()) => reading.retired += 1,
            LineKind::Record(fields) => match serde_json::from_slice::<Value>(line).ok().and_then(own_record) {
                Some(record) => reading.records.push(record),
                None => reading.records.push(incoming_of(&fields, line)),
            },
            LineKind::Unparsable if !raw.ends_with(b"\n") => {
                return Err(damaged(path, "it ends in the middle of a line"));
            }
            LineKind::Unparsable => reading.pass_over(number),
            LineKind::Other if !is_bookkeeping(line) => reading.pass_over(number),
            LineKind::Action(_) | LineKind::Ruling(_) | LineKind::Other => {}
        }
    }
    if reading.records.is_empty() && reading.retired == 0 && reading.unreadable > 0 {
        return Err(super::unsupported(path, "it contains no memory in a known format"));
    }
    Ok(reading)
}

/// True of a line that a tool wrote about its records, of a version that need not be ours.
fn is_bookkeeping(line: &[u8]) -> bool {
    let value = serde_json::from_slice::<Value>(line).unwrap_or_default();
    value.get("_action").is_some() || value.get("_export").is_some()
}

/// Reads a thought or a pattern in our own or the older tools' shape.
pub fn own_record(record: Value) -> Option<Incoming> {
    let line = record.to_string();
    let LineKind::Record(fields) = read_line(line.as_bytes()) else {
        return None;
    };
    let is_pattern = record.get("content").is_none();
    Some(Incoming {
        project: Some(fields.project.to_string()).filter(|project| !project.is_empty()),
        supersedes: fields.supersedes.as_ref().map(|id| id.to_string()),
        session: Some(fields.session.to_string()).filter(|session| is_id(session)),
        source: Some(fields.source.to_string()).filter(|source| !source.is_empty()),
        is_pattern,
        own: record.get("hallmark").is_some().then_some(record),
        ..incoming_of(&fields, line.as_bytes())
    })
}

/// Returns what any tool's record says.
fn incoming_of(fields: &Fields<'_>, line: &[u8]) -> Incoming {
    Incoming {
        key: fields.id.to_string(),
        id: Some(fields.id.to_string()).filter(|id| is_id(id)),
        text: fields.text.to_string(),
        kind: fields.kind.to_string(),
        tags: fields.tags.iter().map(|tag| tag.to_string()).collect(),
        confidence: Some(fields.confidence),
        at_ms: Some(fields.at_ms).filter(|at| *at > 0),
        expires_ms: fields.expires_ms,
        facts: Facts::read(line),
        ..Incoming::default()
    }
}
