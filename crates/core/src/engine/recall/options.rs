//! The options of a query: filter, page, mode and additions to the hits.

use crate::clock::{Millis, parse_when};
use crate::error::{Error, Result};
use crate::index::Filter;
use crate::model::limits::{check_whole, fold_kind};
use crate::model::scope::ScopeFilter;
use crate::text::tag_term;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The default number of hits.
pub const LIMIT_DEFAULT: usize = 10;
/// The maximum number of hits of one call.
pub const LIMIT_MAX: usize = 1000;

/// How a search ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning, where there is a model and vectors; words otherwise.
    #[default]
    #[serde(rename(serialize = "fused"))]
    Auto,
    /// Words alone.
    Words,
    /// Meaning alone.
    Meaning,
}

/// The filter and the limit of a search.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RecallOptions {
    /// Where to look (default: all).
    pub scope: ScopeFilter,
    /// Only these types or categories.
    pub types: Vec<String>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
    /// Maximum number of results (default: 10).
    #[schemars(with = "Option<u32>", range(min = 1, max = LIMIT_MAX))]
    pub limit: Option<f64>,
    /// How many of the newest records a list skips; recall ignores it.
    #[schemars(with = "Option<u32>", range(max = u32::MAX))]
    pub offset: Option<f64>,
    /// Only newer: an ISO date, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Only with at least this confidence, 0 to 1 (default: 0).
    #[schemars(range(min = 0, max = 1))]
    pub min_confidence: Option<f64>,
    /// Include expired memories.
    pub include_expired: bool,
    /// Include what waits for a review. Ignored for a past point in time.
    pub include_proposed: bool,
    /// Explain the score and the confidence of each hit.
    pub explain: bool,
    /// Whether each hit has the positions of the query's words in its text.
    pub highlights: bool,
    /// As of this ISO date (default: now).
    pub at: Option<String>,
    /// By words, by meaning, or by both where there are vectors (default: auto). Ignored by lists.
    pub mode: Mode,
    /// Whether the words are as they are meant: those of code are no typos. Looking for similar ones reads the whole vocabulary.
    #[serde(skip)]
    pub is_literal: bool,
}

/// The arguments of `memory_recall`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(extend("required" = ["query"]))]
pub struct RecallQuery {
    /// Words, such as "auth test conventions". A value that is not a string has none.
    #[serde(deserialize_with = "text_or_empty")]
    pub query: String,
    /// Where to look (default: all).
    pub scope: ScopeFilter,
    /// By words, by meaning, or by both where there are vectors (default: auto).
    pub mode: Mode,
}

/// Reads a string; anything else becomes an empty one.
fn text_or_empty<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    Ok(String::deserialize(deserializer).unwrap_or_default())
}

/// Which records may be shown.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ShowOptions {
    /// Whether a proposed or rejected record is shown.
    pub include_proposed: bool,
}

/// The record that an operation is about.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordName {
    /// The id, or six or more characters of its beginning or end.
    #[schemars(length(min = 1))]
    pub id: String,
}

/// The records that are shown together.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordNames {
    /// Ids, whole or their 8 characters.
    #[schemars(length(min = 1, max = 20), inner(length(min = 1)))]
    pub ids: Vec<String>,
}

impl RecallOptions {
    pub(super) fn filter(&self, now: Millis) -> Result<Filter> {
        let min_confidence = match self.min_confidence {
            None => 0.0,
            Some(number) if (0.0..=1.0).contains(&number) => number,
            Some(number) => {
                return Err(Error::invalid(
                    "minConfidence",
                    format!("{number} is not a number from 0 to 1"),
                ));
            }
        };
        Ok(Filter {
            kinds: self.types.iter().flat_map(|kind| spellings_of(kind)).collect(),
            tags: self.tags.iter().map(|tag| tag_term(tag)).collect(),
            since: self
                .since
                .as_deref()
                .map(|since| parse_when("since", since, now))
                .transpose()?,
            min_confidence: min_confidence as f32,
            include_expired: self.include_expired,
            include_proposed: self.include_proposed && self.at.is_none(),
            now,
            at: self.at.as_deref().map(|at| parse_when("at", at, now)).transpose()?,
            with_retired: false,
        })
    }

    pub(super) fn page(&self) -> Result<Page> {
        Ok(Page {
            limit: self.limit()?,
            offset: check_whole("offset", self.offset, 0, 0.0, f64::from(u32::MAX))?,
        })
    }

    pub(crate) fn limit(&self) -> Result<usize> {
        check_whole("limit", self.limit, LIMIT_DEFAULT, 1.0, LIMIT_MAX as f64)
    }
}

/// The page of the result that is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    /// How many records are skipped.
    pub offset: usize,
    /// How many there are at most.
    pub limit: usize,
}

/// Older records may have types in upper case.
fn spellings_of(kind: &str) -> Vec<String> {
    let folded = fold_kind(kind.to_owned());
    if folded == kind {
        vec![folded]
    } else {
        vec![folded, kind.to_owned()]
    }
}
