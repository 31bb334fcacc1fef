//! A new record held against what is near it: what it retires, and what it is in conflict with.

use crate::clock::Millis;
use crate::error::Result;
use crate::index::contested::find_contested;
use crate::index::{Entry, JournalIndex};
use crate::journal::{JournalWriter, clean};
use crate::model::thought::{Fields, LineKind, Ruling, RulingKind, id_hash, read_line};
use crate::truth::{Newer, Rule};

/// A record that a capture contradicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradicted {
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// The rule by which the two were found to disagree.
    pub rule: &'static str,
    /// Whether it is retired; else the two are in conflict.
    pub is_retired: bool,
}

/// The rule of a record that names what it takes the place of.
pub(crate) const SUPERSEDES: &str = "supersedes";

/// Finds what a new record contradicts, within its project.
pub(crate) fn find_contradicted(
    held: &mut JournalWriter<'_>,
    journal_index: &mut JournalIndex,
    entry: &Entry,
    fields: &Fields<'_>,
    names: &[String],
    now: Millis,
) -> Result<Vec<Contradicted>> {
    let lines = loop {
        let lines = find_contested(journal_index, held.journal(), entry, now)?;
        let state = held.state();
        if !journal_index.heal(held.journal(), state)? {
            break lines;
        }
    };
    let newer = Newer::new(&entry.claims, &entry.statement);
    let mut found: Vec<Contradicted> = Vec::new();
    for line in &lines {
        let LineKind::Record(older) = read_line(clean(line)) else {
            continue;
        };
        let is_same_project = older.project == fields.project || names.iter().any(|name| *name == older.project);
        let is_replaced = fields.supersedes.as_ref() == Some(&older.id);
        if !is_same_project || is_replaced || found.iter().any(|known| known.id == older.id) {
            continue;
        }
        let Some(evidence) = newer.against(&older.text) else {
            continue;
        };
        // Whoever kept a record has decided: no rule retires it after that.
        let was_kept = journal_index.standings().kept_at(&id_hash(&older.id), None) != Millis::MIN;
        found.push(Contradicted {
            id: older.id.to_string(),
            text: older.text.to_string(),
            rule: evidence.rule.name(),
            is_retired: evidence.retires && !was_kept,
        });
    }
    Ok(found)
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
        why: older.rule.to_owned(),
        at_ms: now,
    };
    contradicted.iter().map(ruling).collect()
}

/// Says in words why two records were found to disagree, by the name of a rule.
pub fn reason_of(rule: &str) -> &'static str {
    match rule {
        SUPERSEDES => "the newer record supersedes it",
        super::resolve::WHY_RESOLVED => "a user or an agent decided that the other record is right",
        super::resolve::WHY_MERGED => "one text replaced both",
        _ => Rule::named(rule).map_or("", Rule::reason),
    }
}
