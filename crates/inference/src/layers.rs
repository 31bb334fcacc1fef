//! The building blocks of layers: linear maps, layer normalization, residual connections.

use forge_memory_embed::architecture::Architecture;
use forge_memory_embed::weights::{Result, Weights};

use crate::activation::sum;
use crate::product::{Matrix, add_product};

/// A linear layer: `y = x Wᵀ + b`.
pub(crate) struct Linear {
    /// `W`, row-major, `outputs x inputs`.
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear {
    /// Reads one weight and bias, or several that are stacked (query, key and value); each has `outputs` rows and `inputs` columns.
    pub fn read(weights: &Weights<'_>, names: &[String], outputs: usize, inputs: usize) -> Result<Self> {
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            let matrix = weights.matrix_of(&format!("{name}.weight"), outputs, inputs)?;
            matrix.dequantize_into(&mut weight);
            bias.extend(weights.vector_of(&format!("{name}.bias"), outputs)?);
        }
        Ok(Linear { weight, bias, inputs })
    }

    pub fn apply(&self, rows: &[f32]) -> Result<Vec<f32>> {
        let outputs = self.bias.len();
        let mut result = self.bias.repeat(rows.len() / self.inputs);
        let weight = Matrix::whole(&self.weight, self.inputs).transposed();
        add_product(&mut result, outputs, Matrix::whole(rows, self.inputs), weight)?;
        Ok(result)
    }
}

/// Layer normalization (Ba et al. 2016): `gamma * (x - mean) / sqrt(variance + epsilon) + beta` of every row.
pub(crate) struct LayerNorm {
    gamma: Vec<f32>,
    beta: Vec<f32>,
    epsilon: f32,
}

impl LayerNorm {
    pub fn read(weights: &Weights<'_>, name: &str, architecture: &Architecture) -> Result<Self> {
        let width = architecture.hidden;
        Ok(LayerNorm {
            gamma: weights.vector_of(&format!("{name}.weight"), width)?,
            beta: weights.vector_of(&format!("{name}.bias"), width)?,
            epsilon: architecture.layer_norm_epsilon as f32,
        })
    }

    pub fn apply(&self, rows: &mut [f32]) {
        let width = self.gamma.len();
        for row in rows.chunks_exact_mut(width) {
            let mean = sum(row, |number| number) / width as f32;
            let variance = sum(row, |number| (number - mean) * (number - mean)) / width as f32;
            let scale = (variance + self.epsilon).sqrt().recip();
            for ((number, gamma), beta) in row.iter_mut().zip(&self.gamma).zip(&self.beta) {
                *number = (*number - mean) * scale * gamma + beta;
            }
        }
    }
}

/// Adds the output of a sublayer to its input.
pub(crate) fn add_residual(hidden: &mut [f32], more: &[f32]) {
    for (number, addend) in hidden.iter_mut().zip(more) {
        *number += addend;
    }
}
