//! Compares a new record with the current ones: those that it retires, and those with which it is in conflict because it may not retire them.

use crate::clock::Millis;
use crate::error::Result;
use crate::index::contested::find_contested;
use crate::index::{Entry, JournalIndex, Place};
use crate::journal::{JournalWriter, clean};
use crate::judgement::decide::Judge;
use crate::judgement::reason::{Contradicted, Reason, SUPERSEDES};
use crate::model::thought::{Fields, LineKind, id_hash, read_line};
use crate::text::Statement;
use crate::truth::{Claims, rule_between};

/// The maximum number of conflicts of a retired record that are looked at.
const INHERITED_MAX: usize = 8;

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
        let may_retire = Judge::of(journal_index.standings(), now).may_retire(fields, &older);
        found.push(held_against(&older, Reason::of(rule.name()), may_retire));
    }
    let superseded = fields
        .supersedes
        .as_ref()
        .map(|id| (id_hash(id), Reason::of(SUPERSEDES)));
    let retired = found.iter().filter(|found| found.is_retired);
    let retired = retired.map(|found| (id_hash(&found.id), found.why.clone()));
    let replaced: Vec<_> = superseded.into_iter().chain(retired).collect();
    for (key, why) in replaced {
        inherit(held, journal_index, (key, &why), &mut found, now)?;
    }
    Ok(found)
}

fn held_against(older: &Fields<'_>, why: Reason, is_retired: bool) -> Contradicted {
    Contradicted {
        id: older.id.to_string(),
        text: older.text.to_string(),
        why,
        is_retired,
    }
}

/// Adds the older records that were in conflict with a record that is now replaced: the conflict goes on with the new one.
fn inherit(
    held: &mut JournalWriter<'_>,
    journal_index: &JournalIndex,
    (key, why): (u64, &Reason),
    found: &mut Vec<Contradicted>,
    now: Millis,
) -> Result<()> {
    let (standings, parts) = (journal_index.standings(), journal_index.parts());
    let Some(between) = journal_index.find_id(key) else {
        return Ok(());
    };
    for act in standings.conflicts_of(&key).into_iter().take(INHERITED_MAX) {
        let place = act.other.and_then(|other| journal_index.find_id(other));
        let is_older = |place: &Place| (place.part, place.doc) <= (between.part, between.doc);
        let place = place.filter(|place| journal_index.is_live(*place, now) && is_older(place));
        let Some(span) = place.and_then(|place| Some(parts.get(place.part)?.span(place.doc))) else {
            continue;
        };
        let line = held.journal().read(span)?;
        if let LineKind::Record(older) = read_line(clean(&line))
            && found.iter().all(|known| known.id != older.id)
            && !Judge::of(standings, now).was_kept(&older.id)
        {
            found.push(held_against(&older, why.clone(), false));
        }
    }
    Ok(())
}
