//! A disk that counts the bytes read.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::watched::Watch;

/// Counts the bytes read.
#[derive(Debug, Default)]
pub struct ReadCounter(AtomicU64);

impl ReadCounter {
    /// Returns the bytes read since the last call.
    pub fn take(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl Watch for ReadCounter {
    fn has_read(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
