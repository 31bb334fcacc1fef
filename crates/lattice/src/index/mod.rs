//! Runs of the index: what has changed since the last one, and what of it stays as it is.

mod entry;
mod options;
mod previous;
mod run;
mod scope;
mod write;

pub use options::{IndexOptions, IndexOutcome};
pub(crate) use run::run;
