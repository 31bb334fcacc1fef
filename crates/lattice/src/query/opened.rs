//! The graph as it was opened last.

use forge_memory_core::clock::Millis;
use forge_memory_core::{Error, Result};

use crate::budget::Limit;
use crate::contents::is_absent;
use crate::graph::Graph;
use crate::storage::{IndexFolder, States, is_own, read_meta, read_states, rebuild, rebuild_foreign};

/// A graph in memory, with what is needed to tell whether files have changed since it was made.
#[derive(Debug)]
pub(crate) struct OpenGraph {
    pub(super) graph: Graph,
    pub(super) states: Option<States>,
    /// The limit that the run reached which made it.
    pub(super) limit: Option<Limit>,
    version: Version,
}

/// A graph of that many bytes is read in about a millisecond.
const SMALL_BYTES: u64 = 4 * 1024 * 1024;

/// Tells one version of the files from another: their lengths and when they were changed.
type Version = Vec<(u64, i64)>;

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

    /// Tells whether a graph is so small that opening it takes no time to speak of.
    pub(crate) fn is_small(folder: &IndexFolder) -> bool {
        folder
            .disk
            .stat(&folder.paths.graph)
            .is_ok_and(|found| found.len <= SMALL_BYTES)
    }

    /// Tells whether the code defines or uses a name; nothing when a graph that is incomplete or older than `since` does not have it.
    pub(crate) fn has_name(&self, name: &str, since: Millis) -> Option<bool> {
        let has = self.graph.named(name).next().is_some() || self.graph.called(name).next().is_some();
        let is_decisive = self.limit.is_none()
            && self
                .version
                .first()
                .is_some_and(|(_, changed_ns)| changed_ns / 1_000_000 >= since);
        (has || is_decisive).then_some(has)
    }

    fn read(folder: &IndexFolder, version: Version) -> Result<Option<Self>> {
        let disk = folder.disk.as_ref();
        let graph = match is_own(folder)? {
            true => match Graph::read(disk, &folder.paths.graph)? {
                Some(graph) => Some(graph),
                None => rebuild(folder)?,
            },
            // Not its binary files, which may be those of an earlier index.
            false if folder.accepts_foreign => rebuild_foreign(folder)?,
            false => None,
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

/// Returns the version of the graph; when it is missing, that of the metadata, since it is then rebuilt. An index of another program
/// is known by its lines, which it writes without touching our files.
fn version(folder: &IndexFolder) -> Result<Option<Version>> {
    let paths = &folder.paths;
    let foreign: &[_] = if folder.accepts_foreign {
        &[&paths.chunks, &paths.edges]
    } else {
        &[]
    };
    let mut found = Vec::new();
    for path in [&paths.graph, &paths.meta].into_iter().chain(foreign.iter().copied()) {
        match folder.disk.stat(path) {
            Ok(state) => found.push((state.len, state.modified_ns)),
            Err(e) if is_absent(&e) => continue,
            Err(e) => return Err(Error::io("inspect", path)(e)),
        }
        if !folder.accepts_foreign {
            break;
        }
    }
    Ok((!found.is_empty()).then_some(found))
}
