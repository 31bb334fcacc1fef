use std::collections::HashMap;

use super::*;
use crate::architecture::{KNOWN, layer_tensor};
use crate::tiny::Tiny;
use crate::weights::{HEADER_BYTES_MAX, Weights};

/// Weights of the right shapes with different numbers everywhere.
fn published(change: impl Fn(&mut Vec<(String, Vec<usize>)>)) -> Vec<u8> {
    let tensors = KNOWN.tensors().into_iter();
    let mut shapes: Vec<(String, Vec<usize>)> = tensors.map(|one| (one.name, one.shape)).collect();
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

/// Quantizes a whole file, as it was published or not.
fn quantized(bytes: &[u8]) -> Result<Vec<u8>> {
    quantized_as(bytes, bytes.len() as u64).map(|(weights, _)| weights)
}

fn quantized_as(bytes: &[u8], len: u64) -> Result<(Vec<u8>, Architecture)> {
    quantize(Published {
        path: Path::new("model.safetensors"),
        bytes: len,
        reader: &mut &bytes[..],
    })
}

#[test]
fn quantizing_is_deterministic_and_takes_a_quarter_of_the_bytes() {
    let published = published(|_| ());
    let (made, architecture) = quantized_as(&published, published.len() as u64).unwrap();
    assert_eq!(made, quantized(&published).unwrap());
    assert_eq!(architecture, KNOWN);
    assert!(made.len() * 39 / 10 < published.len());
    let mut weights = Weights::read(&mut &made[..], made.len() as u64).unwrap();
    let (words, hidden) = (KNOWN.vocabulary, KNOWN.hidden);
    let matrix = weights.matrix_of(WORDS, words, hidden).unwrap();
    assert_eq!(matrix.values().len(), words * hidden);
    let bias = weights
        .vector_of(&layer_tensor(3, "intermediate.dense.bias"), KNOWN.intermediate)
        .unwrap();
    assert_eq!(bias.len(), KNOWN.intermediate);
    assert!(weights.matrix_of(WORDS, words, hidden).is_err(), "each is taken once");
}

#[test]
fn a_missing_or_misshapen_tensor_is_named_in_the_error() {
    let lacking = published(|tensors| drop(tensors.pop()));
    assert!(
        quantized(&lacking)
            .unwrap_err()
            .to_string()
            .contains("encoder.layer.5.output.LayerNorm.bias")
    );
    let other = published(|tensors| tensors[3].1 = vec![KNOWN.hidden + 1]);
    assert!(
        quantized(&other)
            .unwrap_err()
            .to_string()
            .contains("embeddings.LayerNorm.weight")
    );
}

#[test]
fn invalid_bytes_are_refused() {
    let good = quantized(&published(|_| ())).unwrap();
    for bytes in [&b""[..], &[0xff; 64], &good[..good.len() - 1], &good[..100]] {
        assert!(Weights::read(&mut &bytes[..], bytes.len() as u64).is_err());
        assert!(
            Weights::read(&mut &bytes[..], good.len() as u64).is_err(),
            "it was longer before"
        );
        assert!(quantized(bytes).is_err());
    }
}

/// What a wrong file of a tiny model is refused with.
fn refusal(bytes: &[u8], len: u64) -> String {
    let refused = quantized_as(bytes, len).unwrap_err();
    format!("{} {refused}", refused.code())
}

#[test]
fn a_file_truncated_anywhere_is_refused() {
    let whole = Tiny::default().weights();
    let len = whole.len();
    for cut in [0, 1, 7, 8, 20, 1000, len / 2, len - 1] {
        let said = refusal(&whole[..cut], cut as u64);
        assert!(said.starts_with("CORRUPT"), "{cut}: {said}");
        // The length that an archive declares is not what comes.
        assert!(refusal(&whole[..cut], len as u64).contains("cut off"), "{cut}");
    }
    let longer = [&whole[..], b"more"].concat();
    assert!(refusal(&longer, len as u64).contains("longer than its header"));
    assert!(refusal(&longer, longer.len() as u64).contains("its header describes"));
}

#[test]
fn a_length_is_checked_before_that_many_bytes_are_read() {
    // A reader that has no end: what reads more than it should would never come back, or run out of memory.
    let endless = |header: u64, len: u64| {
        let field = header.to_le_bytes();
        let mut reader = field.chain(std::io::repeat(b' '));
        let published = Published {
            path: Path::new("model.safetensors"),
            bytes: len,
            reader: &mut reader,
        };
        let refused = quantize(published).unwrap_err();
        format!("{} {refused}", refused.code())
    };
    let two_gigabytes = 2 << 30;
    assert!(endless(two_gigabytes, 1000).contains("header would have 2147483648 bytes"));
    assert!(endless(u64::MAX, u64::MAX / 2).contains("at most 536870912"));
    assert!(endless(two_gigabytes - 8, two_gigabytes).contains("at most 536870912"));
    assert!(endless(HEADER_BYTES_MAX + 1, WEIGHTS_BYTES_MAX).contains("header would have"));
    assert!(endless(200, WEIGHTS_BYTES_MAX).contains("header cannot be read"));
}

#[test]
fn offsets_that_overlap_leave_holes_or_do_not_fit_the_shape_are_refused() {
    let tensor =
        |shape: &str, from: u64, to: u64| format!(r#"{{"dtype":"F32","shape":{shape},"data_offsets":[{from},{to}]}}"#);
    for (one, other, data) in [
        (tensor("[2]", 0, 8), tensor("[2]", 4, 12), 12),
        (tensor("[2]", 0, 8), tensor("[2]", 12, 20), 20),
        (tensor("[2]", 0, 8), tensor("[3]", 8, 16), 16),
        (tensor("[2]", 8, 0), tensor("[2]", 0, 8), 8),
        (tensor("[9223372036854775807,8]", 0, 8), tensor("[2]", 8, 16), 16),
    ] {
        let header = format!(r#"{{"a":{one},"b":{other}}}"#);
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.resize(bytes.len() + data, 0);
        let said = refusal(&bytes, bytes.len() as u64);
        assert!(
            said.starts_with("CORRUPT") && said.contains("header cannot be read"),
            "{said}"
        );
    }
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for name in [
            "embeddings.word_embeddings.weight",
            "encoder.layer.0.output.LayerNorm.bias",
        ] {
            let mut tiny = Tiny::default();
            tiny.change(name, |numbers| numbers[3] = wrong);
            let said = refusal(&tiny.weights(), tiny.weights().len() as u64);
            assert!(said.contains("not a finite number") && said.contains(name), "{said}");
        }
    }
}

#[test]
fn missing_extra_and_misshapen_tensors_are_named() {
    let refused = |change: &dyn Fn(&mut Tiny)| {
        let mut tiny = Tiny::default();
        change(&mut tiny);
        let bytes = tiny.weights();
        refusal(&bytes, bytes.len() as u64)
    };
    let missing = "encoder.layer.0.attention.self.key.bias";
    assert!(refused(&|tiny| tiny.drop(missing)).contains(&format!("no tensor {missing}")));
    assert!(refused(&|tiny| tiny.drop("embeddings.word_embeddings.weight")).contains("no tensor embeddings.word"));
    let last = "encoder.layer.0.output.dense.weight";
    assert!(refused(&|tiny| tiny.drop(last)).contains(&format!("no tensor {last}")));
    for extra in [
        "encoder.layer.2.output.dense.weight",
        "encoder.layer.0.attention.self.distance_embedding.weight",
        "encoder.relative_attention_bias.weight",
    ] {
        assert!(refused(&|tiny| tiny.add(extra, &[9, 8])).contains(extra));
    }
    let said = refused(&|tiny| {
        tiny.drop(missing);
        tiny.add(missing, &[31]);
    });
    assert!(said.contains("F32 of [31], expected F32 of [384]"), "{said}");
    assert!(refused(&|tiny| tiny.dtype = Dtype::I32).contains("is I32 of"));
    // What stands beside the network does no harm.
    let mut tiny = Tiny::default();
    tiny.add("pooler.dense.weight", &[32, 32]);
    tiny.add("embeddings.position_ids", &[1, 40]);
    tiny.add("cls.predictions.bias", &[7]);
    assert_eq!(
        quantized(&tiny.weights()).unwrap(),
        quantized(&Tiny::default().weights()).unwrap()
    );
}
