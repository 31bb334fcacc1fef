//! The cached graph of the last query.

use forge_memory_core::clock::Millis;
use forge_memory_core::{Error, Result};

use crate::budget::Limit;
use crate::contents::is_absent;
use crate::graph::Graph;
use crate::storage::{Foreign, IndexFolder, States, is_own, read_meta, read_states, rebuild, rebuild_foreign};

/// A graph in memory, with the states by which changes of the files since it was built are noticed.
#[derive(Debug)]
pub(crate) struct OpenGraph {
    pub(super) graph: Graph,
    pub(super) states: Option<States>,
    pub(super) limit: Option<Limit>,
    /// Present when another program wrote the index.
    pub(super) foreign: Option<Foreign>,
    version: Version,
}

/// The size up to which a graph is opened within about a millisecond.
const SMALL_BYTES: u64 = 4 * 1024 * 1024;

/// A version of the index files: their lengths and modification times.
type Version = Vec<(u64, i64)>;

impl OpenGraph {
    /// Opens the graph, or keeps the open one when its file is unchanged; `None` when there is no index.
    pub(crate) fn refresh(open: &mut Option<OpenGraph>, folder: &IndexFolder) -> Result<()> {
        let Some(version) = version(folder)? else {
            *open = None;
            return Ok(());
        };
        if open.as_ref().is_none_or(|open| open.version != version) {
            *open = None;
            *open = OpenGraph::read(folder, version, own_graph)?;
        }
        Ok(())
    }

    /// Reads the graph as a whole, or rebuilds it.
    pub(crate) fn complete(open: &mut Option<OpenGraph>, folder: &IndexFolder) -> Result<()> {
        if let Some(asked) = open.take_if(|open| !open.graph.is_in_memory()) {
            *open = OpenGraph::read(folder, asked.version, whole_graph)?;
        }
        Ok(())
    }

    /// True if bytes that an answer needed are damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.graph.is_damaged()
    }

    /// True if a graph is small enough to be opened in negligible time.
    pub(crate) fn is_small(folder: &IndexFolder) -> bool {
        folder
            .disk
            .stat(&folder.paths.graph)
            .is_ok_and(|found| found.len <= SMALL_BYTES)
    }

    /// True if the code defines or uses a name; `None` when a graph without it is incomplete or older than
    /// `since`.
    pub(crate) fn has_name(&self, name: &str, since: Millis) -> Option<bool> {
        let has = self.graph.named(name).next().is_some() || self.graph.called(name).next().is_some();
        let is_decisive = self.limit.is_none()
            && self
                .version
                .first()
                .is_some_and(|(_, changed_ns)| changed_ns / 1_000_000 >= since);
        (!self.graph.is_damaged() && (has || is_decisive)).then_some(has)
    }

    fn read(folder: &IndexFolder, version: Version, own: ReadOwn) -> Result<Option<Self>> {
        let disk = folder.disk.as_ref();
        let found = if is_own(folder)? {
            own(folder)?.map(|graph| (graph, None))
        } else if folder.accepts_foreign {
            // Only its JSON Lines files: the binary files may be those of an earlier index.
            rebuild_foreign(folder)?.map(|(graph, foreign)| (graph, Some(foreign)))
        } else {
            None
        };
        let Some((graph, foreign)) = found else {
            return Ok(None);
        };
        let states = read_states(disk, &folder.paths.states)?;
        Ok(Some(OpenGraph {
            states: states.filter(|states| states.tree == graph.tree()),
            foreign,
            limit: read_meta(folder)?.and_then(|meta| meta.limit),
            graph,
            version,
        }))
    }
}

type ReadOwn = fn(&IndexFolder) -> Result<Option<Graph>>;

/// Opens the graph of this machine. On Windows an open file cannot be replaced.
fn own_graph(folder: &IndexFolder) -> Result<Option<Graph>> {
    if cfg!(unix)
        && !OpenGraph::is_small(folder)
        && let Some(graph) = Graph::open(folder.disk.as_ref(), &folder.paths.graph)
    {
        return Ok(Some(graph));
    }
    whole_graph(folder)
}

fn whole_graph(folder: &IndexFolder) -> Result<Option<Graph>> {
    match Graph::read(folder.disk.as_ref(), &folder.paths.graph)? {
        Some(graph) => Ok(Some(graph)),
        None => rebuild(folder),
    }
}

/// Returns the version of the graph; when that is missing, of the metadata, because the graph is rebuilt then. The index of
/// another program is identified by its JSON Lines files, which it writes without changing our files.
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
