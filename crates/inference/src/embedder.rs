//! A model that makes vectors: tokenization, then the encoder, several texts per pass.

use forge_memory_addon::Slice;
use forge_memory_embed::manifest::Network;
use forge_memory_embed::recipe::Recipe;
use forge_memory_embed::weights::{Result, Weights};

use crate::encoder::Encoder;
use crate::product::on_one_thread;
use crate::tokenization::TextTokenizer;

/// The maximum number of tokens per pass through the network: enough for large products, few enough for the processor's
/// caches.
const BATCH_TOKENS_MAX: usize = 512;

/// Turns texts into vectors of length one. The cosine of two vectors says how similar the texts are in meaning.
pub(crate) struct Embedder {
    tokenizer: TextTokenizer,
    encoder: Encoder,
    recipe: Recipe,
}

impl Embedder {
    pub fn of(tokenizer: TextTokenizer, mut weights: Weights, network: &Network) -> Result<Self> {
        Ok(Embedder {
            tokenizer,
            encoder: Encoder::read(&mut weights, &network.architecture)?,
            recipe: network.recipe.clone(),
        })
    }

    /// Returns the numbers of one vector of length 1 per text, in their order, with the prefix that the model has for a query or a text.
    /// It runs on the calling thread only, because embedding in the background must not use the whole machine. Only the first tokens of a
    /// text count, as many as the model reads; an empty text has a vector too.
    pub fn embed(&self, is_query: bool, texts: &[Slice<'_>]) -> Result<Vec<f32>> {
        let prefix = if is_query {
            &self.recipe.query_prefix
        } else {
            &self.recipe.passage_prefix
        };
        let mut numbers = Vec::new();
        let (mut batch, mut count) = (Vec::new(), 0);
        for text in texts {
            let tokens = self.tokenizer.tokens(prefix, text.text())?;
            if count + tokens.len() > BATCH_TOKENS_MAX && count > 0 {
                numbers.append(&mut on_one_thread(|| self.encoder.encode(&batch))?);
                batch.clear();
                count = 0;
            }
            count += tokens.len();
            batch.push(tokens);
        }
        if count > 0 {
            numbers.append(&mut on_one_thread(|| self.encoder.encode(&batch))?);
        }
        Ok(numbers)
    }
}
