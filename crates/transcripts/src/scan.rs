//! Reads one file of a format, from its checkpoint on.

use std::io;
use std::path::Path;

use forge_memory_journal::{Disk, DiskFile, FileState};
use serde_json::Value;

use crate::compressed;
use crate::database;
use crate::emitter::{Emitter, Sink, Skipped, Wants};
use crate::find;
use crate::learn::{Learned, Learner};
use crate::lines::{self, Line, read_without_base64};
use crate::reader::{Format, LineReader, OpenLines, Source, Storage};
use crate::state::{Checkpoint, head_hash, tail_hash};

/// The most bytes of one document that are kept in memory.
const DOCUMENT_MAX: usize = 24 << 20;

/// The result of reading a file.
#[derive(Debug)]
pub struct FileRead {
    /// The result of learning from the file.
    pub learned: Learned,
    /// Lines and records that were skipped.
    pub skipped: Skipped,
    /// The new checkpoint.
    pub known: Checkpoint,
}

/// An opened file, with the checkpoint to continue from.
pub(crate) struct Opened<'k> {
    file: Box<dyn DiskFile>,
    state: FileState,
    is_compressed: bool,
    /// The checkpoint, if the file has only grown since; otherwise it is read from the beginning.
    known: Option<&'k Checkpoint>,
}

impl<'k> Opened<'k> {
    pub(crate) fn open(disk: &dyn Disk, path: &Path, known: Option<&'k Checkpoint>) -> io::Result<Self> {
        let (file, state) = find::open(disk, path)?;
        let is_compressed = compressed::is_named(path);
        let known = known.filter(|known| !is_compressed && known.continues(file.as_ref(), state));
        Ok(Opened {
            file,
            state,
            is_compressed,
            known,
        })
    }

    /// The checkpoint, if the file has only grown since.
    pub(crate) fn known(&self) -> Option<&'k Checkpoint> {
        self.known
    }

    /// Passes the events of the file to `out` and returns the new checkpoint; the flag is true when it contains texts of the session.
    pub(crate) fn read(
        self,
        format: &Format,
        (root, path): (&Path, &Path),
        disk: &dyn Disk,
        out: &mut Emitter<'_>,
    ) -> io::Result<(Checkpoint, bool)> {
        let source = Source {
            path,
            root,
            modified_ms: self.state.modified_ns / 1_000_000,
            disk,
        };
        let mut next = Checkpoint::of(self.state);
        let mut holds_text = false;
        match format.storage {
            Storage::Lines(open) => holds_text = self.read_lines(open, &source, &mut next, out)?,
            Storage::Document(read) => read_document(read, &source, self.file.as_ref(), self.state, out)?,
            Storage::Changes(apply, read) => {
                let whole = replay(apply, self.file.as_ref(), self.state, out)?;
                read(&source, &whole, out);
            }
            Storage::Database(read) => {
                drop(self.file);
                let store = database::open(disk, path)?;
                read(&source, &store, out).map_err(io::Error::other)?;
            }
        }
        Ok((next, holds_text))
    }

    fn read_lines(
        self,
        open: OpenLines,
        source: &Source<'_>,
        next: &mut Checkpoint,
        out: &mut Emitter<'_>,
    ) -> io::Result<bool> {
        let known = self.known;
        let mut reader: Box<dyn LineReader> = open(source, known.map(|known| known.reader.clone()));
        let mut number = known.map_or(0, |known| known.lines);
        let from = known.map_or(0, |known| known.covered);
        let is_whole = |tail: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(tail).is_ok();
        let (file, end) = if self.is_compressed {
            (compressed::unpack(self.file)?, u64::MAX)
        } else {
            (self.file, self.state.len)
        };
        let covered = lines::scan(file.as_ref(), from, end, &is_whole, &mut |line, _| {
            number += 1;
            match line {
                Line::Whole(line) => reader.line(line, number, out),
                Line::Oversized => out.skipped.oversized += 1,
            }
        })?;
        if !self.is_compressed {
            next.covered = covered;
            next.head = head_hash(file.as_ref(), covered)?;
            next.tail = tail_hash(file.as_ref(), covered)?;
        }
        next.lines = number;
        next.reader = reader.resume_state();
        Ok(reader.holds_text())
    }
}

/// Reads a file from its checkpoint on and learns from its events; `tee` receives them as well.
///
/// # Errors
/// The error of the disk or the database.
pub fn read_file(
    format: &Format,
    source: (&Path, &Path),
    disk: &dyn Disk,
    known: Option<&Checkpoint>,
    wants: Wants<'_>,
    tee: Option<&mut dyn Sink>,
) -> io::Result<FileRead> {
    let opened = Opened::open(disk, source.1, known)?;
    let learner = opened
        .known()
        .and_then(|known| serde_json::from_value(known.learner.clone()).ok());
    let mut sink = Tee {
        learner: learner.unwrap_or_default(),
        tee,
    };
    let mut out = Emitter::new(&mut sink, wants);
    let (mut next, _) = opened.read(format, source, disk, &mut out)?;
    let skipped = out.skipped;
    if matches!(format.storage, Storage::Lines(_)) {
        next.learner = serde_json::to_value(&sink.learner).unwrap_or_default();
    }
    Ok(FileRead {
        learned: sink.learner.learned,
        skipped,
        known: next,
    })
}

struct Tee<'t> {
    learner: Learner,
    tee: Option<&'t mut dyn Sink>,
}

impl Sink for Tee<'_> {
    fn session(&mut self, session: &crate::Session) {
        if let Some(tee) = &mut self.tee {
            tee.session(session);
        }
        self.learner.session(session);
    }

    fn event(&mut self, event: crate::Event) {
        if let Some(tee) = &mut self.tee {
            tee.event(event.clone());
        }
        self.learner.event(event);
    }
}

fn read_document(
    read: fn(&Source<'_>, &Value, &mut Emitter<'_>),
    source: &Source<'_>,
    file: &dyn DiskFile,
    state: FileState,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    let Some(bytes) = read_without_base64(file, state.len, DOCUMENT_MAX)? else {
        out.skipped.oversized += 1;
        return Ok(());
    };
    let bytes = forge_memory_journal::clean(&bytes);
    match serde_json::from_slice::<Value>(bytes) {
        Ok(whole) => read(source, &whole, out),
        // Probably half-written. Its modification time will differ then, so the next run reads it again.
        Err(_) => out.skipped.invalid += 1,
    }
    Ok(())
}

/// Replays a log of changes, line by line, within the size limit of a document.
fn replay(
    apply: fn(&mut Value, Value),
    file: &dyn DiskFile,
    state: FileState,
    out: &mut Emitter<'_>,
) -> io::Result<Value> {
    let mut whole = Value::Null;
    let mut held = 0;
    let is_whole = |tail: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(tail).is_ok();
    lines::scan(file, 0, state.len, &is_whole, &mut |line, _| match line {
        Line::Whole(line) if held + line.len() <= DOCUMENT_MAX => {
            held += line.len();
            match serde_json::from_slice(line) {
                Ok(change) => apply(&mut whole, change),
                Err(_) => out.skipped.invalid += 1,
            }
        }
        _ => out.skipped.oversized += 1,
    })?;
    Ok(whole)
}
