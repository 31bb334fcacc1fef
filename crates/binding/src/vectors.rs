//! Vectors in the background: after a search that compares them, a thread of its own computes the missing ones. A program that only
//! calls the library has no other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use forge_memory_core::{Environment, Memory, VectorState};

/// The pause before the first pass: a process that ends after one search computes nothing in vain.
const FIRST_REST: Duration = Duration::from_millis(500);
/// A pass is about a second of work on one thread; the pause after it leaves the machine to others.
const PASSAGES_A_PASS: usize = 16;
const REST: Duration = Duration::from_millis(500);

/// The work on the vectors of one project.
#[derive(Default)]
pub struct VectorWork {
    is_running: AtomicBool,
    /// The state in which the last pass began. Nothing is missing until it changes, or the pass failed, and would again.
    done: Mutex<Option<VectorState>>,
}

impl VectorWork {
    /// Starts computing in the background, unless that is being done, or nothing has changed since.
    pub fn start(self: &Arc<Self>, memory: &Memory, environment: impl FnOnce() -> Environment) {
        let Some(state) = memory.vector_state() else {
            return;
        };
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if done.as_ref() == Some(&state) || self.is_running.swap(true, Ordering::AcqRel) {
            return;
        }
        *done = Some(state);
        drop(done);
        let (work, environment) = (Arc::clone(self), environment());
        thread::spawn(move || {
            thread::sleep(FIRST_REST);
            // Vectors are derived: a failure costs hits by meaning, and a panic must not end the process.
            let _ = catch_unwind(AssertUnwindSafe(|| compute(environment)));
            work.is_running.store(false, Ordering::Release);
        });
    }
}

fn compute(environment: Environment) -> forge_memory_core::Result<()> {
    let mut memory = Memory::open(environment);
    loop {
        let pass = memory.vectors().embed_missing(PASSAGES_A_PASS)?;
        if pass.is_busy || pass.made == 0 || pass.coverage.covered >= pass.coverage.total {
            return Ok(());
        }
        thread::sleep(REST);
    }
}
