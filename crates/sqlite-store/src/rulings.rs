//! Rulings on thoughts: rows that are only added. Whether a thought counts is computed of all of them by the rules of the engine, so that the
//! order in which they arrive does not matter, nor whether the thought is there already.

use rusqlite::{OptionalExtension, params};

use super::standings::{chain_of, standings_around};
use super::text::{index_terms, scope_terms};
use super::write::{Outcome, Writer, check_id};
use super::{EmbeddedStore, StoredRuling};
use forge_memory_core::error::Result;
use forge_memory_core::text::Terms;
use forge_memory_core::thought::{LineKind, Ruling, read_line};
use serde_json::{Map, Value};

/// Adds the other fields of its line to a ruling, such as who said it, as JSON; what is no field of one is left out.
#[must_use]
pub fn with_more(ruling: Ruling, more: &str) -> Ruling {
    let Ok(Value::Object(fields)) = serde_json::from_str(&ruling.line()) else {
        return ruling;
    };
    let mut line: Map<String, Value> = serde_json::from_str(more).unwrap_or_default();
    line.extend(fields);
    match read_line(Value::Object(line).to_string().as_bytes()) {
        LineKind::Ruling(read) => read,
        _ => ruling,
    }
}

impl EmbeddedStore {
    /// Notes rulings, all or none. One that is known changes nothing, nor one on a thought that is forgotten or of another project.
    pub fn rule(&mut self, rulings: &[StoredRuling]) -> Result<()> {
        for given in rulings {
            check_id(&given.ruling.id)?;
        }
        self.writing(|writer| rulings.iter().try_for_each(|given| writer.rule(given)))
    }
}

impl Writer<'_> {
    fn rule(&self, StoredRuling { ruling, projects }: &StoredRuling) -> Outcome<()> {
        if self.gone(&ruling.id)? == Some(true) {
            return Ok(());
        }
        let of = self.project_of(&ruling.id)?.filter(|of| projects.contains(of));
        let project = of.or_else(|| projects.first().cloned()).unwrap_or_default();
        let other = ruling.other.as_deref().unwrap_or_default();
        let sql = "INSERT INTO rulings (id, kind, other, why, at_ms, project, line) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                   ON CONFLICT DO NOTHING";
        let (kind, at, line) = (ruling.kind.name(), ruling.at_ms, ruling.line());
        let values = params![ruling.id, kind, other, ruling.why, at, project, line];
        if self.execute(sql, values)? > 0 {
            for id in chain_of(self.transaction, &ruling.id, &project)? {
                self.judge(&id)?;
            }
        }
        Ok(())
    }

    /// Hides a thought that does not count, and shows it again when it does.
    pub(super) fn judge(&self, id: &str) -> Outcome<()> {
        let sql = "SELECT seq, hidden, content, tags, project, type FROM thoughts WHERE id = ?1 AND hidden IN (0, 2)";
        type Found = (i64, i64, String, String, String, String);
        let read = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
            ))
        };
        let found: Option<Found> = self.transaction.prepare_cached(sql)?.query_row([id], read).optional()?;
        let Some((seq, hidden, content, tags, project, kind)) = found else {
            return Ok(());
        };
        let is_hidden = standings_around(self.transaction, id, &project)?.is_some_and(|all| all.is_hidden(id));
        if is_hidden == (hidden == 2) {
            return Ok(());
        }
        self.execute(
            "UPDATE thoughts SET hidden = ?2 WHERE seq = ?1",
            params![seq, if is_hidden { 2 } else { 0 }],
        )?;
        if is_hidden {
            return self.remove_from_indexes(seq);
        }
        // Its vector is computed with those that are missing.
        let tags: Vec<String> = serde_json::from_str(&tags).unwrap_or_default();
        let (words, parts) = index_terms(&mut Terms::default(), &content, &tags);
        self.index(seq, &words, &parts, &scope_terms(&project, &kind))
    }
}
