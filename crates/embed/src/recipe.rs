//! How texts become vectors with a network: prefixes and the number of tokens. Hidden states are pooled by their mean.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The role of a text. Models for asymmetric search (short query, long passage) are trained with a prefix for each role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextKind {
    /// A passage: a text that is searched.
    #[default]
    Passage,
    /// A query.
    Query,
}

/// How texts become vectors, as a manifest has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recipe {
    pooling: Cow<'static, str>,
    /// The maximum number of tokens of a text, the special ones included; the rest is truncated.
    pub tokens_max: usize,
    /// The prefix of a query.
    pub query_prefix: Cow<'static, str>,
    /// The prefix of a passage.
    pub passage_prefix: Cow<'static, str>,
    lowercase: bool,
}

impl Recipe {
    /// That of all-MiniLM-L6-v2.
    pub const KNOWN: Recipe = Recipe::of(256, "", "");
    /// That of multilingual-e5-small, as its authors trained it.
    pub const MULTILINGUAL: Recipe = Recipe::of(512, "query: ", "passage: ");

    const fn of(tokens_max: usize, query: &'static str, passage: &'static str) -> Self {
        Recipe {
            pooling: Cow::Borrowed("mean"),
            tokens_max,
            query_prefix: Cow::Borrowed(query),
            passage_prefix: Cow::Borrowed(passage),
            lowercase: false,
        }
    }
}
