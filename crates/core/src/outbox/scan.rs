//! Scans the queue from its cursor, no further than the batch needs. Lines of one thought stay in order (a later line is blocked by
//! an unsettled earlier one), lines of different thoughts are independent.

use std::cmp::Reverse;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::backoff::WAIT_MS_MAX;
use super::drain::Drain;
use super::lease::{Leased, hash_name, names_of};
use super::line::{Order, QueueLine, is_own, key_of};
use super::rows::Undeliverable;
use super::settled::{Settled, WaitingLine, tail_hash, write_key};
use super::{Key, LeasedThought, Work};
use crate::clock::{Millis, format_iso};
use crate::error::Result;
use crate::journal::{LINE_BYTES_MAX, Span, clean, each_line};
use crate::model::thought::{LineKind, id_hash, read_line};

/// The size of the first read; later reads are larger.
const WINDOW_BYTES: u64 = 64 * 1024;

/// A record that is about to be leased.
pub(super) type Candidate = (Key, LeasedThought);

/// A line of the queue, parsed.
struct Found<'a> {
    key: Key,
    span: Span,
    bytes: &'a [u8],
    line: QueueLine<'a>,
    order: Order<'a>,
    /// The id hashes of its thoughts.
    names: Vec<u64>,
}

impl<'a> Found<'a> {
    fn new(key: Key, span: Span, bytes: &'a [u8], line: QueueLine<'a>) -> Self {
        let order = line.order();
        let names = names_in(&line, order);
        Found {
            key,
            span,
            bytes,
            line,
            order,
            names,
        }
    }
}

impl Drain {
    /// Makes the state in memory match the current file, and returns its length.
    pub(super) fn refresh(&mut self) -> Result<u64> {
        self.check = self.marks.try_checker()?;
        let Some(file) = self.queue.look()? else {
            if self.file.is_some() || self.cursor > 0 || self.seen > 0 {
                self.forget();
                self.file = None;
            }
            if self.file.is_none() && self.log_base == 0 {
                self.load_log()?;
            }
            return Ok(0);
        };
        let is_anchor = |bytes: &[u8]| xxh3_64(bytes) == self.tail;
        let is_known = self.queue.is_continued(self.file, self.cursor, file, is_anchor)?;
        if !is_known {
            self.forget();
            self.load(file)?;
        }
        Ok(file.len)
    }

    fn load_log(&mut self) -> Result<Settled> {
        let settled = Settled::load(&mut self.log, &self.check)?;
        self.state = settled.state.clone();
        self.log_base = self.log.look()?.map_or(1, |file| file.len.max(1));
        Ok(settled)
    }

    /// Forgets all offsets in the file; the leases stay.
    fn forget(&mut self) {
        self.done.clear();
        self.remembered.clear();
        self.waiting.clear();
        self.unlogged.clear();
        self.due.clear();
        self.held.clear();
        self.blocked.clear();
        self.freed.clear();
        self.open.clear();
        self.undeliverable.clear();
        (self.cursor, self.tail, self.seen, self.retry_before) = (0, 0, 0, 0);
    }

    fn load(&mut self, file: crate::journal::FileState) -> Result<()> {
        let mut settled = self.load_log()?;
        let is_about = !std::mem::take(&mut self.distrusts_spans) && settled.state.is_about(&self.queue, file)?;
        self.done = settled.done;
        for key in self.leased.keys() {
            settled.waiting.remove(key);
        }
        if is_about {
            self.cursor = settled.state.from;
            for (key, line) in settled.waiting {
                let names = names_of(&line);
                self.open_names(&names, line.at);
                self.due.push(Reverse((line.due(), line.at, key)));
                self.waiting.insert(key, line);
            }
        } else {
            self.remembered = settled.waiting;
            let state = &mut self.state;
            (state.done, state.done_bytes, state.moved_delivered, state.moved_failed) = (0, 0, 0, 0);
        }
        self.counts_done = !is_about;
        self.seen = self.cursor;
        let mut leased = std::mem::take(&mut self.leased);
        for record in leased.values_mut() {
            // Its new offset is found during the scan.
            (record.open_at, record.logged) = (0, None);
            record.span.offset = 0;
            self.open_names(&record.names, 0);
        }
        self.leased = leased;
        self.file = Some(file.id);
        self.tail = tail_hash(&self.queue, self.cursor)?;
        Ok(())
    }

    /// Gathers at most `max` due records. After an error the batch has the records gathered so far.
    pub(super) fn gather(&mut self, max: usize, len: u64, now: Millis, batch: &mut Vec<Candidate>) -> Result<()> {
        self.gather_freed(max, now, batch)?;
        self.gather_waiting(max, now, batch)?;
        self.gather_new(max, len, now, batch)
    }

    /// Collects lines that are no longer blocked.
    fn gather_freed(&mut self, max: usize, now: Millis, batch: &mut Vec<Candidate>) -> Result<()> {
        while batch.len() < max
            && let Some(offset) = self.freed.pop_first()
        {
            let Some(span) = self.held.remove(&offset) else {
                continue;
            };
            let bytes = self.queue.read(span)?;
            let bytes = clean(&bytes);
            if let Some(line) = QueueLine::read(bytes).filter(|_| is_own(bytes, &self.check)) {
                let key = key_of(bytes);
                if self.done.contains(&key) {
                    // A duplicate line.
                    let names = names_in(&line, line.order());
                    self.close_names(&names, offset);
                    continue;
                }
                self.place(Found::new(key, span, bytes, line), now, batch)?;
            }
        }
        Ok(())
    }

    /// Gathers lines whose back-off is over.
    fn gather_waiting(&mut self, max: usize, now: Millis, batch: &mut Vec<Candidate>) -> Result<()> {
        while batch.len() < max
            && let Some(Reverse((due, _, key))) = self.due.peek().copied()
            && due <= now
        {
            self.due.pop();
            let is_current = |waiting: &WaitingLine| waiting.due() == due;
            if !self.waiting.get(&key).is_some_and(is_current) {
                continue;
            }
            let Some(waiting) = self.waiting.remove(&key) else {
                continue;
            };
            let is_logged = !self.unlogged.remove(&key);
            let span = waiting.span();
            let raw = self.queue.read(span)?;
            let bytes = clean(&raw);
            let is_it = key_of(bytes) == key && is_own(bytes, &self.check);
            let line = QueueLine::read(bytes).filter(|_| is_it);
            let Some(line) = line else {
                // The file was rewritten in place.
                (self.file, self.distrusts_spans) = (None, true);
                return Ok(());
            };
            let found = Found::new(key, span, bytes, line);
            batch.extend(self.candidate(found, Some((waiting, is_logged)))?);
        }
        Ok(())
    }

    /// Collects lines after the cursor.
    fn gather_new(&mut self, max: usize, len: u64, now: Millis, batch: &mut Vec<Candidate>) -> Result<()> {
        if self.file.is_none() {
            return Ok(());
        }
        let mut window = WINDOW_BYTES;
        while batch.len() < max && self.cursor < len {
            let want = window.min(len - self.cursor).min(LINE_BYTES_MAX as u64);
            let bytes = self.queue.read(Span {
                offset: self.cursor,
                len: want,
            })?;
            let lines = memchr::memrchr(b'\n', &bytes).and_then(|end| bytes.get(..=end));
            let Some(lines) = lines else {
                let has_no_end = (bytes.len() as u64) < want || want == len - self.cursor;
                if has_no_end || (want == LINE_BYTES_MAX as u64 && !self.pass_over(len)?) {
                    break;
                }
                window *= 4;
                continue;
            };
            self.gather_lines(lines, max, now, batch)?;
        }
        if batch.len() < max {
            // A torn tail: nothing to do before the file grows.
            self.seen = len;
        } else {
            self.seen = self.seen.max(self.cursor);
        }
        self.tail = tail_hash(&self.queue, self.cursor)?;
        Ok(())
    }

    /// Takes lines that are complete.
    fn gather_lines(&mut self, bytes: &[u8], max: usize, now: Millis, batch: &mut Vec<Candidate>) -> Result<()> {
        for (raw, line) in each_line(bytes) {
            if batch.len() >= max {
                break;
            }
            let span = Span {
                offset: self.cursor,
                len: raw.len() as u64,
            };
            self.cursor += span.len;
            let key = key_of(line);
            if self.is_settled_or_known(key, span) {
                continue;
            }
            // Invalid and foreign lines stay in the file; the report counts them.
            if is_own(line, &self.check)
                && let Some(read) = QueueLine::read(line)
            {
                self.admit(Found::new(key, span, line, read), now, batch)?;
            }
        }
        Ok(())
    }

    fn is_settled_or_known(&mut self, key: Key, span: Span) -> bool {
        if self.done.contains(&key) {
            if self.counts_done {
                self.state.done += 1;
                self.state.done_bytes += span.len;
            }
            return true;
        }
        if let Some(leased) = self.leased.get_mut(&key) {
            leased.span.offset = span.offset;
            return true;
        }
        self.waiting.contains_key(&key)
    }

    /// Processes a line that is scanned for the first time.
    fn admit(&mut self, found: Found<'_>, now: Millis, batch: &mut Vec<Candidate>) -> Result<()> {
        match found.order {
            Order::Moved(status) => {
                let line = Undeliverable::moved(found.key, found.span, found.bytes, status);
                self.undeliverable.push(line);
                return Ok(());
            }
            Order::Nothing(reason) => {
                self.undeliverable
                    .push(Undeliverable::dead(found.key, found.span, found.bytes, reason));
                return Ok(());
            }
            Order::Store | Order::Delete | Order::DeleteNamed | Order::Rule => {}
        }
        self.open_names(&found.names, found.span.offset);
        self.place(found, now, batch)
    }

    /// Leases a due line, or blocks it while an earlier one about the same thought is unsettled.
    fn place(&mut self, found: Found<'_>, now: Millis, batch: &mut Vec<Candidate>) -> Result<()> {
        let concerned = concerned_in(&found.line, found.order);
        let offset = found.span.offset;
        let is_taken = |name: &&u64| {
            let places = self.open.get(name);
            places.is_some_and(|places| places.iter().any(|at| *at < offset))
        };
        if let Some(name) = found.names.iter().chain(&concerned).find(is_taken).copied() {
            self.blocked.entry(name).or_default().push(offset);
            self.held.insert(offset, found.span);
            return Ok(());
        }
        let remembered = self.remembered.remove(&found.key);
        let due = remembered.as_ref().map_or_else(|| found.line.due(), WaitingLine::due);
        let is_due = due <= now || offset < self.retry_before;
        let is_logged = remembered.is_some();
        if is_due && !is_logged {
            batch.extend(self.candidate(found, None)?);
            return Ok(());
        }
        let line = waiting_line(&found, remembered, due.min(now + WAIT_MS_MAX));
        if is_due {
            batch.extend(self.candidate(found, Some((line, is_logged)))?);
        } else {
            self.due.push(Reverse((line.due(), offset, found.key)));
            if !is_logged {
                self.unlogged.insert(found.key);
            }
            self.waiting.insert(found.key, line);
        }
        Ok(())
    }

    fn candidate(&mut self, found: Found<'_>, waiting: Option<(WaitingLine, bool)>) -> Result<Option<Candidate>> {
        let work = match found.order {
            Order::Store => Work::Store(Box::new(found.line.thought(self.project()))),
            Order::Delete => Work::Delete(vec![found.line.id()]),
            Order::Rule => match read_line(found.bytes) {
                LineKind::Ruling(ruling) => Work::Rule(ruling),
                _ => {
                    let reason = "it does not say what holds";
                    let mut line = Undeliverable::dead(found.key, found.span, found.bytes, reason);
                    line.names = found.names;
                    self.undeliverable.push(line);
                    return Ok(None);
                }
            },
            _ => {
                let name = found.line.text("key").unwrap_or_default();
                let ids = self.delivered_under(&name)?;
                if ids.is_empty() {
                    let reason = "nothing was delivered under this key";
                    let mut line = Undeliverable::gone(found.key, found.span, found.bytes, reason);
                    line.names = found.names;
                    self.undeliverable.push(line);
                    return Ok(None);
                }
                Work::Delete(ids)
            }
        };
        let ids = match &work {
            Work::Store(thought) => vec![thought.id.clone()],
            Work::Delete(ids) => ids.clone(),
            Work::Rule(ruling) => vec![ruling.id.clone()],
        };
        let (attempts, last_error) = match &waiting {
            Some((line, _)) => (line.attempts, line.last_error.clone()),
            None => (found.line.attempts(), found.line.last_error()),
        };
        let projects = self.projects_of(&work)?;
        let given = LeasedThought {
            key: write_key(found.key),
            work,
            projects,
            attempts,
            enqueued_at: found.line.enqueued_at(),
            confirmed_at: found.line.confirmed_at(),
            last_error,
        };
        let leased = Leased {
            bytes: found.bytes.to_vec(),
            span: found.span,
            ids,
            names: found.names,
            open_at: found.span.offset,
            attempts,
            logged: waiting.filter(|(_, is_logged)| *is_logged).map(|(line, _)| line),
        };
        // Registered at once: a duplicate in the same scan must be recognised.
        self.leased.insert(found.key, leased);
        Ok(Some((found.key, given)))
    }

    /// Moves the cursor past an oversized line. False when it has no end yet.
    fn pass_over(&mut self, len: u64) -> Result<bool> {
        let mut at = self.cursor;
        while at < len {
            let bytes = self.queue.read(Span {
                offset: at,
                len: 1 << 20,
            })?;
            if bytes.is_empty() {
                break;
            }
            if let Some(end) = memchr::memchr(b'\n', &bytes) {
                self.cursor = at + end as u64 + 1;
                return Ok(true);
            }
            at += bytes.len() as u64;
        }
        Ok(false)
    }

    pub(super) fn open_names(&mut self, names: &[u64], at: u64) {
        for name in names {
            self.open.entry(*name).or_default().push(at);
        }
    }

    /// Unblocks lines that waited for a settled line about these thoughts.
    pub(super) fn close_names(&mut self, names: &[u64], at: u64) {
        for name in names {
            if let Some(places) = self.open.get_mut(name) {
                if let Some(found) = places.iter().position(|place| *place == at) {
                    places.swap_remove(found);
                }
                if places.is_empty() {
                    self.open.remove(name);
                }
            }
            self.freed.extend(self.blocked.remove(name).unwrap_or_default());
        }
    }

    /// The offset up to which a settlement may declare the queue scanned.
    pub(super) fn floor(&self, settled: &FxHashSet<Key>) -> u64 {
        let leased = self
            .leased
            .iter()
            .filter(|(key, leased)| leased.logged.is_none() && !settled.contains(key))
            .map(|(_, leased)| leased.span.offset);
        let undeliverable = self.undeliverable.iter().map(|line| line.span.offset);
        let held = self.held.keys().next().copied();
        let all = leased.chain(held).chain(undeliverable);
        all.chain(std::iter::once(self.cursor)).min().unwrap_or(0)
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

fn waiting_line(found: &Found<'_>, remembered: Option<WaitingLine>, due: Millis) -> WaitingLine {
    let ids = match found.order {
        Order::DeleteNamed => Vec::new(),
        _ => vec![found.line.id()],
    };
    let (attempts, last_error) = match &remembered {
        Some(line) => (line.attempts, line.last_error.clone()),
        None => (found.line.attempts(), found.line.last_error()),
    };
    WaitingLine {
        key: write_key(found.key),
        at: found.span.offset,
        len: found.span.len,
        ids,
        named: found.line.text("key").map(std::borrow::Cow::into_owned),
        attempts,
        next_attempt_at: format_iso(due),
        last_error,
    }
}
