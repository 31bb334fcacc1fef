//! Computes with models of sentences: tokenization, and the network. A model that makes vectors is an [`Embedder`], one that compares a
//! query with texts a [`CrossEncoder`].
//!
//! It is a library of its own, because tokenization is large and only users of a model need it. The engine calls it through [`TABLE`],
//! whether it is linked or loaded, with the bytes of files that it reads and checks itself.

// Vocabularies, weights and texts come from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod cross_encoder;
mod embedder;
mod encoder;
mod layers;
mod pieces;
mod product;
mod relative;
mod table;
mod tokenization;
mod vocabulary;

pub use product::activation_levels;
pub use table::{FORGE_MEMORY_INFERENCE, TABLE};
