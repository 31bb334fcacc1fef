//! Hybrid retrieval of turns: BM25 and cosine similarity, fused by reciprocal rank; the best turn of each session is a hit.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use forge_memory_core::text::{TermHash, query_words, searched_words};
use forge_memory_core::{Error, Result};
use rusqlite::{Connection, params};

use super::excerpts;
use super::model::{History, HistoryFilter, HistoryHit};
use super::ranking::{QuantizedVector, fuse};
use super::storage::{self, failed, in_project};
use super::turns::hash_term;
use super::update::Updated;
use crate::agent::Agent;
use crate::project::plain;

/// The most turns per ranking.
const CANDIDATES: usize = 300;
/// Prompts with a lower cosine are not related to the query.
const COSINE_MIN: f32 = 0.35;
/// The weight of turns of subagents, whose prompts no person typed.
const SUBAGENT_SHARE: f64 = 0.6;
pub(super) const LIMIT_MAX: usize = 50;
const LIMIT: usize = 10;

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The hits, the best first.
    pub hits: Vec<HistoryHit>,
    /// Whether embeddings were compared as well.
    pub by_meaning: bool,
    /// What the update before the search did.
    pub updated: Updated,
}

/// Checks that a query has words.
pub(super) fn check(query: &str) -> Result<()> {
    match query_words(query).is_empty() {
        true => Err(Error::invalid("query", "has no words to search for")),
        false => Ok(()),
    }
}

pub(super) fn run(history: &History<'_>, index: &Connection, query: &str, filter: &HistoryFilter) -> Result<Found> {
    let words = query_words(query);
    let searched = searched_words(&words);
    let terms: BTreeSet<TermHash> = searched
        .iter()
        .flat_map(|(_, word)| word.lists().map(|(term, _)| term))
        .collect();
    let salt = storage::fact(index, "salt").map_err(failed)?;
    let salt = u64::from_str_radix(&salt, 16).unwrap_or_default();
    let by_words = by_words(index, &terms, salt, filter).map_err(failed)?;
    let by_meaning = by_meaning(history, index, query, filter)?;
    let is_by_meaning = by_meaning.is_some();
    let orders = [by_words, by_meaning.unwrap_or_default()];
    let limit = filter.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
    let mut hits = best_of_sessions(index, &fuse(&orders), limit).map_err(failed)?;
    excerpts::attach(history, index, &mut hits, &terms)?;
    Ok(Found {
        hits,
        by_meaning: is_by_meaning,
        updated: Updated::default(),
    })
}

/// The filter as a condition on sessions `s` and turns `t`; the project is compared afterwards.
const FILTERED: &str = "(?1 = '[]' OR s.agent IN (SELECT value FROM json_each(?1))) \
     AND (?2 IS NULL OR coalesce(t.at, s.ended, s.started) >= ?2)";

fn agents_of(filter: &HistoryFilter) -> String {
    let names: Vec<&str> = filter.agents.iter().map(|agent| agent.name()).collect();
    serde_json::to_string(&names).unwrap_or_else(|_| "[]".to_owned())
}

fn is_wanted(folder: Option<&str>, filter: &HistoryFilter) -> bool {
    match &filter.project {
        None => true,
        Some(project) => folder.is_some_and(|folder| in_project(folder, &plain(project))),
    }
}

/// Returns the turns with terms of the query by BM25, the best first.
fn by_words(
    index: &Connection,
    terms: &BTreeSet<TermHash>,
    salt: u64,
    filter: &HistoryFilter,
) -> rusqlite::Result<Vec<i64>> {
    let names: Vec<String> = terms
        .iter()
        .map(|term| format!("\"{}\"", hash_term(*term, salt)))
        .collect();
    // What a person typed says most about the topic of a session, so its column has the largest weight.
    let sql = format!(
        "SELECT t.turn, s.folder FROM terms JOIN turns t ON t.turn = terms.rowid JOIN sessions s ON s.session = t.session \
         WHERE terms MATCH ?3 AND {FILTERED} ORDER BY bm25(terms, 3.0, 1.5, 1.0) \
         * (CASE WHEN s.is_subagent THEN {SUBAGENT_SHARE} ELSE 1.0 END), t.turn DESC"
    );
    let mut query = index.prepare(&sql)?;
    let mut rows = query.query(params![agents_of(filter), filter.since_ms, names.join(" OR ")])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if is_wanted(row.get::<_, Option<String>>(1)?.as_deref(), filter) {
            found.push(row.get(0)?);
        }
        if found.len() >= CANDIDATES {
            break;
        }
    }
    Ok(found)
}

/// Returns the turns with the most similar prompts, the nearest first; `None` without a model.
fn by_meaning(
    history: &History<'_>,
    index: &Connection,
    query: &str,
    filter: &HistoryFilter,
) -> Result<Option<Vec<i64>>> {
    let Some(model) = history.model() else {
        return Ok(None);
    };
    // A model that fails is treated as not installed: the search by words still works.
    let Some(asked) = model
        .embed_query(query)
        .ok()
        .and_then(|made| QuantizedVector::quantize(made.first()?))
    else {
        return Ok(None);
    };
    let list = || -> rusqlite::Result<Vec<(i64, f32)>> {
        let sql = format!(
            "SELECT v.turn, v.step, v.codes, s.folder, s.is_subagent FROM vectors v JOIN turns t ON t.turn = v.turn \
             JOIN sessions s ON s.session = t.session WHERE {FILTERED}"
        );
        let mut query = index.prepare(&sql)?;
        let mut rows = query.query(params![agents_of(filter), filter.since_ms])?;
        let mut near = Vec::new();
        while let Some(row) = rows.next()? {
            let codes = row.get_ref(2)?.as_blob().unwrap_or_default();
            let share = if row.get(4)? { SUBAGENT_SHARE as f32 } else { 1.0 };
            let cosine = asked.cosine(&QuantizedVector::from_bytes(row.get(1)?, codes)) * share;
            if cosine >= COSINE_MIN && is_wanted(row.get::<_, Option<String>>(3)?.as_deref(), filter) {
                near.push((row.get(0)?, cosine));
            }
        }
        Ok(near)
    };
    let mut near = list().map_err(failed)?;
    near.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| other.0.cmp(&one.0)));
    near.truncate(CANDIDATES);
    Ok(Some(near.into_iter().map(|(turn, _)| turn).collect()))
}

/// Returns the best turn of each session. Copies of a session have the same id and count as one.
fn best_of_sessions(index: &Connection, scores: &HashMap<i64, f64>, limit: usize) -> rusqlite::Result<Vec<HistoryHit>> {
    let mut ranked: Vec<(i64, f64)> = scores.iter().map(|(turn, score)| (*turn, *score)).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| other.0.cmp(&one.0)));
    let mut query = index.prepare(
        "SELECT s.agent, s.id, s.parent, s.folder, s.started, coalesce(t.at, s.ended, s.started), f.path, t.first, t.last, \
         f.root, f.format, s.session FROM turns t JOIN sessions s ON s.session = t.session JOIN files f ON f.file = s.file \
         WHERE t.turn = ?1",
    )?;
    let mut seen = BTreeSet::new();
    let mut hits = Vec::new();
    for (turn, score) in ranked {
        let hit = query.query_row([turn], |row| {
            let agent: String = row.get(0)?;
            Ok(Agent::named(&agent).map(|agent| -> rusqlite::Result<HistoryHit> {
                let session: String = row.get(1)?;
                Ok(HistoryHit {
                    agent,
                    resume: None,
                    session,
                    parent: row.get(2)?,
                    title: None,
                    folder: row.get(3)?,
                    started_ms: row.get(4)?,
                    at_ms: row.get(5)?,
                    path: PathBuf::from(row.get::<_, String>(6)?),
                    line: row.get::<_, i64>(7)?.unsigned_abs(),
                    last: row.get::<_, i64>(8)?.unsigned_abs(),
                    score,
                    turns: Vec::new(),
                    is_gone: false,
                    number: turn,
                    session_number: row.get(11)?,
                    root: PathBuf::from(row.get::<_, String>(9)?),
                    format: row.get(10)?,
                })
            }))
        })?;
        let Some(hit) = hit.transpose()? else { continue };
        if seen.insert((hit.agent, hit.session.clone())) {
            hits.push(hit);
        }
        if hits.len() >= limit {
            break;
        }
    }
    Ok(hits)
}
