//! Provenance: `hallmark/v1`, with a hash over the record's canonical form (RFC 8785).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Pattern, Thought};
use crate::model::canonical::{canonical_json, write_string};
use crate::model::digest::hash_text;

/// The schema that [`Hallmark`] follows.
pub const HALLMARK_VERSION: &str = "hallmark/v1";

/// Where a record comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hallmark {
    /// Always [`HALLMARK_VERSION`].
    #[serde(rename = "schemaVersion")]
    pub schema_version: String,
    /// The tool that captured the record.
    #[serde(rename = "toolName")]
    pub tool_name: String,
    /// When, in ISO 8601 UTC.
    #[serde(rename = "capturedAt")]
    pub captured_at: String,
    /// The file it is about, relative to the project's folder, with `/` as separator.
    #[serde(rename = "sourceFile", default, skip_serializing_if = "Option::is_none")]
    pub source_file: Option<String>,
    /// The byte range `[start, end)` of that file.
    #[serde(rename = "byteRange", default, skip_serializing_if = "Option::is_none")]
    pub byte_range: Option<[u64; 2]>,
    /// `sha256:` and the hash of [`content_hash`].
    #[serde(rename = "contentHash", default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// `sha256:` and the hash of the code it came from: of the source file's bytes, in the range if there is one; of
    /// the tool's own code when no source file is named.
    #[serde(rename = "codeHash", default, skip_serializing_if = "Option::is_none")]
    pub code_hash: Option<String>,
    /// The version of the tool.
    #[serde(rename = "toolVersion", default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
}

impl Hallmark {
    /// Returns the file that the record is about, or an empty path.
    pub(crate) fn source_path(&self) -> &str {
        self.source_file.as_deref().unwrap_or_default()
    }
}

/// Returns the SHA-256 of a record's canonical form: all fields except `hallmark` and those whose names begin with `_`,
/// which are bookkeeping and may change without changing the record.
pub fn content_hash(record: &Value) -> String {
    let mut kept = serde_json::Map::new();
    if let Some(fields) = record.as_object() {
        for (name, value) in fields
            .iter()
            .filter(|(name, _)| !name.starts_with('_') && *name != "hallmark")
        {
            kept.insert(name.clone(), value.clone());
        }
    }
    hash_text(&canonical_json(&Value::Object(kept)))
}

/// Returns [`content_hash`] of a thought without building a JSON value: every capture calls
/// this.
pub fn thought_hash(thought: &Thought) -> String {
    if !thought.facts().texts().is_empty() {
        return serde_json::to_value(thought).map_or_else(|_| hash_text("{}"), |value| content_hash(&value));
    }
    let mut text = String::with_capacity(thought.content.len() + 400);
    text.push('{');
    if let Some(author) = &thought.author {
        text.push_str("\"author\":");
        write_string(author, &mut text);
        text.push(',');
    }
    text.push_str("\"captured_at\":");
    write_string(&thought.captured_at, &mut text);
    text.push_str(",\"confidence\":");
    text.push_str(ryu_js::Buffer::new().format(thought.confidence));
    let said = thought.said.field();
    // The names in canonical order.
    for (name, value) in [
        ("content", Some(&thought.content)),
        ("created_by", Some(&thought.created_by)),
        ("expiresAt", thought.expires_at.as_ref()),
        ("from", thought.from.as_ref()),
        ("id", Some(&thought.id)),
        ("project", Some(&thought.project)),
        ("said", said.as_ref()),
        ("session", thought.session.as_ref()),
        ("source", Some(&thought.source)),
        ("supersedes", thought.supersedes.as_ref()),
    ] {
        if let Some(value) = value {
            text.push_str(",\"");
            text.push_str(name);
            text.push_str("\":");
            write_string(value, &mut text);
        }
    }
    text.push_str(",\"tags\":[");
    for (at, tag) in thought.tags.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        write_string(tag, &mut text);
    }
    text.push_str("],\"type\":");
    write_string(&thought.kind, &mut text);
    text.push('}');
    hash_text(&text)
}

/// Returns [`content_hash`] of a pattern.
pub fn pattern_hash(pattern: &Pattern) -> String {
    serde_json::to_value(pattern).map_or_else(|_| hash_text("{}"), |value| content_hash(&value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::said::Said;

    #[test]
    fn the_fast_path_computes_the_canonical_hash() {
        let mut thought = Thought {
            version: 1,
            id: "mem_1".into(),
            content: "a \"quoted\"\nline \u{1}\u{20ac}\u{1f600}".into(),
            project: "p".into(),
            kind: "lesson".into(),
            source: "s".into(),
            created_by: "c".into(),
            captured_at: "2026-11-20T10:00:00.000Z".into(),
            expires_at: None,
            tags: vec![],
            confidence: 1.0,
            supersedes: None,
            session: None,
            author: None,
            ..Thought::default()
        };
        for confidence in [0.0, 0.7, 1.0, 0.1 + 0.2, 1e-7] {
            thought.confidence = confidence;
            assert_eq!(
                thought_hash(&thought),
                content_hash(&serde_json::to_value(&thought).unwrap())
            );
        }
        thought.tags = vec!["x".into(), "y\t".into()];
        thought.expires_at = Some("2027-11-20T10:00:00.000Z".into());
        thought.supersedes = Some("mem_0".into());
        thought.session = Some("mcp.0123456789abcdef".into());
        thought.author = Some("agent".into());
        thought.said = Said::read("agent/mcp/01234567");
        let value = serde_json::to_value(&thought).unwrap();
        assert_eq!(thought_hash(&thought), content_hash(&value));
        let mut edited = value.clone();
        edited["content"] = "b".into();
        assert_ne!(content_hash(&edited), content_hash(&value));
        edited = value.clone();
        edited["_bookkeeping"] = 1.into();
        assert_eq!(content_hash(&edited), content_hash(&value));
    }
}
