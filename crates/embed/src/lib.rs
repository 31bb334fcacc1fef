//! Texts to vectors on this machine: the model all-MiniLM-L6-v2.
//!
//! The weights are no part of the package. [`install`] checks them against pinned digests and keeps them as eight-bit rows;
//! [`Embedder`] opens what was installed. Nothing here opens a socket, prints, or reads the clock or the environment.

#![deny(unsafe_code)]
// Models, archives and texts come from outside.
#![warn(clippy::indexing_slicing)]

mod curve;
mod embedder;
mod forward;
pub mod install;
pub mod model;
mod product;
mod source;
mod tokens;
mod weights;

pub use embedder::Embedder;
pub use install::Installation;
pub use model::{ModelFolder, ModelState};
