//! Weight quantization: symmetric, per row, to eight bits (as in Dettmers et al. 2022, without outlier columns).
//!
//! `scale(r) = max |w(r, c)| / 127` and `q(r, c) = round(w(r, c) / scale(r))`, so a dequantized number `q * scale` is off by at
//! most `scale / 2`. The file is a safetensors file: a matrix is stored as `I8` under its published name and its scales as `F32`
//! under that name with `.scale` appended. Vectors are stored as published. Only storage is quantized; the products are in `f32`.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::model::DIMENSIONS;

/// How many layers the network has.
pub(crate) const LAYERS: usize = 6;
/// The width of the feed-forward network of a layer.
pub(crate) const INTERMEDIATE: usize = 1536;
/// How many tokens the vocabulary has.
const VOCABULARY: usize = 30_522;
/// How many positions have an embedding; more than are used.
const POSITIONS: usize = 512;

const SCALE: &str = ".scale";

/// The error is the reason why the weights cannot be used.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Returns every tensor that is used, with its shape: rows and columns of a matrix, the length of a vector.
pub(crate) fn tensors() -> Vec<(String, Vec<usize>)> {
    let mut tensors = vec![
        (
            "embeddings.word_embeddings.weight".to_owned(),
            vec![VOCABULARY, DIMENSIONS],
        ),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![POSITIONS, DIMENSIONS],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, DIMENSIONS],
        ),
        ("embeddings.LayerNorm.weight".to_owned(), vec![DIMENSIONS]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![DIMENSIONS]),
    ];
    for layer in 0..LAYERS {
        let mut add = |name: &str, shape: &[usize]| tensors.push((layer_tensor(layer, name), shape.to_vec()));
        for (name, rows, columns) in [
            ("attention.self.query", DIMENSIONS, DIMENSIONS),
            ("attention.self.key", DIMENSIONS, DIMENSIONS),
            ("attention.self.value", DIMENSIONS, DIMENSIONS),
            ("attention.output.dense", DIMENSIONS, DIMENSIONS),
            ("intermediate.dense", INTERMEDIATE, DIMENSIONS),
            ("output.dense", DIMENSIONS, INTERMEDIATE),
        ] {
            add(&format!("{name}.weight"), &[rows, columns]);
            add(&format!("{name}.bias"), &[rows]);
        }
        for name in ["attention.output.LayerNorm", "output.LayerNorm"] {
            add(&format!("{name}.weight"), &[DIMENSIONS]);
            add(&format!("{name}.bias"), &[DIMENSIONS]);
        }
    }
    tensors
}

/// Returns the published name of a layer's tensor.
pub(crate) fn layer_tensor(layer: usize, name: &str) -> String {
    format!("encoder.layer.{layer}.{name}")
}

/// Quantizes the published weights. The result is the same bytes on every machine.
pub(crate) fn quantize(published: &[u8]) -> Result<Vec<u8>> {
    let source = SafeTensors::deserialize(published).map_err(|e| e.to_string())?;
    let mut kept: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    for (name, shape) in tensors() {
        let numbers = floats(&source, &name, &shape)?;
        if let [_, columns] = shape[..] {
            let matrix = QuantizedMatrix::quantize(&numbers, columns);
            kept.push((
                format!("{name}{SCALE}"),
                Dtype::F32,
                vec![matrix.scales.len()],
                bytes_of(&matrix.scales),
            ));
            kept.push((
                name,
                Dtype::I8,
                shape,
                matrix.values.iter().map(|value| value.cast_unsigned()).collect(),
            ));
        } else {
            kept.push((name, Dtype::F32, shape, bytes_of(&numbers)));
        }
    }
    let views = kept
        .iter()
        .map(|(name, dtype, shape, bytes)| Ok((name, TensorView::new(*dtype, shape.clone(), bytes)?)))
        .collect::<std::result::Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|e| e.to_string())?;
    let metadata = HashMap::from([("format".to_owned(), "forge-memory int8 rows 1".to_owned())]);
    safetensors::serialize(views, Some(metadata)).map_err(|e| e.to_string())
}

/// A matrix in eight bits with a scale for each row.
#[derive(Debug)]
pub(crate) struct QuantizedMatrix {
    values: Vec<i8>,
    scales: Vec<f32>,
    columns: usize,
}

impl QuantizedMatrix {
    fn quantize(numbers: &[f32], columns: usize) -> Self {
        let mut matrix = QuantizedMatrix {
            values: Vec::with_capacity(numbers.len()),
            scales: Vec::with_capacity(numbers.len() / columns),
            columns,
        };
        for row in numbers.chunks_exact(columns) {
            let largest = row.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
            let scale = largest / 127.0;
            matrix.scales.push(scale);
            // The scale of a row of zeros is zero.
            let eight_bits = |number: &f32| if scale > 0.0 { (number / scale).round() as i8 } else { 0 };
            matrix.values.extend(row.iter().map(eight_bits));
        }
        matrix
    }

    /// Adds one dequantized row to `sum`, which is as long as a row; nothing when there is no such row.
    pub fn add_row_to(&self, row: usize, sum: &mut [f32]) {
        let Some(scale) = self.scales.get(row) else { return };
        let start = row * self.columns;
        let values = self.values.get(start..start + self.columns).unwrap_or_default();
        for (number, value) in sum.iter_mut().zip(values) {
            *number += f32::from(*value) * scale;
        }
    }

    /// Appends every row, dequantized.
    pub fn dequantize_into(&self, numbers: &mut Vec<f32>) {
        for (values, scale) in self.values.chunks_exact(self.columns).zip(&self.scales) {
            numbers.extend(values.iter().map(|value| f32::from(*value) * scale));
        }
    }
}

/// The tensors of an installed file.
pub(crate) struct Weights<'a> {
    tensors: SafeTensors<'a>,
}

impl<'a> Weights<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
        Ok(Weights { tensors })
    }

    /// Returns a matrix as it is stored.
    pub fn matrix(&self, name: &str) -> Result<QuantizedMatrix> {
        let view = self.tensors.tensor(name).map_err(|e| format!("{name}: {e}"))?;
        let &[rows, columns] = view.shape() else {
            return Err(format!("{name} is not a matrix"));
        };
        if columns == 0 {
            return Err(format!("{name} has no columns"));
        }
        if view.dtype() != Dtype::I8 {
            return Err(format!("{name} is not stored as I8"));
        }
        Ok(QuantizedMatrix {
            values: view.data().iter().map(|byte| byte.cast_signed()).collect(),
            scales: floats(&self.tensors, &format!("{name}{SCALE}"), &[rows])?,
            columns,
        })
    }

    /// Returns a vector.
    pub fn vector(&self, name: &str) -> Result<Vec<f32>> {
        let view = self.tensors.tensor(name).map_err(|e| format!("{name}: {e}"))?;
        floats(&self.tensors, name, view.shape())
    }
}

fn floats(tensors: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
    let view = tensors.tensor(name).map_err(|e| format!("{name}: {e}"))?;
    if view.dtype() != Dtype::F32 || view.shape() != shape {
        let (dtype, found) = (view.dtype(), view.shape());
        return Err(format!("{name} is {dtype} of {found:?}, not F32 of {shape:?}"));
    }
    let (numbers, _) = view.data().as_chunks::<4>();
    Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests;
