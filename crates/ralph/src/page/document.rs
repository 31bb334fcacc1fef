//! The answers as JSON, laid out with two spaces.

use std::borrow::Cow;
use std::fmt::Display;

use serde::Serialize;
use serde::ser::Serializer;

use crate::entry::RalphEntry;
use crate::halves::in_halves;
use crate::query::Ranking;
use crate::reading::{Found, Reading};
use forge_memory_core::error::{Error, Result};
use forge_memory_redact::hidden::show_hidden_json;

/// A list, of which the entries are put in when it is written out.
#[derive(Serialize)]
struct List<'r> {
    entries: [(); 0],
    missing: bool,
    warnings: &'r [String],
}

/// How it begins.
const NO_ENTRIES: &[u8] = b"{\n  \"entries\": []";
const ENTRIES: &[u8] = b"{\n  \"entries\": [";

#[derive(Serialize)]
struct Query<'r, 'a> {
    query: &'r str,
    entries: Hits<'r, 'a>,
    total: usize,
    missing: bool,
    warnings: &'r [String],
}

/// As [`crate::RalphRecord`], without copying a hundred thousand of them.
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
    let frame = encode(&List {
        entries: [],
        missing: reading.is_missing(),
        warnings: &reading.warnings,
    })?;
    let Some(rest) = frame.strip_prefix(NO_ENTRIES).filter(|_| !reading.found.is_empty()) else {
        return Ok(frame);
    };
    // About as long as what it was read from: a text that grew by doubling would take twice its room.
    let bytes_guess = reading.text_bytes + reading.text_bytes / 8;
    let sorted = reading.sorted();
    let (first, second) = in_halves(&sorted, |found, is_first| {
        // The first ones get room for the others as well.
        let mut out = Vec::with_capacity(if is_first { bytes_guess } else { bytes_guess / 2 });
        if is_first {
            out.extend_from_slice(ENTRIES);
        }
        for found in found {
            push_record(&mut out, &found.entry)?;
        }
        printable(out)
    });
    let mut out = first?;
    if let Some(second) = second {
        out.extend_from_slice(&second?);
    }
    // The comma behind the last one.
    out.pop();
    out.extend_from_slice(b"\n  ]");
    out.extend_from_slice(rest);
    Ok(out)
}

/// Appends what `serde_json` makes of a [`Record`], four spaces in, and a comma.
fn push_record(out: &mut Vec<u8>, entry: &RalphEntry<'_>) -> Result<()> {
    out.extend_from_slice(b"\n    {\n      \"id\": ");
    push_text(out, &entry.id)?;
    push_given(out, "loopId", &entry.loop_id)?;
    if let Some(iteration) = entry.iteration {
        out.extend_from_slice(b",\n      \"iteration\": ");
        push_value(out, &iteration)?;
    }
    push_given(out, "createdAt", &entry.created_at)?;
    out.extend_from_slice(b",\n      \"type\": ");
    push_text(out, &entry.kind)?;
    out.extend_from_slice(b",\n      \"lesson\": ");
    let is_lesson = !entry.lesson.is_empty();
    push_text(out, if is_lesson { &entry.lesson } else { &entry.pattern })?;
    push_given(out, "pattern", &entry.pattern)?;
    push_given(out, "context", &entry.context)?;
    out.extend_from_slice(b",\n      \"tags\": [");
    for (at, tag) in entry.tags.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"\n        " } else { b",\n        " });
        push_text(out, tag)?;
    }
    out.extend_from_slice(if entry.tags.is_empty() { b"]" } else { b"\n      ]" });
    out.extend_from_slice(b",\n      \"confidence\": ");
    push_value(out, &entry.confidence)?;
    out.extend_from_slice(b"\n    },");
    Ok(())
}

#[expect(clippy::ptr_arg, reason = "only a borrowed text needs no escapes")]
fn push_given(out: &mut Vec<u8>, name: &str, text: &Cow<'_, str>) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    out.extend_from_slice(b",\n      \"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\": ");
    push_text(out, text)
}

#[expect(clippy::ptr_arg, reason = "only a borrowed text needs no escapes")]
fn push_text(out: &mut Vec<u8>, text: &Cow<'_, str>) -> Result<()> {
    match text {
        // It stands just so between the quotes of the store, or it has no special character at all.
        Cow::Borrowed(text) => {
            out.push(b'"');
            out.extend_from_slice(text.as_bytes());
            out.push(b'"');
            Ok(())
        }
        Cow::Owned(text) => push_value(out, text),
    }
}

fn push_value(out: &mut Vec<u8>, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer(out, value).map_err(|e| failed(&e))
}

pub(super) fn query(reading: &Reading<'_>, query: &str, ranking: &Ranking<'_, '_>) -> Result<Vec<u8>> {
    let answer = Query {
        query,
        entries: Hits(&ranking.best),
        total: ranking.total,
        missing: reading.is_missing(),
        warnings: &reading.warnings,
    };
    encode(&answer)
}

fn encode(document: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(document).map_err(|e| failed(&e))?;
    bytes.push(b'\n');
    printable(bytes)
}

fn failed(reason: &impl Display) -> Error {
    Error::internal("encode the page")(reason)
}

/// Escapes what JSON leaves alone and a terminal would act upon.
fn printable(bytes: Vec<u8>) -> Result<Vec<u8>> {
    // Controls below DEL are escaped already, and line feeds stand between values only.
    if bytes.is_ascii() && memchr::memchr(0x7f, &bytes).is_none() {
        return Ok(bytes);
    }
    let text = String::from_utf8(bytes).map_err(|e| failed(&e))?;
    Ok(match show_hidden_json(&text) {
        Cow::Borrowed(_) => text.into_bytes(),
        Cow::Owned(shown) => shown.into_bytes(),
    })
}
