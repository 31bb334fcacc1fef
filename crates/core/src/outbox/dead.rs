//! Dead letters: records that the store has rejected. They are kept until the user retries or drops them.

use memchr::memmem;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use super::files::rewrite_lines;
use super::line::{HISTORY, PastFailure, QueueLine, is_own, key_of, moment, quoted};
use super::log::write_key;
use super::settlement::push_archived;
use super::{ARCHIVE_FILE, DEAD_LETTER_FILE};
use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::{Journal, each_line};
use crate::model::thought::{ActionKind, LineKind, RulingKind, read_line};
use crate::project::layout::{CAPTURES_FILE, Layout};
use crate::project::ownership::{Checker, Marks};

/// A record that could not be delivered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeadLetter {
    /// Identifies it, beside the id of the thought.
    pub key: String,
    /// `store`, `delete`, or the name of a ruling such as `retire`.
    pub action: &'static str,
    /// The id of the thought.
    pub id: String,
    /// Its text, empty for a delete.
    pub content: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its project.
    pub project: String,
    /// The number of attempts.
    pub attempts: u32,
    /// When delivery was given up, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
    /// The reason.
    pub reason: String,
    /// Earlier failures, oldest first, after each of which it was retried.
    pub history: Vec<PastFailure>,
}

/// The maximum number of earlier failures; the oldest are dropped.
const HISTORY_MAX: usize = 10;

/// The outcome of a retry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RetryOutcome")]
pub struct Retried {
    /// The number of records put back into the queue.
    pub retried: u64,
    /// The number of records that are no longer needed, because their thought is forgotten.
    pub forgotten: u64,
    /// The ids without a dead letter.
    pub unknown: Vec<String>,
}

/// The outcome of a drop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DropOutcome")]
pub struct Dropped {
    /// Deleted.
    pub dropped: u64,
    /// The ids without a dead letter.
    pub unknown: Vec<String>,
}

/// The files that hold dead letters: queue, archive, dead-letter file.
pub(crate) struct DeadLetters<'a> {
    layout: &'a Layout,
    dead: Journal,
    check: Checker,
}

impl<'a> DeadLetters<'a> {
    /// Returns the dead letters of a project.
    ///
    /// # Errors
    /// `IO` or `CORRUPT` when the machine's key cannot be read: all letters would seem to be foreign.
    pub fn of(layout: &'a Layout, marks: &Marks) -> Result<Self> {
        Ok(DeadLetters {
            layout,
            dead: layout.journal_under_own_lock(DEAD_LETTER_FILE),
            check: marks.try_checker()?,
        })
    }

    /// Lists the dead letters, oldest first.
    ///
    /// # Errors
    /// `IO` when the file exists but cannot be read.
    pub fn list(&mut self, project: &str) -> Result<Vec<DeadLetter>> {
        let mut letters: Vec<DeadLetter> = Vec::new();
        if let Some(file) = self.dead.look()? {
            let check = &self.check;
            self.dead.scan(0, file.len, &mut |line| {
                let read = QueueLine::read(line.bytes).filter(|_| is_own(line.bytes, check));
                letters.extend(read.map(|read| letter_of(line.bytes, &read, project)));
            })?;
        }
        Ok(letters)
    }

    /// Puts letters back into the queue; those of forgotten thoughts go to the archive.
    pub fn retry(&mut self, wanted: Option<&[String]>, queue: &mut Journal, now: Millis) -> Result<Retried> {
        let mut outcome = Retried::default();
        let mut unknown: Vec<String> = wanted.unwrap_or_default().to_vec();
        if self.dead.look()?.is_none_or(|file| file.len == 0) {
            outcome.unknown = unknown;
            return Ok(outcome);
        }
        let forgotten = self.forgotten()?;
        let mut archive = Vec::new();
        let (layout, check) = (self.layout, &self.check);
        self.dead.replace::<Error>(|old| {
            let mut back = Vec::new();
            let kept = split(old, wanted, check, &mut unknown, |line, id, is_store| {
                if is_store && forgotten.contains(id) {
                    outcome.forgotten += 1;
                    let reason = "forgotten before it was delivered";
                    push_archived(&mut archive, line, 0, Some(reason), &format_iso(now));
                } else {
                    outcome.retried += 1;
                    push_pending(&mut back, line, now);
                }
            })?;
            // Append first, then remove: a crash in between duplicates a line, which the store deduplicates by id.
            if !archive.is_empty() {
                let mut journal = layout.journal_under_own_lock(ARCHIVE_FILE);
                journal.set_durability(queue.durability());
                journal.append_lines(&archive)?;
            }
            if !back.is_empty() {
                queue.append_lines(&back)?;
            }
            Ok(kept)
        })?;
        outcome.unknown = unknown;
        Ok(outcome)
    }

    pub fn drop(&mut self, wanted: &[String]) -> Result<Dropped> {
        let mut unknown = wanted.to_vec();
        let mut dropped = 0;
        if self.dead.look()?.is_some() {
            let check = &self.check;
            self.dead.replace::<Error>(|old| {
                split(old, Some(wanted), check, &mut unknown, |_, _, _| {
                    dropped += 1;
                })
            })?;
        }
        Ok(Dropped { dropped, unknown })
    }

    /// Returns the ids of all forgotten thoughts.
    fn forgotten(&self) -> Result<FxHashSet<String>> {
        let mut ids = FxHashSet::default();
        let action = memmem::Finder::new("\"_action\"");
        for (_, line) in each_line(&self.layout.read(CAPTURES_FILE)?) {
            if action.find(line).is_some()
                && let LineKind::Action(action) = read_line(line)
                && action.kind == ActionKind::Delete
            {
                ids.insert(action.id.into_owned());
            }
        }
        Ok(ids)
    }
}

/// Passes the wanted lines to `take` and returns the others; `None` when no line was wanted. A torn tail and lines that this
/// machine did not write stay.
fn split(
    old: &[u8],
    wanted: Option<&[String]>,
    check: &Checker,
    unknown: &mut Vec<String>,
    mut take: impl FnMut(&[u8], &str, bool),
) -> Result<Option<Vec<u8>>> {
    rewrite_lines(old, |line| {
        let Some(read) = QueueLine::read(line).filter(|_| is_own(line, check)) else {
            return Ok(None);
        };
        let (id, key) = (read.id(), write_key(key_of(line)));
        if wanted.is_some_and(|wanted| wanted.iter().all(|name| *name != id && *name != key)) {
            return Ok(None);
        }
        unknown.retain(|name| *name != id && *name != key);
        take(line, &id, read.text("_action").is_none());
        Ok(Some(Vec::new()))
    })
}

fn push_pending(out: &mut Vec<u8>, line: &[u8], now: Millis) {
    if let Some(line) = QueueLine::read(line) {
        let changes = [
            ("_status", quoted("pending")),
            // Identical bytes would have the key of the line that is already settled.
            ("_retries", Some((line.retries() + 1).to_string())),
            ("_attempts", Some("0".to_owned())),
            ("_nextAttemptAt", moment(now)),
            ("_failedAt", None),
            ("_reason", None),
            (HISTORY, serde_json::to_string(&history_with_last(&line)).ok()),
        ];
        out.extend_from_slice(&line.with(&changes));
        out.push(b'\n');
    }
}

fn history_with_last(line: &QueueLine<'_>) -> Vec<PastFailure> {
    let mut history = line.history();
    history.push(PastFailure {
        failed_at: line.text("_failedAt").map(|at| at.into_owned()),
        reason: reason_of(line),
        attempts: line.attempts(),
    });
    let extra = history.len().saturating_sub(HISTORY_MAX);
    history.drain(..extra);
    history
}

fn reason_of(line: &QueueLine<'_>) -> String {
    let reason = line.text("_reason").or_else(|| line.text("_lastError"));
    reason.map_or_else(|| "unknown".to_owned(), |reason| reason.into_owned())
}

fn letter_of(bytes: &[u8], line: &QueueLine<'_>, project: &str) -> DeadLetter {
    let action = line.text("_action");
    let thought = line.thought(project);
    DeadLetter {
        key: write_key(key_of(bytes)),
        action: action.map_or("store", |action| {
            RulingKind::of(&action).map_or("delete", RulingKind::name)
        }),
        id: thought.id,
        content: thought.content,
        kind: thought.kind,
        project: thought.project,
        attempts: line.attempts(),
        failed_at: line.text("_failedAt").map(|at| at.into_owned()),
        reason: reason_of(line),
        history: line.history(),
    }
}
