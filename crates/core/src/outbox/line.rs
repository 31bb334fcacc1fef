//! Reads and rewrites one line of the queue. Fields are kept as raw JSON text: a field that does not change is copied, not
//! encoded again.

use schemars::JsonSchema;
use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use super::Key;
use crate::clock::{Millis, format_iso, parse_iso};
use crate::model::said::{Said, is_claim};
use crate::model::thought::{
    DEFAULT_CONFIDENCE, DEFAULT_CREATOR, RulingKind, StoredThought, UNKNOWN_SOURCE, id_of_line, is_id, known_id,
    lifted_expiry, replace_lone_surrogates,
};
use crate::project::ownership::{Checker, MARK};

/// Fields that the queue adds to a record; all others belong to the thought.
const BOOKKEEPING: [&str; 12] = [
    MARK,
    "_status",
    "_attempts",
    "_retries",
    "_enqueuedAt",
    "_nextAttemptAt",
    "_lastError",
    "_deliveredAt",
    "_failedAt",
    "_reason",
    CONFIRMED_AT,
    HISTORY,
];

/// When a thought was captured again; its lifetime restarts then.
pub(crate) const CONFIRMED_AT: &str = "_confirmedAt";

/// An earlier failure of a record that was retried.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, JsonSchema)]
pub struct PastFailure {
    /// When, as written.
    #[serde(rename = "failedAt", skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
    /// Why.
    pub reason: String,
    /// How often it had been tried.
    pub attempts: u32,
}

/// The earlier failures of a dead letter that was retried, oldest first.
pub(super) const HISTORY: &str = "_history";

/// Longer reasons are truncated.
const REASON_CHARS_MAX: usize = 500;

/// The operation that a line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order<'a> {
    /// To store the thought.
    Store,
    /// To delete the thought of an id.
    Delete,
    /// To delete whatever was stored under a name of the older tools.
    DeleteNamed,
    /// To note a ruling on a thought.
    Rule,
    /// To move the line to another file: another tool has settled it.
    Moved(&'a str),
    /// No operation of a store; the reason.
    Nothing(&'static str),
}

/// A line that is a JSON object.
#[derive(Debug)]
pub(crate) struct QueueLine<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

/// Returns the key of a line: a hash of its bytes.
pub(super) fn key_of(line: &[u8]) -> Key {
    xxh3_128(line)
}

/// The first bytes of a line as a capture writes it.
pub(super) const FRESH: &[u8] = b"{\"_v\":1,\"_status\":\"pending\",\"_attempts\":0,";

/// True if this machine wrote the line for this project. The mark does not cover the fields that the queue adds.
pub(crate) fn is_own(line: &[u8], check: &Checker) -> bool {
    if let Some((mark, rest)) = split_fresh(line)
        && check.is_own_record(&[b"{\"_v\":1,", rest].concat(), Some(mark))
    {
        return true;
    }
    QueueLine::read(line).is_some_and(|read| read.is_own(check))
}

/// Returns the mark and the record of a line as a capture writes it, without reading the record.
fn split_fresh(line: &[u8]) -> Option<(&str, &[u8])> {
    let (_, rest) = take_text(line.strip_prefix(FRESH)?, b"\"_enqueuedAt\":\"")?;
    let (_, rest) = take_text(rest, b"\"_nextAttemptAt\":\"")?;
    take_text(rest, b"\"_mark\":\"")
}

/// Returns the text (without escapes) of the field that is expected next, and the bytes behind its comma.
fn take_text<'a>(line: &'a [u8], name: &[u8]) -> Option<(&'a str, &'a [u8])> {
    let rest = line.strip_prefix(name)?;
    let (text, rest) = rest.split_at(memchr::memchr(b'"', rest)?);
    let text = std::str::from_utf8(text).ok().filter(|text| !text.contains('\\'))?;
    Some((text, rest.strip_prefix(b"\",")?))
}

/// Returns a reason of a length that fits into a line.
pub(super) fn clip(reason: &str) -> String {
    reason.chars().take(REASON_CHARS_MAX).collect()
}

impl<'a> QueueLine<'a> {
    /// Reads a line; `None` when it is not a JSON object.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        if line.first() != Some(&b'{') {
            return None;
        }
        serde_json::from_str(std::str::from_utf8(line).ok()?).ok()
    }

    /// See the function of the same name.
    fn is_own(&self, check: &Checker) -> bool {
        check.is_own_record(self.record().as_bytes(), self.text(MARK).as_deref())
    }

    fn raw(&self, name: &str) -> Option<&'a str> {
        let found = self.fields.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, raw)| raw.get())
    }

    /// Returns the value of a field when it is a text.
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        text_of(self.raw(name)?)
    }

    fn filled(&self, name: &str) -> Option<String> {
        self.text(name)
            .filter(|text| !text.trim().is_empty())
            .map(Cow::into_owned)
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.raw(name)?.parse().ok()
    }

    /// Returns the operation that the line asks for.
    pub fn order(&self) -> Order<'a> {
        match self.text("_status").as_deref() {
            Some("delivered") => return Order::Moved("delivered"),
            Some("failed") => return Order::Moved("failed"),
            _ => {}
        }
        match self.text("_action").as_deref() {
            Some("delete") if self.has_id() => Order::Delete,
            Some("delete") if self.filled("key").is_some() => Order::DeleteNamed,
            Some("delete") => Order::Nothing("the delete instruction has no valid id"),
            Some(action) if RulingKind::of(action).is_some_and(RulingKind::is_shared) && self.has_id() => Order::Rule,
            Some(_) => Order::Nothing("unknown action"),
            None if !self.has_content() => Order::Nothing("the record has no content"),
            None => Order::Store,
        }
    }

    fn has_id(&self) -> bool {
        self.text("id").is_some_and(|id| is_id(&id))
    }

    /// Returns the number of failed attempts.
    pub fn attempts(&self) -> u32 {
        self.count("_attempts")
    }

    /// Returns how often it was retried as a dead letter.
    pub fn retries(&self) -> u32 {
        self.count("_retries")
    }

    fn count(&self, name: &str) -> u32 {
        self.number(name)
            .filter(|n| (0.0..1e9).contains(n))
            .map_or(0, |n| n as u32)
    }

    /// Returns when it was queued, as written.
    pub fn enqueued_at(&self) -> String {
        self.filled("_enqueuedAt")
            .or_else(|| self.filled("captured_at"))
            .unwrap_or_default()
    }

    /// Returns why the last attempt failed.
    pub fn last_error(&self) -> Option<String> {
        self.filled("_lastError")
    }

    /// Returns the thought's id. Lines of Plan Forge have none: it is derived from the line, in the same way for the
    /// queue, the raw log and the archive.
    pub fn id(&self) -> String {
        match self.text("id").and_then(known_id) {
            Some(id) => id.into_owned(),
            None => id_of_line(self.record().as_bytes()),
        }
    }

    /// Returns the record without the fields of the queue, as it is in the raw log.
    pub fn record(&self) -> String {
        let own = |name: &str| name == "_v" || BOOKKEEPING.contains(&name);
        let mut out = String::from("{");
        if let Some(version) = self.raw("_v") {
            out.push_str("\"_v\":");
            out.push_str(version);
        }
        for (name, raw) in self.fields.iter().filter(|(name, _)| !own(name)) {
            push_field(&mut out, name, raw.get());
        }
        out.push('}');
        out
    }

    fn content(&self) -> Option<String> {
        let raw = self.raw("content")?;
        match raw.as_bytes().first() {
            Some(b'"') => text_of(raw).map(Cow::into_owned),
            // Some tools nest the whole thought where its text is expected.
            Some(b'{') => {
                let inner = QueueLine::read(raw.as_bytes()).and_then(|inner| inner.filled("content"));
                Some(inner.unwrap_or_else(|| raw.to_owned()))
            }
            Some(b'[') => Some(raw.to_owned()),
            _ => None,
        }
        .filter(|content| !content.trim().is_empty())
    }

    fn has_content(&self) -> bool {
        match self.raw("content") {
            // A string of only letters, digits and white space needs no decoding.
            Some(raw) if raw.starts_with('"') && !raw.contains('\\') => !raw.trim_matches('"').trim().is_empty(),
            _ => self.content().is_some(),
        }
    }

    /// Returns the earlier failures of the record, oldest first.
    pub fn history(&self) -> Vec<PastFailure> {
        let raw = self.raw(HISTORY).unwrap_or_default();
        serde_json::from_str(raw).unwrap_or_default()
    }

    /// Returns when the thought was captured again, if the line has that field.
    pub fn confirmed_at(&self) -> Option<String> {
        self.filled(CONFIRMED_AT).filter(|at| parse_iso(at).is_some())
    }

    /// Returns when the thought expires: a confirmation restarts its lifetime.
    fn expires_at(&self, captured_at: &str) -> Option<String> {
        let written = self.filled("expiresAt")?;
        let expires = parse_iso(&written)?;
        let confirmed = self.confirmed_at().and_then(|at| parse_iso(&at));
        match (confirmed, parse_iso(captured_at)) {
            (Some(confirmed), Some(captured)) if confirmed > captured => {
                Some(format_iso(lifted_expiry(captured, expires, confirmed)))
            }
            _ => Some(written),
        }
    }

    /// Reads the thought. `project` is used when the line names no project.
    pub fn thought(&self, project: &str) -> StoredThought {
        let or_unknown = |name: &str| self.filled(name).unwrap_or_else(|| UNKNOWN_SOURCE.to_owned());
        let captured_at = self.captured_at();
        let claim = self.claim();
        StoredThought {
            id: self.id(),
            content: self.content().unwrap_or_default(),
            project: self.filled("project").unwrap_or_else(|| project.to_owned()),
            kind: or_unknown("type"),
            source: or_unknown("source"),
            // A shared store names who delivers it, and has the claim beside it.
            created_by: claim
                .as_ref()
                .map_or_else(|| or_unknown("created_by"), |_| DEFAULT_CREATOR.to_owned()),
            expires_at: self.expires_at(&captured_at),
            captured_at,
            tags: self.tags(),
            confidence: self
                .number("confidence")
                .filter(|c| (0.0..=1.0).contains(c))
                .unwrap_or(DEFAULT_CONFIDENCE),
            supersedes: self.supersedes(),
            metadata: self.metadata_json(claim.as_deref()),
        }
    }

    fn captured_at(&self) -> String {
        self.filled("captured_at")
            .or_else(|| self.filled("capturedAt"))
            .or_else(|| self.filled("timestamp"))
            .filter(|at| parse_iso(at).is_some())
            .unwrap_or_else(|| self.enqueued_at())
    }

    /// Returns the id of the revision that this one supersedes.
    pub fn supersedes(&self) -> Option<String> {
        self.filled("supersedes")
            .and_then(|id| known_id(id.into()))
            .map(Into::into)
    }

    fn tags(&self) -> Vec<String> {
        let values: Vec<Value> = self
            .raw("tags")
            .and_then(|raw| serde_json::from_str(raw).ok())
            .unwrap_or_default();
        let texts = values.into_iter().filter_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        });
        texts.collect()
    }

    /// Returns the author that the line only claims to have.
    fn claim(&self) -> Option<String> {
        let said = self.filled("said").map_or_else(Said::default, |said| Said::read(&said));
        let named = self.filled("created_by").filter(|name| is_claim(said, name));
        named.filter(|_| self.raw("claimed_by").is_none())
    }

    fn metadata_json(&self, claim: Option<&str>) -> String {
        const NAMED: [&str; 14] = [
            "_v",
            "_action",
            "id",
            "content",
            "project",
            "type",
            "source",
            "created_by",
            "captured_at",
            "capturedAt",
            "expiresAt",
            "tags",
            "confidence",
            "supersedes",
        ];
        let mut out = String::from("{");
        for (name, raw) in &self.fields {
            if !NAMED.contains(&name.as_ref()) && !name.starts_with('_') {
                push_field(&mut out, name, raw.get());
            }
        }
        if let Some(claim) = claim {
            push_field(&mut out, "claimed_by", &Value::from(claim).to_string());
        }
        out.push('}');
        out
    }

    /// Rewrites the line with some of the queue's own fields set, or removed where the value is `None`. All other fields
    /// keep their order and their bytes.
    pub fn with(&self, changes: &[(&str, Option<String>)]) -> Vec<u8> {
        let mut out = String::from("{");
        let change_of = |name: &str| changes.iter().find(|(changed, _)| *changed == name);
        for (name, raw) in &self.fields {
            match change_of(name) {
                None => push_field(&mut out, name, raw.get()),
                Some((_, Some(value))) => push_field(&mut out, name, value),
                Some((_, None)) => {}
            }
        }
        for (name, value) in changes {
            if let Some(value) = value
                && self.raw(name).is_none()
            {
                push_field(&mut out, name, value);
            }
        }
        out.push('}');
        out.into_bytes()
    }
}

/// Returns a text as JSON.
pub(crate) fn quoted(text: &str) -> Option<String> {
    Some(Value::from(text).to_string())
}

/// Returns a moment as JSON.
pub(crate) fn moment(at: Millis) -> Option<String> {
    Some(format!("\"{}\"", format_iso(at)))
}

fn push_field(out: &mut String, name: &str, raw: &str) {
    if out.len() > 1 {
        out.push(',');
    }
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if plain {
        out.push('"');
        out.push_str(name);
        out.push('"');
    } else {
        out.push_str(&Value::from(name).to_string());
    }
    out.push(':');
    out.push_str(raw);
}

fn text_of(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    if let Ok(text) = serde_json::from_str::<String>(raw) {
        return Some(Cow::Owned(text));
    }
    let repaired = replace_lone_surrogates(raw.as_bytes())?;
    serde_json::from_slice::<String>(&repaired).ok().map(Cow::Owned)
}

impl<'de: 'a, 'a> Deserialize<'de> for QueueLine<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = QueueLine<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::with_capacity(20);
                while let Some(name) = map.next_key::<Name<'de>>()? {
                    fields.push((name.0, map.next_value()?));
                }
                Ok(QueueLine { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
