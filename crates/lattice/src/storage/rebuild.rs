//! Rebuilds the graph in memory from `chunks.jsonl` and `edges.jsonl`, when `graph.bin` was deleted or is of another version.

use std::borrow::Cow;

use forge_memory_core::Result;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use super::IndexFolder;
use super::meta::{Meta, Seal, read_meta};
use super::record::{ChunkRecord, EdgeRecord};
use crate::contents::{INDEX_BYTES_MAX, read, read_if_there};
use crate::facts::{id_text, key_of, parse_id};
use crate::graph::{
    Block, EDGE_KINDS, EdgeView, FileInput, FileTerms, Graph, NodeView, assemble, block, invert, merge,
};
use crate::kind::Kind;
use crate::resolve::Resolved;
use crate::scan::FILE_BYTES_MAX;
use crate::terms::{Terms, own_pieces, terms_of_chunk};

/// Rebuilds the graph; `None` when the files are missing, or of different runs.
pub(crate) fn rebuild(folder: &IndexFolder) -> Result<Option<Graph>> {
    let disk = folder.disk.as_ref();
    let chunk_bytes = read_if_there(disk, &folder.paths.chunks, INDEX_BYTES_MAX)?;
    let edge_bytes = read_if_there(disk, &folder.paths.edges, INDEX_BYTES_MAX)?;
    let (Some(chunk_bytes), Some(edge_bytes), Some(meta)) = (chunk_bytes, edge_bytes, read_meta(folder)?) else {
        return Ok(None);
    };
    if !meta.tree.is_empty() && !is_of_one_run(&meta, &chunk_bytes, &edge_bytes) {
        return Ok(None);
    }
    let chunks: Vec<ChunkRecord<'_>> = lines(&chunk_bytes);
    let edges: Vec<EdgeRecord<'_>> = lines(&edge_bytes);
    let tree = u64::from_str_radix(&meta.tree, 16).unwrap_or(0);
    Ok(Graph::from_bytes(graph_bytes(folder, tree, &chunks, &edges)))
}

/// The parts that only the files of another program have.
#[derive(Debug)]
pub(crate) struct Foreign {
    /// The line of each chunk, in the order of the graph.
    pub(crate) lines: Vec<String>,
    /// The language of each chunk.
    pub(crate) languages: Vec<String>,
    /// The number of references, each of which the graph may have resolved to several definitions.
    pub(crate) edges: usize,
}

/// Rebuilds the graph from the JSON Lines files of another program, whose references contain only the name.
pub(crate) fn rebuild_foreign(folder: &IndexFolder) -> Result<Option<(Graph, Foreign)>> {
    let disk = folder.disk.as_ref();
    let Some(chunk_bytes) = read_if_there(disk, &folder.paths.chunks, INDEX_BYTES_MAX)? else {
        return Ok(None);
    };
    let edge_bytes = read_if_there(disk, &folder.paths.edges, INDEX_BYTES_MAX)?.unwrap_or_default();
    let mut found: Vec<(ChunkRecord<'_>, &[u8])> = chunk_bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| Some((serde_json::from_slice::<ChunkRecord<'_>>(line).ok()?, line)))
        .filter(|(chunk, _)| !chunk.id.is_empty() && !chunk.file_path.is_empty())
        .collect();
    // The chunks of a file must be contiguous; a stable sort keeps their order within it.
    found.sort_by(|(a, _), (b, _)| a.file_path.cmp(&b.file_path));
    let (mut chunks, lines_of): (Vec<ChunkRecord<'_>>, Vec<&[u8]>) = found.into_iter().unzip();
    let mut edges: Vec<EdgeRecord<'_>> = lines(&edge_bytes);
    for id in chunks.iter_mut().map(|chunk| &mut chunk.id) {
        *id = Cow::Owned(id_text(key_of(id)));
    }
    for id in edges.iter_mut().map(|edge| &mut edge.caller_chunk_id) {
        *id = Cow::Owned(id_text(key_of(id)));
    }
    let foreign = Foreign {
        lines: lines_of
            .into_iter()
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect(),
        languages: chunks.iter().map(|chunk| chunk.language.clone().into_owned()).collect(),
        edges: edges.len(),
    };
    let edges = resolved_by_name(edges, &chunks);
    let graph = Graph::from_bytes(graph_bytes(folder, 0, &chunks, &edges));
    Ok(graph.map(|graph| (graph, foreign)))
}

/// The maximum number of definitions that such a reference resolves to: names such as `get` would make as many edges as
/// there are pairs.
const SAME_NAME_MAX: usize = 64;

/// Resolves references without a kind, which our own always have, to all definitions with their name.
fn resolved_by_name<'a>(edges: Vec<EdgeRecord<'a>>, chunks: &[ChunkRecord<'a>]) -> Vec<EdgeRecord<'a>> {
    let mut named: FxHashMap<&str, Vec<&ChunkRecord<'a>>> = FxHashMap::default();
    for chunk in chunks.iter().filter(|chunk| !chunk.name.is_empty()) {
        named.entry(&chunk.name).or_default().push(chunk);
    }
    let mut out = Vec::with_capacity(edges.len());
    for edge in edges {
        let targets = named.get(&*edge.callee_name).filter(|_| edge.kind.is_empty());
        let Some(targets) = targets else {
            out.push(edge);
            continue;
        };
        let candidates = u32::try_from(targets.len()).unwrap_or(u32::MAX);
        out.extend(targets.iter().take(SAME_NAME_MAX).map(|target| EdgeRecord {
            callee_chunk_id: Some(target.id.clone()),
            resolved: Some(Resolved::Name),
            candidates: (candidates > 1).then_some(candidates),
            ..edge.clone()
        }));
    }
    out
}

fn is_of_one_run(meta: &Meta, chunks: &[u8], edges: &[u8]) -> bool {
    Seal::of(chunks) == meta.chunks_file && Seal::of(edges) == meta.edges_file
}

fn lines<'b, T: serde::Deserialize<'b>>(bytes: &'b [u8]) -> Vec<T> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

fn graph_bytes(folder: &IndexFolder, tree: u64, chunks: &[ChunkRecord<'_>], edges: &[EdgeRecord<'_>]) -> Vec<u8> {
    let terms = terms(folder, chunks);
    let hashes: Vec<[u8; 32]> = chunks.iter().map(|chunk| hash_of(&chunk.content_hash)).collect();
    let numbers: FxHashMap<u64, u32> = (0_u32..)
        .zip(chunks)
        .filter_map(|(number, chunk)| Some((parse_id(&chunk.id)?, number)))
        .collect();
    let number_of = |id: &str| parse_id(id).and_then(|key| numbers.get(&key)).copied();
    let mut inputs: Vec<FileInput<'_>> = Vec::new();
    let mut packed_terms: Vec<Vec<&[u8]>> = Vec::new();
    let mut firsts = Vec::new();
    for (number, chunk) in (0_u32..).zip(chunks) {
        if inputs.last().is_none_or(|file| *file.path != chunk.file_path) {
            firsts.push(number);
            packed_terms.push(Vec::new());
            inputs.push(FileInput {
                path: &chunk.file_path,
                language: &chunk.language,
                ..FileInput::default()
            });
        }
        let file = inputs.len().saturating_sub(1);
        let (Some(input), Some((packed, words)), Some(hash)) = (
            inputs.last_mut(),
            terms.get(number as usize),
            hashes.get(number as usize),
        ) else {
            continue;
        };
        let first = firsts.last().copied().unwrap_or(0);
        if let Some(terms) = packed_terms.last_mut() {
            terms.push(packed);
        }
        input.nodes.push(NodeView {
            number,
            key: parse_id(&chunk.id).unwrap_or(0),
            file: u32::try_from(file).unwrap_or(0),
            kind: Kind::parse(&chunk.kind).unwrap_or(Kind::File),
            name: &chunk.name,
            owner: &chunk.owner,
            signature: &chunk.signature,
            doc: &chunk.doc,
            range: (chunk.start_byte, chunk.end_byte),
            lines: (chunk.start_line, chunk.end_line),
            // A chunk of another file cannot be the parent.
            parent: chunk
                .parent_id
                .as_deref()
                .and_then(number_of)
                .filter(|parent| (first..=number).contains(parent)),
            words: *words,
            hash,
        });
    }
    for edge in edges {
        let Some(caller) = number_of(&edge.caller_chunk_id) else {
            continue;
        };
        let file = firsts.partition_point(|first| *first <= caller).saturating_sub(1);
        let Some(input) = inputs.get_mut(file) else { continue };
        input.edges.push(edge_view(edge, caller, number_of));
    }
    for input in &mut inputs {
        input.edges.sort_by_key(|edge| edge.caller);
    }
    firsts.push(u32::try_from(chunks.len()).unwrap_or(u32::MAX));
    let blocks: Vec<Block<'_>> = (0_u32..)
        .zip(&inputs)
        .map(|(file, input)| block(input, file, &firsts))
        .collect();
    // The offsets of lines are needed only by a run, which writes the lines itself.
    let terms: Vec<FileTerms> = inputs
        .iter()
        .zip(packed_terms)
        .map(|(input, packed)| invert(input.path, packed.into_iter()))
        .collect();
    assemble(tree, &blocks, &[], merge(&terms)).parts().concat()
}

fn edge_view<'e>(edge: &'e EdgeRecord<'_>, caller: u32, number_of: impl Fn(&str) -> Option<u32>) -> EdgeView<'e> {
    let kind = EDGE_KINDS.into_iter().find(|kind| *kind == edge.kind);
    EdgeView {
        caller,
        target: edge.callee_chunk_id.as_deref().and_then(number_of),
        name: &edge.callee_name,
        kind: kind.unwrap_or(EDGE_KINDS[0]),
        resolved: edge.resolved,
        candidates: edge.candidates.unwrap_or(u32::from(edge.callee_chunk_id.is_some())),
        receiver: &edge.receiver,
        module: edge.module.as_deref().unwrap_or(""),
        line: edge.line,
        range: (edge.start_byte, edge.end_byte),
        count: edge.count,
    }
}

/// Counts the words of all chunks; those of bodies only when the file has not changed since it was indexed.
fn terms(folder: &IndexFolder, chunks: &[ChunkRecord<'_>]) -> Vec<(Vec<u8>, u32)> {
    let mut counter = Terms::default();
    let mut out = Vec::with_capacity(chunks.len());
    for file in chunks.chunk_by(|a, b| a.file_path == b.file_path) {
        let source = file.first().map(|first| source_of(folder, first)).unwrap_or_default();
        let mut inner: FxHashMap<&str, Vec<(u32, u32)>> = FxHashMap::default();
        for chunk in file {
            if let Some(parent) = &chunk.parent_id {
                inner
                    .entry(parent)
                    .or_default()
                    .push((chunk.start_byte, chunk.end_byte));
            }
        }
        for chunk in file {
            let within = inner.get(&*chunk.id).map(Vec::as_slice).unwrap_or_default();
            let pieces = own_pieces(&source, chunk.start_byte, chunk.end_byte, within);
            out.push(terms_of_chunk(
                &mut counter,
                &chunk.name,
                &chunk.signature,
                &chunk.doc,
                pieces,
            ));
        }
    }
    out
}

fn source_of(folder: &IndexFolder, file: &ChunkRecord<'_>) -> Vec<u8> {
    // The path is untrusted, and must stay in the project.
    let is_inside = !file.file_path.starts_with('/') && file.file_path.split('/').all(|part| part != "..");
    let source = if is_inside {
        let path = folder.project.join(&*file.file_path);
        read(folder.disk.as_ref(), &path, FILE_BYTES_MAX).unwrap_or_default()
    } else {
        Vec::new()
    };
    let hash: [u8; 32] = Sha256::digest(&source).into();
    if file.kind == Kind::File.name() && hash == hash_of(&file.content_hash) {
        source
    } else {
        Vec::new()
    }
}

fn hash_of(text: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    let digits = text.strip_prefix("sha256:").unwrap_or("").as_bytes();
    let (pairs, _) = digits.as_chunks::<2>();
    for (byte, [high, low]) in hash.iter_mut().zip(pairs) {
        let digit = |b: &u8| char::from(*b).to_digit(16).unwrap_or(0) as u8;
        *byte = digit(high) << 4 | digit(low);
    }
    hash
}
