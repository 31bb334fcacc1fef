//! Lessons of agent loops: the JSON stores under `.aiwg/` that loops and people write.
//!
//! A store is one JSON document, a list or an object that holds one, and other programs
//! and people write it, too. So it is read leniently, in every known shape, and rewritten by splicing text: everything else keeps its
//! bytes. A rewrite holds a lock file, replaces the store atomically, and is repeated when another program has changed the store in
//! between (optimistic concurrency). A store that is not valid JSON is never written.

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]

use forge_memory_core::Memory;

mod add;
mod clear;
mod contents;
mod document;
mod element;
mod entry;
mod halves;
mod place;
mod query;
mod reading;
mod scan;
mod splice;
mod store;

pub use add::{RalphAddInput, RalphAddOutcome, TYPES, captured_type};
pub use clear::{ClearOptions, ClearOutcome, LoopCount};
pub use document::is_document;
pub use entry::{RalphEntry, RalphRecord, Wrong};
pub use place::EXTERNAL_FILE;
pub use place::GLOBAL_FILE;
pub use query::{QueryOutcome, RalphHit};
pub use reading::{ListOutcome, RalphFilter};

/// The lessons of agent loops in the project of a memory.
#[derive(Debug)]
pub struct Lessons<'m> {
    memory: &'m mut Memory,
}

impl<'m> Lessons<'m> {
    /// Returns the lessons in the project of `memory`, on the same file system and with the same clock and settings.
    pub fn of(memory: &'m mut Memory) -> Self {
        Lessons { memory }
    }
}
