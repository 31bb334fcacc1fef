//! Incremental resolution: on which other files the resolution of a file's references depends.
//!
//! It follows build systems with dynamic dependencies (Mokhov, Mitchell and Peyton Jones 2018, "Build Systems à la Carte"):
//! while the references of a file are resolved, every file that is read and every name that is looked up is recorded. The
//! file is resolved again if and only if a recorded file has changed, or a recorded name is among the *changed names*:
//! those whose visible traits (kind, owner, enclosing definition) differ between the old and the new facts of changed
//! files. Names are recorded as 32-bit hashes; a collision costs one unnecessary resolution, and never misses a necessary
//! one.

use xxhash_rust::xxh3::xxh3_64;

/// The dependencies of a file's references on other files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// The numbers of files whose facts were read, ascending.
    pub files: Vec<u32>,
    /// The keys ([`dependency_key`]) of names that were looked up in all files, ascending.
    pub names: Vec<u32>,
}

/// Returns the key of a looked-up name: the lower half of its XXH3 hash.
pub fn dependency_key(name: &str) -> u32 {
    xxh3_64(name.as_bytes()) as u32
}
