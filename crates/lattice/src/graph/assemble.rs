//! Assembles the blocks of all files into one graph, with the tables across them: sorted hash tables for keys and names, and edges
//! in compressed sparse row form in both directions, by counting sort.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::block::Block;
use super::layout::{
    EDGE_BYTES, FILE_BYTES, FORMAT, FileSpan, HEADER_BYTES, KEY_BYTES, MAGIC, NONE, SECTION_BYTES, SECTIONS, Section,
    number_at, offset, push,
};

/// Assembles a graph; `postings` is the inverted index: its table of terms, and its lists.
pub fn assemble<'b>(
    tree: u64,
    blocks: &'b [Block<'b>],
    spans: &[FileSpan],
    postings: (Vec<u8>, Vec<u8>),
) -> Assembled<'b> {
    let starts = Starts::of(blocks);
    let ((names, callees), (incoming, keys)) = rayon::join(
        || (table(named(blocks, &starts)), table(called(blocks, &starts))),
        || (incoming(blocks, &starts), keys(blocks)),
    );
    // In the order of `Section`. Sections that are concatenated from blocks are empty here.
    let sections = [
        Vec::new(),
        files(blocks, &starts, spans),
        Vec::new(),
        keys,
        names.0,
        names.1,
        outgoing(blocks, &starts),
        Vec::new(),
        incoming.0,
        incoming.1,
        callees.0,
        callees.1,
        postings.0,
        postings.1,
        Vec::new(),
    ];
    join(tree, blocks, sections)
}

/// The records of all files.
fn files(blocks: &[Block<'_>], starts: &Starts, spans: &[FileSpan]) -> Vec<u8> {
    let mut out = Vec::with_capacity(blocks.len() * FILE_BYTES);
    for (at, block) in blocks.iter().enumerate() {
        let span = spans.get(at).copied().unwrap_or_default();
        let start = |all: &[u32]| all.get(at).copied().unwrap_or(0);
        push(&mut out, &block.file);
        push(
            &mut out,
            &[
                start(&starts.texts),
                start(&starts.nodes),
                start(&starts.edges),
                start(&starts.dependencies),
            ],
        );
        out.extend_from_slice(&span.chunks.to_le_bytes());
        out.extend_from_slice(&span.edges.to_le_bytes());
        out.extend_from_slice(&block.checksum().to_le_bytes());
    }
    out
}

/// The number of the first text, chunk, edge and dependency of each file (prefix sums); the last entry has the totals.
struct Starts {
    texts: Vec<u32>,
    nodes: Vec<u32>,
    edges: Vec<u32>,
    dependencies: Vec<u32>,
}

impl Starts {
    fn of(blocks: &[Block<'_>]) -> Self {
        let sums = |count: &dyn Fn(&Block<'_>) -> usize| {
            let mut sum = 0;
            let mut all = vec![0];
            for block in blocks {
                sum += count(block);
                all.push(offset(sum));
            }
            all
        };
        Starts {
            texts: sums(&|block| block.text.len()),
            nodes: sums(&|block| block.node_count()),
            edges: sums(&|block| block.edge_count()),
            dependencies: sums(&|block| block.dependencies.len()),
        }
    }

    fn count(all: &[u32]) -> usize {
        all.last().map_or(0, |count| *count as usize)
    }
}

/// An assembled graph, in parts that are written one after the other.
#[derive(Debug)]
pub struct Assembled<'b> {
    header: Vec<u8>,
    sections: [Vec<u8>; SECTIONS],
    blocks: &'b [Block<'b>],
}

impl Assembled<'_> {
    /// Returns all parts, in order.
    pub fn parts(&self) -> Vec<&[u8]> {
        let mut parts = vec![&self.header[..]];
        parts.extend(body(&self.sections, self.blocks));
        parts
    }
}

/// Returns a file's contribution to the section with this number.
fn contribution(section: usize) -> for<'a, 'b> fn(&'a Block<'b>) -> &'a [u8] {
    match section {
        at if at == Section::Text as usize => |block| &block.text,
        at if at == Section::Nodes as usize => |block| &block.nodes,
        at if at == Section::Edges as usize => |block| &block.edges,
        at if at == Section::Dependencies as usize => |block| &block.dependencies,
        _ => |_| &[],
    }
}

/// Returns everything after the header, section by section.
fn body<'b>(sections: &'b [Vec<u8>], blocks: &'b [Block<'b>]) -> impl Iterator<Item = &'b [u8]> {
    sections.iter().enumerate().flat_map(move |(at, section)| {
        std::iter::once(&section[..])
            .chain(blocks.iter().map(contribution(at)))
            .filter(|part| !part.is_empty())
    })
}

fn join<'b>(tree: u64, blocks: &'b [Block<'b>], sections: [Vec<u8>; SECTIONS]) -> Assembled<'b> {
    let mut table = Vec::with_capacity(SECTIONS * SECTION_BYTES);
    let mut offset = (HEADER_BYTES + SECTIONS * SECTION_BYTES) as u64;
    for (at, section) in sections.iter().enumerate() {
        let contributed: usize = blocks.iter().map(|block| contribution(at)(block).len()).sum();
        let len = (section.len() + contributed) as u64;
        table.extend_from_slice(&offset.to_le_bytes());
        table.extend_from_slice(&len.to_le_bytes());
        // The parts of files have their checksums in the records of files.
        table.extend_from_slice(&xxh3_64(section).to_le_bytes());
        offset += len;
    }
    let mut header = Vec::with_capacity(HEADER_BYTES + table.len());
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&tree.to_le_bytes());
    header.extend_from_slice(&xxh3_64(&table).to_le_bytes());
    header.append(&mut table);
    Assembled {
        header,
        sections,
        blocks,
    }
}

fn keys(blocks: &[Block<'_>]) -> Vec<u8> {
    let mut keys: Vec<(u64, u32)> = blocks.iter().flat_map(Block::keys).zip(0..).collect();
    keys.par_sort_unstable();
    let mut out = Vec::with_capacity(keys.len() * KEY_BYTES);
    for (key, number) in keys {
        out.extend_from_slice(&key.to_le_bytes());
        push(&mut out, &[number]);
    }
    out
}

fn named(blocks: &[Block<'_>], starts: &Starts) -> Vec<(u64, u32)> {
    let all = blocks.iter().zip(&starts.nodes);
    all.flat_map(|(block, first)| block.names.iter().map(move |(hash, local)| (*hash, first + local)))
        .collect()
}

fn called(blocks: &[Block<'_>], starts: &Starts) -> Vec<(u64, u32)> {
    let all = blocks.iter().zip(&starts.edges);
    all.flat_map(|(block, first)| block.callees.iter().copied().zip(*first..))
        .collect()
}

/// Returns a table of ascending hashes, and the numbers that belong to each.
fn table(mut named: Vec<(u64, u32)>) -> (Vec<u8>, Vec<u8>) {
    named.par_sort_unstable();
    let (mut table, mut lists) = (Vec::new(), Vec::with_capacity(named.len() * 4));
    let mut first = 0_u32;
    for group in named.chunk_by(|a, b| a.0 == b.0) {
        let Some((hash, _)) = group.first() else { continue };
        let count = offset(group.len());
        table.extend_from_slice(&hash.to_le_bytes());
        push(&mut table, &[first, count]);
        for (_, number) in group {
            push(&mut lists, &[*number]);
        }
        first += count;
    }
    (table, lists)
}

/// Yields one field of all edges of a file.
fn numbers<'b>(block: &'b Block<'_>, place: usize) -> impl Iterator<Item = u32> + 'b {
    block
        .edges
        .chunks_exact(EDGE_BYTES)
        .map(move |edge| number_at(edge, place).unwrap_or(NONE))
}

/// Returns the first outgoing edge of each chunk, and at the end the number of edges (the row pointers of the compressed
/// sparse row form).
fn outgoing(blocks: &[Block<'_>], starts: &Starts) -> Vec<u8> {
    let mut sums = vec![0_u32; Starts::count(&starts.nodes) + 1];
    for (block, first) in blocks.iter().zip(&starts.nodes) {
        for caller in numbers(block, 4) {
            if let Some(sum) = sums.get_mut((first + caller) as usize + 1) {
                *sum += 1;
            }
        }
    }
    prefix_sums(&mut sums);
    bytes_of(&sums)
}

/// Returns the same for incoming edges, with the numbers of those edges.
fn incoming(blocks: &[Block<'_>], starts: &Starts) -> (Vec<u8>, Vec<u8>) {
    let targets: Vec<u32> = blocks
        .iter()
        .flat_map(|block| numbers(block, 8).zip(numbers(block, 12)))
        .map(|(file, local)| match starts.nodes.get(file as usize) {
            Some(first) if file != NONE => first + local,
            _ => NONE,
        })
        .collect();
    let mut sums = vec![0_u32; Starts::count(&starts.nodes) + 1];
    for target in &targets {
        if let Some(sum) = target.checked_add(1).and_then(|at| sums.get_mut(at as usize)) {
            *sum += 1;
        }
    }
    prefix_sums(&mut sums);
    let mut next = sums.clone();
    let mut lists = vec![0_u32; Starts::count(&sums)];
    for (number, target) in (0_u32..).zip(&targets) {
        if let Some(slot) = next.get_mut(*target as usize) {
            if let Some(place) = lists.get_mut(*slot as usize) {
                *place = number;
            }
            *slot += 1;
        }
    }
    (bytes_of(&sums), bytes_of(&lists))
}

fn prefix_sums(sums: &mut [u32]) {
    let mut sum = 0;
    for number in sums {
        sum += *number;
        *number = sum;
    }
}

fn bytes_of(numbers: &[u32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(numbers.len() * 4);
    push(&mut out, numbers);
    out
}
