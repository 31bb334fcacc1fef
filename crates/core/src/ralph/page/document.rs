//! The answers as JSON, laid out with two spaces.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::Serializer;

use super::cell::is_unsafe;
use crate::error::{Error, Result};
use crate::ralph::entry::RalphEntry;
use crate::ralph::query::Ranking;
use crate::ralph::reading::{Found, Reading};

#[derive(Serialize)]
struct List<'r, 'a> {
    entries: Records<'r, 'a>,
    missing: bool,
    warnings: &'r [String],
}

#[derive(Serialize)]
struct Query<'r, 'a> {
    query: &'r str,
    entries: Hits<'r, 'a>,
    total: usize,
    missing: bool,
    warnings: &'r [String],
}

/// As [`crate::ralph::RalphRecord`], without copying a hundred thousand of them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'e> {
    id: &'e str,
    #[serde(skip_serializing_if = "str::is_empty")]
    loop_id: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<f64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    created_at: &'e str,
    #[serde(rename = "type")]
    kind: &'e str,
    lesson: &'e str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pattern: &'e str,
    #[serde(skip_serializing_if = "str::is_empty")]
    context: &'e str,
    tags: &'e [Cow<'e, str>],
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

impl<'e> Record<'e> {
    fn of(entry: &'e RalphEntry<'_>, score: Option<f64>) -> Self {
        Record {
            id: &entry.id,
            loop_id: &entry.loop_id,
            iteration: entry.iteration,
            created_at: &entry.created_at,
            kind: &entry.kind,
            lesson: entry.text(),
            pattern: &entry.pattern,
            context: &entry.context,
            tags: &entry.tags,
            confidence: entry.confidence,
            score,
        }
    }
}

struct Records<'r, 'a>(Vec<&'r Found<'a>>);

impl Serialize for Records<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|found| Record::of(&found.entry, None)))
    }
}

struct Hits<'r, 'a>(&'r [(f64, &'r Found<'a>)]);

impl Serialize for Hits<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.0
                .iter()
                .map(|(score, found)| Record::of(&found.entry, Some(*score))),
        )
    }
}

pub(super) fn list(reading: &Reading<'_>) -> Result<Vec<u8>> {
    let list = List {
        entries: Records(reading.sorted()),
        missing: reading.is_missing(),
        warnings: &reading.warnings,
    };
    // About as long as what it was read from: a text that grew by doubling would take twice its room.
    encode(&list, reading.text_bytes + reading.text_bytes / 8)
}

pub(super) fn query(reading: &Reading<'_>, query: &str, ranking: &Ranking<'_, '_>) -> Result<Vec<u8>> {
    let answer = Query {
        query,
        entries: Hits(&ranking.best),
        total: ranking.total,
        missing: reading.is_missing(),
        warnings: &reading.warnings,
    };
    encode(&answer, 0)
}

fn encode(document: &impl Serialize, bytes_guess: usize) -> Result<Vec<u8>> {
    let failed = |reason: String| Error::invalid("answer", reason);
    let mut bytes = Vec::with_capacity(bytes_guess);
    serde_json::to_writer_pretty(&mut bytes, document).map_err(|e| failed(e.to_string()))?;
    bytes.push(b'\n');
    // Controls below DEL are escaped already, and line feeds stand between values only.
    if bytes.is_ascii() && memchr::memchr(0x7f, &bytes).is_none() {
        return Ok(bytes);
    }
    // What JSON leaves alone and a terminal would act upon.
    let text = String::from_utf8(bytes).map_err(|e| failed(e.to_string()))?;
    if text.contains(|c: char| c != '\n' && is_unsafe(c)) {
        return Ok(escaped(&text).into_bytes());
    }
    Ok(text.into_bytes())
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if c == '\n' || !is_unsafe(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}
