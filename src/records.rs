//! Pure functions around records.

use forge_memory_core::Error;
use forge_memory_core::anvil::retry_delay as delay_of;
use forge_memory_core::cache_entry::{build_cache_entry as build_entry, is_cache_entry_fresh as is_fresh};
use forge_memory_core::clock::{Clock, Millis, SystemClock, parse_when};
use forge_memory_core::redact::redact;
use forge_memory_core::text::counted_words;
use forge_memory_core::thought::{check_source, filter_unexpired, stamp_expiry};
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::{document, optional_document};
use crate::error::Result;
use crate::input::{read, refused};

/// Whether a text is a valid source, and why not.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceVerdict {
    pub valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// True if a text is a valid source: `<tool>` or `<tool>/<subsystem>`.
#[napi(catch_unwind, ts_args_type = "source: string")]
pub fn validate_source_format(source: Unknown) -> SourceVerdict {
    let checked = read("source", &source)
        .map_err(|_| "expected a string".to_owned())
        .and_then(|source: String| check_source(&source));
    SourceVerdict {
        valid: checked.is_ok(),
        reason: checked.err(),
    }
}

/// Redacts the secrets in a text as a capture does, by `[redacted:<kind>]`. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn redact_secrets(given: Unknown) -> Result<String> {
    let given: String = read("text", &given)?;
    Ok(redact(&given).text.into_owned())
}

/// Adds `expiresAt` to a thought, unless it has one or its type does not expire. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_generic_types = "Thought extends object",
    ts_args_type = "thought: Thought, options?: { now?: number | string, overrides?: Record<string, number | null> }",
    ts_return_type = "Thought & { expiresAt?: string }"
)]
pub fn stamp_thought_expiry(thought: Unknown, options: Unknown) -> Result<Value> {
    let record = document("thought", &thought)?;
    let options = optional_document("options", &options)?.unwrap_or_default();
    let overrides = options
        .get("overrides")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_else(Map::new);
    moment("now", options.get("now"))
        .and_then(|now| stamp_expiry(record, now, &overrides))
        .map_err(|error| refused(&thought, &error))
}

/// Returns the thoughts that are not expired. One whose expiry is missing or invalid does not expire.
#[napi(
    catch_unwind,
    ts_generic_types = "Thought extends object",
    ts_args_type = "thoughts: Array<Thought>, now?: number | string",
    ts_return_type = "Array<Thought>"
)]
pub fn filter_unexpired_thoughts(thoughts: Unknown, now: Unknown) -> Result<Value> {
    let Value::Array(list) = document("thoughts", &thoughts)? else {
        return Err(refused(&thoughts, &Error::invalid("thoughts", "expected a list")));
    };
    let now = optional_document("now", &now)?;
    let now = moment("now", now.as_ref()).map_err(|error| refused(&thoughts, &error))?;
    Ok(Value::Array(filter_unexpired(list, now)))
}

/// Makes an entry for a cache of search results, with the current time. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_generic_types = "Result",
    ts_args_type = "entry: { key: string, query: string, project: string, limit: number, results: Array<Result>, ttlMs?: number }",
    ts_return_type = "{ _v: number, key: string, query: string, project: string, limit: number, results: Array<Result>, cachedAt: string, ttlMs: number }"
)]
pub fn build_cache_entry(entry: Unknown) -> Result<Value> {
    let given = document("entry", &entry)?;
    build_entry(&given, SystemClock.now_ms()).map_err(|error| refused(&entry, &error))
}

/// True if an entry of a cache of search results is within its time to live.
#[napi(catch_unwind, ts_args_type = "entry: object, now?: number | string")]
pub fn is_cache_entry_fresh(entry: Unknown, now: Unknown) -> Result<bool> {
    let (given, now) = (document("entry", &entry)?, optional_document("now", &now)?);
    let now = moment("now", now.as_ref()).map_err(|error| refused(&entry, &error))?;
    Ok(is_fresh(&given, now))
}

/// Parses a time in milliseconds since the epoch or as text; the current time when absent.
fn moment(field: &'static str, value: Option<&Value>) -> forge_memory_core::Result<Millis> {
    let now = SystemClock.now_ms();
    match value {
        None | Some(Value::Null) => Ok(now),
        Some(Value::String(text)) => Ok(parse_when(field, text, now)?),
        Some(Value::Number(number)) => Ok(number.as_f64().unwrap_or(0.0) as Millis),
        Some(_) => Err(Error::invalid(field, "expected a number or a string")),
    }
}

/// A word of a text.
#[napi(object, object_from_js = false)]
pub struct TextWord {
    /// The word, folded as recall compares it.
    pub word: String,
    pub count: u32,
}

/// Splits a text in any script into words. Returns each word with its count, in order of first appearance. A value that is
/// not a string has no words.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn text_words(text: Unknown) -> Vec<TextWord> {
    let text: String = read("text", &text).unwrap_or_default();
    counted_words(&text)
        .into_iter()
        .map(|(word, count)| TextWord { word, count })
        .collect()
}

/// Returns the delay in milliseconds after a record's n-th failed delivery: exponential back-off from 30 s up to an hour,
/// with a jitter of ±20 % that depends on the record's name.
#[napi(catch_unwind, ts_args_type = "name: string, attempts: number")]
pub fn retry_delay(name: Unknown, attempts: Unknown) -> Result<f64> {
    let (name, attempts): (String, f64) = (read("name", &name)?, read("attempts", &attempts)?);
    Ok(delay_of(&name, attempts.clamp(1.0, 1000.0) as u32) as f64)
}
