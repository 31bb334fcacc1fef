use std::collections::HashMap;

use super::*;

/// Weights of the right shapes with numbers that differ everywhere.
fn published(change: impl Fn(&mut Vec<(String, Vec<usize>)>)) -> Vec<u8> {
    let mut shapes = parts();
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
fn a_number_comes_back_within_half_a_step_of_its_row() {
    let numbers: Vec<f32> = (0..40).map(|at| (at as f32 - 17.0) * 0.013).collect();
    let rows = Rows::round(&numbers, 8);
    let mut back = Vec::new();
    rows.expand(&mut back);
    for (row, (was, is)) in numbers.chunks(8).zip(back.chunks(8)).enumerate() {
        let step = was.iter().fold(0.0_f32, |most, number| most.max(number.abs())) / 127.0;
        assert!(
            was.iter().zip(is).all(|(a, b)| (a - b).abs() <= step * 0.5001),
            "row {row}: {was:?} {is:?}"
        );
    }
}

#[test]
fn a_row_of_zeros_stays_one_and_a_row_that_is_not_there_adds_nothing() {
    let rows = Rows::round(&[0.0, 0.0, 1.0, -2.0], 2);
    let mut sum = vec![5.0, 5.0];
    rows.add_to(0, &mut sum);
    rows.add_to(9, &mut sum);
    assert_eq!(sum, [5.0, 5.0]);
    rows.add_to(1, &mut sum);
    assert!((sum[0] - 6.0).abs() < 0.01 && (sum[1] - 3.0).abs() < 0.01, "{sum:?}");
}

#[test]
fn the_same_weights_become_the_same_bytes_a_quarter_as_long() {
    let published = published(|_| ());
    let converted = convert(&published).unwrap();
    assert_eq!(converted, convert(&published).unwrap());
    assert!(converted.len() * 39 / 10 < published.len());
    let weights = Weights::read(&converted).unwrap();
    let mut words = Vec::new();
    let rows = weights.rows("embeddings.word_embeddings.weight").unwrap();
    rows.expand(&mut words);
    assert_eq!(words.len(), VOCABULARY * DIMENSIONS);
    let bias = weights.vector(&part_of(3, "intermediate.dense.bias")).unwrap();
    assert_eq!(bias.len(), INNER);
}

#[test]
fn weights_that_lack_a_part_or_have_another_shape_are_refused_by_its_name() {
    let lacking = published(|parts| drop(parts.pop()));
    assert!(
        convert(&lacking)
            .unwrap_err()
            .contains("encoder.layer.5.output.LayerNorm.bias")
    );
    let other = published(|parts| parts[3].1 = vec![DIMENSIONS + 1]);
    assert!(convert(&other).unwrap_err().contains("embeddings.LayerNorm.weight"));
}

#[test]
fn bytes_that_are_no_weights_are_refused() {
    let good = convert(&published(|_| ())).unwrap();
    for bytes in [&b""[..], &[0xff; 64], &good[..good.len() - 1], &good[..100]] {
        assert!(Weights::read(bytes).is_err());
        assert!(convert(bytes).is_err());
    }
}
