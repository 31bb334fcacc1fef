//! Hybrid search: words and vectors propose candidates, each gets both scores, and [`fusion`] makes one of them, as in `recall`.
//!
//! [`fusion`]: forge_memory_core::text::fusion

use std::cell::RefCell;

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use super::candidates::{CandidateFinder, StoredWords, TermCounts, totals_of};
use super::database::{COLUMNS, READ_WAIT, model_of, store_error, thought_of};
use super::standings::marks_of;
use super::vectors::{Neighbour, dot, unit_of};
use super::{EmbeddedStore, Meaning, StoreAnswer, StoreFilter, StoreHit};
use forge_memory_core::BackgroundTexts;
use forge_memory_core::error::{Error, Result};
use forge_memory_core::index::{forgiving_words, word_names};
use forge_memory_core::text::analysis::Analysis;
use forge_memory_core::text::bygone::is_bygone;
use forge_memory_core::text::calibration::Calibration;
use forge_memory_core::text::fusion::{Asked, Evidence, Figures, fuse};
use forge_memory_core::text::intent::{Intent, Told};
use forge_memory_core::text::relevance::{Background, Covered, Nearness, Relevance, is_doubtful_by_words, is_english};
use forge_memory_core::text::scorer::Scorer;
use forge_memory_core::text::{QueryWord, searched_words};

/// The depth of each ranking: the minimum, and as a multiple of the limit.
const DEPTH_MIN: usize = 100;
const DEPTH_FACTOR: usize = 5;
/// The number of rows after the last one that may take its place.
const SPARE: usize = 8;

/// The evidence that a row matches the query.
#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    seq: i64,
    score: f64,
    /// Which words of the query it has, one bit each.
    words: u32,
    coverage: f64,
    similarity: Option<f32>,
    lexical_rank: Option<usize>,
}

impl EmbeddedStore {
    /// Searches by words and, when the query has a vector and the store has vectors of that model, by meaning.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the dimension of the vector is not the model's, `IO`, `CORRUPT` or `LOCKED` when the file
    /// cannot be read.
    pub fn search(&mut self, text: &str, meaning: Option<&Meaning>, filter: &StoreFilter) -> Result<StoreAnswer> {
        self.search_beside(text, meaning, None, filter)
    }

    /// The same with what the model was measured by: a query that is nearer to those texts is not about the store, as in recall.
    ///
    /// # Errors
    /// As [`EmbeddedStore::search`].
    pub fn search_beside(
        &mut self,
        text: &str,
        meaning: Option<&Meaning>,
        others: Option<&BackgroundTexts>,
        filter: &StoreFilter,
    ) -> Result<StoreAnswer> {
        let unit = self.prepare_vectors(meaning)?;
        let others = others.zip(unit.as_deref()).filter(|_| is_english(text));
        let background = others.and_then(|(others, unit)| {
            let cosines: Vec<f64> = others.vectors.iter().map(|other| f64::from(dot(other, unit))).collect();
            Background::of(&cosines, others.least)
        });
        // One snapshot of the database for all parts of the search.
        let answer = self.in_transaction(|store| store.search_snapshot(text, unit, background, filter))?;
        self.save_if_behind();
        Ok(answer)
    }

    fn search_snapshot(
        &mut self,
        text: &str,
        unit: Option<Vec<f32>>,
        background: Option<Background>,
        filter: &StoreFilter,
    ) -> Result<StoreAnswer> {
        let depth = (filter.limit * DEPTH_FACTOR).max(DEPTH_MIN);
        let (words, is_corrected) = self.understand(text)?;
        let (unit, calibration) = self.vectors_now(unit)?;
        let (mut ranked, covered) = self.rank_by_words(&words, filter, depth)?;
        let mut nearness = None;
        if let Some((unit, array)) = unit.as_ref().zip(self.vectors.as_ref()) {
            let (near, compared) = self.reading(|connection| {
                let rows = ranked.iter().map(|one| one.seq);
                let similarities = array.similarities(connection, unit, rows)?;
                for (candidate, similarity) in ranked.iter_mut().zip(similarities) {
                    candidate.similarity = similarity;
                }
                array.nearest(connection, unit, filter, depth)
            })?;
            let model = array.name.clone();
            let near_ones = near.iter().map(|one| f64::from(one.similarity));
            nearness = Nearness::of(near_ones, compared).map(|nearness| Nearness { background, ..nearness });
            self.add_near(&mut ranked, near, &words)?;
            let best = ranked.iter().max_by(|a, b| a.score.total_cmp(&b.score));
            let figures = Figures {
                model: &model,
                calibration,
            };
            let asked = Asked {
                coverage: Some(best.map_or(0.0, |best| best.coverage)),
                ..Asked::of(text, &words, is_corrected, figures)
            };
            let scores = fuse(&ranked, &asked);
            ranked.iter_mut().zip(scores).for_each(|(one, score)| one.score = score);
        }
        let is_empty = ranked.is_empty();
        let is_near = |similarity: f32| calibration.is_near(f64::from(similarity));
        ranked.retain(|one| one.words != 0 || one.similarity.is_some_and(is_near));
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq)));
        let semantic = unit.is_some();
        let coverage = ranked.iter().map(|one| one.coverage).fold(0.0, f64::max);
        let covered = covered.by(coverage);
        let relevance = calibration.judge(text, covered, nearness);
        if !is_empty && relevance == Relevance::None {
            // The compared texts are about something else. Of a row without a vector nothing is known, so its words decide.
            ranked.retain(|one| one.similarity.is_none() && one.words != 0);
        }
        if !is_empty && ranked.is_empty() {
            return Ok(StoreAnswer {
                semantic,
                is_irrelevant: true,
                ..StoreAnswer::default()
            });
        }
        let names = word_names(&words);
        // By words alone a row with some of them is not doubtful beside one with all.
        let is_weak = |one: &Candidate| {
            if semantic {
                let covered = covered.by(one.coverage);
                one.similarity.map_or(is_doubtful_by_words(text, covered), |near| {
                    calibration.is_doubtful(text, covered, f64::from(near))
                })
            } else {
                relevance == Relevance::Weak
            }
        };
        let intent = Intent::of(text);
        let hits = self.reading(|connection| {
            let mut hits = read_hits(connection, ranked, filter, &is_weak, &names)?;
            intent.place(&mut hits);
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
            hits.truncate(filter.limit);
            Ok(hits)
        })?;
        Ok(StoreAnswer {
            hits,
            semantic,
            is_irrelevant: false,
        })
    }

    /// Returns the words of a query, and whether any of them that no text has is searched for in another spelling, as in recall.
    fn understand(&mut self, text: &str) -> Result<(Vec<QueryWord>, bool)> {
        let (words, corrections) = self.counting(|connection, counts| {
            counts.refresh(connection)?;
            let counts = RefCell::new(counts);
            Ok(forgiving_words(text, &StoredWords { connection, counts }))
        })?;
        Ok((words, !corrections.is_empty()))
    }

    /// Reads with the counts of terms, which are refreshed once for each search.
    fn counting<T>(&mut self, read: impl FnOnce(&Connection, &mut TermCounts) -> rusqlite::Result<T>) -> Result<T> {
        let mut counts = std::mem::take(&mut self.counts);
        let found = self.reading(|connection| read(connection, &mut counts));
        self.counts = counts;
        found
    }

    /// Ranks by words: the full-text index finds the candidates, the scorer of recall puts them in order.
    fn rank_by_words(
        &mut self,
        words: &[QueryWord],
        filter: &StoreFilter,
        depth: usize,
    ) -> Result<(Vec<Candidate>, Covered)> {
        let ranked_max = self.ranked_max;
        let candidates = self.counting(|connection, counts| {
            let finder = CandidateFinder {
                connection,
                filter,
                depth,
                ranked_max,
            };
            finder.find(words, counts)
        })?;
        let (mut ranked, scorer) = self.score(candidates, words)?;
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq)));
        for (at, candidate) in ranked.iter_mut().enumerate() {
            candidate.lexical_rank = Some(at + 1);
        }
        let covered = scorer.covered(ranked.iter().map(|one| one.words));
        Ok((ranked, covered))
    }

    /// Scores rows by the words of the query, in their order.
    fn score(&mut self, rows: Vec<i64>, words: &[QueryWord]) -> Result<(Vec<Candidate>, Scorer)> {
        let (mut analysis, mut counts) = (std::mem::take(&mut self.analysis), std::mem::take(&mut self.counts));
        let scored = self.reading(|connection| {
            let scorer = scorer_of(connection, words, &mut counts)?;
            Ok((score_rows(connection, rows, &scorer, &mut analysis)?, scorer))
        });
        (self.analysis, self.counts) = (analysis, counts);
        scored
    }

    /// Adds the nearest neighbours that lexical search did not find.
    fn add_near(&mut self, ranked: &mut Vec<Candidate>, near: Vec<Neighbour>, words: &[QueryWord]) -> Result<()> {
        let known: FxHashMap<i64, ()> = ranked.iter().map(|one| (one.seq, ())).collect();
        let near: FxHashMap<i64, f32> = near
            .into_iter()
            .filter(|one| !known.contains_key(&one.seq))
            .map(|one| (one.seq, one.similarity))
            .collect();
        let mut rows: Vec<i64> = near.keys().copied().collect();
        rows.sort_unstable();
        for mut candidate in self.score(rows, words)?.0 {
            candidate.similarity = near.get(&candidate.seq).copied();
            ranked.push(candidate);
        }
        Ok(())
    }

    /// Has the codes of the vectors of the query's model in memory. Returns the query's vector, normalized; `None` without a model.
    fn prepare_vectors(&mut self, meaning: Option<&Meaning>) -> Result<Option<Vec<f32>>> {
        let Some(meaning) = meaning else { return Ok(None) };
        let Some((model, dimensions)) = self.reading(|connection| model_of(connection, &meaning.model))? else {
            return Ok(None);
        };
        if dimensions != meaning.vector.len() {
            let (name, given) = (&meaning.model, meaning.vector.len());
            let reason = format!("vectors of {name} have {dimensions} dimensions, not {given}");
            return Err(Error::invalid("vector", reason));
        }
        let unit = unit_of(&meaning.vector)
            .ok_or_else(|| Error::invalid("vector", "all its numbers are zero, or one is not finite"))?;
        self.prepare_array(&meaning.model, model, dimensions)?;
        Ok(Some(unit))
    }

    /// Brings the codes up to date. Returns the query's vector if there are any, and where the cosines of the model stand.
    fn vectors_now(&mut self, unit: Option<Vec<f32>>) -> Result<(Option<Vec<f32>>, Calibration)> {
        if unit.is_none() {
            return Ok((None, Calibration::Measured));
        }
        self.catch_up()?;
        match &mut self.vectors {
            Some(array) if array.len() > 0 => {
                let calibration = array.calibration(&self.connection);
                Ok((
                    unit,
                    calibration.map_err(|error| store_error("read", &self.path, READ_WAIT, error))?,
                ))
            }
            _ => Ok((None, Calibration::Measured)),
        }
    }
}

impl From<&Candidate> for Evidence {
    fn from(candidate: &Candidate) -> Self {
        Evidence {
            words: candidate.score,
            cosine: candidate.similarity.map(f64::from),
        }
    }
}

/// Builds the scorer from document frequencies and the average length. Stop words are not counted: their posting lists are
/// the longest, and their weight is nearly zero.
fn scorer_of(connection: &Connection, words: &[QueryWord], counts: &mut TermCounts) -> rusqlite::Result<Scorer> {
    let searched: Vec<QueryWord> = searched_words(words)
        .into_iter()
        .map(|(_, word)| word.clone())
        .collect();
    let (texts, total) = totals_of(connection)?;
    let average = total as f32 / (texts as f32).max(1.0);
    Ok(Scorer::new(&searched, texts as f32, average, |term| {
        counts.of(connection, term)
    }))
}

fn score_rows(
    connection: &Connection,
    rows: Vec<i64>,
    scorer: &Scorer,
    analysis: &mut Analysis,
) -> rusqlite::Result<Vec<Candidate>> {
    let mut statement = connection.prepare_cached("SELECT content, type, source, tags FROM thoughts WHERE seq = ?1")?;
    let mut scored = Vec::with_capacity(rows.len());
    for seq in rows {
        let (score, words) = statement.query_row([seq], |row| {
            let (text, kind) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
            let (source, tags) = (row.get_ref(2)?.as_str()?, row.get_ref(3)?.as_str()?);
            let tags: Vec<String> = serde_json::from_str(tags).unwrap_or_default();
            analysis.take(text, kind, source, &mut tags.iter().map(String::as_str));
            Ok(scorer.score(analysis))
        })?;
        scored.push(Candidate {
            seq,
            score: f64::from(score),
            words,
            coverage: scorer.coverage(words),
            ..Candidate::default()
        });
    }
    Ok(scored)
}

impl Told for StoreHit {
    fn is_over(&self) -> bool {
        self.is_over
    }

    fn matched(&self) -> &[String] {
        &self.matched
    }

    fn text(&self) -> &str {
        &self.thought.content
    }

    fn score(&mut self) -> &mut f64 {
        &mut self.score
    }
}

/// Reads the best rows and a few more, and applies the filter to each.
fn read_hits(
    connection: &Connection,
    ranked: Vec<Candidate>,
    filter: &StoreFilter,
    is_weak: &dyn Fn(&Candidate) -> bool,
    names: &[&str],
) -> rusqlite::Result<Vec<StoreHit>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM thoughts t WHERE t.seq = ?1 AND t.hidden = 0
         AND (t.expires_ms IS NULL OR t.expires_ms > ?2)"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut hits = Vec::with_capacity(filter.limit);
    for one in ranked {
        if hits.len() >= filter.limit + SPARE {
            break;
        }
        let has = |bit: usize| one.words & (1 << bit) != 0;
        let matched = names.iter().enumerate().filter(|(bit, _)| has(*bit));
        let mut rows = statement.query(params![one.seq, filter.now])?;
        if let Some(row) = rows.next()? {
            let thought = thought_of(row)?;
            let (conflicts, verdicts) = marks_of(connection, &thought.id, &thought.project)?;
            hits.push(StoreHit {
                is_over: is_bygone(&thought.content),
                thought,
                score: one.score,
                similarity: one.similarity.map(f64::from),
                matched: matched.map(|(_, name)| (*name).to_owned()).collect(),
                is_weak: is_weak(&one),
                lexical_rank: one.lexical_rank,
                conflicts,
                verdicts,
            });
        }
    }
    Ok(hits)
}
