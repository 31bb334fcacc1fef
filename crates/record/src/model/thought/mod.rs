//! The records: thoughts (captures) and patterns (saves), and the fields that every one of them has.

mod expiry;
pub mod facts;
mod hallmark;
mod id;
mod line;
mod ruling;
mod source;
mod stored;

use crate::model::author::Author;
use crate::model::said::Said;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts;
pub use expiry::lifted_expiry;
pub use expiry::{NEVER, default_lifetime_days, expiry_of, filter_unexpired, stamp_expiry};
pub use facts::Facts;
pub use hallmark::{HALLMARK_VERSION, Hallmark, content_hash, pattern_hash, thought_hash};
pub use id::{id_hash, is_id, known_id, new_id};
pub use line::{Action, ActionKind, DEFAULT_CONFIDENCE, Fields, LineKind, read_line};
pub use line::{action_line, id_of_line, moment_of, replace_lone_surrogates};
pub use ruling::RULING_KINDS;
pub use ruling::{Lift, Ruling, RulingKind};
pub use source::{UNKNOWN_SOURCE, check_source};
pub use stored::StoredThought;

/// The version of the record format that this package writes.
pub const FORMAT_VERSION: u32 = 1;

/// The default creator of a record.
pub const DEFAULT_CREATOR: &str = "forge-memory";

/// The types that have a file of their own, and its name.
pub const ROUTED_TYPES: [(&str, &str); 5] = [
    ("gotcha", "gotchas.jsonl"),
    ("lesson", "lessons.jsonl"),
    ("decision", "decisions.jsonl"),
    ("pattern", "patterns.jsonl"),
    ("convention", "conventions.jsonl"),
];

/// True if a file is the one of a type.
pub fn is_type_file(name: &str) -> bool {
    ROUTED_TYPES.iter().any(|(_, file)| *file == name)
}

fn is_not_said(said: &Said) -> bool {
    said.is_unknown()
}

/// The categories a pattern may have.
pub const CATEGORIES: [&str; 7] = [
    "convention",
    "failure_pattern",
    "success_pattern",
    "test_command",
    "architecture",
    "dependency",
    "tool_usage",
];

facts! {
/// A captured thought, as stored in `memory-captures.jsonl`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Thought {
    /// Version of the format.
    #[serde(rename = "_v")]
    pub version: u32,
    /// `mem_` and a UUID version 7 in hex: sorts by time, unique across machines.
    pub id: String,
    /// Its text.
    pub content: String,
    /// The project it was learned in.
    pub project: String,
    /// Its type: `lesson`, `gotcha`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// `<tool>` or `<tool>/<subsystem>`, or `unknown`.
    pub source: String,
    /// Its author.
    pub created_by: String,
    /// The project in which it was captured, when it is about another one. The program writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// When, in ISO 8601 UTC.
    pub captured_at: String,
    /// The time from which it is no longer recalled.
    #[serde(rename = "expiresAt", default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Free labels.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The id of the revision that this one supersedes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// Whether it is the superseded record with another text, as an edit makes it: that one is not retired then.
    #[serde(rename = "_edit", default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub is_edit: bool,
    /// The session in which it was captured: its channel and a hash of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who captured it, as the surface knows it: the name of an [`Author`](crate::model::author::Author). Absent when that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Author>")]
    pub author: Option<String>,
    /// Who said it, through which door: `<kind>/<door>/<who>`.
    #[serde(default, skip_serializing_if = "is_not_said")]
    #[schemars(with = "Option<String>")]
    pub said: Said,
    /// Its provenance, with hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hallmark: Option<Hallmark>,
}
}

facts! {
/// A saved pattern, as stored in `memory/project.jsonl` and `memory/global.jsonl`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// As [`Thought::id`].
    pub id: String,
    /// When it was saved, in ISO 8601 UTC.
    pub timestamp: String,
    /// Its text.
    pub pattern: String,
    /// One of [`CATEGORIES`].
    pub category: String,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// Version of the format.
    #[serde(rename = "_v")]
    pub version: u32,
    /// Free labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The id of the revision that this one supersedes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// The project in which it was saved, when it is for all projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// As [`Thought::is_edit`].
    #[serde(rename = "_edit", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_edit: bool,
    /// As [`Thought::author`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// As [`Thought::said`].
    #[serde(default, skip_serializing_if = "is_not_said")]
    pub said: Said,
    /// Its provenance, with hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hallmark: Option<Hallmark>,
}
}
