//! Progress of long work, for display.

use std::sync::atomic::{AtomicU64, Ordering};

/// Steps done, and to do. The core only counts; another thread may look at any time.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Begins work with this number of steps.
    pub fn begin(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Adds completed steps.
    pub fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Returns the steps done and the total; both are 0 before the work has counted them.
    pub fn read(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}
