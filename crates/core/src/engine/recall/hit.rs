//! The hits of a search.

use crate::clock::Millis;
use crate::engine::standing::Related;
use crate::freshness::{Basis, Freshness};
use crate::index::Wide;
use crate::judgement::confidence::Confidence;
use crate::judgement::standing::Verdicts;
use crate::model::author::Author;
use crate::model::said::CameFrom;
use crate::model::scope::Scope;
use crate::model::wire::{is_false, iso_if_some};
use crate::text::highlight::Highlight;
use forge_memory_record::facts;
use schemars::JsonSchema;
use serde::Serialize;

/// Where a record is that this memory does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherWorktree {
    /// What is said of it, such as `worktree api-2 (fix/auth), not committed there yet`.
    pub said: String,
    /// The folder of the project there, in which it can be changed.
    pub folder: String,
}

facts! {
/// A record that matches a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecallHit {
    /// Its id.
    pub id: String,
    /// Its scope.
    pub scope: Scope,
    /// Type or category.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    pub text: String,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// Its labels.
    pub tags: Vec<String>,
    /// The project that it names; empty when it names none.
    #[serde(skip)]
    pub(crate) project: String,
    /// Who captured it; absent when that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// True when another one said it and a person has vouched for it: said it again, or accepted, kept or rated it; absent otherwise.
    #[serde(rename = "vouched", skip_serializing_if = "is_false")]
    pub is_vouched: bool,
    /// Its tool and what of it.
    pub source: String,
    /// Where it comes from, when that is not simply this project.
    #[serde(flatten)]
    pub came_from: CameFrom,
    /// The file that it is about by its hallmark; absent when it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_file: Option<String>,
    /// When it was made, as written.
    pub created_at: String,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "iso_if_some")]
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Millis>,
    /// By words BM25, by meaning the cosine, by both from 0 to 1; plus the gain from its session, multiplied by the factor of its
    /// freshness. Higher is better; 0 in a list.
    pub score: f64,
    /// The cosine similarity to the query, -1 to 1; absent when meaning was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// The share of the query's rarity that its words have, from 0 to 1.
    #[serde(skip)]
    pub covers: f64,
    /// True when it says little about the query beside better hits: a surface may leave it out; absent otherwise.
    #[serde(rename = "weaker", skip_serializing_if = "is_false")]
    pub is_weaker: bool,
    /// True when it is doubtful that it answers the query; absent otherwise.
    #[serde(rename = "weak", skip_serializing_if = "is_false")]
    pub is_weak: bool,
    /// True when its text says of itself that it does not hold: that it is over, was only considered, or is an example; absent otherwise, and in
    /// a list.
    #[serde(rename = "over", skip_serializing_if = "is_false")]
    pub is_over: bool,
    /// The words of the query that it contains.
    pub matched: Vec<String>,
    /// The freshness of its references; absent when it has none within the project, and in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// True when it waits for its review; absent otherwise.
    #[serde(rename = "proposed", skip_serializing_if = "is_false")]
    pub is_proposed: bool,
    /// The explanation of its score; absent unless it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explained>,
    /// Where the text has the words of the query, at most 100 ranges in ascending order; absent unless it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlights: Option<Vec<Highlight>>,
    /// Where it is, when this memory does not have it; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<OtherWorktree>,
    /// The part of the score that comes from its session.
    #[serde(skip)]
    pub(crate) context: f64,
    /// The facts that its freshness is checked against.
    #[serde(skip)]
    pub(crate) basis: Basis,
    /// A sketch of its content words, by which most other hits are excluded as near duplicates.
    #[serde(skip)]
    pub(crate) content: Option<Wide>,
    /// The current records that contradict it, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradicted_by: Vec<Related>,
    /// The records that it retired, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<Related>,
}
}

impl RecallHit {
    /// True if a person said it or vouched for it.
    pub fn is_persons(&self) -> bool {
        self.author == Some(Author::Person) || self.is_vouched
    }

    /// True if agents may be told it without asking. What one of them stored for another project, or for all, waits until a person vouches for it.
    pub fn is_told_unasked(&self) -> bool {
        self.is_persons() || (self.scope == Scope::Project && self.came_from.from.is_none())
    }

    /// Returns the factor of its freshness; 1 when it has none.
    pub(super) fn freshness_factor(&self) -> f64 {
        self.freshness.as_ref().map_or(1.0, |found| found.state.factor())
    }
}

/// How a score came about: it is `(words + context) * feedback * freshness`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Explanation")]
pub struct Explained {
    /// The score of the search.
    pub words: f64,
    /// The gain from its session: from the records just before and after it, and from the best ones.
    pub context: f64,
    /// The feedback of sessions.
    #[serde(flatten)]
    pub verdicts: Verdicts,
    /// The factor of the feedback on it, between 0.8 and 1.1.
    pub feedback: f64,
    /// The factor of its freshness.
    pub freshness: f64,
    /// How often it was captured again.
    pub confirmations: usize,
    /// Its current confidence.
    pub confidence: Confidence,
}
