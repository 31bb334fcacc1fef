//! Events of other programs, received by the hub's `broadcast`: they go into the same log as the engine's own.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::followed::Followed;
use super::{EventLog, NewEvent};
use crate::clock::parse_iso;
use crate::error::{Error, Result};
use crate::model::scrub::redact_texts;
use crate::project::Project;
use crate::redact::{find_secrets, redact};

/// The maximum size of an event; the buffer of a subscriber is twice as large.
pub const EVENT_BYTES_MAX: usize = 512 * 1024;
const TYPE_BYTES_MAX: usize = 128;

/// The fields that the engine writes itself.
const OWN_FIELDS: [&str; 5] = ["_v", "version", "timestamp", "type", "seq"];

/// An event of a program: a JSON object, as text.
#[derive(Debug)]
struct ParsedEvent<'a> {
    kind: String,
    timestamp: Option<String>,
    version: Option<String>,
    fields: Vec<(String, &'a RawValue)>,
}

/// Returns the type and fields of the event that automatically follows one with this type, time and these fields.
pub(crate) type FollowUp = fn(&Project, &str, Option<&str>, &str) -> Option<(&'static str, String)>;

/// An event, its own fields as text, and what follows it.
type Fields<'e> = (&'e ParsedEvent<'e>, String, Option<(&'static str, String)>);

impl EventLog {
    /// Appends events, each a JSON object with a `type`, and returns the number of the last one. Either all are
    /// appended or none. Each event is followed by the one that `follow_up` returns for it, if any.
    ///
    /// # Errors
    /// `INVALID_INPUT` when one is not an event object or too large, otherwise as [`crate::journal::Journal::append`].
    pub(crate) fn publish(&mut self, project: &mut Project, events: &[String], follow_up: FollowUp) -> Result<u64> {
        let (is_redacted, now) = (project.config().settings.redact, project.now());
        let events: Vec<Cow<'_, str>> = events.iter().map(|text| without_secrets(text, is_redacted)).collect();
        let handed = events.iter().map(|text| read(text)).collect::<Result<Vec<_>>>()?;
        let mut fields: Vec<Fields<'_>> = Vec::new();
        for event in &handed {
            let own = join(event);
            let mut last = self.followed.as_mut();
            if last
                .as_mut()
                .is_some_and(|last| last.is_said_again(&event.kind, &own, now))
            {
                continue;
            }
            let follower = follow_up(project, &event.kind, event.timestamp.as_deref(), &own);
            let follower = follower.filter(|(kind, fields)| {
                last.as_ref()
                    .is_none_or(|last| !last.is_of_watched(&own, kind, fields, now))
            });
            if let Some((kind, fields)) = &follower {
                self.followed = Some(Followed::by(kind, fields, now));
            }
            fields.push((event, own, follower));
        }
        let mut events = Vec::with_capacity(fields.len());
        for (event, fields, follower) in &fields {
            events.push(NewEvent {
                kind: &event.kind,
                fields,
                timestamp: event.timestamp.as_deref(),
                version: event.version.as_deref(),
            });
            events.extend(follower.as_ref().map(|(kind, fields)| NewEvent::new(kind, fields)));
        }
        if let (true, Some((.., newest))) = (events.is_empty(), self.last) {
            return Ok(newest);
        }
        project.ensure_gitignore(true)?;
        self.push_all(&events, now, project.config().settings.limits.events_bytes)
    }
}

/// Redacts the secrets of an event: in its text as a whole, where field names count, and else value by value.
fn without_secrets(text: &str, is_redacted: bool) -> Cow<'_, str> {
    if !is_redacted || text.len() > EVENT_BYTES_MAX || find_secrets(text).is_empty() {
        return Cow::Borrowed(text);
    }
    let redacted = redact(text).text;
    if serde_json::from_str::<IgnoredAny>(&redacted).is_ok() && read(&redacted).is_ok() {
        return Cow::Owned(redacted.into_owned());
    }
    match serde_json::from_str::<Value>(text) {
        Ok(mut event) => {
            redact_texts(&mut event);
            Cow::Owned(event.to_string())
        }
        Err(_) => Cow::Borrowed(text),
    }
}

fn read(text: &str) -> Result<ParsedEvent<'_>> {
    if text.len() > EVENT_BYTES_MAX {
        let reason = format!("has {} bytes; at most {EVENT_BYTES_MAX} are allowed", text.len());
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
        .ok_or_else(|| Error::invalid("event.type", "expected a string of 1 to 128 bytes"))?;
    Ok(ParsedEvent {
        kind,
        timestamp: own("timestamp").map(read_time).transpose()?,
        version: own("version").map(read_version).transpose()?,
        fields,
    })
}

/// Returns the fields in their order, with their values as raw JSON.
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
    fields.map_err(|_| Error::invalid("event", "expected an object"))
}

fn read_time(raw: &str) -> Result<String> {
    serde_json::from_str::<String>(raw)
        .ok()
        .filter(|at| parse_iso(at).is_some())
        .ok_or_else(|| Error::invalid("event.timestamp", "expected an ISO 8601 time"))
}

fn read_version(raw: &str) -> Result<String> {
    serde_json::from_str::<String>(raw)
        .ok()
        .filter(|version| version.len() <= TYPE_BYTES_MAX)
        .ok_or_else(|| Error::invalid("event.version", "expected a short string"))
}

fn join(event: &ParsedEvent<'_>) -> String {
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
