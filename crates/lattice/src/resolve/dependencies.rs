//! Incremental resolution: what the meaning of a file's references depends on in other files.
//!
//! The way of build systems with dynamic dependencies (Mokhov, Mitchell and Peyton Jones 2018, "Build Systems à la Carte"): while the
//! references of a file are resolved, every file that was read and every name that was looked up is recorded. The file is resolved
//! again if and only if a recorded file has changed, or a recorded name is among the *changed names*: those whose visible traits
//! (kind, owner, enclosing definition) differ between old and new facts of the files that have changed. Names are recorded as hashes
//! of 32 bits; a collision costs one unnecessary resolution and never a missed one.

use xxhash_rust::xxh3::xxh3_64;

/// What the meaning of a file's references depends on in other files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// The numbers of files whose facts were read, ascending.
    pub files: Vec<u32>,
    /// Names that were looked up in all files, as [`dependency_key`] writes them, ascending.
    pub names: Vec<u32>,
}

/// Returns how a name that was looked up is recorded: the lower half of its XXH3 hash.
pub fn dependency_key(name: &str) -> u32 {
    xxh3_64(name.as_bytes()) as u32
}
