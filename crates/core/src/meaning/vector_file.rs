//! An immutable file of vectors:
//!
//! ```text
//! "FMVX" format:u32 dimensions:u32 stride:u32 passages:u32 zero:u32 hash of the model's name:u64, filled up to 64 bytes
//! passages x key:u64, in rising order: one text has several in a row
//! passages x (step:f32 loss:f32)
//! passages x stride codes, passages x stride codes of the residuals: see `quantization.rs`
//! ```
//!
//! All numbers are little-endian, and every section is aligned to 64 bytes. The file is read page by page, and each
//! page is verified when it is read: see [`PagedFile`].

// The bytes are untrusted.
#![warn(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::quantization::{RESIDUAL_STEPS, Scale, quantize, quantize_residual, stride_of, unit_of};
use crate::index::{PagedFile, read_u32, read_u64};
use crate::journal::DiskFile;

const MAGIC: &[u8; 4] = b"FMVX";
/// The version of the layout and of the splitting into passages.
pub(super) const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 64;
const BORDER: usize = 64;
const KEY_BYTES: usize = 8;
const SCALE_BYTES: usize = 8;
/// The maximum dimension of a sentence embedding.
const DIMENSIONS_MAX: usize = 16_384;

/// The offsets of the sections.
#[derive(Debug, Clone)]
struct Sections {
    keys: Range<usize>,
    scales: Range<usize>,
    codes: Range<usize>,
    residuals: Range<usize>,
}

impl Sections {
    fn of(passages: usize, stride: usize) -> Option<Self> {
        let mut end = HEADER_BYTES;
        let mut next = |bytes: usize| {
            let start = end.checked_next_multiple_of(BORDER)?;
            end = start.checked_add(passages.checked_mul(bytes)?)?;
            Some(start..end)
        };
        Some(Sections {
            keys: next(KEY_BYTES)?,
            scales: next(SCALE_BYTES)?,
            codes: next(stride)?,
            residuals: next(stride)?,
        })
    }
}

/// An open file of vectors.
#[derive(Debug)]
pub(super) struct VectorFile {
    file: PagedFile,
    stride: usize,
    passages: usize,
    texts: OnceLock<usize>,
    sections: Sections,
}

/// The stored data of one passage.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Passage {
    pub key: u64,
    pub scale: Scale,
    pub codes: Vec<u8>,
    pub residual: Vec<u8>,
}

impl Passage {
    /// Quantizes the vector of a passage; `None` for a vector that cannot be normalized.
    pub fn of(key: u64, vector: &[f32]) -> Option<Self> {
        let unit = unit_of(vector)?;
        let mut codes = vec![0; stride_of(unit.len())];
        let scale = quantize(&unit, &mut codes);
        let mut residual = vec![0; codes.len()];
        quantize_residual(&unit, &codes, scale.step, &mut residual);
        Some(Passage {
            key,
            scale,
            codes,
            residual,
        })
    }
}

impl VectorFile {
    /// Opens a file; `None` unless it has this format version, this model and this checksum.
    pub fn open(file: Box<dyn DiskFile>, checksum: u64, model: &str) -> Option<Self> {
        let file = PagedFile::open(file)?;
        let header = file.get(0..HEADER_BYTES)?;
        let dimensions = read_u32(header, 8)? as usize;
        let (stride, passages) = (read_u32(header, 12)? as usize, read_u32(header, 16)? as usize);
        let is_ours = file.root() == checksum
            && header.starts_with(MAGIC)
            && read_u32(header, 4)? == FORMAT
            && read_u64(header, 24)? == model_hash(model)
            && (1..=DIMENSIONS_MAX).contains(&dimensions)
            && stride == stride_of(dimensions);
        let sections =
            Sections::of(passages, stride).filter(|sections| is_ours && sections.residuals.end == file.len())?;
        Some(VectorFile {
            file,
            stride,
            passages,
            texts: OnceLock::new(),
            sections,
        })
    }

    /// Returns the number of passages.
    pub fn len(&self) -> usize {
        self.passages
    }

    /// Returns the number of texts: passages of one stand beside each other.
    pub fn texts(&self) -> usize {
        *self.texts.get_or_init(|| {
            let keys = self.file.get(self.sections.keys.clone()).unwrap_or_default();
            let mut texts = 0;
            let mut last = None;
            for key in keys.chunks_exact(KEY_BYTES) {
                texts += usize::from(last != Some(key));
                last = Some(key);
            }
            texts
        })
    }

    /// Returns the number of code bytes per passage.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// True if the checksum of a page was wrong.
    pub fn is_damaged(&self) -> bool {
        self.file.is_damaged()
    }

    /// Returns the codes of all passages in order, with their scales.
    pub fn rows(&self) -> impl Iterator<Item = (&[u8], Scale)> {
        let codes = self.file.get(self.sections.codes.clone()).unwrap_or_default();
        let scales = self.file.get(self.sections.scales.clone()).unwrap_or_default();
        let scales = scales.chunks_exact(SCALE_BYTES).map(scale_in);
        codes.chunks_exact(self.stride.max(1)).zip(scales)
    }

    /// Returns the key of the text that a passage belongs to.
    pub fn key(&self, passage: usize) -> Option<u64> {
        read_u64(self.row(&self.sections.keys, KEY_BYTES, passage)?, 0)
    }

    /// Returns codes, residual and scale of a passage.
    pub fn close_row(&self, passage: usize) -> Option<(&[u8], &[u8], Scale)> {
        let codes = self.row(&self.sections.codes, self.stride, passage)?;
        let residual = self.row(&self.sections.residuals, self.stride, passage)?;
        let scale = scale_in(self.row(&self.sections.scales, SCALE_BYTES, passage)?);
        Some((codes, residual, scale))
    }

    /// Returns the vector of a passage with the stored precision.
    pub fn unit(&self, passage: usize) -> Option<Vec<f32>> {
        let (codes, residual, scale) = self.close_row(passage)?;
        let number = |(code, rest): (&u8, &u8)| {
            (f32::from(code.cast_signed()) + f32::from(rest.cast_signed()) / RESIDUAL_STEPS) * scale.step
        };
        Some(codes.iter().zip(residual).map(number).collect())
    }

    /// Returns the range of the passages of a text.
    pub fn passages_of(&self, key: u64) -> Range<usize> {
        let start = self.count_before(|other| other < key);
        start..self.count_before(|other| other <= key).max(start)
    }

    /// Returns the partition point: the number of passages whose key satisfies a condition. Keys are sorted.
    fn count_before(&self, holds: impl Fn(u64) -> bool) -> usize {
        let (mut low, mut high) = (0, self.passages);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key(middle) {
                Some(key) if holds(key) => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// Returns a copy of a passage, for writing it to a new file.
    pub fn passage(&self, number: usize) -> Option<Passage> {
        let (codes, residual, scale) = self.close_row(number)?;
        Some(Passage {
            key: self.key(number)?,
            scale,
            codes: codes.to_vec(),
            residual: residual.to_vec(),
        })
    }

    fn row(&self, section: &Range<usize>, bytes: usize, passage: usize) -> Option<&[u8]> {
        if passage >= self.passages {
            return None;
        }
        let start = section.start + passage * bytes;
        self.file.get(start..start + bytes)
    }
}

fn scale_in(bytes: &[u8]) -> Scale {
    let number = |at: usize| read_u32(bytes, at).map_or(0.0, f32::from_bits);
    Scale {
        step: number(0),
        loss: number(4),
    }
}

fn model_hash(model: &str) -> u64 {
    xxh3_64(model.as_bytes())
}

/// Serializes passages to the body of a file, sorted by key.
pub(super) fn body_of(passages: &mut [Passage], dimensions: usize, model: &str) -> Vec<u8> {
    // A stable sort keeps the passages of a text in the order of the text.
    passages.sort_by_key(|passage| passage.key);
    let stride = stride_of(dimensions);
    let count = u32::try_from(passages.len()).unwrap_or(u32::MAX);
    let mut body =
        Vec::with_capacity(HEADER_BYTES + passages.len() * (KEY_BYTES + SCALE_BYTES + 2 * stride) + 4 * BORDER);
    body.extend_from_slice(MAGIC);
    for number in [FORMAT, dimensions as u32, stride as u32, count, 0] {
        body.extend_from_slice(&number.to_le_bytes());
    }
    body.extend_from_slice(&model_hash(model).to_le_bytes());
    let mut section = |write: &mut dyn FnMut(&mut Vec<u8>)| {
        body.resize(body.len().next_multiple_of(BORDER), 0);
        write(&mut body);
    };
    section(&mut |body| {
        passages
            .iter()
            .for_each(|one| body.extend_from_slice(&one.key.to_le_bytes()))
    });
    section(&mut |body| {
        for one in passages.iter() {
            body.extend_from_slice(&one.scale.step.to_le_bytes());
            body.extend_from_slice(&one.scale.loss.to_le_bytes());
        }
    });
    section(&mut |body| passages.iter().for_each(|one| body.extend_from_slice(&one.codes)));
    section(&mut |body| passages.iter().for_each(|one| body.extend_from_slice(&one.residual)));
    body
}
