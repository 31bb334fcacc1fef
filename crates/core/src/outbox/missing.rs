//! Records that this machine captured and that no file of the outbox has: the process ended between the raw log and the queue, the
//! queue could not take them, or its files were deleted, as by `git clean -fdx`. The drain queues them again.
//!
//! What this machine wrote is known by the mark of the record in the raw log. The lock of captures is held meanwhile, so that none is
//! between the two files.

use super::compared::{Files, visible_in};
use super::drain::Drain;
use super::line::QueueLine;
use super::queue::thought_record;
use super::rows::Rows;
use super::status::last_comparison;
use super::{ARCHIVE_FILE, DEAD_LETTER_FILE, QUEUE_FILE};
use crate::clock::Millis;
use crate::error::{FileError, Result};
use crate::project::Project;
use crate::project::layout::CAPTURES_FILE;
use crate::project::ownership::MARK;

/// After this many bytes, or when something was missing, the position is written at once; otherwise with the next settlement.
const UNWRITTEN_BYTES_MAX: u64 = 256 * 1024;

impl Drain {
    /// Queues the records again that this machine captured and no file of the outbox has.
    pub(super) fn queue_missing(&mut self, now: Millis) -> Result<()> {
        let lock = match self.captures.guard() {
            Ok(lock) => lock,
            // The next lease does it.
            Err(FileError::Locked { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let before = self.state.compared;
        let mut files = Files {
            captures: &mut self.captures,
            queue: &mut self.queue,
            archive: &self.archive,
            dead: &self.dead,
            check: &self.check,
        };
        let Some(found) = files.compare(&before)? else {
            return Ok(());
        };
        let mut lines = String::new();
        for line in visible_in(&self.captures, &found.missing, now)? {
            let Some(read) = QueueLine::read(&line) else { continue };
            let record = thought_record(&read.record(), read.text(MARK).as_deref(), now);
            lines.push_str(&record);
            lines.push('\n');
        }
        if !lines.is_empty() {
            self.queue.append_lines(lines.as_bytes())?;
        }
        self.state.compared = found.compared.with_queue(&mut self.queue)?;
        drop(lock);
        if !lines.is_empty() || found.bytes >= UNWRITTEN_BYTES_MAX {
            let mut rows = Rows::new(now);
            let mut state = self.state.clone();
            self.write_rows(&mut rows, &mut state, now)?;
            self.take_rows(rows, state);
        }
        Ok(())
    }

    /// Tells whether a comparison may find something.
    pub(super) fn may_miss_records(&mut self) -> Result<bool> {
        let Some(log) = self.captures.look()? else {
            return Ok(false);
        };
        Ok(self.state.compared.is_outdated(log, self.queue.look()?))
    }
}

/// Counts the records that the next drain queues again.
///
/// # Errors
/// `IO` or `LOCKED` when the files cannot be read.
pub(crate) fn count_missing(project: &Project) -> Result<u64> {
    let (layout, now) = (&project.layout, project.now());
    let check = project.marks.try_checker()?;
    if !check.has_key() {
        return Ok(0);
    }
    let before = last_comparison(layout, &check);
    let mut captures = layout.journal_of_captures(CAPTURES_FILE);
    let found = {
        let _lock = captures.guard()?;
        let mut files = Files {
            captures: &mut captures,
            queue: &mut layout.journal_of_captures(QUEUE_FILE),
            archive: &layout.journal_under_own_lock(ARCHIVE_FILE),
            dead: &layout.journal_under_own_lock(DEAD_LETTER_FILE),
            check: &check,
        };
        files.compare(&before)?
    };
    let missing = found.map_or_else(Vec::new, |found| found.missing);
    Ok(visible_in(&captures, &missing, now)?.len() as u64)
}
