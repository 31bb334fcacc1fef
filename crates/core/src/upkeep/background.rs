//! Deferred index work: on another thread, or at the end of a short-lived process.

use std::sync::Arc;

use crate::error::Result;
use crate::index::{IndexJob, Stores};
use crate::observe::report::{counted_bytes, keep_tallies};
use crate::project::Project;
use crate::project::layout::Layout;
use crate::project::ownership::Marks;

/// A tail of the raw log shorter than this is cheaper to count again than to persist its counts.
const SETTLE_BYTES: u64 = 256 * 1024;

/// A background job: index segments, and the counts of a report beside them. It holds no locks and can run on any thread.
#[derive(Debug, Clone)]
pub struct Job {
    index: IndexJob,
    /// The files that are to be counted, and the marks of their project.
    counted: Option<(Layout, Arc<Marks>)>,
}

impl Job {
    /// Runs the job. Returns true if there are new index segments; `false` too when another process does the work.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read, or derived data cannot be written.
    pub fn run(&self) -> Result<bool> {
        let is_new = self.index.run()?;
        if let Some((layout, marks)) = self.counted.as_ref().filter(|_| is_new) {
            keep_tallies(layout.disk().as_ref(), layout.forge(), marks)?;
        }
        Ok(is_new)
    }
}

/// Returns the index work that accumulated since the last call, to be run on another thread.
pub(crate) fn take_jobs(project: &Project, stores: &mut Stores) -> Vec<Job> {
    let now = project.now();
    let counted = || Some((project.layout.clone(), Arc::clone(&project.marks)));
    let counts = [counted(), None, None];
    let stores = stores.written_mut().into_iter().zip(counts);
    let jobs = stores.map(|(store, counted)| {
        let index = store.journal_index.take_job(&store.journal, now)?;
        Some(Job { index, counted })
    });
    jobs.flatten().collect()
}

/// Runs the pending index work on this thread, for a short-lived process.
pub(crate) fn settle(project: &Project, stores: &mut Stores) -> Result<()> {
    stores.refresh();
    let mut is_new = false;
    for store in stores.written_mut() {
        if let Some(job) = store.journal_index.settling_job(&store.journal) {
            is_new |= job.run_after_others()?;
        }
    }
    let forge = project.layout.forge();
    let counted = counted_bytes(project.disk(), forge, &project.marks);
    if stores.captures.journal_index.covered() >= counted + SETTLE_BYTES {
        keep_tallies(project.disk(), forge, &project.marks)?;
    }
    stores.adopt()?;
    if is_new {
        // The next process finds what it would count.
        stores.current(project.now());
    }
    Ok(())
}
