//! Follows the event log (like `tail -F`) while other processes append to it.
//!
//! A tail returns every event exactly once and in order, across rotation, truncation, replacement and partially written lines. It
//! takes no lock and writes nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::hash::Hasher;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::{FxHashSet, FxHasher};

use super::generations::{EventFile, event_files};
use super::head::{Head, read_head};
use super::own::{Listed, Ownership};
use super::place::{Place, choose};
use super::position::{EventFilter, Position, Start};
use super::readers::LiveReader;
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::{Disk, DiskFile, FileId, Follower, Line, scan_lines};
use crate::project::ownership::Marks;

/// Where to start, and which events to read.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TailOptions {
    /// Starts after the event with this sequence number.
    #[schemars(with = "Option<u64>", range(min = 0))]
    pub since: Option<f64>,
    /// Starts this many events before the end; 0 when neither is given.
    pub newest: Option<f64>,
    /// Only these types, which may end with the wildcard `*`; all when absent.
    pub handles: Option<Vec<String>>,
    /// Ends at this position of another tail.
    pub until: Option<String>,
    /// Prevents unread events from being rotated away, until `close`, the end of the process, or 64 MiB of them.
    pub live: bool,
}

/// The limits of a read.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TailReadOptions {
    /// The approximate number of bytes to read.
    pub bytes: Option<f64>,
    /// Only these types; all when absent.
    pub handles: Option<Vec<String>>,
    /// Ends at this position of another tail.
    pub until: Option<String>,
}

/// How many of the last events are remembered, to recognise them in a file that was rewritten.
const SEEN_MAX: usize = 4096;
/// How often the search for the next file is repeated during concurrent rotations.
const TRIES: usize = 64;
/// Lines of other tools have no number: the n-th one after event s gets the number s + n * this.
const UNNUMBERED_STEP: f64 = 1e-6;

/// A stored event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TailEvent {
    /// Its number.
    pub seq: f64,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The event as JSON.
    pub line: String,
}

/// A gap: events that were rotated away before they were read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TailGap {
    /// The last sequence number before the gap.
    pub after_seq: f64,
    /// The first sequence number after it.
    pub before_seq: f64,
}

/// The result of one read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TailBatch {
    /// The matching events, in order.
    pub events: Vec<TailEvent>,
    /// Set when files were removed before they were read: the numbers before and after the gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<TailGap>,
    /// True when there is nothing more to read now.
    pub done: bool,
}

/// A position in the event files that moves forward.
#[derive(Debug)]
pub struct EventTail {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    ownership: Ownership,
    open: Option<Open>,
    /// The number of the last event read, and how many events without a number have followed it.
    number: u64,
    unnumbered: u32,
    /// Events up to this number are skipped.
    after: f64,
    /// True until the first event of the file after a rotation was read.
    at_rotation: bool,
    seen: VecDeque<(u64, u64, Millis)>,
    /// The last events returned, to recognise them after a rewrite.
    known: Option<Known>,
    passed_over: u64,
    /// The registration that prevents rotation of unread events.
    reader: Option<LiveReader>,
}

#[derive(Debug)]
struct Open {
    file: Box<dyn DiskFile>,
    id: FileId,
    followed: Follower,
}

enum Next {
    Opened,
    /// A concurrent rotation has moved the files.
    Moved,
    None,
}

impl Open {
    fn at(file: Box<dyn DiskFile>, offset: u64) -> io::Result<Self> {
        let state = file.state()?;
        let mut followed = Follower::of(state);
        followed.advance(file.as_ref(), state, offset)?;
        Ok(Open {
            file,
            id: state.id,
            followed,
        })
    }
}

#[derive(Debug)]
struct Known {
    events: FxHashSet<(u64, u64)>,
    oldest: (u64, Millis),
}

impl EventTail {
    /// Opens the event file at `path` at `start`, counting only `wants` for [`Start::Newest`], and not beyond
    /// `until`. A file that is not there yet is followed from its beginning.
    pub fn open(
        disk: Arc<dyn Disk>,
        path: PathBuf,
        marks: &Arc<Marks>,
        start: Start,
        filter: &EventFilter,
        until: Option<Position>,
    ) -> Result<Self> {
        let mut tail = EventTail {
            ownership: Ownership::of(&path, Arc::clone(marks)),
            disk,
            path,
            open: None,
            number: 0,
            unnumbered: 0,
            after: -1.0,
            at_rotation: false,
            seen: VecDeque::new(),
            known: None,
            passed_over: 0,
            reader: None,
        };
        let chosen = choose(tail.disk.as_ref(), &tail.path, &tail.ownership, start, filter, until)
            .map_err(Error::io("read", &tail.path))?;
        if let Start::After(after) = start {
            tail.after = after;
            tail.number = after as u64;
            tail.at_rotation = true;
        }
        if let Some(Place { file, offset, base }) = chosen {
            if matches!(start, Start::Newest(_)) {
                tail.number = base;
            }
            tail.open = Some(Open::at(file, offset).map_err(Error::io("read", &tail.path))?);
        }
        Ok(tail)
    }

    /// Prevents the rotation of events that this tail has not read, from now on.
    pub(super) fn live_by(&mut self, reader: LiveReader) {
        self.reader = Some(reader);
        self.announce();
    }

    /// Ends that. The tail can still be read, as one that is not live.
    pub fn let_go(&mut self) {
        self.reader = None;
    }

    fn announce(&self) {
        if let (Some(reader), Some(open)) = (&self.reader, &self.open) {
            reader.stand_in(open.id);
        }
    }

    /// Returns the number of the last event read.
    pub fn seq(&self) -> f64 {
        self.number as f64 + f64::from(self.unnumbered) * UNNUMBERED_STEP
    }

    /// Returns its position; `None` before there is a file.
    pub fn position(&self) -> Option<Position> {
        self.open.as_ref().map(|open| Position {
            file: open.id,
            offset: open.followed.covered(),
        })
    }

    /// Returns how many lines were not events.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Reads about `bytes` more of the file, but not beyond `until`.
    pub fn read(&mut self, bytes: u64, filter: &EventFilter, until: Option<Position>) -> Result<TailBatch> {
        let path = self.path.clone();
        self.read_on(bytes.max(1), filter, until)
            .map_err(Error::io("read", &path))
    }

    fn read_on(&mut self, bytes: u64, filter: &EventFilter, until: Option<Position>) -> io::Result<TailBatch> {
        let mut batch = TailBatch::default();
        let mut left = bytes;
        loop {
            if self.open.is_none() && !self.open_oldest_ahead()? {
                batch.done = true;
                return Ok(batch);
            }
            let Some((len, id)) = self.look()? else { continue };
            let limit = until.filter(|end| end.file == id).map(|end| end.offset);
            let taken = self.take(limit.unwrap_or(len).min(len), left, filter, &mut batch)?;
            left = left.saturating_sub(taken);
            if taken > 0 && left > 0 {
                continue;
            }
            if left == 0 {
                return Ok(batch);
            }
            if limit.is_some() || !self.advance(len)? {
                self.known = None;
                batch.done = true;
                return Ok(batch);
            }
        }
    }

    /// Returns the length of the open file; `None` when it is not the file that was read, and reading starts over.
    fn look(&mut self) -> io::Result<Option<(u64, FileId)>> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let state = open.file.state()?;
        if open.followed.continues(open.file.as_ref(), state)? {
            return Ok(Some((state.len, open.id)));
        }
        open.followed = Follower::of(state);
        self.recognise();
        Ok(None)
    }

    /// Reads complete lines up to `end`, about `left` bytes, and returns the number of bytes read.
    fn take(&mut self, end: u64, left: u64, filter: &EventFilter, batch: &mut TailBatch) -> io::Result<u64> {
        let Some(mut open) = self.open.take() else { return Ok(0) };
        let from = open.followed.covered();
        let mut window = left;
        let outcome = loop {
            let to = end.min(from.saturating_add(window));
            let scanned = scan_lines(open.file.as_ref(), from, to, &mut |line| {
                self.take_line(&line, filter, batch);
            });
            match scanned {
                // One line is longer than the window.
                Ok(at) if at == from && to < end => window = window.saturating_mul(4),
                other => break other,
            }
        };
        if let Ok(at) = outcome
            && at > from
        {
            let state = open.file.state()?;
            open.followed.advance(open.file.as_ref(), state, at)?;
        }
        self.open = Some(open);
        outcome.map(|at| at - from)
    }

    fn take_line(&mut self, line: &Line<'_>, filter: &EventFilter, batch: &mut TailBatch) {
        let head = if line.oversized { None } else { read_head(line.bytes) };
        let Some(head) = head else {
            self.passed_over += 1;
            return;
        };
        let hash = hash_of(line.bytes);
        if self.is_known(&head, hash) {
            return;
        }
        let before = self.seq();
        match head.number {
            Some(number) => (self.number, self.unnumbered) = (number, 0),
            None => self.unnumbered += 1,
        }
        let seq = self.seq();
        if std::mem::take(&mut self.at_rotation) && head.number.is_some() && seq.floor() > before.floor() + 1.0 {
            batch.lost = Some(TailGap {
                after_seq: before,
                before_seq: seq,
            });
        }
        if seq <= self.after {
            return;
        }
        self.after = -1.0;
        if self.seen.len() >= SEEN_MAX {
            self.seen.pop_front();
        }
        self.seen.push_back((self.number, hash, head.at));
        if filter.has(&head.kind) {
            batch.events.push(event_of(&head, seq, line.bytes));
        }
    }

    fn is_known(&self, head: &Head<'_>, hash: u64) -> bool {
        let Some(known) = &self.known else { return false };
        let number = head.number.unwrap_or(self.number);
        known.events.contains(&(number, hash)) || (number <= known.oldest.0 && head.at <= known.oldest.1)
    }

    /// From here on the file may repeat events that were already returned.
    fn recognise(&mut self) {
        let oldest = self.seen.front().map_or((0, 0), |(number, _, at)| (*number, *at));
        let events = self.seen.iter().map(|(number, hash, _)| (*number, *hash)).collect();
        self.known = Some(Known { events, oldest });
    }

    /// Moves to the next file when the open one is no longer the newest. `len` is its length when it was read.
    fn advance(&mut self, len: u64) -> io::Result<bool> {
        let Some(open) = &self.open else { return Ok(false) };
        match self.disk.stat_untimed(&self.path) {
            Ok(state) if state.id == open.id => return Ok(false),
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        // It may have grown until it was rotated.
        if open.file.state()?.len > len {
            return Ok(true);
        }
        let ours = open.id;
        for _ in 0..TRIES {
            let files = event_files(self.disk.as_ref(), &self.path);
            let Some(younger) = files.iter().position(|file| file.id == ours) else {
                self.recognise();
                return self.open_oldest_ahead();
            };
            match self.open_next(files.iter().take(younger).rev(), |_, _| Ok(true))? {
                Next::Opened => return Ok(true),
                Next::None => return Ok(false),
                Next::Moved => std::thread::yield_now(),
            }
        }
        // The next read goes on.
        Ok(false)
    }

    /// Opens the first of these files that this machine created and that `is_wanted`.
    fn open_next<'f>(
        &mut self,
        files: impl Iterator<Item = &'f EventFile>,
        is_wanted: impl Fn(&Self, &dyn DiskFile) -> io::Result<bool>,
    ) -> io::Result<Next> {
        for listed in files {
            match self.ownership.open_listed(self.disk.as_ref(), listed)? {
                Listed::Own(file, _) if is_wanted(self, file.as_ref())? => {
                    self.begin(Open::at(file, 0)?);
                    return Ok(Next::Opened);
                }
                Listed::Own(..) | Listed::Foreign => {}
                Listed::Moved => return Ok(Next::Moved),
            }
        }
        Ok(Next::None)
    }

    fn begin(&mut self, opened: Open) {
        self.open = Some(opened);
        self.at_rotation = true;
        self.announce();
    }

    /// Opens the oldest file with unread events, else the newest: for a tail that was opened before any file existed,
    /// or whose file was removed.
    fn open_oldest_ahead(&mut self) -> io::Result<bool> {
        let ours = self.open.as_ref().map(|open| open.id);
        for _ in 0..TRIES {
            let files = event_files(self.disk.as_ref(), &self.path);
            let (youngest, rotated): (Vec<_>, Vec<_>) = files
                .iter()
                .filter(|file| ours != Some(file.id))
                .partition(|file| file.age == 0);
            let next = match self.open_next(rotated.into_iter().rev(), Self::is_ahead)? {
                Next::None => self.open_next(youngest.into_iter(), |_, _| Ok(true))?,
                other => other,
            };
            match next {
                Next::Opened => return Ok(true),
                Next::None => return Ok(false),
                Next::Moved => std::thread::yield_now(),
            }
        }
        Ok(false)
    }

    /// True if an unread file contains events after the last one read.
    fn is_ahead(&self, file: &dyn DiskFile) -> io::Result<bool> {
        let mut newest = 0;
        scan_lines(file, 0, file.state()?.len, &mut |line| {
            newest = read_head(line.bytes).and_then(|head| head.number).unwrap_or(newest);
        })?;
        Ok(newest > self.number)
    }
}

fn event_of(head: &Head<'_>, seq: f64, line: &[u8]) -> TailEvent {
    let text = String::from_utf8_lossy(line);
    let line = match head.number {
        Some(_) => text.into_owned(),
        None => format!("{{\"seq\":{seq},{}", text.get(1..).unwrap_or_default()),
    };
    TailEvent {
        seq,
        kind: head.kind.clone().into_owned(),
        line,
    }
}

fn hash_of(line: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(line);
    hasher.finish()
}
