use std::collections::HashMap;

use super::*;

/// Weights of the right shapes with different numbers everywhere.
fn published(change: impl Fn(&mut Vec<(String, Vec<usize>)>)) -> Vec<u8> {
    let mut shapes = tensors();
    change(&mut shapes);
    let data: Vec<(String, Vec<usize>, Vec<u8>)> = shapes
        .into_iter()
        .map(|(name, shape)| {
            let count: usize = shape.iter().product();
            let numbers: Vec<f32> = (0..count)
                .map(|at| ((at * 7919 % 2003) as f32 - 1001.0) / 3003.0)
                .collect();
            (name, shape, bytes_of(&numbers))
        })
        .collect();
    let views = data
        .iter()
        .map(|(name, shape, bytes)| (name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
    safetensors::serialize(views, None::<HashMap<String, String>>).unwrap()
}

#[test]
fn a_dequantized_number_is_off_by_half_a_step_at_most() {
    let numbers: Vec<f32> = (0..40).map(|at| (at as f32 - 17.0) * 0.013).collect();
    let matrix = QuantizedMatrix::quantize(&numbers, 8);
    let mut back = Vec::new();
    matrix.dequantize_into(&mut back);
    for (row, (was, is)) in numbers.chunks(8).zip(back.chunks(8)).enumerate() {
        let step = was.iter().fold(0.0_f32, |most, number| most.max(number.abs())) / 127.0;
        assert!(
            was.iter().zip(is).all(|(a, b)| (a - b).abs() <= step * 0.5001),
            "row {row}: {was:?} {is:?}"
        );
    }
}

#[test]
fn a_row_of_zeros_and_a_missing_row_add_nothing() {
    let matrix = QuantizedMatrix::quantize(&[0.0, 0.0, 1.0, -2.0], 2);
    let mut sum = vec![5.0, 5.0];
    matrix.add_row_to(0, &mut sum);
    matrix.add_row_to(9, &mut sum);
    assert_eq!(sum, [5.0, 5.0]);
    matrix.add_row_to(1, &mut sum);
    assert!((sum[0] - 6.0).abs() < 0.01 && (sum[1] - 3.0).abs() < 0.01, "{sum:?}");
}

#[test]
fn quantizing_is_deterministic_and_takes_a_quarter_of_the_bytes() {
    let published = published(|_| ());
    let quantized = quantize(&published).unwrap();
    assert_eq!(quantized, quantize(&published).unwrap());
    assert!(quantized.len() * 39 / 10 < published.len());
    let weights = Weights::read(&quantized).unwrap();
    let mut words = Vec::new();
    let matrix = weights.matrix("embeddings.word_embeddings.weight").unwrap();
    matrix.dequantize_into(&mut words);
    assert_eq!(words.len(), VOCABULARY * DIMENSIONS);
    let bias = weights.vector(&layer_tensor(3, "intermediate.dense.bias")).unwrap();
    assert_eq!(bias.len(), INTERMEDIATE);
}

#[test]
fn a_missing_or_misshapen_tensor_is_named_in_the_error() {
    let lacking = published(|tensors| drop(tensors.pop()));
    assert!(
        quantize(&lacking)
            .unwrap_err()
            .contains("encoder.layer.5.output.LayerNorm.bias")
    );
    let other = published(|tensors| tensors[3].1 = vec![DIMENSIONS + 1]);
    assert!(quantize(&other).unwrap_err().contains("embeddings.LayerNorm.weight"));
}

#[test]
fn invalid_bytes_are_refused() {
    let good = quantize(&published(|_| ())).unwrap();
    for bytes in [&b""[..], &[0xff; 64], &good[..good.len() - 1], &good[..100]] {
        assert!(Weights::read(bytes).is_err());
        assert!(quantize(bytes).is_err());
    }
}
