//! The transformer encoder: computes one vector per text from the token ids of several texts.
//!
//! Follows BERT (Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers"):
//! layers of multi-head self-attention, `softmax(Q Kᵀ / √d) V`, and a feed-forward network, each followed by a residual connection and
//! layer normalization. The vector of a text is the mean of its last hidden states, scaled to length one (pooling, as Sentence-BERT does:
//! Reimers and Gurevych 2019).
//!
//! Differences from the papers: there is no padding and no attention mask. The hidden states of all texts are stacked in one matrix, so
//! a short text costs only its own tokens, and only attention works on one text at a time. Query, key and value are one product.

use std::ops::Range;

use forge_memory_embed::architecture::{Architecture, layer_tensor};
use forge_memory_embed::weights::{QuantizedMatrix, Result, Weights};

use crate::layers::{LayerNorm, Linear, activate, add_residual, softmax};
use crate::product::{product, view};

/// The network with its weights. The embedding tables stay quantized: a text needs few of their rows.
pub(crate) struct Encoder {
    word_embeddings: QuantizedMatrix,
    position_embeddings: QuantizedMatrix,
    token_type_embeddings: QuantizedMatrix,
    embeddings_norm: LayerNorm,
    layers: Vec<Layer>,
    hidden: usize,
}

struct Layer {
    /// Queries, keys and values in one product.
    qkv: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    intermediate: Linear,
    output: Linear,
    output_norm: LayerNorm,
    hidden: usize,
    heads: usize,
}

impl Encoder {
    pub fn read(weights: &mut Weights, architecture: &Architecture) -> Result<Self> {
        let hidden = architecture.hidden;
        let mut table = |name: &str, rows| weights.matrix_of(&format!("embeddings.{name}.weight"), rows, hidden);
        Ok(Encoder {
            word_embeddings: table("word_embeddings", architecture.vocabulary)?,
            position_embeddings: table("position_embeddings", architecture.positions)?,
            token_type_embeddings: table("token_type_embeddings", architecture.token_types)?,
            embeddings_norm: LayerNorm::read(weights, "embeddings.LayerNorm", architecture)?,
            layers: (0..architecture.layers)
                .map(|layer| Layer::read(weights, layer, architecture))
                .collect::<Result<_>>()?,
            hidden,
        })
    }

    /// Returns the numbers of one vector of length 1 per text, in their order. A text is a list of token ids, at least one.
    pub fn encode(&self, texts: &[Vec<u32>]) -> Result<Vec<f32>> {
        let mut end = 0;
        let spans: Vec<Range<usize>> = texts
            .iter()
            .map(|tokens| {
                let from = end;
                end += tokens.len();
                from..end
            })
            .collect();
        let mut hidden = self.embeddings(texts, end);
        for layer in &self.layers {
            layer.apply(&mut hidden, &spans)?;
        }
        let mut vectors = Vec::with_capacity(texts.len() * self.hidden);
        for span in spans {
            let rows = hidden.get(span.start * self.hidden..span.end * self.hidden);
            let rows = rows.filter(|rows| !rows.is_empty());
            vectors.extend(mean_pooled(rows.ok_or("a text has no hidden states")?, self.hidden));
        }
        Ok(vectors)
    }

    /// Returns the input of the first layer: of every token the sum of its word, position and type embeddings, normalized.
    fn embeddings(&self, texts: &[Vec<u32>], count: usize) -> Vec<f32> {
        let mut hidden = vec![0.0; count * self.hidden];
        let tokens = texts.iter().flat_map(|tokens| tokens.iter().enumerate());
        for (row, (position, token)) in hidden.chunks_exact_mut(self.hidden).zip(tokens) {
            self.word_embeddings.add_row_to(row_of(*token), row);
            self.position_embeddings.add_row_to(position, row);
            // All tokens are of the first type: the second is that of the second text of a pair.
            self.token_type_embeddings.add_row_to(0, row);
        }
        self.embeddings_norm.apply(&mut hidden);
        hidden
    }
}

fn row_of(id: u32) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX)
}

impl Layer {
    fn read(weights: &mut Weights, layer: usize, architecture: &Architecture) -> Result<Self> {
        let name = |part: &str| layer_tensor(layer, part);
        let (hidden, intermediate) = (architecture.hidden, architecture.intermediate);
        let qkv = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        Ok(Layer {
            qkv: Linear::read(weights, &qkv, hidden, hidden)?,
            attention_output: Linear::read(weights, &[name("attention.output.dense")], hidden, hidden)?,
            attention_norm: LayerNorm::read(weights, &name("attention.output.LayerNorm"), architecture)?,
            intermediate: Linear::read(weights, &[name("intermediate.dense")], intermediate, hidden)?,
            output: Linear::read(weights, &[name("output.dense")], hidden, intermediate)?,
            output_norm: LayerNorm::read(weights, &name("output.LayerNorm"), architecture)?,
            hidden,
            heads: architecture.heads,
        })
    }

    fn apply(&self, hidden: &mut [f32], spans: &[Range<usize>]) -> Result<()> {
        let qkv = self.qkv.apply(hidden)?;
        let mut attended = vec![0.0; hidden.len()];
        for span in spans {
            let of_width = |width: usize| span.start * width..span.end * width;
            let qkv = qkv.get(of_width(3 * self.hidden)).unwrap_or_default();
            let attended = attended.get_mut(of_width(self.hidden)).unwrap_or_default();
            self.attend(qkv, attended)?;
        }
        add_residual(hidden, &self.attention_output.apply(&attended)?);
        self.attention_norm.apply(hidden);
        let mut intermediate = self.intermediate.apply(hidden)?;
        activate(&mut intermediate);
        add_residual(hidden, &self.output.apply(&intermediate)?);
        self.output_norm.apply(hidden);
        Ok(())
    }

    /// Multi-head self-attention over the tokens of one text. A row of `qkv` is the query, the key and the value of a token.
    fn attend(&self, qkv: &[f32], attended: &mut [f32]) -> Result<()> {
        let (width, head_width) = (3 * self.hidden, self.hidden / self.heads);
        let len = qkv.len() / width;
        let scale = (head_width as f32).sqrt().recip();
        let mut attention_weights = vec![0.0; len * len];
        let mut mixed = vec![0.0; len * head_width];
        for head in 0..self.heads {
            let part = |at: usize| {
                let from = at * self.hidden + head * head_width;
                view(qkv.get(from..).unwrap_or_default(), len, head_width, width)
            };
            let (query, key, value) = (part(0)?, part(1)?, part(2)?);
            product(&mut attention_weights, query, key.transposed(), scale)?;
            softmax(&mut attention_weights, len);
            product(&mut mixed, view(&attention_weights, len, len, len)?, value, 1.0)?;
            for (row, mixed) in attended
                .chunks_exact_mut(self.hidden)
                .zip(mixed.chunks_exact(head_width))
            {
                for (number, mixed) in row.iter_mut().skip(head * head_width).zip(mixed) {
                    *number = *mixed;
                }
            }
        }
        Ok(())
    }
}

/// The mean of the hidden states, scaled to length one.
fn mean_pooled(hidden: &[f32], width: usize) -> Vec<f32> {
    let mut total = vec![0.0_f64; width];
    for row in hidden.chunks_exact(width) {
        for (total, number) in total.iter_mut().zip(row) {
            *total += f64::from(*number);
        }
    }
    // Scaling to length one makes the division by the number of tokens unnecessary.
    let length = total.iter().map(|number| number * number).sum::<f64>().sqrt();
    total
        .iter()
        .map(|number| (number / length.max(f64::MIN_POSITIVE)) as f32)
        .collect()
}
