//! Writes the compact form.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::{EDGE_BYTES, FORMAT, HEADER_BYTES, MAGIC, NODE_BYTES, NONE, SECTIONS, Section};
use crate::chunk::{Terms, terms_of, terms_of_path};

/// A chunk.
#[derive(Debug, Clone, Copy)]
pub struct NodeInput<'a> {
    /// Its key.
    pub key: u64,
    /// The number of its file.
    pub file: u32,
    /// The number of its kind.
    pub kind: u8,
    /// Its name.
    pub name: &'a str,
    /// The type it belongs to.
    pub owner: &'a str,
    /// Its first line.
    pub signature: &'a str,
    /// What a comment says of it.
    pub doc: &'a str,
    /// Its bytes.
    pub range: (u32, u32),
    /// Its lines.
    pub lines: (u32, u32),
    /// The chunk it stands in.
    pub parent: Option<u32>,
    /// How many words it has.
    pub words: u32,
    /// SHA-256 of its bytes.
    pub hash: [u8; 32],
    /// Its packed terms.
    pub terms: &'a [u8],
}

/// A reference, and one of the definitions that it may mean.
#[derive(Debug, Clone, Copy)]
pub struct EdgeInput<'a> {
    /// The chunk with the reference.
    pub caller: u32,
    /// What it means.
    pub target: Option<u32>,
    /// The name that is used.
    pub name: &'a str,
    /// The number of the kind, as [`super::read::EDGE_KINDS`] has it.
    pub kind: u8,
    /// How it was resolved: 0 for not.
    pub resolved: u8,
    /// How many definitions it may mean.
    pub candidates: u32,
    /// What stands before the name.
    pub receiver: &'a str,
    /// The module outside.
    pub module: &'a str,
    /// The line.
    pub line: u32,
    /// The bytes.
    pub range: (u32, u32),
    /// How many there are.
    pub count: u32,
}

/// Everything that a graph holds.
#[derive(Debug, Default)]
pub struct GraphInput<'a> {
    /// What the tree of files was when this was made.
    pub tree: u64,
    /// Paths and names of languages, ordered by path.
    pub files: Vec<(&'a str, &'a str)>,
    /// The chunks, those of a file together, the file itself first.
    pub nodes: Vec<NodeInput<'a>>,
    /// The edges, ordered by caller.
    pub edges: Vec<EdgeInput<'a>>,
}

/// The texts, each once.
#[derive(Default)]
struct Texts<'a> {
    bytes: Vec<u8>,
    places: FxHashMap<&'a str, u32>,
}

impl<'a> Texts<'a> {
    fn add(&mut self, text: &'a str) -> [u32; 2] {
        let len = u32::try_from(text.len()).unwrap_or(0);
        let bytes = &mut self.bytes;
        let at = *self.places.entry(text).or_insert_with(|| {
            let at = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(text.as_bytes());
            at
        });
        [at, len]
    }
}

/// Writes a graph.
pub fn build(input: &GraphInput<'_>) -> Vec<u8> {
    let (words, mut texts) = rayon::join(|| terms(input), Texts::default);
    let mut sections: Vec<Vec<u8>> = vec![Vec::new(); SECTIONS];
    for (path, language) in &input.files {
        push(&mut sections[Section::Files as usize], &texts.add(path));
        push(&mut sections[Section::Files as usize], &texts.add(language));
    }
    nodes(input, &mut texts, &mut sections);
    edges(input, &mut texts, &mut sections);
    (sections[Section::Terms as usize], sections[Section::Postings as usize]) = words;
    sections[Section::Text as usize] = texts.bytes;
    assemble(input.tree, &sections)
}

fn assemble(tree: u64, sections: &[Vec<u8>]) -> Vec<u8> {
    let mut body = Vec::with_capacity(sections.iter().map(Vec::len).sum::<usize>() + SECTIONS * 16);
    let mut at = (HEADER_BYTES + SECTIONS * 16) as u64;
    for section in sections {
        body.extend_from_slice(&at.to_le_bytes());
        body.extend_from_slice(&(section.len() as u64).to_le_bytes());
        at += section.len() as u64;
    }
    for section in sections {
        body.extend_from_slice(section);
    }
    let mut out = Vec::with_capacity(HEADER_BYTES + body.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&tree.to_le_bytes());
    out.extend_from_slice(&xxh3_64(&body).to_le_bytes());
    out.extend_from_slice(&body);
    out
}

fn nodes<'a>(input: &GraphInput<'a>, texts: &mut Texts<'a>, sections: &mut [Vec<u8>]) {
    let mut out = Vec::with_capacity(input.nodes.len() * NODE_BYTES);
    let mut keys: Vec<(u64, u32)> = Vec::with_capacity(input.nodes.len());
    let mut named: Vec<(&str, u32)> = Vec::with_capacity(input.nodes.len());
    for (number, node) in input.nodes.iter().enumerate() {
        let number = u32::try_from(number).unwrap_or(NONE);
        keys.push((node.key, number));
        if !node.name.is_empty() {
            named.push((node.name, number));
        }
        out.extend_from_slice(&node.key.to_le_bytes());
        push(&mut out, &[node.file, u32::from(node.kind)]);
        for text in [node.name, node.owner, node.signature, node.doc] {
            push(&mut out, &texts.add(text));
        }
        push(&mut out, &[node.range.0, node.range.1, node.lines.0, node.lines.1]);
        push(&mut out, &[node.parent.unwrap_or(NONE), node.words]);
        out.extend_from_slice(&node.hash);
    }
    keys.sort_unstable();
    for (key, number) in keys {
        sections[Section::Keys as usize].extend_from_slice(&key.to_le_bytes());
        push(&mut sections[Section::Keys as usize], &[number]);
    }
    sections[Section::Nodes as usize] = out;
    let (table, lists) = name_table(named, texts);
    sections[Section::Names as usize] = table;
    sections[Section::NameNodes as usize] = lists;
}

/// A table of names, ordered by their bytes, and the numbers that belong to each.
fn name_table<'a>(mut named: Vec<(&'a str, u32)>, texts: &mut Texts<'a>) -> (Vec<u8>, Vec<u8>) {
    named.par_sort_unstable();
    let (mut table, mut lists) = (Vec::new(), Vec::with_capacity(named.len() * 4));
    let mut first = 0_u32;
    for group in named.chunk_by(|a, b| a.0 == b.0) {
        let count = u32::try_from(group.len()).unwrap_or(0);
        push(&mut table, &texts.add(group[0].0));
        push(&mut table, &[first, count]);
        for (_, number) in group {
            push(&mut lists, &[*number]);
        }
        first += count;
    }
    (table, lists)
}

fn edges<'a>(input: &GraphInput<'a>, texts: &mut Texts<'a>, sections: &mut [Vec<u8>]) {
    let count = input.nodes.len();
    let mut out = Vec::with_capacity(input.edges.len() * EDGE_BYTES);
    let mut firsts = vec![0_u32; count + 1];
    let mut into = vec![0_u32; count + 1];
    for edge in &input.edges {
        if let Some(first) = firsts.get_mut(edge.caller as usize + 1) {
            *first += 1;
        }
        if let Some(first) = edge.target.and_then(|target| into.get_mut(target as usize + 1)) {
            *first += 1;
        }
        push(&mut out, &[edge.caller, edge.target.unwrap_or(NONE)]);
        push(&mut out, &texts.add(edge.name));
        push(
            &mut out,
            &[u32::from(edge.kind) << 8 | u32::from(edge.resolved), edge.candidates],
        );
        push(&mut out, &texts.add(edge.receiver));
        push(&mut out, &texts.add(edge.module));
        push(&mut out, &[edge.line, edge.range.0, edge.range.1, edge.count]);
    }
    for sums in [&mut firsts, &mut into] {
        for at in 1..sums.len() {
            sums[at] += sums[at - 1];
        }
    }
    let mut next = into.clone();
    let mut incoming = vec![0_u32; into.last().copied().unwrap_or(0) as usize];
    let mut named = Vec::with_capacity(input.edges.len());
    for (number, edge) in input.edges.iter().enumerate() {
        let number = u32::try_from(number).unwrap_or(NONE);
        named.push((edge.name, number));
        if let Some(slot) = edge.target.and_then(|target| next.get_mut(target as usize)) {
            if let Some(place) = incoming.get_mut(*slot as usize) {
                *place = number;
            }
            *slot += 1;
        }
    }
    sections[Section::Edges as usize] = out;
    push(&mut sections[Section::Out as usize], &firsts);
    push(&mut sections[Section::In as usize], &into);
    push(&mut sections[Section::InEdges as usize], &incoming);
    let (table, lists) = name_table(named, texts);
    sections[Section::Callees as usize] = table;
    sections[Section::CalleeEdges as usize] = lists;
}

/// How many bits the weight of a posting has.
const WEIGHT_BITS: u32 = 6;

/// The terms with the chunks that have them. Words of its path are every chunk's.
fn terms(input: &GraphInput<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut counter = Terms::default();
    let paths: Vec<Vec<u8>> = input
        .files
        .iter()
        .map(|(path, _)| terms_of_path(&mut counter, path))
        .collect();
    let mut postings: Vec<u64> = Vec::with_capacity(input.nodes.iter().map(|node| node.terms.len() / 5 + 8).sum());
    for (number, node) in input.nodes.iter().enumerate() {
        let pack =
            |hash: u32, weight: u8| u64::from(hash) << 32 | (number as u64) << WEIGHT_BITS | u64::from(weight.min(63));
        postings.extend(terms_of(node.terms).map(|(hash, weight)| pack(hash, weight)));
        let path = paths.get(node.file as usize).map(Vec::as_slice).unwrap_or_default();
        postings.extend(terms_of(path).map(|(hash, weight)| pack(hash, weight)));
    }
    postings.par_sort_unstable();
    let (mut table, mut lists) = (Vec::new(), Vec::with_capacity(postings.len() * 2));
    for group in postings.chunk_by(|a, b| a >> 32 == b >> 32) {
        let first = u32::try_from(lists.len()).unwrap_or(NONE);
        let mut before = 0;
        let mut count = 0_u32;
        for same in group.chunk_by(|a, b| a >> WEIGHT_BITS == b >> WEIGHT_BITS) {
            let chunk = (same[0] as u32) >> WEIGHT_BITS;
            let weight = same.iter().map(|one| *one as u32 & 63).sum::<u32>().min(63);
            push_varint(&mut lists, chunk - before);
            lists.push(weight as u8);
            before = chunk;
            count += 1;
        }
        let len = u32::try_from(lists.len()).unwrap_or(NONE) - first;
        push(&mut table, &[(group[0] >> 32) as u32, first, len, count]);
    }
    (table, lists)
}

fn push(out: &mut Vec<u8>, numbers: &[u32]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn push_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
