//! Scalar quantization of vectors to eight bits (as in Faiss SQ8), with an error bound per vector, for filter and
//! refine. A scan of the codes reads a quarter of the memory and yields `low <= dot(q, x) <= high` for each vector.
//! Only vectors whose `high` is at least the k-th largest `low` are compared precisely. The result is therefore exact,
//! unlike that of an approximate index.
//!
//! The quantization error can be stored as a second code (residual quantization); both together have sixteen bits per
//! dimension. All sums are integer sums, so the result is the same on every machine and in every order.

/// Codes are padded to multiples of this, so that SIMD code needs no remainder loop.
const STRIDE: usize = 32;
const CODE_MAX: f32 = 127.0;
/// The ratio between the steps of the codes and of the residual codes: rounding loses at most half a step.
pub(super) const RESIDUAL_STEPS: f32 = 2.0 * CODE_MAX;
/// A query is quantized to 16 bits, or fewer when the sum of products could overflow 32 bits.
const QUERY_MAX: f32 = 32_767.0;
const SUM_MAX: f32 = (1 << 30) as f32;

/// Returns the number of bytes of the codes of a vector.
pub fn stride_of(dimensions: usize) -> usize {
    dimensions.max(1).next_multiple_of(STRIDE)
}

/// The parameters of a vector's quantization.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scale {
    /// The step size of the codes.
    pub step: f32,
    /// The Euclidean norm of the quantization error.
    pub loss: f32,
}

/// Writes the codes of a unit vector.
pub fn quantize(vector: &[f32], codes: &mut [u8]) -> Scale {
    let step = greatest(vector) / CODE_MAX;
    let mut lost = 0.0;
    for (code, number) in codes.iter_mut().zip(vector) {
        let rounded = (number / step).round().clamp(-CODE_MAX, CODE_MAX);
        *code = (rounded as i8).cast_unsigned();
        lost += f64::from(number - rounded * step).powi(2);
    }
    Scale {
        step,
        loss: lost.sqrt() as f32,
    }
}

/// Writes the codes of the quantization error (residual).
pub fn quantize_residual(vector: &[f32], codes: &[u8], step: f32, residual: &mut [u8]) {
    let fine = step / RESIDUAL_STEPS;
    for ((out, code), number) in residual.iter_mut().zip(codes).zip(vector) {
        let left = number - f32::from(code.cast_signed()) * step;
        *out = ((left / fine).round().clamp(-CODE_MAX, CODE_MAX) as i8).cast_unsigned();
    }
}

/// A quantized unit query.
#[derive(Debug)]
pub struct CodedQuery {
    numbers: Vec<i16>,
    step: f32,
    /// An upper bound of the error in any product that is caused by quantizing the query.
    loss: f32,
    product: Product,
}

/// Bounds of the exact dot product.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// The lower bound.
    pub least: f32,
    /// The upper bound.
    pub most: f32,
}

type Product = fn(&[u8], &[i16]) -> i32;

impl CodedQuery {
    /// Quantizes a unit query.
    pub fn new(query: &[f32]) -> Self {
        let all: f32 = query.iter().map(|number| number.abs()).sum();
        let step = (greatest(query) / QUERY_MAX).max(all * CODE_MAX / SUM_MAX);
        let mut numbers = vec![0; stride_of(query.len())];
        let mut lost = 0.0;
        for (rounded, number) in numbers.iter_mut().zip(query) {
            *rounded = (number / step).round() as i16;
            lost += f64::from(number - f32::from(*rounded) * step).powi(2);
        }
        // The norm of a decoded vector is at most 2; sums of floating point numbers are rounded as well.
        let rounding = query.len() as f32 * 2.0 * f32::EPSILON;
        CodedQuery {
            numbers,
            step,
            loss: 2.0 * lost.sqrt() as f32 + rounding,
            product: fastest(),
        }
    }

    /// Returns bounds of the dot product of the query and a vector.
    #[inline]
    pub fn range(&self, codes: &[u8], scale: Scale) -> Range {
        let sum = (self.product)(codes, &self.numbers);
        let estimate = sum as f32 * (scale.step * self.step);
        // Cauchy-Schwarz: |<q, x> - <q, x'>| <= |q| * |x - x'| = |x - x'|, since |q| = 1.
        let off = scale.loss + self.loss;
        Range {
            least: estimate - off,
            most: estimate + off,
        }
    }

    /// Returns the dot product of the query and a vector with residual codes.
    pub fn product(&self, codes: &[u8], residual: &[u8], step: f32) -> f64 {
        let coarse = f64::from((self.product)(codes, &self.numbers));
        let fine = f64::from((self.product)(residual, &self.numbers));
        (coarse + fine / f64::from(RESIDUAL_STEPS)) * f64::from(step) * f64::from(self.step)
    }
}

fn greatest(vector: &[f32]) -> f32 {
    vector
        .iter()
        .fold(f32::MIN_POSITIVE, |most, number| most.max(number.abs()))
}

/// Computes the dot product in a form that the compiler vectorizes for every processor.
fn plain_product(codes: &[u8], query: &[i16]) -> i32 {
    let products = codes
        .iter()
        .zip(query)
        .map(|(code, number)| i32::from(code.cast_signed()) * i32::from(*number));
    products.sum()
}

/// Computes the same with AVX2 intrinsics, 32 dimensions at a time: automatic vectorization depends on the build flags.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
fn avx2_product(codes: &[u8], query: &[i16]) -> i32 {
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
fn wide_product(codes: &[u8], query: &[i16]) -> i32 {
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

/// Normalizes a vector to unit length; `None` when its norm is 0 or not finite.
pub fn unit_of(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    let scaled = |x: &f32| (f64::from(*x) / length) as f32;
    (length.is_finite() && length > 0.0).then(|| vector.iter().map(scaled).collect())
}

#[cfg(test)]
mod tests {
    use super::{CodedQuery, fastest, plain_product, quantize, quantize_residual, stride_of};

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
    fn all_implementations_of_the_product_agree() {
        let mut next = noise(7);
        for len in [0, 32, 64, 384, 1536, 4096] {
            for round in 0..20 {
                let codes: Vec<u8> = (0..len)
                    .map(|_| {
                        if round == 0 {
                            (-127_i8).cast_unsigned()
                        } else {
                            next() as u8
                        }
                    })
                    .collect();
                let query: Vec<i16> = (0..len).map(|_| next() as i16 / 64).collect();
                assert_eq!(fastest()(&codes, &query), plain_product(&codes, &query), "{len}");
            }
        }
    }

    #[test]
    fn the_exact_product_lies_within_the_bounds_for_uneven_vectors() {
        let mut next = noise(11);
        for dimensions in [1, 3, 31, 384, 3072] {
            for spread in [1.0, 30.0, 10_000.0] {
                let query = direction(&mut next, dimensions, spread);
                for _ in 0..30 {
                    let vector = direction(&mut next, dimensions, spread);
                    let mut codes = vec![0; stride_of(dimensions)];
                    let scale = quantize(&vector, &mut codes);
                    let mut residual = codes.clone();
                    quantize_residual(&vector, &codes, scale.step, &mut residual);
                    let exact: f64 = query
                        .iter()
                        .zip(&vector)
                        .map(|(x, y)| f64::from(*x) * f64::from(*y))
                        .sum();
                    let coded = CodedQuery::new(&query);
                    let range = coded.range(&codes, scale);
                    assert!(
                        f64::from(range.least) <= exact && exact <= f64::from(range.most),
                        "{dimensions} dimensions, spread {spread}: {exact} is not in {range:?}"
                    );
                    let close = coded.product(&codes, &residual, scale.step);
                    let step = f64::from(scale.step) / 254.0 * (dimensions as f64).sqrt();
                    assert!(
                        (close - exact).abs() <= step + f64::from(coded.loss),
                        "{dimensions} dimensions, spread {spread}: {close} is not {exact}"
                    );
                }
            }
        }
    }
}
