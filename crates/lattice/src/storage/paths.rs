//! The files of an index, below `.forge/lattice/`.

use std::path::{Path, PathBuf};

/// The folder below `.forge`.
pub const FOLDER: &str = "lattice";

/// The paths of all files.
#[derive(Debug, Clone)]
pub struct IndexPaths {
    /// The folder of the index.
    pub folder: PathBuf,
    /// The chunks.
    pub chunks: PathBuf,
    /// The edges.
    pub edges: PathBuf,
    /// The metadata.
    pub meta: PathBuf,
    /// The graph.
    pub graph: PathBuf,
    /// The facts of every file.
    pub facts: PathBuf,
    /// The states of all files.
    pub states: PathBuf,
    /// The list of files that this machine wrote.
    pub owned: PathBuf,
    /// The lock of writers.
    pub lock: PathBuf,
}

impl IndexPaths {
    /// Returns the paths for a project.
    pub fn of(project: &Path) -> Self {
        let forge = project.join(forge_memory_core::project::layout::FORGE_FOLDER);
        let folder = forge.join(FOLDER);
        IndexPaths {
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
