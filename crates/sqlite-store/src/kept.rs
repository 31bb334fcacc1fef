//! Thoughts as they were stored, by their ids or all of a project, with their rulings.

use rusqlite::{Connection, params};
use serde_json::Value;

use super::database::{COLUMNS, thought_of};
use super::standings::marks_of;
use super::standings::ruling_of;
use super::{EmbeddedStore, Kept, Wanted};
use forge_memory_core::error::Result;
use forge_memory_core::thought::Ruling;

/// The shortest piece of an id.
const PIECE_MIN: usize = 6;

impl EmbeddedStore {
    /// Reads thoughts, also those that no search finds, in the order in which they were stored.
    pub fn read(&self, wanted: &Wanted) -> Result<Vec<Kept>> {
        let which = if wanted.ids.is_empty() {
            "t.project IN (SELECT value FROM json_each(?2))".to_owned()
        } else {
            // A generated id begins with `mem_`, which its short forms leave out.
            format!(
                "(t.id IN (SELECT value FROM json_each(?1)) OR (t.project IN (SELECT value FROM json_each(?2)) AND EXISTS
                   (SELECT 1 FROM json_each(?1) w WHERE length(w.value) >= {PIECE_MIN} AND (substr(t.id, -length(w.value)) = w.value
                     OR substr(t.id, 1, length(w.value)) = w.value OR (substr(t.id, 1, 4) = 'mem_' AND substr(t.id, 5, length(w.value)) = w.value)))))"
            )
        };
        let sql = format!(
            "SELECT {COLUMNS}, t.seq, t.hidden FROM thoughts t WHERE t.seq > ?3 AND {which} ORDER BY t.seq LIMIT ?4"
        );
        let list = |texts: &[String]| Value::from(texts.to_vec()).to_string();
        self.reading(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let values = params![
                list(&wanted.ids),
                list(&wanted.projects),
                wanted.after,
                wanted.limit as i64
            ];
            let kept = statement.query_map(values, |row| {
                let thought = thought_of(row)?;
                let hidden: i64 = row.get("hidden")?;
                let (conflicts, verdicts) = marks_of(connection, &thought.id, &thought.project)?;
                Ok(Kept {
                    conflicts,
                    verdicts,
                    rulings: rulings_on(connection, &thought.id, &thought.project)?,
                    thought,
                    place: row.get("seq")?,
                    is_superseded: hidden == 1,
                    is_retired: hidden == 2,
                })
            })?;
            kept.collect()
        })
    }
}

fn rulings_on(connection: &Connection, id: &str, project: &str) -> rusqlite::Result<Vec<Ruling>> {
    let sql = "SELECT id, kind, other, why, at_ms, line FROM rulings WHERE id = ?1 AND project = ?2 ORDER BY at_ms, n";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id, project])?;
    let mut rulings = Vec::new();
    while let Some(row) = rows.next()? {
        rulings.extend(ruling_of(row)?);
    }
    Ok(rulings)
}
