//! Small models for tests: networks of the family with seeded random weights in the published format, and a reference implementation of
//! the computation ([`reference`]).

pub(crate) mod reference;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

use crate::architecture::{Activation, Architecture, Family};
use crate::published::{Config, parse};
use crate::recipe::Purpose;

/// Words of the vocabulary, one token each.
pub(crate) const WORDS: [&str; 24] = [
    "jest",
    "needs",
    "windows",
    "runner",
    "backup",
    "fills",
    "disk",
    "replica",
    "query",
    "passage",
    "key",
    "rotate",
    "twice",
    "year",
    "webhook",
    "again",
    "customers",
    "billed",
    "index",
    "cache",
    "lock",
    "file",
    "slow",
    "report",
];
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// A generated model.
#[derive(Debug, Clone)]
pub(crate) struct Tiny {
    pub config: Value,
    pub tensors: Vec<(String, Vec<usize>, Vec<f32>)>,
    pub dtype: Dtype,
    /// The prefix of tensor names.
    pub prefix: &'static str,
    /// Other files beside it, by name.
    pub files: Vec<(&'static str, Value)>,
}

impl Default for Tiny {
    fn default() -> Self {
        Tiny::of("bert", 32, 4, 1)
    }
}

impl Tiny {
    /// Generates a model of two layers with this width and number of heads.
    pub fn of(model_type: &str, hidden: usize, heads: usize, seed: u64) -> Self {
        let architectures = json!(["BertModel"]);
        let config = json!({
            "model_type": model_type, "architectures": architectures, "hidden_size": hidden, "num_hidden_layers": 2,
            "num_attention_heads": heads, "intermediate_size": 2 * hidden, "vocab_size": vocabulary().len(),
            "max_position_embeddings": 40, "type_vocab_size": if model_type == "bert" { 2 } else { 1 },
            "layer_norm_eps": 1e-7, "hidden_act": "gelu", "pad_token_id": 1,
        });
        let mut tiny = Tiny {
            config,
            tensors: Vec::new(),
            dtype: Dtype::F32,
            prefix: "",
            files: Vec::new(),
        };
        tiny.fill(Purpose::Embedding, seed);
        tiny
    }

    /// Generates a cross-encoder.
    pub fn scorer(seed: u64) -> Self {
        let mut tiny = Tiny::default();
        tiny.set("architectures", json!(["BertForSequenceClassification"]));
        tiny.set("id2label", json!({"0": "LABEL_0"}));
        tiny.prefix = "bert.";
        tiny.fill(Purpose::Reranking, seed);
        tiny
    }

    /// Generates weights for the configuration.
    pub fn fill(&mut self, purpose: Purpose, seed: u64) {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let architecture = self.architecture();
        self.tensors = crate::quantize::tensors_of(&architecture, purpose)
            .into_iter()
            .map(|tensor| {
                let is_scale = tensor.name.ends_with("LayerNorm.weight");
                let size = if tensor.name.starts_with("embeddings.word") {
                    1.0
                } else {
                    0.4
                };
                let numbers = (0..tensor.shape.iter().product::<usize>()).map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    // Multiples of 1/64 with seven bits are represented exactly in F32, F16 and BF16.
                    let number = ((state >> 33) % 127) as f32 - 63.0;
                    let number = (number * size).round() / 64.0;
                    if is_scale {
                        1.0 + (number * 16.0).round() / 64.0
                    } else {
                        number
                    }
                });
                (tensor.name, tensor.shape, numbers.collect())
            })
            .collect();
    }

    pub fn set(&mut self, key: &str, value: Value) {
        self.config[key] = value;
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

    pub fn numbers(&self, name: &str) -> &[f32] {
        &self.tensors.iter().find(|(own, _, _)| own == name).unwrap().2
    }

    pub fn architecture(&self) -> Architecture {
        let config: Config = parse("config.json", self.config.to_string().as_bytes()).unwrap();
        Architecture::of(&config).unwrap()
    }

    /// Returns the bytes of `model.safetensors`.
    pub fn weights(&self) -> Vec<u8> {
        let data: Vec<(String, Vec<usize>, Vec<u8>)> = self
            .tensors
            .iter()
            .map(|(name, shape, numbers)| {
                let bytes = numbers
                    .iter()
                    .flat_map(|number| bytes_in(*number, self.dtype))
                    .collect();
                (self.published_name(name), shape.clone(), bytes)
            })
            .collect();
        let views = data
            .iter()
            .map(|(name, shape, bytes)| (name, TensorView::new(self.dtype, shape.clone(), bytes).unwrap()));
        safetensors::serialize(views, None::<HashMap<String, String>>).unwrap()
    }

    fn published_name(&self, name: &str) -> String {
        if name.starts_with("classifier") {
            return name.to_owned();
        }
        let own = match self.architecture().family {
            Family::Mpnet => name
                .replace("attention.self.query", "attention.attn.q")
                .replace("attention.self.key", "attention.attn.k")
                .replace("attention.self.value", "attention.attn.v")
                .replace("attention.output.dense", "attention.attn.o")
                .replace("attention.output.LayerNorm", "attention.LayerNorm"),
            Family::Bert | Family::Roberta => name.to_owned(),
        };
        format!("{}{own}", self.prefix)
    }

    /// Writes the published files.
    pub fn write(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        for (name, bytes) in self.published() {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }

    /// Returns its published files.
    pub fn published(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = vec![
            ("config.json".to_owned(), self.config.to_string().into_bytes()),
            ("tokenizer.json".to_owned(), tokenizer().to_string().into_bytes()),
            ("model.safetensors".to_owned(), self.weights()),
        ];
        for (name, value) in &self.files {
            files.retain(|(own, _)| own != name);
            files.push(((*name).to_owned(), value.to_string().into_bytes()));
        }
        files
    }

    /// Adds the `sentence-transformers` configuration with this pooling and these prompts.
    pub fn with_sentence_files(mut self, pooling: &str, query: &str, passage: &str) -> Self {
        self.files = vec![
            (
                "modules.json",
                json!([
                    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                ]),
            ),
            (
                "1_Pooling/config.json",
                json!({"pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean"}),
            ),
            (
                "sentence_bert_config.json",
                json!({"max_seq_length": 16, "do_lower_case": false}),
            ),
            (
                "config_sentence_transformers.json",
                json!({"prompts": {"query": query, "passage": passage}}),
            ),
        ];
        self
    }

    /// Returns the activation function that its configuration names.
    pub fn activation(&self) -> Activation {
        self.architecture().activation
    }
}

fn bytes_in(number: f32, dtype: Dtype) -> Vec<u8> {
    let bits = number.to_bits();
    match dtype {
        Dtype::F16 => {
            let sign = (bits >> 16 & 0x8000) as u16;
            let half = match bits << 1 {
                0 => sign,
                _ => sign | ((bits >> 23 & 0xff) as u16 - 112) << 10 | (bits >> 13 & 0x3ff) as u16,
            };
            half.to_le_bytes().to_vec()
        }
        Dtype::BF16 => ((bits >> 16) as u16).to_le_bytes().to_vec(),
        Dtype::I64 => (number as i64).to_le_bytes().to_vec(),
        _ => bits.to_le_bytes().to_vec(),
    }
}

/// The tokens of the vocabulary in the order of their ids: special ones, words, and letters alone and within a word.
pub(crate) fn vocabulary() -> Vec<String> {
    let letters = || "abcdefghijklmnopqrstuvwxyz0123456789".chars();
    SPECIAL
        .iter()
        .chain(&WORDS)
        .map(|&token| token.to_owned())
        .chain(letters().map(String::from))
        .chain(letters().map(|letter| format!("##{letter}")))
        .chain(["q", ":", ".", ",", "-"].iter().skip(1).map(|&token| token.to_owned()))
        .collect()
}

pub(crate) fn id_of(token: &str) -> usize {
    vocabulary().iter().position(|own| own == token).unwrap()
}

/// Returns the text of `tokenizer.json`.
pub(crate) fn tokenizer() -> Value {
    let vocabulary = vocabulary();
    let ids: serde_json::Map<String, Value> = vocabulary
        .iter()
        .enumerate()
        .map(|(id, token)| (token.clone(), json!(id)))
        .collect();
    let added: Vec<Value> = SPECIAL
        .iter()
        .enumerate()
        .map(|(id, token)| {
            json!({"id": id, "content": token, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true})
        })
        .collect();
    let special = |token: &str, kind: usize| json!({"SpecialToken": {"id": token, "type_id": kind}});
    let sequence = |id: &str, kind: usize| json!({"Sequence": {"id": id, "type_id": kind}});
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 9, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
            "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
            "pair": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1), special("[SEP]", 1)],
            "special_tokens": {
                "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": ids},
    })
}
