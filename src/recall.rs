//! Reading records: recall, list, show.

use std::sync::Arc;

use forge_memory_core::detail::MemoryDetail;
use forge_memory_core::history::RecordState;
use forge_memory_core::recall::{MemoryList, Mode, RecallOutcome, RecallText};
use forge_memory_core::text::fusion::{Evidence, fuse_query};
use forge_memory_core::{self as core, Error, ScopeFilter};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::Answer;
use crate::error::{Result, thrown};
use crate::input::{read, read_or_empty, text_or_empty};
use crate::projects::{NamesProject, Project, names_project, only_project, open, with_open, with_options};

/// The filter and the limit of a search.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecallOptions {
    pub project_dir: Option<String>,
    /// The scope to search; `all` when absent.
    #[napi(ts_type = "'project' | 'global' | 'all'")]
    pub scope: Option<String>,
    /// Only records of these types or categories.
    pub types: Option<Vec<String>>,
    /// Only records with all of these labels.
    pub tags: Option<Vec<String>>,
    /// The maximum number of hits, 1 to 1,000; 10 when absent.
    pub limit: Option<f64>,
    /// How many of the newest records a list skips; recall ignores it.
    pub offset: Option<f64>,
    /// Only records captured since then: ISO 8601, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// The minimum confidence, 0 to 1.
    pub min_confidence: Option<f64>,
    /// Whether expired records are included.
    pub include_expired: Option<bool>,
    /// Whether proposed records, which wait for review, are included.
    pub include_proposed: Option<bool>,
    /// Whether each hit explains its score.
    pub explain: Option<bool>,
    /// Whether each hit has the positions of the query's words in its text.
    pub highlights: Option<bool>,
    /// A past point in time, whose state is searched.
    pub at: Option<String>,
    /// The search mode. `auto`, the default, is hybrid (lexical and semantic) when the model is installed and there are
    /// vectors, else lexical. Ignored by lists.
    #[napi(ts_type = "'auto' | 'words' | 'meaning'")]
    pub mode: Option<String>,
    /// Whether a cross-encoder reranks the first 20 hits; if none is installed, the message says so. Ignored by lists.
    pub rerank: Option<bool>,
}

/// Which records may be shown.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShowOptions {
    pub project_dir: Option<String>,
    /// Whether a proposed or rejected record is shown.
    pub include_proposed: Option<bool>,
}

names_project!(ShowOptions);

/// The arguments of `memory_recall`.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecallQuery {
    /// The words to search for; a value that is not a string has none.
    #[serde(default, deserialize_with = "text_or_empty")]
    pub query: String,
    #[napi(ts_type = "'project' | 'global' | 'all'")]
    pub scope: Option<String>,
    /// The search mode; `auto` when absent.
    #[napi(ts_type = "'auto' | 'words' | 'meaning'")]
    pub mode: Option<String>,
}

names_project!(RecallOptions);

impl TryFrom<RecallOptions> for core::RecallOptions {
    type Error = Error;

    fn try_from(from: RecallOptions) -> core::Result<Self> {
        let scope = from.scope.as_deref().map(ScopeFilter::parse).transpose()?;
        Ok(core::RecallOptions {
            scope: scope.unwrap_or_default(),
            types: from.types.unwrap_or_default(),
            tags: from.tags.unwrap_or_default(),
            limit: from.limit,
            offset: from.offset,
            since: from.since,
            min_confidence: from.min_confidence,
            include_expired: from.include_expired.unwrap_or(false),
            include_proposed: from.include_proposed.unwrap_or(false),
            explain: from.explain.unwrap_or(false),
            highlights: from.highlights.unwrap_or(false),
            at: from.at,
            mode: mode_of(from.mode.as_deref())?,
            rerank: from.rerank.unwrap_or(false),
            is_literal: false,
        })
    }
}

fn mode_of(name: Option<&str>) -> core::Result<Mode> {
    name.map_or(Ok(Mode::default()), Mode::parse)
}

/// Finds records that answer a query, best first. It never throws for a query or for damaged data, but returns an empty list
/// and a message. Throws `INVALID_INPUT` when an option is invalid.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, options?: RecallOptions",
    ts_return_type = "RecallOutcome"
)]
pub fn recall(env: &Env, query: Unknown, options: Unknown) -> Result<Answer<RecallOutcome>> {
    // A value that is not a string has no words.
    let query: String = read("query", &query).unwrap_or_default();
    let asked: RecallOptions = read_or_empty("options", &options)?;
    let fail = |error: Error| thrown(env, &error);
    let project = open(asked.project_dir.as_deref()).map_err(fail)?;
    let asked: core::RecallOptions = asked.try_into().map_err(fail)?;
    let outcome = recall_in(env, &project, &query, &asked)?;
    Ok(Answer(outcome))
}

/// Recalls from an open memory.
pub(crate) fn recall_in(
    env: &Env,
    project: &Arc<Project>,
    query: &str,
    options: &core::RecallOptions,
) -> Result<RecallOutcome> {
    let outcome = with_open(env, Arc::clone(project), |memory| {
        // The settings may have changed since the last call.
        memory.config();
        let mut outcome = memory.recall(query, options)?;
        outcome.searched = memory.current_counts().within(options.scope);
        if options.mode != Mode::Words {
            project.compute_vectors(memory);
        }
        Ok(outcome)
    })?;
    outcome.map_err(|error| thrown(env, &error))
}

/// Answers a query with a text block, grouped by scope, by descending confidence. It never throws for a query or for
/// damaged data. Throws `INVALID_INPUT` when the scope or the mode is unknown.
#[napi(
    catch_unwind,
    ts_args_type = "input: RecallQuery, options?: ProjectOptions",
    ts_return_type = "RecallText"
)]
pub fn memory_recall(env: &Env, input: Unknown, options: Unknown) -> Result<Answer<RecallText>> {
    let query: RecallQuery = read("input", &input)?;
    let project = open(only_project(&options)?.project_dir()).map_err(|error| thrown(env, &error))?;
    recall_text_in(env, &project, &query, None).map(Answer)
}

/// Answers a query from an open memory, in a scope of the caller's or of the query.
pub(crate) fn recall_text_in(
    env: &Env,
    project: &Arc<Project>,
    RecallQuery { query, scope, mode }: &RecallQuery,
    within: Option<ScopeFilter>,
) -> Result<RecallText> {
    let answer = with_open(env, Arc::clone(project), |memory| {
        memory.config();
        let scope = scope.as_deref().map(ScopeFilter::parse).transpose()?;
        let mode = mode_of(mode.as_deref())?;
        let answer = memory.recall_text(query, (within.or(scope).unwrap_or_default(), mode))?;
        if mode != Mode::Words {
            project.compute_vectors(memory);
        }
        Ok(answer)
    })?;
    answer.map_err(|error| thrown(env, &error))
}

/// The scores of one thought of a shared store for a query.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchEvidence {
    /// Its lexical score, in the unit of the store; 0 when it contains none of the words.
    pub words: f64,
    /// The cosine; absent when it has no vector.
    pub cosine: Option<f64>,
}

/// Fuses the lexical and semantic scores of a shared store, as `recall` does, and returns scores from 0 to 1 in the
/// order of the evidence. Throws `INVALID_INPUT` for invalid arguments.
#[napi(catch_unwind, ts_args_type = "query: string, evidence: Array<SearchEvidence>")]
pub fn fuse_scores(query: Unknown, evidence: Unknown) -> Result<Vec<f64>> {
    let query: String = read("query", &query)?;
    let evidence: Vec<SearchEvidence> = read("evidence", &evidence)?;
    let evidence: Vec<Evidence> = evidence
        .into_iter()
        .map(|SearchEvidence { words, cosine }| Evidence { words, cosine })
        .collect();
    Ok(fuse_query(&query, "", &evidence))
}

/// Lists the newest records. Throws `INVALID_INPUT` when an option is invalid.
#[napi(
    catch_unwind,
    ts_args_type = "options?: RecallOptions",
    ts_return_type = "MemoryList"
)]
pub fn list_memories(env: &Env, options: Unknown) -> Result<Answer<MemoryList>> {
    let (hits, total) = with_options(env, &options, |memory, options: RecallOptions| {
        memory.list(&options.try_into()?)
    })?;
    Ok(Answer(MemoryList { entries: hits, total }))
}

/// Shows a record with all its revisions. At least six characters from the beginning or end of an id are enough when they
/// are unique. Throws `NOT_FOUND`, or `INVALID_INPUT` when several records match.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, options?: ShowOptions",
    ts_return_type = "MemoryDetail"
)]
pub fn show_memory(env: &Env, id: Unknown, options: Unknown) -> Result<Answer<MemoryDetail>> {
    let id: String = read("id", &id)?;
    with_options(env, &options, |memory, options: ShowOptions| {
        let missing = || Error::NotFound {
            kind: "memory",
            id: id.chars().take(128).collect(),
        };
        let history = memory.history(&id)?.ok_or_else(missing)?;
        let is_withheld = matches!(history.state(), RecordState::Proposed | RecordState::Rejected);
        if is_withheld && !options.include_proposed.unwrap_or(false) {
            return Err(missing());
        }
        Ok(Answer(history.detail()))
    })
}
