//! An entry of a store, parsed leniently.

use schemars::JsonSchema;
use std::borrow::Cow;
use std::hash::Hasher;

use serde::Serialize;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::lenient::Lenient;
use forge_memory_core::thought::DEFAULT_CONFIDENCE;
use forge_memory_journal::clock::{Millis, format_iso, parse_iso};

/// The number of characters of an id that are displayed.
const SHOWN_ID_CHARS: usize = 8;

/// A lesson of a loop, read from a store. Missing fields are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RalphEntry<'a> {
    /// The id as written; derived from the other fields when it is missing.
    pub id: Cow<'a, str>,
    /// The loop it comes from.
    pub loop_id: Cow<'a, str>,
    /// The iteration of that loop.
    pub iteration: Option<f64>,
    /// The time of creation, as written.
    pub created_at: Cow<'a, str>,
    /// The parsed time of creation; `None` when it is missing or invalid.
    pub created_ms: Option<Millis>,
    /// `lesson_learned`, `failure_pattern`, `success_pattern`, or whatever was written.
    pub kind: Cow<'a, str>,
    /// The lesson.
    pub lesson: Cow<'a, str>,
    /// A reusable pattern, in entries that have one.
    pub pattern: Cow<'a, str>,
    /// Where it was learned.
    pub context: Cow<'a, str>,
    /// Free labels.
    pub tags: Vec<Cow<'a, str>>,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The fields with a value of the wrong type, which count as missing.
    pub wrong: Wrong,
}

/// A set of field names in two bytes, because there can be hundreds of thousands of entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wrong(u16);

const FIELDS: [&str; 11] = [
    "id",
    "loopId",
    "iteration",
    "createdAt",
    "type",
    "lesson",
    "pattern",
    "content",
    "context",
    "tags",
    "confidence",
];

impl Wrong {
    pub(super) fn push(&mut self, name: &str) {
        self.0 |= FIELDS.iter().position(|field| *field == name).map_or(0, |bit| 1 << bit);
    }

    /// True if there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the names.
    pub fn names(self) -> Vec<&'static str> {
        let named = FIELDS.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0);
        named.map(|(_, name)| *name).collect()
    }
}

/// A lesson of a loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RalphEntry")]
pub struct RalphRecord {
    /// Its id.
    pub id: String,
    /// The loop that learned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<String>,
    /// The number of the iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<f64>,
    /// The time of creation, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The calendar day of creation in UTC, when it was requested and is known. It is not written to the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// `lesson_learned`, `failure_pattern`, `success_pattern`, or whatever was written.
    #[serde(rename = "type")]
    pub kind: String,
    /// The lesson.
    pub lesson: String,
    /// The pattern, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Where it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Its labels.
    pub tags: Vec<String>,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The relevance, higher is better; only in answers to queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl<'a> RalphEntry<'a> {
    /// Returns the entry of an element that is only a text.
    pub(super) fn of_text(lesson: Cow<'a, str>) -> Self {
        RalphEntry {
            lesson,
            kind: Cow::Borrowed("lesson_learned"),
            confidence: DEFAULT_CONFIDENCE,
            ..RalphEntry::default()
        }
    }

    /// Returns the text to display: the lesson, else the pattern.
    pub fn text(&self) -> &str {
        if self.lesson.is_empty() {
            &self.pattern
        } else {
            &self.lesson
        }
    }

    /// Returns the displayed prefix of the id.
    pub fn shown_id(&self) -> &str {
        if self.id.is_ascii() {
            return self.id.get(..SHOWN_ID_CHARS).unwrap_or(&self.id);
        }
        match self.id.char_indices().nth(SHOWN_ID_CHARS) {
            Some((end, _)) => self.id.get(..end).unwrap_or(&self.id),
            None => &self.id,
        }
    }

    /// Returns the day of creation in UTC; empty when it is unknown.
    pub fn date(&self) -> Cow<'_, str> {
        match self.created_ms {
            // A time that ends with Z begins with the day in UTC.
            Some(_) if self.created_at.ends_with('Z') && self.created_at.as_bytes().get(10) == Some(&b'T') => {
                Cow::Borrowed(self.created_at.get(..10).unwrap_or_default())
            }
            Some(at) => Cow::Owned(date_of(at)),
            None => Cow::Borrowed(""),
        }
    }

    /// Gives an entry without id a derived, stable one.
    pub(super) fn complete_id(&mut self) {
        if self.id.is_empty() {
            self.id = Cow::Owned(format!("mem_{}", base36(self.fingerprint())));
        }
    }

    /// Returns a fingerprint of the entry that does not depend on the layout of the file.
    pub(super) fn key(&self) -> String {
        format!("{:032x}", self.fingerprint())
    }

    fn fingerprint(&self) -> u128 {
        let mut hash = Xxh3::new();
        for text in [
            &self.id,
            &self.loop_id,
            &self.created_at,
            &self.kind,
            &self.lesson,
            &self.pattern,
            &self.context,
        ] {
            hash.write(text.as_bytes());
            // A separator that UTF-8 text cannot contain, so that the fields are unambiguous.
            hash.write(&[0xff]);
        }
        for tag in &self.tags {
            hash.write(tag.as_bytes());
            hash.write(&[0xff]);
        }
        hash.write(&self.iteration.unwrap_or(-1.0).to_le_bytes());
        hash.write(&self.confidence.to_le_bytes());
        hash.digest128()
    }

    /// Copies the entry out of the text it was read from.
    pub fn to_record(&self) -> RalphRecord {
        let given = |text: &Cow<'_, str>| (!text.is_empty()).then(|| text.to_string());
        RalphRecord {
            id: self.id.to_string(),
            loop_id: given(&self.loop_id),
            iteration: self.iteration,
            created_at: given(&self.created_at),
            day: given(&self.date()),
            kind: self.kind.to_string(),
            lesson: self.text().to_owned(),
            pattern: given(&self.pattern),
            context: given(&self.context),
            tags: self.tags.iter().map(|tag| tag.to_string()).collect(),
            confidence: self.confidence,
            score: None,
        }
    }

    pub(super) fn take_text(&mut self, name: &'static str, value: Lenient<'a>) -> Option<Cow<'a, str>> {
        match value {
            Lenient::Text(text) => Some(text),
            Lenient::Null => None,
            _ => {
                self.wrong.push(name);
                None
            }
        }
    }

    pub(super) fn set_created(&mut self, text: Cow<'a, str>) {
        self.created_ms = moment(&text);
        if self.created_ms.is_none() {
            self.wrong.push("createdAt");
        }
        self.created_at = text;
    }
}

/// Returns the calendar day of a moment, in UTC.
pub(super) fn date_of(at: Millis) -> String {
    let mut text = format_iso(at);
    if let Some(end) = text.find('T') {
        text.truncate(end);
    }
    text
}

/// As [`parse_iso`], with a fast path for the form without milliseconds, which is common in stores.
fn moment(text: &str) -> Option<Millis> {
    let Some((seconds, b"Z")) = text.as_bytes().split_first_chunk::<19>() else {
        return parse_iso(text);
    };
    let mut long = *b"0000-00-00T00:00:00.000Z";
    *long.first_chunk_mut()? = *seconds;
    parse_iso(std::str::from_utf8(&long).ok()?)
}

/// Returns six lower-case letters and digits for a hash.
pub(super) fn base36(hash: u128) -> String {
    let mut rest = hash;
    (0..6)
        .filter_map(|_| {
            let digit = u32::try_from(rest % 36).ok()?;
            rest /= 36;
            char::from_digit(digit, 36)
        })
        .collect()
}

/// Returns six characters that differ for every seed.
pub(super) fn random_suffix(seed: &str) -> String {
    base36(xxh3_128(seed.as_bytes()))
}
