//! Records that this machine captured and that no file of the outbox has: the process ended between the raw log and the queue, the
//! queue could not take them, or its files were deleted, as by `git clean -fdx`. The drain queues them again.
//!
//! Records that this machine wrote are known by their mark in the raw log. Only lines appended since the last comparison are read, or all lines
//! when a file was deleted or rewritten by others. The lock of captures is held meanwhile, so that no record is between two files.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::files::{Compared, Files, Place, each_line_in, generations};
use super::line::{QueueLine, is_own};
use super::log::read_unsettled;
use super::queue::thought_record;
use crate::clock::Millis;
use crate::error::{FileError, Result};
use crate::journal::{Line, Span, clean, read_file};
use crate::judgement::gone::find_hidden;
use crate::model::thought::{LineKind, id_hash, read_line};
use crate::project::Project;
use crate::project::ownership::{Checker, MARK};

/// After this many bytes, or when something was missing, the position is written at once; otherwise with the next settlement.
const UNWRITTEN_BYTES_MAX: u64 = 256 * 1024;

/// An own record: its line, and when it was captured.
type Own = FxHashMap<u64, (Span, Millis)>;

/// The result of a comparison.
struct Found {
    /// The lines in the raw log.
    missing: Vec<Span>,
    compared: Compared,
    /// How many bytes of the raw log were read.
    bytes: u64,
}

impl Files {
    /// Queues the records again that this machine captured and no file of the outbox has. Returns how far was compared, and whether that should
    /// be written at once; `None` when nothing was to compare, or a capture holds the lock: the next drain does it then.
    pub fn queue_missing(&mut self, before: &Compared, now: Millis) -> Result<Option<(Compared, bool)>> {
        let _lock = match self.captures.guard() {
            Ok(lock) => lock,
            Err(FileError::Locked { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let Some(found) = self.compare(before, now)? else {
            return Ok(None);
        };
        let mut lines = String::new();
        for line in self.visible(&found.missing, now)? {
            let Some(read) = QueueLine::read(&line) else { continue };
            let record = thought_record(&read.record(), read.text(MARK).as_deref(), now);
            lines.push_str(&record);
            lines.push('\n');
        }
        if !lines.is_empty() {
            self.queue.append_lines(lines.as_bytes())?;
        }
        let is_news = !lines.is_empty() || found.bytes >= UNWRITTEN_BYTES_MAX;
        Ok(Some((found.compared.with_queue(&mut self.queue)?, is_news)))
    }

    /// True if a comparison may find something.
    pub fn may_miss_records(&mut self, before: &Compared) -> Result<bool> {
        let Some(log) = self.captures.look()? else {
            return Ok(false);
        };
        Ok(before.is_outdated(log, self.queue.look()?))
    }

    /// Returns `None` when nothing was appended to the raw log, and nothing taken from the queue.
    fn compare(&mut self, before: &Compared, now: Millis) -> Result<Option<Found>> {
        let Some(log) = self.captures.look()? else {
            return Ok(None);
        };
        let is_continued = before.log.is_in(&self.captures, log)?;
        let has_queue = before.queue.file.is_none()
            || match self.queue.look()? {
                Some(queue) => before.queue.is_in(&self.queue, queue)?,
                None => before.queue.upto == 0,
            };
        if is_continued && before.log.upto == log.len && has_queue {
            return Ok(None);
        }
        let (from, since) = match (has_queue, is_continued) {
            (true, true) => (before.log.upto, Millis::MIN),
            (true, false) => (0, before.newest),
            // somebody has deleted or rewritten it
            (false, _) => (0, Millis::MIN),
        };
        let mut newest = before.newest;
        let mut own = Own::default();
        let end = self.captures.scan(from, log.len, &mut |line| {
            if let Some((id, at_ms)) = own_record(line, &self.check).filter(|(_, at_ms)| *at_ms >= since) {
                // What is dated ahead is no reason to pass over what is captured until then.
                newest = newest.max(at_ms.min(now));
                own.insert(id, (span_of(line), at_ms));
            }
        })?;
        let mut compared = Compared {
            log: Place::at(&self.captures, log, end)?,
            newest,
            ..*before
        };
        self.remove_queued(&mut own, &mut compared)?;
        self.remove_settled(&mut own)?;
        let mut missing: Vec<Span> = own.into_values().map(|(span, _)| span).collect();
        missing.sort_unstable_by_key(|span| span.offset);
        Ok(Some(Found {
            missing,
            compared,
            bytes: end - from,
        }))
    }

    fn remove_queued(&mut self, own: &mut Own, compared: &mut Compared) -> Result<()> {
        let Some(queue) = self.queue.look()? else {
            compared.queue = Place::default();
            return Ok(());
        };
        let from = if compared.queue.is_in(&self.queue, queue)? {
            compared.queue.upto
        } else {
            0
        };
        let end = self.queue.scan(from, queue.len, &mut |line| {
            remove(own, line.bytes, &self.check);
        })?;
        compared.queue = Place::at(&self.queue, queue, end)?;
        Ok(())
    }

    /// A record that left the queue since the last comparison is in one of these.
    fn remove_settled(&mut self, own: &mut Own) -> Result<()> {
        let [rotated, archive] = generations(self.archive.path());
        let others = [archive, self.dead.path().to_path_buf(), self.queue.path().to_path_buf()];
        let mut oldest = None;
        for (is_rotated, path) in std::iter::once((true, rotated)).chain(others.map(|path| (false, path))) {
            if own.is_empty() {
                break;
            }
            each_line_in(self.archive.disk().as_ref(), [path], None, |line| {
                let at_ms = remove(own, line, &self.check);
                oldest = oldest.or(at_ms.filter(|_| is_rotated));
            })?;
        }
        // The archive keeps two generations: older records were delivered before.
        own.retain(|_, (_, at_ms)| oldest.is_none_or(|oldest| *at_ms >= oldest));
        Ok(())
    }

    /// Returns the lines of missing records that an answer would show.
    fn visible(&self, missing: &[Span], now: Millis) -> Result<Vec<Vec<u8>>> {
        let mut lines = Vec::with_capacity(missing.len());
        if missing.is_empty() {
            return Ok(lines);
        }
        let captures = &self.captures;
        let whole = read_file(captures.disk().as_ref(), captures.path())?.unwrap_or_default();
        let hidden = find_hidden(&whole, now);
        for span in missing {
            let line = clean(&captures.read(*span)?).to_vec();
            let is_wanted = match read_line(&line) {
                LineKind::Record(fields) => !hidden.contains(fields.id.as_ref()),
                LineKind::Ruling(_) => true,
                _ => false,
            };
            if is_wanted {
                lines.push(line);
            }
        }
        Ok(lines)
    }
}

/// Returns the key of a record or a ruling, the same in any file, and its time.
fn named(line: &[u8]) -> Option<(u64, Millis)> {
    match read_line(line) {
        LineKind::Record(fields) => Some((id_hash(&fields.id), fields.at_ms)),
        LineKind::Ruling(ruling) if ruling.kind.is_shared() => Some((xxh3_64(ruling.line().as_bytes()), ruling.at_ms)),
        _ => None,
    }
}

/// Returns the same for a line of the raw log that this machine wrote.
fn own_record(line: Line<'_>, check: &Checker) -> Option<(u64, Millis)> {
    memchr::memmem::find(line.bytes, MARK.as_bytes())?;
    named(line.bytes).filter(|_| is_own(line.bytes, check))
}

/// Removes the record of a line of the outbox, and returns when it was captured.
fn remove(own: &mut Own, line: &[u8], check: &Checker) -> Option<Millis> {
    if own.is_empty() {
        return None;
    }
    let (name, at_ms) = named(line)?;
    if own.contains_key(&name) && is_own(line, check) {
        own.remove(&name);
    }
    Some(at_ms)
}

fn span_of(line: Line<'_>) -> Span {
    Span {
        offset: line.offset,
        len: line.span,
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
    let before = read_unsettled(layout, &check).compared();
    let mut files = Files::of(layout, check);
    let found = {
        let _lock = files.captures.guard()?;
        files.compare(&before, now)?
    };
    let missing = found.map_or_else(Vec::new, |found| found.missing);
    Ok(files.visible(&missing, now)?.len() as u64)
}
