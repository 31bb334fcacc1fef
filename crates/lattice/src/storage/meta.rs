//! `meta.json`: the time and the maker of the index, and the checksums that tie its files together.

use forge_memory_core::Result;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::IndexFolder;
use crate::budget::Limit;
use crate::contents::{META_BYTES_MAX, read_if_there};

/// The name and version of the chunker.
pub const CHUNKER: (&str, &str) = ("treesitter", env!("CARGO_PKG_VERSION"));

/// `meta.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// When the index last changed.
    pub last_indexed_at: Option<String>,
    /// The implementation of the chunker.
    pub chunker_impl: Option<String>,
    /// The version of the chunker.
    pub chunker_version: Option<String>,
    /// The number of files with chunks.
    #[serde(default)]
    pub files_indexed: u64,
    /// The number of skipped files.
    #[serde(default)]
    pub files_skipped: u64,
    /// The hash of the tree of files, as 16 hexadecimal digits.
    #[serde(default)]
    pub tree: String,
    /// Lengths and hashes of `chunks.jsonl` and `edges.jsonl`.
    #[serde(default)]
    pub chunks_file: Seal,
    /// See `chunks_file`.
    #[serde(default)]
    pub edges_file: Seal,
    /// The limit that the run reached, if the index is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// The length and hash that a file must have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Seal {
    /// Its length.
    pub bytes: u64,
    /// The hash of its bytes.
    pub hash: String,
}

impl Seal {
    /// Returns the seal of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hash = Xxh3::new();
        hash.update(bytes);
        Seal {
            bytes: bytes.len() as u64,
            hash: Seal::text(&hash),
        }
    }

    /// Formats a hash.
    pub(crate) fn text(hash: &Xxh3) -> String {
        format!("{:016x}", hash.digest())
    }
}

/// Reads `meta.json`; `None` when it is missing or damaged.
pub(crate) fn read_meta(folder: &IndexFolder) -> Result<Option<Meta>> {
    let bytes = read_if_there(folder.disk.as_ref(), &folder.paths.meta, META_BYTES_MAX)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}
