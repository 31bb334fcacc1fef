//! Writes an index. The compact form holds everything queries need: putting it in its place is the one step that makes
//! the new index count. What a death leaves half-way is put right by the next run.

use std::fs;
use std::path::Path;

use forge_memory_core::journal::{stage_file, write_file};
use forge_memory_core::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::before::Before;
use crate::facts::Facts;
use crate::graph::{Block, EdgeView, FileInput, FileTerms, Graph, NodeView, assemble, block, file_terms, sorted};
use crate::index::{Lattice, moment};
use crate::lines::Lines;
use crate::record::chunk_keys;
use crate::resolve::{Edge, FileFacts, Looks, MANIFEST, Names, resolve};
use crate::store::{Kept, Skip, States, encode_facts, encode_states};

/// The name and version of what makes chunks.
pub const CHUNKER: (&str, &str) = ("treesitter", env!("CARGO_PKG_VERSION"));

/// `meta.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// When the index last changed.
    pub last_indexed_at: Option<String>,
    /// What made the chunks.
    pub chunker_impl: Option<String>,
    /// Its version.
    pub chunker_version: Option<String>,
    /// How many files have chunks.
    #[serde(default)]
    pub files_indexed: u64,
    /// How many were skipped.
    #[serde(default)]
    pub files_skipped: u64,
    /// Which tree of files it is of.
    #[serde(default)]
    pub tree: String,
    /// Lengths and hashes of `chunks.jsonl` and `edges.jsonl`.
    #[serde(default)]
    pub chunks_file: Seal,
    /// See `chunks_file`.
    #[serde(default)]
    pub edges_file: Seal,
}

/// How a file must look.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Seal {
    /// Its length.
    pub bytes: u64,
    /// The hash of its bytes.
    pub hash: String,
}

impl Seal {
    /// Returns how these bytes look.
    pub fn of(bytes: &[u8]) -> Self {
        Seal::of_parts(&[bytes])
    }

    /// Returns how these bytes look together.
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hash = Xxh3::new();
        for part in parts {
            hash.update(part);
        }
        Seal {
            bytes: parts.iter().map(|part| part.len() as u64).sum(),
            hash: format!("{:016x}", hash.digest()),
        }
    }
}

/// Reads `meta.json`.
pub fn read_meta(lattice: &Lattice) -> Option<Meta> {
    serde_json::from_slice(&fs::read(&lattice.places.meta).ok()?).ok()
}

/// Writes what has changed and returns how many chunks and edges there are.
pub(crate) fn write(
    lattice: &Lattice,
    kept: &[Kept<'_>],
    states: &States,
    (old_kept, old): (&[Kept<'_>], &States),
) -> Result<(usize, usize)> {
    let places = &lattice.places;
    if let Some(graph) = Graph::map(&places.graph)
        && graph.tree() == states.tree
        && is_complete(lattice, &graph)
    {
        let counts = (graph.nodes() as usize, graph.edges() as usize);
        if old.files != states.files || old.tree != states.tree || is_any_young(old) {
            write_file(lattice.disk.as_ref(), &places.states, &encode_states(states))?;
        }
        if !places.facts.is_file() || old.tree != states.tree {
            write_file(lattice.disk.as_ref(), &places.facts, &encode_facts(kept))?;
        }
        return Ok(counts);
    }
    let before = Before::of(lattice, old_kept, kept);
    let before = before.as_ref();
    let files: Vec<FileFacts<'_>> = kept.iter().map(FileFacts::of).collect();
    if before.is_none() {
        files.par_iter().for_each(|file| {
            file.facts();
        });
    }
    let names = Names::new(&files, before.map(Before::unchanged));
    let solved = Solved::of(&names, before);
    let made = Made::of(&names, &solved, before);
    let (chunks, edges) = (made.lines.chunks.parts(), made.lines.edges.parts());
    let (graph, meta) = rayon::join(
        || assemble(states.tree, &solved.blocks, &made.lines.spans, made.postings),
        || meta_of(lattice, kept, states, (&chunks, &edges)),
    );
    let meta = meta?;
    let disk = lattice.disk.as_ref();
    let stage = |path: &Path, parts: &[&[u8]]| stage_file(disk, path, parts);
    let (((facts, seen), graph), (chunks, edges)) = rayon::join(
        || {
            rayon::join(
                || {
                    (
                        stage(&places.facts, &[&encode_facts(kept)]),
                        stage(&places.states, &[&encode_states(states)]),
                    )
                },
                || stage(&places.graph, &graph.parts()),
            )
        },
        || rayon::join(|| stage(&places.chunks, &chunks), || stage(&places.edges, &edges)),
    );
    // Facts and looks are caches: they say nothing before the graph of the same tree is there.
    let staged = [facts?, seen?, graph?, chunks?, edges?, stage(&places.meta, &[&meta])?];
    for file in staged {
        file.place()?;
    }
    Ok((
        names.first.last().map_or(0, |count| *count as usize),
        solved.blocks.iter().map(Block::edge_count).sum(),
    ))
}

/// What all references mean.
struct Solved<'a, 'b> {
    /// Of the files that do not stay as they are.
    edges: Vec<Vec<Edge<'a>>>,
    keys: Vec<u64>,
    blocks: Vec<Block<'b>>,
    stays: Vec<bool>,
}

/// What is written besides.
struct Made<'l> {
    lines: Lines<'l>,
    postings: (Vec<u8>, Vec<u8>),
}

impl<'a, 'b> Solved<'a, 'b> {
    fn of(names: &Names<'a>, before: Option<&'b Before<'_>>) -> Self {
        let files = 0..names.files.len();
        let mut blocks: Vec<Option<Block<'b>>> = match before {
            Some(before) => {
                let stays = before.stays(names);
                let kept = |file: usize| stays[file].then(|| before.block(number_of(file))).flatten();
                files.clone().into_par_iter().map(kept).collect()
            }
            None => files.clone().map(|_| None).collect(),
        };
        let stays: Vec<bool> = blocks.iter().map(Option::is_some).collect();
        let (edges, looks): (Vec<_>, Vec<Looks>) = files
            .clone()
            .into_par_iter()
            .map(|file| {
                if stays[file] {
                    Default::default()
                } else {
                    resolve(names, file)
                }
            })
            .unzip();
        let keys: Vec<u64> = files
            .clone()
            .into_par_iter()
            .flat_map_iter(|file| match &blocks[file] {
                Some(block) => block.keys().collect(),
                None => chunk_keys(names.files[file].path, &names.files[file].facts().chunks),
            })
            .collect();
        blocks
            .par_iter_mut()
            .zip(looks)
            .enumerate()
            .for_each(|(file, (made, looks))| {
                made.get_or_insert_with(|| {
                    let input = input_of(names, &keys, &edges[file], looks, file);
                    block(&input, number_of(file), &names.first)
                });
            });
        Solved {
            edges,
            keys,
            blocks: blocks.into_iter().flatten().collect(),
            stays,
        }
    }
}

impl<'l> Made<'l> {
    fn of<'a>(names: &Names<'a>, solved: &Solved<'a, '_>, before: Option<&'l Before<'_>>) -> Self {
        let kept = |file: usize| before.filter(|_| solved.stays[file])?.lines(file);
        let old = before.map(Before::old_lines).unwrap_or_default();
        let (lines, postings) = rayon::join(
            || Lines::of(names, &solved.keys, &solved.edges, old, kept),
            || {
                before
                    .and_then(|before| before.postings(names))
                    .unwrap_or_else(|| postings(names.files))
            },
        );
        Made { lines, postings }
    }
}

/// The table of terms and their lists, from all files.
fn postings(files: &[FileFacts<'_>]) -> (Vec<u8>, Vec<u8>) {
    let terms: Vec<FileTerms> = files
        .par_iter()
        .map(|file| terms_of_file(file.path, file.facts()))
        .collect();
    sorted(&terms)
}

/// The terms of one file.
pub(crate) fn terms_of_file(path: &str, facts: &Facts<'_>) -> FileTerms {
    file_terms(path, facts.chunks.iter().map(|chunk| &*chunk.terms))
}

/// Tells whether what stands beside the graph is of the same run.
fn is_complete(lattice: &Lattice, graph: &Graph) -> bool {
    let Some(meta) = read_meta(lattice) else { return false };
    let has_length = |path: &std::path::Path, bytes: u64| fs::metadata(path).is_ok_and(|meta| meta.len() == bytes);
    meta.tree == format!("{:016x}", graph.tree())
        && has_length(&lattice.places.chunks, meta.chunks_file.bytes)
        && has_length(&lattice.places.edges, meta.edges_file.bytes)
}

/// Tells whether a file had changed so shortly before it was looked at that its time proves nothing.
fn is_any_young(states: &States) -> bool {
    states
        .files
        .iter()
        .any(|(_, state)| state.modified_ns / 1_000_000 >= states.looked_ms - 2000)
}

fn number_of(file: usize) -> u32 {
    u32::try_from(file).unwrap_or(u32::MAX)
}

fn input_of<'e, 'a>(
    names: &'e Names<'a>,
    keys: &[u64],
    edges: &'e [Edge<'a>],
    looks: Looks,
    at: usize,
) -> FileInput<'e> {
    let file = &names.files[at];
    let first = names.first[at];
    let mut input = FileInput {
        path: file.path,
        language: match file.language() {
            Some(language) => language.name,
            None if file.language == MANIFEST => "",
            None => "unknown",
        },
        looks,
        ..FileInput::default()
    };
    for (number, chunk) in (first..).zip(&file.facts().chunks) {
        input.nodes.push(NodeView {
            number,
            key: keys.get(number as usize).copied().unwrap_or(0),
            file: number_of(at),
            kind: chunk.kind,
            name: &chunk.name,
            owner: &chunk.owner,
            signature: &chunk.signature,
            doc: &chunk.doc,
            range: (chunk.start, chunk.end),
            lines: (chunk.start_line, chunk.end_line),
            parent: (number > first).then_some(first + chunk.parent),
            words: chunk.words,
            hash: &chunk.hash,
        });
    }
    let mut all: Vec<&'e Edge<'a>> = edges.iter().collect();
    all.sort_by_key(|edge| edge.caller);
    for edge in all {
        let one = |target: Option<u32>| EdgeView {
            caller: edge.caller,
            target,
            name: &edge.reference.name,
            kind: edge.reference.kind.name(),
            resolved: edge.resolved,
            candidates: u32::try_from(edge.candidates).unwrap_or(u32::MAX),
            receiver: &edge.reference.receiver,
            module: edge.outside.unwrap_or(""),
            line: edge.reference.line,
            range: (edge.reference.start, edge.reference.end),
            count: edge.reference.count,
        };
        if edge.targets.is_empty() {
            input.edges.push(one(None));
        }
        input.edges.extend(edge.targets.iter().map(|target| one(Some(*target))));
    }
    input
}

fn meta_of(
    lattice: &Lattice,
    kept: &[Kept<'_>],
    states: &States,
    (chunks, edges): (&[&[u8]], &[&[u8]]),
) -> Result<Vec<u8>> {
    let count = |skipped: bool| {
        kept.iter()
            .filter(|kept| kept.language != MANIFEST && (kept.skip != Skip::No) == skipped)
            .count() as u64
    };
    let meta = Meta {
        last_indexed_at: Some(moment(lattice.clock.now_ms())),
        chunker_impl: Some(CHUNKER.0.to_owned()),
        chunker_version: Some(CHUNKER.1.to_owned()),
        files_indexed: count(false),
        files_skipped: count(true),
        tree: format!("{:016x}", states.tree),
        chunks_file: Seal::of_parts(chunks),
        edges_file: Seal::of_parts(edges),
    };
    serde_json::to_vec_pretty(&meta).map_err(|e| Error::invalid("meta", e.to_string()))
}
