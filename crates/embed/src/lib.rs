//! Sentence embeddings on this machine with the model all-MiniLM-L6-v2.
//!
//! The weights are not part of the package. [`install`] checks them against pinned digests and stores them quantized to eight
//! bits; [`Embedder`] loads what was installed and runs the network ([`Embedder::embed`]). Nothing here opens a socket, prints, or reads the clock or the environment.

#![deny(unsafe_code)]
// Models, archives and texts come from outside.
#![warn(clippy::indexing_slicing)]

mod activation;
mod embedder;
mod encoder;
pub mod install;
pub mod model;
mod product;
mod source;
mod tokenization;
mod weights;

pub use embedder::Embedder;
pub use install::Installation;
pub use model::{ModelFolder, ModelState};
