//! Entries of the search cache.

use serde_json::Value;

use crate::error::{Error, Result};
use crate::model::thought::FORMAT_VERSION;
use forge_memory_journal::clock::{Millis, format_iso, parse_iso};

/// The default time to live of a cached search.
pub const CACHE_TTL_MS: Millis = 3_600_000;

/// True if a cached search may still be used.
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

/// Builds an entry of the search cache.
///
/// # Errors
/// `INVALID_INPUT` when a field is missing or has the wrong type.
pub fn build_cache_entry(entry: &Value, now: Millis) -> Result<Value> {
    let wrong = |field: &str, expected: &str| Error::invalid(field, format!("expected {expected}"));
    let text = |field: &str| {
        entry
            .get(field)
            .and_then(Value::as_str)
            .ok_or_else(|| wrong(field, "a string"))
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
            .ok_or_else(|| wrong("ttlMs", "a number of at least 0"))?,
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
