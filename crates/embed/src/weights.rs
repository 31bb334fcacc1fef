//! Weight quantization: symmetric, per row, to eight bits (as in Dettmers et al. 2022, without outlier columns).
//!
//! `scale(r) = max |w(r, c)| / 127` and `q(r, c) = round(w(r, c) / scale(r))`, so a dequantized number `q * scale` is off by at
//! most `scale / 2`. The file is a safetensors file: a matrix is stored as `I8` under its published name and its scales as `F32`
//! under that name with `.scale` appended. Vectors are stored as published.

use safetensors::tensor::{Dtype, SafeTensors};

/// The ending that makes the name of a matrix the name of its scales.
pub const SCALE: &str = ".scale";

/// The error says why the weights cannot be used.
pub type Result<T> = std::result::Result<T, String>;

/// A matrix in eight bits with a scale for each row.
#[derive(Debug)]
pub struct QuantizedMatrix {
    values: Vec<i8>,
    scales: Vec<f32>,
    columns: usize,
}

impl QuantizedMatrix {
    /// A matrix without rows.
    pub fn empty(columns: usize) -> Self {
        QuantizedMatrix {
            values: Vec::new(),
            scales: Vec::new(),
            columns,
        }
    }

    /// Quantizes whole rows and appends them.
    pub fn quantize_rows(&mut self, numbers: &[f32]) {
        self.values.reserve(numbers.len());
        for row in numbers.chunks_exact(self.columns) {
            let largest = row.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
            let scale = largest / 127.0;
            self.scales.push(scale);
            // The scale of a row of zeros is zero.
            let eight_bits = |number: &f32| if scale > 0.0 { (number / scale).round() as i8 } else { 0 };
            self.values.extend(row.iter().map(eight_bits));
        }
    }

    /// Returns the bytes of its values and of its scales.
    pub fn into_bytes(self) -> (Vec<u8>, Vec<u8>) {
        let values = self.values.into_iter().map(i8::cast_unsigned).collect();
        (values, bytes_of(&self.scales))
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

    /// Returns the numbers in eight bits, row by row.
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// Returns the scale of each row.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Appends every row, dequantized.
    pub fn dequantize_into(&self, numbers: &mut Vec<f32>) {
        for (values, scale) in self.values.chunks_exact(self.columns).zip(&self.scales) {
            numbers.extend(values.iter().map(|value| f32::from(*value) * scale));
        }
    }
}

/// The tensors of an installed file.
pub struct Weights<'a> {
    tensors: SafeTensors<'a>,
}

impl<'a> Weights<'a> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// The problem with it.
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

    /// Returns a matrix of this shape.
    pub fn matrix_of(&self, name: &str, rows: usize, columns: usize) -> Result<QuantizedMatrix> {
        let matrix = self.matrix(name)?;
        if (matrix.scales.len(), matrix.columns) != (rows, columns) {
            let (found, wide) = (matrix.scales.len(), matrix.columns);
            return Err(format!(
                "{name} has {found} rows and {wide} columns, expected {rows} and {columns}"
            ));
        }
        Ok(matrix)
    }

    /// Returns a vector of this length.
    pub fn vector_of(&self, name: &str, len: usize) -> Result<Vec<f32>> {
        let vector = self.vector(name)?;
        if vector.len() != len {
            return Err(format!("{name} has {} numbers, expected {len}", vector.len()));
        }
        Ok(vector)
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

/// Returns the bytes of numbers, in the order of the file.
pub fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests;
