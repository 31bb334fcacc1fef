//! The facts of a file as they are cached between runs: encoded, and decoded only when they are needed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::model::whole_bytes;
use super::{ChunkFacts, Facts, STORED_VERSION};

/// The language number of a manifest, which names a folder: a crate, a Go module, an npm package.
pub const MANIFEST: u8 = u8::MAX;

/// Why a file has no facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Skip {
    /// It has facts.
    No,
    /// More than 2 MiB.
    Large,
    /// Minified or generated.
    Minified,
    /// Not text.
    Binary,
    /// It cannot be read.
    Unreadable,
    /// The parser gave up.
    Unparsed,
    /// The run had reached a limit.
    Limit,
}

impl Skip {
    /// True if the reason may disappear although the file is unchanged, so that the next run tries again.
    pub fn is_passing(self) -> bool {
        matches!(self, Skip::Limit | Skip::Unreadable)
    }
}

/// The encoded facts of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedFacts<'a> {
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

/// Encodes the facts of a source with this many bytes, without spare capacity, because they stay in memory until all files are read.
pub fn encoded(facts: &Facts<'_>, source_len: usize) -> Vec<u8> {
    let mut bytes = postcard::to_extend(facts, Vec::with_capacity(source_len)).unwrap_or_default();
    bytes.shrink_to_fit();
    bytes
}

impl<'a> CachedFacts<'a> {
    /// Decodes the facts; none when the file was skipped, or when they refer to chunks that the file does not have.
    pub fn decode(&self) -> Facts<'a> {
        if self.skip != Skip::No {
            return Facts::default();
        }
        let facts: Facts<'a> = postcard::from_bytes(self.facts).unwrap_or_default();
        // The indexes in damaged facts must stay within their file.
        let count = u32::try_from(facts.chunks.len()).unwrap_or(0);
        let is_sound = facts.chunks.iter().all(|chunk: &ChunkFacts<'_>| chunk.parent < count)
            && facts.references.iter().all(|reference| reference.chunk < count)
            && facts.types.iter().all(|of| of.chunk < count);
        if is_sound { facts } else { Facts::default() }
    }

    /// Returns the package that the file declares, without decoding the rest.
    pub fn package(&self) -> Cow<'a, str> {
        if self.skip != Skip::No {
            return Cow::Borrowed("");
        }
        let first = postcard::take_from_bytes::<&'a str>(self.facts);
        first.map_or(Cow::Borrowed(""), |(package, _)| Cow::Borrowed(package))
    }
}

/// Returns one hash over paths, languages and contents, which identifies the tree of files.
pub fn tree_hash<'a>(files: impl Iterator<Item = &'a CachedFacts<'a>>) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&STORED_VERSION.to_le_bytes());
    for file in files {
        hash.update(file.path.as_bytes());
        hash.update(&[0, file.language, file.skip as u8]);
        hash.update(&file.hash.to_le_bytes());
    }
    hash.digest()
}
