//! Writes an index. The compact form holds everything queries need: putting it in its place is the one step that makes
//! the new index count. What a death leaves half-way is put right by the next run.

use std::fs;

use forge_memory_core::journal::write_file;
use forge_memory_core::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::facts::ReferenceKind;
use crate::graph::{EdgeInput, Graph, GraphInput, NodeInput, build};
use crate::index::{Lattice, decode, moment};
use crate::record::{chunk_key, chunk_records, edge_records};
use crate::resolve::{Edge, FileFacts, MANIFEST, Names, Resolved, resolve};
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
        Seal {
            bytes: bytes.len() as u64,
            hash: format!("{:016x}", xxh3_64(bytes)),
        }
    }
}

/// Reads `meta.json`.
pub fn read_meta(lattice: &Lattice) -> Option<Meta> {
    serde_json::from_slice(&fs::read(&lattice.places.meta).ok()?).ok()
}

/// Writes what has changed and returns how many chunks and edges there are.
pub(crate) fn write(lattice: &Lattice, kept: &[Kept<'_>], states: &States, old: &States) -> Result<(usize, usize)> {
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
    let files: Vec<FileFacts<'_>> = kept
        .par_iter()
        .map(|kept| FileFacts {
            path: kept.path,
            language: kept.language,
            facts: decode(kept),
        })
        .collect();
    let names = Names::new(&files);
    let edges = resolve(&names);
    let records = Records::of(&names, &edges);
    let graph = build(&input_of(&names, &records.keys, &edges, states.tree));
    let meta = meta_of(lattice, kept, states, &records)?;
    let facts = encode_facts(kept);
    let seen = encode_states(states);
    let disk = lattice.disk.as_ref();
    // Facts and looks are caches: they say nothing before the graph of the same tree is there.
    let caches = rayon::join(
        || write_file(disk, &places.facts, &facts),
        || write_file(disk, &places.states, &seen),
    );
    caches.0.and(caches.1)?;
    write_file(disk, &places.graph, &graph)?;
    let lines = rayon::join(
        || write_file(disk, &places.chunks, &records.chunks),
        || write_file(disk, &places.edges, &records.edges),
    );
    lines.0.and(lines.1)?;
    write_file(disk, &places.meta, &meta)?;
    Ok((
        names.first.last().map_or(0, |count| *count as usize),
        records.edge_count,
    ))
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

/// The lines of both files.
struct Records {
    keys: Vec<u64>,
    chunks: Vec<u8>,
    edges: Vec<u8>,
    edge_count: usize,
}

impl Records {
    fn of<'a>(names: &Names<'a>, edges: &[Vec<Edge<'a>>]) -> Self {
        let keys: Vec<u64> = names
            .files
            .par_iter()
            .flat_map_iter(|file| file.facts.chunks.iter().map(|chunk| chunk_key(file.path, chunk)))
            .collect();
        let parts: Vec<(Vec<u8>, Vec<u8>, usize)> = edges
            .par_iter()
            .enumerate()
            .map(|(file, edges)| {
                let (mut chunk_lines, mut edge_lines, mut count) = (Vec::new(), Vec::new(), 0);
                for record in chunk_records(names, &keys, file, edges) {
                    push_line(&mut chunk_lines, &record);
                }
                for record in edges.iter().flat_map(|edge| edge_records(&keys, edge)) {
                    push_line(&mut edge_lines, &record);
                    count += 1;
                }
                (chunk_lines, edge_lines, count)
            })
            .collect();
        let mut records = Records {
            keys,
            chunks: Vec::new(),
            edges: Vec::new(),
            edge_count: 0,
        };
        for (chunks, edges, count) in parts {
            records.chunks.extend_from_slice(&chunks);
            records.edges.extend_from_slice(&edges);
            records.edge_count += count;
        }
        records
    }
}

fn push_line<T: Serialize>(out: &mut Vec<u8>, record: &T) {
    // Texts and numbers always encode, and memory takes them.
    if serde_json::to_writer(&mut *out, record).is_ok() {
        out.push(b'\n');
    }
}

fn input_of<'a>(names: &'a Names<'a>, keys: &[u64], edges: &'a [Vec<Edge<'a>>], tree: u64) -> GraphInput<'a> {
    let mut input = GraphInput {
        tree,
        ..GraphInput::default()
    };
    for (at, file) in names.files.iter().enumerate() {
        let first = names.first[at];
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        let language = if file.language == MANIFEST {
            ""
        } else {
            file.language().map_or("unknown", |l| l.name)
        };
        input.files.push((file.path, language));
        for (local, chunk) in file.facts.chunks.iter().enumerate() {
            input.nodes.push(NodeInput {
                key: keys.get(first as usize + local).copied().unwrap_or(0),
                file: number,
                kind: chunk.kind as u8,
                name: &chunk.name,
                owner: &chunk.owner,
                signature: &chunk.signature,
                doc: &chunk.doc,
                range: (chunk.start, chunk.end),
                lines: (chunk.start_line, chunk.end_line),
                parent: (local > 0).then_some(first + chunk.parent),
                words: chunk.words,
                hash: chunk.hash,
                terms: &chunk.terms,
            });
        }
    }
    let mut all: Vec<&Edge<'a>> = edges.iter().flatten().collect();
    all.sort_by_key(|edge| edge.caller);
    for edge in all {
        let one = |target: Option<u32>| EdgeInput {
            caller: edge.caller,
            target,
            name: &edge.reference.name,
            kind: kind_number(edge.reference.kind),
            resolved: match edge.resolved {
                None => 0,
                Some(Resolved::Exact) => 1,
                Some(Resolved::Import) => 2,
                Some(Resolved::Name) => 3,
            },
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

fn kind_number(kind: ReferenceKind) -> u8 {
    match kind {
        ReferenceKind::Call | ReferenceKind::Maybe | ReferenceKind::Macro => 0,
        ReferenceKind::New => 1,
        ReferenceKind::Extends => 2,
        ReferenceKind::Reference => 3,
    }
}

fn meta_of(lattice: &Lattice, kept: &[Kept<'_>], states: &States, records: &Records) -> Result<Vec<u8>> {
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
        chunks_file: Seal::of(&records.chunks),
        edges_file: Seal::of(&records.edges),
    };
    serde_json::to_vec_pretty(&meta).map_err(|e| Error::invalid("meta", e.to_string()))
}
