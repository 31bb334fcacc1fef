//! The configuration files of a published model, as `transformers` and `sentence-transformers` write them. Unknown keys are ignored,
//! because every release of those adds some.

use forge_memory_core::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// `config.json`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Config {
    pub model_type: Option<String>,
    pub architectures: Option<Vec<String>>,
    pub vocab_size: Option<usize>,
    pub max_position_embeddings: Option<usize>,
    pub position_embedding_type: Option<String>,
    pub relative_attention_num_buckets: Option<usize>,
    pub pad_token_id: Option<usize>,
    pub type_vocab_size: Option<usize>,
    pub hidden_size: Option<usize>,
    pub num_hidden_layers: Option<usize>,
    pub num_attention_heads: Option<usize>,
    pub intermediate_size: Option<usize>,
    pub layer_norm_eps: Option<f64>,
    pub hidden_act: Option<String>,
    pub num_labels: Option<usize>,
    pub id2label: Option<BTreeMap<String, serde_json::Value>>,
}

/// One entry of `modules.json`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Module {
    pub path: String,
    #[serde(rename = "type")]
    pub kind: String,
}

/// `1_Pooling/config.json`: one flag per pooling mode, or the name of a mode.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PoolingConfig {
    pub pooling_mode: Option<String>,
    #[serde(flatten)]
    pub flags: BTreeMap<String, serde_json::Value>,
}

/// `sentence_bert_config.json`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SentenceConfig {
    pub max_seq_length: Option<usize>,
    pub do_lower_case: Option<bool>,
}

/// `config_sentence_transformers.json`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PromptConfig {
    pub prompts: Option<BTreeMap<String, Option<String>>>,
    pub default_prompt_name: Option<String>,
}

/// Parses one of these files.
///
/// # Errors
/// `INVALID_INPUT` with the name of the file when it is not valid JSON of this form.
pub(crate) fn parse<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| Error::invalid(name, format!("cannot be read: {e}")))
}
