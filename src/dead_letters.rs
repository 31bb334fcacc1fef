//! Records that the shared store has refused: list, retry, drop.

use forge_memory_core::anvil;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::Result;
use crate::input::read;
use crate::projects::with_memory;

/// A record that the store has refused.
#[napi(object, object_from_js = false)]
pub struct DeadLetter {
    /// What it is known by, besides the thought's id.
    pub key: String,
    #[napi(ts_type = "'store' | 'delete'")]
    pub action: String,
    /// The thought.
    pub id: String,
    pub content: String,
    #[napi(js_name = "type")]
    pub kind: String,
    pub project: String,
    /// How often it was tried.
    pub attempts: f64,
    /// When it was given up, as written.
    pub failed_at: Option<String>,
    /// Why.
    pub reason: String,
    /// How it was given up on before, oldest first: it was put back each time.
    pub history: Vec<PastFailure>,
}

/// How a record was given up on once.
#[napi(object, object_from_js = false)]
pub struct PastFailure {
    /// When, as written.
    pub failed_at: Option<String>,
    /// Why.
    pub reason: String,
    /// How often it had been tried.
    pub attempts: f64,
}

/// What a retry of dead letters has come to.
#[napi(object, object_from_js = false)]
pub struct RetryOutcome {
    /// Back in the queue.
    pub retried: f64,
    /// Not needed any more: the thought is forgotten.
    pub forgotten: f64,
    /// No dead letter has these ids.
    pub unknown: Vec<String>,
}

/// What a drop of dead letters has come to.
#[napi(object, object_from_js = false)]
pub struct DropOutcome {
    pub dropped: f64,
    /// No dead letter has these ids.
    pub unknown: Vec<String>,
}

/// Lists the dead letters of a project, oldest first.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn list_dead_letters(env: &Env, options: Unknown) -> Result<Vec<DeadLetter>> {
    let letters = with_memory(env, &options, |memory| memory.dead_letters())?;
    Ok(letters.into_iter().map(letter_of).collect())
}

/// Puts dead letters back into the queue: these, by id or key, or all.
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
