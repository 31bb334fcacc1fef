//! Scans the queue from its cursor, no further than the batch needs. Lines of one thought stay in order (a later line is blocked by
//! an unsettled earlier one), lines of different thoughts are independent.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::backoff::WAIT_MS_MAX;
use super::drain::Drain;
use super::line::{Order, QueueLine, is_own, key_of};
use super::lines::{Line, Reading, hash_name};
use super::log::{Settled, WaitingLine, tail_hash, write_key};
use super::settlement::Batch;
use super::state::{LineEvent, LineState};
use super::{Key, LeasedThought, Work};
use crate::clock::{Millis, format_iso};
use crate::error::Result;
use crate::journal::{FileState, LINE_BYTES_MAX, Span, clean, each_line};
use crate::model::thought::{LineKind, id_hash, read_line};

/// The size of the first read; later reads are larger.
const WINDOW_BYTES: u64 = 64 * 1024;

/// A line of the queue, parsed.
struct Found<'a> {
    key: Key,
    span: Span,
    bytes: &'a [u8],
    line: QueueLine<'a>,
    order: Order<'a>,
}

impl Drain {
    /// Makes the state in memory match the current file, and returns its length.
    pub(super) fn refresh(&mut self) -> Result<u64> {
        self.files.check = self.marks.try_checker()?;
        let reading = &self.reading;
        let Some(file) = self.files.queue.look()? else {
            if reading.file.is_some() || reading.cursor > 0 || reading.seen > 0 {
                self.forget();
            }
            if self.reading.file.is_none() && self.log_base == 0 {
                self.load_log()?;
            }
            return Ok(0);
        };
        let is_anchor = |bytes: &[u8]| xxh3_64(bytes) == reading.tail;
        let queue = &self.files.queue;
        if !queue.is_continued(reading.file, reading.cursor, file, is_anchor)? {
            self.forget();
            self.load(file)?;
        }
        Ok(file.len)
    }

    fn load_log(&mut self) -> Result<Settled> {
        let settled = Settled::load(&mut self.log, &self.files.check)?;
        self.state = settled.state.clone();
        self.log_base = self.log.look()?.map_or(1, |file| file.len.max(1));
        Ok(settled)
    }

    /// Forgets all offsets in the file; the leases stay.
    fn forget(&mut self) {
        self.lines.forget();
        let distrusts_spans = self.reading.distrusts_spans;
        self.reading = Reading {
            distrusts_spans,
            ..Reading::default()
        };
    }

    fn load(&mut self, file: FileState) -> Result<()> {
        let settled = self.load_log()?;
        let trusts_spans = !std::mem::take(&mut self.reading.distrusts_spans);
        let is_about = trusts_spans && settled.state.is_about(&self.files.queue, file)?;
        if is_about {
            self.reading.cursor = settled.state.from;
        } else {
            let state = &mut self.state;
            (state.done, state.done_bytes, state.moved_delivered, state.moved_failed) = (0, 0, 0, 0);
        }
        self.lines.load(settled, is_about);
        let reading = &mut self.reading;
        reading.counts_done = !is_about;
        reading.seen = reading.cursor;
        reading.file = Some(file.id);
        reading.tail = tail_hash(&self.files.queue, reading.cursor)?;
        Ok(())
    }

    /// Gathers due records. After an error the batch has the records gathered so far.
    pub(super) fn gather(&mut self, len: u64, now: Millis, batch: &mut Batch) -> Result<()> {
        while !batch.is_full()
            && let Some((key, span)) = self.lines.next_freed().or_else(|| self.lines.next_due(now))
        {
            let raw = self.files.queue.read(span)?;
            let bytes = clean(&raw);
            let is_it = key_of(bytes) == key && is_own(bytes, &self.files.check);
            let Some(line) = QueueLine::read(bytes).filter(|_| is_it) else {
                // The file was rewritten in place.
                (self.reading.file, self.reading.distrusts_spans) = (None, true);
                return Ok(());
            };
            let order = line.order();
            self.place(
                Found {
                    key,
                    span,
                    bytes,
                    line,
                    order,
                },
                now,
                batch,
            )?;
        }
        self.gather_new(len, now, batch)
    }

    /// Collects lines after the cursor.
    fn gather_new(&mut self, len: u64, now: Millis, batch: &mut Batch) -> Result<()> {
        let mut window = WINDOW_BYTES;
        while !batch.is_full() && self.reading.cursor < len {
            let offset = self.reading.cursor;
            let want = window.min(len - offset).min(LINE_BYTES_MAX as u64);
            let bytes = self.files.queue.read(Span { offset, len: want })?;
            let lines = memchr::memrchr(b'\n', &bytes).and_then(|end| bytes.get(..=end));
            let Some(lines) = lines else {
                let has_no_end = (bytes.len() as u64) < want || want == len - offset;
                if has_no_end || (want == LINE_BYTES_MAX as u64 && !self.pass_over(len)?) {
                    break;
                }
                window *= 4;
                continue;
            };
            self.gather_lines(lines, now, batch)?;
        }
        let reading = &mut self.reading;
        // A torn tail: nothing to do before the file grows.
        reading.seen = if batch.is_full() {
            reading.seen.max(reading.cursor)
        } else {
            len
        };
        reading.tail = tail_hash(&self.files.queue, reading.cursor)?;
        Ok(())
    }

    /// Takes lines that are complete.
    fn gather_lines(&mut self, bytes: &[u8], now: Millis, batch: &mut Batch) -> Result<()> {
        for (raw, line) in each_line(bytes) {
            if batch.is_full() {
                break;
            }
            let (offset, len) = (self.reading.cursor, raw.len() as u64);
            let span = Span { offset, len };
            self.reading.cursor += len;
            let key = key_of(line);
            if self.lines.settled.contains(&key) {
                let is_counted = u64::from(self.reading.counts_done);
                batch.settlement.state.done += is_counted;
                batch.settlement.state.done_bytes += is_counted * len;
                continue;
            }
            // Invalid and foreign lines stay in the file; the report counts them.
            if !self.lines.has_read(key, span.offset)
                && is_own(line, &self.files.check)
                && let Some(read) = QueueLine::read(line)
            {
                let (bytes, order) = (line, read.order());
                let found = Found {
                    key,
                    span,
                    bytes,
                    line: read,
                    order,
                };
                self.place(found, now, batch)?;
            }
        }
        Ok(())
    }

    /// Places a line that was read: it is leased, waits, is held back, or does not have to be delivered.
    fn place(&mut self, found: Found<'_>, now: Millis, batch: &mut Batch) -> Result<()> {
        let Found { key, span, order, .. } = found;
        match order {
            Order::Moved("delivered") => found.settle(LineEvent::DeliveredElsewhere, None, batch),
            Order::Moved(_) => found.settle(LineEvent::FailedElsewhere, None, batch),
            Order::Nothing(reason) => found.settle(LineEvent::Rejected, Some(reason), batch),
            Order::Store | Order::Delete | Order::DeleteNamed | Order::Rule => {
                let mut entry = found.entry(self.lines.get(key));
                let due = entry.due();
                let is_due = due <= now || span.offset < self.reading.retry_before;
                if !is_due {
                    entry.next_attempt_at = format_iso(due.min(now + WAIT_MS_MAX));
                }
                self.lines.note(key, entry);
                self.lines.open(key, names_in(&found.line, order));
                if let Some(name) = self.lines.blocking(key, concerned_in(&found.line, order)) {
                    self.lines.hold(key, name);
                } else if !is_due {
                    self.lines.wait(key);
                } else {
                    match self.work_of(&found)? {
                        Ok(work) => self.give(&found, work, batch)?,
                        Err((event, reason)) => found.settle(event, Some(reason), batch),
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the work that a line asks of a store, or why there is nothing to do.
    fn work_of(&self, found: &Found<'_>) -> Result<std::result::Result<Work, (LineEvent, &'static str)>> {
        Ok(match found.order {
            Order::Store => {
                let project = self.projects.first().map_or("", String::as_str);
                Ok(Work::Store(Box::new(found.line.thought(project))))
            }
            Order::Delete => Ok(Work::Delete(vec![found.line.id()])),
            Order::Rule => match read_line(found.bytes) {
                LineKind::Ruling(ruling) => Ok(Work::Rule(ruling)),
                _ => Err((LineEvent::Rejected, "it does not say what holds")),
            },
            _ => {
                let name = found.line.text("key").unwrap_or_default();
                let ids = self.files.delivered_under(&name)?;
                if ids.is_empty() {
                    Err((LineEvent::Needless, "nothing was delivered under this key"))
                } else {
                    Ok(Work::Delete(ids))
                }
            }
        })
    }

    /// Leases a line.
    fn give(&mut self, found: &Found<'_>, work: Work, batch: &mut Batch) -> Result<()> {
        let ids = match &work {
            Work::Store(thought) => vec![thought.id.clone()],
            Work::Delete(ids) => ids.clone(),
            Work::Rule(ruling) => vec![ruling.id.clone()],
        };
        let projects = self.projects_of(&work, &ids)?;
        self.lines.lease(found.key, ids, found.bytes);
        if let Some(Line { entry, .. }) = self.lines.get(found.key) {
            let given = LeasedThought {
                key: entry.key.clone(),
                work,
                projects,
                attempts: entry.attempts,
                enqueued_at: found.line.enqueued_at(),
                confirmed_at: found.line.confirmed_at(),
                last_error: entry.last_error.clone(),
            };
            batch.given.push((found.key, given));
        }
        Ok(())
    }

    /// Returns the names of the projects that a record may affect: a delete also those under which the thought was delivered before.
    fn projects_of(&mut self, work: &Work, ids: &[String]) -> Result<Vec<String>> {
        let mut projects = self.projects.clone();
        if let Work::Store(thought) = work {
            if !projects.contains(&thought.project) {
                projects.push(thought.project.clone());
            }
            return Ok(projects);
        }
        if self.renamed.is_none() {
            self.renamed = Some(self.files.delivered_elsewhere(&self.projects)?);
        }
        let renamed = self.renamed.as_ref();
        let others = ids.iter().filter_map(|id| renamed?.get(&id_hash(id)));
        projects.extend(others.flatten().cloned());
        Ok(projects)
    }

    /// Moves the cursor past an oversized line. False when it has no end yet.
    fn pass_over(&mut self, len: u64) -> Result<bool> {
        let mut offset = self.reading.cursor;
        while offset < len {
            let bytes = self.files.queue.read(Span { offset, len: 1 << 20 })?;
            if bytes.is_empty() {
                break;
            }
            if let Some(end) = memchr::memchr(b'\n', &bytes) {
                self.reading.cursor = offset + end as u64 + 1;
                return Ok(true);
            }
            offset += bytes.len() as u64;
        }
        Ok(false)
    }
}

impl Found<'_> {
    /// Settles a line without a store.
    fn settle(&self, event: LineEvent, reason: Option<&str>, batch: &mut Batch) {
        let step = (self.key, LineState::Unread, event);
        let line = (self.bytes, self.span.len);
        batch.settlement.settle(step, line, 0, reason);
    }

    /// Returns its entry for the log: the known attempts, or else those that the line itself tells.
    fn entry(&self, known: Option<&Line>) -> WaitingLine {
        let (at, len) = (self.span.offset, self.span.len);
        if let Some(Line { entry, .. }) = known {
            return WaitingLine {
                at,
                len,
                ..entry.clone()
            };
        }
        let ids = match self.order {
            Order::DeleteNamed => Vec::new(),
            _ => vec![self.line.id()],
        };
        WaitingLine {
            key: write_key(self.key),
            at,
            len,
            ids,
            named: self.line.text("key").map(Cow::into_owned),
            attempts: self.line.attempts(),
            next_attempt_at: self
                .line
                .text("_nextAttemptAt")
                .map(Cow::into_owned)
                .unwrap_or_default(),
            last_error: self.line.last_error(),
        }
    }
}

/// The id hashes of the thoughts of a line.
fn names_in(line: &QueueLine<'_>, order: Order<'_>) -> Vec<u64> {
    let named = || line.text("key").map(|key| hash_name(&key));
    match order {
        Order::DeleteNamed => named().into_iter().collect(),
        Order::Delete | Order::Rule => vec![id_hash(&line.id())],
        Order::Store => std::iter::once(id_hash(&line.id())).chain(named()).collect(),
        // Other records do not wait for one that is not delivered.
        Order::Moved(_) | Order::Nothing(_) => Vec::new(),
    }
}

/// The id hashes of other thoughts that have to be settled before.
fn concerned_in(line: &QueueLine<'_>, order: Order<'_>) -> Option<u64> {
    match order {
        Order::Store => line.supersedes().map(|id| id_hash(&id)),
        _ => None,
    }
}
