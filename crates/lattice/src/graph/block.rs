//! What one file brings to the graph, as bytes that say nothing of where other files stand.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::{EDGE_BYTES, EDGE_KINDS, FileInput, NODE_BYTES, NONE, number_at, offset, push};

/// The bytes of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The texts.
    pub text: Vec<u8>,
    /// The chunks.
    pub nodes: Vec<u8>,
    /// The edges.
    pub edges: Vec<u8>,
    /// Where path and language stand among the texts.
    pub(super) file: [u32; 4],
    /// The keys of the chunks.
    pub keys: Vec<u64>,
    /// Hashes of names with the place of the chunk in the file.
    pub(super) names: Vec<(u64, u32)>,
    /// Hashes of the names that edges use.
    pub(super) callees: Vec<u64>,
}

impl Block {
    /// Returns how many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len() / EDGE_BYTES
    }

    /// Tells whether an edge leads to one of these files.
    pub fn leads_to(&self, files: &[u32]) -> bool {
        !files.is_empty()
            && self
                .edges
                .chunks_exact(EDGE_BYTES)
                .any(|edge| number_at(edge, 8).is_some_and(|file| files.contains(&file)))
    }
}

/// Texts, names each once.
#[derive(Default)]
struct Texts<'a> {
    bytes: Vec<u8>,
    places: FxHashMap<&'a str, [u32; 2]>,
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
        if let Some(place) = self.places.get(text) {
            return *place;
        }
        let place = self.add(text);
        self.places.insert(text, place);
        place
    }
}

/// How a name is found.
pub(super) fn hash_of(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// Makes the bytes of a file; `firsts` are the numbers of all files' first chunks.
pub fn block(input: &FileInput<'_>, file: u32, firsts: &[u32]) -> Block {
    let mut texts = Texts::default();
    let mut block = Block {
        nodes: Vec::with_capacity(input.nodes.len() * NODE_BYTES),
        edges: Vec::with_capacity(input.edges.len() * EDGE_BYTES),
        keys: input.nodes.iter().map(|node| node.key).collect(),
        ..Block::default()
    };
    let (path, language) = (texts.add(input.path), texts.add(input.language));
    block.file = [path[0], path[1], language[0], language[1]];
    let first = firsts.get(file as usize).copied().unwrap_or(0);
    for (local, node) in (0_u32..).zip(&input.nodes) {
        if !node.name.is_empty() {
            block.names.push((hash_of(node.name), local));
        }
        let out = &mut block.nodes;
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
        let out = &mut block.edges;
        push(out, &[file, edge.caller - first, target_file, target]);
        push(out, &texts.name(edge.name));
        push(out, &[offset(kind) << 8 | resolved, edge.candidates]);
        push(out, &texts.name(edge.receiver));
        push(out, &texts.name(edge.module));
        push(out, &[edge.line, edge.range.0, edge.range.1, edge.count]);
    }
    block.text = texts.bytes;
    block
}

/// Returns the file of a chunk, and its place in it.
fn place_of(firsts: &[u32], number: u32) -> (u32, u32) {
    // Files without chunks begin where the next one does.
    let behind = firsts.partition_point(|first| *first <= number);
    let file = behind.saturating_sub(1);
    (offset(file), number - firsts.get(file).copied().unwrap_or(0))
}
