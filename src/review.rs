//! The review inbox, and the feedback of sessions on records.

use forge_memory_core::author::Speaker;
use forge_memory_core::review::{Counted, ReviewState, Reviewed, Verdict, Waiting};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::read;
use crate::projects::{names_project, with_memory, with_options};

/// A project and an author. The surface that receives a text determines the author, not the text.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteOptions {
    pub project_dir: Option<String>,
    /// The author; an agent when absent. Records of other authors than people may require a review.
    #[napi(ts_type = "'person' | 'agent' | 'import' | 'watcher'")]
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`; only a hash of it is stored.
    pub session: Option<String>,
    /// Whether it only proposes: a capture or pattern waits for a review then, whatever `review` in `.forge.json` says.
    pub propose: Option<bool>,
}

names_project!(WriteOptions);

impl WriteOptions {
    pub(crate) fn speaker(&self) -> forge_memory_core::Result<Speaker> {
        Speaker::read(self.author.as_deref(), self.session.as_deref())
    }
}

/// A project, and a new text for a proposed record.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptOptions {
    pub project_dir: Option<String>,
    /// The session, as `<channel>:<name>`; only a hash of it is stored.
    pub session: Option<String>,
    /// The text that replaces it.
    pub text: Option<String>,
}

names_project!(AcceptOptions);

/// Lists the inbox, the oldest first: proposed records, those that sessions found wrong, and changes that are asked for.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<WaitingMemory>"
)]
pub fn list_review(env: &Env, options: Unknown) -> Result<Answer<Vec<Waiting>>> {
    let found = with_memory(env, &options, |memory| Ok(memory.reviewer().inbox()))?;
    Ok(Answer(found))
}

/// Accepts a proposed or rejected record: it becomes current and is queued for the shared store. A request is carried out.
/// Throws `NOT_FOUND`, also when it is forgotten, `INVALID_INPUT` when the text is wrong, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, options?: AcceptOptions",
    ts_return_type = "ReviewOutcome"
)]
pub fn accept_memory(env: &Env, id: Unknown, options: Unknown) -> Result<Answer<Reviewed>> {
    let id: String = read("id", &id)?;
    let id = with_options(env, &options, |memory, options: AcceptOptions| match options.text {
        Some(text) => memory.reviewer().edit(&id, text),
        None => memory.reviewer().accept(&id, options.session.as_deref()),
    })?;
    let state = ReviewState::Accepted;
    Ok(Answer(Reviewed { id, state }))
}

/// Rejects a record: searches exclude it, and the same text is not stored again unless a person captures it.
/// `acceptMemory` undoes it. Throws `NOT_FOUND`, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, options?: WriteOptions",
    ts_return_type = "ReviewOutcome"
)]
pub fn reject_memory(env: &Env, id: Unknown, options: Unknown) -> Result<Answer<Reviewed>> {
    let id: String = read("id", &id)?;
    let id = with_options(env, &options, |memory, options: WriteOptions| {
        memory.reviewer().reject(&id, options.session.as_deref())
    })?;
    let state = ReviewState::Rejected;
    Ok(Answer(Reviewed { id, state }))
}

/// A project, and the other record of a contradiction.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReopenOptions {
    pub project_dir: Option<String>,
    /// The record that contradicts it.
    pub with: Option<String>,
}

names_project!(ReopenOptions);

/// Takes back a decision: a record that was accepted or rejected, or a request, waits for a review again. With `with`, two records
/// contradict each other again, whatever was decided about them. What an accepted request has changed stays changed. Throws `NOT_FOUND`,
/// `INVALID_INPUT` when it was never proposed, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, options?: ReopenOptions",
    ts_return_type = "ReviewOutcome"
)]
pub fn reopen_memory(env: &Env, id: Unknown, options: Unknown) -> Result<Answer<Reviewed>> {
    let id: String = read("id", &id)?;
    let id = with_options(env, &options, |memory, options: ReopenOptions| match options.with {
        Some(other) => memory.resolver().reopen(&id, &other).map(|()| id),
        None => memory.reviewer().reopen(&id),
    })?;
    let state = ReviewState::Waiting;
    Ok(Answer(Reviewed { id, state }))
}

/// Counts the feedback of a session on a record: useful or wrong. When two sessions find it wrong, it enters the review
/// inbox. Throws `NOT_FOUND`, `INVALID_INPUT` without a session, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, verdict: 'useful' | 'wrong', options: WriteOptions",
    ts_return_type = "RateOutcome"
)]
pub fn rate_memory(env: &Env, id: Unknown, verdict: Unknown, options: Unknown) -> Result<Answer<Counted>> {
    let id: String = read("id", &id)?;
    let verdict: String = read("verdict", &verdict)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let speaker = Speaker::read(options.author.as_deref(), options.session.as_deref())?;
        memory.reviewer().count(&id, Verdict::parse(&verdict)?, &speaker)
    })?;
    Ok(Answer(outcome))
}
