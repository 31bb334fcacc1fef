//! Lessons of agent loops: the JSON stores under `.aiwg/` that loops and people write.
//!
//! A store is one JSON document, a list or an object that holds one, and belongs to others as much as to us. So it is
//! read leniently, every shape that is known to exist, and rewritten by cutting and inserting text: what is not
//! understood stays byte for byte. A rewrite holds an operating system lock on a side file, goes to a temporary file
//! first, and starts over when another program has changed the store meanwhile. A store that is no JSON is never written.

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
