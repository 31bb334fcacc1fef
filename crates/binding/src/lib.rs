//! What every function of the Node library shares: reading arguments, handing out answers and errors, and the open memories of a process.

// Arguments come from outside.
#![deny(clippy::indexing_slicing)]
#![deny(clippy::string_slice)]

pub mod addons;
pub mod answer;
pub mod code_graphs;
pub mod error;
pub mod input;
pub mod jobs;
mod library_file;
pub mod projects;
pub mod task;
pub mod value;
mod vectors;
