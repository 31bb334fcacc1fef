//! Following the event file while any number of processes write it.
//!
//! A tail yields every event once and in order: across rotation, truncation, replacement and a line that is only half
//! written. It takes no lock and writes nothing.

use std::collections::VecDeque;
use std::fmt;
use std::hash::Hasher;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use rustc_hash::{FxHashSet, FxHasher};

use super::generations::present;
use super::head::{Head, read_head};
use super::own::Ownership;
use super::place::{Place, choose};
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::{Disk, DiskFile, FileId, Line, scan_lines};
use crate::ownership::Marks;

/// How many of the last events are remembered, to know them again in a file that was rewritten.
const SEEN_MAX: usize = 4096;
/// How many bytes in front of our place are compared to see that the file is the one that was read.
const ANCHOR_BYTES: u64 = 64;
/// How often the next file is looked for while files are rotated meanwhile.
const TRIES: usize = 64;
/// Lines of older tools have no number; the n-th one after a numbered event gets that number and n of these.
const UNNUMBERED_STEP: f64 = 1e-6;

/// Which events are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wants {
    names: Option<Vec<String>>,
}

impl Wants {
    /// Returns a filter for these types; a `*` at the end of one stands for whatever follows.
    pub fn only(names: Vec<String>) -> Self {
        Wants { names: Some(names) }
    }

    /// Tells whether events of this type are wanted.
    pub fn has(&self, kind: &str) -> bool {
        self.names.as_ref().is_none_or(|names| {
            names.iter().any(|name| match name.strip_suffix('*') {
                Some(start) => kind.starts_with(start),
                None => kind == name,
            })
        })
    }
}

/// Where a tail begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// Behind the event with this number.
    After(f64),
    /// So many events before the end.
    Newest(usize),
}

/// An event as it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct TailEvent {
    /// Its number.
    pub seq: f64,
    /// Its type.
    pub kind: String,
    /// Its line, without line end.
    pub line: String,
}

/// What one read yields.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TailBatch {
    /// The wanted events, in order.
    pub events: Vec<TailEvent>,
    /// Set when files went away before they were read: the number before the gap and the one behind it.
    pub lost: Option<(f64, f64)>,
    /// True when there is nothing more to read now.
    pub done: bool,
}

/// Where a tail stands, as one reader tells another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub(super) file: FileId,
    pub(super) offset: u64,
}

impl Position {
    /// Returns a place in a file.
    pub(crate) fn at(file: FileId, offset: u64) -> Self {
        Position { file, offset }
    }

    /// Returns which file it is in.
    pub(crate) fn file(self) -> FileId {
        self.file
    }

    /// Returns how many bytes lie before it.
    pub(crate) fn offset(self) -> u64 {
        self.offset
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file.volume, self.file.index, self.offset)
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::invalid("position", "is none of a tail");
        let mut numbers = text.split(':').map(|part| part.parse::<u64>().map_err(|_| wrong()));
        let mut next = || numbers.next().ok_or_else(wrong)?;
        Ok(Position {
            file: FileId {
                volume: next()?,
                index: next()?,
            },
            offset: next()?,
        })
    }
}

/// A place in the event files that moves forward.
#[derive(Debug)]
pub struct EventTail {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    ownership: Ownership,
    open: Option<Open>,
    /// The number of the last event that went by, and how many without a number have followed it.
    number: u64,
    unnumbered: u32,
    /// Events up to this number are passed over.
    after: f64,
    /// True until the first event of a file behind a gap has been seen.
    at_seam: bool,
    seen: VecDeque<(u64, u64, Millis)>,
    /// What was yielded before the file was rewritten.
    known: Option<Known>,
    passed_over: u64,
}

#[derive(Debug)]
struct Open {
    file: Box<dyn DiskFile>,
    id: FileId,
    offset: u64,
    anchor: Vec<u8>,
}

#[derive(Debug)]
struct Known {
    events: FxHashSet<(u64, u64)>,
    oldest: (u64, Millis),
}

impl EventTail {
    /// Opens the event file at `path` at `start`, counting only `wants` for [`Start::Newest`], and not further than where
    /// `until` stands. A file that is not there yet is followed from its beginning.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn open(
        disk: Arc<dyn Disk>,
        path: PathBuf,
        marks: &Arc<Marks>,
        start: Start,
        wants: &Wants,
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
            at_seam: false,
            seen: VecDeque::new(),
            known: None,
            passed_over: 0,
        };
        let chosen = choose(tail.disk.as_ref(), &tail.path, &tail.ownership, start, wants, until)
            .map_err(Error::io("read", &tail.path))?;
        if let Start::After(after) = start {
            tail.after = after;
            tail.number = after as u64;
            tail.at_seam = true;
        }
        if let Some(Place { file, id, offset, base }) = chosen {
            if matches!(start, Start::Newest(_)) {
                tail.number = base;
            }
            let anchor = anchor_of(file.as_ref(), offset).map_err(Error::io("read", &tail.path))?;
            tail.open = Some(Open {
                file,
                id,
                offset,
                anchor,
            });
        }
        Ok(tail)
    }

    /// Returns the number of the last event that went by.
    pub fn seq(&self) -> f64 {
        self.number as f64 + f64::from(self.unnumbered) * UNNUMBERED_STEP
    }

    /// Returns where it stands; `None` before there is a file.
    pub fn position(&self) -> Option<Position> {
        self.open.as_ref().map(|open| Position {
            file: open.id,
            offset: open.offset,
        })
    }

    /// Returns how many lines were no events.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Reads on, about `bytes` of the file, but not further than where `until` stands.
    ///
    /// # Errors
    /// `IO` when a file is there but cannot be read.
    pub fn read(&mut self, bytes: u64, wants: &Wants, until: Option<Position>) -> Result<TailBatch> {
        let path = self.path.clone();
        self.read_on(bytes.max(1), wants, until)
            .map_err(Error::io("read", &path))
    }

    fn read_on(&mut self, bytes: u64, wants: &Wants, until: Option<Position>) -> io::Result<TailBatch> {
        let mut batch = TailBatch::default();
        let mut left = bytes;
        loop {
            if self.open.is_none() && !self.open_at_start(self.path.clone())? {
                batch.done = true;
                return Ok(batch);
            }
            let Some((len, id)) = self.look()? else { continue };
            let limit = until.filter(|end| end.file == id).map(|end| end.offset);
            let taken = self.take(limit.unwrap_or(len).min(len), left, wants, &mut batch)?;
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

    /// Returns the length of the open file; `None` when it is not what was read, and reading begins anew.
    fn look(&mut self) -> io::Result<Option<(u64, FileId)>> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let len = open.file.state()?.len;
        if len >= open.offset && anchor_of(open.file.as_ref(), open.offset)? == open.anchor {
            return Ok(Some((len, open.id)));
        }
        open.offset = 0;
        open.anchor.clear();
        self.recognise();
        Ok(None)
    }

    /// Takes complete lines up to `end`, about `left` bytes of them, and returns how many bytes that were.
    fn take(&mut self, end: u64, left: u64, wants: &Wants, batch: &mut TailBatch) -> io::Result<u64> {
        let Some(mut open) = self.open.take() else { return Ok(0) };
        let from = open.offset;
        let mut window = left;
        let outcome = loop {
            let to = end.min(from.saturating_add(window));
            let scanned = scan_lines(open.file.as_ref(), from, to, &mut |line| {
                self.take_line(&line, wants, batch);
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
            open.offset = at;
            open.anchor = anchor_of(open.file.as_ref(), at)?;
        }
        self.open = Some(open);
        outcome.map(|at| at - from)
    }

    fn take_line(&mut self, line: &Line<'_>, wants: &Wants, batch: &mut TailBatch) {
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
        if std::mem::take(&mut self.at_seam) && head.number.is_some() && seq.floor() > before.floor() + 1.0 {
            batch.lost = Some((before, seq));
        }
        if seq <= self.after {
            return;
        }
        self.after = -1.0;
        if self.seen.len() >= SEEN_MAX {
            self.seen.pop_front();
        }
        self.seen.push_back((self.number, hash, head.at));
        if wants.has(&head.kind) {
            batch.events.push(event_of(&head, seq, line.bytes));
        }
    }

    fn is_known(&self, head: &Head<'_>, hash: u64) -> bool {
        let Some(known) = &self.known else { return false };
        let number = head.number.unwrap_or(self.number);
        known.events.contains(&(number, hash)) || (number <= known.oldest.0 && head.at <= known.oldest.1)
    }

    /// From here on the file may hold again what was yielded already.
    fn recognise(&mut self) {
        let oldest = self.seen.front().map_or((0, 0), |(number, _, at)| (*number, *at));
        let events = self.seen.iter().map(|(number, hash, _)| (*number, *hash)).collect();
        self.known = Some(Known { events, oldest });
    }

    /// Goes on to the next file when the open one is the current one no more. `len` is how long it was when read.
    fn advance(&mut self, len: u64) -> io::Result<bool> {
        let Some(open) = &self.open else { return Ok(false) };
        let current = match self.disk.stat(&self.path) {
            Ok(state) => state.id,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(e),
        };
        if current == open.id {
            return Ok(false);
        }
        if open.file.state()?.len > len {
            return Ok(true);
        }
        let ours = open.id;
        self.at_seam = true;
        for _ in 0..TRIES {
            let older = present(self.disk.as_ref(), &self.path);
            let Some(age) = older.iter().position(|(_, id)| *id == ours) else {
                break;
            };
            let next = age.checked_sub(1).and_then(|at| older.get(at));
            let path = next.map_or(&self.path, |(path, _)| path).clone();
            let id = next.map_or(current, |(_, id)| *id);
            // Between the two looks the files may have become one generation older.
            if self.open_if(&path, id)? {
                return Ok(true);
            }
        }
        self.recognise();
        // Ours is gone: everything that is there and lies ahead is read, the oldest first.
        for (path, _) in present(self.disk.as_ref(), &self.path).into_iter().rev() {
            if self.is_ahead(&path)? && self.open_at_start(path)? {
                return Ok(true);
            }
        }
        self.open_at_start(self.path.clone())
    }

    /// Opens a file at its start unless it is another one by now.
    fn open_if(&mut self, path: &std::path::Path, id: FileId) -> io::Result<bool> {
        let before = self.open.take();
        if self.open_at_start(path.to_path_buf())? && self.open.as_ref().is_some_and(|open| open.id == id) {
            return Ok(true);
        }
        self.open = before;
        Ok(false)
    }

    /// Tells whether a file that we have not read holds events behind the last one.
    fn is_ahead(&self, path: &std::path::Path) -> io::Result<bool> {
        let Some(file) = self.ownership.open_read(self.disk.as_ref(), path)? else {
            return Ok(false);
        };
        let mut newest = 0;
        let len = file.state()?.len;
        scan_lines(file.as_ref(), 0, len, &mut |line| {
            newest = read_head(line.bytes).and_then(|head| head.number).unwrap_or(newest);
        })?;
        Ok(newest > self.number)
    }

    fn open_at_start(&mut self, path: PathBuf) -> io::Result<bool> {
        let Some(file) = self.ownership.open_read(self.disk.as_ref(), &path)? else {
            return Ok(false);
        };
        let id = file.state()?.id;
        self.open = Some(Open {
            file,
            id,
            offset: 0,
            anchor: Vec::new(),
        });
        Ok(true)
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

fn anchor_of(file: &dyn DiskFile, offset: u64) -> io::Result<Vec<u8>> {
    let from = offset.saturating_sub(ANCHOR_BYTES);
    let mut bytes = vec![0; usize::try_from(offset - from).unwrap_or(0)];
    let got = file.read_at(from, &mut bytes)?;
    bytes.truncate(got);
    Ok(bytes)
}
