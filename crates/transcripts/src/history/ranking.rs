//! Scalar quantization of vectors.
//!
//! A vector is normalised to length 1 and stored as signed bytes with one step size (symmetric int8 quantization): `v[i] = step * code[i]`,
//! `step = max|v[i]| / 127`. The cosine of two vectors is then `step_a * step_b * sum(code_a[i] * code_b[i])`.

/// A unit vector, one byte per component.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QuantizedVector {
    /// The value of one step of a code.
    pub step: f32,
    codes: Vec<i8>,
}

impl QuantizedVector {
    /// Normalises and quantizes a vector; `None` when its length is 0 or not finite.
    pub(super) fn quantize(vector: &[f32]) -> Option<Self> {
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        if !(length.is_finite() && length > 0.0) {
            return None;
        }
        let largest = vector.iter().fold(0.0_f32, |most, number| most.max(number.abs())) / length;
        let step = largest / 127.0;
        let codes = vector
            .iter()
            .map(|number| (number / length / step).round() as i8)
            .collect();
        Some(QuantizedVector { step, codes })
    }

    /// The inverse of [`QuantizedVector::bytes`].
    pub(super) fn from_bytes(step: f64, bytes: &[u8]) -> Self {
        QuantizedVector {
            step: step as f32,
            codes: bytes.iter().map(|byte| *byte as i8).collect(),
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.codes.iter().map(|code| *code as u8).collect()
    }

    /// Returns the cosine of two vectors, -1 to 1; 0 when their dimensions differ.
    pub(super) fn cosine(&self, other: &QuantizedVector) -> f32 {
        if self.codes.len() != other.codes.len() {
            return 0.0;
        }
        let pairs = self.codes.iter().zip(&other.codes);
        let product: i32 = pairs.map(|(one, two)| i32::from(*one) * i32::from(*two)).sum();
        product as f32 * self.step * other.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantized_vector_keeps_its_direction() {
        let (one, other) = (
            QuantizedVector::quantize(&[3.0, 4.0]).unwrap(),
            QuantizedVector::quantize(&[4.0, -3.0]).unwrap(),
        );
        assert!((one.cosine(&one) - 1.0).abs() < 0.02);
        assert!(one.cosine(&other).abs() < 0.02);
        assert_eq!(QuantizedVector::from_bytes(f64::from(one.step), &one.bytes()), one);
        assert_eq!(QuantizedVector::quantize(&[0.0, 0.0]), None);
        assert_eq!(one.cosine(&QuantizedVector::quantize(&[1.0]).unwrap()), 0.0);
    }
}
