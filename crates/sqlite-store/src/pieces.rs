//! The vectors of the pieces of long texts: an embedding model reads the beginning of a text only. The vector of the text stands for its first
//! piece, and a text is as near as the nearest of its pieces, as in the files of a project. They are missing until they are computed, also of
//! texts that an earlier release stored.

use rusqlite::params;

use super::database::model_of;
use super::vectors::{blob_of, unit_of};
use super::write::Refusal;
use super::{EmbeddedStore, PendingText};
use forge_memory_core::clock::Millis;
use forge_memory_core::error::{Error, Result};

/// A text with no more bytes is one piece: each byte is at most one of the [tokens](forge_memory_core::text::passages) of a piece.
pub const LONG_FROM: usize = 240;

impl EmbeddedStore {
    /// Stores the vectors of the pieces behind the first one, all of a text; none of a text that has one piece. Of a text without a vector of the
    /// model, or with pieces, nothing changes. Returns how many texts got theirs.
    ///
    /// # Errors
    /// As [`EmbeddedStore::put`].
    pub fn put_pieces(&mut self, model: &str, texts: &[(String, Vec<Vec<f32>>)]) -> Result<u64> {
        self.writing(|writer| {
            let wrong = |reason: String| Refusal::Input(Error::invalid("vector", reason));
            let Some((model, dimensions)) = model_of(writer.transaction, model)? else {
                return Ok(0);
            };
            let mut taken = 0;
            for (id, vectors) in texts {
                let sql = "SELECT t.seq FROM thoughts t JOIN vectors v ON v.model = ?2 AND v.seq = t.seq
                     WHERE t.id = ?1 AND t.hidden = 0
                       AND NOT EXISTS (SELECT 1 FROM pieces p WHERE p.model = ?2 AND p.seq = t.seq)";
                let mut statement = writer.transaction.prepare_cached(sql)?;
                let mut rows = statement.query(params![id, model])?;
                let Some(row) = rows.next()? else { continue };
                let seq: i64 = row.get(0)?;
                let mut blobs = Vec::with_capacity(vectors.len());
                for vector in vectors {
                    let unit = unit_of(vector).filter(|unit| unit.len() == dimensions);
                    let unit =
                        unit.ok_or_else(|| wrong(format!("expected {dimensions} finite numbers, not all zero")))?;
                    blobs.push(blob_of(&unit));
                }
                let first = i64::from(!blobs.is_empty());
                if blobs.is_empty() {
                    blobs.push(Vec::new());
                }
                for (piece, blob) in (first..).zip(&blobs) {
                    let sql = "INSERT INTO pieces (model, seq, piece, vector) VALUES (?1, ?2, ?3, ?4)";
                    writer.execute(sql, params![model, seq, piece, blob])?;
                }
                taken += 1;
            }
            Ok(taken)
        })
    }

    /// Returns ids and texts of thoughts that have a vector of a model and may have pieces, which are not computed yet, newest first.
    pub fn without_pieces(&self, model: &str, limit: usize, now: Millis) -> Result<Vec<PendingText>> {
        // The number of bytes is known without reading them.
        let sql = "SELECT t.id, t.content FROM thoughts t JOIN vectors v ON v.model = ?1 AND v.seq = t.seq
                   WHERE t.hidden = 0 AND (t.expires_ms IS NULL OR t.expires_ms > ?2) AND octet_length(t.content) > ?4
                     AND NOT EXISTS (SELECT 1 FROM pieces p WHERE p.model = ?1 AND p.seq = t.seq)
                   ORDER BY t.seq DESC LIMIT ?3";
        self.reading(|connection| {
            let Some((model, _)) = model_of(connection, model)? else {
                return Ok(Vec::new());
            };
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![model, now, limit as i64, LONG_FROM as i64], |row| {
                Ok(PendingText {
                    id: row.get(0)?,
                    content: row.get(1)?,
                })
            })?;
            rows.collect()
        })
    }
}
