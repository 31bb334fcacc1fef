//! The result of a reader of another store: records, or why the source is refused.

use std::path::Path;

use serde_json::Value;

use crate::clock::Millis;
use crate::error::Error;

/// The maximum size of an imported file.
pub(super) const BYTES_MAX: u64 = 1 << 30;
/// Larger folders are refused.
pub(super) const FILES_MAX: usize = 100_000;

/// A record of another store.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::upkeep::transfer) struct Incoming {
    /// Its own id, if it is valid.
    pub id: Option<String>,
    /// Its key in the source, from which a stable id is derived.
    pub key: String,
    pub text: String,
    pub kind: String,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub confidence: Option<f64>,
    pub at_ms: Option<Millis>,
    pub expires_ms: Option<Millis>,
    pub supersedes: Option<String>,
    pub session: Option<String>,
    pub source: Option<String>,
    pub is_pattern: bool,
    /// The line of a record of this tool, which is kept byte for byte.
    pub own: Option<Value>,
}

/// The contents of a source.
#[derive(Debug, Default)]
pub(in crate::upkeep::transfer) struct Reading {
    pub format: &'static str,
    pub records: Vec<Incoming>,
    /// Records that the source itself has replaced or forgotten.
    pub retired: u64,
    /// Lines that are not records.
    pub unreadable: u64,
}

/// Refuses a damaged source.
pub(super) fn damaged(path: &Path, reason: &str) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    }
}

/// Refuses a source of an unknown format.
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
