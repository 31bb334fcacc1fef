//! Computes with models of sentences: tokenization, and the network.
//!
//! It is a library of its own, because tokenization is large and only users of a model need it. The engine calls it through [`TABLE`],
//! whether it is linked or loaded, with the bytes of files that it reads and checks itself.

// Vocabularies, weights and texts come from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod embedder;
mod encoder;
mod layers;
mod pieces;
mod product;
mod table;
mod tokenization;
mod vocabulary;

pub use table::{FORGE_MEMORY_INFERENCE, TABLE};
