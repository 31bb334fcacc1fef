//! `chunks.jsonl` and `edges.jsonl`, written in pieces: the lines of unchanged files are copied from the old files.

use std::io;
use std::ops::Range;
use std::path::Path;

use forge_memory_core::Result;
use forge_memory_core::journal::{Disk, DiskFile, Staged, SyncMode, stage_with, write_parts};
use rayon::prelude::*;
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use super::meta::Seal;
use super::record::{chunk_records, edge_records};
use crate::contents::open;
use crate::graph::FileSpan;
use crate::resolve::{Edge, Names};

/// The lines of both files, and the offsets of each source file's lines.
pub(crate) struct Lines<'l> {
    pub(crate) chunks: Pieces<'l>,
    pub(crate) edges: Pieces<'l>,
    pub(crate) spans: Vec<FileSpan>,
}

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

/// A JSON Lines file, as pieces of the old file and new ones.
pub(crate) struct Pieces<'l> {
    old: Option<&'l LineFile>,
    pieces: Vec<Piece>,
    len: usize,
}

enum Piece {
    Old(Range<usize>),
    New(Vec<u8>),
}

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

impl<'l> Lines<'l> {
    /// Builds all lines; `kept` has the ranges in the `old` files that are copied.
    pub(crate) fn of<'a>(
        names: &Names<'a>,
        keys: &[u64],
        edges: &[Vec<Edge<'a>>],
        old: Option<(&'l LineFile, &'l LineFile)>,
        kept: impl Fn(usize) -> Option<Part> + Sync,
    ) -> Self {
        let parts: Vec<Part> = edges
            .par_iter()
            .enumerate()
            .map(|(file, edges)| kept(file).unwrap_or_else(|| made(names, keys, file, edges)))
            .collect();
        let mut lines = Lines {
            chunks: Pieces::from(old.map(|old| old.0)),
            edges: Pieces::from(old.map(|old| old.1)),
            spans: Vec::with_capacity(parts.len()),
        };
        for part in parts {
            lines.spans.push(FileSpan {
                chunks: lines.chunks.len as u64,
                edges: lines.edges.len as u64,
            });
            match part {
                Part::Kept(chunks, edges) => {
                    lines.chunks.keep(chunks);
                    lines.edges.keep(edges);
                }
                Part::Made(chunks, edges) => {
                    lines.chunks.add(chunks);
                    lines.edges.add(edges);
                }
            }
        }
        lines
    }
}

impl<'l> Pieces<'l> {
    fn from(old: Option<&'l LineFile>) -> Self {
        Pieces {
            old,
            pieces: Vec::new(),
            len: 0,
        }
    }

    fn keep(&mut self, range: Range<usize>) {
        self.len += range.len();
        match self.pieces.last_mut() {
            Some(Piece::Old(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Old(range)),
        }
    }

    fn add(&mut self, bytes: Vec<u8>) {
        self.len += bytes.len();
        self.pieces.push(Piece::New(bytes));
    }

    /// Writes the lines under a temporary name and returns their seal. Returns `None` when the old lines do not match
    /// their seal, so that this run is invalid.
    pub(crate) fn stage<'d>(&self, disk: &'d dyn Disk, path: &Path) -> Result<Option<(Staged<'d>, Seal)>> {
        let mut seal = None;
        let staged = stage_with(disk, path, SyncMode::Unsynced, |file| {
            seal = self.write(file)?;
            Ok(())
        })?;
        Ok(seal.map(|seal| (staged, seal)))
    }

    fn write(&self, file: &mut dyn DiskFile) -> io::Result<Option<Seal>> {
        let mut sink = Sink::into(file);
        let mut old = self.old.map(Source::of);
        for piece in &self.pieces {
            match (piece, &mut old) {
                (Piece::New(bytes), _) => sink.add(bytes)?,
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

fn made<'a>(names: &Names<'a>, keys: &[u64], file: usize, edges: &[Edge<'a>]) -> Part {
    let records = chunk_records(names, keys, file, edges);
    let mut chunk_lines = Vec::with_capacity(records.len() * CHUNK_LINE_BYTES);
    let mut edge_lines = Vec::with_capacity(edges.len() * EDGE_LINE_BYTES);
    for record in records {
        push_line(&mut chunk_lines, &record);
    }
    for record in edges.iter().flat_map(|edge| edge_records(keys, edge)) {
        push_line(&mut edge_lines, &record);
    }
    chunk_lines.shrink_to_fit();
    edge_lines.shrink_to_fit();
    Part::Made(chunk_lines, edge_lines)
}

fn push_line<T: Serialize>(out: &mut Vec<u8>, record: &T) {
    // Serializing into memory does not fail.
    if serde_json::to_writer(&mut *out, record).is_ok() {
        out.push(b'\n');
    }
}
