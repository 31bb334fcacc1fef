//! Weight quantization: symmetric, per row, to eight bits (as in Dettmers et al. 2022, without outlier columns).
//!
//! `scale(r) = max |w(r, c)| / 127` and `q(r, c) = round(w(r, c) / scale(r))`, so a dequantized number `q * scale` is off by at
//! most `scale / 2`. The file is a safetensors file: a matrix is stored as `I8` under its published name and its scales as `F32`
//! under that name with `.scale` appended. Vectors are stored as published.

use std::collections::HashMap;
use std::io::Read;

use safetensors::tensor::{Dtype, Metadata};

const LENGTH_BYTES: u64 = 8;
/// The largest header; that of a model with a thousand tensors has 120 KB.
pub(crate) const HEADER_BYTES_MAX: u64 = 8 * 1024 * 1024;
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
}

/// The tensors of an installed file. Each can be taken once.
pub struct Weights {
    tensors: HashMap<String, Tensor>,
}

struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Weights {
    /// Reads a file of this length, tensor by tensor: no byte of it is in memory twice.
    pub fn read(reader: &mut dyn Read, len: u64) -> Result<Self> {
        let mut fill = |buffer: &mut [u8]| reader.read_exact(buffer).map_err(|e| e.to_string());
        let metadata = header_of(len, &mut fill, |reason| reason)?;
        let mut tensors = HashMap::new();
        for name in metadata.offset_keys() {
            let Some(info) = metadata.info(&name) else { continue };
            let (start, end) = info.data_offsets;
            let mut bytes = vec![0; end.saturating_sub(start)];
            fill(&mut bytes)?;
            let (dtype, shape) = (info.dtype, info.shape.clone());
            tensors.insert(name, Tensor { dtype, shape, bytes });
        }
        Ok(Weights { tensors })
    }

    /// Takes a matrix of this shape.
    pub fn matrix_of(&mut self, name: &str, rows: usize, columns: usize) -> Result<QuantizedMatrix> {
        let tensor = self.take(name)?;
        if tensor.dtype != Dtype::I8 || tensor.shape != [rows, columns] {
            let (dtype, found) = (tensor.dtype, tensor.shape);
            return Err(format!("{name} is {dtype} of {found:?}, not I8 of [{rows}, {columns}]"));
        }
        Ok(QuantizedMatrix {
            // The bytes stay where they are.
            values: tensor.bytes.into_iter().map(u8::cast_signed).collect(),
            scales: self.floats(&format!("{name}{SCALE}"), &[rows])?,
            columns,
        })
    }

    /// Takes a vector of this length.
    pub fn vector_of(&mut self, name: &str, len: usize) -> Result<Vec<f32>> {
        self.floats(name, &[len])
    }

    fn floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let tensor = self.take(name)?;
        if tensor.dtype != Dtype::F32 || tensor.shape != shape {
            let (dtype, found) = (tensor.dtype, tensor.shape);
            return Err(format!("{name} is {dtype} of {found:?}, not F32 of {shape:?}"));
        }
        let (numbers, _) = tensor.bytes.as_chunks::<4>();
        Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn take(&mut self, name: &str) -> Result<Tensor> {
        let tensor = self.tensors.remove(name);
        tensor.ok_or_else(|| format!("it has no tensor {name}"))
    }
}

/// Reads the header of a safetensors file of this length with `fill`. Every length is checked before that many bytes are read; `wrong` makes an
/// error of what is wrong.
pub(crate) fn header_of<E>(
    len: u64,
    fill: &mut dyn FnMut(&mut [u8]) -> std::result::Result<(), E>,
    wrong: impl Fn(String) -> E,
) -> std::result::Result<Metadata, E> {
    let mut field = [0; LENGTH_BYTES as usize];
    fill(&mut field)?;
    let header = u64::from_le_bytes(field);
    if header > HEADER_BYTES_MAX || header > len.saturating_sub(LENGTH_BYTES) {
        return Err(wrong(format!("its header would have {header} bytes")));
    }
    let mut text = vec![0; usize::try_from(header).unwrap_or(0)];
    fill(&mut text)?;
    let metadata: Metadata =
        serde_json::from_slice(&text).map_err(|e| wrong(format!("its header cannot be read: {e}")))?;
    let expected = LENGTH_BYTES + header + metadata.data_len() as u64;
    if expected != len {
        return Err(wrong(format!(
            "it has {len} bytes, and its header describes {expected}"
        )));
    }
    Ok(metadata)
}

/// Returns the bytes of numbers, in the order of the file.
pub fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests;
