//! Events of programs: what comes over the hub's `broadcast` goes into the same file as the engine's own.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::NewEvent;
use crate::clock::parse_iso;
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::redact::{find_secrets, redact};

/// A subscriber is bounded to twice this much, so that one event never fills it.
pub const EVENT_BYTES_MAX: usize = 512 * 1024;
const TYPE_BYTES_MAX: usize = 128;

/// The fields that the engine writes itself.
const OWN_FIELDS: [&str; 4] = ["version", "timestamp", "type", "seq"];

/// An event as a program hands it in: a JSON object, as text.
#[derive(Debug)]
struct Handed<'a> {
    kind: String,
    timestamp: Option<String>,
    version: Option<String>,
    fields: Vec<(String, &'a RawValue)>,
}

impl Memory {
    /// Appends events, each a JSON object with a `type`, and returns the number of the last one. Either all are taken
    /// or none. Behind a `run-started` that names its plan comes a `memory-preload`.
    ///
    /// # Errors
    /// `INVALID_INPUT` when one is no such object or too large, otherwise as [`crate::journal::Journal::append`].
    pub fn publish(&mut self, events: &[String]) -> Result<u64> {
        let events: Vec<Cow<'_, str>> = events.iter().map(|text| self.without_secrets(text)).collect();
        let handed = events.iter().map(|text| read(text)).collect::<Result<Vec<_>>>()?;
        let fields: Vec<(String, Option<String>)> = handed
            .iter()
            .map(|event| {
                let fields = join(event);
                let preload = self.preload_fields(&event.kind, &fields);
                (fields, preload)
            })
            .collect();
        let mut events = Vec::with_capacity(handed.len());
        for (event, (fields, preload)) in handed.iter().zip(&fields) {
            events.push(NewEvent {
                kind: &event.kind,
                fields,
                timestamp: event.timestamp.as_deref(),
                version: event.version.as_deref(),
            });
            events.extend(preload.as_deref().map(|fields| NewEvent::new("memory-preload", fields)));
        }
        let limit = self.config().events_bytes;
        let now = self.surroundings.clock.now_ms();
        self.furnish(true)?;
        self.events.push_all(&events, now, limit)
    }
}

impl Memory {
    /// Takes the secrets out of an event: by the names of its fields, as they stand in its text, and out of each value.
    fn without_secrets<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if !self.config().redact || text.len() > EVENT_BYTES_MAX || find_secrets(text).is_empty() {
            return Cow::Borrowed(text);
        }
        let redacted = redact(text).text;
        if serde_json::from_str::<IgnoredAny>(&redacted).is_ok() && read(&redacted).is_ok() {
            return Cow::Owned(redacted.into_owned());
        }
        match serde_json::from_str::<Value>(text) {
            Ok(mut event) => {
                crate::scrub::redact_texts(&mut event);
                Cow::Owned(event.to_string())
            }
            Err(_) => Cow::Borrowed(text),
        }
    }
}

fn read(text: &str) -> Result<Handed<'_>> {
    if text.len() > EVENT_BYTES_MAX {
        let reason = format!("{} bytes are more than the {EVENT_BYTES_MAX} of an event", text.len());
        return Err(Error::invalid("event", reason));
    }
    let all = fields_of(text)?;
    let (own, fields): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|(name, _)| OWN_FIELDS.contains(&name.as_str()));
    let own = |name: &str| own.iter().rfind(|(own, _)| own == name).map(|(_, raw)| raw.get());
    let kind = own("type").and_then(|raw| serde_json::from_str::<String>(raw).ok());
    let kind = kind
        .filter(|kind| !kind.is_empty() && kind.len() <= TYPE_BYTES_MAX && !kind.chars().any(char::is_control))
        .ok_or_else(|| Error::invalid("event.type", "a text of 1 to 128 bytes is due"))?;
    Ok(Handed {
        kind,
        timestamp: own("timestamp").map(read_time).transpose()?,
        version: own("version").map(read_version).transpose()?,
        fields,
    })
}

/// Returns the fields in the order in which they came, their values as they were written.
fn fields_of(text: &str) -> Result<Vec<(String, &RawValue)>> {
    struct Fields;
    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> std::result::Result<Self::Value, M::Error> {
            let mut fields = Vec::new();
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            Ok(fields)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let fields = reader
        .deserialize_map(Fields)
        .and_then(|fields| reader.end().map(|()| fields));
    fields.map_err(|_| Error::invalid("event", "an object is due"))
}

fn read_time(raw: &str) -> Result<String> {
    serde_json::from_str::<String>(raw)
        .ok()
        .filter(|at| parse_iso(at).is_some())
        .ok_or_else(|| Error::invalid("event.timestamp", "a moment in ISO 8601 is due"))
}

fn read_version(raw: &str) -> Result<String> {
    serde_json::from_str::<String>(raw)
        .ok()
        .filter(|version| version.len() <= TYPE_BYTES_MAX)
        .ok_or_else(|| Error::invalid("event.version", "a short text is due"))
}

fn join(event: &Handed<'_>) -> String {
    let mut text = String::new();
    for (name, value) in &event.fields {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        text.push_str(value.get());
    }
    text
}
