//! Hybrid retrieval of turns: BM25 and cosine similarity, fused as in `recall`; the best turn of each session is a hit.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use forge_memory_core::text::fusion::{Evidence, fuse_query};
use forge_memory_core::text::{TermHash, query_words, searched_words};
use forge_memory_core::{Error, Result};
use rusqlite::{Connection, params};

use super::excerpts;
use super::model::{History, HistoryFilter, HistoryHit};
use super::ranking::QuantizedVector;
use super::storage::{self, failed, in_project};
use super::turns::hash_term;
use super::update::Updated;
use crate::agent::Agent;
use crate::project::plain;

/// The most turns per ranking.
const CANDIDATES: usize = 300;
/// Prompts with a lower cosine are not related to the query.
const COSINE_MIN: f64 = 0.35;
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

/// Checks that a query has words, or is empty.
pub(super) fn check(query: &str) -> Result<()> {
    match query_words(query).is_empty() && !is_empty(query) {
        true => Err(Error::invalid("query", "has no words to search for")),
        false => Ok(()),
    }
}

pub(super) fn is_empty(query: &str) -> bool {
    query.trim().is_empty()
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
    let mut turns = by_words(index, &terms, salt, filter).map_err(failed)?;
    let near = by_meaning(history, index, query, filter)?;
    let is_by_meaning = near.is_some();
    add_near(&mut turns, near.unwrap_or_default());
    let limit = filter.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
    let mut hits = best_of_sessions(index, &scores_of(history, query, turns), limit).map_err(failed)?;
    excerpts::attach(history, index, &mut hits, &terms)?;
    Ok(Found {
        hits,
        by_meaning: is_by_meaning,
        updated: Updated::default(),
    })
}

/// A turn that may be what is searched for.
#[derive(Debug, Default)]
struct Candidate {
    evidence: Evidence,
    is_subagent: bool,
}

type Turns = HashMap<i64, Candidate>;

/// Adds their cosines to the turns that were found by words, and the nearest other ones.
fn add_near(turns: &mut Turns, near: Vec<(i64, f32, bool)>) {
    let mut others = 0;
    for (turn, cosine, is_subagent) in near {
        let cosine = Some(f64::from(cosine));
        if let Some(known) = turns.get_mut(&turn) {
            known.evidence.cosine = cosine;
        } else if others < CANDIDATES && cosine >= Some(COSINE_MIN) {
            let evidence = Evidence { words: 0.0, cosine };
            turns.insert(turn, Candidate { evidence, is_subagent });
            others += 1;
        }
    }
}

/// Returns the turns with their scores, the best first; of equal ones, the newest.
fn scores_of(history: &History<'_>, query: &str, turns: Turns) -> Vec<(i64, f64)> {
    let (ids, found): (Vec<i64>, Vec<Candidate>) = turns.into_iter().unzip();
    let evidence: Vec<Evidence> = found.iter().map(|one| one.evidence).collect();
    let shares = found
        .iter()
        .map(|one| if one.is_subagent { SUBAGENT_SHARE } else { 1.0 });
    let model = history.model().map_or("", |model| model.model());
    let scores = fuse_query(query, model, &evidence).into_iter().zip(shares);
    let mut ranked: Vec<(i64, f64)> = ids
        .into_iter()
        .zip(scores.map(|(score, share)| score * share))
        .collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| other.0.cmp(&one.0)));
    ranked
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

/// Lists the newest sessions that no other session started, each with its first turn.
pub(super) fn newest(history: &History<'_>, index: &Connection, filter: &HistoryFilter) -> Result<Found> {
    let limit = filter.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
    let turns = first_turns(index, filter).map_err(failed)?;
    let mut hits = best_of_sessions(index, &turns, limit).map_err(failed)?;
    excerpts::attach(history, index, &mut hits, &BTreeSet::new())?;
    Ok(Found {
        hits,
        by_meaning: false,
        updated: Updated::default(),
    })
}

/// Returns the first turn of each session, the session that went on last first. No turn is better than another.
fn first_turns(index: &Connection, filter: &HistoryFilter) -> rusqlite::Result<Vec<(i64, f64)>> {
    let sql = format!(
        "SELECT min(t.turn), s.folder FROM sessions s JOIN turns t ON t.session = s.session \
         WHERE NOT s.is_subagent AND {FILTERED} GROUP BY s.session \
         ORDER BY coalesce(s.ended, max(t.at), s.started) DESC, s.session DESC"
    );
    let mut query = index.prepare(&sql)?;
    let mut rows = query.query(params![agents_of(filter), filter.since_ms])?;
    let mut turns = Vec::new();
    while let Some(row) = rows.next()? {
        if is_wanted(row.get::<_, Option<String>>(1)?.as_deref(), filter) {
            turns.push((row.get(0)?, 0.0));
        }
    }
    Ok(turns)
}

/// Returns the turns with terms of the query that are the best ones by BM25.
fn by_words(
    index: &Connection,
    terms: &BTreeSet<TermHash>,
    salt: u64,
    filter: &HistoryFilter,
) -> rusqlite::Result<Turns> {
    let names: Vec<String> = terms
        .iter()
        .map(|term| format!("\"{}\"", hash_term(*term, salt)))
        .collect();
    // What a person typed says most about the topic of a session, so its column has the largest weight.
    let sql = format!(
        "SELECT t.turn, s.folder, -bm25(terms, 3.0, 1.5, 1.0) AS score, s.is_subagent FROM terms JOIN turns t ON t.turn = terms.rowid JOIN sessions s ON s.session = t.session \
         WHERE terms MATCH ?3 AND {FILTERED} \
         ORDER BY score * (CASE WHEN s.is_subagent THEN {SUBAGENT_SHARE} ELSE 1.0 END) DESC, t.turn DESC"
    );
    let mut query = index.prepare(&sql)?;
    let mut rows = query.query(params![agents_of(filter), filter.since_ms, names.join(" OR ")])?;
    let mut found = Turns::new();
    while let Some(row) = rows.next()? {
        if is_wanted(row.get::<_, Option<String>>(1)?.as_deref(), filter) {
            let evidence = Evidence {
                words: row.get(2)?,
                cosine: None,
            };
            let is_subagent = row.get(3)?;
            found.insert(row.get(0)?, Candidate { evidence, is_subagent });
        }
        if found.len() >= CANDIDATES {
            break;
        }
    }
    Ok(found)
}

/// Returns the cosines of all turns with a vector, the nearest first, and whether a subagent had them; `None` without a model.
fn by_meaning(
    history: &History<'_>,
    index: &Connection,
    query: &str,
    filter: &HistoryFilter,
) -> Result<Option<Vec<(i64, f32, bool)>>> {
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
    let list = || -> rusqlite::Result<Vec<(i64, f32, bool)>> {
        let sql = format!(
            "SELECT v.turn, v.step, v.codes, s.folder, s.is_subagent FROM vectors v JOIN turns t ON t.turn = v.turn \
             JOIN sessions s ON s.session = t.session WHERE {FILTERED}"
        );
        let mut query = index.prepare(&sql)?;
        let mut rows = query.query(params![agents_of(filter), filter.since_ms])?;
        let mut near = Vec::new();
        while let Some(row) = rows.next()? {
            let codes = row.get_ref(2)?.as_blob().unwrap_or_default();
            if is_wanted(row.get::<_, Option<String>>(3)?.as_deref(), filter) {
                let cosine = asked.cosine(&QuantizedVector::from_bytes(row.get(1)?, codes));
                near.push((row.get(0)?, cosine, row.get(4)?));
            }
        }
        Ok(near)
    };
    let mut near = list().map_err(failed)?;
    near.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| other.0.cmp(&one.0)));
    Ok(Some(near))
}

/// Returns the best turn of each session. Copies of a session have the same id and count as one.
fn best_of_sessions(index: &Connection, ranked: &[(i64, f64)], limit: usize) -> rusqlite::Result<Vec<HistoryHit>> {
    let mut query = index.prepare(
        "SELECT s.agent, s.id, s.parent, s.folder, s.started, coalesce(t.at, s.ended, s.started), f.path, t.first, t.last, \
         f.root, f.format, s.session, s.ended, (SELECT count(*) FROM turns o WHERE o.session = s.session) FROM turns t JOIN sessions s ON s.session = t.session JOIN files f ON f.file = s.file \
         WHERE t.turn = ?1",
    )?;
    let mut seen = BTreeSet::new();
    let mut hits = Vec::new();
    for &(turn, score) in ranked {
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
                    ended_ms: row.get(12)?,
                    turn_count: row.get::<_, i64>(13)?.unsigned_abs(),
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
