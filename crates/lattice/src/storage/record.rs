//! The records of `chunks.jsonl` and `edges.jsonl`.

use std::borrow::Cow;

use forge_memory_core::thought::FORMAT_VERSION;
use serde::{Deserialize, Serialize};

use crate::facts::{id_text, push_hex};
use crate::resolve::{Edge, Names, Resolved};

/// A line of `chunks.jsonl`. Other programs may leave out whatever they like.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChunkRecord<'a> {
    /// The version of the format; 0 in the lines of other programs.
    #[serde(rename = "_v")]
    pub version: u32,
    /// The path from the project's folder, with forward slashes.
    pub file_path: Cow<'a, str>,
    /// The language's name.
    pub language: Cow<'a, str>,
    /// Its kind.
    pub kind: Cow<'a, str>,
    /// Its name; empty for a file.
    pub name: Cow<'a, str>,
    /// The offset of the first byte.
    pub start_byte: u32,
    /// The offset after the last byte.
    pub end_byte: u32,
    /// The first line, from 1.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// `sha256:` and the hash of its bytes.
    pub content_hash: Cow<'a, str>,
    /// Its name, if it has one.
    pub declares: Vec<Cow<'a, str>>,
    /// The names that it refers to.
    pub references: Vec<Cow<'a, str>>,
    /// 16 hexadecimal digits, those of other programs anything. It stays the same when lines above the chunk change.
    pub id: Cow<'a, str>,
    /// The type a method belongs to.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub owner: Cow<'a, str>,
    /// The enclosing chunk; absent for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<Cow<'a, str>>,
    /// Its first line, up to the body.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub signature: Cow<'a, str>,
    /// The comment above it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub doc: Cow<'a, str>,
}

/// A line of `edges.jsonl`: a reference, and one of its candidate definitions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRecord<'a> {
    /// The version of the format; 0 in the lines of other programs.
    #[serde(rename = "_v", default)]
    pub version: u32,
    /// The chunk that contains the reference.
    pub caller_chunk_id: Cow<'a, str>,
    /// The used name.
    pub callee_name: Cow<'a, str>,
    /// The definition, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callee_chunk_id: Option<Cow<'a, str>>,
    /// How it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
    /// The number of candidate definitions, when it is not one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<u32>,
    /// `call`, `new`, `extends` or `reference`. Other programs write neither this nor the following fields.
    #[serde(default)]
    pub kind: Cow<'a, str>,
    /// The receiver before the name.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub receiver: Cow<'a, str>,
    /// The module outside of the project that the name comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Cow<'a, str>>,
    /// The line of the first occurrence in the chunk.
    #[serde(default)]
    pub line: u32,
    /// The offset of the first occurrence.
    #[serde(default)]
    pub start_byte: u32,
    /// The offset after the first occurrence.
    #[serde(default)]
    pub end_byte: u32,
    /// The number of occurrences in the chunk.
    #[serde(default)]
    pub count: u32,
}

/// Returns the records of a file's chunks; `edges` are its references.
pub fn chunk_records<'a>(names: &Names<'a>, keys: &[u64], file: usize, edges: &[Edge<'a>]) -> Vec<ChunkRecord<'a>> {
    let first = names.first.get(file).copied().unwrap_or(0);
    let Some(file) = names.files.get(file) else {
        return Vec::new();
    };
    let language = file.language().map_or("unknown", |language| language.name);
    let chunks = &file.facts().chunks;
    let mut references: Vec<Vec<Cow<'a, str>>> = vec![Vec::new(); chunks.len()];
    for edge in edges {
        let local = edge.caller.wrapping_sub(first) as usize;
        if let Some(all) = references.get_mut(local)
            && !all.contains(&edge.reference.name)
        {
            all.push(edge.reference.name.clone());
        }
    }
    let id_of = |number: u32| id_text(keys.get(number as usize).copied().unwrap_or(0));
    chunks
        .iter()
        .zip(first..)
        .zip(references)
        .map(|((chunk, number), references)| ChunkRecord {
            version: FORMAT_VERSION,
            file_path: Cow::Borrowed(file.path),
            language: Cow::Borrowed(language),
            kind: Cow::Borrowed(chunk.kind.name()),
            name: chunk.name.clone(),
            start_byte: chunk.start,
            end_byte: chunk.end,
            start_line: chunk.start_line,
            end_line: chunk.end_line,
            content_hash: Cow::Owned(hash_text(&chunk.hash)),
            declares: if chunk.name.is_empty() {
                Vec::new()
            } else {
                vec![chunk.name.clone()]
            },
            references,
            id: Cow::Owned(id_of(number)),
            owner: chunk.owner.clone(),
            parent_id: (number > first).then(|| Cow::Owned(id_of(first + chunk.parent))),
            signature: chunk.signature.clone(),
            doc: chunk.doc.clone(),
        })
        .collect()
}

/// Returns the records of an edge: one for each target, or one without a target.
pub fn edge_records<'a>(keys: &[u64], edge: &Edge<'a>) -> Vec<EdgeRecord<'a>> {
    let id_of = |number: u32| Cow::Owned(id_text(keys.get(number as usize).copied().unwrap_or(0)));
    let one = |target: Option<u32>| EdgeRecord {
        version: FORMAT_VERSION,
        caller_chunk_id: id_of(edge.caller),
        callee_name: edge.reference.name.clone(),
        callee_chunk_id: target.map(id_of),
        resolved: edge.resolved,
        candidates: (edge.candidates > 1).then(|| u32::try_from(edge.candidates).unwrap_or(u32::MAX)),
        kind: Cow::Borrowed(edge.reference.kind.name()),
        receiver: edge.reference.receiver.clone(),
        module: edge.outside.map(Cow::Borrowed),
        line: edge.reference.line,
        start_byte: edge.reference.start,
        end_byte: edge.reference.end,
        count: edge.reference.count,
    };
    if edge.targets.is_empty() {
        return vec![one(None)];
    }
    edge.targets.iter().map(|target| one(Some(*target))).collect()
}

fn hash_text(hash: &[u8; 32]) -> String {
    let mut text = String::with_capacity(71);
    text.push_str("sha256:");
    push_hex(&mut text, hash);
    text
}
