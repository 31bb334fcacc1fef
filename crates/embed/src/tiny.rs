//! Small models for tests: a multilingual-e5-small of one layer and few words, with seeded random weights in the published format. What
//! they compute is compared with a reference implementation in `__test__/models.spec.mjs`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

use crate::architecture::Architecture;
use crate::weights::bytes_of;

/// Words of the vocabulary, one token each.
const WORDS: [&str; 17] = [
    "jest", "needs", "windows", "runner", "backup", "fills", "disk", "replica", "query:", "passage:", "key", "rotate",
    "twice", "year", "lock", "slow", "report",
];
const SPECIAL: [&str; 4] = ["<s>", "<pad>", "</s>", "<unk>"];
const UNKNOWN: usize = 3;

/// A generated model.
#[derive(Debug, Clone)]
pub(crate) struct Tiny {
    pub tensors: Vec<(String, Vec<usize>, Vec<f32>)>,
    pub dtype: Dtype,
}

impl Default for Tiny {
    fn default() -> Self {
        Tiny::of(1)
    }
}

impl Tiny {
    /// Generates a model with the weights of a seed.
    pub fn of(seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let tensors = Tiny::architecture().tensors().into_iter().map(|tensor| {
            let is_scale = tensor.name.ends_with("LayerNorm.weight");
            let size = if tensor.name.starts_with("embeddings.word") {
                1.0
            } else {
                0.1
            };
            let numbers = (0..tensor.shape.iter().product::<usize>()).map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let number = (((state >> 33) % 127) as f32 - 63.0) * size / 64.0;
                if is_scale { 1.0 + number } else { number }
            });
            (tensor.name, tensor.shape, numbers.collect())
        });
        Tiny {
            tensors: tensors.collect(),
            dtype: Dtype::F32,
        }
    }

    pub fn architecture() -> Architecture {
        Architecture::of(vocabulary().len(), 1)
    }

    pub fn drop(&mut self, name: &str) {
        self.tensors.retain(|(own, _, _)| own != name);
    }

    pub fn add(&mut self, name: &str, shape: &[usize]) {
        let numbers = vec![0.5; shape.iter().product()];
        self.tensors.push((name.to_owned(), shape.to_vec(), numbers));
    }

    pub fn change(&mut self, name: &str, change: impl FnOnce(&mut Vec<f32>)) {
        let (_, _, numbers) = self.tensors.iter_mut().find(|(own, _, _)| own == name).unwrap();
        change(numbers);
    }

    /// Returns the bytes of `model.safetensors`.
    pub fn weights(&self) -> Vec<u8> {
        let tensors = self.tensors.iter();
        let data: Vec<_> = tensors
            .map(|(name, shape, numbers)| (name, shape, bytes_of(numbers)))
            .collect();
        let views = data
            .iter()
            .map(|(name, shape, bytes)| (name, TensorView::new(self.dtype, shape.to_vec(), bytes).unwrap()));
        safetensors::serialize(views, None::<HashMap<String, String>>).unwrap()
    }

    /// Writes the published files.
    pub fn write(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        for (name, bytes) in self.published() {
            fs::write(folder.join(name), bytes).unwrap();
        }
    }

    /// Returns its published files.
    pub fn published(&self) -> Vec<(String, Vec<u8>)> {
        vec![
            ("tokenizer.json".to_owned(), tokenizer().to_string().into_bytes()),
            ("model.safetensors".to_owned(), self.weights()),
        ]
    }
}

/// The pieces of the vocabulary in the order of their ids: special ones, words, and letters.
fn vocabulary() -> Vec<String> {
    let letters = "▁abcdefghijklmnopqrstuvwxyz0123456789".chars().map(String::from);
    let words = WORDS.iter().map(|word| format!("▁{word}"));
    let special = SPECIAL.iter().map(|&token| token.to_owned());
    special.chain(words).chain(letters).collect()
}

/// Returns the text of `tokenizer.json`.
pub(crate) fn tokenizer() -> Value {
    let pieces: Vec<Value> = vocabulary()
        .iter()
        .map(|piece| json!([piece, if piece.chars().count() > 1 { -1.0 } else { -9.0 }]))
        .collect();
    let added: Vec<Value> = SPECIAL
        .iter()
        .enumerate()
        .map(|(id, token)| {
            json!({"id": id, "content": token, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true})
        })
        .collect();
    let special = |token: &str| json!({"SpecialToken": {"id": token, "type_id": 0}});
    let sequence = json!({"Sequence": {"id": "A", "type_id": 0}});
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 9, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 1,
            "pad_type_id": 0, "pad_token": "<pad>"},
        "added_tokens": added,
        "normalizer": null,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("<s>"), sequence, special("</s>")],
            "pair": [special("<s>"), sequence, special("</s>")],
            "special_tokens": {
                "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
                "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]},
            },
        },
        "decoder": null,
        "model": {"type": "Unigram", "unk_id": UNKNOWN, "vocab": pieces},
    })
}
