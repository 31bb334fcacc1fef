//! A cross-encoder: one score per pair of a query and a text, which the network reads together (Nogueira and Cho 2019, "Passage
//! re-ranking with BERT"). It compares more closely than two vectors, and costs a pass of the network for each pair.

use forge_memory_addon::Slice;
use forge_memory_embed::manifest::Network;
use forge_memory_embed::weights::{Result, Weights};

use crate::embedder::in_batches;
use crate::encoder::Encoder;
use crate::layers::Linear;
use crate::tokenization::TextTokenizer;

pub(crate) struct CrossEncoder {
    tokenizer: TextTokenizer,
    encoder: Encoder,
    pooler: Linear,
    classifier: Linear,
}

impl CrossEncoder {
    pub fn of(tokenizer: TextTokenizer, mut weights: Weights, network: &Network) -> Result<Self> {
        let hidden = network.architecture.hidden;
        Ok(CrossEncoder {
            tokenizer,
            encoder: Encoder::read(&mut weights, &network.architecture)?,
            pooler: Linear::read(&mut weights, &["pooler.dense".to_owned()], hidden, hidden)?,
            classifier: Linear::read(&mut weights, &["classifier".to_owned()], 1, hidden)?,
        })
    }

    /// Returns a score for each text, in their order: the higher, the better it answers the query.
    pub fn score(&self, query: &str, texts: &[Slice<'_>]) -> Result<Vec<f32>> {
        let tokens = |text: &str| self.tokenizer.pair(query, text);
        in_batches(texts, tokens, |pairs| {
            let mut pooled = self.pooler.apply(&self.encoder.first_states(pairs)?)?;
            pooled.iter_mut().for_each(|number| *number = number.tanh());
            self.classifier.apply(&pooled)
        })
    }
}
