//! Reads the compact form.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    EDGE_BYTES, FILE_BYTES, FORMAT, HEADER_BYTES, KEY_BYTES, MAGIC, NAME_BYTES, NODE_BYTES, NONE, SECTIONS, Section,
    TERM_BYTES,
};
use crate::kind::Kind;
use crate::resolve::Resolved;

/// The kinds of edges, by number.
pub const EDGE_KINDS: [&str; 4] = ["call", "new", "extends", "reference"];

#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

/// A graph that does not change.
#[derive(Debug)]
pub struct Graph {
    bytes: Bytes,
    sections: Vec<Range<usize>>,
    tree: u64,
}

/// A chunk as the graph has it.
#[derive(Debug, Clone, Copy)]
pub struct NodeView<'g> {
    /// Its number.
    pub number: u32,
    /// Its key.
    pub key: u64,
    /// The number of its file.
    pub file: u32,
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: &'g str,
    /// The type it belongs to.
    pub owner: &'g str,
    /// Its first line.
    pub signature: &'g str,
    /// What a comment says of it.
    pub doc: &'g str,
    /// Its bytes.
    pub range: (u32, u32),
    /// Its lines.
    pub lines: (u32, u32),
    /// The chunk it stands in.
    pub parent: Option<u32>,
    /// How many words it has.
    pub words: u32,
    /// SHA-256 of its bytes.
    pub hash: &'g [u8],
}

/// An edge as the graph has it.
#[derive(Debug, Clone, Copy)]
pub struct EdgeView<'g> {
    /// The chunk with the reference.
    pub caller: u32,
    /// What it means.
    pub target: Option<u32>,
    /// The name that is used.
    pub name: &'g str,
    /// What it is.
    pub kind: &'static str,
    /// How it was resolved.
    pub resolved: Option<Resolved>,
    /// How many definitions it may mean.
    pub candidates: u32,
    /// What stands before the name.
    pub receiver: &'g str,
    /// The module outside.
    pub module: &'g str,
    /// The line.
    pub line: u32,
    /// The bytes.
    pub range: (u32, u32),
    /// How many there are.
    pub count: u32,
}

impl Graph {
    /// Maps the graph in a file; `None` when it is not one that this version reads.
    pub fn map(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        // SAFETY: the file is written under a temporary name, renamed into place and never written again, so the mapped
        // bytes do not change; a replaced file stays mapped.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.ok()?;
        Graph::open(Bytes::Mapped(map))
    }

    /// Takes over a graph in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        Graph::open(Bytes::Owned(bytes))
    }

    fn open(bytes: Bytes) -> Option<Self> {
        let mut graph = Graph {
            bytes,
            sections: Vec::new(),
            tree: 0,
        };
        let all = graph.all();
        let header = all.get(..HEADER_BYTES + SECTIONS * 16)?;
        if &header[..4] != MAGIC || number_at(header, 4)? != FORMAT {
            return None;
        }
        let tree = long_at(header, 8)?;
        let mut sections = Vec::with_capacity(SECTIONS);
        let mut end = HEADER_BYTES + SECTIONS * 16;
        for at in 0..SECTIONS {
            let from = usize::try_from(long_at(header, HEADER_BYTES + at * 16)?).ok()?;
            let len = usize::try_from(long_at(header, HEADER_BYTES + at * 16 + 8)?).ok()?;
            if from != end {
                return None;
            }
            end = from.checked_add(len)?;
            sections.push(from..end);
        }
        if end != all.len() {
            return None;
        }
        graph.sections = sections;
        graph.tree = tree;
        Some(graph)
    }

    /// Tells whether all bytes are as they were written; reads them all.
    pub fn is_whole(&self) -> bool {
        let all = self.all();
        long_at(all, 16) == all.get(HEADER_BYTES..).map(xxh3_64)
    }

    fn all(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }

    fn section(&self, section: Section) -> &[u8] {
        self.sections
            .get(section as usize)
            .and_then(|range| self.all().get(range.clone()))
            .unwrap_or_default()
    }

    fn text(&self, at: Option<u32>, len: Option<u32>) -> &str {
        let (Some(at), Some(len)) = (at, len) else { return "" };
        let (at, len) = (at as usize, len as usize);
        let bytes = self
            .section(Section::Text)
            .get(at..at.saturating_add(len))
            .unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or("")
    }

    /// Returns what the tree of files was when this was made.
    pub fn tree(&self) -> u64 {
        self.tree
    }

    /// Returns how many bytes it has.
    pub fn bytes(&self) -> usize {
        self.all().len()
    }

    /// Returns how many files there are.
    pub fn files(&self) -> u32 {
        count_of(self.section(Section::Files), FILE_BYTES)
    }

    /// Returns how many chunks there are.
    pub fn nodes(&self) -> u32 {
        count_of(self.section(Section::Nodes), NODE_BYTES)
    }

    /// Returns how many edges there are.
    pub fn edges(&self) -> u32 {
        count_of(self.section(Section::Edges), EDGE_BYTES)
    }

    /// Returns path and language of a file.
    pub fn file(&self, number: u32) -> (&str, &str) {
        let bytes = record(self.section(Section::Files), number, FILE_BYTES);
        let text = |at: usize| self.text(number_at(bytes, at), number_at(bytes, at + 4));
        (text(0), text(8))
    }

    /// Returns a chunk.
    pub fn node(&self, number: u32) -> Option<NodeView<'_>> {
        let bytes = record(self.section(Section::Nodes), number, NODE_BYTES);
        let at = |place: usize| number_at(bytes, place);
        let text = |place: usize| self.text(at(place), at(place + 4));
        Some(NodeView {
            number,
            key: long_at(bytes, 0)?,
            file: at(8)?,
            kind: Kind::from_number(u8::try_from(at(12)?).ok()?)?,
            name: text(16),
            owner: text(24),
            signature: text(32),
            doc: text(40),
            range: (at(48)?, at(52)?),
            lines: (at(56)?, at(60)?),
            parent: at(64).filter(|parent| *parent != NONE),
            words: at(68)?,
            hash: bytes.get(72..)?,
        })
    }

    /// Returns the little of a chunk that ranking and filters need: file, number of the kind, number of words.
    pub fn outline(&self, number: u32) -> Option<(u32, u8, u32)> {
        let bytes = record(self.section(Section::Nodes), number, NODE_BYTES);
        Some((
            number_at(bytes, 8)?,
            u8::try_from(number_at(bytes, 12)?).ok()?,
            number_at(bytes, 68)?,
        ))
    }

    /// Returns an edge.
    pub fn edge(&self, number: u32) -> Option<EdgeView<'_>> {
        let bytes = record(self.section(Section::Edges), number, EDGE_BYTES);
        let at = |place: usize| number_at(bytes, place);
        let text = |place: usize| self.text(at(place), at(place + 4));
        let marks = at(16)?;
        Some(EdgeView {
            caller: at(0)?,
            target: at(4).filter(|target| *target != NONE),
            name: text(8),
            kind: EDGE_KINDS.get((marks >> 8) as usize).copied().unwrap_or("call"),
            resolved: match marks & 0xff {
                1 => Some(Resolved::Exact),
                2 => Some(Resolved::Import),
                3 => Some(Resolved::Name),
                _ => None,
            },
            candidates: at(20)?,
            receiver: text(24),
            module: text(32),
            line: at(40)?,
            range: (at(44)?, at(48)?),
            count: at(52)?,
        })
    }

    /// Returns caller and target of an edge, and nothing else.
    pub fn ends(&self, number: u32) -> (u32, Option<u32>) {
        let bytes = record(self.section(Section::Edges), number, EDGE_BYTES);
        (
            number_at(bytes, 0).unwrap_or(NONE),
            number_at(bytes, 4).filter(|target| *target != NONE),
        )
    }

    /// Returns the numbers of the edges that begin in a chunk.
    pub fn out_of(&self, node: u32) -> Range<u32> {
        span(self.section(Section::Out), node)
    }

    /// Returns the numbers of the edges that end in a chunk.
    pub fn into(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let lists = self.section(Section::InEdges);
        span(self.section(Section::In), node).filter_map(move |at| number_at(lists, at as usize * 4))
    }

    /// Returns how many edges end in a chunk.
    pub fn count_into(&self, node: u32) -> u32 {
        let span = span(self.section(Section::In), node);
        span.end.saturating_sub(span.start)
    }

    /// Returns the chunk with that key.
    pub fn by_key(&self, key: u64) -> Option<u32> {
        let table = self.section(Section::Keys);
        let key_at = |at: u32| long_at(table, at as usize * KEY_BYTES);
        let at = search(count_of(table, KEY_BYTES), |at| {
            key_at(at).is_some_and(|other| other < key)
        });
        (key_at(at) == Some(key))
            .then(|| number_at(table, at as usize * KEY_BYTES + 8))
            .flatten()
    }

    /// Returns the chunks with that name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        self.list(Section::Names, Section::NameNodes, name)
    }

    /// Returns the edges that use that name.
    pub fn called(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        self.list(Section::Callees, Section::CalleeEdges, name)
    }

    fn list(&self, table: Section, lists: Section, name: &str) -> impl Iterator<Item = u32> + '_ {
        let table = self.section(table);
        let lists = self.section(lists);
        let text_of = |at: u32| {
            let bytes = record(table, at, NAME_BYTES);
            self.text(number_at(bytes, 0), number_at(bytes, 4))
        };
        let at = search(count_of(table, NAME_BYTES), |at| text_of(at) < name);
        let bytes = record(table, at, NAME_BYTES);
        let range = match (number_at(bytes, 8), number_at(bytes, 12)) {
            (Some(first), Some(count)) if text_of(at) == name => first..first.saturating_add(count),
            _ => 0..0,
        };
        range.filter_map(move |at| number_at(lists, at as usize * 4))
    }

    /// Returns how many chunks have a term, and those with its weight in each.
    pub fn postings(&self, hash: u32) -> Option<(u32, Postings<'_>)> {
        let table = self.section(Section::Terms);
        let hash_at = |at: u32| number_at(table, at as usize * TERM_BYTES);
        let at = search(count_of(table, TERM_BYTES), |at| {
            hash_at(at).is_some_and(|other| other < hash)
        });
        if hash_at(at) != Some(hash) {
            return None;
        }
        let bytes = record(table, at, TERM_BYTES);
        let (first, len, count) = (
            number_at(bytes, 4)? as usize,
            number_at(bytes, 8)? as usize,
            number_at(bytes, 12)?,
        );
        let bytes = self.section(Section::Postings).get(first..first.checked_add(len)?)?;
        Some((count, Postings { bytes, chunk: 0 }))
    }
}

/// The chunks that have a term.
#[derive(Debug)]
pub struct Postings<'g> {
    bytes: &'g [u8],
    chunk: u32,
}

impl Iterator for Postings<'_> {
    type Item = (u32, u8);

    fn next(&mut self) -> Option<(u32, u8)> {
        let mut step = 0_u32;
        for shift in (0..35).step_by(7) {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            step |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                break;
            }
        }
        let (weight, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        self.chunk = self.chunk.wrapping_add(step);
        Some((self.chunk, *weight))
    }
}

fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(u32::from_le_bytes(four))
}

fn long_at(bytes: &[u8], at: usize) -> Option<u64> {
    let eight: [u8; 8] = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
    Some(u64::from_le_bytes(eight))
}

fn record(bytes: &[u8], number: u32, size: usize) -> &[u8] {
    let from = (number as usize).saturating_mul(size);
    bytes.get(from..from.saturating_add(size)).unwrap_or_default()
}

fn count_of(bytes: &[u8], size: usize) -> u32 {
    u32::try_from(bytes.len() / size).unwrap_or(0)
}

fn span(sums: &[u8], at: u32) -> Range<u32> {
    let from = number_at(sums, at as usize * 4).unwrap_or(0);
    let to = number_at(sums, (at as usize + 1) * 4).unwrap_or(from);
    from..to.max(from)
}

/// The first number for which `is_before` does not hold.
fn search(count: u32, is_before: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}
