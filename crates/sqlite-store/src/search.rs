//! Searching: by words, by meaning, and both fused by reciprocal rank (Cormack, Clarke & Büttcher, SIGIR 2009).

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use super::database::{COLUMNS, model_of, store_error, thought_of};
use super::text::{match_expression, term_name};
use super::vectors::{VectorArray, unit_of};
use super::{EmbeddedStore, Meaning, StoreAnswer, StoreFilter, StoreHit};
use forge_memory_core::error::{Error, Result};
use forge_memory_core::text::analysis::Analysis;
use forge_memory_core::text::query_words;
use forge_memory_core::text::scorer::Scorer;
use forge_memory_core::text::{QueryWord, TermHash, searched_words};

/// How much the first places of a ranking count more than the later ones.
const FUSION_K: f64 = 60.0;
/// How deep each ranking is looked at, at least and as a multiple of what is asked for.
const DEPTH_MIN: usize = 100;
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

    /// Ranks by words: the full-text index finds the candidates, the scorer of recall puts them in order.
    fn rank_by_words(&mut self, text: &str, filter: &StoreFilter, depth: usize) -> Result<Vec<i64>> {
        let words = query_words(text);
        let Some(expression) = match_expression(&words, filter.project.as_deref(), filter.kind.as_deref()) else {
            return Ok(Vec::new());
        };
        let candidates = self.find_candidates(&expression, filter, depth)?;
        let mut analysis = std::mem::take(&mut self.analysis);
        let ranked = self.reading(|connection| {
            let scorer = scorer_of(connection, &words)?;
            rank_candidates(connection, candidates, &scorer, &mut analysis)
        });
        self.analysis = analysis;
        ranked
    }

    fn find_candidates(&self, expression: &str, filter: &StoreFilter, depth: usize) -> Result<Vec<i64>> {
        self.reading(|connection| {
            // Age is no matter of the index: more rows than are needed, and all of them when those were too old.
            let found = ranked_rows(connection, expression, depth * 4)?;
            let is_all = found.len() < depth * 4;
            let passing = passing_rows(connection, found, filter, depth)?;
            if passing.len() >= depth || is_all {
                return Ok(passing);
            }
            let found = ranked_rows(connection, expression, usize::MAX >> 1)?;
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

/// Prepares the scorer with how many texts have each word, and how long they are. Stop words are not counted: their lists are
/// the longest, and they count nearly nothing.
fn scorer_of(connection: &Connection, words: &[QueryWord]) -> rusqlite::Result<Scorer> {
    let searched: Vec<QueryWord> = searched_words(words)
        .into_iter()
        .map(|(_, word)| word.clone())
        .collect();
    let (texts, total) = totals_of(connection)?;
    connection
        .execute_batch("CREATE VIRTUAL TABLE IF NOT EXISTS temp.term_counts USING fts5vocab(main, terms, row)")?;
    let mut statement = connection.prepare_cached("SELECT doc FROM temp.term_counts WHERE term = ?1")?;
    let mut count_with = |term: TermHash| {
        statement
            .query_row([term_name(term)], |row| row.get(0))
            .unwrap_or(0_u32)
    };
    let average = total as f32 / (texts as f32).max(1.0);
    Ok(Scorer::new(&searched, texts as f32, average, &mut count_with))
}

/// Returns how many texts there are in the full-text index and how many words they have together: what FTS5 keeps in its record
/// of averages, as varints, the texts first and then the words of each column.
fn totals_of(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let mut statement = connection.prepare_cached("SELECT block FROM terms_data WHERE id = 1")?;
    let record: Vec<u8> = statement.query_row([], |row| row.get(0))?;
    let mut rest = record.as_slice();
    let texts = read_varint(&mut rest);
    Ok((texts, read_varint(&mut rest)))
}

/// Reads a number as SQLite writes it: seven bits a byte, the highest first.
fn read_varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0_u64;
    while let Some((first, rest)) = bytes.split_first() {
        *bytes = rest;
        value = value << 7 | u64::from(first & 0x7f);
        if first & 0x80 == 0 {
            break;
        }
    }
    value
}

fn rank_candidates(
    connection: &Connection,
    candidates: Vec<i64>,
    scorer: &Scorer,
    analysis: &mut Analysis,
) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached("SELECT content, type, source, tags FROM thoughts WHERE seq = ?1")?;
    let mut ranked = Vec::with_capacity(candidates.len());
    for seq in candidates {
        let score = statement.query_row([seq], |row| {
            let (text, kind) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
            let (source, tags) = (row.get_ref(2)?.as_str()?, row.get_ref(3)?.as_str()?);
            let tags: Vec<String> = serde_json::from_str(tags).unwrap_or_default();
            analysis.take(text, kind, source, &mut tags.iter().map(String::as_str));
            Ok(scorer.score(analysis))
        })?;
        ranked.push((score, seq));
    }
    ranked.sort_by(|(a, left), (b, right)| b.total_cmp(a).then(right.cmp(left)));
    Ok(ranked.into_iter().map(|(_, seq)| seq).collect())
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
