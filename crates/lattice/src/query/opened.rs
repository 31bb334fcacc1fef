//! The graph as it was opened last.

use forge_memory_core::{Error, Result};

use crate::budget::Limit;
use crate::contents::is_absent;
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
    ///
    /// # Errors
    /// `IO` when the disk fails.
    pub(crate) fn refresh(open: &mut Option<OpenGraph>, folder: &IndexFolder) -> Result<()> {
        let Some(version) = version(folder)? else {
            *open = None;
            return Ok(());
        };
        if open.as_ref().is_none_or(|open| open.version != version) {
            *open = None;
            *open = OpenGraph::read(folder, version)?;
        }
        Ok(())
    }

    fn read(folder: &IndexFolder, version: Version) -> Result<Option<Self>> {
        if !is_own(folder)? {
            return Ok(None);
        }
        let disk = folder.disk.as_ref();
        let graph = match Graph::read(disk, &folder.paths.graph)? {
            Some(graph) => Some(graph),
            None => rebuild(folder)?,
        };
        let Some(graph) = graph else { return Ok(None) };
        let states = read_states(disk, &folder.paths.states)?;
        Ok(Some(OpenGraph {
            states: states.filter(|states| states.tree == graph.tree()),
            limit: read_meta(folder)?.and_then(|meta| meta.limit),
            graph,
            version,
        }))
    }
}

/// Returns the version of the graph; when it is missing, that of the metadata, since it is then rebuilt.
fn version(folder: &IndexFolder) -> Result<Option<Version>> {
    for path in [&folder.paths.graph, &folder.paths.meta] {
        match folder.disk.stat(path) {
            Ok(found) => return Ok(Some((found.len, found.modified_ns))),
            Err(e) if is_absent(&e) => {}
            Err(e) => return Err(Error::io("inspect", path)(e)),
        }
    }
    Ok(None)
}
