//! The building blocks of layers: linear maps, layer normalization, residual connections.

use forge_memory_embed::architecture::Architecture;
use forge_memory_embed::weights::{Result, Weights};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath::{Gelu, Normalize, NormalizeOptions, Softmax, Sum, SumSquareSub};

use crate::product::Weight;

/// A linear layer: `y = x Wᵀ + b`.
pub(crate) struct Linear {
    weight: Weight,
    bias: Vec<f32>,
}

impl Linear {
    /// Reads one weight and bias, or several that are stacked (query, key and value); each has `outputs` rows and `inputs` columns.
    pub fn read(weights: &mut Weights, names: &[String], outputs: usize, inputs: usize) -> Result<Self> {
        let (mut values, mut scales, mut bias) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            let matrix = weights.matrix_of(&format!("{name}.weight"), outputs, inputs)?;
            values.extend_from_slice(matrix.values());
            scales.extend_from_slice(matrix.scales());
            bias.extend(weights.vector_of(&format!("{name}.bias"), outputs)?);
        }
        Ok(Linear {
            weight: Weight::new(&values, scales)?,
            bias,
        })
    }

    pub fn apply(&self, rows: &[f32]) -> Result<Vec<f32>> {
        self.weight.apply(rows, &self.bias)
    }
}

/// Layer normalization (Ba et al. 2016): `gamma * (x - mean) / sqrt(variance + epsilon) + beta` of every row.
pub(crate) struct LayerNorm {
    gamma: Vec<f32>,
    beta: Vec<f32>,
    epsilon: f32,
}

impl LayerNorm {
    pub fn read(weights: &mut Weights, name: &str, architecture: &Architecture) -> Result<Self> {
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
            let mean = Sum::new(row).dispatch() / width as f32;
            let variance = SumSquareSub::new(row, mean).dispatch() / width as f32;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: (variance + self.epsilon).sqrt().recip(),
                element_scale: Some(&self.gamma),
                element_bias: Some(&self.beta),
                ..NormalizeOptions::default()
            };
            Normalize::new_mut(row, options).dispatch();
        }
    }
}

pub(crate) fn activate(numbers: &mut [f32]) {
    Gelu {}.map_mut(numbers);
}

/// Replaces every row by its softmax. Every row then adds up to one.
pub(crate) fn softmax(rows: &mut [f32], columns: usize) {
    for row in rows.chunks_exact_mut(columns) {
        Softmax::new_mut(row).dispatch();
    }
}

pub(crate) fn add_residual(hidden: &mut [f32], more: &[f32]) {
    for (number, addend) in hidden.iter_mut().zip(more) {
        *number += addend;
    }
}
