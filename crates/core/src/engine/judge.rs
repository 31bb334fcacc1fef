//! A new record held against what is near it: what it retires, and what it is in conflict with.

use crate::clock::Millis;
use crate::error::Result;
use crate::index::contested::find_contested;
use crate::index::{Entry, JournalIndex};
use crate::journal::{JournalWriter, clean};
use crate::model::thought::{Fields, LineKind, Ruling, RulingKind, id_hash, read_line};
use crate::truth::{Claims, Newer, Rule};

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

/// The rule of a record that another one contradicted, and that the new one repeats.
const RESTATED: &str = "restated";

/// The maximum number of conflicts of a retired record that are looked at.
const INHERITED_MAX: usize = 8;

/// The reason of a retirement by a person's decision.
pub(crate) const WHY_RESOLVED: &str = "resolved";
pub(crate) const WHY_MERGED: &str = "merged";

/// Finds what a new record contradicts, within its project.
pub(crate) fn find_contradicted(
    held: &mut JournalWriter<'_>,
    journal_index: &mut JournalIndex,
    entry: &Entry,
    fields: &Fields<'_>,
    names: &[String],
    now: Millis,
) -> Result<Vec<Contradicted>> {
    let contested = loop {
        let contested = find_contested(journal_index, held.journal(), entry, now)?;
        let state = held.state();
        if !journal_index.heal(held.journal(), state)? {
            break contested;
        }
    };
    let newer = Newer::new(&entry.claims, &entry.statement).among(contested.frequency);
    let mut found: Vec<Contradicted> = Vec::new();
    for line in &contested.lines {
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
    let mut replaced: Vec<(u64, &'static str)> = Vec::new();
    replaced.extend(fields.supersedes.as_ref().map(|id| (id_hash(id), SUPERSEDES)));
    let retired = found.iter().filter(|found| found.is_retired);
    replaced.extend(retired.map(|found| (id_hash(&found.id), found.rule)));
    let inherited = find_inherited(held, journal_index, entry, &found, &replaced, now)?;
    found.extend(inherited);
    Ok(found)
}

/// Finds the older records that were in conflict with a record that is now replaced: otherwise, nothing would say that they are out of date.
/// One that the new record repeats is retired, because the new one says all of it; the others are in conflict with the new one.
fn find_inherited(
    held: &mut JournalWriter<'_>,
    journal_index: &JournalIndex,
    entry: &Entry,
    found: &[Contradicted],
    replaced: &[(u64, &'static str)],
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
            let was_kept = standings.kept_at(&id_hash(&older.id), None) != Millis::MIN;
            if is_known || was_kept {
                continue;
            }
            let is_repeated = entry.claims.repeat(&Claims::of(&older.text));
            inherited.push(Contradicted {
                id: older.id.to_string(),
                text: older.text.to_string(),
                rule: if is_repeated { RESTATED } else { rule },
                is_retired: is_repeated,
            });
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
        why: older.rule.to_owned(),
        at_ms: now,
    };
    contradicted.iter().map(ruling).collect()
}

/// Says in words why two records were found to disagree, by the name of a rule.
pub fn reason_of(rule: &str) -> &'static str {
    match rule {
        SUPERSEDES => "the newer record supersedes it",
        WHY_RESOLVED => "a user or an agent decided that the other record is right",
        RESTATED => "the newer record says the same again",
        WHY_MERGED => "one text replaced both",
        _ => Rule::named(rule).map_or("", Rule::reason),
    }
}
