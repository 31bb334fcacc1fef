//! The transformer encoder: from the token ids of several texts to one vector each.
//!
//! Follows BERT (Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers") in the shape of MiniLM (Wang et
//! al. 2020): six layers of multi-head self-attention, `softmax(Q Kᵀ / √d) V`, and a feed-forward network with GELU, each
//! followed by a residual connection and layer normalization. The vector of a text is the mean of its last hidden states, scaled to
//! length one (mean pooling, as Sentence-BERT does: Reimers and Gurevych 2019).
//!
//! What differs here: there is no padding and no attention mask. The hidden states of all texts are stacked in one matrix, so a
//! short text costs what its own tokens cost, and only attention works on one text at a time. Query, key and value are one product.

use std::ops::Range;

use crate::activation::{gelu, softmax, sum};
use crate::model::DIMENSIONS;
use crate::product::{Matrix, add_product};
use crate::weights::{INTERMEDIATE, LAYERS, QuantizedMatrix, Result, Weights, layer_tensor};

const HEADS: usize = 12;
const HEAD_WIDTH: usize = DIMENSIONS / HEADS;
const LAYER_NORM_EPSILON: f32 = 1e-12;

/// The network with its weights. The embedding tables stay quantized: a text needs few of their rows.
pub(crate) struct Encoder {
    word_embeddings: QuantizedMatrix,
    position_embeddings: QuantizedMatrix,
    token_type_embeddings: QuantizedMatrix,
    embeddings_norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Queries, keys and values in one product.
    qkv: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    intermediate: Linear,
    output: Linear,
    output_norm: LayerNorm,
}

/// An affine map, `y = x Wᵀ + b`.
struct Linear {
    /// `W`: a row for each output.
    weight: Vec<f32>,
    bias: Vec<f32>,
}

/// Layer normalization (Ba et al. 2016): `gamma * (x - mean) / sqrt(variance + epsilon) + beta` of every row.
struct LayerNorm {
    gamma: Vec<f32>,
    beta: Vec<f32>,
}

impl Encoder {
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let weights = Weights::read(bytes)?;
        Ok(Encoder {
            word_embeddings: weights.matrix("embeddings.word_embeddings.weight")?,
            position_embeddings: weights.matrix("embeddings.position_embeddings.weight")?,
            token_type_embeddings: weights.matrix("embeddings.token_type_embeddings.weight")?,
            embeddings_norm: LayerNorm::read(&weights, "embeddings.LayerNorm")?,
            layers: (0..LAYERS)
                .map(|layer| Layer::read(&weights, layer))
                .collect::<Result<_>>()?,
        })
    }

    /// Returns one vector of length one for each text, in their order. A text is its token ids, at least one.
    pub fn encode(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
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
        let pooled = |span: &Range<usize>| {
            let rows = hidden.get(span.start * DIMENSIONS..span.end * DIMENSIONS);
            rows.map(mean_pooled)
                .ok_or_else(|| "a text has no hidden states".to_owned())
        };
        spans.iter().map(pooled).collect()
    }

    /// Returns the input of the first layer: of every token the sum of its word, position and type embeddings, normalized.
    fn embeddings(&self, texts: &[Vec<u32>], count: usize) -> Vec<f32> {
        let mut hidden = vec![0.0; count * DIMENSIONS];
        let tokens = texts.iter().flat_map(|tokens| tokens.iter().enumerate());
        for (row, (position, token)) in hidden.chunks_exact_mut(DIMENSIONS).zip(tokens) {
            self.word_embeddings
                .add_row_to(usize::try_from(*token).unwrap_or(usize::MAX), row);
            self.position_embeddings.add_row_to(position, row);
            self.token_type_embeddings.add_row_to(0, row);
        }
        self.embeddings_norm.apply(&mut hidden);
        hidden
    }
}

impl Layer {
    fn read(weights: &Weights<'_>, layer: usize) -> Result<Self> {
        let name = |part: &str| layer_tensor(layer, part);
        let qkv = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        Ok(Layer {
            qkv: Linear::read(weights, &qkv)?,
            attention_output: Linear::read(weights, &[name("attention.output.dense")])?,
            attention_norm: LayerNorm::read(weights, &name("attention.output.LayerNorm"))?,
            intermediate: Linear::read(weights, &[name("intermediate.dense")])?,
            output: Linear::read(weights, &[name("output.dense")])?,
            output_norm: LayerNorm::read(weights, &name("output.LayerNorm"))?,
        })
    }

    fn apply(&self, hidden: &mut [f32], spans: &[Range<usize>]) -> Result<()> {
        let qkv = self.qkv.apply(hidden, DIMENSIONS)?;
        let mut attended = vec![0.0; hidden.len()];
        for span in spans {
            let of_width = |width: usize| span.start * width..span.end * width;
            let qkv = qkv.get(of_width(3 * DIMENSIONS)).unwrap_or_default();
            self_attention(qkv, attended.get_mut(of_width(DIMENSIONS)).unwrap_or_default())?;
        }
        add_residual(hidden, &self.attention_output.apply(&attended, DIMENSIONS)?);
        self.attention_norm.apply(hidden);
        let mut intermediate = self.intermediate.apply(hidden, DIMENSIONS)?;
        gelu(&mut intermediate);
        add_residual(hidden, &self.output.apply(&intermediate, INTERMEDIATE)?);
        self.output_norm.apply(hidden);
        Ok(())
    }
}

/// Multi-head self-attention over the tokens of one text. A row of `qkv` is the query, the key and the value of a token.
fn self_attention(qkv: &[f32], attended: &mut [f32]) -> Result<()> {
    let width = 3 * DIMENSIONS;
    let len = qkv.len() / width;
    let mut attention_weights = vec![0.0; len * len];
    for head in 0..HEADS {
        let part = |at: usize| Matrix {
            // Empty where there are too few numbers: the product refuses that.
            numbers: qkv.get(at * DIMENSIONS + head * HEAD_WIDTH..).unwrap_or_default(),
            rows: len,
            columns: HEAD_WIDTH,
            row_step: width,
            column_step: 1,
        };
        let (query, key, value) = (part(0), part(1), part(2));
        attention_weights.fill(0.0);
        add_product(&mut attention_weights, len, query, key.transposed())?;
        softmax(&mut attention_weights, len, (HEAD_WIDTH as f32).sqrt().recip());
        add_product(
            attended.get_mut(head * HEAD_WIDTH..).unwrap_or_default(),
            DIMENSIONS,
            Matrix::whole(&attention_weights, len),
            value,
        )?;
    }
    Ok(())
}

fn add_residual(hidden: &mut [f32], more: &[f32]) {
    for (number, addend) in hidden.iter_mut().zip(more) {
        *number += addend;
    }
}

/// The mean of the hidden states, scaled to length one.
fn mean_pooled(hidden: &[f32]) -> Vec<f32> {
    let mut total = vec![0.0_f64; DIMENSIONS];
    for row in hidden.chunks_exact(DIMENSIONS) {
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

impl Linear {
    /// Reads one weight and bias, or several as one.
    fn read(weights: &Weights<'_>, names: &[String]) -> Result<Self> {
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.matrix(&format!("{name}.weight"))?.dequantize_into(&mut weight);
            bias.extend(weights.vector(&format!("{name}.bias"))?);
        }
        Ok(Linear { weight, bias })
    }

    fn apply(&self, rows: &[f32], width: usize) -> Result<Vec<f32>> {
        let outputs = self.bias.len();
        let mut result = self.bias.repeat(rows.len() / width);
        let weight = Matrix::whole(&self.weight, width).transposed();
        add_product(&mut result, outputs, Matrix::whole(rows, width), weight)?;
        Ok(result)
    }
}

impl LayerNorm {
    fn read(weights: &Weights<'_>, name: &str) -> Result<Self> {
        Ok(LayerNorm {
            gamma: weights.vector(&format!("{name}.weight"))?,
            beta: weights.vector(&format!("{name}.bias"))?,
        })
    }

    fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(DIMENSIONS) {
            let mean = sum(row, |number| number) / DIMENSIONS as f32;
            let variance = sum(row, |number| (number - mean) * (number - mean)) / DIMENSIONS as f32;
            let scale = (variance + LAYER_NORM_EPSILON).sqrt().recip();
            for ((number, gamma), beta) in row.iter_mut().zip(&self.gamma).zip(&self.beta) {
                *number = (*number - mean) * scale * gamma + beta;
            }
        }
    }
}
