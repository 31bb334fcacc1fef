//! The network: from the tokens of several texts to one vector each.
//!
//! The rows of all texts stand below each other in one matrix. Nothing is filled up, so a short text costs what its own
//! tokens cost; only the attention looks at one text at a time.

use candle_core::{D, Device, Result, Tensor};
use candle_nn::{LayerNorm, Linear, Module};

use crate::curve::{Gelu, Softmax};
use crate::model::DIMENSIONS;
use crate::weights::{LAYERS, Rows, Weights, part_of};

const HEADS: usize = 12;
const HEAD_WIDTH: usize = DIMENSIONS / HEADS;
const NORM_EPSILON: f64 = 1e-12;

/// The weights, ready for use. The rows of words stay in eight bits: a text needs few of them.
pub(crate) struct Network {
    words: Rows,
    places: Rows,
    kinds: Rows,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Queries, keys and values in one product.
    attention: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    inner: Linear,
    output: Linear,
    output_norm: LayerNorm,
}

impl Network {
    pub fn read(bytes: &[u8]) -> std::result::Result<Self, String> {
        let weights = Weights::read(bytes)?;
        let layers = (0..LAYERS).map(|layer| Layer::take(&weights, layer));
        Ok(Network {
            words: weights.rows("embeddings.word_embeddings.weight")?,
            places: weights.rows("embeddings.position_embeddings.weight")?,
            kinds: weights.rows("embeddings.token_type_embeddings.weight")?,
            norm: norm(&weights, "embeddings.LayerNorm")?,
            layers: layers.collect::<std::result::Result<_, _>>()?,
        })
    }

    /// Returns one vector of length one for each text, in their order. A text is its tokens, at least one.
    pub fn vectors(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let mut rows = self.norm.forward(&self.first_rows(texts)?)?;
        for layer in &self.layers {
            rows = layer.forward(&rows, texts)?;
        }
        let rows = rows.flatten_all()?.to_vec1::<f32>()?;
        let mut from = 0;
        Ok(texts
            .iter()
            .map(|tokens| {
                let to = from + tokens.len() * DIMENSIONS;
                let vector = unit_mean(&rows[from..to]);
                from = to;
                vector
            })
            .collect())
    }

    fn first_rows(&self, texts: &[Vec<u32>]) -> Result<Tensor> {
        let count: usize = texts.iter().map(Vec::len).sum();
        let mut numbers = vec![0.0; count * DIMENSIONS];
        let tokens = texts.iter().flat_map(|tokens| tokens.iter().enumerate());
        for (sum, (place, token)) in numbers.chunks_exact_mut(DIMENSIONS).zip(tokens) {
            self.words.add_to(usize::try_from(*token).unwrap_or(usize::MAX), sum);
            self.places.add_to(place, sum);
            self.kinds.add_to(0, sum);
        }
        Tensor::from_vec(numbers, (count, DIMENSIONS), &Device::Cpu)
    }
}

impl Layer {
    fn take(weights: &Weights<'_>, layer: usize) -> std::result::Result<Self, String> {
        let name = |part: &str| part_of(layer, part);
        Ok(Layer {
            attention: linear(
                weights,
                &["query", "key", "value"].map(|part| name(&format!("attention.self.{part}"))),
            )?,
            attention_output: linear(weights, &[name("attention.output.dense")])?,
            attention_norm: norm(weights, &name("attention.output.LayerNorm"))?,
            inner: linear(weights, &[name("intermediate.dense")])?,
            output: linear(weights, &[name("output.dense")])?,
            output_norm: norm(weights, &name("output.LayerNorm"))?,
        })
    }

    fn forward(&self, rows: &Tensor, texts: &[Vec<u32>]) -> Result<Tensor> {
        let together = self.attention.forward(rows)?;
        let mut from = 0;
        let mut attended = Vec::with_capacity(texts.len());
        for tokens in texts {
            attended.push(attend(&together.narrow(0, from, tokens.len())?)?);
            from += tokens.len();
        }
        let attended = self.attention_output.forward(&Tensor::cat(&attended, 0)?)?;
        let rows = self.attention_norm.forward(&(attended + rows)?)?;
        let inner = self.inner.forward(&rows)?;
        inner.inplace_op1(&Gelu)?;
        self.output_norm.forward(&(self.output.forward(&inner)? + &rows)?)
    }
}

/// Lets every token of one text look at all of them.
fn attend(together: &Tensor) -> Result<Tensor> {
    let len = together.dim(0)?;
    let head = |at: usize| {
        together
            .narrow(1, at * DIMENSIONS, DIMENSIONS)?
            .reshape((len, HEADS, HEAD_WIDTH))?
            .transpose(0, 1)?
            .contiguous()
    };
    let (queries, keys, values) = ((head(0)? * (HEAD_WIDTH as f64).sqrt().recip())?, head(1)?, head(2)?);
    let shares = queries.matmul(&keys.transpose(D::Minus1, D::Minus2)?)?;
    shares.inplace_op1(&Softmax)?;
    shares.matmul(&values)?.transpose(0, 1)?.reshape((len, DIMENSIONS))
}

/// The mean of the rows, scaled to length one.
fn unit_mean(rows: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0_f64; DIMENSIONS];
    for row in rows.chunks_exact(DIMENSIONS) {
        for (total, number) in sum.iter_mut().zip(row) {
            *total += f64::from(*number);
        }
    }
    // The length of the sum takes the division by the count along.
    let length = sum.iter().map(|total| total * total).sum::<f64>().sqrt();
    sum.iter()
        .map(|total| (total / length.max(f64::MIN_POSITIVE)) as f32)
        .collect()
}

fn linear(weights: &Weights<'_>, names: &[String]) -> std::result::Result<Linear, String> {
    let of = |part: &str| names.iter().map(|name| format!("{name}.{part}")).collect::<Vec<_>>();
    Ok(Linear::new(
        weights.matrix(&of("weight"))?,
        Some(weights.vector(&of("bias"))?),
    ))
}

fn norm(weights: &Weights<'_>, name: &str) -> std::result::Result<LayerNorm, String> {
    let of = |part: &str| weights.vector(&[format!("{name}.{part}")]);
    Ok(LayerNorm::new(of("weight")?, of("bias")?, NORM_EPSILON))
}
