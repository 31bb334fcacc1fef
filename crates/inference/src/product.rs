//! Matrix products by the `rten-gemm` crate, which chooses instructions at run time (AVX-512 with VNNI, AVX2, NEON, else plain code).
//!
//! Weights are multiplied as they are stored, in eight bits: a row of activations is quantized when it is used (asymmetric, per row, as in
//! "dynamic quantization" of ONNX Runtime and PyTorch), the sums are exact integers, and both scales are applied to the sum.
//! Without VNNI the processor adds pairs of products in 16 bits, which activations of seven bits cannot overflow.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};
use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::SimdOp;
use rten_tensor::{Matrix, NdTensorView};
use rten_vecmath::{ExtendInit, MinMax, Quantize};

thread_local! {
    static FLOATS: GemmExecutor<f32> = GemmExecutor::default();
    static BYTES: GemmExecutor<u8, i8, i32> = GemmExecutor::default();
}

/// Runs products on a thread of their own. The library would use every core otherwise, and embedding in the background must not.
pub(crate) fn on_one_thread<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    static THREAD: OnceLock<Result<ThreadPool, String>> = OnceLock::new();
    let builder = || {
        ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|_| "forge-embed".to_owned())
    };
    let thread = THREAD.get_or_init(|| builder().build().map_err(|e| e.to_string()));
    thread.as_ref().map_err(Clone::clone)?.install(work)
}

/// Returns the `rows x columns` view of numbers whose rows are `row_step` apart.
pub(crate) fn view(numbers: &[f32], rows: usize, columns: usize, row_step: usize) -> Result<Matrix<'_>, String> {
    Matrix::from_data_with_strides([rows, columns], numbers, [row_step, 1]).map_err(|e| e.to_string())
}

/// Writes the product of `left` and `right`, times `factor`, to `result`, row by row without gaps.
pub(crate) fn product(result: &mut [f32], left: Matrix<'_>, right: Matrix<'_>, factor: f32) -> Result<(), String> {
    let options = GemmOptions {
        alpha: factor,
        ..GemmOptions::default()
    };
    let (left, right) = (GemmInputA::Unpacked(left), GemmInputB::Unpacked(right));
    FLOATS
        .with(|floats| floats.gemm(result, left, right, options))
        .map_err(|e| e.to_string())
}

/// Weights in eight bits, `outputs x inputs`, laid out for the processor.
pub(crate) struct Weight {
    packed: PackedBMatrix<i8>,
    /// One a row of the weights.
    scales: Vec<f32>,
    /// The sum of each row's values; with it, the share that the zero of a row of activations added is taken off. (The zero points of
    /// `rten-gemm` 0.27 are those of the wrong rows from its second tile on.)
    sums: Vec<f32>,
    inputs: usize,
}

impl Weight {
    pub fn new(values: &[i8], scales: Vec<f32>) -> Result<Self, String> {
        let inputs = values.len().checked_div(scales.len()).unwrap_or(0);
        if inputs == 0 || inputs * scales.len() != values.len() {
            return Err("a matrix of weights has no rows or rows of different lengths".to_owned());
        }
        let rows = NdTensorView::from_data([scales.len(), inputs], values);
        Ok(Weight {
            packed: BYTES.with(|bytes| bytes.prepack_b(rows.transposed())),
            scales,
            sums: values
                .chunks_exact(inputs)
                .map(|row| row.iter().copied().map(i32::from).sum::<i32>() as f32)
                .collect(),
            inputs,
        })
    }

    pub fn outputs(&self) -> usize {
        self.scales.len()
    }

    /// Returns `rows Wᵀ + bias`, row by row.
    pub fn apply(&self, rows: &[f32], bias: &[f32]) -> Result<Vec<f32>, String> {
        self.apply_to(&Activations::of(rows, self.inputs, activation_levels()), bias)
    }

    fn apply_to(&self, activations: &Activations, bias: &[f32]) -> Result<Vec<f32>, String> {
        let count = activations.scales.len();
        let mut sums = vec![0; count * self.outputs()];
        let left = GemmInputA::Unpacked(NdTensorView::from_data([count, self.inputs], &activations.values[..]));
        let right = GemmInputB::Packed(&self.packed);
        BYTES
            .with(|bytes| bytes.gemm(&mut sums, left, right, GemmOptions::default()))
            .map_err(|e| e.to_string())?;
        let mut result = Vec::with_capacity(sums.len());
        let scaled = activations.scales.iter().zip(&activations.zeros);
        for (sums, (scale, zero)) in sums.chunks_exact(self.outputs()).zip(scaled) {
            let zero = f32::from(*zero);
            let outputs = sums.iter().zip(&self.sums).zip(&self.scales).zip(bias);
            result.extend(outputs.map(|(((sum, of_weights), weight), bias)| {
                (*sum as f32 - zero * of_weights) * (scale * weight) + bias
            }));
        }
        Ok(result)
    }
}

/// Returns into how many levels above zero a row of activations is quantized on this processor.
fn activation_levels() -> f32 {
    if BYTES.with(GemmExecutor::may_saturate) {
        127.0
    } else {
        255.0
    }
}

/// Rows of numbers in eight bits: `(value - zero) * scale`.
struct Activations {
    values: Vec<u8>,
    zeros: Vec<u8>,
    scales: Vec<f32>,
}

impl Activations {
    fn of(rows: &[f32], width: usize, levels: f32) -> Self {
        let mut all = Activations {
            values: Vec::with_capacity(rows.len()),
            zeros: Vec::new(),
            scales: Vec::new(),
        };
        for row in rows.chunks_exact(width) {
            let (low, high) = MinMax::new(row).dispatch();
            let (low, high) = (low.min(0.0), high.max(0.0));
            let scale = ((high - low) / levels).max(f32::MIN_POSITIVE);
            let zero = (-low / scale).round() as u8;
            all.values
                .extend_init(|free| Quantize::new(row, free.split_at_mut(width).0, scale.recip(), zero).dispatch());
            all.zeros.push(zero);
            all.scales.push(scale);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_scaled_and_sizes_that_do_not_fit_are_refused() {
        let left = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let right = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let (wide, high) = (view(&left, 2, 3, 3).unwrap(), view(&right, 3, 2, 2).unwrap());
        let mut result = vec![10.0; 4];
        product(&mut result, wide, high, 2.0).unwrap();
        assert_eq!(result, [8.0, 10.0, 20.0, 22.0]);
        product(&mut result, wide, wide.transposed(), 1.0).unwrap();
        assert_eq!(result, [14.0, 32.0, 32.0, 77.0]);
        assert!(product(&mut [0.0; 4], wide, wide, 2.0).is_err());
        assert!(product(&mut [0.0; 3], wide, high, 2.0).is_err());
        assert!(view(&left, 2, 3, 4).is_err());
        assert!(Weight::new(&[1, 2, 3], vec![1.0, 1.0]).is_err());
        assert!(Weight::new(&[], Vec::new()).is_err());
    }

    #[test]
    fn a_product_in_eight_bits_is_within_the_rounding_of_both_sides() {
        let (inputs, outputs, rows) = (384, 50, 40);
        let values: Vec<i8> = (0..inputs * outputs).map(|at| (at * 31 % 255) as i8).collect();
        let scales: Vec<f32> = (0..outputs).map(|at| 0.001 * (at + 1) as f32).collect();
        let bias: Vec<f32> = (0..outputs).map(|at| at as f32 - 25.0).collect();
        // One row has only positive numbers, one only zeros.
        let numbers: Vec<f32> = (0..rows * inputs)
            .map(|at| match at / inputs {
                0 => (at % 97) as f32 / 10.0,
                1 => 0.0,
                _ => (at * 7 % 101) as f32 / 50.0 - 1.0,
            })
            .collect();
        let result = Weight::new(&values, scales.clone())
            .unwrap()
            .apply(&numbers, &bias)
            .unwrap();
        for row in 0..rows {
            let row_numbers = &numbers[row * inputs..(row + 1) * inputs];
            let (low, high) = MinMax::new(row_numbers).dispatch();
            for output in 0..outputs {
                let weights = &values[output * inputs..(output + 1) * inputs];
                let exact: f32 = row_numbers.iter().zip(weights).map(|(a, w)| a * f32::from(*w)).sum();
                let right = exact * scales[output] + bias[output];
                // The error of one number is half a level of seven bits; those of a row add up as a random walk does.
                let level = (high - low) / 127.0;
                let allowed = level * 127.0 * (inputs as f32).sqrt() * scales[output] + 1e-3;
                let found = result[row * outputs + output];
                assert!((found - right).abs() <= allowed, "{row} {output}: {found} for {right}");
            }
        }
    }

    #[test]
    fn a_product_is_that_of_plain_code_on_every_processor() {
        // With and without what adds products without overflow; the tiles of no instruction set fit these sizes.
        for (inputs, outputs, rows) in [(1, 1, 1), (7, 5, 3), (384, 37, 9), (1536, 65, 2)] {
            let values: Vec<i8> = (0..inputs * outputs).map(|at| (at * 89 % 255) as u8 as i8).collect();
            let scales: Vec<f32> = (0..outputs).map(|at| 0.002 * (at + 1) as f32).collect();
            let bias: Vec<f32> = (0..outputs).map(|at| at as f32 / 8.0).collect();
            let numbers: Vec<f32> = (0..rows * inputs)
                .map(|at| ((at * 13 + at / 7) % 97) as f32 / 9.0 - 5.0)
                .collect();
            let weight = Weight::new(&values, scales.clone()).unwrap();
            for levels in [127.0, activation_levels()] {
                let activations = Activations::of(&numbers, inputs, levels);
                let found = weight.apply_to(&activations, &bias).unwrap();
                let plain = activations
                    .values
                    .chunks(inputs)
                    .enumerate()
                    .flat_map(|(row, numbers)| {
                        let (zero, scale) = (f32::from(activations.zeros[row]), activations.scales[row]);
                        let outputs = values.chunks(inputs).zip(&scales).zip(&bias);
                        outputs.map(move |((weights, weight), bias)| {
                            let pairs = numbers.iter().zip(weights);
                            let sum: i32 = pairs
                                .map(|(number, weight)| i32::from(*number) * i32::from(*weight))
                                .sum();
                            let all: i32 = weights.iter().copied().map(i32::from).sum();
                            (sum as f32 - zero * all as f32) * (scale * weight) + bias
                        })
                    });
                assert_eq!(found, plain.collect::<Vec<f32>>(), "{inputs} {outputs} {rows} {levels}");
            }
        }
    }
}
