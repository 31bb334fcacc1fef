//! Redacts records: arguments before they are stored, and stored records.

use serde_json::{Map, Value};

use crate::model::hallmark::{Origin, Standing, verify_line};
use crate::model::thought::{Facts, content_hash};
use forge_memory_redact::redact;

/// The type of a record whose own type was a secret.
pub const HIDDEN_TYPE: &str = "redacted";

/// Redacts everything that is stored, unless the project has turned that off.
pub struct Redactor {
    is_on: bool,
    /// The number of redacted secrets.
    pub count: usize,
}

impl Redactor {
    /// Returns a redactor; `false` leaves everything unchanged.
    pub fn new(is_on: bool) -> Self {
        Redactor { is_on, count: 0 }
    }

    /// Returns a text without its secrets.
    pub fn text(&mut self, text: String) -> String {
        if !self.is_on {
            return text;
        }
        let redacted = redact(&text);
        self.count += redacted.count;
        match redacted.count {
            0 => text,
            _ => redacted.text.into_owned(),
        }
    }

    /// Returns facts without their secrets.
    pub fn facts(&mut self, mut facts: Facts) -> Facts {
        for (_, text) in facts.texts() {
            *text = self.text(std::mem::take(text));
        }
        facts
    }

    /// Returns a name, which cannot contain a marker; `None` when it contains a secret.
    pub fn name(&mut self, name: String) -> Option<String> {
        let before = self.count;
        let name = self.text(name);
        (self.count == before).then_some(name)
    }

    /// Drops a path that contains a secret, and the fields that depend on it.
    pub fn origin(&mut self, origin: Origin) -> Origin {
        let before = self.count;
        let origin = Origin {
            source_file: origin.source_file.map(|path| self.text(path)),
            tool_version: origin.tool_version.map(|version| self.text(version)),
            ..origin
        };
        if self.count == before || origin.source_file.is_none() {
            origin
        } else {
            Origin {
                tool_version: origin.tool_version,
                ..Origin::default()
            }
        }
    }
}

/// Removes the secrets from every text of a record and updates the hash of a record that was intact. Returns the number of secrets.
pub fn redact_record(record: &mut Value) -> u64 {
    // An edited record must not become intact by a redaction.
    let was_intact = record.get("hallmark").is_some()
        && verify_line(record.to_string().as_bytes(), None).standing == Standing::Intact;
    let count = redact_texts(record);
    if count > 0 && was_intact {
        let hash = content_hash(record);
        if let Some(hallmark) = record.get_mut("hallmark").and_then(Value::as_object_mut) {
            hallmark.insert("contentHash".into(), hash.into());
        }
    }
    count
}

/// Redacts every text of a value. Returns the number of secrets.
pub fn redact_texts(value: &mut Value) -> u64 {
    match value {
        Value::String(text) => {
            let redacted = redact(text);
            let count = redacted.count as u64;
            if count > 0 {
                *text = redacted.text.into_owned();
            }
            count
        }
        Value::Array(items) => items.iter_mut().map(redact_texts).sum(),
        Value::Object(fields) => redact_fields(fields),
        _ => 0,
    }
}

/// Ids and hashes look like secrets but are not.
fn redact_fields(fields: &mut Map<String, Value>) -> u64 {
    const PLAIN: [&str; 4] = ["id", "hallmark", "supersedes", "duplicateOf"];
    fields
        .iter_mut()
        .filter(|(name, _)| !PLAIN.contains(&name.as_str()))
        .map(|(_, value)| redact_texts(value))
        .sum()
}
