//! Sentence embeddings on this machine, by all-MiniLM-L6-v2 or multilingual-e5-small.
//!
//! The weights are not part of the package. [`install`] checks them, against pinned digests where they are known, and stores them quantized
//! to eight bits. [`Embedder`] loads an installed model and computes vectors ([`Embedder::embed`]). The arithmetic is an
//! addon, which the caller passes in. This crate opens no sockets, prints nothing, and reads neither the clock nor the environment.
//!
//! ```
//! use std::sync::Arc;
//!
//! use forge_memory_core::journal::{Disk, OsDisk};
//! use forge_memory_embed::model::DIMENSIONS;
//! use forge_memory_embed::{Embedder, ModelFolder, ModelName};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # let home = home.path();
//! let disk: Arc<dyn Disk> = Arc::new(OsDisk);
//! let folder = ModelFolder::of_home(disk, home, ModelName::Known);
//! match Embedder::open(&folder, forge_memory_inference::TABLE) {
//!     Ok(embedder) => assert_eq!(embedder.embed(&["a text".to_owned()])?[0].len(), DIMENSIONS),
//!     Err(error) => assert_eq!(error.code(), "MODEL_MISSING"),
//! }
//! # Ok(())
//! # }
//! ```

#![deny(unsafe_code)]
// Models, archives and texts come from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

pub mod architecture;
mod background;
mod embedder;
pub mod install;
mod languages;
mod loading;
pub mod manifest;
pub mod model;
mod name;
mod pinned;
mod preparation;
mod quantize;
pub mod recipe;
pub mod registry;
mod shared;
mod source;
#[cfg(test)]
mod tiny;
pub mod weights;

/// The version of the description of a network that the inference addon is given.
pub const INFERENCE_FORMAT: u32 = 2;

/// The package that computes with models of sentences.
pub const ADDON: forge_memory_core::Addon = forge_memory_core::Addon {
    package: "forge-memory-embed",
    hint: "install the addon of search by meaning beside forge-memory, in its version: docs/platforms.md has the command; in a clone: npm run build",
};

pub use background::{Measurement, MeasurementState};
pub use embedder::Embedder;
pub use install::{Installation, Installed};
pub use loading::InferenceSource;
pub use manifest::Manifest;
pub use model::{ModelFolder, ModelState};
pub use name::ModelName;
pub use recipe::TextKind;
pub use registry::Models;
pub use shared::{InstalledModels, SharedModel};
