//! Reading records: recall, list, show.

use std::sync::Arc;

use forge_memory_core::detail::MemoryDetail;
use forge_memory_core::history::RecordState;
use forge_memory_core::recall::{CountedBy, MemoryCount, MemoryList, Mode, RecallOutcome, RecallText};
use forge_memory_core::text::asked_words;
use forge_memory_core::text::fusion::{Asked, Evidence, Figures, fuse};
use forge_memory_core::text::passages::passages;
use forge_memory_core::{Error, RecallOptions, RecallQuery, ScopeFilter, ShowOptions};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::Answer;
use crate::error::{Result, thrown};
use crate::input::{InProject, read, read_or_empty};
use crate::projects::{NamesProject, Project, only_project, open, with_open, with_options};

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
    let InProject { project_dir, options }: InProject<RecallOptions> = read_or_empty("options", &options)?;
    let project = open(project_dir.as_deref()).map_err(|error| thrown(env, &error))?;
    let outcome = recall_in(env, &project, &query, &options)?;
    Ok(Answer(outcome))
}

pub(crate) fn recall_in(
    env: &Env,
    project: &Arc<Project>,
    query: &str,
    options: &RecallOptions,
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
        let answer = memory.recall_text(query, (within.unwrap_or(*scope), *mode))?;
        if *mode != Mode::Words {
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

/// The cosines between some texts of a shared store.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CosineScale {
    /// How many pairs of texts were compared.
    pub pairs: u32,
    /// The lower quartile, the median and the upper quartile of their cosines.
    pub quartiles: Vec<f64>,
}

/// Fuses the lexical and semantic scores of a shared store, as `recall` does, and returns scores from 0 to 1 in the
/// order of the evidence. `model` is the key of the model whose cosines they are, and `scale` what cosines between texts of the store are, by
/// which those of a model that was not measured are brought to the scale of one that was. Throws `INVALID_INPUT` for invalid arguments.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, model: string, evidence: Array<SearchEvidence>, scale?: CosineScale"
)]
pub fn fuse_scores(query: Unknown, model: Unknown, evidence: Unknown, scale: Unknown) -> Result<Vec<f64>> {
    let query: String = read("query", &query)?;
    let model: String = read("model", &model)?;
    let evidence: Vec<SearchEvidence> = read("evidence", &evidence)?;
    let evidence: Vec<Evidence> = evidence
        .into_iter()
        .map(|SearchEvidence { words, cosine }| Evidence { words, cosine })
        .collect();
    let scale: Option<CosineScale> = read("scale", &scale)?;
    let known = scale.and_then(|CosineScale { pairs, quartiles }| Some((pairs, quartiles.try_into().ok()?)));
    let figures = Figures::of(&model);
    let figures = known.map_or(figures, |(pairs, quartiles)| figures.among(pairs as usize, quartiles));
    let asked = Asked::of(&query, &asked_words(&query), false, figures);
    Ok(fuse(&evidence, &asked))
}

/// Splits a text into the overlapping pieces of which each gets a vector of its own, as `recall` does: an embedding model reads the beginning of a
/// text only. A short text is one piece. Throws `INVALID_INPUT` when it is no string.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn passages_of(text: Unknown) -> Result<Vec<String>> {
    let text: String = read("text", &text)?;
    Ok(passages(&text).into_iter().map(str::to_owned).collect())
}

/// Lists the newest records. Throws `INVALID_INPUT` when an option is invalid.
#[napi(
    catch_unwind,
    ts_args_type = "options?: RecallOptions",
    ts_return_type = "MemoryList"
)]
pub fn list_memories(env: &Env, options: Unknown) -> Result<Answer<MemoryList>> {
    let (hits, total) = with_options(env, &options, |memory, options: RecallOptions| memory.list(&options))?;
    Ok(Answer(MemoryList { entries: hits, total }))
}

/// Counts all memories that the options admit, by each tag, or by the quarter of an hour in which they were made, in the order of these keys.
/// Throws `INVALID_INPUT` when an option is invalid.
#[napi(
    catch_unwind,
    ts_args_type = "by: 'tag' | 'quarter', options?: RecallOptions",
    ts_return_type = "Array<MemoryCount>"
)]
pub fn count_memories(env: &Env, by: Unknown, options: Unknown) -> Result<Answer<Vec<MemoryCount>>> {
    let by: CountedBy = read("by", &by)?;
    let counts = with_options(env, &options, |memory, options: RecallOptions| {
        memory.count(by, &options)
    })?;
    Ok(Answer(counts))
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
        let missing = || Error::no_memory(&id);
        let history = memory.history(&id)?.ok_or_else(missing)?;
        let is_withheld = matches!(history.state(), RecordState::Proposed | RecordState::Rejected);
        if is_withheld && !options.include_proposed {
            return Err(missing());
        }
        Ok(Answer(history.detail()))
    })
}
