//! What is kept between runs beside the records: the facts of every file, and what every file looked like.

use std::path::{Path, PathBuf};

use forge_memory_core::journal::Disk;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::contents::{INDEX_BYTES_MAX, read};
use crate::facts::FACTS_VERSION;

/// The folder below `.forge`.
pub const FOLDER: &str = "lattice";
const FACTS_MAGIC: &[u8; 4] = b"FMLF";
const STATES_MAGIC: &[u8; 4] = b"FMLS";

/// Where everything is.
#[derive(Debug, Clone)]
pub struct Places {
    /// The folder of the index.
    pub folder: PathBuf,
    /// The chunks.
    pub chunks: PathBuf,
    /// The edges.
    pub edges: PathBuf,
    /// About both.
    pub meta: PathBuf,
    /// The compact form.
    pub graph: PathBuf,
    /// The facts of every file.
    pub facts: PathBuf,
    /// What every file looked like.
    pub states: PathBuf,
    /// Which of these this machine wrote.
    pub owned: PathBuf,
    /// The lock of writers.
    pub lock: PathBuf,
}

impl Places {
    /// Returns the places of a project.
    pub fn of(project: &Path) -> Self {
        let forge = project.join(forge_memory_core::config::FORGE_FOLDER);
        let folder = forge.join(FOLDER);
        Places {
            chunks: folder.join("chunks.jsonl"),
            edges: folder.join("edges.jsonl"),
            meta: folder.join("meta.json"),
            graph: folder.join("graph.bin"),
            facts: folder.join("facts.bin"),
            states: folder.join("states.bin"),
            owned: folder.join("owned.json"),
            lock: forge.join("locks").join("lattice.lock"),
            folder,
        }
    }

    /// Returns the files that a run writes.
    pub(crate) fn written(&self) -> [&Path; 6] {
        [
            &self.facts,
            &self.states,
            &self.graph,
            &self.chunks,
            &self.edges,
            &self.meta,
        ]
    }
}

/// Why a file has no facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Skip {
    /// It has some.
    No,
    /// More than 2 MiB.
    Large,
    /// Written by a program for a program.
    Minified,
    /// No text.
    Binary,
    /// The system does not let us read it.
    Unreadable,
    /// The parser gave up.
    Unparsed,
    /// The run had reached a limit.
    Limit,
}

/// The facts of a file, as they are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept<'a> {
    /// The path from the project's folder, with forward slashes.
    pub path: &'a str,
    /// The number of its language.
    pub language: u8,
    /// The hash of its bytes.
    pub hash: u128,
    /// Why there are no facts.
    pub skip: Skip,
    /// The encoded facts.
    #[serde(serialize_with = "whole_bytes")]
    pub facts: &'a [u8],
}

/// As one piece: byte by byte is what a slice of numbers is written like.
fn whole_bytes<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// What a file looked like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileState {
    /// Its length.
    pub size: u64,
    /// When it was last changed, in nanoseconds since the epoch.
    pub modified_ns: i64,
}

/// What every file looked like, in the order of the facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct States {
    /// What the tree of files was.
    pub tree: u64,
    /// When they were looked at.
    pub looked_ms: i64,
    /// Path and look of each.
    pub files: Vec<(String, FileState)>,
}

/// Returns one hash over paths, languages and contents: the same for the same tree of files.
pub fn tree_of<'a>(files: impl Iterator<Item = &'a Kept<'a>>) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&FACTS_VERSION.to_le_bytes());
    for file in files {
        hash.update(file.path.as_bytes());
        hash.update(&[0, file.language, file.skip as u8]);
        hash.update(&file.hash.to_le_bytes());
    }
    hash.digest()
}

/// The file of facts, in parts: what files had before is not copied.
#[derive(Debug)]
pub struct FactsParts<'k> {
    header: Vec<u8>,
    /// What stands before the facts of each file, one after the other, and where each ends.
    heads: (Vec<u8>, Vec<usize>),
    files: &'k [Kept<'k>],
}

impl<'k> FactsParts<'k> {
    /// Writes what stands between the facts of files.
    pub fn of(files: &'k [Kept<'k>]) -> Self {
        let mut heads = Vec::with_capacity(files.len() * 96);
        let mut ends = Vec::with_capacity(files.len());
        for file in files {
            // As [`Kept`] is written, up to the bytes of its facts.
            let head = (file.path, file.language, file.hash, file.skip, file.facts.len());
            heads = postcard::to_extend(&head, heads).unwrap_or_default();
            ends.push(heads.len());
        }
        let header = header_of(FACTS_MAGIC);
        let mut parts = FactsParts {
            header: postcard::to_extend(&files.len(), header).unwrap_or_default(),
            heads: (heads, ends),
            files,
        };
        let mut hash = Xxh3::new();
        hash.update(parts.header.get(16..).unwrap_or_default());
        parts.of_files().for_each(|part| hash.update(part));
        parts.header[8..16].copy_from_slice(&hash.digest().to_le_bytes());
        parts
    }

    fn of_files(&self) -> impl Iterator<Item = &[u8]> {
        let (heads, ends) = &self.heads;
        let begins = std::iter::once(0).chain(ends.iter().copied());
        let heads = begins
            .zip(ends)
            .map(|(from, to)| heads.get(from..*to).unwrap_or_default());
        heads.zip(self.files).flat_map(|(head, file)| [head, file.facts])
    }

    /// Returns the parts, in order.
    pub fn all(&self) -> Vec<&[u8]> {
        std::iter::once(&self.header[..]).chain(self.of_files()).collect()
    }
}

impl States {
    /// What an index has in the place of its tree when a run did not resolve everything: it is no such tree's, so that the
    /// next run makes it anew.
    pub fn unfinished(&self) -> Self {
        States {
            tree: !self.tree,
            ..self.clone()
        }
    }
}

/// Reads facts; `None` when they are damaged or of another version.
pub fn decode_facts(bytes: &[u8]) -> Option<Vec<Kept<'_>>> {
    unsealed(FACTS_MAGIC, bytes)
}

/// Writes states.
pub fn encode_states(states: &States) -> Vec<u8> {
    sealed(STATES_MAGIC, states, states.files.len() * 64)
}

/// Reads states; nothing when they are missing or damaged.
pub fn read_states(disk: &dyn Disk, path: &Path) -> Option<States> {
    unsealed(STATES_MAGIC, &read(disk, path, INDEX_BYTES_MAX).ok()?)
}

/// Room for the hash of the body stands at its end.
fn header_of(magic: &[u8; 4]) -> Vec<u8> {
    let mut header = Vec::with_capacity(32);
    header.extend_from_slice(magic);
    header.extend_from_slice(&FACTS_VERSION.to_le_bytes());
    header.extend_from_slice(&[0; 8]);
    header
}

fn sealed<T: Serialize>(magic: &[u8; 4], value: &T, room: usize) -> Vec<u8> {
    let mut out = header_of(magic);
    out.reserve(room);
    // Numbers and texts in memory always encode.
    let mut out = postcard::to_extend(value, out).unwrap_or_default();
    if let Some((header, body)) = out.split_at_mut_checked(16) {
        header[8..].copy_from_slice(&xxh3_64(body).to_le_bytes());
    }
    out
}

fn unsealed<'b, T: Deserialize<'b>>(magic: &[u8; 4], bytes: &'b [u8]) -> Option<T> {
    let (header, body) = bytes.split_at_checked(16)?;
    let is_ours = header[..4] == magic[..] && header[4..8] == FACTS_VERSION.to_le_bytes();
    if !is_ours || header[8..] != xxh3_64(body).to_le_bytes() {
        return None;
    }
    postcard::from_bytes(body).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn facts_in_parts_are_read_as_they_were() {
        let file = |path, facts| Kept {
            path,
            language: 3,
            hash: u128::MAX - 5,
            skip: Skip::No,
            facts,
        };
        let many = [7; 300];
        let skipped = Kept {
            skip: Skip::Binary,
            ..file("c", &[])
        };
        for files in [vec![], vec![file("a/b.js", &many), skipped, file("z", &[1, 2])]] {
            let bytes = FactsParts::of(&files).all().concat();
            assert_eq!(decode_facts(&bytes).unwrap(), files);
            assert_eq!(bytes, sealed(FACTS_MAGIC, &files, 0));
        }
    }
}
