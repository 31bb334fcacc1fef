//! How texts are converted to vectors with a network: pooling, prefixes and maximum length, from the configuration files that
//! `sentence-transformers` (Reimers and Gurevych 2019) publishes with a model.

use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::architecture::{Architecture, unsupported};
use crate::published::{Config, Module, PoolingConfig, PromptConfig, SentenceConfig};

/// The least maximum length: with fewer tokens, little remains beside the special ones.
const TOKENS_MIN: usize = 8;
/// The longest prefix; real ones have a few words.
const PREFIX_BYTES_MAX: usize = 512;
const POOLING_FOLDER: &str = "1_Pooling";

/// The purpose of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// One vector per text.
    Embedding,
    /// One score per pair of a query and a text (a cross-encoder).
    Reranking,
}

impl Purpose {
    /// Returns the name that answers contain.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Embedding => "embedding",
            Purpose::Reranking => "reranking",
        }
    }

    /// Returns the purpose of a published model.
    ///
    /// # Errors
    /// `UNSUPPORTED` when it is a classifier of another kind.
    pub(crate) fn of(config: &Config) -> Result<Self> {
        let architectures = config.architectures.iter().flatten();
        let Some(classifier) = architectures
            .into_iter()
            .find(|name| name.ends_with("ForSequenceClassification"))
        else {
            return Ok(Purpose::Embedding);
        };
        if classifier != "BertForSequenceClassification" {
            return Err(unsupported(
                classifier,
                "of cross-encoders, BertForSequenceClassification is supported",
            ));
        }
        let labels = config.id2label.as_ref().map(std::collections::BTreeMap::len);
        match config.num_labels.or(labels).unwrap_or(2) {
            1 => Ok(Purpose::Reranking),
            labels => Err(unsupported(
                &format!("{classifier} with {labels} labels"),
                "a cross-encoder for ranking has one label",
            )),
        }
    }
}

/// The role of a text. Models for asymmetric search (short query, long passage) are trained with a prefix for each role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextKind {
    /// A passage: a text that is searched.
    #[default]
    Passage,
    /// A query.
    Query,
}

/// How hidden states are pooled into a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The mean over all tokens.
    Mean,
    /// The hidden state of the first token.
    Cls,
}

impl Pooling {
    /// Returns the name that answers contain.
    pub fn name(self) -> &'static str {
        match self {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
        }
    }
}

/// How texts are converted to vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recipe {
    /// How hidden states are pooled into a vector.
    pub pooling: Pooling,
    /// The maximum number of tokens of a text, the special ones included; the rest is truncated.
    pub tokens_max: usize,
    /// The prefix of a query.
    pub query_prefix: String,
    /// The prefix of a passage.
    pub passage_prefix: String,
    /// True if a text is made lower case before tokenization.
    pub lowercase: bool,
}

/// Prefixes that the user gives; they take precedence over the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenPrefixes {
    /// The prefix of a query.
    pub query: Option<String>,
    /// The prefix of a passage.
    pub passage: Option<String>,
}

/// The `sentence-transformers` configuration of a model; each file may be missing.
#[derive(Debug, Default)]
pub(crate) struct SentenceFiles {
    pub modules: Option<Vec<Module>>,
    pub pooling: Option<PoolingConfig>,
    pub sentence: SentenceConfig,
    pub prompts: PromptConfig,
}

impl Recipe {
    /// Reads the recipe of a model with this name.
    ///
    /// # Errors
    /// `UNSUPPORTED` when it needs another module or pooling mode, `INVALID_INPUT` when a value is invalid.
    pub(crate) fn of(
        name: &str,
        architecture: &Architecture,
        files: &SentenceFiles,
        given: &GivenPrefixes,
    ) -> Result<Self> {
        check_modules(files.modules.as_deref().unwrap_or_default())?;
        let published = published_prefixes(&files.prompts);
        let (query, passage) = published.unwrap_or_else(|| family_prefixes(name));
        let recipe = Recipe {
            pooling: files.pooling.as_ref().map_or(Ok(Pooling::Mean), pooling_of)?,
            tokens_max: match files.sentence.max_seq_length {
                Some(length) => length.min(architecture.tokens_max()),
                None => architecture.tokens_max(),
            },
            query_prefix: given.query.clone().unwrap_or(query),
            passage_prefix: given.passage.clone().unwrap_or(passage),
            lowercase: files.sentence.do_lower_case.unwrap_or(false),
        };
        recipe.check().map_err(|reason| Error::invalid("model", reason))?;
        Ok(recipe)
    }

    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        if self.tokens_max < TOKENS_MIN {
            return Err(format!(
                "it reads {} tokens, at least {TOKENS_MIN} are needed",
                self.tokens_max
            ));
        }
        for prefix in [&self.query_prefix, &self.passage_prefix] {
            if prefix.len() > PREFIX_BYTES_MAX {
                return Err(format!(
                    "a prefix has {} bytes, at most {PREFIX_BYTES_MAX} are supported",
                    prefix.len()
                ));
            }
        }
        Ok(())
    }
}

fn check_modules(modules: &[Module]) -> Result<()> {
    let last = |kind: &str| kind.rsplit('.').next().unwrap_or_default().to_owned();
    for module in modules {
        match last(&module.kind).as_str() {
            "Transformer" | "Normalize" => {}
            "Pooling" if module.path == POOLING_FOLDER => {}
            "Pooling" => {
                return Err(unsupported(
                    &format!("a pooling module in {}", module.path),
                    "it is looked for in 1_Pooling",
                ));
            }
            other => {
                return Err(unsupported(
                    &format!("a network with the module {other}"),
                    "Transformer, Pooling and Normalize are supported",
                ));
            }
        }
    }
    if !modules.is_empty() && !modules.iter().any(|module| last(&module.kind) == "Pooling") {
        return Err(unsupported("a network without pooling", "mean and cls are supported"));
    }
    Ok(())
}

fn pooling_of(config: &PoolingConfig) -> Result<Pooling> {
    let is_set = |key: &str| config.flags.get(key).and_then(serde_json::Value::as_bool) == Some(true);
    let named = config.pooling_mode.clone().map(|name| vec![name]);
    let modes = named.unwrap_or_else(|| {
        let set = config
            .flags
            .keys()
            .filter(|key| key.starts_with("pooling_mode_") && is_set(key));
        set.map(|key| key.trim_start_matches("pooling_mode_").to_owned())
            .collect()
    });
    let modes: Vec<&str> = modes.iter().map(String::as_str).collect();
    match modes[..] {
        ["mean" | "mean_tokens"] => Ok(Pooling::Mean),
        ["cls" | "cls_token"] => Ok(Pooling::Cls),
        _ => Err(unsupported(
            &format!(
                "pooling by {}",
                if modes.is_empty() {
                    "nothing".to_owned()
                } else {
                    modes.join(" and ")
                }
            ),
            "mean and cls are supported",
        )),
    }
}

fn published_prefixes(config: &PromptConfig) -> Option<(String, String)> {
    let prompts = config.prompts.as_ref()?;
    let named = |names: &[&str]| names.iter().find_map(|name| prompts.get(*name).cloned().flatten());
    let usual = config.default_prompt_name.as_deref().and_then(|name| named(&[name]));
    let (query, passage) = (named(&["query"]), named(&["passage", "document", "corpus"]));
    let is_empty = |text: &Option<String>| text.as_deref().unwrap_or_default().is_empty();
    if is_empty(&query) && is_empty(&passage) && usual.is_none() {
        // Recent releases write two empty prompts into every model.
        return None;
    }
    let usual = usual.unwrap_or_default();
    Some((query.unwrap_or_else(|| usual.clone()), passage.unwrap_or(usual)))
}

/// The prefixes with which model families were trained that are published without them; results are worse without.
fn family_prefixes(name: &str) -> (String, String) {
    let name = name.to_lowercase();
    if name.starts_with("e5-") || name.starts_with("multilingual-e5-") {
        return ("query: ".to_owned(), "passage: ".to_owned());
    }
    if name.starts_with("bge-") && name.contains("-en") {
        let instruction = "Represent this sentence for searching relevant passages: ";
        return (instruction.to_owned(), String::new());
    }
    (String::new(), String::new())
}

#[cfg(test)]
mod tests;
