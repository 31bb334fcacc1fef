//! The code graph through its public API, as one program: each file is a topic.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod affected_files;
mod faults;
mod fuzz;
mod hostile;
mod incremental;
mod index_runs;
mod languages;
mod layers;
mod queries;
mod reach;
mod support;
mod unaffected_files;
