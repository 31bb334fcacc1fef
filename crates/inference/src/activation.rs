//! GELU and softmax, written so that the compiler vectorizes them on every processor.
//!
//! `exp` is range reduction to `2^k * e^r` with `|r| <= ln 2 / 2` (Cody and Waite 1980) and a Taylor polynomial of degree six;
//! `erf` is formula 7.1.26 of Abramowitz and Stegun. The functions of the standard library are exact to the last bit, but take one
//! number at a time: on a long text they would cost more than all matrix products. The relative error here is below 1e-6,
//! far below that of eight-bit weights.

use forge_memory_embed::architecture::Activation;

/// Applies an activation function to every number.
pub(crate) fn activate(activation: Activation, numbers: &mut [f32]) {
    match activation {
        Activation::Gelu => gelu(numbers),
        Activation::GeluTanh => numbers.iter_mut().for_each(|number| *number = gelu_tanh_of(*number)),
        Activation::Relu => numbers.iter_mut().for_each(|number| *number = number.max(0.0)),
    }
}

/// Replaces every number by `gelu(x) = x * (1 + erf(x / sqrt 2)) / 2` (Hendrycks and Gimpel 2016).
fn gelu(numbers: &mut [f32]) {
    for number in numbers {
        *number = gelu_of(*number);
    }
}

/// Replaces every row by its softmax after scaling: `exp(scale * (x - max)) / sum`. Every row then adds up to one.
pub(crate) fn softmax(rows: &mut [f32], columns: usize, scale: f32) {
    for row in rows.chunks_exact_mut(columns) {
        let top = row.iter().fold(
            f32::NEG_INFINITY,
            |top, number| if *number > top { *number } else { top },
        );
        for number in row.iter_mut() {
            *number = exp((*number - top) * scale);
        }
        let normalizer = sum(row, |number| number).recip();
        for number in row {
            *number *= normalizer;
        }
    }
}

/// Sums `of` over a row with eight accumulators: with a single one, every addition would wait for the one before.
#[inline(always)]
pub(crate) fn sum(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut accumulators = [0.0_f32; 8];
    let (eights, rest) = row.as_chunks::<8>();
    for eight in eights {
        for (accumulator, number) in accumulators.iter_mut().zip(eight) {
            *accumulator += of(*number);
        }
    }
    accumulators.iter().sum::<f32>() + rest.iter().map(|number| of(*number)).sum::<f32>()
}

#[inline(always)]
fn gelu_of(x: f32) -> f32 {
    // Abramowitz and Stegun, 7.1.26.
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let sum = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    let erf = 1.0 - sum * exp(-z * z);
    0.5 * x * (1.0 + erf.copysign(x))
}

/// GELU with `tanh` in the place of `erf` (Hendrycks and Gimpel 2016, section 2): `x * sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))`.
#[inline(always)]
fn gelu_tanh_of(x: f32) -> f32 {
    let inner = 1.595_769 * (x + 0.044_715 * x * x * x);
    // The sigmoid of a negative number, which does not overflow; sigmoid(-x) = 1 - sigmoid(x).
    let tail = exp(-inner.abs());
    let sigmoid = if inner < 0.0 {
        tail / (1.0 + tail)
    } else {
        1.0 / (1.0 + tail)
    };
    x * sigmoid
}

/// `e` to the power of a number that is not positive; about 1e-38 below -87.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // 1.5 * 2^23: adding it rounds to an integer, which is in the lowest bits of the sum.
    const ROUND: f32 = 12_582_912.0;
    let x = x.max(-87.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // ln 2 as the sum of two numbers: the product with the first is exact.
    let rest = (x - whole * 0.693_359_4) + whole * 2.121_944_4e-4;
    let sum = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest * (0.166_666_66 + rest * (0.041_666_66 + rest * (0.008_333_33 + rest * 0.001_388_89)))));
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    sum * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_has_a_relative_error_below_one_millionth() {
        for step in 0..87_000 {
            let x = -(step as f32) / 1000.0;
            let right = f64::from(x).exp();
            assert!((f64::from(exp(x)) / right - 1.0).abs() < 1e-6, "{x}");
        }
        assert!(exp(-1000.0) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn gelu_matches_known_values() {
        // Known values, to seven digits.
        for (x, right) in [
            (-8.0, 0.0),
            (-3.0, -0.004_049_69),
            (-1.0, -0.158_655_3),
            (-0.5, -0.154_268_8),
            (0.0, 0.0),
            (0.5, 0.345_731_2),
            (1.0, 0.841_344_7),
            (3.0, 2.995_95),
            (8.0, 8.0),
        ] {
            assert!((gelu_of(x) - right).abs() < 1e-6, "{x}: {}", gelu_of(x));
        }
    }

    #[test]
    fn the_other_activations_match_double_precision() {
        for step in -800..=800 {
            let x = step as f32 / 100.0;
            let wide = f64::from(x);
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (wide + 0.044_715 * wide.powi(3));
            let right = 0.5 * wide * (1.0 + inner.tanh());
            assert!((f64::from(gelu_tanh_of(x)) - right).abs() < 2e-6, "{x}");
        }
        let mut numbers = [-1.0, 0.0, 2.5];
        activate(Activation::Relu, &mut numbers);
        assert_eq!(numbers, [0.0, 0.0, 2.5]);
    }

    #[test]
    fn softmax_adds_up_to_one_and_matches_double_precision() {
        for len in [1_usize, 2, 7, 8, 9, 64, 255] {
            let mut row: Vec<f32> = (0..len).map(|at| (at * 37 % 101) as f32 - 50.0).collect();
            let before = row.clone();
            softmax(&mut row, len, 0.5);
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            let top = before.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let whole: f64 = before.iter().map(|number| (f64::from(number - top) / 2.0).exp()).sum();
            for (weight, number) in row.iter().zip(&before) {
                assert!((f64::from(*weight) - (f64::from(number - top) / 2.0).exp() / whole).abs() < 1e-6);
            }
        }
    }
}
