//! Index work in the background, on the thread pool.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use forge_memory_core::Job;
use napi::{Env, Task};

use crate::error::Result;

/// The jobs of one project.
pub struct IndexTask {
    jobs: Vec<Job>,
    /// Set when they are done.
    done: Arc<AtomicBool>,
}

impl IndexTask {
    /// Queues the jobs on the thread pool.
    pub fn start(env: &Env, jobs: Vec<Job>, done: Arc<AtomicBool>) -> Result<()> {
        env.spawn(IndexTask { jobs, done }).map(|_| ())
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
        self.done.store(true, Ordering::Release);
        return_memory();
        Ok(())
    }

    fn resolve(&mut self, _env: Env, _output: ()) -> napi::Result<()> {
        Ok(())
    }
}

/// Returns the freed memory of a job to the system: glibc's allocator keeps it for the job's thread, several times the size of the index.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn return_memory() {
    // SAFETY: it takes the locks of the allocator itself, and may be called on any thread.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn return_memory() {}
