//! The codes of the vectors of one model as a file, so that a process need not read the vectors themselves:
//!
//! ```text
//! rows x stride codes
//! rows x (step:f32 loss:f32)
//! rows x (n:i64 seq:i64 project:u32 type:u32 captured_ms:i64 expires_ms:i64)
//! names x (number:u32 bytes:u32 UTF-8)
//! "FMEV" format:u32 dimensions:u64 rows:u64 names:u64 last_vector:i64 last_gone:i64 [last_piece:i64]
//! ```
//!
//! The last number is there in format 2, that of a store with pieces of long texts. Releases that do not know it make the array from the database.
//! All numbers are little-endian. The codes come first, so that the bytes that were read become the array without a copy. The file is read
//! and not memory-mapped: a search scans all codes anyway, and truncating a mapped file ends the process with a signal. The database has
//! the checksum of the file ([`super::saved_vectors`]).

use rustc_hash::FxHashMap;

use super::codes::Codes;
use super::vectors::{Facts, VectorArray};
use forge_memory_core::meaning::quantization::{Scale, stride_of};

const MAGIC: u32 = u32::from_le_bytes(*b"FMEV");
/// The version of the layout and of the quantization, without and with pieces.
const FORMAT: u32 = 1;
const FORMAT_WITH_PIECES: u32 = 2;
const SCALE_BYTES: usize = 8;
const FACTS_BYTES: usize = 40;
const FOOTER_BYTES: usize = 48;
const FOOTER_WITH_PIECES_BYTES: usize = 56;

/// Returns the live rows of an array as the bytes of a file.
pub(super) fn encode(array: &VectorArray) -> Vec<u8> {
    let live: Vec<(&Facts, &[u8], Scale)> = array
        .facts
        .iter()
        .zip(array.codes.all())
        .filter(|(facts, _)| facts.is_live())
        .map(|(facts, (codes, scale))| (facts, codes, scale))
        .collect();
    let row_bytes = array.codes.stride() + SCALE_BYTES + FACTS_BYTES;
    let mut out = Vec::with_capacity(live.len() * row_bytes + 64 * array.names.len() + FOOTER_BYTES);
    live.iter().for_each(|(_, codes, _)| out.extend_from_slice(codes));
    for (_, _, scale) in &live {
        out.extend_from_slice(&scale.step.to_le_bytes());
        out.extend_from_slice(&scale.loss.to_le_bytes());
    }
    live.iter().for_each(|(facts, ..)| write_facts(facts, &mut out));
    let mut names: Vec<(&String, &u32)> = array.names.iter().collect();
    names.sort_unstable();
    for (name, number) in &names {
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&(name.len() as u32).to_le_bytes());
        out.extend_from_slice(name.as_bytes());
    }
    out.extend_from_slice(&MAGIC.to_le_bytes());
    let has_pieces = array.last_piece > 0;
    out.extend_from_slice(&if has_pieces { FORMAT_WITH_PIECES } else { FORMAT }.to_le_bytes());
    for count in [array.dimensions, live.len(), names.len()] {
        out.extend_from_slice(&(count as u64).to_le_bytes());
    }
    out.extend_from_slice(&array.last_vector.to_le_bytes());
    out.extend_from_slice(&array.last_gone.to_le_bytes());
    if has_pieces {
        out.extend_from_slice(&array.last_piece.to_le_bytes());
    }
    out
}

fn write_facts(facts: &Facts, out: &mut Vec<u8>) {
    out.extend_from_slice(&facts.n.to_le_bytes());
    out.extend_from_slice(&facts.seq.to_le_bytes());
    out.extend_from_slice(&facts.project.to_le_bytes());
    out.extend_from_slice(&facts.kind.to_le_bytes());
    out.extend_from_slice(&facts.captured_ms.to_le_bytes());
    out.extend_from_slice(&facts.expires_ms.to_le_bytes());
}

/// Fills an empty array with the rows of a file; `None` when it is not a file of this format and dimension.
pub(super) fn decode(mut bytes: Vec<u8>, array: &mut VectorArray) -> Option<()> {
    let (mut footer, footer_bytes) = footer_of(&bytes)?;
    let is_ours = footer.count()? == array.dimensions;
    let (rows, names) = (footer.count()?, footer.count()?);
    let (last_vector, last_gone) = (footer.i64()?, footer.i64()?);
    let last_piece = footer.i64().unwrap_or(0);
    let codes_bytes = rows.checked_mul(stride_of(array.dimensions))?;
    let mut rest = Reader(bytes.get(codes_bytes..bytes.len() - footer_bytes).filter(|_| is_ours)?);
    let scales = rest.rows(rows, SCALE_BYTES, |row| {
        Some(Scale {
            step: f32::from_bits(row.u32()?),
            loss: f32::from_bits(row.u32()?),
        })
    })?;
    let facts = rest.rows(rows, FACTS_BYTES, |row| {
        Some(Facts {
            n: row.i64()?,
            seq: row.i64()?,
            project: row.u32()?,
            kind: row.u32()?,
            captured_ms: row.i64()?,
            expires_ms: row.i64()?,
            is_long: false,
        })
    })?;
    let mut numbers = FxHashMap::default();
    for _ in 0..names {
        let (number, len) = (rest.u32()?, rest.u32()? as usize);
        numbers.insert(str::from_utf8(rest.take(len)?).ok()?.to_owned(), number);
    }
    let is_whole = rest.0.is_empty();
    bytes.truncate(codes_bytes);
    let codes = Codes::of_parts(array.dimensions, bytes, scales).filter(|_| is_whole)?;
    array.fill(facts, numbers, codes);
    (array.last_vector, array.last_gone, array.last_piece) = (last_vector, last_gone, last_piece);
    Some(())
}

/// Finds the end of a file by its mark and format, which were read then, and returns its length.
fn footer_of(bytes: &[u8]) -> Option<(Reader<'_>, usize)> {
    let formats = [(FOOTER_WITH_PIECES_BYTES, FORMAT_WITH_PIECES), (FOOTER_BYTES, FORMAT)];
    formats.into_iter().find_map(|(length, format)| {
        let mut footer = Reader(bytes.get(bytes.len().checked_sub(length)?..)?);
        (footer.u32()? == MAGIC && footer.u32()? == format).then_some((footer, length))
    })
}

/// The bytes left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        self.take(COUNT)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.i64()?).ok()
    }

    fn rows<T>(&mut self, count: usize, bytes: usize, read: impl Fn(&mut Reader<'_>) -> Option<T>) -> Option<Vec<T>> {
        let section = self.take(count.checked_mul(bytes)?)?;
        section.chunks_exact(bytes).map(|row| read(&mut Reader(row))).collect()
    }
}
