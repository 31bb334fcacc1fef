//! Writes an index. The compact form holds everything queries need: putting it in its place is the one step that makes
//! the new index count. What a death leaves half-way is put right by the next run.

use std::path::Path;
use std::thread::ScopedJoinHandle;

use forge_memory_core::journal::{DiskFile, Lasting, Staged, stage_by, stage_file, write_parts};
use forge_memory_core::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::before::{Before, Replaced};
use crate::budget::{Budget, Limit};
use crate::contents::{META_BYTES_MAX, read};
use crate::facts::Facts;
use crate::graph::{Block, EdgeView, FileInput, FileTerms, Graph, NodeView, assemble, block, file_terms, sorted};
use crate::index::{Lattice, moment};
use crate::lines::{Lines, OldLines};
use crate::own::{is_own, place};
use crate::record::chunk_keys;
use crate::resolve::{Edge, FileFacts, Looks, MANIFEST, Names, resolve};
use crate::store::{FactsParts, Kept, Skip, States, encode_states};

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
    /// Which limit the run reached, so that something is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
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
        let mut hash = Xxh3::new();
        hash.update(bytes);
        Seal {
            bytes: bytes.len() as u64,
            hash: Seal::text(&hash),
        }
    }

    /// Returns a hash as it is written.
    pub(crate) fn text(hash: &Xxh3) -> String {
        format!("{:016x}", hash.digest())
    }
}

/// Reads `meta.json`.
pub fn read_meta(lattice: &Lattice) -> Option<Meta> {
    serde_json::from_slice(&read(lattice.disk.as_ref(), &lattice.places.meta, META_BYTES_MAX).ok()?).ok()
}

/// Writes what has changed and returns how many chunks and edges there are, with what has been replaced.
pub(crate) fn write(
    lattice: &Lattice,
    kept: &[Kept<'_>],
    states: &States,
    (old_kept, old): (&[Kept<'_>], &States),
    budget: &Budget,
) -> Result<((usize, usize), Replaced)> {
    let places = &lattice.places;
    if is_own(lattice)
        && let Some(graph) = Graph::read(lattice.disk.as_ref(), &places.graph)
        && graph.tree() == states.tree
        && is_complete(lattice, &graph)
    {
        let counts = (graph.nodes() as usize, graph.edges() as usize);
        if old.files != states.files || old.tree != states.tree || is_any_young(old) {
            place(lattice, vec![stage_states(lattice, states)?])?;
        }
        if !places.facts.is_file() || old.tree != states.tree {
            place(lattice, vec![stage_facts(lattice, kept)?])?;
        }
        return Ok((counts, Replaced::default()));
    }
    let replaced = Replaced::of(lattice);
    let before = Before::of(lattice, old_kept, kept);
    let run = |before: Option<&Before<'_>>| renewed(lattice, kept, states, before, budget);
    let counts = match &before {
        Some(_) => run(before.as_ref())?,
        None => None,
    };
    let counts = match counts {
        Some(counts) => counts,
        // Without the help of the last index.
        None => run(None)?.unwrap_or_default(),
    };
    Ok((counts, replaced))
}

/// Makes the new index, with the help of the last one, and puts it in its place; `None` when the last one is damaged.
fn renewed(
    lattice: &Lattice,
    kept: &[Kept<'_>],
    states: &States,
    before: Option<&Before<'_>>,
    budget: &Budget,
) -> Result<Option<(usize, usize)>> {
    let (disk, places) = (lattice.disk.as_ref(), &lattice.places);
    let files: Vec<FileFacts<'_>> = kept.iter().map(FileFacts::of).collect();
    // While one thing waits for the disk, another one is made.
    std::thread::scope(|scope| {
        let caches = scope.spawn(|| (stage_facts(lattice, kept), stage_states(lattice, states)));
        if before.is_none() {
            files.par_iter().for_each(|file| {
                file.facts();
            });
        }
        let names = Names::new(&files, before.map(Before::unchanged));
        let solved = Solved::of(&names, before, budget);
        let states = if budget.reached().is_some() {
            &states.unfinished()
        } else {
            states
        };
        let Lines { chunks, edges, spans } = lines_of(&names, &solved, before);
        let chunks = scope.spawn(move || chunks.stage(disk, &places.chunks));
        let edges = scope.spawn(move || edges.stage(disk, &places.edges));
        let postings = before.and_then(|before| before.postings(&names));
        let postings = postings.unwrap_or_else(|| postings_of(names.files));
        let graph = assemble(states.tree, &solved.blocks, &spans, postings);
        let graph = stage_file(disk, &places.graph, &graph.parts());
        let (chunks, edges) = (joined(chunks)?, joined(edges)?);
        let (facts, mut seen) = joined(caches);
        if budget.reached().is_some() {
            seen = stage_states(lattice, states);
        }
        let (Some((chunks, chunks_seal)), Some((edges, edges_seal))) = (chunks, edges) else {
            return Ok(None);
        };
        let meta = stage_file(
            disk,
            &places.meta,
            &[&meta_of(lattice, kept, (states, budget), (chunks_seal, edges_seal))?],
        );
        // Facts and looks are caches: they say nothing before the graph of the same tree is there.
        place(lattice, vec![facts?, seen?, graph?, chunks, edges, meta?])?;
        Ok(Some((
            names.first.last().map_or(0, |count| *count as usize),
            solved.blocks.iter().map(Block::edge_count).sum(),
        )))
    })
}

/// The facts of all files. They have a hash of their own, and without them files are read again.
fn stage_facts<'d>(lattice: &'d Lattice, kept: &[Kept<'_>]) -> Result<Staged<'d>> {
    let parts = FactsParts::of(kept);
    let write = |file: &mut dyn DiskFile| write_parts(file, &parts.all());
    Ok(stage_by(
        lattice.disk.as_ref(),
        &lattice.places.facts,
        Lasting::Unsynced,
        write,
    )?)
}

/// What all files looked like, in the same way.
fn stage_states<'d>(lattice: &'d Lattice, states: &States) -> Result<Staged<'d>> {
    let write = |file: &mut dyn DiskFile| write_parts(file, &[&encode_states(states)]);
    Ok(stage_by(
        lattice.disk.as_ref(),
        &lattice.places.states,
        Lasting::Unsynced,
        write,
    )?)
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// What all references mean.
struct Solved<'a, 'b> {
    /// Of the files that do not stay as they are.
    edges: Vec<Vec<Edge<'a>>>,
    keys: Vec<u64>,
    blocks: Vec<Block<'b>>,
    stays: Vec<bool>,
}

impl<'a, 'b> Solved<'a, 'b> {
    fn of(names: &Names<'a>, before: Option<&'b Before<'_>>, budget: &Budget) -> Self {
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
                    resolve(names, file, budget)
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

/// The lines of all files: those of files that stay, from the last index.
fn lines_of<'a, 'l>(names: &Names<'a>, solved: &Solved<'a, '_>, before: Option<&'l Before<'_>>) -> Lines<'l> {
    let kept = |file: usize| before.filter(|_| solved.stays[file])?.lines(file);
    Lines::of(names, &solved.keys, &solved.edges, before.map(Before::old_lines), kept)
}

/// The table of terms and their lists, from all files.
fn postings_of(files: &[FileFacts<'_>]) -> (Vec<u8>, Vec<u8>) {
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

/// Tells whether what stands beside the graph is of the same run, byte for byte: it may have met a loss of power.
fn is_complete(lattice: &Lattice, graph: &Graph) -> bool {
    let Some(meta) = read_meta(lattice) else { return false };
    let is_whole = |path: &Path, seal: Seal| {
        let lines = OldLines::open(lattice.disk.as_ref(), path, seal);
        lines.is_some_and(|lines| lines.is_whole())
    };
    if meta.tree != format!("{:016x}", graph.tree()) {
        return false;
    }
    let (chunks, edges) = rayon::join(
        || is_whole(&lattice.places.chunks, meta.chunks_file),
        || is_whole(&lattice.places.edges, meta.edges_file),
    );
    chunks && edges
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
    (states, budget): (&States, &Budget),
    (chunks_file, edges_file): (Seal, Seal),
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
        chunks_file,
        edges_file,
        limit: budget.reached(),
    };
    serde_json::to_vec_pretty(&meta).map_err(|e| Error::invalid("meta", e.to_string()))
}
