//! Every parser of outside bytes as a plain function that panics when something does not hold.
//!
//! The functions are run by the fuzzer, and on the stored inputs and on random ones by the tests of the core
//! (`crates/core/tests/engine/fuzz`), which include this file.

// Whatever does not hold is a panic here: that is what a fuzzer looks for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod canonical;
pub mod clock;
pub mod config;
mod edits;
pub mod import;
pub mod index_folder;
pub mod line;
pub mod lines;
pub mod queue;
pub mod redaction;
pub mod segment;
mod texts;
pub mod words;

/// A name, under which the inputs are stored as well, and the function that checks one input.
pub type Target = (&'static str, fn(&[u8]));

/// All that is checked.
pub const TARGETS: [Target; 11] = [
    ("canonical", canonical::check),
    ("clock", clock::check),
    ("config", config::check),
    ("import", import::check),
    ("index_folder", index_folder::check),
    ("line", line::check),
    ("lines", lines::check),
    ("queue", queue::check),
    ("redaction", redaction::check),
    ("segment", segment::check),
    ("words", words::check),
];
