//! Reads and rewrites one line of the queue. Fields are kept as raw JSON text: a field that does not change is copied, not
//! encoded again.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use super::Key;
use crate::clock::{Millis, format_iso, parse_iso};
use crate::model::thought::lifted_expiry;
use crate::model::thought::{
    DEFAULT_CONFIDENCE, StoredThought, UNKNOWN_SOURCE, id_of_line, is_id, known_id, mend_surrogates,
};
use crate::project::ownership::{Checker, MARK};

/// What the queue itself writes on a record; everything else is the thought's.
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

/// How a record was given up on once.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PastFailure {
    /// When, as written.
    #[serde(rename = "failedAt", skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
    /// Why.
    pub reason: String,
    /// How often it had been tried.
    pub attempts: u32,
}

/// On a dead letter that was put back: how it was given up on before, oldest first.
pub(super) const HISTORY: &str = "_history";

/// A longer reason says nothing more.
const REASON_CHARS_MAX: usize = 500;

/// What a line orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order<'a> {
    /// To store the thought.
    Store,
    /// To delete the thought of an id.
    Delete,
    /// To delete whatever was stored under a name of the older tools.
    DeleteNamed,
    /// To move the line elsewhere: another tool has settled it.
    Moved(&'a str),
    /// Nothing that a store can do.
    Nothing(&'static str),
}

/// A line that is a JSON object.
#[derive(Debug)]
pub(crate) struct QueueLine<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

/// Returns what the queue knows a line by: the same bytes are the same order.
pub(super) fn key_of(line: &[u8]) -> Key {
    xxh3_128(line)
}

/// How the lines of our own captures begin, before anything has happened to them.
pub(super) const FRESH: &[u8] = b"{\"_v\":1,\"_status\":\"pending\",\"_attempts\":0,";

/// Tells whether this machine wrote the line for this project. What the queue itself writes on a record may have
/// changed since.
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

/// Returns a text without escapes behind the name that is due, and what follows its comma.
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
    /// Reads a line; `None` when it is no JSON object.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        if line.first() != Some(&b'{') {
            return None;
        }
        serde_json::from_str(std::str::from_utf8(line).ok()?).ok()
    }

    /// As the function of this name.
    fn is_own(&self, check: &Checker) -> bool {
        check.is_own_record(self.record().as_bytes(), self.text(MARK).as_deref())
    }

    fn raw(&self, name: &str) -> Option<&'a str> {
        let found = self.fields.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, raw)| raw.get())
    }

    /// Returns the text of a field, unless it is something else.
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

    /// Tells what the line orders.
    pub fn order(&self) -> Order<'a> {
        match self.text("_status").as_deref() {
            Some("delivered") => return Order::Moved("delivered"),
            Some("failed") => return Order::Moved("failed"),
            _ => {}
        }
        match self.text("_action").as_deref() {
            Some("delete") if self.text("id").is_some_and(|id| is_id(&id)) => Order::Delete,
            Some("delete") if self.filled("key").is_some() => Order::DeleteNamed,
            Some("delete") => Order::Nothing("the delete instruction has no valid id"),
            Some(_) => Order::Nothing("unknown action"),
            None if !self.has_content() => Order::Nothing("the record has no content"),
            None => Order::Store,
        }
    }

    /// Returns how often it has been tried.
    pub fn attempts(&self) -> u32 {
        self.count("_attempts")
    }

    /// Returns how often it has come back from the dead letters.
    pub fn retries(&self) -> u32 {
        self.count("_retries")
    }

    fn count(&self, name: &str) -> u32 {
        self.number(name)
            .filter(|n| (0.0..1e9).contains(n))
            .map_or(0, |n| n as u32)
    }

    /// Returns when it is due; at once when that is missing or makes no sense.
    pub fn due(&self) -> Millis {
        self.text("_nextAttemptAt").and_then(|at| parse_iso(&at)).unwrap_or(0)
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

    /// Returns the thought's id. Lines of the older tools have none: the same thought gets the same one in the queue,
    /// in the raw log and in the archive.
    pub fn id(&self) -> String {
        match self.text("id").and_then(known_id) {
            Some(id) => id.into_owned(),
            None => id_of_line(self.record().as_bytes()),
        }
    }

    /// Returns the record without what the queue has written on it: a thought as the raw log has it.
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
            // A tool that hands over a whole thought where its text is due.
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
            // Nothing but letters, digits and white space needs no decoding.
            Some(raw) if raw.starts_with('"') && !raw.contains('\\') => !raw.trim_matches('"').trim().is_empty(),
            _ => self.content().is_some(),
        }
    }

    /// Returns how the record was given up on before, oldest first.
    pub fn history(&self) -> Vec<PastFailure> {
        let raw = self.raw(HISTORY).unwrap_or_default();
        serde_json::from_str(raw).unwrap_or_default()
    }

    /// Returns when the thought was captured again, on the lines that say so.
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

    /// Reads the thought. `project` stands in when the line names none.
    pub fn thought(&self, project: &str) -> StoredThought {
        let or_unknown = |name: &str| self.filled(name).unwrap_or_else(|| UNKNOWN_SOURCE.to_owned());
        let captured_at = self.captured_at();
        StoredThought {
            id: self.id(),
            content: self.content().unwrap_or_default(),
            project: self.filled("project").unwrap_or_else(|| project.to_owned()),
            kind: or_unknown("type"),
            source: or_unknown("source"),
            created_by: or_unknown("created_by"),
            expires_at: self.expires_at(&captured_at),
            captured_at,
            tags: self.tags(),
            confidence: self
                .number("confidence")
                .filter(|c| (0.0..=1.0).contains(c))
                .unwrap_or(DEFAULT_CONFIDENCE),
            supersedes: self.supersedes(),
            metadata: self.metadata(),
        }
    }

    fn captured_at(&self) -> String {
        self.filled("captured_at")
            .or_else(|| self.filled("capturedAt"))
            .or_else(|| self.filled("timestamp"))
            .filter(|at| parse_iso(at).is_some())
            .unwrap_or_else(|| self.enqueued_at())
    }

    /// Returns the id of the revision that this one takes the place of.
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

    fn metadata(&self) -> String {
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
    let mended = mend_surrogates(raw.as_bytes())?;
    serde_json::from_slice::<String>(&mended).ok().map(Cow::Owned)
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
