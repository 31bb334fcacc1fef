//! Searching: by words, by meaning, and both fused by reciprocal rank (Cormack, Clarke & Büttcher, SIGIR 2009).

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use super::database::{COLUMNS, model_of, store_error, thought_of};
use super::text::match_expression;
use super::vectors::{VectorArray, unit_of};
use super::{EmbeddedStore, Meaning, StoreAnswer, StoreFilter, StoreHit};
use forge_memory_core::error::{Error, Result};

/// How much the first places of a ranking count more than the later ones.
const FUSION_K: f64 = 60.0;
/// How deep each ranking is looked at, at least and as a multiple of what is asked for.
const DEPTH_MIN: usize = 50;
const DEPTH_FACTOR: usize = 5;

/// What one row has come to in the rankings.
#[derive(Default)]
struct Places {
    score: f64,
    similarity: Option<f32>,
    lexical_rank: Option<usize>,
}

impl EmbeddedStore {
    /// Answers a query by its words and, when it comes with a vector and the store has vectors of its model, by its
    /// meaning.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the vector has another size than the model's, `IO`, `CORRUPT` or `LOCKED` when the file
    /// cannot be read.
    pub fn search(&mut self, text: &str, meaning: Option<&Meaning>, filter: &StoreFilter) -> Result<StoreAnswer> {
        let depth = (filter.limit * DEPTH_FACTOR).max(DEPTH_MIN);
        let mut places: FxHashMap<i64, Places> = FxHashMap::default();
        for (at, seq) in self.rank_by_words(text, filter, depth)?.into_iter().enumerate() {
            let place = places.entry(seq).or_default();
            place.score += 1.0 / (FUSION_K + at as f64 + 1.0);
            place.lexical_rank = Some(at + 1);
        }
        let near = match meaning {
            Some(meaning) => self.rank_by_meaning(meaning, filter, depth)?,
            None => None,
        };
        let semantic = near.is_some();
        for (at, near) in near.unwrap_or_default().into_iter().enumerate() {
            let place = places.entry(near.seq).or_default();
            place.score += 1.0 / (FUSION_K + at as f64 + 1.0);
            place.similarity = Some(near.similarity);
        }
        let mut ranked: Vec<(i64, Places)> = places.into_iter().collect();
        ranked.sort_by(|(left, a), (right, b)| b.score.total_cmp(&a.score).then(right.cmp(left)));
        let hits = self.reading(|connection| read_hits(connection, ranked, filter))?;
        Ok(StoreAnswer { hits, semantic })
    }

    fn rank_by_words(&self, text: &str, filter: &StoreFilter, depth: usize) -> Result<Vec<i64>> {
        let Some(expression) = match_expression(text, filter.project.as_deref(), filter.kind.as_deref()) else {
            return Ok(Vec::new());
        };
        self.reading(|connection| {
            // Age is no matter of the index: more rows than are needed, and all of them when those were too old.
            let found = ranked_rows(connection, &expression, depth * 4)?;
            let is_all = found.len() < depth * 4;
            let passing = passing_rows(connection, found, filter, depth)?;
            if passing.len() >= depth || is_all {
                return Ok(passing);
            }
            let found = ranked_rows(connection, &expression, usize::MAX >> 1)?;
            passing_rows(connection, found, filter, depth)
        })
    }

    fn rank_by_meaning(
        &mut self,
        meaning: &Meaning,
        filter: &StoreFilter,
        depth: usize,
    ) -> Result<Option<Vec<super::vectors::Near>>> {
        let fail = |error| store_error("read", &self.path, error);
        let Some((model, dimensions)) = model_of(&self.connection, &meaning.model).map_err(fail)? else {
            return Ok(None);
        };
        if dimensions != meaning.vector.len() {
            let (name, given) = (&meaning.model, meaning.vector.len());
            let reason = format!("vectors of {name} have {dimensions} dimensions, not {given}");
            return Err(Error::invalid("vector", reason));
        }
        let unit = unit_of(&meaning.vector)
            .ok_or_else(|| Error::invalid("vector", "all its numbers are zero, or one is not finite"))?;
        let is_other = |array: &VectorArray| array.model != model || array.name != meaning.model;
        if self.vectors.as_ref().is_none_or(is_other) {
            self.vectors = Some(VectorArray::new(&meaning.model, model, dimensions));
        }
        let Some(array) = &mut self.vectors else {
            return Ok(None);
        };
        array.catch_up(&self.connection).map_err(fail)?;
        Ok((array.len() > 0).then(|| array.nearest(&unit, filter, depth)))
    }
}

fn ranked_rows(connection: &Connection, expression: &str, limit: usize) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT rowid FROM terms WHERE terms MATCH ?1 ORDER BY bm25(terms, 1.0, 0.5, 0.0), rowid DESC LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    statement
        .query_map(params![expression, limit], |row| row.get(0))?
        .collect()
}

fn passing_rows(
    connection: &Connection,
    rows: Vec<i64>,
    filter: &StoreFilter,
    depth: usize,
) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT 1 FROM thoughts WHERE seq = ?1 AND hidden = 0 AND (expires_ms IS NULL OR expires_ms > ?2)
               AND (?3 IS NULL OR captured_ms >= ?3)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut passing = Vec::with_capacity(depth);
    for seq in rows {
        if passing.len() >= depth {
            break;
        }
        if statement.exists(params![seq, filter.now, filter.since])? {
            passing.push(seq);
        }
    }
    Ok(passing)
}

/// Reads the best rows. The last word about what may come back is the row's own.
fn read_hits(
    connection: &Connection,
    ranked: Vec<(i64, Places)>,
    filter: &StoreFilter,
) -> rusqlite::Result<Vec<StoreHit>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM thoughts t WHERE t.seq = ?1 AND t.hidden = 0
         AND (t.expires_ms IS NULL OR t.expires_ms > ?2)"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut hits = Vec::with_capacity(filter.limit);
    for (seq, place) in ranked {
        if hits.len() >= filter.limit {
            break;
        }
        let mut rows = statement.query(params![seq, filter.now])?;
        if let Some(row) = rows.next()? {
            hits.push(StoreHit {
                thought: thought_of(row)?,
                score: place.score,
                similarity: place.similarity.map(f64::from),
                lexical_rank: place.lexical_rank,
            });
        }
    }
    Ok(hits)
}
