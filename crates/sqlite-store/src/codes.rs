//! The codes of the vectors of one array, in one block of memory.

use forge_memory_core::meaning::quantization::{CodedQuery, Range, Scale, quantize, stride_of};

#[derive(Debug)]
pub(super) struct Codes {
    stride: usize,
    codes: Vec<u8>,
    scales: Vec<Scale>,
}

/// One of these vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodedRow<'a> {
    codes: &'a [u8],
    scale: Scale,
}

impl Codes {
    pub fn new(dimensions: usize) -> Self {
        Codes {
            stride: stride_of(dimensions),
            codes: Vec::new(),
            scales: Vec::new(),
        }
    }

    /// Makes room for more vectors.
    pub fn reserve(&mut self, rows: usize) {
        self.codes.reserve(rows * self.stride);
        self.scales.reserve(rows);
    }

    /// Adds a vector of norm 1.
    pub fn push(&mut self, vector: &[f32]) {
        let place = self.scales.len();
        self.codes.resize(self.codes.len() + self.stride, 0);
        self.scales.push(Scale::default());
        self.set(place, vector);
    }

    /// Replaces the vector of a row.
    pub fn set(&mut self, place: usize, vector: &[f32]) {
        let own = self.codes.chunks_exact_mut(self.stride).zip(&mut self.scales);
        if let Some((codes, scale)) = own.into_iter().nth(place) {
            *scale = quantize(vector, codes);
        }
    }

    /// Keeps the rows that are marked.
    pub fn retain(&mut self, is_kept: &[bool]) {
        let mut to = 0;
        for (place, _) in is_kept.iter().enumerate().filter(|(_, is_kept)| **is_kept) {
            let from = place * self.stride;
            self.codes.copy_within(from..from + self.stride, to);
            to += self.stride;
        }
        self.codes.truncate(to);
        let mut marks = is_kept.iter();
        self.scales.retain(|_| marks.next().is_some_and(|is_kept| *is_kept));
    }

    /// Takes codes and scales of a file; `None` when their numbers of rows differ.
    pub fn of_parts(dimensions: usize, codes: Vec<u8>, scales: Vec<Scale>) -> Option<Self> {
        let stride = stride_of(dimensions);
        (codes.len() == scales.len().checked_mul(stride)?).then_some(Codes { stride, codes, scales })
    }

    /// Returns codes and scale of each row.
    pub fn all(&self) -> impl Iterator<Item = (&[u8], Scale)> {
        self.rows().map(|row| (row.codes, row.scale))
    }

    /// Returns the number of bytes of a row.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Returns one row.
    pub fn row(&self, place: usize) -> Option<CodedRow<'_>> {
        let codes = self.codes.get(place * self.stride..(place + 1) * self.stride)?;
        let scale = *self.scales.get(place)?;
        Some(CodedRow { codes, scale })
    }

    /// Returns the rows in order.
    pub fn rows(&self) -> impl Iterator<Item = CodedRow<'_>> {
        let rows = self.codes.chunks_exact(self.stride).zip(&self.scales);
        rows.map(|(codes, scale)| CodedRow { codes, scale: *scale })
    }
}

impl CodedRow<'_> {
    /// Returns bounds of the product of the query and the row.
    #[inline]
    pub fn range(&self, query: &CodedQuery) -> Range {
        query.range(self.codes, self.scale)
    }
}
