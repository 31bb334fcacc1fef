//! A cross-encoder for reranking: one score per pair of a query and a text, which are one input sequence (Nogueira and Cho 2019, "Passage
//! re-ranking with BERT"). It is more accurate than comparing two vectors, and costs one forward pass per pair.

use forge_memory_addon::{Inference, Model};
use forge_memory_core::{Error, Result};

use crate::loading::{load, unsupported};
use crate::model::ModelFolder;
use crate::recipe::Purpose;

/// An installed cross-encoder, loaded.
#[derive(Debug)]
pub struct CrossEncoder {
    model: Model,
}

impl CrossEncoder {
    /// Loads an installed cross-encoder. Every byte of it is checked first.
    ///
    /// # Errors
    /// `MODEL_MISSING` when it is not installed, `CORRUPT` when a file differs from the installed one, `INVALID_INPUT` when it makes
    /// vectors and no scores, `IO`.
    pub fn open(folder: &ModelFolder, inference: Inference) -> Result<Self> {
        let (manifest, _) = folder.states()?;
        if manifest.purpose != Purpose::Reranking {
            return Err(Error::invalid(
                "model",
                format!("{} is not a cross-encoder", manifest.name),
            ));
        }
        load(folder, &manifest, inference).map(CrossEncoder::of)
    }

    pub(crate) fn of(model: Model) -> Self {
        CrossEncoder { model }
    }

    /// Returns a score for each text, in their order: the higher, the better it answers the query.
    ///
    /// # Errors
    /// `UNSUPPORTED` when the network fails on this machine.
    pub fn score<T: AsRef<str>>(&self, query: &str, texts: &[T]) -> Result<Vec<f32>> {
        let scores = self.model.score(query, texts).map_err(unsupported)?;
        if scores.len() != texts.len() {
            return Err(unsupported(format!(
                "expected {} scores, found {}",
                texts.len(),
                scores.len()
            )));
        }
        Ok(scores)
    }
}
