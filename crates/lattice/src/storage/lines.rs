//! `chunks.jsonl` and `edges.jsonl`, written in pieces: the lines of unchanged files are copied from the old files.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use forge_memory_core::Result;
use forge_memory_core::journal::{Disk, DiskFile, Staged, SyncMode, stage_with, write_parts};
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use super::meta::Seal;
use super::record::{chunk_records, edge_records};
use crate::contents::open;
use crate::resolve::{Edge, Names};

/// The lines of one source file: ranges in the old files, or new lines.
pub(crate) enum Part {
    Kept(Range<usize>, Range<usize>),
    Made(Vec<u8>, Vec<u8>),
}

/// A JSON Lines file of the last index, and its seal.
#[derive(Debug)]
pub(crate) struct LineFile {
    file: Box<dyn DiskFile>,
    seal: Seal,
}

/// The end of a queue into which the lines of a file are put, in order.
pub(crate) struct Lines {
    queue: SyncSender<Piece>,
    /// A range of the old file that the next one may continue.
    waiting: Range<usize>,
    len: u64,
}

/// The other end, from which they are written. The queue is short, so that few lines are in memory.
pub(crate) struct Writing<'l> {
    old: Option<&'l LineFile>,
    queue: Receiver<Piece>,
}

pub(crate) enum Piece {
    Old(Range<usize>),
    New(Vec<u8>),
}

const QUEUE_MAX: usize = 64;

impl LineFile {
    /// Opens the file; `None` when it is missing or of another length.
    pub(crate) fn open(disk: &dyn Disk, path: &Path, seal: Seal) -> Option<Self> {
        let file = open(disk, path).ok()?;
        (file.state().ok()?.len == seal.bytes).then_some(LineFile { file, seal })
    }

    /// Reads the whole file and compares it with its seal.
    pub(crate) fn is_whole(&self) -> bool {
        Source::of(self).finish().unwrap_or(false)
    }

    /// Returns its length in bytes.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.seal.bytes).unwrap_or(usize::MAX)
    }
}

impl Part {
    /// Makes the lines of a file.
    pub(crate) fn of<'a>(names: &Names<'a>, keys: &[u64], file: usize, edges: &[Edge<'a>]) -> Self {
        let records = chunk_records(names, keys, file, edges);
        let mut chunk_lines = Vec::with_capacity(records.len() * CHUNK_LINE_BYTES);
        let mut edge_lines = Vec::with_capacity(edges.len() * EDGE_LINE_BYTES);
        for record in records {
            push_line(&mut chunk_lines, &record);
        }
        for record in edges.iter().flat_map(|edge| edge_records(keys, edge)) {
            push_line(&mut edge_lines, &record);
        }
        Part::Made(chunk_lines, edge_lines)
    }

    /// Returns the lines of chunks and those of edges.
    pub(crate) fn pieces(self) -> (Piece, Piece) {
        match self {
            Part::Kept(chunks, edges) => (Piece::Old(chunks), Piece::Old(edges)),
            Part::Made(chunks, edges) => (Piece::New(chunks), Piece::New(edges)),
        }
    }
}

impl Lines {
    /// Returns both ends of a queue of lines, some of which may be copied from an old file.
    pub(crate) fn to(old: Option<&LineFile>) -> (Lines, Writing<'_>) {
        let (send, queue) = sync_channel(QUEUE_MAX);
        let lines = Lines {
            queue: send,
            waiting: 0..0,
            len: 0,
        };
        (lines, Writing { old, queue })
    }

    /// Returns the number of bytes so far.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn add(&mut self, piece: Piece) {
        match piece {
            Piece::Old(range) => {
                self.len += range.len() as u64;
                if self.waiting.end == range.start {
                    self.waiting.end = range.end;
                } else {
                    self.send_waiting();
                    self.waiting = range;
                }
            }
            Piece::New(bytes) => {
                self.len += bytes.len() as u64;
                self.send_waiting();
                self.send(Piece::New(bytes));
            }
        }
    }

    fn send_waiting(&mut self) {
        let end = self.waiting.end;
        let range = std::mem::replace(&mut self.waiting, end..end);
        if !range.is_empty() {
            self.send(Piece::Old(range));
        }
    }

    fn send(&self, piece: Piece) {
        // A writer that has failed takes no more, and its thread returns the error.
        let _ = self.queue.send(piece);
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.send_waiting();
    }
}

impl Writing<'_> {
    /// Writes the lines under a temporary name and returns their seal. Returns `None` when the old lines do not match
    /// their seal, so that this run is invalid.
    pub(crate) fn stage<'d>(self, disk: &'d dyn Disk, path: &Path) -> Result<Option<(Staged<'d>, Seal)>> {
        let mut seal = None;
        let staged = stage_with(disk, path, SyncMode::Unsynced, |file| {
            seal = self.write(file)?;
            Ok(())
        })?;
        Ok(seal.map(|seal| (staged, seal)))
    }

    fn write(self, file: &mut dyn DiskFile) -> io::Result<Option<Seal>> {
        let mut sink = Sink::into(file);
        let mut old = self.old.map(Source::of);
        for piece in self.queue {
            match (piece, &mut old) {
                (Piece::New(bytes), _) => sink.add(&bytes)?,
                (Piece::Old(range), Some(old)) => {
                    old.read_to(range.start, |_| Ok(()))?;
                    old.read_to(range.end, |bytes| sink.add(bytes))?;
                }
                (Piece::Old(_), None) => return Ok(None),
            }
        }
        let is_whole = match old {
            Some(old) => old.finish()?,
            None => true,
        };
        let seal = sink.done()?;
        Ok(is_whole.then_some(seal))
    }
}

/// The block size of reads and writes: small enough to stay in the cache between reading, hashing and writing.
const BLOCK: usize = 256 * 1024;

/// The old lines, read sequentially.
struct Source<'l> {
    lines: &'l LineFile,
    at: usize,
    buffer: Vec<u8>,
    hash: Xxh3,
}

impl<'l> Source<'l> {
    fn of(lines: &'l LineFile) -> Self {
        Source {
            lines,
            at: 0,
            buffer: vec![0; BLOCK.min(lines.len())],
            hash: Xxh3::new(),
        }
    }

    fn read_to(&mut self, end: usize, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        while self.at < end {
            let room = self.buffer.len().min(end - self.at);
            let Some(block) = self.buffer.get_mut(..room) else {
                break;
            };
            let count = self.lines.file.read_at(self.at as u64, block)?;
            let block = block.get(..count).unwrap_or_default();
            if count == 0 {
                // The file was truncated meanwhile, so that the hash will differ.
                break;
            }
            self.hash.update(block);
            take(block)?;
            self.at += count;
        }
        Ok(())
    }

    /// Reads the rest, and is true if the whole file matches its seal.
    fn finish(mut self) -> io::Result<bool> {
        self.read_to(self.lines.len(), |_| Ok(()))?;
        Ok(self.at == self.lines.len() && Seal::text(&self.hash) == self.lines.seal.hash)
    }
}

/// A file being written, with its hash. Small pieces are buffered.
struct Sink<'f> {
    file: &'f mut dyn DiskFile,
    waiting: Vec<u8>,
    hash: Xxh3,
    bytes: u64,
}

impl<'f> Sink<'f> {
    fn into(file: &'f mut dyn DiskFile) -> Self {
        Sink {
            file,
            waiting: Vec::new(),
            hash: Xxh3::new(),
            bytes: 0,
        }
    }

    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        if self.waiting.len() + bytes.len() > BLOCK {
            write_parts(self.file, &[&self.waiting])?;
            self.waiting.clear();
        }
        if bytes.len() >= BLOCK / 4 {
            write_parts(self.file, &[&self.waiting, bytes])?;
            self.waiting.clear();
        } else {
            self.waiting.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn done(self) -> io::Result<Seal> {
        write_parts(self.file, &[&self.waiting])?;
        Ok(Seal {
            bytes: self.bytes,
            hash: Seal::text(&self.hash),
        })
    }
}

/// Typical line lengths of a chunk and of an edge.
const CHUNK_LINE_BYTES: usize = 640;
const EDGE_LINE_BYTES: usize = 240;

fn push_line<T: Serialize>(out: &mut Vec<u8>, record: &T) {
    // Serializing into memory does not fail.
    if serde_json::to_writer(&mut *out, record).is_ok() {
        out.push(b'\n');
    }
}
