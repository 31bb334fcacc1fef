//! Dead letters: records that could not be delivered to the shared store. List, retry, drop.

use forge_memory_core::anvil;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::Result;
use crate::input::read;
use crate::projects::with_memory;

/// A record that could not be delivered.
#[napi(object, object_from_js = false)]
pub struct DeadLetter {
    /// Identifies it, beside the id of the thought.
    pub key: String,
    #[napi(ts_type = "'store' | 'delete'")]
    pub action: String,
    /// The id of the thought.
    pub id: String,
    pub content: String,
    #[napi(js_name = "type")]
    pub kind: String,
    pub project: String,
    /// The number of attempts.
    pub attempts: f64,
    /// When delivery was given up, as written.
    pub failed_at: Option<String>,
    /// The reason.
    pub reason: String,
    /// Earlier failures, oldest first, after each of which it was retried.
    pub history: Vec<PastFailure>,
}

/// An earlier failure of a dead letter.
#[napi(object, object_from_js = false)]
pub struct PastFailure {
    /// When delivery was given up, as written.
    pub failed_at: Option<String>,
    /// The reason.
    pub reason: String,
    /// The number of attempts.
    pub attempts: f64,
}

/// The outcome of a retry.
#[napi(object, object_from_js = false)]
pub struct RetryOutcome {
    /// The number of records put back into the queue.
    pub retried: f64,
    /// The number of records that are no longer needed, because their thought is forgotten.
    pub forgotten: f64,
    /// The ids without a dead letter.
    pub unknown: Vec<String>,
}

/// The outcome of a drop.
#[napi(object, object_from_js = false)]
pub struct DropOutcome {
    pub dropped: f64,
    /// The ids without a dead letter.
    pub unknown: Vec<String>,
}

/// Lists the dead letters of a project, oldest first.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn list_dead_letters(env: &Env, options: Unknown) -> Result<Vec<DeadLetter>> {
    let letters = with_memory(env, &options, |memory| memory.dead_letters())?;
    Ok(letters.into_iter().map(letter_of).collect())
}

/// Puts dead letters back into the queue: those with these ids or keys, or all.
#[napi(catch_unwind, ts_args_type = "ids?: Array<string> | null, options?: ProjectOptions")]
pub fn retry_dead_letters(env: &Env, ids: Unknown, options: Unknown) -> Result<RetryOutcome> {
    let ids: Option<Vec<String>> = read("ids", &ids)?;
    let retried = with_memory(env, &options, |memory| memory.retry_dead_letters(ids.as_deref()))?;
    Ok(RetryOutcome {
        retried: retried.retried as f64,
        forgotten: retried.forgotten as f64,
        unknown: retried.unknown,
    })
}

/// Deletes dead letters, by id or key.
#[napi(catch_unwind, ts_args_type = "ids: Array<string>, options?: ProjectOptions")]
pub fn drop_dead_letters(env: &Env, ids: Unknown, options: Unknown) -> Result<DropOutcome> {
    let ids: Vec<String> = read("ids", &ids)?;
    let outcome = with_memory(env, &options, |memory| memory.drop_dead_letters(&ids))?;
    Ok(DropOutcome {
        dropped: outcome.dropped as f64,
        unknown: outcome.unknown,
    })
}

fn past_failure_of(past: anvil::PastFailure) -> PastFailure {
    PastFailure {
        failed_at: past.failed_at,
        reason: past.reason,
        attempts: f64::from(past.attempts),
    }
}

fn letter_of(letter: anvil::DeadLetter) -> DeadLetter {
    DeadLetter {
        key: letter.key,
        action: letter.action.to_owned(),
        id: letter.id,
        content: letter.content,
        kind: letter.kind,
        project: letter.project,
        attempts: f64::from(letter.attempts),
        failed_at: letter.failed_at,
        reason: letter.reason,
        history: letter.history.into_iter().map(past_failure_of).collect(),
    }
}
