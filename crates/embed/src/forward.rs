//! The network: from the tokens of several texts to one vector each.
//!
//! The rows of all texts stand below each other in one matrix. Nothing is filled up, so a short text costs what its own
//! tokens cost; only the attention looks at one text at a time.

use std::ops::Range;

use crate::curve::{gelu, softmax, sum};
use crate::model::DIMENSIONS;
use crate::product::{Matrix, add_product};
use crate::weights::{INNER, LAYERS, Result, Rows, Weights, part_of};

const HEADS: usize = 12;
const HEAD_WIDTH: usize = DIMENSIONS / HEADS;
const NORM_EPSILON: f32 = 1e-12;

/// The weights, ready for use. The rows of words stay in eight bits: a text needs few of them.
pub(crate) struct Network {
    words: Rows,
    places: Rows,
    kinds: Rows,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Queries, keys and values in one product.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    inner: Linear,
    output: Linear,
    output_norm: Norm,
}

/// Every row times a matrix, and a vector added.
struct Linear {
    /// A row for each number of the outcome.
    matrix: Vec<f32>,
    bias: Vec<f32>,
}

/// Every row brought to mean 0 and variance 1, then stretched and moved.
struct Norm {
    stretch: Vec<f32>,
    shift: Vec<f32>,
}

impl Network {
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let weights = Weights::read(bytes)?;
        Ok(Network {
            words: weights.rows("embeddings.word_embeddings.weight")?,
            places: weights.rows("embeddings.position_embeddings.weight")?,
            kinds: weights.rows("embeddings.token_type_embeddings.weight")?,
            norm: Norm::take(&weights, "embeddings.LayerNorm")?,
            layers: (0..LAYERS)
                .map(|layer| Layer::take(&weights, layer))
                .collect::<Result<_>>()?,
        })
    }

    /// Returns one vector of length one for each text, in their order. A text is its tokens, at least one.
    pub fn vectors(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let mut end = 0;
        let places: Vec<Range<usize>> = texts
            .iter()
            .map(|tokens| {
                let from = end;
                end += tokens.len();
                from..end
            })
            .collect();
        let mut rows = self.first_rows(texts, end);
        for layer in &self.layers {
            layer.apply(&mut rows, &places)?;
        }
        let of = |place: &Range<usize>| {
            let own = rows.get(place.start * DIMENSIONS..place.end * DIMENSIONS);
            own.map(unit_mean).ok_or_else(|| "a text without rows".to_owned())
        };
        places.iter().map(of).collect()
    }

    fn first_rows(&self, texts: &[Vec<u32>], count: usize) -> Vec<f32> {
        let mut rows = vec![0.0; count * DIMENSIONS];
        let tokens = texts.iter().flat_map(|tokens| tokens.iter().enumerate());
        for (row, (place, token)) in rows.chunks_exact_mut(DIMENSIONS).zip(tokens) {
            self.words.add_to(usize::try_from(*token).unwrap_or(usize::MAX), row);
            self.places.add_to(place, row);
            self.kinds.add_to(0, row);
        }
        self.norm.apply(&mut rows);
        rows
    }
}

impl Layer {
    fn take(weights: &Weights<'_>, layer: usize) -> Result<Self> {
        let name = |part: &str| part_of(layer, part);
        let attention = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        Ok(Layer {
            attention: Linear::take(weights, &attention)?,
            attention_output: Linear::take(weights, &[name("attention.output.dense")])?,
            attention_norm: Norm::take(weights, &name("attention.output.LayerNorm"))?,
            inner: Linear::take(weights, &[name("intermediate.dense")])?,
            output: Linear::take(weights, &[name("output.dense")])?,
            output_norm: Norm::take(weights, &name("output.LayerNorm"))?,
        })
    }

    fn apply(&self, rows: &mut [f32], texts: &[Range<usize>]) -> Result<()> {
        let together = self.attention.apply(rows, DIMENSIONS)?;
        let mut attended = vec![0.0; rows.len()];
        for text in texts {
            let from = |width: usize| text.start * width..text.end * width;
            let together = together.get(from(3 * DIMENSIONS)).unwrap_or_default();
            attend(together, attended.get_mut(from(DIMENSIONS)).unwrap_or_default())?;
        }
        add(rows, &self.attention_output.apply(&attended, DIMENSIONS)?);
        self.attention_norm.apply(rows);
        let mut inner = self.inner.apply(rows, DIMENSIONS)?;
        gelu(&mut inner);
        add(rows, &self.output.apply(&inner, INNER)?);
        self.output_norm.apply(rows);
        Ok(())
    }
}

/// Lets every token of one text look at all of them. A row of `together` is its queries, its keys and its values.
fn attend(together: &[f32], attended: &mut [f32]) -> Result<()> {
    let width = 3 * DIMENSIONS;
    let len = together.len() / width;
    let mut shares = vec![0.0; len * len];
    for head in 0..HEADS {
        let part = |at: usize| Matrix {
            // Nothing where there are too few numbers: the product refuses that.
            numbers: together.get(at * DIMENSIONS + head * HEAD_WIDTH..).unwrap_or_default(),
            rows: len,
            columns: HEAD_WIDTH,
            row_step: width,
            column_step: 1,
        };
        shares.fill(0.0);
        add_product(&mut shares, len, part(0), part(1).turned())?;
        softmax(&mut shares, len, (HEAD_WIDTH as f32).sqrt().recip());
        add_product(
            attended.get_mut(head * HEAD_WIDTH..).unwrap_or_default(),
            DIMENSIONS,
            Matrix::whole(&shares, len),
            part(2),
        )?;
    }
    Ok(())
}

fn add(rows: &mut [f32], more: &[f32]) {
    for (number, addend) in rows.iter_mut().zip(more) {
        *number += addend;
    }
}

/// The mean of the rows, scaled to length one.
fn unit_mean(rows: &[f32]) -> Vec<f32> {
    let mut total = vec![0.0_f64; DIMENSIONS];
    for row in rows.chunks_exact(DIMENSIONS) {
        for (total, number) in total.iter_mut().zip(row) {
            *total += f64::from(*number);
        }
    }
    // The length takes the division by the count along.
    let length = total.iter().map(|number| number * number).sum::<f64>().sqrt();
    total
        .iter()
        .map(|number| (number / length.max(f64::MIN_POSITIVE)) as f32)
        .collect()
}

impl Linear {
    /// Takes one matrix and vector, or several as one.
    fn take(weights: &Weights<'_>, names: &[String]) -> Result<Self> {
        let (mut matrix, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.rows(&format!("{name}.weight"))?.expand(&mut matrix);
            bias.extend(weights.vector(&format!("{name}.bias"))?);
        }
        Ok(Linear { matrix, bias })
    }

    fn apply(&self, rows: &[f32], width: usize) -> Result<Vec<f32>> {
        let out = self.bias.len();
        let mut outcome = self.bias.repeat(rows.len() / width);
        let matrix = Matrix::whole(&self.matrix, width).turned();
        add_product(&mut outcome, out, Matrix::whole(rows, width), matrix)?;
        Ok(outcome)
    }
}

impl Norm {
    fn take(weights: &Weights<'_>, name: &str) -> Result<Self> {
        Ok(Norm {
            stretch: weights.vector(&format!("{name}.weight"))?,
            shift: weights.vector(&format!("{name}.bias"))?,
        })
    }

    fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(DIMENSIONS) {
            let mean = sum(row, |number| number) / DIMENSIONS as f32;
            let variance = sum(row, |number| (number - mean) * (number - mean)) / DIMENSIONS as f32;
            let scale = (variance + NORM_EPSILON).sqrt().recip();
            for ((number, stretch), shift) in row.iter_mut().zip(&self.stretch).zip(&self.shift) {
                *number = (*number - mean) * scale * stretch + shift;
            }
        }
    }
}
