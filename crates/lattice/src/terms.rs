//! The terms of a chunk for ranking: the words, identifier parts and stems that recall uses, weighted by field as in BM25F
//! (Zaragoza et al. 2004).

use forge_memory_core::text;
use rustc_hash::FxHashMap;

/// The weight of a word by field, in quarters of a mention.
const NAME: u8 = 24;
const PATH: u8 = 4;
const DOC: u8 = 4;
const SIGNATURE: u8 = 3;
const BODY: u8 = 2;
/// The weight of parts of identifiers and of stems, relative to that of the word.
const EXTRA: f32 = 0.75;
/// The maximum weight of a term in a chunk.
const WEIGHT_MAX: u8 = 60;
/// The maximum number of bytes of a body that are counted.
const BODY_BYTES_MAX: usize = 2048;

/// Counts terms. One value is reused for many chunks.
#[derive(Default)]
pub struct Terms {
    buffer: text::Terms,
    weights: FxHashMap<u32, u8>,
    words: u32,
}

impl Terms {
    fn add(&mut self, text: &str, weight: u8) {
        self.buffer.clear();
        self.buffer.add(text);
        self.words += u32::try_from(self.buffer.words.len()).unwrap_or(0);
        let extra = (f32::from(weight) * EXTRA).ceil() as u8;
        let words = self.buffer.words.iter().map(|hash| (*hash, weight));
        let placeless = self.buffer.extras.iter().chain(&self.buffer.spellings);
        for (hash, weight) in words.chain(placeless.map(|hash| (*hash, extra))) {
            let sum = self.weights.entry(short_hash(hash)).or_default();
            *sum = sum.saturating_add(weight).min(WEIGHT_MAX);
        }
    }

    /// Returns the packed terms, ordered by hash, and the number of words, and resets the counter.
    fn finish(&mut self) -> (Vec<u8>, u32) {
        let mut sorted: Vec<(u32, u8)> = self.weights.drain().collect();
        sorted.sort_unstable();
        let mut bytes = Vec::with_capacity(sorted.len() * 5);
        for (hash, weight) in sorted {
            bytes.extend_from_slice(&hash.to_le_bytes());
            bytes.push(weight);
        }
        (bytes, std::mem::take(&mut self.words))
    }
}

/// Truncates a term's hash to 32 bits: among a hundred thousand words, collisions are rare enough for ranking.
pub fn short_hash(hash: text::TermHash) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

/// Reads packed terms.
pub fn terms_of(packed: &[u8]) -> impl ExactSizeIterator<Item = (u32, u8)> + '_ {
    let (fives, _) = packed.as_chunks::<5>();
    fives
        .iter()
        .map(|[a, b, c, d, weight]| (u32::from_le_bytes([*a, *b, *c, *d]), *weight))
}

/// Counts the terms of a chunk; `body` are the parts of its text outside of its inner chunks. The words of the path are
/// added in the graph, because all chunks of a file share them.
pub fn terms_of_chunk<'s>(
    terms: &mut Terms,
    name: &str,
    signature: &str,
    doc: &str,
    body: impl Iterator<Item = &'s [u8]>,
) -> (Vec<u8>, u32) {
    terms.add(name, NAME);
    terms.add(signature, SIGNATURE);
    terms.add(doc, DOC);
    let mut left = BODY_BYTES_MAX;
    for piece in body {
        let piece = piece.get(..left).unwrap_or(piece);
        left -= piece.len();
        terms.add(&String::from_utf8_lossy(piece), BODY);
        if left == 0 {
            break;
        }
    }
    terms.finish()
}

/// Counts the terms of a path, in the same encoding.
pub fn terms_of_path(terms: &mut Terms, path: &str) -> Vec<u8> {
    terms.add(path, PATH);
    terms.finish().0
}

/// Returns the parts of a range that no inner range covers.
pub fn own_pieces<'s>(source: &'s [u8], start: u32, end: u32, inner: &[(u32, u32)]) -> impl Iterator<Item = &'s [u8]> {
    let mut pieces = Vec::with_capacity(inner.len() + 1);
    let mut at = start;
    for (from, to) in inner {
        if *from > at {
            pieces.push((at, *from));
        }
        at = at.max(*to);
    }
    if end > at {
        pieces.push((at, end));
    }
    pieces
        .into_iter()
        .map(|(from, to)| source.get(from as usize..to as usize).unwrap_or_default())
}
