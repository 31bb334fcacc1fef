//! The dependencies of a file's edges in `graph.bin`: the number of files, their numbers, the keys of names.

use rustc_hash::FxHashSet;

use super::layout::{NONE, number_at, offset, push};
use super::read::Graph;
use crate::resolve::Dependencies;

pub(super) fn encode(dependencies: &Dependencies) -> Vec<u8> {
    let mut out = Vec::with_capacity((1 + dependencies.files.len() + dependencies.names.len()) * 4);
    push(&mut out, &[offset(dependencies.files.len())]);
    push(&mut out, &dependencies.files);
    push(&mut out, &dependencies.names);
    out
}

impl Graph {
    /// True if the references of a file may resolve differently after changes in these files and to these names.
    /// It is true for a file whose dependencies are not recorded.
    pub fn is_affected_by(&self, file: u32, files: &[u32], names: &FxHashSet<u32>) -> bool {
        let Some([.., dependencies]) = self.bytes_of(file) else {
            return true;
        };
        let count = number_at(dependencies, 0).unwrap_or(NONE) as usize;
        let mut all = dependencies
            .chunks_exact(4)
            .skip(1)
            .filter_map(|four| number_at(four, 0));
        let reads_a_changed_file = all
            .by_ref()
            .take(count)
            .any(|recorded| files.binary_search(&recorded).is_ok());
        dependencies.is_empty() || reads_a_changed_file || all.any(|recorded| names.contains(&recorded))
    }

    /// Returns the files with edges that lead to a file.
    pub fn files_into(&self, file: u32) -> FxHashSet<u32> {
        let first = self.first_node(file).unwrap_or(0);
        let end = self.first_node(file + 1).unwrap_or(self.nodes());
        let edges = (first..end).flat_map(|node| self.into(node));
        edges.filter_map(|edge| self.file_of_edge(edge)).collect()
    }
}
