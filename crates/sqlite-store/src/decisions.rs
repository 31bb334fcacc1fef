//! What was decided about the thoughts of a project since a place in the store: rulings, and which thoughts were forgotten or superseded, as lines of
//! journals. Another clone of the project receives them into its log.

use rusqlite::{Connection, params};
use serde::Serialize;
use serde_json::{Value, json};

use super::EmbeddedStore;
use super::standings::ruling_of;
use forge_memory_core::error::Result;

/// How many of each kind are read at a time.
const PAGE: i64 = 2000;

/// Up to where the tables were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Upto {
    /// In the table of rulings.
    pub rulings: i64,
    /// In the table of what is gone.
    pub gone: i64,
}

/// What was decided since.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Decisions {
    /// The lines.
    pub lines: Vec<String>,
    /// Behind which the next call goes on: the same place when there is nothing more.
    #[serde(flatten)]
    pub upto: Upto,
}

impl EmbeddedStore {
    /// Reads what was decided about the thoughts of these projects behind a place.
    pub fn decisions(&self, projects: &[String], since: Upto) -> Result<Decisions> {
        let names = Value::from(projects.to_vec()).to_string();
        self.reading(|connection| {
            let mut found = Decisions {
                upto: since,
                ..Decisions::default()
            };
            add_rulings(connection, &names, &mut found)?;
            add_gone(connection, &names, &mut found)?;
            Ok(found)
        })
    }
}

fn add_rulings(connection: &Connection, names: &str, found: &mut Decisions) -> rusqlite::Result<()> {
    let sql = "SELECT n, id, kind, other, why, at_ms, line FROM rulings
               WHERE n > ?1 AND project IN (SELECT value FROM json_each(?2)) ORDER BY n LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![found.upto.rulings, names, PAGE])?;
    while let Some(row) = rows.next()? {
        found.upto.rulings = row.get("n")?;
        found.lines.extend(ruling_of(row)?.map(|ruling| ruling.line()));
    }
    Ok(())
}

/// Of what was forgotten only the id is left, so that it is told to every project: whoever receives it knows what is theirs.
fn add_gone(connection: &Connection, names: &str, found: &mut Decisions) -> rusqlite::Result<()> {
    let sql = "SELECT g.n, g.id, g.forgotten, t.id AS newer, t.project, t.type, t.captured_at FROM gone g
               LEFT JOIN thoughts t ON t.supersedes = g.id AND t.project IN (SELECT value FROM json_each(?2))
               WHERE g.n > ?1 ORDER BY g.n LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![found.upto.gone, names, PAGE])?;
    while let Some(row) = rows.next()? {
        found.upto.gone = row.get("n")?;
        let (id, newer): (String, Option<String>) = (row.get("id")?, row.get("newer")?);
        let line = match (row.get("forgotten")?, newer) {
            (true, _) => json!({"_v": 1, "_action": "delete", "id": id}),
            (false, Some(newer)) => {
                let (project, kind): (String, String) = (row.get("project")?, row.get("type")?);
                let at: String = row.get("captured_at")?;
                // Its text is in the store: the receiver needs to know only what it replaces.
                json!({"_v": 1, "id": newer, "content": "-", "project": project, "type": kind, "captured_at": at, "supersedes": id})
            }
            (false, None) => continue,
        };
        found.lines.push(line.to_string());
    }
    Ok(())
}
