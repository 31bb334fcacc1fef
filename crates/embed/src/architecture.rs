//! The architecture of a model, read from its published `config.json` and checked before any other file of the model is read.
//!
//! Supported are encoders of the BERT family: BERT (Devlin et al. 2019), RoBERTa and XLM-RoBERTa (Liu et al. 2019; position ids start
//! after the id of the padding token), and MPNet (Song et al. 2020; a relative position bias is added to the attention scores, and
//! there are no token types).

use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::published::Config;

pub(crate) const SUPPORTED: &str =
    "supported are bert, roberta, xlm-roberta, camembert and mpnet with absolute positions";

/// Upper limits, larger than those of any model that runs on a laptop.
const HIDDEN_MAX: usize = 4096;
const LAYERS_MAX: usize = 48;
const HEADS_MAX: usize = 64;
const INTERMEDIATE_MAX: usize = 16_384;
const VOCABULARY_MAX: usize = 1_000_000;
const POSITIONS_MAX: usize = 4098;
/// The most weights. A quantized weight takes one byte in the file; in memory, those of the layers take four.
const WEIGHTS_MAX: usize = 700_000_000;
/// The number of buckets of MPNet's relative position bias.
pub const RELATIVE_BUCKETS: usize = 32;

/// The variants of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// BERT.
    Bert,
    /// RoBERTa, XLM-RoBERTa, CamemBERT.
    Roberta,
    /// MPNet.
    Mpnet,
}

/// The activation function of the feed-forward networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// `x * (1 + erf(x / sqrt 2)) / 2`.
    Gelu,
    /// The tanh approximation of GELU.
    GeluTanh,
    /// `max(0, x)`.
    Relu,
}

/// The sizes of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Architecture {
    /// The variant.
    pub family: Family,
    /// The number of tokens with an embedding.
    pub vocabulary: usize,
    /// The number of rows of the table of positions.
    pub positions: usize,
    /// The row of the first token's position.
    pub first_position: usize,
    /// The number of token types; none in MPNet.
    pub token_types: usize,
    /// The width of a hidden state, which is the dimension of a vector.
    pub hidden: usize,
    /// The number of layers.
    pub layers: usize,
    /// The number of attention heads of a layer.
    pub heads: usize,
    /// The width of a layer's feed-forward network.
    pub intermediate: usize,
    /// The epsilon of layer normalization.
    pub layer_norm_epsilon: f64,
    /// The activation function.
    pub activation: Activation,
}

/// The network of all-MiniLM-L6-v2.
pub(crate) const KNOWN: Architecture = Architecture {
    family: Family::Bert,
    vocabulary: 30_522,
    positions: 512,
    first_position: 0,
    token_types: 2,
    hidden: 384,
    layers: 6,
    heads: 12,
    intermediate: 1536,
    layer_norm_epsilon: 1e-12,
    activation: Activation::Gelu,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TensorShape {
    /// Its name in an installed file, which is BERT's.
    pub name: String,
    /// `[rows, columns]` of a matrix, `[length]` of a vector.
    pub shape: Vec<usize>,
}

impl Architecture {
    /// Reads the architecture from a published configuration.
    ///
    /// # Errors
    /// `UNSUPPORTED` when it is another architecture, `INVALID_INPUT` when its sizes are missing or do not fit together.
    pub(crate) fn of(config: &Config) -> Result<Self> {
        let kind = config.model_type.as_deref().unwrap_or("unknown");
        let family = match kind {
            "bert" => Family::Bert,
            "roberta" | "xlm-roberta" | "camembert" => Family::Roberta,
            "mpnet" => Family::Mpnet,
            _ => return Err(unsupported(kind, SUPPORTED)),
        };
        let positions_by = config.position_embedding_type.as_deref().unwrap_or("absolute");
        if positions_by != "absolute" {
            return Err(unsupported(&format!("{kind} with {positions_by} positions"), SUPPORTED));
        }
        if family == Family::Mpnet
            && config.relative_attention_num_buckets.unwrap_or(RELATIVE_BUCKETS) != RELATIVE_BUCKETS
        {
            return Err(unsupported("mpnet with another number of buckets", "32 are supported"));
        }
        let needed = |size: Option<usize>, key: &str| {
            size.ok_or_else(|| Error::invalid("config.json", format!("{key} is missing")))
        };
        let architecture = Architecture {
            family,
            vocabulary: needed(config.vocab_size, "vocab_size")?,
            positions: needed(config.max_position_embeddings, "max_position_embeddings")?,
            first_position: match family {
                Family::Bert => 0,
                Family::Roberta | Family::Mpnet => config.pad_token_id.unwrap_or(1).saturating_add(1),
            },
            token_types: match family {
                Family::Mpnet => 0,
                Family::Bert | Family::Roberta => config.type_vocab_size.unwrap_or(2),
            },
            hidden: needed(config.hidden_size, "hidden_size")?,
            layers: needed(config.num_hidden_layers, "num_hidden_layers")?,
            heads: needed(config.num_attention_heads, "num_attention_heads")?,
            intermediate: needed(config.intermediate_size, "intermediate_size")?,
            layer_norm_epsilon: config.layer_norm_eps.unwrap_or(1e-12),
            activation: activation_of(config.hidden_act.as_deref().unwrap_or("gelu"))?,
        };
        architecture
            .check()
            .map_err(|reason| Error::invalid("config.json", reason))?;
        Ok(architecture)
    }

    /// Checks that the sizes fit together and are not larger than is supported.
    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        for (size, most, what) in [
            (self.hidden, HIDDEN_MAX, "hidden_size"),
            (self.layers, LAYERS_MAX, "num_hidden_layers"),
            (self.heads, HEADS_MAX, "num_attention_heads"),
            (self.intermediate, INTERMEDIATE_MAX, "intermediate_size"),
            (self.vocabulary, VOCABULARY_MAX, "vocab_size"),
            (self.positions, POSITIONS_MAX, "max_position_embeddings"),
        ] {
            if !(1..=most).contains(&size) {
                return Err(format!("{what} is {size}, expected 1 to {most}"));
            }
        }
        if !self.hidden.is_multiple_of(self.heads) {
            let (hidden, heads) = (self.hidden, self.heads);
            return Err(format!(
                "hidden_size {hidden} is not a multiple of num_attention_heads {heads}"
            ));
        }
        let is_typed = (1..=16).contains(&self.token_types);
        if is_typed == (self.family == Family::Mpnet) || self.token_types > 16 {
            return Err(format!("type_vocab_size is {}, expected 1 to 16", self.token_types));
        }
        if self.first_position >= self.positions {
            return Err("max_position_embeddings leaves no position for a token".to_owned());
        }
        if !(self.layer_norm_epsilon > 0.0 && self.layer_norm_epsilon < 1.0) {
            return Err("layer_norm_eps is not between 0 and 1".to_owned());
        }
        let weights: usize = self
            .tensors()
            .iter()
            .map(|one| one.shape.iter().product::<usize>())
            .sum();
        if weights > WEIGHTS_MAX {
            return Err(format!("it has {weights} weights, at most {WEIGHTS_MAX} are supported"));
        }
        Ok(())
    }

    pub(crate) fn tokens_max(&self) -> usize {
        self.positions.saturating_sub(self.first_position)
    }

    pub(crate) fn tensors(&self) -> Vec<TensorShape> {
        let hidden = self.hidden;
        let mut tensors = Vec::new();
        let mut add = |name: String, shape: &[usize]| {
            tensors.push(TensorShape {
                name,
                shape: shape.to_vec(),
            });
        };
        add(
            "embeddings.word_embeddings.weight".to_owned(),
            &[self.vocabulary, hidden],
        );
        add(
            "embeddings.position_embeddings.weight".to_owned(),
            &[self.positions, hidden],
        );
        if self.token_types > 0 {
            add(
                "embeddings.token_type_embeddings.weight".to_owned(),
                &[self.token_types, hidden],
            );
        }
        if self.family == Family::Mpnet {
            add(RELATIVE_BIAS.to_owned(), &[RELATIVE_BUCKETS, self.heads]);
        }
        add("embeddings.LayerNorm.weight".to_owned(), &[hidden]);
        add("embeddings.LayerNorm.bias".to_owned(), &[hidden]);
        for layer in 0..self.layers {
            for (name, rows, columns) in [
                ("attention.self.query", hidden, hidden),
                ("attention.self.key", hidden, hidden),
                ("attention.self.value", hidden, hidden),
                ("attention.output.dense", hidden, hidden),
                ("intermediate.dense", self.intermediate, hidden),
                ("output.dense", hidden, self.intermediate),
            ] {
                add(layer_tensor(layer, &format!("{name}.weight")), &[rows, columns]);
                add(layer_tensor(layer, &format!("{name}.bias")), &[rows]);
            }
            for name in ["attention.output.LayerNorm", "output.LayerNorm"] {
                add(layer_tensor(layer, &format!("{name}.weight")), &[hidden]);
                add(layer_tensor(layer, &format!("{name}.bias")), &[hidden]);
            }
        }
        tensors
    }

    /// Returns the names under which a tensor may be published, without a prefix.
    pub(crate) fn published_names(&self, name: &str) -> Vec<String> {
        let mut own = name.to_owned();
        if self.family == Family::Mpnet {
            for (ours, theirs) in [
                ("attention.self.query", "attention.attn.q"),
                ("attention.self.key", "attention.attn.k"),
                ("attention.self.value", "attention.attn.v"),
                ("attention.output.dense", "attention.attn.o"),
                ("attention.output.LayerNorm", "attention.LayerNorm"),
            ] {
                own = own.replace(ours, theirs);
            }
        }
        // Models converted from TensorFlow call the parameters of layer normalization gamma and beta.
        let older = own
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta");
        let mut names = vec![own];
        if !names.contains(&older) {
            names.push(older);
        }
        names
    }
}

/// The tensor of the relative position bias.
pub const RELATIVE_BIAS: &str = "encoder.relative_attention_bias.weight";

/// Returns the name of a layer's tensor.
pub fn layer_tensor(layer: usize, name: &str) -> String {
    format!("encoder.layer.{layer}.{name}")
}

fn activation_of(name: &str) -> Result<Activation> {
    match name {
        "gelu" => Ok(Activation::Gelu),
        "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(Activation::GeluTanh),
        "relu" => Ok(Activation::Relu),
        _ => Err(unsupported(
            &format!("the activation {}", shortened(name)),
            "supported are gelu, gelu_new and relu",
        )),
    }
}

/// Returns the error for a model that is not supported.
pub(crate) fn unsupported(what: &str, reason: &str) -> Error {
    Error::Unsupported {
        what: format!("a model of the architecture {}", shortened(what)),
        reason: reason.to_owned(),
    }
    .advised("choose a model of the BERT family with model.safetensors and tokenizer.json: docs/reference/embedding.md lists what is supported")
}

fn shortened(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}
