//! Indexing runs: what has changed since the last run, and what can be copied from it.

mod entry;
mod options;
mod previous;
mod run;
mod scope;
mod write;

pub use options::{IndexOptions, IndexOutcome};
pub(crate) use run::run;
