//! The network of both models: a BERT (Devlin et al. 2019). They differ in the number of words and of layers, which the weights tell.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::pinned::DIMENSIONS;

/// The sizes of a network, as a manifest has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Architecture {
    family: Cow<'static, str>,
    /// The number of tokens with an embedding.
    pub vocabulary: usize,
    /// The number of rows of the table of positions.
    pub positions: usize,
    first_position: usize,
    /// The number of token types, of which the first is used.
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
    activation: Cow<'static, str>,
}

/// The architecture of all-MiniLM-L6-v2.
pub const KNOWN: Architecture = Architecture::of(30_522, 6);

/// A tensor of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TensorShape {
    /// Its name in a published and in an installed file.
    pub name: String,
    /// `[rows, columns]` of a matrix, `[length]` of a vector.
    pub shape: Vec<usize>,
}

impl Architecture {
    pub(crate) const fn of(vocabulary: usize, layers: usize) -> Self {
        Architecture {
            family: Cow::Borrowed("bert"),
            vocabulary,
            positions: 512,
            first_position: 0,
            token_types: 2,
            hidden: DIMENSIONS,
            layers,
            heads: 12,
            intermediate: 1536,
            layer_norm_epsilon: 1e-12,
            activation: Cow::Borrowed("gelu"),
        }
    }

    /// Returns true if it is that of the models in all but the number of words and layers.
    pub(crate) fn is_supported(&self) -> bool {
        // Weights that were unpacked from another format say the epsilon in 32 bits.
        let epsilon = self.layer_norm_epsilon;
        let written = Architecture {
            layer_norm_epsilon: epsilon,
            ..Architecture::of(self.vocabulary, self.layers)
        };
        *self == written && epsilon as f32 == KNOWN.layer_norm_epsilon as f32
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
        add(WORDS.to_owned(), &[self.vocabulary, hidden]);
        add(
            "embeddings.position_embeddings.weight".to_owned(),
            &[self.positions, hidden],
        );
        add(
            "embeddings.token_type_embeddings.weight".to_owned(),
            &[self.token_types, hidden],
        );
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
}

/// The table of the embeddings of words.
pub(crate) const WORDS: &str = "embeddings.word_embeddings.weight";

/// Returns the name of a layer's tensor.
pub fn layer_tensor(layer: usize, name: &str) -> String {
    format!("encoder.layer.{layer}.{name}")
}
