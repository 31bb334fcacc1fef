//! An installed model that makes vectors, loaded.

use forge_memory_addon::{Inference, Model, PASSAGE, QUERY};
use forge_memory_core::Result;

use crate::languages::Languages;
use crate::loading::{load, unsupported};
use crate::manifest::Manifest;
use crate::model::ModelFolder;
use crate::recipe::TextKind;

/// Turns texts into vectors of length one. The cosine of two vectors says how similar the texts are in meaning.
#[derive(Debug)]
pub struct Embedder {
    model: Model,
    dimensions: usize,
    languages: Option<Languages>,
}

impl Embedder {
    /// Loads an installed model. Every byte of it is checked first.
    ///
    /// # Errors
    /// `MODEL_MISSING` when it is not installed, `CORRUPT` when a file differs from the installed one, `IO`.
    pub fn open(folder: &ModelFolder, inference: Inference) -> Result<Self> {
        let (manifest, _) = folder.states()?;
        let model = load(folder, &manifest, inference)?;
        Ok(Embedder::of(model, &manifest))
    }

    pub(crate) fn of(model: Model, manifest: &Manifest) -> Self {
        Embedder {
            model,
            dimensions: manifest.dimensions(),
            languages: manifest.languages.clone(),
        }
    }

    /// Embeds texts that are searched: returns one vector of the model's dimension and length 1 per text, in their order. It runs on
    /// the calling thread only, because embedding in the background must not use the whole machine. Only the first tokens of a text
    /// count, as many as the model reads; an empty text has a vector too.
    ///
    /// # Errors
    /// `UNSUPPORTED` when the network fails on this machine.
    pub fn embed<T: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<Vec<f32>>> {
        self.embed_as(TextKind::Passage, texts)
    }

    /// Embeds texts of a kind, with the prefix that the model has for it.
    pub fn embed_as<T: AsRef<str>>(&self, kind: TextKind, texts: &[T]) -> Result<Vec<Vec<f32>>> {
        let mut vectors = self.computed(kind, texts)?;
        if let Some(languages) = &self.languages {
            vectors.iter_mut().for_each(|vector| languages.apply(kind, vector));
        }
        Ok(vectors)
    }

    /// Returns the vector of a query, and a second one of a model that knows languages: with next to nothing of the query's own.
    pub fn embed_query(&self, query: &str) -> Result<Vec<Vec<f32>>> {
        let vectors = self.computed(TextKind::Query, &[query])?;
        Ok(match &self.languages {
            None => vectors,
            Some(languages) => vectors
                .into_iter()
                .flat_map(|vector| languages.of_query(vector))
                .collect(),
        })
    }

    /// Returns the vectors as the model computes them.
    fn computed<T: AsRef<str>>(&self, kind: TextKind, texts: &[T]) -> Result<Vec<Vec<f32>>> {
        let prefix = match kind {
            TextKind::Passage => PASSAGE,
            TextKind::Query => QUERY,
        };
        let numbers = self.model.embed(prefix, texts).map_err(unsupported)?;
        if numbers.len() != texts.len() * self.dimensions {
            let (count, found) = (texts.len(), numbers.len());
            return Err(unsupported(format!(
                "expected {count} vectors of {} numbers, found {found} numbers",
                self.dimensions
            )));
        }
        Ok(numbers.chunks_exact(self.dimensions).map(<[f32]>::to_vec).collect())
    }
}
