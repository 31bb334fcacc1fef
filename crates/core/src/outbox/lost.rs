//! Records that were acknowledged here and that the raw log has no more: `git stash`, `checkout`, `clean` or a rebase took the file back to an
//! earlier state while the files of the outbox, which git ignores, stayed. They hold whole records, under the mark of this machine.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use super::files::{each_line_in, generations};
use super::line::{QueueLine, is_own};
use super::queue::marked;
use super::{ARCHIVE_FILE, DEAD_LETTER_FILE, QUEUE_FILE};
use crate::error::Result;
use crate::judgement::gone::find_gone;
use crate::model::thought::{LineKind, id_hash, read_line};
use crate::project::Project;
use crate::project::layout::CAPTURES_FILE;
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
    /// What it says.
    pub text: String,
    /// When it was captured, as written.
    pub captured_at: String,
    /// The line of the raw log.
    #[serde(skip)]
    line: String,
}

/// Tells whether records may have been lost: whether the last ones of the outbox are no longer known. `is_known` answers for the hash of an id.
pub(crate) fn may_be_lost(project: &Project, is_known: impl Fn(u64) -> bool) -> bool {
    let check = project.marks.checker();
    if !check.has_key() {
        return false;
    }
    let mut deleted = FxHashSet::default();
    let mut missing = FxHashSet::default();
    let look = each_line(project, Some(TAIL_BYTES), |line| match read_line(line) {
        LineKind::Record(fields) => {
            let id = id_hash(&fields.id);
            if !is_known(id) && is_own(line, &check) {
                missing.insert(id);
            }
        }
        LineKind::Action(action) => {
            deleted.insert(id_hash(&action.id));
        }
        _ => {}
    });
    // What cannot be read is reported where it is used.
    look.is_ok()
        && missing.difference(&deleted).next().is_some()
        && !lost_records(project).unwrap_or_default().is_empty()
}

/// Finds the records that the outbox has and the raw log lacks, the oldest first, without those that were forgotten, replaced or have expired.
///
/// # Errors
/// `IO` when a file exists but cannot be read.
pub(crate) fn lost_records(project: &Project) -> Result<Vec<LostRecord>> {
    let check = project.marks.try_checker()?;
    let mut whole = project.layout.read(CAPTURES_FILE)?;
    let mut known = FxHashSet::default();
    for (_, line) in crate::journal::each_line(&whole) {
        if let LineKind::Record(fields) = read_line(line) {
            known.insert(id_hash(&fields.id));
        }
    }
    if !whole.is_empty() && !whole.ends_with(b"\n") {
        whole.push(b'\n');
    }
    let mut lost: Vec<LostRecord> = Vec::new();
    each_line(project, None, |line| {
        let is_new = match read_line(line) {
            LineKind::Record(fields) => !known.contains(&id_hash(&fields.id)),
            LineKind::Action(_) => true,
            _ => false,
        };
        if !is_new || !is_own(line, &check) {
            return;
        }
        let Some(read) = QueueLine::read(line) else { return };
        let record = read.record();
        whole.extend_from_slice(record.as_bytes());
        whole.push(b'\n');
        if let LineKind::Record(fields) = read_line(record.as_bytes())
            && known.insert(id_hash(&fields.id))
        {
            lost.push(LostRecord {
                id: fields.id.to_string(),
                kind: fields.kind.to_string(),
                text: fields.text.to_string(),
                captured_at: fields.at.to_string(),
                line: marked(&record, read.text(MARK).as_deref()),
            });
        }
    })?;
    if lost.is_empty() {
        return Ok(lost);
    }
    let gone = find_gone(&whole, project.now());
    lost.retain(|record| !gone.contains_key(&record.id));
    lost.sort_by(|a, b| (&a.captured_at, &a.id).cmp(&(&b.captured_at, &b.id)));
    Ok(lost)
}

/// Appends lost records to the raw log again. Returns them.
///
/// # Errors
/// `LOCKED` or `IO`; nothing was changed then.
pub(crate) fn restore_lost(project: &Project) -> Result<Vec<LostRecord>> {
    let mut captures = project.layout.journal_of_captures(CAPTURES_FILE);
    let _lock = captures.guard()?;
    let lost = lost_records(project)?;
    if !lost.is_empty() {
        let lines: String = lost.iter().map(|record| format!("{}\n", record.line)).collect();
        captures.append_lines(lines.as_bytes())?;
    }
    Ok(lost)
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

/// Visits the lines of the outbox, or of the end of each of its files.
fn each_line(project: &Project, tail: Option<u64>, visit: impl FnMut(&[u8])) -> Result<()> {
    let others = [DEAD_LETTER_FILE, QUEUE_FILE].map(|file| project.layout.path_of(file));
    let files = generations(&project.layout.path_of(ARCHIVE_FILE))
        .into_iter()
        .chain(others);
    each_line_in(project.disk(), files, tail, visit)
}
