//! Rulings: lines of a journal that say whether a record counts as current. They are only ever appended, and what they say
//! together does not depend on their order: of several about one record the times decide, so that every machine with the
//! same lines has the same answer. docs/truth.md has the rules.

use serde::Deserialize;
use serde_json::Value;

use super::known_id;
use crate::clock::{Millis, format_iso, parse_iso};

/// A ruling on a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// What it says.
    pub kind: RulingKind,
    /// The record.
    pub id: String,
    /// The other record: the one that retired it, or that it is held against.
    pub other: Option<String>,
    /// The rule by which it was made, or who made it; empty when it says nothing.
    pub why: String,
    /// Since when; the epoch when that is not known.
    pub at_ms: Millis,
}

/// The kinds of [`Ruling`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RulingKind {
    /// The record is no longer current: another one says what holds now.
    Retire,
    /// The record is current, whatever retired it before.
    Keep,
    /// Two records contradict each other, and nothing says which of them holds.
    Conflict,
    /// Two records hold beside each other: they are no conflict.
    Hold,
}

impl RulingKind {
    /// Returns the name of the action in its line.
    pub fn name(self) -> &'static str {
        match self {
            RulingKind::Retire => "retire",
            RulingKind::Keep => "keep",
            RulingKind::Conflict => "conflict",
            RulingKind::Hold => "hold",
        }
    }

    pub(super) fn of(action: &str) -> Option<Self> {
        Some(match action {
            "retire" => RulingKind::Retire,
            "keep" => RulingKind::Keep,
            "conflict" => RulingKind::Conflict,
            "hold" => RulingKind::Hold,
            _ => return None,
        })
    }

    /// Tells whether it is about two records.
    fn is_mutual(self) -> bool {
        self != RulingKind::Keep
    }

    /// The name of the field with the other record.
    fn other_field(self) -> &'static str {
        if self == RulingKind::Retire { "by" } else { "with" }
    }
}

/// Why something was retired is shown to people: longer texts are cut.
const WHY_CHARS_MAX: usize = 200;

#[derive(Deserialize)]
struct Raw {
    id: String,
    by: Option<String>,
    with: Option<String>,
    why: Option<String>,
    at: Option<String>,
}

impl Ruling {
    /// Reads the line of a ruling; `None` when it says nothing: a record cannot rule on itself, and a ruling on two records
    /// names two.
    pub(super) fn read(kind: RulingKind, line: &[u8]) -> Option<Self> {
        let raw: Raw = serde_json::from_slice(line).ok()?;
        let id = known_id(raw.id.into())?.into_owned();
        let other = raw
            .by
            .or(raw.with)
            .and_then(|other| Some(known_id(other.into())?.into_owned()));
        if kind.is_mutual() && other.as_ref().is_none_or(|other| *other == id) {
            return None;
        }
        Some(Ruling {
            kind,
            id,
            other: other.filter(|_| kind.is_mutual()),
            why: raw.why.unwrap_or_default().chars().take(WHY_CHARS_MAX).collect(),
            at_ms: raw.at.as_deref().and_then(parse_iso).unwrap_or(0),
        })
    }

    /// Returns the line, without its end. The same ruling has the same bytes on every machine.
    pub fn line(&self) -> String {
        let (action, id, at) = (self.kind.name(), Value::from(self.id.as_str()), format_iso(self.at_ms));
        let mut line = format!("{{\"_v\":1,\"_action\":\"{action}\",\"id\":{id}");
        if let Some(other) = &self.other {
            let field = self.kind.other_field();
            line += &format!(",\"{field}\":{}", Value::from(other.as_str()));
        }
        if !self.why.is_empty() {
            line += &format!(",\"why\":{}", Value::from(self.why.as_str()));
        }
        line + &format!(",\"at\":\"{at}\"}}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LineKind, read_line};
    use super::*;

    #[test]
    fn a_ruling_reads_back_as_it_was_written() {
        for kind in [
            RulingKind::Retire,
            RulingKind::Keep,
            RulingKind::Conflict,
            RulingKind::Hold,
        ] {
            let ruling = Ruling {
                kind,
                id: "mem_1".into(),
                other: kind.is_mutual().then(|| "mem_2".into()),
                why: "port".into(),
                at_ms: 1_790_000_000_000,
            };
            let line = ruling.line();
            assert_eq!(read_line(line.as_bytes()), LineKind::Ruling(ruling), "{line}");
        }
    }

    #[test]
    fn a_ruling_of_a_record_on_itself_says_nothing() {
        for line in [
            r#"{"_action":"retire","id":"a","by":"a"}"#,
            r#"{"_action":"retire","id":"a"}"#,
            r#"{"_action":"conflict","id":"a","with":7}"#,
            r#"{"_action":"keep"}"#,
        ] {
            assert_eq!(read_line(line.as_bytes()), LineKind::Other, "{line}");
        }
    }
}
