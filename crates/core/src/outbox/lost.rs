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
use crate::error::Result;
use crate::judgement::gone::{find_gone, find_hidden};
use crate::judgement::standing::Standings;
use crate::model::thought::{LineKind, id_hash, read_line};
use crate::project::Project;
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
    FILES.into_iter().any(is_suspect) && !lost_records(project).unwrap_or_default().is_empty()
}

/// Finds the records that are kept elsewhere and that the memory lacks, or that it has otherwise than was decided here, the oldest first. Without
/// those that were forgotten, replaced or have expired.
///
/// # Errors
/// `IO` when a file exists but cannot be read.
pub(crate) fn lost_records(project: &Project) -> Result<Vec<LostRecord>> {
    let lost = FILES.map(|file| Ok(lost_in(project, file)?.0));
    let mut lost = lost.into_iter().collect::<Result<Vec<_>>>()?.concat();
    lost.sort_by(|a, b| (&a.captured_at, &a.id).cmp(&(&b.captured_at, &b.id)));
    Ok(lost)
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
        let (lost, lines) = lost_in(project, file)?;
        if !lines.is_empty() {
            journal.append_lines(&lines)?;
        }
        restored.extend(lost);
    }
    Ok(restored)
}

/// Returns the records that a file has lost, and the lines that bring them back.
fn lost_in(project: &Project, file: &str) -> Result<(Vec<LostRecord>, Vec<u8>)> {
    let check = project.marks.try_checker()?;
    let old = project.layout.read(file)?;
    let (mut known, mut seen) = (FxHashSet::default(), FxHashSet::default());
    for (_, line) in crate::journal::each_line(&old) {
        seen.insert(xxh3_64(line));
        if let LineKind::Record(fields) = read_line(line) {
            known.insert(id_hash(&fields.id));
        }
    }
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let (mut found, mut decided) = (known.clone(), FxHashSet::default());
    each_kept(project, file, None, |line, from| {
        let is_new = match read_line(line) {
            LineKind::Record(fields) => !found.contains(&id_hash(&fields.id)),
            LineKind::Action(_) => true,
            LineKind::Ruling(_) => from == From::Copy,
            LineKind::Other | LineKind::Unparsable => false,
        };
        let line = match from {
            From::Copy => line.to_vec(),
            From::Outbox if !is_new || !is_own(line, &check) => return,
            From::Outbox => match QueueLine::read(line) {
                Some(read) => marked(&read.record(), read.text(MARK).as_deref()).into_bytes(),
                None => return,
            },
        };
        if is_new && seen.insert(xxh3_64(&line)) {
            match read_line(&line) {
                LineKind::Record(fields) => found.insert(id_hash(&fields.id)),
                said => decided.insert(id_of(&said)),
            };
            kept.push(line);
        }
    })?;
    if kept.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let whole = [&old, &kept.join(&b'\n')]
        .map(|part| [part, &b"\n"[..]].concat())
        .concat();
    let now = project.now();
    let (gone, hidden, before) = (find_gone(&whole, now), find_hidden(&whole, now), find_hidden(&old, now));
    let [said, said_before] = [&whole, &old].map(|bytes| Standings::in_file(bytes));
    let is_otherwise = |id: &str| {
        if hidden.contains(id) == before.contains(id) {
            !hidden.contains(id) && !said.says_same(&said_before, &id.to_owned())
        } else {
            true
        }
    };
    let is_lost = |id: &str| {
        if known.contains(&id_hash(id)) {
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
    kept.retain(|line| counted.contains(&id_of(&read_line(line))));
    let lines = kept
        .into_iter()
        .flat_map(|line| [line, b"\n".to_vec()].concat())
        .collect();
    Ok((lost, lines))
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
