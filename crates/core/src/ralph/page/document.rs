//! The answers as JSON, laid out with two spaces.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::cell::is_unsafe;
use crate::error::{Error, Result};
use crate::ralph::entry::RalphRecord;
use crate::ralph::query::{RalphHit, Ranking};
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

/// Copies one record at a time, not a hundred thousand.
struct Records<'r, 'a>(&'r [Found<'a>]);

impl Serialize for Records<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for found in self.0 {
            list.serialize_element::<RalphRecord>(&found.entry.to_record())?;
        }
        list.end()
    }
}

struct Hits<'r, 'a>(&'r [(f64, &'r Found<'a>)]);

impl Serialize for Hits<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for (score, found) in self.0 {
            let entry = found.entry.to_record();
            list.serialize_element(&RalphHit { entry, score: *score })?;
        }
        list.end()
    }
}

pub(super) fn list(reading: &Reading<'_>) -> Result<Vec<u8>> {
    encode(&List {
        entries: Records(&reading.found),
        missing: reading.is_missing(),
        warnings: &reading.warnings,
    })
}

pub(super) fn query(reading: &Reading<'_>, query: &str, ranking: &Ranking<'_, '_>) -> Result<Vec<u8>> {
    encode(&Query {
        query,
        entries: Hits(&ranking.best),
        total: ranking.total,
        missing: reading.is_missing(),
        warnings: &reading.warnings,
    })
}

fn encode(document: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_string_pretty(document).map_err(|e| Error::invalid("answer", e.to_string()))?;
    text.push('\n');
    // What JSON leaves alone and a terminal would act upon. Line feeds stand between values only.
    if text.contains(|c: char| c != '\n' && is_unsafe(c)) {
        text = escaped(&text);
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
