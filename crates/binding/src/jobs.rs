//! Index work in the background, on the thread pool.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use forge_memory_core::Job;
use napi::{Env, Task};

use crate::error::Result;
use crate::projects::Project;

/// The jobs of one project.
pub struct IndexTask {
    jobs: Vec<Job>,
    project: Arc<Project>,
}

impl IndexTask {
    /// Queues the jobs on the thread pool.
    pub fn start(env: &Env, jobs: Vec<Job>, project: Arc<Project>) -> Result<()> {
        env.spawn(IndexTask { jobs, project }).map(|_| ())
    }
}

impl Task for IndexTask {
    type Output = ();
    type JsValue = ();

    fn compute(&mut self) -> napi::Result<()> {
        for job in &self.jobs {
            // The index is derived: a failure costs time, and the next job tries again. A panic must not end the
            // process.
            let _ = catch_unwind(AssertUnwindSafe(|| job.run()));
        }
        self.project.indexed.store(true, Ordering::Release);
        Ok(())
    }

    fn resolve(&mut self, _env: Env, _output: ()) -> napi::Result<()> {
        Ok(())
    }
}
