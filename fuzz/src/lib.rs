//! Every parser of outside bytes as a plain function that panics when something does not hold.
//!
//! The functions are run by the fuzzer, and on the stored inputs and on random ones by the tests of the core
//! (`crates/core/tests/engine/fuzz`), which include this file.

// Whatever does not hold is a panic here: that is what a fuzzer looks for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod canonical;
pub mod clock;
pub mod config;
pub mod import;
pub mod index_folder;
pub mod line;
pub mod lines;
pub mod queue;
pub mod redaction;
pub mod segment;
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

/// Returns the input as text, with invalid characters replaced.
pub(crate) fn text_of(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

/// Returns the two texts that stand in the input, on both sides of the first line end.
pub(crate) fn two_texts_of(input: &[u8]) -> (String, String) {
    let text = text_of(input);
    match text.split_once('\n') {
        Some((one, other)) => (one.to_owned(), other.to_owned()),
        None => (text.clone(), text),
    }
}
