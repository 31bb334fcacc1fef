//! Writes an index: all files are staged under temporary names and then renamed. Queries need only `graph.bin`, so that its
//! rename is the commit point. After a crash in between, the next run writes the other files.

use std::path::Path;
use std::thread::ScopedJoinHandle;

use forge_memory_core::clock::{Clock, format_iso};
use forge_memory_core::journal::{Staged, stage_file};
use forge_memory_core::{Error, Result};
use rayon::prelude::*;

use super::previous::{Old, Previous, Replaced, terms_of_file};
use crate::budget::Budget;
use crate::facts::{CachedFacts, MANIFEST, Skip, chunk_keys};
use crate::graph::{Block, EdgeView, FileInput, FileSpan, FileTerms, Graph, NodeView, assemble, block, merge};
use crate::resolve::{Dependencies, Edge, FileFacts, Names, resolve};
use crate::storage::{
    CHUNKER, FactsFile, IndexFolder, LineFile, Lines, Meta, Part, Seal, States, encode_states, is_own, keep, place,
    read_meta,
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
        let are_same = before.files == states.files && before.tree == states.tree && !before.has_young();
        if !are_same {
            place(folder, vec![stage_states(folder, states)?])?;
        }
        if folder.disk.stat(&paths.facts).is_err() || before.tree != states.tree {
            place(folder, vec![stage_facts(folder, cached)?])?;
        } else if are_same {
            keep(folder)?;
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
    // Writing one file overlaps with building the next one.
    std::thread::scope(|scope| {
        let caches = scope.spawn(|| (stage_facts(folder, cached), stage_states(folder, states)));
        let old = previous.map(Previous::old_lines);
        let (chunks, chunk_lines) = Lines::to(old.map(|old| old.0));
        let (edges, edge_lines) = Lines::to(old.map(|old| old.1));
        let chunk_lines = scope.spawn(move || chunk_lines.stage(disk, &paths.chunks));
        let edge_lines = scope.spawn(move || edge_lines.stage(disk, &paths.edges));
        let (resolution, postings) = resolved(cached, previous, (chunks, edges), budget);
        let Resolution {
            blocks,
            spans,
            chunk_count,
        } = resolution;
        let states = if budget.reached().is_some() {
            &states.unfinished()
        } else {
            states
        };
        let postings = postings.unwrap_or_else(|| postings_of(cached));
        let graph = assemble(states.tree, &blocks, &spans, postings);
        let graph = stage_file(disk, &paths.graph, &graph.parts());
        let (chunks, edges) = (joined(chunk_lines)?, joined(edge_lines)?);
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
        Ok(Some((chunk_count, blocks.iter().map(Block::edge_count).sum())))
    })
}

/// The table of terms, and the posting lists.
type Postings = (Vec<u8>, Vec<u8>);

/// Resolves the references of all files, for which all their facts are decoded until it returns.
fn resolved<'b>(
    cached: &[CachedFacts<'_>],
    previous: Option<&'b Previous<'_>>,
    lines: (Lines, Lines),
    budget: &Budget,
) -> (Resolution<'b>, Option<Postings>) {
    let files: Vec<FileFacts<'_>> = cached.iter().map(FileFacts::of).collect();
    if previous.is_none() {
        files.par_iter().for_each(|file| {
            file.facts();
        });
    }
    let names = Names::new(&files, previous.map(Previous::unchanged));
    let resolution = Resolution::of(&names, previous, lines, budget);
    let postings = previous.and_then(|previous| previous.postings(&names));
    (resolution, postings)
}

/// Stages the facts of all files, without which they are parsed again.
fn stage_facts<'d>(folder: &'d IndexFolder, cached: &[CachedFacts<'_>]) -> Result<Staged<'d>> {
    folder.stage_unsynced(&folder.paths.facts, &FactsFile::of(cached).parts())
}

fn stage_states<'d>(folder: &'d IndexFolder, states: &States) -> Result<Staged<'d>> {
    folder.stage_unsynced(&folder.paths.states, &[&encode_states(states)])
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The number of files whose edges and lines are in memory at once.
const FILES_AT_ONCE: usize = 256;

struct Resolution<'b> {
    blocks: Vec<Block<'b>>,
    spans: Vec<FileSpan>,
    chunk_count: usize,
}

impl<'b> Resolution<'b> {
    /// Makes the blocks of all files, and sends their lines to the writers of both files; what can be copied from the last index is.
    fn of(names: &Names<'_>, previous: Option<&'b Previous<'_>>, lines: (Lines, Lines), budget: &Budget) -> Self {
        let (mut chunks, mut edges) = lines;
        let count = names.files.len();
        let kept: Vec<Option<Block<'b>>> = match previous {
            Some(previous) => {
                let stays = previous.stays(names).into_par_iter().enumerate();
                let block = |(file, stays): (usize, bool)| stays.then(|| previous.block(number_of(file))).flatten();
                stays.map(block).collect()
            }
            None => (0..count).map(|_| None).collect(),
        };
        let keys_of = |(block, file): (&Option<Block<'b>>, &FileFacts<'_>)| match block {
            Some(block) => block.keys().collect(),
            None => chunk_keys(file.path, &file.facts().chunks),
        };
        let keys: Vec<u64> = kept.par_iter().zip(names.files).flat_map_iter(keys_of).collect();
        let made = |(file, kept): (usize, Option<Block<'b>>)| -> (Block<'b>, Part) {
            if let Some(block) = kept
                && let Some(part) = previous.and_then(|previous| previous.lines(file))
            {
                return (block, part);
            }
            let (edges, dependencies) = resolve(names, file, budget);
            let number = number_of(file);
            let input = input_of(names, &keys, &edges, dependencies, number);
            let block = block(&input, number, &names.first);
            (block, Part::of(names, &keys, file, &edges))
        };
        let (mut blocks, mut spans) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut rest = kept.into_iter().enumerate();
        while blocks.len() < count {
            let some: Vec<_> = rest.by_ref().take(FILES_AT_ONCE).collect();
            let some: Vec<(Block<'b>, Part)> = some.into_par_iter().map(made).collect();
            for (block, part) in some {
                spans.push(FileSpan {
                    chunks: chunks.len(),
                    edges: edges.len(),
                });
                let (of_chunks, of_edges) = part.pieces();
                chunks.add(of_chunks);
                edges.add(of_edges);
                blocks.push(block);
            }
        }
        Resolution {
            blocks,
            spans,
            chunk_count: keys.len(),
        }
    }
}

/// Builds the table of terms and the posting lists from all files.
fn postings_of(files: &[CachedFacts<'_>]) -> Postings {
    let terms: Vec<FileTerms> = files
        .par_iter()
        .map(|file| terms_of_file(file.path, &file.decode()))
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
