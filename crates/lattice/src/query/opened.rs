//! The graph as it was opened last.

use crate::budget::Limit;
use crate::graph::Graph;
use crate::storage::{IndexFolder, States, is_own, read_meta, read_states, rebuild};

/// A graph in memory, with what is needed to tell whether files have changed since it was made.
#[derive(Debug)]
pub(crate) struct OpenGraph {
    pub(super) graph: Graph,
    pub(super) states: Option<States>,
    /// The limit that the run reached which made it.
    pub(super) limit: Option<Limit>,
    version: Version,
}

/// Tells one version of the file from another: its length and when it was changed.
type Version = (u64, i64);

impl OpenGraph {
    /// Opens the graph, or keeps the one that is open while the file is the same; `None` when there is no index.
    pub(crate) fn refresh(open: &mut Option<OpenGraph>, folder: &IndexFolder) {
        let Some(version) = version(folder) else {
            *open = None;
            return;
        };
        if open.as_ref().is_none_or(|open| open.version != version) {
            *open = None;
            *open = OpenGraph::read(folder, version);
        }
    }

    fn read(folder: &IndexFolder, version: Version) -> Option<Self> {
        if !is_own(folder) {
            return None;
        }
        let disk = folder.disk.as_ref();
        let graph = Graph::read(disk, &folder.paths.graph).or_else(|| rebuild(folder))?;
        let states = read_states(disk, &folder.paths.states).filter(|states| states.tree == graph.tree());
        let limit = read_meta(folder).and_then(|meta| meta.limit);
        Some(OpenGraph {
            graph,
            states,
            limit,
            version,
        })
    }
}

/// Without the graph, the version of the metadata tells whether it must be made again.
fn version(folder: &IndexFolder) -> Option<Version> {
    let found = folder.disk.stat(&folder.paths.graph);
    let found = found.or_else(|_| folder.disk.stat(&folder.paths.meta)).ok()?;
    Some((found.len, found.modified_ns))
}
