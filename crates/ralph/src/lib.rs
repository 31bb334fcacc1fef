//! Lessons of agent loops: the JSON stores under `.aiwg/`, which loops and people write.
//!
//! A store is one JSON document: an array, or an object that contains one. Other programs and people write it too. It is
//! therefore read leniently, in every known shape, and rewritten by splicing text, so that everything else keeps its bytes.
//! A rewrite holds a lock file, replaces the store atomically, and is repeated when another program has changed the store
//! meanwhile (optimistic concurrency control). A store that is not valid JSON is never written.
//!
//! ```
//! use forge_memory_core::Memory;
//! use forge_memory_core::project::environment::Environment;
//! use forge_memory_ralph::{Lessons, RalphAddInput, RalphFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let environment = Environment::new(folder.path().join("project"), folder.path().join("home"));
//! let mut memory = Memory::open(environment);
//! let mut lessons = Lessons::of(&mut memory);
//! let added = lessons.add(RalphAddInput {
//!     lesson: Some("Jest needs --runInBand on Windows".to_owned()),
//!     ..RalphAddInput::default()
//! })?;
//! assert!(added.added);
//!
//! let found = lessons.query(Some("windows"), None, &RalphFilter::default())?;
//! assert_eq!(found.total, 1);
//! assert_eq!(found.entries[0].lesson, added.entry.lesson);
//! # Ok(())
//! # }
//! ```

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

use forge_memory_core::Memory;

mod add;
mod clear;
mod contents;
mod document;
mod element;
mod entry;
mod halves;
mod lenient;
mod place;
mod query;
mod reading;
mod scan;
mod splice;
mod store;

pub use add::{RalphAddInput, RalphAddOutcome, TYPES, captured_type};
pub use clear::{ClearOptions, ClearOutcome, LoopCount};
pub use entry::{RalphEntry, RalphRecord, Wrong};
pub use place::{Choice, EXTERNAL_FILE, GLOBAL_FILE};
pub use query::QueryOutcome;
pub use reading::{ListOutcome, RalphFilter, RalphQueryOptions};
pub use scan::is_document;

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
