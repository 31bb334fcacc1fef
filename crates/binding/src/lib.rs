//! The common part of this program's Node libraries: reading arguments, handing out answers and errors, and the open memories of a
//! process. The engine's own library and that of the databases are linked with it; each has its own open memories then.

// Arguments come from outside.
#![deny(clippy::indexing_slicing)]
#![deny(clippy::string_slice)]

pub mod addons;
pub mod answer;
pub mod code_graphs;
pub mod error;
pub mod input;
pub mod jobs;
pub mod library_file;
pub mod projects;
pub mod task;
pub mod value;
mod vectors;
