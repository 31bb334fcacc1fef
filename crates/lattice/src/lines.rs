//! The lines of `chunks.jsonl` and `edges.jsonl`, file by file.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use crate::graph::FileSpan;
use crate::record::{chunk_records, edge_records};
use crate::resolve::{Edge, Names};

/// The lines of both files, and where those of each source file begin.
pub(crate) struct Lines<'l> {
    pub(crate) chunks: Pieces<'l>,
    pub(crate) edges: Pieces<'l>,
    pub(crate) spans: Vec<FileSpan>,
}

/// The lines of one file: where they stand among the old ones, or made anew.
pub(crate) enum Part {
    Kept(Range<usize>, Range<usize>),
    Made(Vec<u8>, Vec<u8>),
}

/// A file of lines, in pieces of the old file and new ones.
pub(crate) struct Pieces<'l> {
    old: &'l [u8],
    pieces: Vec<Piece>,
    len: usize,
}

enum Piece {
    Old(Range<usize>),
    New(Vec<u8>),
}

impl Piece {
    fn bytes<'p>(&'p self, old: &'p [u8]) -> &'p [u8] {
        match self {
            Piece::Old(range) => old.get(range.clone()).unwrap_or_default(),
            Piece::New(bytes) => bytes,
        }
    }
}

impl<'l> Lines<'l> {
    /// Makes all lines; `kept` has those that stay as they are in the `old` files.
    pub(crate) fn of<'a>(
        names: &Names<'a>,
        keys: &[u64],
        edges: &[Vec<Edge<'a>>],
        old: (&'l [u8], &'l [u8]),
        kept: impl Fn(usize) -> Option<Part> + Sync,
    ) -> Self {
        let parts: Vec<Part> = edges
            .par_iter()
            .enumerate()
            .map(|(file, edges)| kept(file).unwrap_or_else(|| made(names, keys, file, edges)))
            .collect();
        let mut lines = Lines {
            chunks: Pieces::from(old.0),
            edges: Pieces::from(old.1),
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
    fn from(old: &'l [u8]) -> Self {
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

    /// Returns the bytes, piece by piece.
    pub(crate) fn parts(&self) -> Vec<&[u8]> {
        self.pieces.iter().map(|piece| piece.bytes(self.old)).collect()
    }
}

/// About as long are the lines of a chunk and of an edge.
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
    // Texts and numbers always encode, and memory takes them.
    if serde_json::to_writer(&mut *out, record).is_ok() {
        out.push(b'\n');
    }
}
