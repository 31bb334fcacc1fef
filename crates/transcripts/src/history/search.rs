//! Hybrid retrieval of turns: BM25 and cosine similarity, fused and supported by their sessions as in `recall`; the best turn of each session
//! is a hit.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use forge_memory_core::text::calibration::{Calibration, SAMPLE};
use forge_memory_core::text::fusion::{Asked, Evidence, Figures, fuse};
use forge_memory_core::text::session::{Member, gains};
use forge_memory_core::text::{TermHash, query_words, searched_words};
use forge_memory_core::{Error, Result};
use rusqlite::{Connection, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::excerpts;
use super::model::{History, HistoryFilter, HistoryHit, Place};
use super::ranking::QuantizedVector;
use super::storage::{self, failed, in_project};
use super::turns::hash_term;
use super::update::Updated;
use crate::agent::Agent;
use crate::project::plain;

/// The most turns per ranking.
const CANDIDATES: usize = 300;
/// Prompts with a lower cosine, on the scale of the measured model, are not related to the query.
const COSINE_MIN: f64 = 0.35;
/// The weight of turns of subagents, whose prompts no person typed.
const SUBAGENT_SHARE: f64 = 0.6;
pub(super) const LIMIT_MAX: usize = 50;
const LIMIT: usize = 10;

/// The result of a search over past sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SessionSearchReport")]
pub struct Found {
    /// The query.
    pub query: String,
    /// The hits, the best first.
    pub hits: Vec<HistoryHit>,
    /// True if there are more behind them, which `offset` reaches.
    pub has_more: bool,
    /// True if embeddings were compared as well.
    #[serde(rename = "semantic")]
    pub by_meaning: bool,
    /// The outcome of the update before the search.
    #[serde(flatten)]
    pub updated: Updated,
}

/// Checks that a query has words, or is empty.
pub(super) fn check(query: &str) -> Result<()> {
    if query_words(query).is_empty() && !is_empty(query) {
        Err(Error::invalid("query", "has no words to search for"))
    } else {
        Ok(())
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
    let by_meaning = near.is_some();
    let mut asked = Asked::of(query, &words, false, Figures::of(""));
    if let Some(model) = history.model().filter(|_| by_meaning) {
        let calibration = calibration_of(index, model.model()).map_err(failed)?;
        let model = model.model();
        asked = Asked::of(query, &words, false, Figures { model, calibration });
    }
    add_near(&mut turns, near.unwrap_or_default(), asked.calibration);
    let ranked = ranked(index, &asked, turns.into_values().collect()).map_err(failed)?;
    let (mut hits, has_more) = best_of_sessions(index, &ranked, filter).map_err(failed)?;
    excerpts::attach(history, index, &mut hits, &terms)?;
    Ok(Found {
        hits,
        has_more,
        by_meaning,
        ..Found::default()
    })
}

/// A turn that may match the query.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    turn: i64,
    session: i64,
    evidence: Evidence,
    is_subagent: bool,
}

impl From<&Candidate> for Evidence {
    fn from(candidate: &Candidate) -> Self {
        candidate.evidence
    }
}

type Turns = HashMap<i64, Candidate>;

/// Adds their cosines to the turns that were found by words, and the nearest other ones.
fn add_near(turns: &mut Turns, near: Vec<Candidate>, calibration: Calibration) {
    let mut others = 0;
    for candidate in near {
        let cosine = candidate.evidence.cosine;
        if let Some(known) = turns.get_mut(&candidate.turn) {
            known.evidence.cosine = cosine;
        } else if others < CANDIDATES && cosine.is_some_and(|cosine| calibration.scaled(cosine) >= COSINE_MIN) {
            turns.insert(candidate.turn, candidate);
            others += 1;
        }
    }
}

/// Returns the scale of a model's cosines, by those of some turns to each other.
fn calibration_of(index: &Connection, model: &str) -> rusqlite::Result<Calibration> {
    if let known @ Calibration::Measured = Figures::of(model).calibration {
        return Ok(known);
    }
    // Turns that are evenly apart, the same ones at every search.
    let mut query = index.prepare(
        "SELECT v.step, v.codes FROM vectors v JOIN turns t ON t.turn = v.turn JOIN sessions s ON s.session = t.session \
         JOIN files f ON f.file = s.file WHERE f.model = ?1 AND v.turn % (1 + (SELECT count(*) FROM vectors) / ?2) = 0 ORDER BY v.turn LIMIT ?2",
    )?;
    let read = |row: &rusqlite::Row<'_>| {
        let codes = row.get_ref(1)?.as_blob().unwrap_or_default();
        Ok(QuantizedVector::from_bytes(row.get(0)?, codes))
    };
    let sample: Vec<QuantizedVector> = query
        .query_map(params![model, SAMPLE], read)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Calibration::of_sample(&sample, |one, other| {
        f64::from(one.cosine(other))
    }))
}

/// Returns the turns with their scores, the best first; of equal ones, the newest.
fn ranked(index: &Connection, asked: &Asked, found: Vec<Candidate>) -> rusqlite::Result<Vec<(i64, f64)>> {
    let share = |one: &Candidate| if one.is_subagent { SUBAGENT_SHARE } else { 1.0 };
    let fused = found.iter().zip(fuse(&found, asked));
    let members: Vec<Member<i64, i64>> = fused
        .map(|(one, score)| Member {
            key: one.turn,
            session: Some(one.session),
            score: score * share(one),
            words: 0,
        })
        .collect();
    let mut query = index.prepare(
        "SELECT (SELECT max(turn) FROM turns WHERE session = ?1 AND turn < ?2), (SELECT min(turn) FROM turns WHERE session = ?1 AND turn > ?2)",
    )?;
    let mut beside: Vec<[Option<i64>; 2]> = Vec::with_capacity(found.len());
    for one in &found {
        beside.push(query.query_row(params![one.session, one.turn], |row| Ok([row.get(0)?, row.get(1)?]))?);
    }
    let gained = gains(&members, true, |at| {
        beside.get(at).copied().into_iter().flatten().flatten()
    });
    let scored = members
        .iter()
        .zip(gained)
        .map(|(one, gain)| (one.key, one.score + gain));
    let mut ranked: Vec<(i64, f64)> = scored.collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| other.0.cmp(&one.0)));
    Ok(ranked)
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
    let turns = first_turns(index, filter).map_err(failed)?;
    let (mut hits, has_more) = best_of_sessions(index, &turns, filter).map_err(failed)?;
    excerpts::attach(history, index, &mut hits, &BTreeSet::new())?;
    Ok(Found {
        hits,
        has_more,
        ..Found::default()
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
    // Words that a person typed say most about the topic of a session, so their column has the largest weight.
    let sql = format!(
        "SELECT t.turn, s.folder, -bm25(terms, 3.0, 1.5, 1.0) AS score, s.is_subagent, s.session FROM terms JOIN turns t ON t.turn = terms.rowid JOIN sessions s ON s.session = t.session \
         WHERE terms MATCH ?3 AND {FILTERED} \
         ORDER BY score * (CASE WHEN s.is_subagent THEN {SUBAGENT_SHARE} ELSE 1.0 END) DESC, t.turn DESC"
    );
    let mut query = index.prepare(&sql)?;
    let mut rows = query.query(params![agents_of(filter), filter.since_ms, names.join(" OR ")])?;
    let mut found = Turns::new();
    while let Some(row) = rows.next()? {
        if is_wanted(row.get::<_, Option<String>>(1)?.as_deref(), filter) {
            let (turn, words, cosine) = (row.get(0)?, row.get(2)?, None);
            let candidate = Candidate {
                turn,
                session: row.get(4)?,
                evidence: Evidence { words, cosine },
                is_subagent: row.get(3)?,
            };
            found.insert(turn, candidate);
        }
        if found.len() >= CANDIDATES {
            break;
        }
    }
    Ok(found)
}

/// Returns all turns with a vector of the model, the nearest first; `None` without a model. Vectors of a former one are left out: they are not
/// replaced yet.
fn by_meaning(
    history: &History<'_>,
    index: &Connection,
    query: &str,
    filter: &HistoryFilter,
) -> Result<Option<Vec<Candidate>>> {
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
    let list = || -> rusqlite::Result<Vec<Candidate>> {
        let sql = format!(
            "SELECT v.turn, v.step, v.codes, s.folder, s.is_subagent, s.session FROM vectors v JOIN turns t ON t.turn = v.turn \
             JOIN sessions s ON s.session = t.session JOIN files f ON f.file = s.file WHERE f.model = ?3 AND {FILTERED}"
        );
        let mut query = index.prepare(&sql)?;
        let mut rows = query.query(params![agents_of(filter), filter.since_ms, model.model()])?;
        let mut near = Vec::new();
        while let Some(row) = rows.next()? {
            let codes = row.get_ref(2)?.as_blob().unwrap_or_default();
            if is_wanted(row.get::<_, Option<String>>(3)?.as_deref(), filter) {
                let cosine = asked.cosine(&QuantizedVector::from_bytes(row.get(1)?, codes));
                near.push(Candidate {
                    turn: row.get(0)?,
                    session: row.get(5)?,
                    evidence: Evidence {
                        words: 0.0,
                        cosine: Some(f64::from(cosine)),
                    },
                    is_subagent: row.get(4)?,
                });
            }
        }
        Ok(near)
    };
    let mut near = list().map_err(failed)?;
    let order = |one: &Candidate| one.evidence.cosine.unwrap_or_default();
    near.sort_by(|one, other| {
        order(other)
            .total_cmp(&order(one))
            .then_with(|| other.turn.cmp(&one.turn))
    });
    Ok(Some(near))
}

/// Returns the best turn of each session on the page that is asked for, and whether there are more. Copies of a session have the same id and
/// count as one.
fn best_of_sessions(
    index: &Connection,
    ranked: &[(i64, f64)],
    filter: &HistoryFilter,
) -> rusqlite::Result<(Vec<HistoryHit>, bool)> {
    let limit = filter.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
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
                    agent_title: agent.title(),
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
                    score,
                    turns: Vec::new(),
                    is_gone: false,
                    place: Place {
                        number: turn,
                        session_number: row.get(11)?,
                        root: PathBuf::from(row.get::<_, String>(9)?),
                        format: row.get(10)?,
                        last: row.get::<_, i64>(8)?.unsigned_abs(),
                    },
                })
            }))
        })?;
        let Some(hit) = hit.transpose()? else { continue };
        if !seen.insert((hit.agent, hit.session.clone())) || seen.len() <= filter.offset {
            continue;
        }
        if hits.len() == limit {
            return Ok((hits, true));
        }
        hits.push(hit);
    }
    Ok((hits, false))
}
