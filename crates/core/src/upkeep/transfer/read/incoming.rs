//! What every reader of another store answers: records, and why a source is refused.

use std::path::Path;

use serde_json::Value;

use crate::clock::Millis;
use crate::error::Error;

/// Larger files are no store of memories.
pub(super) const BYTES_MAX: u64 = 1 << 30;
/// Folders with more files than this are no store of memories.
pub(super) const FILES_MAX: usize = 100_000;

/// A record of another store.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::upkeep::transfer) struct Incoming {
    /// Its own id, if it has one that can be kept.
    pub id: Option<String>,
    /// By what it is known there, for an id that is the same next time.
    pub key: String,
    pub text: String,
    pub kind: String,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub confidence: Option<f64>,
    pub at_ms: Option<Millis>,
    pub expires_ms: Option<Millis>,
    pub supersedes: Option<String>,
    pub source: Option<String>,
    pub is_pattern: bool,
    /// The record as we wrote it ourselves, to be kept byte for byte.
    pub own: Option<Value>,
}

/// What a source holds.
#[derive(Debug, Default)]
pub(in crate::upkeep::transfer) struct Reading {
    pub format: &'static str,
    pub records: Vec<Incoming>,
    /// Records that the source itself has replaced or forgotten.
    pub retired: u64,
    /// Lines that are no records.
    pub unreadable: u64,
}

/// Refuses a source that is not whole.
pub(super) fn damaged(path: &Path, reason: &str) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    }
}

/// Refuses a source of no known kind.
pub(super) fn unsupported(path: &Path, reason: &str) -> Error {
    Error::Unsupported {
        what: path.display().to_string(),
        reason: reason.to_owned(),
    }
}

/// Returns the texts of a list.
pub(super) fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
