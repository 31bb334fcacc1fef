//! What the edges of a file rest on in other files: whether one file is to be resolved again when others have changed.

use rustc_hash::FxHashSet;

use super::block::hash_of;
use super::{Graph, NONE, number_at, offset, push};
use crate::resolve::Looks;

/// Returns how a name that was looked up is written down. Names that look alike cost a resolution too many.
pub fn look_of(name: &str) -> u32 {
    hash_of(name) as u32
}

/// How many files, those, and the names.
pub(super) fn encoded(looks: &Looks) -> Vec<u8> {
    let mut out = Vec::with_capacity((1 + looks.files.len() + looks.names.len()) * 4);
    push(&mut out, &[offset(looks.files.len())]);
    push(&mut out, &looks.files);
    push(&mut out, &looks.names);
    out
}

impl Graph {
    /// Tells whether what a file's references mean may be something else once these files have changed, and these names
    /// with them.
    pub fn rests_on(&self, file: u32, files: &[u32], names: &FxHashSet<u32>) -> bool {
        let Some([.., looks]) = self.bytes_of(file) else {
            return true;
        };
        let count = number_at(looks, 0).unwrap_or(NONE) as usize;
        let mut all = looks.chunks_exact(4).skip(1).filter_map(|look| number_at(look, 0));
        let is_of_files = all.by_ref().take(count).any(|seen| files.binary_search(&seen).is_ok());
        looks.is_empty() || is_of_files || all.any(|seen| names.contains(&seen))
    }

    /// Returns the files with edges that lead to a file.
    pub fn files_into(&self, file: u32) -> FxHashSet<u32> {
        let first = self.first_node(file).unwrap_or(0);
        let end = self.first_node(file + 1).unwrap_or(self.nodes());
        let edges = (first..end).flat_map(|node| self.into(node));
        edges.filter_map(|edge| self.file_of_edge(edge)).collect()
    }
}
