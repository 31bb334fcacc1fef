//! The result of a reader of another store: records, or why the source is refused.

use std::path::Path;

use serde_json::Value;

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::model::thought::{Facts, Ruling};

pub(super) const BYTES_MAX: u64 = 1 << 30;
/// Larger folders are refused.
pub(super) const FILES_MAX: usize = 100_000;
/// More lines without a record are counted, but not named.
const LINES_NAMED_MAX: usize = 20;

/// A record of another store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Incoming {
    /// Its own id, if it is valid.
    pub id: Option<String>,
    /// Its key in the source, from which a stable id is derived.
    pub key: String,
    /// Its text.
    pub text: String,
    /// Its type, as the source names it.
    pub kind: String,
    /// The project it belongs to, if the source has several.
    pub project: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// How sure the source is, from 0 to 1.
    pub confidence: Option<f64>,
    /// When it was recorded.
    pub at_ms: Option<Millis>,
    /// When it expires.
    pub expires_ms: Option<Millis>,
    /// The id of the record that it replaces.
    pub supersedes: Option<String>,
    /// The session it was recorded in.
    pub session: Option<String>,
    /// The tool that recorded it, or the file it is about.
    pub source: Option<String>,
    /// True if it is a pattern of a project instead of a record of its log.
    pub is_pattern: bool,
    /// Its facts.
    pub facts: Facts,
    /// The line of a record of this tool, which is kept byte for byte.
    pub own: Option<Value>,
}

/// The contents of a source.
#[derive(Debug, Default)]
pub struct Reading {
    /// The format of the source.
    pub format: &'static str,
    /// Its records, in its order.
    pub records: Vec<Incoming>,
    /// The rulings on its records.
    pub rulings: Vec<Ruling>,
    /// Records that the source itself has replaced or forgotten.
    pub retired: u64,
    /// Lines that are not records.
    pub unreadable: u64,
    /// The numbers of the first of them, where the source has lines.
    pub unreadable_lines: Vec<u64>,
}

impl Reading {
    /// Passes over a line that is no record, by its number from 1.
    pub(super) fn pass_over(&mut self, number: usize) {
        self.unreadable += 1;
        if self.unreadable_lines.len() < LINES_NAMED_MAX {
            self.unreadable_lines.push(number as u64);
        }
    }
}

/// Reads the database of another tool. Writes nothing.
pub type ReadDatabase = fn(&Path) -> Result<Reading>;

/// Refuses a damaged source.
#[must_use]
pub fn damaged(path: &Path, reason: &str) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    }
}

/// Refuses a source of an unknown format.
#[must_use]
pub fn unsupported(path: &Path, reason: &str) -> Error {
    Error::Unsupported {
        what: path.display().to_string(),
        reason: reason.to_owned(),
    }
}

/// Returns the texts of a list.
#[must_use]
pub fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
