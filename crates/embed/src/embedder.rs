//! An installed model, loaded: tokenization, then the encoder, several texts per pass.

use std::fmt;
use std::path::PathBuf;

use forge_memory_core::{Error, Result};

use crate::encoder::Encoder;
use crate::model::{ModelFolder, TOKENIZER, WEIGHTS, corrupt};
use crate::tokenization::TextTokenizer;

/// Tokens in one pass through the network: enough for large products, few enough for the processor's caches.
const BATCH_TOKENS_MAX: usize = 512;

/// Turns texts into vectors of length one. The cosine of two vectors says how similar the texts are in meaning.
pub struct Embedder {
    tokenizer: TextTokenizer,
    encoder: Encoder,
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
    /// Loads an installed model. Every byte of it is checked first.
    ///
    /// # Errors
    /// `MODEL_MISSING` when it is not installed, `CORRUPT` when a file differs from the installed one, `IO`.
    pub fn open(folder: &ModelFolder) -> Result<Self> {
        folder.check_lengths()?;
        let (tokenizer_path, weights_path) = (folder.file(&TOKENIZER), folder.file(&WEIGHTS));
        let tokenizer = TextTokenizer::read(&folder.read(&TOKENIZER)?).map_err(|e| corrupt(&tokenizer_path, e))?;
        let encoder = Encoder::read(&folder.read(&WEIGHTS)?).map_err(|e| corrupt(&weights_path, e))?;
        Ok(Embedder {
            tokenizer,
            encoder,
            weights_path,
        })
    }

    /// Returns one vector of 384 numbers for each text, in their order. Works on the calling thread only, because embedding in
    /// the background must not take the whole machine. Only the first 256 tokens of a text count; an empty text has a
    /// vector as well.
    ///
    /// # Errors
    /// `UNSUPPORTED` when the network fails on this machine.
    pub fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        let (mut batch, mut count) = (Vec::new(), 0);
        for text in texts {
            let tokens = self.tokenizer.token_ids(text).map_err(unsupported)?;
            if count + tokens.len() > BATCH_TOKENS_MAX && count > 0 {
                vectors.append(&mut self.encode(&batch)?);
                batch.clear();
                count = 0;
            }
            count += tokens.len();
            batch.push(tokens);
        }
        if count > 0 {
            vectors.append(&mut self.encode(&batch)?);
        }
        Ok(vectors)
    }

    fn encode(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        self.encoder.encode(texts).map_err(unsupported)
    }
}

fn unsupported(reason: String) -> Error {
    Error::Unsupported {
        what: "embedding a text".to_owned(),
        reason,
    }
}
