use super::*;

impl QuantizedMatrix {
    fn quantize(numbers: &[f32], columns: usize) -> Self {
        let mut matrix = QuantizedMatrix::empty(columns);
        matrix.quantize_rows(numbers);
        matrix
    }
}

#[test]
fn a_dequantized_number_is_off_by_half_a_step_at_most() {
    let numbers: Vec<f32> = (0..40).map(|at| (at as f32 - 17.0) * 0.013).collect();
    let matrix = QuantizedMatrix::quantize(&numbers, 8);
    let mut back = vec![0.0; numbers.len()];
    for (row, sum) in back.chunks_mut(8).enumerate() {
        matrix.add_row_to(row, sum);
    }
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
