//! Index work that has come together: on another thread, or at the end of a short-lived process.

use std::sync::Arc;

use crate::error::Result;
use crate::index::{IndexJob, Stores};
use crate::observe::report::{counted_bytes, keep_tallies};
use crate::project::Project;
use crate::project::layout::Layout;
use crate::project::ownership::Marks;

/// A tail of the raw log shorter than this is cheaper to read again than to persist.
const SETTLE_BYTES: u64 = 256 * 1024;

/// Work for the background: an index, and the counts of a report beside it. It holds nothing and can run on any thread.
#[derive(Debug, Clone)]
pub struct Job {
    index: IndexJob,
    /// The files that are to be counted, and the marks of their project.
    counted: Option<(Layout, Arc<Marks>)>,
}

impl Job {
    /// Does the work. Answers whether there are new index segments; `false` as well when another process is at it.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read, or what is derived from it not be written.
    pub fn run(&self) -> Result<bool> {
        let is_new = self.index.run()?;
        if let Some((layout, marks)) = self.counted.as_ref().filter(|_| is_new) {
            keep_tallies(layout.disk().as_ref(), layout.forge(), marks)?;
        }
        Ok(is_new)
    }
}

/// Returns index work that has come together since the last call, to be run on another thread.
pub(crate) fn take_jobs(project: &Project, stores: &mut Stores) -> Vec<Job> {
    let now = project.now();
    let counted = || Some((project.layout.clone(), Arc::clone(&project.marks)));
    let counts = [counted(), None, None];
    let stores = stores.written_mut().into_iter().zip(counts);
    let jobs = stores.map(|(store, counted)| {
        let index = store.shelf.take_job(&store.journal, now)?;
        Some(Job { index, counted })
    });
    jobs.flatten().collect()
}

/// Does, here and now, the index work that a short-lived process would leave to the next one.
///
/// # Errors
/// `IO` when a journal cannot be read or a segment not be written.
pub(crate) fn settle(project: &Project, stores: &mut Stores) -> Result<()> {
    stores.refresh();
    for store in stores.written_mut() {
        if let Some(job) = store.shelf.settling_job(&store.journal, SETTLE_BYTES) {
            job.run()?;
        }
    }
    let forge = project.layout.forge();
    let counted = counted_bytes(project.disk(), forge, &project.marks);
    if stores.captures.shelf.covered() >= counted + SETTLE_BYTES {
        keep_tallies(project.disk(), forge, &project.marks)?;
    }
    stores.adopt()
}
