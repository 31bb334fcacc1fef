//! Adds an entry to a store.

use forge_memory_core::error::Problem;
use forge_memory_core::outcome::ToldCapture;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::element::Element;
use super::entry::{RalphEntry, RalphRecord, random_suffix};
use super::place::{Choice, EXTERNAL_FILE, GLOBAL_FILE, common_place};
use super::splice::{find_lists, insert, new_document};
use super::store::{corrupt, not_json, rewrite};
use crate::Lessons;
use forge_memory_core::CaptureOutcome;
use forge_memory_core::error::{Error, Result};
use forge_memory_core::input::CaptureInput;
use forge_memory_core::limits::{BODY_BYTES_MAX, check_confidence, check_name, check_tags, check_text, quote};
use forge_memory_core::text::{Statement, fold};
use forge_memory_core::thought::new_id;
use forge_memory_journal::clock::format_iso;

/// The accepted types of an entry.
pub const TYPES: [&str; 3] = ["lesson_learned", "failure_pattern", "success_pattern"];

const CONTEXT_BYTES_MAX: usize = 4096;
const ITERATION_MAX: f64 = 1e9;
/// How many ids are tried to find one whose displayed part is unique.
const ID_ATTEMPTS: usize = 64;

/// Returns the type of the capture for an entry of this type.
pub fn captured_type(kind: &str) -> &'static str {
    match kind {
        "failure_pattern" => "gotcha",
        "success_pattern" => "pattern",
        _ => "lesson",
    }
}

/// A lesson to add.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "RalphAddition")]
#[schemars(extend("required" = ["lesson"]))]
pub struct RalphAddInput {
    /// The lesson, at most 65,536 bytes of UTF-8.
    #[schemars(with = "String")]
    pub lesson: Option<String>,
    /// What kind of lesson (default: lesson_learned).
    #[serde(rename = "type")]
    #[schemars(schema_with = "types_schema")]
    pub kind: Option<String>,
    /// The loop that learned it.
    pub loop_id: Option<String>,
    /// The iteration of that loop, a whole number.
    pub iteration: Option<f64>,
    /// Where it was learned: a file, a test; at most 4,096 bytes.
    pub context: Option<String>,
    /// Tags, at most 32.
    pub tags: Vec<String>,
    /// Confidence, 0 to 1 (default: 0.7).
    pub confidence: Option<f64>,
    /// Which store (default: global).
    #[schemars(with = "String", extend("enum" = ["global", "external"]))]
    pub store: Option<Choice>,
}

fn types_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": TYPES })
}

/// The outcome of an addition.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RalphAddOutcome {
    /// The id of the entry; for a duplicate, of the existing one.
    pub id: String,
    /// False when the store had it already.
    pub added: bool,
    /// True when it was a duplicate.
    pub deduped: bool,
    /// The id of the entry that it duplicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// The cosine similarity to that entry, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The number of redacted secrets.
    pub redactions: usize,
    /// The store, within the project.
    pub store: String,
    /// The entry as stored; for a duplicate, the existing one.
    pub entry: RalphRecord,
    /// The outcome of its capture, when `.forge.json` has `"ralph": {"capture": true}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ToldCapture<'static>>")]
    pub capture: Option<CaptureOutcome>,
    /// Why the capture failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_error: Option<Problem>,
}

/// An entry with its keys in the order in which they are written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<Value>,
    created_at: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'a str,
    lesson: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    tags: &'a [String],
    confidence: f64,
}

impl Lessons<'_> {
    /// Adds an entry to a store, unless the store has a duplicate of the same type.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong, `CORRUPT` when the store is not valid JSON, `UNSUPPORTED`, `LOCKED` or `IO`;
    /// nothing is written then.
    pub fn add(&mut self, input: RalphAddInput) -> Result<RalphAddOutcome> {
        let file = match Choice::of(input.store, false) {
            Choice::External => EXTERNAL_FILE,
            _ => GLOBAL_FILE,
        };
        let now = self.memory.now_ms();
        let config = &self.memory.config().settings;
        let (threshold, is_captured) = (config.openbrain.dedup_threshold, config.ralph.capture);
        let mut redactions = 0;
        let mut record = compose_entry(input, config.redact, &mut redactions)?;
        record.created_at = Some(format_iso(now));
        let place = common_place(self.memory.project_dir(), file);
        let known = rewrite(self.memory.disk(), &place.path, |text| {
            let Some(text) = text else {
                record.id = fresh_id(now, &[]);
                return Ok((Some(new_document(&encode(&record)?)), None));
            };
            let (_, found) = find_lists(text).map_err(|e| not_json(&place.path, &e))?;
            let items = found.into_iter().flatten().flat_map(|list_text| list_text.items);
            let entries: Vec<Box<RalphEntry<'_>>> = items
                .filter_map(|item| match item.element {
                    Element::Entry(mut entry) => {
                        entry.complete_id();
                        Some(entry)
                    }
                    Element::Other => None,
                })
                .collect();
            if let Some((similarity, known)) = find_duplicate(&entries, &record, threshold) {
                return Ok((None, Some((similarity, known.to_record()))));
            }
            record.id = fresh_id(now, &entries);
            let fresh = insert(text, &encode(&record)?).map_err(|e| not_json(&place.path, &e))?;
            match fresh {
                Some(fresh) => Ok((Some(fresh), None)),
                None => Err(corrupt(&place.path, "the list of lessons is not a list")),
            }
        })?;
        let (capture, capture_error) = match is_captured.then(|| self.capture_entry(&record)) {
            Some(Ok(captured)) => (Some(captured), None),
            Some(Err(error)) => (None, Some(Problem::of(&error))),
            None => (None, None),
        };
        let (similarity, known) = known.unzip();
        let (added, entry) = (known.is_none(), known.unwrap_or(record));
        Ok(RalphAddOutcome {
            id: entry.id.clone(),
            added,
            deduped: !added,
            duplicate_of: (!added).then(|| entry.id.clone()),
            similarity,
            redactions,
            store: place.shown,
            entry: RalphRecord { day: None, ..entry },
            capture,
            capture_error,
        })
    }

    /// Captures the entry in the memory, which has its own duplicate check.
    fn capture_entry(&mut self, record: &RalphRecord) -> Result<CaptureOutcome> {
        self.memory.capture(CaptureInput {
            tool: Some("ralph".to_owned()),
            kind: Some(captured_type(&record.kind).to_owned()),
            body: Some(record.lesson.clone()),
            source: Some("ralph/memory".to_owned()),
            tags: record.tags.clone(),
            confidence: Some(record.confidence),
            author: Some("agent".to_owned()),
            ..CaptureInput::default()
        })
    }
}

fn compose_entry(input: RalphAddInput, is_redacted: bool, redactions: &mut usize) -> Result<RalphRecord> {
    let mut redact = |text: String| {
        if !is_redacted {
            return text;
        }
        let redacted = forge_memory_redact::redact(&text);
        *redactions += redacted.count;
        redacted.text.into_owned()
    };
    Ok(RalphRecord {
        id: String::new(),
        loop_id: input
            .loop_id
            .map(|id| check_name("loopId", id))
            .transpose()?
            .map(&mut redact),
        iteration: input.iteration.map(check_iteration).transpose()?,
        created_at: None,
        day: None,
        kind: check_type(input.kind)?,
        lesson: redact(check_text("lesson", input.lesson, BODY_BYTES_MAX)?),
        pattern: None,
        context: input
            .context
            .filter(|text| !text.is_empty())
            .map(|text| check_text("context", Some(text), CONTEXT_BYTES_MAX))
            .transpose()?
            .map(&mut redact),
        tags: check_tags(input.tags)?.into_iter().map(&mut redact).collect(),
        score: None,
        confidence: check_confidence(input.confidence)?,
    })
}

fn check_type(kind: Option<String>) -> Result<String> {
    let kind = kind.unwrap_or_else(|| TYPES[0].to_owned());
    if TYPES.contains(&kind.as_str()) {
        return Ok(kind);
    }
    Err(Error::invalid(
        "type",
        format!("{} is not one of {}", quote(&kind), TYPES.join(", ")),
    ))
}

fn check_iteration(number: f64) -> Result<f64> {
    if (0.0..=ITERATION_MAX).contains(&number) && number.fract() == 0.0 {
        return Ok(number);
    }
    Err(Error::invalid(
        "iteration",
        format!("{number} is not a whole number of at least 0"),
    ))
}

fn encode(record: &RalphRecord) -> Result<String> {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number, checked")]
    let iteration = record.iteration.map(|number| Value::from(number as i64));
    let written = Written {
        id: &record.id,
        loop_id: record.loop_id.as_deref(),
        iteration,
        created_at: record.created_at.as_deref(),
        kind: &record.kind,
        lesson: &record.lesson,
        context: record.context.as_deref(),
        tags: &record.tags,
        confidence: record.confidence,
    };
    serde_json::to_string_pretty(&written).map_err(Error::internal("encode the entry"))
}

/// Finds a duplicate of the same type: an exact one, else the nearest, else none.
fn find_duplicate<'e, 'a>(
    entries: &'e [Box<RalphEntry<'a>>],
    record: &RalphRecord,
    threshold: f64,
) -> Option<(f64, &'e RalphEntry<'a>)> {
    let folded = fold(&record.lesson);
    let same_type = || {
        entries
            .iter()
            .map(Box::as_ref)
            .filter(|entry| entry.kind == record.kind.as_str())
    };
    if let Some(exact) = same_type().find(|entry| fold(entry.text()) == folded) {
        return Some((1.0, exact));
    }
    let (given, mut other) = (Statement::of(&record.lesson), Statement::default());
    let mut best: Option<(f64, &RalphEntry<'a>)> = None;
    for entry in same_type() {
        other.take(entry.text());
        let similarity = given.likeness(&other, threshold);
        if let Some(similarity) = similarity.filter(|it| best.is_none_or(|(known, _)| *it > known)) {
            best = Some((similarity, entry));
        }
    }
    best
}

/// Returns a new id, if possible with a displayed prefix that is unique as well.
fn fresh_id(now: forge_memory_journal::clock::Millis, entries: &[Box<RalphEntry<'_>>]) -> String {
    let mut candidate = String::new();
    for attempt in 0..ID_ATTEMPTS {
        candidate = format!("mem_{}", random_suffix(&new_id(now)));
        let shown = candidate.get(..8).unwrap_or(&candidate);
        let is_taken = |entry: &RalphEntry<'_>| {
            if attempt < ID_ATTEMPTS / 2 {
                entry.shown_id() == shown
            } else {
                entry.id == candidate.as_str()
            }
        };
        if !entries.iter().map(Box::as_ref).any(is_taken) {
            break;
        }
    }
    candidate
}
