//! Converts published weights to installed ones: reads a safetensors file as a stream, tensor by tensor, and quantizes those that the
//! network needs ([`crate::weights`]). The header is checked against the architecture before any weight is read, so neither a wrong header
//! nor a large file causes large allocations: memory holds the quantized weights and one piece of a tensor.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use forge_memory_core::{Error, Result};
use safetensors::tensor::{Dtype, Metadata, TensorInfo, TensorView};

use crate::architecture::{Architecture, TensorShape, unsupported};
use crate::manifest::WEIGHTS_BYTES_MAX;
use crate::model::{corrupt, io as io_error};
use crate::recipe::Purpose;
use crate::weights::{QuantizedMatrix, SCALE, bytes_of, header_of};

/// The bytes of a tensor that are read at once.
const PIECE_BYTES: usize = 1024 * 1024;
/// Prefixes of tensor names, which depend on the class from which the model was saved.
const PREFIXES: [&str; 6] = ["", "bert.", "model.", "roberta.", "mpnet.", "0.auto_model."];
/// Tensors of buffers that are not weights and can be computed.
const COMPUTED: [&str; 2] = ["embeddings.position_ids", "embeddings.token_type_ids"];

fn classifier_tensors(architecture: &Architecture) -> Vec<TensorShape> {
    let hidden = architecture.hidden;
    let tensor = |name: &str, shape: &[usize]| TensorShape {
        name: name.to_owned(),
        shape: shape.to_vec(),
    };
    vec![
        tensor("pooler.dense.weight", &[hidden, hidden]),
        tensor("pooler.dense.bias", &[hidden]),
        tensor("classifier.weight", &[1, hidden]),
        tensor("classifier.bias", &[1]),
    ]
}

/// Returns all tensors of an installed file, in 32 bits.
pub(crate) fn tensors_of(architecture: &Architecture, purpose: Purpose) -> Vec<TensorShape> {
    let mut tensors = architecture.tensors();
    if purpose == Purpose::Reranking {
        tensors.extend(classifier_tensors(architecture));
    }
    tensors
}

pub(crate) struct Published<'a> {
    /// The path that errors name.
    pub path: &'a Path,
    /// Its length in bytes.
    pub bytes: u64,
    pub reader: &'a mut dyn Read,
}

/// Quantizes published weights. The result is the same bytes on every machine.
///
/// # Errors
/// `CORRUPT` when the file does not contain the weights of this network, `UNSUPPORTED` for another data type or too many weights, `IO`.
pub(crate) fn quantize(published: Published<'_>, architecture: &Architecture, purpose: Purpose) -> Result<Vec<u8>> {
    let path = published.path;
    if published.bytes > WEIGHTS_BYTES_MAX {
        let reason = format!(
            "{} has {} bytes, at most {WEIGHTS_BYTES_MAX} are read",
            path.display(),
            published.bytes
        );
        return Err(unsupported("that is too large", &reason));
    }
    let mut stream = Stream {
        path,
        reader: published.reader,
    };
    let metadata = stream.header(published.bytes)?;
    let tensors = tensors_of(architecture, purpose);
    let wanted = wanted_in(&metadata, &tensors, architecture).map_err(|refusal| match refusal {
        Refusal::Damaged(reason) => corrupt(path, reason),
        Refusal::Unsupported(what) => unsupported(&what, "weights in F32, F16 and BF16 are read"),
    })?;
    let mut kept = Vec::new();
    for name in metadata.offset_keys() {
        let Some(info) = metadata.info(&name) else { continue };
        match wanted.get(name.as_str()) {
            Some(tensor) => kept.extend(stream.tensor(tensor, info)?),
            None => stream.skip(info)?,
        }
    }
    stream.end()?;
    serialize(&kept).map_err(|reason| corrupt(path, reason))
}

type InstalledTensor = (String, Dtype, Vec<usize>, Vec<u8>);

fn serialize(kept: &[InstalledTensor]) -> std::result::Result<Vec<u8>, String> {
    let views = kept
        .iter()
        .map(|(name, dtype, shape, bytes)| Ok((name, TensorView::new(*dtype, shape.clone(), bytes)?)))
        .collect::<std::result::Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|e| e.to_string())?;
    let metadata = HashMap::from([("format".to_owned(), "forge-memory int8 rows 1".to_owned())]);
    safetensors::serialize(views, Some(metadata)).map_err(|e| e.to_string())
}

enum Refusal {
    Damaged(String),
    Unsupported(String),
}

/// Maps the names in the file to the tensors that are needed.
fn wanted_in<'t>(
    metadata: &Metadata,
    tensors: &'t [TensorShape],
    architecture: &Architecture,
) -> std::result::Result<HashMap<String, &'t TensorShape>, Refusal> {
    let all = metadata.tensors();
    let words = "embeddings.word_embeddings.weight";
    let prefix = PREFIXES
        .into_iter()
        .find(|prefix| all.contains_key(&format!("{prefix}{words}")))
        .ok_or_else(|| Refusal::Damaged(format!("it has no tensor {words}")))?;
    let mut wanted = HashMap::new();
    for tensor in tensors {
        let (name, info) = architecture
            .published_names(&tensor.name)
            .iter()
            .flat_map(|name| [format!("{prefix}{name}"), name.clone()])
            .find_map(|name| all.get(&name).map(|info| (name, *info)))
            .ok_or_else(|| Refusal::Damaged(format!("it has no tensor {}", tensor.name)))?;
        if info.shape != tensor.shape {
            let (found, expected) = (&info.shape, &tensor.shape);
            return Err(Refusal::Damaged(format!(
                "{name} has the shape {found:?}, expected {expected:?}"
            )));
        }
        if !matches!(info.dtype, Dtype::F32 | Dtype::F16 | Dtype::BF16) {
            return Err(Refusal::Unsupported(format!("with {name} in {}", info.dtype)));
        }
        wanted.insert(name, tensor);
    }
    // An unexpected tensor inside the encoder means another architecture.
    let is_part = |name: &str| name.starts_with("embeddings.") || name.starts_with("encoder.");
    let mut others: Vec<&String> = all.keys().filter(|name| !wanted.contains_key(*name)).collect();
    others.sort_unstable();
    for name in others {
        let own = name.strip_prefix(prefix).unwrap_or(name);
        if is_part(own) && !COMPUTED.contains(&own) {
            return Err(Refusal::Damaged(format!(
                "config.json describes no network with the tensor {name}"
            )));
        }
    }
    Ok(wanted)
}

/// The file, read once and sequentially.
struct Stream<'a> {
    path: &'a Path,
    reader: &'a mut dyn Read,
}

impl Stream<'_> {
    fn header(&mut self, len: u64) -> Result<Metadata> {
        let path = self.path;
        header_of(len, &mut |buffer| self.fill(buffer), |reason| corrupt(path, reason))
    }

    /// Reads a tensor, quantized when it is a matrix.
    fn tensor(&mut self, tensor: &TensorShape, info: &TensorInfo) -> Result<Vec<InstalledTensor>> {
        let (name, shape) = (tensor.name.clone(), tensor.shape.clone());
        let columns = shape.last().copied().unwrap_or(1).max(1);
        let bytes = info.dtype.bitsize() / 8;
        let together = (PIECE_BYTES / (columns * bytes)).max(1) * columns;
        let mut left: usize = shape.iter().product();
        let mut matrix = QuantizedMatrix::empty(columns);
        let mut vector = Vec::new();
        let mut piece = Vec::new();
        while left > 0 {
            let count = left.min(together);
            piece.resize(count * bytes, 0);
            self.fill(&mut piece)?;
            let numbers = numbers_in(&piece, info.dtype);
            if !numbers.iter().all(|number| number.is_finite()) {
                return Err(corrupt(
                    self.path,
                    format!("{name} has a weight that is not a finite number"),
                ));
            }
            match shape.len() {
                1 => vector.extend(numbers),
                _ => matrix.quantize_rows(&numbers),
            }
            left -= count;
        }
        Ok(match shape.len() {
            1 => vec![(name, Dtype::F32, shape, bytes_of(&vector))],
            _ => {
                let (values, scales) = matrix.into_bytes();
                vec![
                    (format!("{name}{SCALE}"), Dtype::F32, vec![scales.len() / 4], scales),
                    (name, Dtype::I8, shape, values),
                ]
            }
        })
    }

    fn skip(&mut self, info: &TensorInfo) -> Result<()> {
        let (start, end) = info.data_offsets;
        let mut left = end.saturating_sub(start);
        let mut piece = vec![0; left.min(PIECE_BYTES)];
        while left > 0 {
            let count = left.min(piece.len());
            self.fill(piece.get_mut(..count).unwrap_or_default())?;
            left -= count;
        }
        Ok(())
    }

    /// Checks that the file ends here, as its length says.
    fn end(&mut self) -> Result<()> {
        let mut more = [0; 1];
        match self.reader.read(&mut more) {
            Ok(0) => Ok(()),
            Ok(_) => Err(corrupt(self.path, "it is longer than its header describes")),
            Err(e) => Err(self.failed(e)),
        }
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.reader.read_exact(buffer).map_err(|e| self.failed(e))
    }

    fn failed(&self, error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => corrupt(self.path, "it is cut off"),
            // The kinds of error that a damaged archive causes.
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                corrupt(self.path, format!("it cannot be unpacked: {error}"))
            }
            _ => io_error("read", self.path)(error),
        }
    }
}

fn numbers_in(bytes: &[u8], dtype: Dtype) -> Vec<f32> {
    let halves = || bytes.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
    match dtype {
        Dtype::F16 => halves().map(half_to_single).collect(),
        Dtype::BF16 => halves().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
        _ => bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect(),
    }
}

/// Converts IEEE 754 binary16 to binary32, which is exact.
fn half_to_single(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    match exponent {
        // Zero and subnormal numbers are multiples of 2^-24.
        0 => f32::from_bits((fraction as f32 / 16_777_216.0).to_bits() | sign),
        0x1f => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests;
