//! Why a record is held against another one: the name of a rule, as journals have it, and the sentence that people read.

use forge_memory_text::truth::reason_of_rule;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// A record that a capture contradicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Contradicted {
    /// Its id.
    pub id: String,
    /// Its text; empty when the capture only names it.
    pub text: String,
    /// The rule by which the two were found to disagree.
    #[serde(flatten)]
    pub why: Reason,
    /// Whether it is retired; else the two are in conflict.
    #[serde(skip)]
    pub is_retired: bool,
}

impl Contradicted {
    /// Returns a record of which only the id is known, and that another one names as replaced.
    pub fn superseded(id: String) -> Self {
        Contradicted {
            id,
            text: String::new(),
            why: Reason::of(SUPERSEDES),
            is_retired: true,
        }
    }
}

/// Why a record is held against another one: the rule that found it, or a reason that somebody gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(into = "ToldReason")]
pub struct Reason(pub Cow<'static, str>);

impl Reason {
    /// Returns the reason that a rule gives.
    pub fn of(rule: &'static str) -> Self {
        Reason(Cow::Borrowed(rule))
    }

    /// True if a record retired the other one by itself: a rule found it, or it names the other.
    pub fn is_of_record(&self) -> bool {
        let is_decision = matches!(self.0.as_ref(), WHY_RESOLVED | WHY_MERGED | WHY_REPLACED | WHY_REOPENED);
        !is_decision && !reason_of(&self.0).is_empty()
    }

    /// Returns the rule as a sentence; a reason that somebody gave is one already.
    pub fn sentence(&self) -> &str {
        match reason_of(&self.0) {
            "" => &self.0,
            sentence => sentence,
        }
    }
}

impl From<String> for Reason {
    fn from(rule: String) -> Self {
        Reason(Cow::Owned(rule))
    }
}

/// A reason as answers have it.
#[derive(Serialize, JsonSchema)]
struct ToldReason {
    /// The rule that found the contradiction; of a retirement also `supersedes`, `resolved`, `merged` or `replaced`, or the reason that was
    /// given.
    rule: String,
    /// The rule as a sentence.
    why: String,
}

impl From<Reason> for ToldReason {
    fn from(reason: Reason) -> Self {
        ToldReason {
            why: reason.sentence().to_owned(),
            rule: reason.0.into_owned(),
        }
    }
}

/// The rule of a record that names the one whose place it takes.
pub const SUPERSEDES: &str = "supersedes";

/// The reason of a retirement of a record that a newer one repeats.
const RESTATED: &str = "restated";

/// The reason of a retirement by a person's decision.
pub(crate) const WHY_RESOLVED: &str = "resolved";
pub const WHY_MERGED: &str = "merged";

/// The reason of a retirement of a record that a person or an agent named as out of date, when they gave none.
pub const WHY_REPLACED: &str = "replaced";

/// The reason of a conflict that a person has decided before, and has taken the decision back.
pub(crate) const WHY_REOPENED: &str = "reopened";

/// The reason of a keep of a revision that brings a forgotten record back.
pub const WHY_RESTORED: &str = "restored";

/// The reason of a conflict between two revisions of one record that were made on two branches.
pub const WHY_EDITED: &str = "edited";

/// The reason of an acceptance without a decision: an author who needs no review captured the same.
pub(crate) const WHY_CAPTURED: &str = "captured";

/// Says in words why two records were found to disagree, by the name of a rule.
fn reason_of(rule: &str) -> &'static str {
    match rule {
        SUPERSEDES => "the newer record supersedes it",
        WHY_RESOLVED => "a user or an agent decided that the other record is right",
        RESTATED => "the newer record says the same again",
        WHY_MERGED => "one text replaced both",
        WHY_REOPENED => "a decision about the two was taken back",
        WHY_EDITED => "the same record was changed on two branches",
        WHY_REPLACED => "a user or an agent said that it is out of date",
        _ => reason_of_rule(rule).unwrap_or_default(),
    }
}
