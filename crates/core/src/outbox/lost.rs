//! Records that were acknowledged here and that the memory has no more: `git stash`, `checkout`, `clean` or a rebase took its files back to an
//! earlier state. Lines written in a work tree of git are in copies in the user's own folder as well. Records of before that, and of other folders,
//! are in the files of the outbox, which git ignores: whole records, under the mark of this machine.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::files::{each_line_in, generations};
use super::line::{QueueLine, is_own};
use super::queue::marked;
use super::{ARCHIVE_FILE, DEAD_LETTER_FILE, QUEUE_FILE};
use crate::clock::Millis;
use crate::error::Result;
use crate::judgement::gone::{find_gone, find_hidden};
use crate::judgement::standing::Standings;
use crate::model::thought::{ActionKind, LineKind, id_hash, read_line};
use crate::project::Project;
use crate::project::committed::{committed_elsewhere, key_of};
use crate::project::layout::{CAPTURES_FILE, PATTERNS_FILE};
use crate::project::ownership::{Checker, MARK};

/// How much of the end of a file is looked at to notice that something is missing. The last records are the first to be lost.
const TAIL_BYTES: u64 = 64 * 1024;

/// A record that was stored here and is no longer in `.forge`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostRecord {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    pub text: String,
    /// When it was captured, as written.
    pub captured_at: String,
}

/// The files with records of their own.
const FILES: [&str; 2] = [CAPTURES_FILE, PATTERNS_FILE];

/// Where a line is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Copy,
    Outbox,
}

/// True if something may have been lost: whether the last lines that are kept elsewhere are not known any more. `is_known` answers for a line
/// of a file.
pub(crate) fn may_be_lost(project: &Project, is_known: impl Fn(&str, &LineKind<'_>) -> bool) -> bool {
    let check = project.marks.checker();
    let is_suspect = |file: &str| {
        let mut deleted = FxHashSet::default();
        let mut missing = FxHashSet::default();
        let mut is_undone = false;
        let look = each_kept(project, file, Some(TAIL_BYTES), |line, from| match read_line(line) {
            LineKind::Record(fields) => {
                let id = id_hash(&fields.id);
                if !is_known(file, &LineKind::Record(fields)) && (from == From::Copy || is_own(line, &check)) {
                    missing.insert(id);
                }
            }
            said => {
                if let LineKind::Action(action) = &said {
                    deleted.insert(id_hash(&action.id));
                }
                is_undone |= from == From::Copy && !is_known(file, &said);
            }
        });
        // A file that cannot be read is reported where it is used.
        look.is_ok() && (is_undone || missing.difference(&deleted).next().is_some())
    };
    FILES.into_iter().any(is_suspect) && !missing_records(project).unwrap_or_default().lost.is_empty()
}

/// What is missing in the files of a memory.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    /// The records that are lost, the oldest first.
    pub lost: Vec<LostRecord>,
    /// How many others are on another branch.
    pub elsewhere: usize,
}

/// Finds the records that are kept elsewhere and that the memory lacks, or that it has otherwise than was decided here. Without those that were
/// forgotten, replaced or have expired, and without those that a commit of another branch has.
///
/// # Errors
/// `IO` when a file exists but cannot be read.
pub(crate) fn missing_records(project: &Project) -> Result<Missing> {
    let mut missing = Missing::default();
    for file in FILES {
        let found = Comparison::of(project, file)?.missing(project, file);
        missing.lost.extend(found.lost);
        missing.elsewhere += found.elsewhere;
    }
    missing
        .lost
        .sort_by(|a, b| (&a.captured_at, &a.id).cmp(&(&b.captured_at, &b.id)));
    Ok(missing)
}

/// Appends the lost records to the memory again, and returns them.
///
/// # Errors
/// `LOCKED` or `IO`; a file is whole or was not changed then.
pub(crate) fn restore_lost(project: &Project) -> Result<Vec<LostRecord>> {
    let mut restored = Vec::new();
    for file in FILES {
        let mut journal = project.layout.journal_without_copy(file);
        let _lock = journal.guard()?;
        let mut comparison = Comparison::of(project, file)?;
        let found = comparison.missing(project, file);
        let lost: FxHashSet<u64> = found.lost.iter().map(|record| id_hash(&record.id)).collect();
        comparison.kept.retain(|line| lost.contains(&id_of(&read_line(line))));
        let lines = comparison.lines();
        if !lines.is_empty() {
            journal.append_lines(&lines)?;
        }
        restored.extend(found.lost);
    }
    Ok(restored)
}

/// A file, and the lines of it that are kept elsewhere.
struct Comparison {
    old: Vec<u8>,
    /// The records that it has.
    known: FxHashSet<u64>,
    /// The lines that it lacks.
    kept: Vec<Vec<u8>>,
}

impl Comparison {
    fn of(project: &Project, file: &str) -> Result<Self> {
        let check = project.marks.try_checker()?;
        let old = project.layout.read(file)?;
        let (mut known, mut seen, mut deleted) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        for (_, line) in crate::journal::each_line(&old) {
            seen.insert(xxh3_64(line));
            match read_line(line) {
                LineKind::Record(fields) => known.insert(id_hash(&fields.id)),
                LineKind::Action(action) => action.kind == ActionKind::Delete && deleted.insert(id_hash(&action.id)),
                _ => false,
            };
        }
        let mut kept: Vec<Vec<u8>> = Vec::new();
        let mut found = known.clone();
        each_kept(project, file, None, |line, from| {
            let is_new = match read_line(line) {
                LineKind::Record(fields) => !found.contains(&id_hash(&fields.id)),
                // The outbox has it without its time and its speaker.
                LineKind::Action(action) if action.kind == ActionKind::Delete => {
                    deleted.insert(id_hash(&action.id)) || from == From::Copy
                }
                LineKind::Action(_) => true,
                LineKind::Ruling(_) => from == From::Copy,
                LineKind::Other | LineKind::Unparsable => false,
            };
            if !is_new {
                return;
            }
            let line = match (from, QueueLine::read(line)) {
                (From::Copy, _) => line.to_vec(),
                (From::Outbox, Some(read)) if is_own(line, &check) => {
                    marked(&read.record(), read.text(MARK).as_deref()).into_bytes()
                }
                (From::Outbox, _) => return,
            };
            if seen.insert(xxh3_64(&line)) {
                if let LineKind::Record(fields) = read_line(&line) {
                    found.insert(id_hash(&fields.id));
                }
                kept.push(line);
            }
        })?;
        Ok(Comparison { old, known, kept })
    }

    /// Tells what is lost from what another branch has. Git is asked only when something is missing.
    fn missing(&mut self, project: &Project, file: &str) -> Missing {
        let now = project.now();
        let missing = self.lost(now);
        if missing.is_empty() {
            return Missing::default();
        }
        let lines = self.kept.iter().map(Vec::as_slice);
        let elsewhere = committed_elsewhere(&project.layout, file, lines, now);
        self.kept.retain(|line| !elsewhere.contains(&key_of(line)));
        let ids: FxHashSet<&str> = missing.iter().map(|record| record.id.as_str()).collect();
        // What a decision of elsewhere hides is not lost either.
        let mut lost = self.lost(now);
        lost.retain(|record| ids.contains(record.id.as_str()));
        Missing {
            elsewhere: missing.len() - lost.len(),
            lost,
        }
    }

    fn lines(&self) -> Vec<u8> {
        self.kept.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect()
    }

    /// Returns the records that the kept lines would bring back, or change.
    fn lost(&self, now: Millis) -> Vec<LostRecord> {
        if self.kept.is_empty() {
            return Vec::new();
        }
        let whole = [&self.old[..], b"\n", &self.lines()].concat();
        let (gone, hidden, before) = (
            find_gone(&whole, now),
            find_hidden(&whole, now),
            find_hidden(&self.old, now),
        );
        let [said, said_before] = [&whole, &self.old].map(|bytes| Standings::in_file(bytes));
        let decisions = self.kept.iter().map(|line| read_line(line));
        let decided: FxHashSet<u64> = decisions
            .filter(|said| !matches!(said, LineKind::Record(_)))
            .map(|said| id_of(&said))
            .collect();
        let is_otherwise = |id: &str| {
            hidden.contains(id) != before.contains(id)
                || (!hidden.contains(id) && !said.says_same(&said_before, &id.to_owned()))
        };
        let is_lost = |id: &str| {
            if self.known.contains(&id_hash(id)) {
                decided.contains(&id_hash(id)) && is_otherwise(id)
            } else {
                !gone.contains_key(id)
            }
        };
        let mut lost: Vec<LostRecord> = Vec::new();
        let mut counted = FxHashSet::default();
        for (_, line) in crate::journal::each_line(&whole) {
            if let LineKind::Record(fields) = read_line(line)
                && is_lost(&fields.id)
                && counted.insert(id_hash(&fields.id))
            {
                lost.push(LostRecord {
                    id: fields.id.to_string(),
                    kind: fields.kind.to_string(),
                    text: fields.text.to_string(),
                    captured_at: fields.at.to_string(),
                });
            }
        }
        lost
    }
}

/// Returns the hashes of the ids that this machine has ordered the shared store to delete, as far back as the outbox goes.
///
/// # Errors
/// `IO` when a file exists but cannot be read.
pub(super) fn own_deletes(project: &Project, check: &Checker) -> Result<FxHashSet<u64>> {
    let mut deleted = FxHashSet::default();
    each_line(project, None, |line| {
        if let LineKind::Action(action) = read_line(line)
            && is_own(line, check)
        {
            deleted.insert(id_hash(&action.id));
        }
    })?;
    Ok(deleted)
}

/// Returns the hash of the id of the record that a line is about.
fn id_of(line: &LineKind<'_>) -> u64 {
    match line {
        LineKind::Record(fields) => id_hash(&fields.id),
        LineKind::Action(action) => id_hash(&action.id),
        LineKind::Ruling(ruling) => id_hash(&ruling.id),
        LineKind::Other | LineKind::Unparsable => 0,
    }
}

/// Visits the lines kept of a file elsewhere, or the last of them: first those of its copy, then those of the outbox, which has records of the raw
/// log only.
fn each_kept(project: &Project, file: &str, tail: Option<u64>, mut visit: impl FnMut(&[u8], From)) -> Result<()> {
    let copy = project.layout.copy_of(file);
    each_line_in(project.disk(), copy, tail, |line| visit(line, From::Copy))?;
    if file != CAPTURES_FILE {
        return Ok(());
    }
    each_line(project, tail, |line| visit(line, From::Outbox))
}

/// Visits the lines of the outbox, or of the end of each of its files.
fn each_line(project: &Project, tail: Option<u64>, visit: impl FnMut(&[u8])) -> Result<()> {
    let others = [DEAD_LETTER_FILE, QUEUE_FILE].map(|file| project.layout.path_of(file));
    let files = generations(&project.layout.path_of(ARCHIVE_FILE))
        .into_iter()
        .chain(others);
    each_line_in(project.disk(), files, tail, visit)
}
