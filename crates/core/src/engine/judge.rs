//! Compares a new record with the current ones: it retires some, and is in conflict with those that it may not retire.

use crate::clock::Millis;
use crate::error::Result;
use crate::index::contested::find_contested;
use crate::index::{Entry, JournalIndex};
use crate::journal::{JournalWriter, clean};
use crate::judgement::decide::{Judge, WHY_REOPENED};
use crate::model::thought::{Fields, LineKind, Ruling, RulingKind, id_hash, read_line};
use crate::text::Statement;
use crate::truth::{Claims, reason_of_rule, rule_between};
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

/// Why a record is held against another one: the rule that found it, or a reason that somebody gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(into = "ToldReason")]
pub struct Reason(pub Cow<'static, str>);

impl Reason {
    /// Returns the reason that a rule gives.
    pub fn of(rule: &'static str) -> Self {
        Reason(Cow::Borrowed(rule))
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
pub(crate) const SUPERSEDES: &str = "supersedes";

/// The rule of older versions by which a record was retired that a newer one repeats.
const RESTATED: &str = "restated";

/// The maximum number of conflicts of a retired record that are looked at.
const INHERITED_MAX: usize = 8;

/// The reason of a retirement by a person's decision.
pub(crate) const WHY_RESOLVED: &str = "resolved";
pub(crate) const WHY_MERGED: &str = "merged";

/// The reason of a retirement of a record that a person or an agent named as out of date, when they gave none.
pub(crate) const WHY_REPLACED: &str = "replaced";

/// Finds the records that a new one contradicts, within its project.
pub(crate) fn find_contradicted(
    held: &mut JournalWriter<'_>,
    journal_index: &mut JournalIndex,
    entry: &Entry,
    fields: &Fields<'_>,
    names: &[String],
    now: Millis,
) -> Result<Vec<Contradicted>> {
    let contested = loop {
        if entry.claims.change.is_some() {
            journal_index.analyse();
        }
        let contested = find_contested(journal_index, held.journal(), entry, &fields.text, now)?;
        let state = held.state();
        if !journal_index.heal(held.journal(), state)? {
            break contested;
        }
    };
    let mut found: Vec<Contradicted> = Vec::new();
    let mut statement = Statement::default();
    for line in &contested {
        let LineKind::Record(older) = read_line(clean(line)) else {
            continue;
        };
        let is_same_project = older.project == fields.project || names.iter().any(|name| *name == older.project);
        let is_replaced = fields.supersedes.as_ref() == Some(&older.id);
        if !is_same_project || is_replaced || found.iter().any(|known| known.id == older.id) {
            continue;
        }
        statement.take(&older.text);
        let claims = Claims::of(&statement);
        let Some(rule) = rule_between(&entry.claims, &claims, &entry.statement, &statement) else {
            continue;
        };
        found.push(Contradicted {
            id: older.id.to_string(),
            text: older.text.to_string(),
            why: Reason::of(rule.name()),
            is_retired: Judge::of(journal_index.standings(), now).may_retire(fields, &older),
        });
    }
    let mut replaced: Vec<(u64, Reason)> = Vec::new();
    replaced.extend(
        fields
            .supersedes
            .as_ref()
            .map(|id| (id_hash(id), Reason::of(SUPERSEDES))),
    );
    let retired = found.iter().filter(|found| found.is_retired);
    replaced.extend(retired.map(|found| (id_hash(&found.id), found.why.clone())));
    let inherited = find_inherited(held, journal_index, &found, &replaced, now)?;
    found.extend(inherited);
    Ok(found)
}

/// Finds the older records that were in conflict with a record that is now replaced: the conflict goes on with the new one.
fn find_inherited(
    held: &mut JournalWriter<'_>,
    journal_index: &JournalIndex,
    found: &[Contradicted],
    replaced: &[(u64, Reason)],
    now: Millis,
) -> Result<Vec<Contradicted>> {
    let standings = journal_index.standings();
    let mut inherited: Vec<Contradicted> = Vec::new();
    for (key, rule) in replaced {
        let Some(between) = journal_index.find_id(*key) else {
            continue;
        };
        for act in standings.conflicts_of(key).into_iter().take(INHERITED_MAX) {
            let Some(place) = act.other.and_then(|other| journal_index.find_id(other)) else {
                continue;
            };
            if !journal_index.is_live(place, now) || (place.part, place.doc) > (between.part, between.doc) {
                continue;
            }
            let Some(span) = journal_index.parts().get(place.part).map(|part| part.span(place.doc)) else {
                continue;
            };
            let line = held.journal().read(span)?;
            let LineKind::Record(older) = read_line(clean(&line)) else {
                continue;
            };
            let is_known = found.iter().chain(&inherited).any(|known| known.id == older.id);
            if !is_known && !Judge::of(standings, now).was_kept(&older.id) {
                inherited.push(Contradicted {
                    id: older.id.to_string(),
                    text: older.text.to_string(),
                    why: rule.clone(),
                    is_retired: false,
                });
            }
        }
    }
    Ok(inherited)
}

/// Returns the lines that say so.
pub(crate) fn rulings_on(contradicted: &[Contradicted], by: &str, now: Millis) -> Vec<Ruling> {
    let ruling = |older: &Contradicted| Ruling {
        kind: if older.is_retired {
            RulingKind::Retire
        } else {
            RulingKind::Conflict
        },
        id: older.id.clone(),
        other: Some(by.to_owned()),
        why: older.why.0.clone().into_owned(),
        at_ms: now,
    };
    contradicted.iter().map(ruling).collect()
}

/// Says in words why two records were found to disagree, by the name of a rule.
fn reason_of(rule: &str) -> &'static str {
    match rule {
        SUPERSEDES => "the newer record supersedes it",
        WHY_RESOLVED => "a user or an agent decided that the other record is right",
        RESTATED => "the newer record says the same again",
        WHY_MERGED => "one text replaced both",
        WHY_REOPENED => "a decision about the two was taken back",
        WHY_REPLACED => "a user or an agent said that it is out of date",
        _ => reason_of_rule(rule).unwrap_or_default(),
    }
}
