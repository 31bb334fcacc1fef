//! Incremental indexing: files that grew are read from their checkpoint on, rewritten files from the beginning, and deleted files are
//! removed. Each file is one transaction, so a run that is killed loses the work on one file only.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use forge_memory_core::Result;
use rusqlite::{Connection, OptionalExtension, params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::exclusion::Settings;
use super::forgotten::Forgotten;
use super::model::History;
use super::ranking::QuantizedVector;
use super::storage::{self, failed};
use super::turns::{TermHasher, Turn, TurnSplitter};
use crate::agent::Agent;
use crate::emitter::Emitter;
use crate::event::Session;
use crate::find::{Finder, Problem};
use crate::project::root_of;
use crate::reader::FORMATS;
use crate::scan::Opened;
use crate::sources::{self, Job};
use crate::state::Checkpoint;

/// Threads that read files.
const READERS: usize = 2;
const BATCH: usize = 64;

/// The outcome of an update.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Updated {
    /// Files indexed before the search.
    pub read: u64,
    /// Files that have not changed.
    #[serde(skip)]
    pub unchanged: u64,
    /// Files that are not indexed yet, because the time was up.
    pub pending: u64,
    /// True when another process was updating the index.
    #[serde(rename = "updatedElsewhere")]
    pub is_elsewhere: bool,
    /// Files that were skipped.
    pub problems: Vec<Problem>,
}

struct Row {
    file: i64,
    known: Checkpoint,
    log: String,
    model: String,
    /// The last session in it.
    open: Option<Session>,
}

struct Read {
    sessions: Vec<Session>,
    turns: Vec<Turn>,
    known: Checkpoint,
    log: String,
    is_continued: bool,
    is_cut: bool,
}

/// Reads new events, the most recently changed files first, until the time is up.
pub(super) fn run(
    history: &History<'_>,
    index: &mut Connection,
    settings: &Settings,
    forgotten: &Forgotten,
    limit: Option<Duration>,
) -> Result<Updated> {
    let disk = history.disk.as_ref();
    clear_if_exclusions_changed(index, settings).map_err(failed)?;
    let mut finder = Finder::new(disk, history.places);
    let jobs = sources::find(disk, history.places, &[], &mut finder);
    let mut rows = rows_of(index).map_err(failed)?;
    remove_deleted(index, &jobs, &mut rows).map_err(failed)?;
    let model = history
        .model()
        .map(|model| model.model().to_owned())
        .unwrap_or_default();
    let mut fresh: Vec<(Job, Option<Row>)> = Vec::new();
    let mut updated = Updated::default();
    for job in jobs {
        let row = rows.remove(&(job.path.clone(), job.format));
        if row.as_ref().is_some_and(|row| is_same(history, &job, row, &model)) {
            updated.unchanged += 1
        } else {
            fresh.push((job, row))
        }
    }
    fresh.sort_by_key(|(job, _)| std::cmp::Reverse(disk.stat(&job.path).map_or(0, |state| state.modified_ns)));
    history
        .progress
        .begin(fresh.iter().map(|(job, _)| job.bytes / 1024 + 1).sum());
    let salt = storage::fact(index, "salt").map_err(failed)?;
    let is_excluded = |session: &Session| settings.excludes(session.cwd.as_deref()) || forgotten.has(session);
    let reading = Reading {
        history,
        fresh: &fresh,
        salt: &salt,
        model: &model,
        is_excluded: &is_excluded,
        until: limit.map(|limit| Instant::now() + limit),
    };
    reading.run(index, &mut updated, &mut finder.problems)?;
    updated.pending = fresh.len() as u64 - updated.read - updated.problems_of(&finder.problems, &fresh);
    finder.problems.sort();
    finder.problems.dedup();
    updated.problems = finder.problems;
    Ok(updated)
}

impl Updated {
    fn problems_of(&self, problems: &[Problem], fresh: &[(Job, Option<Row>)]) -> u64 {
        let failed: BTreeSet<&PathBuf> = problems.iter().map(|problem| &problem.path).collect();
        let unread = fresh.iter().filter(|(job, _)| failed.contains(&job.path)).count() as u64;
        unread.min(fresh.len() as u64 - self.read)
    }
}

/// Empties the index when the list of excluded folders has changed: sessions may have to come back as well as go.
fn clear_if_exclusions_changed(index: &mut Connection, settings: &Settings) -> rusqlite::Result<()> {
    let version = settings.version();
    if storage::fact(index, "excluded")? == version {
        return Ok(());
    }
    let step = index.transaction()?;
    storage::clear(&step)?;
    step.execute("UPDATE facts SET value = ?1 WHERE name = 'excluded'", [&version])?;
    step.commit()
}

fn rows_of(index: &Connection) -> rusqlite::Result<BTreeMap<(PathBuf, usize), Row>> {
    let mut query = index.prepare("SELECT file, format, path, known, log, model FROM files")?;
    let mut found = query.query([])?;
    let mut rows = BTreeMap::new();
    while let Some(row) = found.next()? {
        let Ok(known) = serde_json::from_str(&row.get::<_, String>(3)?) else {
            continue;
        };
        let (file, format): (i64, usize) = (row.get(0)?, row.get(1)?);
        let read = Row {
            file,
            known,
            log: row.get(4)?,
            model: row.get(5)?,
            open: last_session(index, file)?,
        };
        rows.insert((PathBuf::from(row.get::<_, String>(2)?), format), read);
    }
    Ok(rows)
}

fn last_session(index: &Connection, file: i64) -> rusqlite::Result<Option<Session>> {
    let sql = "SELECT agent, id, parent, folder, started, ended, is_subagent, is_automated FROM sessions \
               WHERE file = ?1 ORDER BY session DESC LIMIT 1";
    let mut query = index.prepare_cached(sql)?;
    let session = query
        .query_row([file], |row| {
            let agent = Agent::named(&row.get::<_, String>(0)?);
            Ok(agent.map(|agent| -> rusqlite::Result<Session> {
                Ok(Session {
                    parent: row.get(2)?,
                    cwd: row.get(3)?,
                    started_ms: row.get(4)?,
                    ended_ms: row.get(5)?,
                    is_subagent: row.get(6)?,
                    is_automated: row.get(7)?,
                    ..Session::new(agent, row.get::<_, String>(1)?)
                })
            }))
        })
        .optional()?;
    session.flatten().transpose()
}

fn remove_deleted(
    index: &mut Connection,
    jobs: &[Job],
    rows: &mut BTreeMap<(PathBuf, usize), Row>,
) -> rusqlite::Result<()> {
    let there: BTreeSet<(&PathBuf, usize)> = jobs.iter().map(|job| (&job.path, job.format)).collect();
    let step = index.transaction()?;
    for ((path, format), row) in rows.iter() {
        if !there.contains(&(path, *format)) {
            storage::remove_file(&step, row.file)?;
        }
    }
    step.commit()?;
    rows.retain(|(path, format), _| there.contains(&(path, *format)));
    Ok(())
}

fn is_same(history: &History<'_>, job: &Job, row: &Row, model: &str) -> bool {
    let disk = history.disk.as_ref();
    let is_unchanged = disk.stat(&job.path).is_ok_and(|now| row.known.is_same(now));
    is_unchanged && row.log == log_of(history, job) && (model.is_empty() || row.model == model)
}

fn log_of(history: &History<'_>, job: &Job) -> String {
    let log = sources::log_state(history.disk.as_ref(), job);
    log.map_or_else(String::new, |log| format!("{} {}", log.len, log.modified_ns))
}

struct Reading<'r> {
    history: &'r History<'r>,
    fresh: &'r [(Job, Option<Row>)],
    salt: &'r str,
    model: &'r str,
    is_excluded: &'r (dyn Fn(&Session) -> bool + Sync),
    until: Option<Instant>,
}

impl Reading<'_> {
    /// Reads on other threads and writes on this one, because SQLite has a single writer.
    fn run(&self, index: &mut Connection, updated: &mut Updated, problems: &mut Vec<Problem>) -> Result<()> {
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (give, take) = sync_channel::<(usize, io::Result<Read>)>(READERS);
        let work = |give: std::sync::mpsc::SyncSender<(usize, io::Result<Read>)>| {
            let mut hasher = TermHasher::new(self.salt);
            while !is_over.load(Ordering::Relaxed) && self.until.is_none_or(|until| Instant::now() < until) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((job, row)) = self.fresh.get(at) else { break };
                let read = self.read(job, row.as_ref(), &mut hasher);
                if give.send((at, read)).is_err() {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..READERS {
                let give = give.clone();
                scope.spawn(|| work(give));
            }
            drop(give);
            for (at, read) in take {
                let Some((job, row)) = self.fresh.get(at) else { continue };
                match read {
                    Ok(read) => {
                        let written = self.write(index, job, row.as_ref(), &read);
                        if let Err(error) = written {
                            is_over.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                        updated.read += 1;
                        if read.is_cut {
                            problems.push(problem_of(job, "has more turns than are indexed"));
                        }
                    }
                    Err(error) => problems.push(problem_of(job, &format!("cannot be read: {error}"))),
                }
                self.history.progress.advance(job.bytes / 1024 + 1);
            }
            Ok(())
        })
    }

    fn read(&self, job: &Job, row: Option<&Row>, hasher: &mut TermHasher) -> io::Result<Read> {
        let Some(format) = FORMATS.get(job.format) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let disk = self.history.disk.as_ref();
        // The write-ahead log is examined first: the next update reads lines that are written to it meanwhile.
        let log = log_of(self.history, job);
        // With a newly installed model, everything has to be embedded.
        let known = row.filter(|row| row.model == self.model).map(|row| &row.known);
        let opened = Opened::open(disk, &job.path, known.filter(|known| !known.reader.is_null()))?;
        let is_continued = opened.known().is_some();
        let open = row.filter(|_| is_continued).and_then(|row| row.open.clone());
        let mut turns = TurnSplitter::new(std::mem::take(hasher), !self.model.is_empty(), open, self.is_excluded);
        let mut out = Emitter::new(&mut turns, &|_| true);
        let outcome = opened.read(format, (&job.root, &job.path), disk, &mut out);
        let (sessions, turns, used, is_cut) = turns.into_parts();
        *hasher = used;
        let (mut known, holds_text) = outcome?;
        known.reader = if holds_text {
            Value::Null
        } else {
            without_titles(known.reader)
        };
        Ok(Read {
            sessions,
            turns,
            known,
            log,
            is_continued,
            is_cut,
        })
    }

    fn write(&self, index: &mut Connection, job: &Job, row: Option<&Row>, read: &Read) -> Result<()> {
        let vectors = self.vectors_of(&read.turns);
        let mut work = || -> rusqlite::Result<()> {
            let step = index.transaction()?;
            let file = self.write_file(&step, job, row, read)?;
            let mut sessions = Vec::with_capacity(read.sessions.len());
            for session in &read.sessions {
                sessions.push(write_session(&step, file, session, (self.is_excluded)(session))?);
            }
            for (at, turn) in read.turns.iter().enumerate() {
                if let Some(session) = sessions.get(turn.session).copied().flatten() {
                    write_turn(&step, session, turn, vectors.get(at).and_then(Option::as_ref))?;
                }
            }
            step.commit()
        };
        work().map_err(failed)
    }

    fn write_file(&self, step: &Connection, job: &Job, row: Option<&Row>, read: &Read) -> rusqlite::Result<i64> {
        if let Some(row) = row.filter(|_| !read.is_continued) {
            storage::clear_file(step, row.file)?;
        }
        let known = serde_json::to_string(&read.known).unwrap_or_default();
        step.prepare_cached(
            "INSERT INTO files (format, root, path, known, log, model) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT (path, format) DO UPDATE SET known = ?4, log = ?5, model = ?6 RETURNING file",
        )?
        .query_row(
            params![
                job.format,
                job.root.to_string_lossy(),
                job.path.to_string_lossy(),
                known,
                read.log,
                self.model
            ],
            |row| row.get(0),
        )
    }

    /// Returns the vectors of the prompts; none without a model or when it fails.
    fn vectors_of(&self, turns: &[Turn]) -> Vec<Option<QuantizedVector>> {
        let mut vectors: Vec<Option<QuantizedVector>> = turns.iter().map(|_| None).collect();
        let Some(model) = self.history.model().filter(|_| !self.model.is_empty()) else {
            return vectors;
        };
        let prompts: Vec<(usize, &str)> = turns
            .iter()
            .enumerate()
            .filter_map(|(at, turn)| Some((at, turn.prompt.as_deref()?)))
            .collect();
        for batch in prompts.chunks(BATCH) {
            let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let Ok(made) = model.embed(&texts) else { break };
            for ((at, _), vector) in batch.iter().zip(&made) {
                if let Some(slot) = vectors.get_mut(*at) {
                    *slot = QuantizedVector::quantize(vector);
                }
            }
        }
        vectors
    }
}

fn problem_of(job: &Job, reason: &str) -> Problem {
    Problem {
        path: job.path.clone(),
        reason: reason.to_owned(),
    }
}

/// Writes a session and returns its row; `None` for one that is excluded or forgotten.
fn write_session(step: &Connection, file: i64, session: &Session, is_excluded: bool) -> rusqlite::Result<Option<i64>> {
    if is_excluded || session.is_private {
        return Ok(None);
    }
    let folder = session.cwd.as_deref().map(|cwd| {
        if cwd.starts_with("cursor:") {
            cwd.to_owned()
        } else {
            root_of(cwd)
        }
    });
    step.prepare_cached(
        "INSERT INTO sessions (file, agent, id, parent, folder, started, ended, is_subagent, is_automated) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (file, id) DO UPDATE SET parent = ?4, folder = ?5, \
         started = coalesce(started, ?6), ended = max(coalesce(ended, ?7), ?7), is_subagent = ?8, is_automated = ?9 \
         RETURNING session",
    )?
    .query_row(
        params![
            file,
            session.agent.name(),
            session.id,
            session.parent,
            folder,
            session.started_ms,
            session.ended_ms,
            session.is_subagent,
            session.is_automated
        ],
        |row| row.get(0),
    )
    .map(Some)
}

fn write_turn(step: &Connection, session: i64, turn: &Turn, vector: Option<&QuantizedVector>) -> rusqlite::Result<()> {
    step.prepare_cached("INSERT INTO turns (session, first, last, at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![session, turn.first as i64, turn.last as i64, turn.at_ms])?;
    let number = step.last_insert_rowid();
    step.prepare_cached("INSERT INTO terms (rowid, said, told, done) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![number, turn.prompt_terms, turn.reply_terms, turn.action_terms])?;
    if let Some(vector) = vector {
        step.prepare_cached("INSERT INTO vectors (turn, step, codes) VALUES (?1, ?2, ?3)")?
            .execute(params![number, f64::from(vector.step), vector.bytes()])?;
    }
    Ok(())
}

/// Removes titles from a reader's resume state, because the index contains no text.
fn without_titles(mut carry: Value) -> Value {
    match &mut carry {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                *value = match name.as_str() {
                    "title" => Value::Null,
                    _ => without_titles(value.take()),
                };
            }
        }
        Value::Array(items) => {
            for item in items.iter_mut() {
                *item = without_titles(item.take());
            }
        }
        _ => {}
    }
    carry
}
