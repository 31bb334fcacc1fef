//! Indexing runs: they parse the files that have changed since the last run, and copy the rest from it.

mod entry;
mod options;
mod previous;
mod run;
mod scope;
mod write;

pub use options::{IndexOptions, IndexOutcome};
pub(crate) use run::run;
