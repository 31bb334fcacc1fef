//! Scalar quantization of vectors to eight bits (as in Faiss SQ8), with an error bound per row: filter and refine. A scan of the
//! codes reads a quarter of the memory and yields `low <= dot(q, x) <= high` for each row; only rows with `high` at least the k-th
//! largest `low` are compared exactly. The result is therefore exact, unlike that of an approximate index.

/// Rows are padded to multiples of this, so that SIMD code needs no remainder loop.
const STRIDE: usize = 32;
const CODE_MAX: f32 = 127.0;
/// A query is quantized to 16 bits, or fewer when the sum of products could overflow 32 bits.
const QUERY_MAX: f32 = 32_767.0;
const SUM_MAX: f32 = (1 << 30) as f32;

/// The quantized vectors of one array.
#[derive(Debug)]
pub(super) struct Codes {
    stride: usize,
    codes: Vec<i8>,
    rows: Vec<Row>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    /// The step size of the codes of the row.
    step: f32,
    /// The Euclidean norm of the rounding error of the row.
    loss: f32,
}

/// One of these vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodedRow<'a> {
    codes: &'a [i8],
    step: f32,
    loss: f32,
}

/// A quantized query of norm 1.
#[derive(Debug)]
pub(super) struct CodedQuery {
    numbers: Vec<i16>,
    step: f32,
    /// An upper bound of the error that the rounding of the query causes in any product.
    loss: f32,
    product: Product,
}

/// Bounds of an exact product.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub least: f32,
    pub most: f32,
}

type Product = fn(&[i8], &[i16]) -> i32;

impl Codes {
    pub fn new(dimensions: usize) -> Self {
        Codes {
            stride: dimensions.max(1).next_multiple_of(STRIDE),
            codes: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Adds a vector of norm 1.
    pub fn push(&mut self, vector: &[f32]) {
        let place = self.rows.len();
        self.codes.resize(self.codes.len() + self.stride, 0);
        self.rows.push(Row { step: 0.0, loss: 0.0 });
        self.set(place, vector);
    }

    /// Replaces the vector of a row.
    pub fn set(&mut self, place: usize, vector: &[f32]) {
        let own = self.codes.chunks_exact_mut(self.stride).zip(&mut self.rows).nth(place);
        let Some((codes, row)) = own else { return };
        let step = greatest(vector) / CODE_MAX;
        let mut lost = 0.0;
        for (code, number) in codes.iter_mut().zip(vector) {
            let rounded = (number / step).round().clamp(-CODE_MAX, CODE_MAX);
            *code = rounded as i8;
            lost += f64::from(number - rounded * step).powi(2);
        }
        let loss = lost.sqrt() as f32;
        *row = Row { step, loss };
    }

    pub fn clear(&mut self) {
        self.codes.clear();
        self.rows.clear();
    }

    /// Returns the rows in the order of their places.
    pub fn rows(&self) -> impl Iterator<Item = CodedRow<'_>> {
        let rows = self.codes.chunks_exact(self.stride).zip(&self.rows);
        rows.map(|(codes, Row { step, loss })| CodedRow {
            codes,
            step: *step,
            loss: *loss,
        })
    }
}

impl CodedRow<'_> {
    /// Returns between what the product of the query and the row lies.
    #[inline]
    pub fn range(&self, query: &CodedQuery) -> Range {
        let CodedRow { codes, step, loss } = *self;
        let sum = (query.product)(codes, &query.numbers);
        let estimate = sum as f32 * (step * query.step);
        // Cauchy-Schwarz: |<q, x> - <q, x'>| <= |q| * |x - x'| = |x - x'|, since |q| = 1.
        let off = loss + query.loss;
        Range {
            least: estimate - off,
            most: estimate + off,
        }
    }
}

impl CodedQuery {
    pub fn new(query: &[f32]) -> Self {
        let all: f32 = query.iter().map(|number| number.abs()).sum();
        let step = (greatest(query) / QUERY_MAX).max(all * CODE_MAX / SUM_MAX);
        let mut numbers = vec![0; query.len().next_multiple_of(STRIDE)];
        let mut lost = 0.0;
        for (rounded, number) in numbers.iter_mut().zip(query) {
            *rounded = (number / step).round() as i16;
            lost += f64::from(number - f32::from(*rounded) * step).powi(2);
        }
        // The norm of a decoded row is at most 2; sums of floating point numbers are rounded as well.
        let rounding = query.len() as f32 * 2.0 * f32::EPSILON;
        CodedQuery {
            numbers,
            step,
            loss: 2.0 * lost.sqrt() as f32 + rounding,
            product: fastest(),
        }
    }
}

fn greatest(vector: &[f32]) -> f32 {
    vector
        .iter()
        .fold(f32::MIN_POSITIVE, |most, number| most.max(number.abs()))
}

/// The sum of products, in a form that the compiler vectorizes on every processor.
fn plain_product(codes: &[i8], query: &[i16]) -> i32 {
    let products = codes
        .iter()
        .zip(query)
        .map(|(code, number)| i32::from(*code) * i32::from(*number));
    products.sum()
}

/// The same with AVX2, thirty-two numbers at a time, explicitly: automatic vectorization depends on the build.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
fn avx2_product(codes: &[i8], query: &[i16]) -> i32 {
    use std::arch::x86_64::{
        _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128,
        _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_setzero_si256,
    };
    let (mut low, mut high) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    for (codes, numbers) in codes.chunks_exact(STRIDE).zip(query.chunks_exact(STRIDE)) {
        let (codes, numbers) = (codes.as_ptr(), numbers.as_ptr());
        // SAFETY: both pieces have `STRIDE` numbers, which are two loads of 16 bytes and two of 32.
        let (c0, c1, n0, n1) = unsafe {
            (
                _mm_loadu_si128(codes.cast()),
                _mm_loadu_si128(codes.add(STRIDE / 2).cast()),
                _mm256_loadu_si256(numbers.cast()),
                _mm256_loadu_si256(numbers.add(STRIDE / 2).cast()),
            )
        };
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_cvtepi8_epi16(c0), n0));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_cvtepi8_epi16(c1), n1));
    }
    let all = _mm256_add_epi32(low, high);
    let four = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
}

#[cfg(target_arch = "x86_64")]
fn wide_product(codes: &[i8], query: &[i16]) -> i32 {
    // SAFETY: `fastest` returns this only when the processor has AVX2.
    #[allow(unsafe_code)]
    unsafe {
        avx2_product(codes, query)
    }
}

/// Detects AVX2 at run time: the baseline of x86-64 is SSE2, which is several times slower.
#[cfg(target_arch = "x86_64")]
fn fastest() -> Product {
    if std::arch::is_x86_feature_detected!("avx2") {
        wide_product
    } else {
        plain_product
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn fastest() -> Product {
    plain_product
}

#[cfg(test)]
mod tests {
    use super::{CodedQuery, Codes, fastest, plain_product};

    /// Deterministic pseudo-random numbers.
    fn noise(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        }
    }

    fn direction(next: &mut impl FnMut() -> u64, dimensions: usize, spread: f32) -> Vec<f32> {
        let numbers: Vec<f32> = (0..dimensions)
            .map(|at| ((next() >> 40) as f32 / (1 << 24) as f32 - 0.5) * if at % 50 == 0 { spread } else { 1.0 })
            .collect();
        let length = numbers.iter().map(|x| x * x).sum::<f32>().sqrt();
        numbers.iter().map(|x| x / length).collect()
    }

    #[test]
    fn every_way_to_multiply_gives_the_same_sum() {
        let mut next = noise(7);
        for len in [0, 32, 64, 384, 1536, 4096] {
            for round in 0..20 {
                let codes: Vec<i8> = (0..len).map(|_| if round == 0 { -127 } else { next() as i8 }).collect();
                let query: Vec<i16> = (0..len).map(|_| next() as i16 / 64).collect();
                assert_eq!(fastest()(&codes, &query), plain_product(&codes, &query), "{len}");
            }
        }
    }

    #[test]
    fn the_exact_product_lies_in_the_range_however_uneven_the_vectors_are() {
        let mut next = noise(11);
        for dimensions in [1, 3, 31, 384, 3072] {
            for spread in [1.0, 30.0, 10_000.0] {
                let query = direction(&mut next, dimensions, spread);
                let mut codes = Codes::new(dimensions);
                for place in 0..30 {
                    let vector = direction(&mut next, dimensions, spread);
                    codes.push(&direction(&mut next, dimensions, 1.0));
                    codes.set(place, &vector);
                    let exact: f64 = query
                        .iter()
                        .zip(&vector)
                        .map(|(x, y)| f64::from(*x) * f64::from(*y))
                        .sum();
                    let range = codes.rows().nth(place).unwrap().range(&CodedQuery::new(&query));
                    assert!(
                        f64::from(range.least) <= exact && exact <= f64::from(range.most),
                        "{dimensions} dimensions, spread {spread}: {exact} is not in {range:?}"
                    );
                }
            }
        }
    }
}
