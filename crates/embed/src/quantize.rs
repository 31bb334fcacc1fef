//! Converts published weights to installed ones: reads a safetensors file as a stream, tensor by tensor, and quantizes those that the
//! network needs ([`crate::weights`]). The header is checked before any weight is read, so neither a wrong header
//! nor a large file causes large allocations: memory holds the quantized weights and one piece of a tensor.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use forge_memory_core::{Error, Result};
use safetensors::tensor::{Dtype, Metadata, TensorInfo, TensorView};

use crate::architecture::{Architecture, TensorShape, WORDS, layer_tensor};
use crate::manifest::WEIGHTS_BYTES_MAX;
use crate::model::{corrupt, io as io_error};
use crate::weights::{QuantizedMatrix, SCALE, bytes_of, header_of};

/// The bytes of a tensor that are read at once.
const PIECE_BYTES: usize = 1024 * 1024;
const NUMBER_BYTES: usize = 4;

pub(crate) struct Published<'a> {
    /// The path that errors name.
    pub path: &'a Path,
    /// Its length in bytes.
    pub bytes: u64,
    pub reader: &'a mut dyn Read,
}

/// Quantizes published weights, and returns the network that they are of. The result is the same bytes on every machine.
///
/// # Errors
/// `CORRUPT` when the file does not contain the weights of such a network, `IO`.
pub(crate) fn quantize(published: Published<'_>) -> Result<(Vec<u8>, Architecture)> {
    let path = published.path;
    if published.bytes > WEIGHTS_BYTES_MAX {
        let found = published.bytes;
        return Err(corrupt(
            path,
            format!("it has {found} bytes, at most {WEIGHTS_BYTES_MAX} are read"),
        ));
    }
    let mut stream = Stream {
        path,
        reader: published.reader,
    };
    let metadata = stream.header(published.bytes)?;
    let architecture = architecture_of(&metadata);
    let tensors = architecture.tensors();
    let wanted = wanted_in(&metadata, &tensors).map_err(|reason| corrupt(path, reason))?;
    let mut kept = Vec::new();
    for name in metadata.offset_keys() {
        let Some(info) = metadata.info(&name) else { continue };
        match wanted.get(name.as_str()) {
            Some(tensor) => kept.extend(stream.tensor(tensor)?),
            None => stream.skip(info)?,
        }
    }
    stream.end()?;
    let bytes = serialize(&kept).map_err(|reason| corrupt(path, reason))?;
    Ok((bytes, architecture))
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

/// Returns the network with as many words and layers as the file has.
fn architecture_of(metadata: &Metadata) -> Architecture {
    let has = |layer: &usize| metadata.info(&layer_tensor(*layer, "output.dense.weight")).is_some();
    let words = metadata.info(WORDS).and_then(|info| info.shape.first());
    Architecture::of(words.copied().unwrap_or(0), (0..).take_while(has).count().max(1))
}

/// Maps the names in the file to the tensors that are needed.
fn wanted_in<'t>(
    metadata: &Metadata,
    tensors: &'t [TensorShape],
) -> std::result::Result<HashMap<&'t str, &'t TensorShape>, String> {
    for TensorShape { name, shape } in tensors {
        let info = metadata.info(name).ok_or_else(|| format!("it has no tensor {name}"))?;
        if (&info.shape, info.dtype) != (shape, Dtype::F32) {
            let (found, dtype) = (&info.shape, info.dtype);
            return Err(format!("{name} is {dtype} of {found:?}, expected F32 of {shape:?}"));
        }
    }
    let wanted: HashMap<&str, &TensorShape> = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
    // An unexpected tensor inside the encoder means another architecture.
    let all = metadata.offset_keys();
    match all
        .iter()
        .find(|name| name.starts_with("encoder.") && !wanted.contains_key(name.as_str()))
    {
        Some(other) => Err(format!("its network has the tensor {other}, which neither model has")),
        None => Ok(wanted),
    }
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
    fn tensor(&mut self, tensor: &TensorShape) -> Result<Vec<InstalledTensor>> {
        let (name, shape) = (tensor.name.clone(), tensor.shape.clone());
        let columns = shape.last().copied().unwrap_or(1).max(1);
        let together = (PIECE_BYTES / (columns * NUMBER_BYTES)).max(1) * columns;
        let mut left: usize = shape.iter().product();
        let mut matrix = QuantizedMatrix::empty(columns);
        let mut vector = Vec::new();
        let mut piece = Vec::new();
        while left > 0 {
            let count = left.min(together);
            piece.resize(count * NUMBER_BYTES, 0);
            self.fill(&mut piece)?;
            let numbers: Vec<f32> = piece
                .as_chunks()
                .0
                .iter()
                .map(|four| f32::from_le_bytes(*four))
                .collect();
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

#[cfg(test)]
mod tests;
