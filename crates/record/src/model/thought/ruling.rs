//! Rulings: journal lines that decide whether a record is current. They are only appended, and their combined effect
//! does not depend on their order, because their timestamps decide between several about one record: machines with the
//! same lines get the same result (like a last-writer-wins register). docs/truth.md defines the rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::expiry::NEVER;
use super::known_id;
use crate::model::said::Said;
use forge_memory_journal::clock::{Millis, format_iso, parse_iso};

/// A ruling on a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The kind of the ruling.
    pub kind: RulingKind,
    /// The record.
    pub id: String,
    /// The other record: the one that retired it, if one did, or that it is held against. Of a review and of feedback: the session; of a
    /// request, whose own id is the first: the record that it is about. Of a place: a hash of it.
    pub other: Option<String>,
    /// The rule or the author that made it, or the place that it is about; may be empty.
    pub why: String,
    /// Since when; the epoch when that is not known.
    pub at_ms: Millis,
    /// Who made it.
    pub said: Said,
    /// What it does to the lifetime and the confidence of the record, if a person vouches for it.
    pub lift: Lift,
}

/// What a person adds to a record by vouching for it: the record has the longer lifetime and the higher confidence of both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lift {
    /// Until when it holds; [`NEVER`] when it does not expire.
    pub until_ms: Option<Millis>,
    /// The confidence, in hundredths.
    pub percent: Option<u8>,
}

impl Lift {
    /// Returns the confidence, 0 to 1.
    pub fn confidence(self) -> Option<f64> {
        self.percent.map(|percent| f64::from(percent) / 100.0)
    }

    /// Returns the higher of two, in both respects.
    pub(crate) fn or_higher(self, other: Self) -> Self {
        Lift {
            until_ms: self.until_ms.max(other.until_ms),
            percent: self.percent.max(other.percent),
        }
    }

    /// Returns the later of an expiry and its own.
    pub fn expiry(self, expires: Millis) -> Millis {
        self.until_ms.map_or(expires, |until| expires.max(until))
    }

    /// Returns the higher of a confidence and its own.
    pub fn at_least(self, confidence: f64) -> f64 {
        self.confidence().map_or(confidence, |own| own.max(confidence))
    }
}

/// The kinds of [`Ruling`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RulingKind {
    /// The record is no longer current, because another one replaces it.
    Retire,
    /// The record is current, whatever retired it before.
    Keep,
    /// Two records contradict each other, and it is undecided which one is current.
    Conflict,
    /// Two records are compatible, so they are not in conflict.
    Hold,
    /// The record waits for a review, or for a second source that says the same.
    Propose,
    /// The record counts, whatever proposed or rejected it before.
    Accept,
    /// The record is excluded, and the same text is not captured again.
    Reject,
    /// The record has helped a session.
    Useful,
    /// A session has found the record wrong.
    Wrong,
    /// A session takes back that the record has helped it.
    Withdraw,
    /// The record does not belong to a file or a command.
    Elsewhere,
    /// It does, after all.
    Here,
    /// Somebody who may not change the record asks a person to.
    Request,
}

/// All kinds.
pub const RULING_KINDS: [RulingKind; 13] = [
    RulingKind::Retire,
    RulingKind::Keep,
    RulingKind::Conflict,
    RulingKind::Hold,
    RulingKind::Propose,
    RulingKind::Accept,
    RulingKind::Reject,
    RulingKind::Useful,
    RulingKind::Wrong,
    RulingKind::Withdraw,
    RulingKind::Elsewhere,
    RulingKind::Here,
    RulingKind::Request,
];

impl RulingKind {
    /// Returns the name of the action in its line.
    pub fn name(self) -> &'static str {
        match self {
            RulingKind::Retire => "retire",
            RulingKind::Keep => "keep",
            RulingKind::Conflict => "conflict",
            RulingKind::Hold => "hold",
            RulingKind::Propose => "propose",
            RulingKind::Accept => "accept",
            RulingKind::Reject => "reject",
            RulingKind::Useful => "useful",
            RulingKind::Wrong => "wrong",
            RulingKind::Withdraw => "withdraw",
            RulingKind::Elsewhere => "elsewhere",
            RulingKind::Here => "here",
            RulingKind::Request => "request",
        }
    }

    /// Returns the kind of an action by its name.
    pub fn of(action: &str) -> Option<Self> {
        RULING_KINDS.into_iter().find(|kind| kind.name() == action)
    }

    /// True if it is about two records.
    pub fn is_mutual(self) -> bool {
        matches!(self, RulingKind::Retire | RulingKind::Conflict | RulingKind::Hold)
    }

    /// True if it is feedback on a record, or takes it back.
    pub fn is_feedback(self) -> bool {
        matches!(self, RulingKind::Useful | RulingKind::Wrong | RulingKind::Withdraw) || self.is_of_place()
    }

    /// True if it restarts the lifetime of a record, as a confirmation does: the record was told, and of use.
    pub fn renews(self) -> bool {
        self == RulingKind::Useful
    }

    /// True if it says where a record is told.
    pub fn is_of_place(self) -> bool {
        matches!(self, RulingKind::Elsewhere | RulingKind::Here)
    }

    /// True if the shared store is told: proposals and requests are of the machine on which a person reviews them, and places of the
    /// project's files.
    pub fn is_shared(self) -> bool {
        !matches!(self, RulingKind::Propose | RulingKind::Request) && !self.is_of_place()
    }

    /// True if it decides about a proposal, or makes one.
    pub(crate) fn is_review(self) -> bool {
        matches!(self, RulingKind::Propose | RulingKind::Accept | RulingKind::Reject)
    }

    /// The name of the field with the other record.
    fn other_field(self) -> &'static str {
        match self {
            RulingKind::Conflict | RulingKind::Hold => "with",
            RulingKind::Request => "of",
            _ => "by",
        }
    }
}

/// Why something was retired is shown to people: longer texts are cut.
const WHY_CHARS_MAX: usize = 200;

#[derive(Deserialize)]
struct Raw {
    id: String,
    by: Option<String>,
    with: Option<String>,
    of: Option<String>,
    why: Option<String>,
    at: Option<String>,
    #[serde(default)]
    said: Value,
    #[serde(default, rename = "expiresAt")]
    expires_at: Value,
    #[serde(default)]
    confidence: Value,
}

/// The expiry of a line that says that a record never expires.
const UNLIMITED: &str = "never";

impl Raw {
    fn lift(&self) -> Lift {
        let until = self.expires_at.as_str().and_then(|at| match at {
            UNLIMITED => Some(NEVER),
            at => parse_iso(at),
        });
        let confidence = self.confidence.as_f64().filter(|sure| (0.0..=1.0).contains(sure));
        Lift {
            until_ms: until,
            percent: confidence.map(|sure| (sure * 100.0).round() as u8),
        }
    }
}

impl Ruling {
    /// Parses the line of a ruling. `None` when it is invalid: a record cannot rule on itself, and a ruling on two
    /// records must name both; only a record that nothing replaces may be retired by none.
    pub(super) fn read(kind: RulingKind, line: &[u8]) -> Option<Self> {
        let raw: Raw = serde_json::from_slice(line).ok()?;
        let (said, lift) = (raw.said.as_str().map(Said::read).unwrap_or_default(), raw.lift());
        let id = known_id(raw.id.into())?.into_owned();
        let other = raw
            .by
            .or(raw.with)
            .or(raw.of)
            .and_then(|other| Some(known_id(other.into())?.into_owned()));
        let is_alone = other.is_none() && kind != RulingKind::Retire;
        if kind.is_mutual() && (is_alone || other.as_ref() == Some(&id)) {
            return None;
        }
        if (kind.is_feedback() || kind == RulingKind::Request) && other.is_none() {
            return None;
        }
        Some(Ruling {
            kind,
            id,
            other: other.filter(|_| kind != RulingKind::Keep),
            why: raw.why.unwrap_or_default().chars().take(WHY_CHARS_MAX).collect(),
            at_ms: raw.at.as_deref().and_then(parse_iso).unwrap_or(0),
            said,
            lift,
        })
    }

    /// Returns the same ruling about another record.
    pub fn about(&self, id: &str) -> Self {
        Ruling {
            id: id.to_owned(),
            ..self.clone()
        }
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
        line += &format!(",\"at\":\"{at}\"");
        if let Some(said) = self.said.field() {
            line += &format!(",\"said\":\"{said}\"");
        }
        match self.lift.until_ms {
            Some(NEVER) => line += &format!(",\"expiresAt\":\"{UNLIMITED}\""),
            Some(until) => line += &format!(",\"expiresAt\":\"{}\"", format_iso(until)),
            None => {}
        }
        if let Some(confidence) = self.lift.confidence() {
            line += &format!(",\"confidence\":{confidence}");
        }
        line + "}"
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LineKind, read_line};
    use super::*;

    #[test]
    fn a_ruling_survives_a_round_trip() {
        for kind in RULING_KINDS {
            let ruling = Ruling {
                kind,
                id: "mem_1".into(),
                other: (kind != RulingKind::Keep).then(|| "mem_2".into()),
                why: "port".into(),
                at_ms: 1_790_000_000_000,
                said: Said::read("person/cli/0123abcd"),
                lift: Lift {
                    until_ms: Some(if kind == RulingKind::Keep {
                        NEVER
                    } else {
                        1_800_000_000_000
                    }),
                    percent: Some(80),
                },
            };
            let line = ruling.line();
            assert_eq!(read_line(line.as_bytes()), LineKind::Ruling(ruling), "{line}");
        }
    }

    #[test]
    fn a_line_of_an_older_version_has_no_speaker_and_one_of_the_wrong_type_is_none() {
        for said in [
            "",
            r#","said":7,"confidence":"x","expiresAt":9"#,
            r#","said":"root","confidence":7"#,
        ] {
            let line = format!(r#"{{"_action":"keep","id":"a"{said}}}"#);
            let LineKind::Ruling(ruling) = read_line(line.as_bytes()) else {
                panic!("{line}")
            };
            assert_eq!((ruling.said, ruling.lift), Default::default(), "{line}");
        }
    }

    #[test]
    fn a_record_may_be_retired_by_nothing() {
        let ruling = Ruling {
            kind: RulingKind::Retire,
            id: "mem_1".into(),
            other: None,
            why: "replaced".into(),
            at_ms: 1_790_000_000_000,
            said: Said::default(),
            lift: Lift::default(),
        };
        let line = ruling.line();
        assert_eq!(read_line(line.as_bytes()), LineKind::Ruling(ruling), "{line}");
    }

    #[test]
    fn a_ruling_of_a_record_on_itself_is_ignored() {
        for line in [
            r#"{"_action":"retire","id":"a","by":"a"}"#,
            r#"{"_action":"conflict","id":"a"}"#,
            r#"{"_action":"conflict","id":"a","with":7}"#,
            r#"{"_action":"keep"}"#,
        ] {
            assert_eq!(read_line(line.as_bytes()), LineKind::Other, "{line}");
        }
    }
}
