//! Writes an index: all files are staged under temporary names and then renamed. Queries need only `graph.bin`, so that its
//! rename is the commit point. After a crash in between, the next run writes the other files.

use std::path::Path;
use std::thread::ScopedJoinHandle;

use forge_memory_core::clock::{Clock, format_iso};
use forge_memory_core::journal::{DiskFile, Staged, SyncMode, stage_file, stage_with, write_parts};
use forge_memory_core::{Error, Result};
use rayon::prelude::*;

use super::previous::{Old, Previous, Replaced, terms_of_file};
use crate::budget::Budget;
use crate::facts::{CachedFacts, MANIFEST, Skip, chunk_keys};
use crate::graph::{Block, EdgeView, FileInput, FileTerms, Graph, NodeView, assemble, block, merge};
use crate::resolve::{Dependencies, Edge, FileFacts, Names, resolve};
use crate::storage::{
    CHUNKER, FactsFile, IndexFolder, LineFile, Lines, Meta, Seal, States, encode_states, is_own, place, read_meta,
};

/// Writes the changed parts of the index. Returns the number of chunks and edges, and the replaced files.
pub(super) fn write(
    folder: &IndexFolder,
    clock: &dyn Clock,
    cached: &[CachedFacts<'_>],
    states: &States,
    old: Old<'_, '_>,
    budget: &Budget,
) -> Result<((usize, usize), Replaced)> {
    let paths = &folder.paths;
    if is_own(folder)?
        && let Ok(Some(graph)) = Graph::read(folder.disk.as_ref(), &paths.graph)
        && graph.tree() == states.tree
        && is_complete(folder, &graph)
    {
        let counts = (graph.nodes() as usize, graph.edges() as usize);
        let before = old.states;
        if before.files != states.files || before.tree != states.tree || is_any_young(before) {
            place(folder, vec![stage_states(folder, states)?])?;
        }
        if folder.disk.stat(&paths.facts).is_err() || before.tree != states.tree {
            place(folder, vec![stage_facts(folder, cached)?])?;
        }
        return Ok((counts, Replaced::default()));
    }
    let replaced = Replaced::of(folder);
    let previous = Previous::of(folder, old.kept, cached);
    let run = |previous: Option<&Previous<'_>>| renewed(folder, clock, cached, states, previous, budget);
    let counts = match &previous {
        Some(_) => run(previous.as_ref())?,
        None => None,
    };
    let counts = match counts {
        Some(counts) => counts,
        // The last index is damaged or of no use: build everything.
        None => run(None)?.unwrap_or_default(),
    };
    Ok((counts, replaced))
}

/// Builds the new index, copying from the last one where possible; `None` when the last one is damaged.
fn renewed(
    folder: &IndexFolder,
    clock: &dyn Clock,
    cached: &[CachedFacts<'_>],
    states: &States,
    previous: Option<&Previous<'_>>,
    budget: &Budget,
) -> Result<Option<(usize, usize)>> {
    let (disk, paths) = (folder.disk.as_ref(), &folder.paths);
    let files: Vec<FileFacts<'_>> = cached.iter().map(FileFacts::of).collect();
    // Writing one file overlaps with building the next one.
    std::thread::scope(|scope| {
        let caches = scope.spawn(|| (stage_facts(folder, cached), stage_states(folder, states)));
        if previous.is_none() {
            files.par_iter().for_each(|file| {
                file.facts();
            });
        }
        let names = Names::new(&files, previous.map(Previous::unchanged));
        let resolution = Resolution::of(&names, previous, budget);
        let states = if budget.reached().is_some() {
            &states.unfinished()
        } else {
            states
        };
        let Lines { chunks, edges, spans } = lines_of(&names, &resolution, previous);
        let chunks = scope.spawn(move || chunks.stage(disk, &paths.chunks));
        let edges = scope.spawn(move || edges.stage(disk, &paths.edges));
        let postings = previous.and_then(|previous| previous.postings(&names));
        let postings = postings.unwrap_or_else(|| postings_of(names.files));
        let graph = assemble(states.tree, &resolution.blocks, &spans, postings);
        let graph = stage_file(disk, &paths.graph, &graph.parts());
        let (chunks, edges) = (joined(chunks)?, joined(edges)?);
        let (facts, mut seen) = joined(caches);
        if budget.reached().is_some() {
            seen = stage_states(folder, states);
        }
        let (Some((chunks, chunks_seal)), Some((edges, edges_seal))) = (chunks, edges) else {
            return Ok(None);
        };
        let meta = stage_file(
            disk,
            &paths.meta,
            &[&meta_of(clock, cached, states, budget, chunks_seal, edges_seal)?],
        );
        // Facts and states are caches, which are valid only beside the graph of the same tree.
        place(folder, vec![facts?, seen?, graph?, chunks, edges, meta?])?;
        Ok(Some((
            names.first.last().map_or(0, |count| *count as usize),
            resolution.blocks.iter().map(Block::edge_count).sum(),
        )))
    })
}

/// Stages the facts of all files. They have a checksum of their own, and are not synced, because without them files are
/// parsed again.
fn stage_facts<'d>(folder: &'d IndexFolder, cached: &[CachedFacts<'_>]) -> Result<Staged<'d>> {
    let parts = FactsFile::of(cached);
    let write = |file: &mut dyn DiskFile| write_parts(file, &parts.parts());
    Ok(stage_with(
        folder.disk.as_ref(),
        &folder.paths.facts,
        SyncMode::Unsynced,
        write,
    )?)
}

/// Stages the states of all files in the same way.
fn stage_states<'d>(folder: &'d IndexFolder, states: &States) -> Result<Staged<'d>> {
    let write = |file: &mut dyn DiskFile| write_parts(file, &[&encode_states(states)]);
    Ok(stage_with(
        folder.disk.as_ref(),
        &folder.paths.states,
        SyncMode::Unsynced,
        write,
    )?)
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

struct Resolution<'a, 'b> {
    /// Those of the files that are not copied.
    edges: Vec<Vec<Edge<'a>>>,
    keys: Vec<u64>,
    blocks: Vec<Block<'b>>,
    stays: Vec<bool>,
}

impl<'a, 'b> Resolution<'a, 'b> {
    fn of(names: &Names<'a>, previous: Option<&'b Previous<'_>>, budget: &Budget) -> Self {
        let numbers = 0..number_of(names.files.len());
        let mut blocks: Vec<Option<Block<'b>>> = match previous {
            Some(previous) => {
                let stays = previous.stays(names).into_par_iter().enumerate();
                let block = |(file, stays): (usize, bool)| stays.then(|| previous.block(number_of(file))).flatten();
                stays.map(block).collect()
            }
            None => numbers.clone().map(|_| None).collect(),
        };
        let stays: Vec<bool> = blocks.iter().map(Option::is_some).collect();
        let resolve = |(file, stays): (usize, &bool)| {
            if *stays {
                Default::default()
            } else {
                resolve(names, file, budget)
            }
        };
        let (edges, dependencies): (Vec<_>, Vec<Dependencies>) = stays.par_iter().enumerate().map(resolve).unzip();
        let keys: Vec<u64> = blocks
            .par_iter()
            .zip(names.files)
            .flat_map_iter(|(block, file)| match block {
                Some(block) => block.keys().collect(),
                None => chunk_keys(file.path, &file.facts().chunks),
            })
            .collect();
        blocks
            .par_iter_mut()
            .zip(&edges)
            .zip(dependencies)
            .zip(numbers)
            .for_each(|(((made, edges), dependencies), file)| {
                made.get_or_insert_with(|| {
                    let input = input_of(names, &keys, edges, dependencies, file);
                    block(&input, file, &names.first)
                });
            });
        Resolution {
            edges,
            keys,
            blocks: blocks.into_iter().flatten().collect(),
            stays,
        }
    }
}

/// Returns the lines of all files; those of copied files come from the last index.
fn lines_of<'a, 'l>(
    names: &Names<'a>,
    resolution: &Resolution<'a, '_>,
    previous: Option<&'l Previous<'_>>,
) -> Lines<'l> {
    let stays = |file: usize| resolution.stays.get(file).copied().unwrap_or(false);
    let kept = |file: usize| previous.filter(|_| stays(file))?.lines(file);
    let old = previous.map(Previous::old_lines);
    Lines::of(names, &resolution.keys, &resolution.edges, old, kept)
}

/// Builds the table of terms and the posting lists from all files.
fn postings_of(files: &[FileFacts<'_>]) -> (Vec<u8>, Vec<u8>) {
    let terms: Vec<FileTerms> = files
        .par_iter()
        .map(|file| terms_of_file(file.path, file.facts()))
        .collect();
    merge(&terms)
}

/// True if the files beside the graph belong to the same run, byte for byte: a power failure may have damaged them.
fn is_complete(folder: &IndexFolder, graph: &Graph) -> bool {
    let Ok(Some(meta)) = read_meta(folder) else {
        return false;
    };
    let is_whole = |path: &Path, seal: Seal| {
        let lines = LineFile::open(folder.disk.as_ref(), path, seal);
        lines.is_some_and(|lines| lines.is_whole())
    };
    if meta.tree != format!("{:016x}", graph.tree()) {
        return false;
    }
    let (chunks, edges) = rayon::join(
        || is_whole(&folder.paths.chunks, meta.chunks_file),
        || is_whole(&folder.paths.edges, meta.edges_file),
    );
    chunks && edges
}

/// True if a file changed so shortly before it was inspected that a later change may have the same time.
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
    dependencies: Dependencies,
    at: u32,
) -> FileInput<'e> {
    let Some(file) = names.files.get(at as usize) else {
        return FileInput::default();
    };
    let first = names.first_of(at);
    let mut input = FileInput {
        path: file.path,
        language: match file.language() {
            Some(language) => language.name,
            None if file.language == MANIFEST => "",
            None => "unknown",
        },
        dependencies,
        ..FileInput::default()
    };
    for (number, chunk) in (first..).zip(&file.facts().chunks) {
        input.nodes.push(NodeView {
            number,
            key: keys.get(number as usize).copied().unwrap_or(0),
            file: at,
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
    clock: &dyn Clock,
    cached: &[CachedFacts<'_>],
    states: &States,
    budget: &Budget,
    chunks_file: Seal,
    edges_file: Seal,
) -> Result<Vec<u8>> {
    let count = |skipped: bool| {
        cached
            .iter()
            .filter(|cached| cached.language != MANIFEST && (cached.skip != Skip::No) == skipped)
            .count() as u64
    };
    let meta = Meta {
        last_indexed_at: Some(format_iso(clock.now_ms())),
        chunker_impl: Some(CHUNKER.0.to_owned()),
        chunker_version: Some(CHUNKER.1.to_owned()),
        files_indexed: count(false),
        files_skipped: count(true),
        tree: format!("{:016x}", states.tree),
        chunks_file,
        edges_file,
        limit: budget.reached(),
    };
    serde_json::to_vec_pretty(&meta).map_err(Error::internal("encode the index's description"))
}
