//! The standing of thoughts that their rulings make, by the rules of the engine.

use rusqlite::{Connection, Row};

use forge_memory_core::SharedStandings;
use forge_memory_core::review::Verdicts;
use forge_memory_core::said::Said;
use forge_memory_core::thought::{Lift, LineKind, Ruling, RulingKind, read_line};

/// How many thoughts that retired each other one after the other are looked at.
const CHAIN_MAX: usize = 1000;

/// Returns a thought and all that retired it, or each other, one after the other.
pub(super) fn chain_of(connection: &Connection, id: &str, project: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT other FROM rulings WHERE id = ?1 AND project = ?2 AND kind = 'retire' AND other <> ''",
    )?;
    let mut chain = vec![id.to_owned()];
    let mut at = 0;
    while let Some(one) = chain.get(at).cloned().filter(|_| at < CHAIN_MAX) {
        at += 1;
        for by in statement.query_map([one.as_str(), project], |row| row.get::<_, String>(0))? {
            let by = by?;
            if !chain.contains(&by) {
                chain.push(by);
            }
        }
    }
    Ok(chain)
}

/// Combines the rulings on a thought, and on those that retired it; `None` when there are none.
pub(super) fn standings_around(
    connection: &Connection,
    id: &str,
    project: &str,
) -> rusqlite::Result<Option<SharedStandings>> {
    let sql = "SELECT id, kind, other, why, at_ms, line FROM rulings WHERE id = ?1 AND project = ?2
               UNION ALL SELECT id, kind, other, why, at_ms, line FROM rulings
                 WHERE other = ?1 AND project = ?2 AND kind IN ('conflict', 'hold')";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rulings = Vec::new();
    for one in chain_of(connection, id, project)? {
        let mut rows = statement.query([one.as_str(), project])?;
        while let Some(row) = rows.next()? {
            rulings.extend(ruling_of(row)?);
        }
    }
    Ok((!rulings.is_empty()).then(|| SharedStandings::of(rulings)))
}

/// Returns the thoughts that contradict one and count themselves, and the verdicts of sessions on it.
pub(super) fn marks_of(connection: &Connection, id: &str, project: &str) -> rusqlite::Result<(Vec<String>, Verdicts)> {
    let Some(standings) = standings_around(connection, id, project)? else {
        return Ok(Default::default());
    };
    let mut counts = connection.prepare_cached("SELECT 1 FROM thoughts WHERE id = ?1 AND hidden = 0")?;
    let mut conflicts = Vec::new();
    for other in standings.conflicts_of(id) {
        if counts.exists([&other])? {
            conflicts.push(other);
        }
    }
    Ok((conflicts, standings.verdicts_on(id)))
}

/// Returns a ruling as it was said; one of an older version has no speaker.
pub(super) fn ruling_of(row: &Row<'_>) -> rusqlite::Result<Option<Ruling>> {
    let (line, kind): (String, String) = (row.get("line")?, row.get("kind")?);
    if let LineKind::Ruling(ruling) = read_line(line.as_bytes()) {
        return Ok(Some(ruling));
    }
    let other: String = row.get("other")?;
    let Some(kind) = RulingKind::of(&kind) else {
        return Ok(None);
    };
    Ok(Some(Ruling {
        kind,
        id: row.get("id")?,
        other: Some(other).filter(|other| !other.is_empty()),
        why: row.get("why")?,
        at_ms: row.get("at_ms")?,
        said: Said::default(),
        lift: Lift::default(),
    }))
}
