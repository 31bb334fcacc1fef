//! From the files of an installed model to one that computes. An addon computes; the bytes that it gets are checked here.

use forge_memory_addon::{Inference, Model, Unfit};
use forge_memory_core::{Error, Result};

use crate::manifest::Manifest;
use crate::model::{ModelFolder, corrupt};

/// Returns the inference addon; it may have to be loaded for that.
pub type InferenceSource = fn() -> Result<Inference>;

/// Reads, checks and loads an installed model. The weights are read piece by piece by what computes, and are never in memory as a whole; what it made
/// of them is dropped when they turn out to be others.
pub(crate) fn load(folder: &ModelFolder, manifest: &Manifest, inference: Inference) -> Result<Model> {
    let (tokenizer, weights) = (manifest.tokenizer(), manifest.weights());
    let network = manifest.network().to_json()?;
    let path = folder.file(weights);
    let mut stream = folder.stream(weights, &path)?;
    let model = inference.load(&network, &folder.read(tokenizer)?, &mut stream, weights.bytes);
    let is_of_weights = !matches!(model, Err(Unfit::Tokenizer(_)));
    if is_of_weights {
        stream.finish()?;
    }
    model.map_err(|unfit| match unfit {
        Unfit::Tokenizer(reason) => corrupt(&folder.file(tokenizer), reason),
        Unfit::Weights(reason) => corrupt(&path, reason),
    })
}

pub(crate) fn unsupported(reason: String) -> Error {
    Error::Unsupported {
        what: "embedding a text".to_owned(),
        reason,
    }
}
