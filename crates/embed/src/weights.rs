//! Weights as rows of eight-bit numbers: how they are made, and how they are read.
//!
//! The file is a safetensors file. A matrix is kept as `I8` under its published name, and the scale of each row as `F32`
//! under that name with `.scale` behind it; a number is its eight bits times the scale of its row. Everything that is no
//! matrix is kept as published.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::model::DIMENSIONS;

/// How many layers the network has.
pub(crate) const LAYERS: usize = 6;
/// The width of a layer's inner part.
pub(crate) const INNER: usize = 1536;
/// How many words and pieces of words have a row of their own.
const VOCABULARY: usize = 30_522;
/// How many places in a text have a row of their own; more than are used.
const PLACES: usize = 512;

const SCALE: &str = ".scale";

/// Why weights cannot be used, in words.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Every tensor that is used: a matrix has its shape, a vector its length.
pub(crate) fn parts() -> Vec<(String, Vec<usize>)> {
    let mut parts = vec![
        (
            "embeddings.word_embeddings.weight".to_owned(),
            vec![VOCABULARY, DIMENSIONS],
        ),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![PLACES, DIMENSIONS],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, DIMENSIONS],
        ),
        ("embeddings.LayerNorm.weight".to_owned(), vec![DIMENSIONS]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![DIMENSIONS]),
    ];
    for layer in 0..LAYERS {
        let mut add = |name: &str, shape: &[usize]| parts.push((part_of(layer, name), shape.to_vec()));
        for (name, rows, columns) in [
            ("attention.self.query", DIMENSIONS, DIMENSIONS),
            ("attention.self.key", DIMENSIONS, DIMENSIONS),
            ("attention.self.value", DIMENSIONS, DIMENSIONS),
            ("attention.output.dense", DIMENSIONS, DIMENSIONS),
            ("intermediate.dense", INNER, DIMENSIONS),
            ("output.dense", DIMENSIONS, INNER),
        ] {
            add(&format!("{name}.weight"), &[rows, columns]);
            add(&format!("{name}.bias"), &[rows]);
        }
        for name in ["attention.output.LayerNorm", "output.LayerNorm"] {
            add(&format!("{name}.weight"), &[DIMENSIONS]);
            add(&format!("{name}.bias"), &[DIMENSIONS]);
        }
    }
    parts
}

/// Returns the published name of a layer's part.
pub(crate) fn part_of(layer: usize, name: &str) -> String {
    format!("encoder.layer.{layer}.{name}")
}

/// Makes the installed form from the published one. The same bytes come out on every machine.
pub(crate) fn convert(published: &[u8]) -> Result<Vec<u8>> {
    let source = SafeTensors::deserialize(published).map_err(|e| e.to_string())?;
    let mut kept: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    for (name, shape) in parts() {
        let numbers = floats(&source, &name, &shape)?;
        if let [_, columns] = shape[..] {
            let rows = Rows::round(&numbers, columns);
            kept.push((
                format!("{name}{SCALE}"),
                Dtype::F32,
                vec![rows.scales.len()],
                bytes_of(&rows.scales),
            ));
            kept.push((
                name,
                Dtype::I8,
                shape,
                rows.values.iter().map(|value| value.cast_unsigned()).collect(),
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
    let about = HashMap::from([("format".to_owned(), "forge-memory int8 rows 1".to_owned())]);
    safetensors::serialize(views, Some(about)).map_err(|e| e.to_string())
}

/// A matrix in eight bits, each row with a scale.
#[derive(Debug)]
pub(crate) struct Rows {
    values: Vec<i8>,
    scales: Vec<f32>,
    columns: usize,
}

impl Rows {
    fn round(numbers: &[f32], columns: usize) -> Self {
        let mut rows = Rows {
            values: Vec::with_capacity(numbers.len()),
            scales: Vec::with_capacity(numbers.len() / columns),
            columns,
        };
        for row in numbers.chunks_exact(columns) {
            let largest = row.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
            let scale = largest / 127.0;
            rows.scales.push(scale);
            // A row of zeros has no scale.
            let eight_bits = |number: &f32| if scale > 0.0 { (number / scale).round() as i8 } else { 0 };
            rows.values.extend(row.iter().map(eight_bits));
        }
        rows
    }

    /// Adds one row to `sum`, which is as long as a row; nothing when there is no such row.
    pub fn add_to(&self, row: usize, sum: &mut [f32]) {
        let Some(scale) = self.scales.get(row) else { return };
        let start = row * self.columns;
        let values = self.values.get(start..start + self.columns).unwrap_or_default();
        for (number, value) in sum.iter_mut().zip(values) {
            *number += f32::from(*value) * scale;
        }
    }

    /// Appends every row in 32 bits.
    pub fn expand(&self, numbers: &mut Vec<f32>) {
        for (values, scale) in self.values.chunks_exact(self.columns).zip(&self.scales) {
            numbers.extend(values.iter().map(|value| f32::from(*value) * scale));
        }
    }
}

/// The installed form, to take parts out of.
pub(crate) struct Weights<'a> {
    tensors: SafeTensors<'a>,
}

impl<'a> Weights<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
        Ok(Weights { tensors })
    }

    /// Takes a matrix as it is kept.
    pub fn rows(&self, name: &str) -> Result<Rows> {
        let view = self.tensors.tensor(name).map_err(|e| format!("{name}: {e}"))?;
        let &[rows, columns] = view.shape() else {
            return Err(format!("{name} is no matrix"));
        };
        if columns == 0 {
            return Err(format!("{name} has no columns"));
        }
        if view.dtype() != Dtype::I8 {
            return Err(format!("{name} is not kept in eight bits"));
        }
        Ok(Rows {
            values: view.data().iter().map(|byte| byte.cast_signed()).collect(),
            scales: floats(&self.tensors, &format!("{name}{SCALE}"), &[rows])?,
            columns,
        })
    }

    /// Takes a vector.
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
