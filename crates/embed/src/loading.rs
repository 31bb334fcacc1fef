//! From the files of an installed model to one that computes. An addon computes: it gets bytes that are checked here.

use forge_memory_addon::{Inference, Model, Unfit};
use forge_memory_core::{Error, Result};

use crate::manifest::Manifest;
use crate::model::{ModelFolder, corrupt};

/// Returns the inference addon; it may have to be loaded for that.
///
/// # Errors
/// `ADDON_MISSING`, `ADDON_UNUSABLE`.
pub type InferenceSource = fn() -> Result<Inference>;

/// Reads, checks and loads an installed model.
pub(crate) fn load(folder: &ModelFolder, manifest: &Manifest, inference: Inference) -> Result<Model> {
    let (tokenizer, weights) = (manifest.tokenizer(), manifest.weights());
    let network = manifest.network().to_json()?;
    let model = inference.load(&network, &folder.read(tokenizer)?, &folder.read(weights)?);
    model.map_err(|unfit| match unfit {
        Unfit::Tokenizer(reason) => corrupt(&folder.file(tokenizer), reason),
        Unfit::Weights(reason) => corrupt(&folder.file(weights), reason),
    })
}

pub(crate) fn unsupported(reason: String) -> Error {
    Error::Unsupported {
        what: "embedding a text".to_owned(),
        reason,
    }
}
