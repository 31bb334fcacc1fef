//! An installed model, opened.

use std::fmt;
use std::path::PathBuf;

use forge_memory_core::{Error, Result};

use crate::forward::Network;
use crate::model::{ModelFolder, TOKENIZER, WEIGHTS, corrupt};
use crate::tokens::Tokens;

/// How many tokens go through the network together: enough for large products, few enough for the processor's caches.
const TOKENS_TOGETHER: usize = 512;

/// Turns texts into vectors of length one; near vectors are near in meaning.
pub struct Embedder {
    tokens: Tokens,
    network: Network,
    weights_path: PathBuf,
}

impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedder")
            .field("weights", &self.weights_path)
            .finish_non_exhaustive()
    }
}

impl Embedder {
    /// Loads an installed model after every byte of it was checked.
    ///
    /// # Errors
    /// `MODEL_MISSING` when it is not installed, `CORRUPT` when a file is not what was installed, `IO`.
    pub fn open(folder: &ModelFolder) -> Result<Self> {
        folder.glance()?;
        let (tokenizer_path, weights_path) = (folder.file(&TOKENIZER), folder.file(&WEIGHTS));
        let tokens = Tokens::read(&TOKENIZER.read(&tokenizer_path)?).map_err(|e| corrupt(&tokenizer_path, e))?;
        let network = Network::read(&WEIGHTS.read(&weights_path)?).map_err(|e| corrupt(&weights_path, e))?;
        Ok(Embedder {
            tokens,
            network,
            weights_path,
        })
    }

    /// Returns one vector for each text, in their order, on the calling thread alone: whoever embeds in the background
    /// must not take the whole machine. Of a long text the first 256 tokens count; an empty text has a
    /// vector like any other.
    ///
    /// # Errors
    /// `UNSUPPORTED` when the network fails on this machine.
    pub fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        let (mut together, mut count) = (Vec::new(), 0);
        for text in texts {
            let tokens = self.tokens.of(text).map_err(unsupported)?;
            if count + tokens.len() > TOKENS_TOGETHER && count > 0 {
                vectors.append(&mut self.pass(&together)?);
                together.clear();
                count = 0;
            }
            count += tokens.len();
            together.push(tokens);
        }
        if count > 0 {
            vectors.append(&mut self.pass(&together)?);
        }
        Ok(vectors)
    }

    fn pass(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        self.network.vectors(texts).map_err(unsupported)
    }
}

fn unsupported(reason: String) -> Error {
    Error::Unsupported {
        what: "embedding a text".to_owned(),
        reason,
    }
}
