//! What an incoming record becomes before it is compared with those that are here: in parts that fit, with clean fields, and without what
//! only a decision may do.

use serde_json::Value;

use super::read::Incoming;
use crate::judgement::decide::By;
use crate::model::author::{Author, Speaker};
use crate::model::hallmark::{Standing, verify_line};
use crate::model::limits::{BODY_BYTES_MAX, NAME_BYTES_MAX, TAGS_MAX, check_kind};
use crate::model::thought::{DEFAULT_CONFIDENCE, content_hash};
use crate::text::lines::head;

/// Who imports.
pub(super) struct Voice {
    pub speaker: Speaker,
    pub waits: bool,
    /// Whether a person runs it: an import says no more than whoever runs it.
    pub of_person: bool,
}

impl Voice {
    pub fn by(&self) -> By<'_> {
        By {
            speaker: &self.speaker,
            waits: self.waits,
        }
    }
}

/// Takes from a record of our own form the link to one that is not of the source, and the name of a person that only a person imports. The
/// hallmark is that of what is left; one that did not fit before does not fit then.
pub(super) fn unlinked(mut incoming: Incoming, is_linked: bool, voice: &Voice) -> Incoming {
    let Some(fields) = incoming.own.as_mut().and_then(Value::as_object_mut) else {
        return incoming;
    };
    let claims = fields.get("author").and_then(Value::as_str) == Some(Author::Person.name());
    let is_claim = claims && !voice.of_person;
    if !is_linked && !is_claim {
        return incoming;
    }
    let line = Value::Object(fields.clone()).to_string();
    if verify_line(line.as_bytes(), None).standing != Standing::Intact {
        return incoming;
    }
    if is_linked {
        fields.remove("supersedes");
        fields.remove("_edit");
    }
    if is_claim {
        fields.insert("author".into(), Author::Import.name().into());
        fields.insert("said".into(), voice.speaker.said().to_string().into());
        if fields.get("source").and_then(Value::as_str) == Some(Author::Person.source()) {
            fields.insert("source".into(), Author::Import.source().into());
        }
    }
    let hash = content_hash(&Value::Object(fields.clone()));
    if let Some(hallmark) = fields.get_mut("hallmark").and_then(Value::as_object_mut) {
        hallmark.insert("contentHash".into(), hash.into());
    }
    incoming
}

/// Nothing is truncated: a text that is too long becomes several records.
pub(super) fn split_long(incoming: Incoming) -> Vec<Incoming> {
    if incoming.text.len() <= BODY_BYTES_MAX {
        return vec![incoming];
    }
    let mut parts = Vec::new();
    let mut rest = incoming.text.as_str();
    while !rest.is_empty() {
        let part = head(rest, BODY_BYTES_MAX);
        parts.push(Incoming {
            id: None,
            own: None,
            key: format!("{}\0part {}", incoming.key, parts.len() + 1),
            text: part.to_owned(),
            ..incoming.clone()
        });
        rest = rest.get(part.len()..).unwrap_or_default();
    }
    parts
}

pub(super) fn clean_confidence(confidence: Option<f64>) -> f64 {
    confidence
        .filter(|sure| (0.0..=1.0).contains(sure))
        .unwrap_or(DEFAULT_CONFIDENCE)
}

pub(super) fn clean_kind(kind: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "_-.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let mut name: String = kind.trim().chars().map(plain).collect();
    while name.len() > NAME_BYTES_MAX {
        name.pop();
    }
    check_kind("type", Some(name)).unwrap_or_else(|_| "note".into())
}

pub(super) fn clean_tags(tags: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        let mut tag: String = tag.chars().filter(|c| !c.is_control()).collect();
        while tag.len() > NAME_BYTES_MAX {
            tag.pop();
        }
        if !tag.trim().is_empty() && !kept.contains(&tag) && kept.len() < TAGS_MAX {
            kept.push(tag);
        }
    }
    kept
}
