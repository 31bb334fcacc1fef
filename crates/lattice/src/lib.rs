//! The code graph of forge-memory: the definitions of a project, and their callers.
//!
//! [`Lattice`] is the way in. The modules are layers, and each uses only those before it: the [`facts`] of single files, the declaration of
//! each [`language`], name resolution ([`resolve`]), the [`graph`] in one file, the index on disk ([`storage`]), runs that keep it up to
//! date ([`index`]), and queries ([`query`]). Only a run parses: the grammars are an addon, which its caller hands in.
//!
//! ```
//! use std::fs;
//!
//! use forge_memory_lattice::{IndexOptions, Lattice, Seed};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let project = folder.path().join("project");
//! fs::create_dir(&project)?;
//! fs::write(project.join("cart.js"), "function sum() {}\nfunction total() { return sum() }\n")?;
//!
//! let grammars = forge_memory_grammars::TABLE;
//! let mut lattice = Lattice::new(project, folder.path().join("home")).parsing_with(grammars);
//! let outcome = lattice.index(&IndexOptions::default(), &|_done, _total| {})?;
//! assert_eq!(outcome.files_indexed, 1);
//!
//! let seed = Seed { name: Some("sum".to_owned()), ..Seed::default() };
//! let callers = lattice.callers(&seed)?;
//! assert_eq!(callers.chunks[0].name, "total");
//! assert_eq!(callers.chunks[0].call_line, Some(2));
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]
// Sources, indexes and ignore files are input from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod budget;
mod contents;
pub mod facts;
mod globs;
pub mod graph;
pub mod index;
pub mod kind;
pub mod language;
mod lattice;
pub mod paths;
pub mod query;
pub mod resolve;
pub mod scan;
pub mod storage;
pub mod terms;

/// The version of the answers of the grammars: encoded facts, for languages by their numbers.
pub const GRAMMAR_FORMAT: u32 = facts::FACTS_VERSION * 1000 + language::COUNT as u32;

/// The package with the grammars, by which the code graph is made.
pub const ADDON: forge_memory_core::Addon = forge_memory_core::Addon {
    package: "forge-memory-lattice",
    hint: "install the addon of the code graph beside forge-memory, in its version: docs/platforms.md has the command; in a clone: npm run build",
};

pub use budget::Limit;
pub use globs::Globs;
pub use index::{IndexOptions, IndexOutcome};
pub use lattice::Lattice;
pub use query::{
    Answers, Blast, BlastOptions, ChunkAnswer, Direction, QueryOptions, Seed, Stale, Stat, StatOptions, rank,
};
pub use scan::Ignored;
pub use storage::{Meta, Seal};
