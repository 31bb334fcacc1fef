//! Extraction: from the bytes of a file to its facts.

mod collect;
mod extract;
mod found;
mod lines;
mod macro_calls;
mod names;
mod nesting;

pub use extract::facts;
