//! The options of a query: filter, page, mode and what is added to the hits.

use crate::clock::{Millis, parse_when};
use crate::error::{Error, Result};
use crate::index::Filter;
use crate::model::limits::fold_kind;
use crate::model::scope::ScopeFilter;
use crate::text::tag_term;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

impl Mode {
    /// Reads a name.
    ///
    /// # Errors
    /// `INVALID_INPUT` when there is no such mode.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Mode::Auto),
            "words" => Ok(Mode::Words),
            "meaning" => Ok(Mode::Meaning),
            _ => Err(Error::invalid("mode", "expected auto, words or meaning")),
        }
    }
}

/// The filter and page of a query.
#[derive(Debug, Clone, Default)]
pub struct RecallOptions {
    /// The scope to search.
    pub scope: ScopeFilter,
    /// Types or categories; empty means all.
    pub types: Vec<String>,
    /// Tags, all of which a record must have.
    pub tags: Vec<String>,
    /// How many hits, 1 to [`LIMIT_MAX`].
    pub limit: Option<f64>,
    /// The offset of a list; recall ignores it.
    pub offset: Option<f64>,
    /// The earliest moment: ISO 8601, or an age such as `7d`.
    pub since: Option<String>,
    /// The least confidence, 0 to 1.
    pub min_confidence: Option<f64>,
    /// Whether expired records are included.
    pub include_expired: bool,
    /// Whether proposed records are included; ignored for a past point in time.
    pub include_proposed: bool,
    /// Whether each hit has the explanation of its score.
    pub explain: bool,
    /// Whether each hit has its highlights.
    pub highlights: bool,
    /// A past moment: the answer is the one of that time.
    pub at: Option<String>,
    /// How to rank; a list ignores it.
    pub mode: Mode,
    /// Whether a cross-encoder reranks the first hits; ignored for lists.
    pub rerank: bool,
    /// Whether the words are as they are meant: those of code are no typos. Looking for similar ones reads the whole vocabulary.
    pub is_literal: bool,
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
        let limit = self.limit()?;
        let offset = self.offset.unwrap_or(0.0);
        if offset.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(&offset) {
            return Err(Error::invalid(
                "offset",
                format!("{offset} is not a whole number from 0 to {}", u32::MAX),
            ));
        }
        Ok(Page {
            offset: offset as usize,
            limit,
        })
    }

    pub(super) fn limit(&self) -> Result<usize> {
        match self.limit {
            None => Ok(LIMIT_DEFAULT),
            Some(number) if number.fract() == 0.0 && (1.0..=LIMIT_MAX as f64).contains(&number) => Ok(number as usize),
            Some(number) => Err(Error::invalid(
                "limit",
                format!("{number} is not a whole number from 1 to {LIMIT_MAX}"),
            )),
        }
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
