//! The reference implementation of the network: one text and one number at a time, in double precision, with its own quantization of
//! weights and activations. It shares no code with the encoder that it checks.

use super::{Tiny, id_of};
use crate::architecture::{Activation, Family};

/// Token ids and types of a text of whole words between the special tokens.
pub(crate) fn tokens_of(text: &str) -> Vec<(usize, usize)> {
    let words = text.split_whitespace().map(id_of);
    let ids = std::iter::once(id_of("[CLS]")).chain(words).chain([id_of("[SEP]")]);
    ids.map(|id| (id, 0)).collect()
}

/// Token ids and types of a pair.
pub(crate) fn pair_of(first: &str, second: &str) -> Vec<(usize, usize)> {
    let mut pair = tokens_of(first);
    pair.extend(second.split_whitespace().map(|word| (id_of(word), 1)));
    pair.push((id_of("[SEP]"), 1));
    pair
}

type Rows = Vec<Vec<f64>>;

/// Quantizes a matrix like the installation: 127 steps up to the largest absolute value of each row.
fn matrix(tiny: &Tiny, name: &str, columns: usize) -> Rows {
    let rows = tiny.numbers(name).chunks(columns).map(|row| {
        let largest = row.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        // In single precision, so that ties are rounded like in the installation.
        let step = largest / 127.0;
        row.iter()
            .map(|number| f64::from((number / step).round()) * f64::from(step))
            .collect()
    });
    rows.collect()
}

fn vector(tiny: &Tiny, name: &str) -> Vec<f64> {
    tiny.numbers(name).iter().map(|number| f64::from(*number)).collect()
}

/// Quantizes a row of activations like the encoder: equal levels from its least number (or zero) to its largest.
fn rounded(row: &[f64]) -> Vec<f64> {
    let (low, high) = row
        .iter()
        .fold((0.0_f64, 0.0_f64), |(low, high), x| (low.min(*x), high.max(*x)));
    let step = ((high - low) / f64::from(forge_memory_inference::activation_levels())).max(1e-30);
    row.iter().map(|x| (x / step).round() * step).collect()
}

fn affine(tiny: &Tiny, name: &str, input: &Rows) -> Rows {
    let weight = matrix(tiny, &format!("{name}.weight"), input[0].len());
    let bias = vector(tiny, &format!("{name}.bias"));
    let of = |row: &Vec<f64>| {
        let row = rounded(row);
        let outputs = weight.iter().zip(&bias);
        outputs
            .map(|(own, bias)| own.iter().zip(&row).map(|(a, b)| a * b).sum::<f64>() + bias)
            .collect()
    };
    input.iter().map(of).collect()
}

fn normalized(tiny: &Tiny, name: &str, input: &Rows) -> Rows {
    let (gamma, beta) = (
        vector(tiny, &format!("{name}.weight")),
        vector(tiny, &format!("{name}.bias")),
    );
    let epsilon = tiny.config["layer_norm_eps"].as_f64().unwrap();
    let of = |row: &Vec<f64>| {
        let len = row.len() as f64;
        let mean = row.iter().sum::<f64>() / len;
        let variance = row.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / len;
        let numbers = row.iter().zip(gamma.iter().zip(&beta));
        numbers
            .map(|(number, (gamma, beta))| (number - mean) / (variance + epsilon).sqrt() * gamma + beta)
            .collect()
    };
    input.iter().map(of).collect()
}

fn added(one: &Rows, other: &Rows) -> Rows {
    let rows = one.iter().zip(other);
    rows.map(|(one, other)| one.iter().zip(other).map(|(a, b)| a + b).collect())
        .collect()
}

/// The error function by its Maclaurin series, which converges everywhere.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut sum, mut term) = (0.0, x);
    for n in 0..200 {
        sum += term / f64::from(2 * n + 1);
        term *= -x * x / f64::from(n + 1);
    }
    2.0 / std::f64::consts::PI.sqrt() * sum
}

fn activated(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Gelu => 0.5 * x * (1.0 + erf(x / 2.0_f64.sqrt())),
        Activation::GeluTanh => {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
        }
        Activation::Relu => x.max(0.0),
    }
}

/// The bucket of a relative position, as the published code of MPNet computes it.
fn bucket(query: usize, key: usize) -> usize {
    let mut n = query as i64 - key as i64;
    let mut bucket = 0;
    if n < 0 {
        bucket += 16;
        n = -n;
    }
    if n < 8 {
        return bucket + n as usize;
    }
    let large = 8 + ((n as f64 / 8.0).ln() / 16.0_f64.ln() * 8.0) as i64;
    bucket + large.min(15) as usize
}

/// The last hidden states of a text.
pub(crate) fn hidden_states(tiny: &Tiny, tokens: &[(usize, usize)]) -> Rows {
    let architecture = tiny.architecture();
    let (hidden, heads) = (architecture.hidden, architecture.heads);
    let table = |name: &str| matrix(tiny, &format!("embeddings.{name}.weight"), hidden);
    let (words, positions) = (table("word_embeddings"), table("position_embeddings"));
    let kinds = (architecture.family != Family::Mpnet).then(|| table("token_type_embeddings"));
    let bias =
        (architecture.family == Family::Mpnet).then(|| matrix(tiny, "encoder.relative_attention_bias.weight", heads));
    let first = match architecture.family {
        Family::Bert => 0,
        Family::Roberta | Family::Mpnet => 2,
    };
    let embedded = tokens.iter().enumerate().map(|(at, (id, kind))| {
        (0..hidden)
            .map(|column| {
                let kind = kinds.as_ref().map_or(0.0, |kinds| kinds[*kind][column]);
                words[*id][column] + positions[at + first][column] + kind
            })
            .collect()
    });
    let mut states = normalized(tiny, "embeddings.LayerNorm", &embedded.collect());
    let width = hidden / heads;
    for layer in 0..architecture.layers {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let [query, key, value] =
            ["query", "key", "value"].map(|part| affine(tiny, &name(&format!("attention.self.{part}")), &states));
        let mut attended = vec![vec![0.0; hidden]; states.len()];
        for head in 0..heads {
            let columns = head * width..(head + 1) * width;
            for at in 0..states.len() {
                let score = |other: usize| {
                    let product: f64 = columns
                        .clone()
                        .map(|column| query[at][column] * key[other][column])
                        .sum();
                    let bias = bias.as_ref().map_or(0.0, |bias| bias[bucket(at, other)][head]);
                    (product / (width as f64).sqrt() + bias).exp()
                };
                let scores: Vec<f64> = (0..states.len()).map(score).collect();
                let sum: f64 = scores.iter().sum();
                for column in columns.clone() {
                    attended[at][column] = scores
                        .iter()
                        .enumerate()
                        .map(|(other, score)| score / sum * value[other][column])
                        .sum();
                }
            }
        }
        let output = affine(tiny, &name("attention.output.dense"), &attended);
        states = normalized(tiny, &name("attention.output.LayerNorm"), &added(&states, &output));
        let mut wide = affine(tiny, &name("intermediate.dense"), &states);
        for number in wide.iter_mut().flatten() {
            *number = activated(tiny.activation(), *number);
        }
        let output = affine(tiny, &name("output.dense"), &wide);
        states = normalized(tiny, &name("output.LayerNorm"), &added(&states, &output));
    }
    states
}

/// The vector of a text: the mean of its states, or the first of them, of length one.
pub(crate) fn embedding(tiny: &Tiny, tokens: &[(usize, usize)], pooling: &str) -> Vec<f64> {
    let states = hidden_states(tiny, tokens);
    let rows = if pooling == "cls" { &states[..1] } else { &states[..] };
    let sum: Vec<f64> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column]).sum())
        .collect();
    let length = sum.iter().map(|number| number * number).sum::<f64>().sqrt();
    sum.iter().map(|number| number / length).collect()
}

/// The score of a pair.
pub(crate) fn score(tiny: &Tiny, tokens: &[(usize, usize)]) -> f64 {
    let first = vec![hidden_states(tiny, tokens).swap_remove(0)];
    let mut pooled = affine(tiny, "pooler.dense", &first);
    pooled.iter_mut().flatten().for_each(|number| *number = number.tanh());
    affine(tiny, "classifier", &pooled)[0][0]
}
