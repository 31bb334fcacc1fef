//! A file's contribution to the graph, as bytes that do not depend on the positions of other files.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::dependencies;
use super::layout::{
    EDGE_BYTES, EDGE_KINDS, FileInput, NODE_BYTES, NONE, checksum_of, hash_of, long_at, number_at, offset, push,
};
use super::read::Graph;

/// The bytes of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Block<'g> {
    /// The texts.
    pub text: Cow<'g, [u8]>,
    /// The chunks.
    pub nodes: Cow<'g, [u8]>,
    /// The edges.
    pub edges: Cow<'g, [u8]>,
    /// The dependencies of the edges.
    pub(super) dependencies: Cow<'g, [u8]>,
    /// Offsets and lengths of path and language in the texts.
    pub(super) file: [u32; 4],
    /// Hashes of names, with the number of the chunk in the file.
    pub(super) names: Vec<(u64, u32)>,
    /// Hashes of the names that edges use.
    pub(super) callees: Vec<u64>,
}

impl<'g> Block<'g> {
    /// Returns the block of a file in an existing graph.
    pub fn of_graph(graph: &'g Graph, file: u32) -> Option<Self> {
        let [text, nodes, edges, dependencies] = graph.bytes_of(file)?;
        let hash_at = |record: &[u8]| {
            let (at, len) = (number_at(record, 16)? as usize, number_at(record, 20)? as usize);
            text.get(at..at.checked_add(len)?).map(xxh3_64)
        };
        let mut block = Block {
            text: Cow::Borrowed(text),
            nodes: Cow::Borrowed(nodes),
            edges: Cow::Borrowed(edges),
            dependencies: Cow::Borrowed(dependencies),
            file: graph.file_places(file)?,
            ..Block::default()
        };
        for (local, node) in (0_u32..).zip(nodes.chunks_exact(NODE_BYTES)) {
            if number_at(node, 20)? > 0 {
                block.names.push((hash_at(node)?, local));
            }
        }
        for edge in edges.chunks_exact(EDGE_BYTES) {
            block.callees.push(hash_at(edge)?);
        }
        Some(block)
    }

    /// Returns the number of chunks.
    pub fn node_count(&self) -> usize {
        self.nodes.len() / NODE_BYTES
    }

    /// Returns the keys of the chunks.
    pub fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.nodes
            .chunks_exact(NODE_BYTES)
            .map(|node| long_at(node, 0).unwrap_or(0))
    }

    /// Returns the checksum of its bytes.
    pub(super) fn checksum(&self) -> u64 {
        checksum_of([&self.text, &self.nodes, &self.edges, &self.dependencies])
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len() / EDGE_BYTES
    }
}

/// The texts of a file; names are interned.
#[derive(Default)]
struct Texts<'a> {
    bytes: Vec<u8>,
    interned: FxHashMap<&'a str, [u32; 2]>,
}

impl<'a> Texts<'a> {
    fn add(&mut self, text: &str) -> [u32; 2] {
        if text.is_empty() {
            return [0, 0];
        }
        let at = offset(self.bytes.len());
        self.bytes.extend_from_slice(text.as_bytes());
        [at, offset(text.len())]
    }

    fn name(&mut self, text: &'a str) -> [u32; 2] {
        if text.is_empty() {
            return [0, 0];
        }
        if let Some(place) = self.interned.get(text) {
            return *place;
        }
        let place = self.add(text);
        self.interned.insert(text, place);
        place
    }
}

/// Encodes a file; `firsts` are the numbers of the first chunks of all files.
pub fn block(input: &FileInput<'_>, file: u32, firsts: &[u32]) -> Block<'static> {
    let mut texts = Texts::default();
    let mut nodes = Vec::with_capacity(input.nodes.len() * NODE_BYTES);
    let mut edges = Vec::with_capacity(input.edges.len() * EDGE_BYTES);
    let mut block = Block::default();
    let (path, language) = (texts.add(input.path), texts.add(input.language));
    block.file = [path[0], path[1], language[0], language[1]];
    let first = firsts.get(file as usize).copied().unwrap_or(0);
    for (local, node) in (0_u32..).zip(&input.nodes) {
        if !node.name.is_empty() {
            block.names.push((hash_of(node.name), local));
        }
        let out = &mut nodes;
        out.extend_from_slice(&node.key.to_le_bytes());
        push(out, &[file, node.kind as u32]);
        push(out, &texts.name(node.name));
        push(out, &texts.name(node.owner));
        push(out, &texts.add(node.signature));
        push(out, &texts.add(node.doc));
        push(out, &[node.range.0, node.range.1, node.lines.0, node.lines.1]);
        push(out, &[node.parent.map_or(NONE, |parent| parent - first), node.words]);
        let from = out.len();
        out.extend_from_slice(node.hash);
        out.resize(from + 32, 0);
    }
    for edge in &input.edges {
        block.callees.push(hash_of(edge.name));
        let (target_file, target) = edge.target.map_or((NONE, NONE), |target| place_of(firsts, target));
        let kind = EDGE_KINDS.iter().position(|kind| *kind == edge.kind).unwrap_or(0);
        let resolved = edge.resolved.map_or(0, |resolved| resolved as u32 + 1);
        let out = &mut edges;
        push(out, &[file, edge.caller - first, target_file, target]);
        push(out, &texts.name(edge.name));
        push(out, &[offset(kind) << 8 | resolved, edge.candidates]);
        push(out, &texts.name(edge.receiver));
        push(out, &texts.name(edge.module));
        push(out, &[edge.line, edge.range.0, edge.range.1, edge.count]);
    }
    Block {
        text: Cow::Owned(texts.bytes),
        nodes: Cow::Owned(nodes),
        edges: Cow::Owned(edges),
        dependencies: Cow::Owned(dependencies::encode(&input.dependencies)),
        ..block
    }
}

/// Returns the file of a chunk, and the chunk's number within it.
fn place_of(firsts: &[u32], number: u32) -> (u32, u32) {
    // A file without chunks has the same first number as the next one.
    let behind = firsts.partition_point(|first| *first <= number);
    let file = behind.saturating_sub(1);
    (offset(file), number - firsts.get(file).copied().unwrap_or(0))
}
