//! The review inbox, and the feedback of sessions on records.

use forge_memory_core::WriteOptions;
use forge_memory_core::elsewhere::{RateOptions, Rating};
use forge_memory_core::review::{AcceptOptions, Counted, ReopenOptions, ReviewState, Reviewed, Waiting};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::read;
use crate::projects::{with_memory, with_options};

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
    let outcome = with_options(env, &options, |memory, options: AcceptOptions| {
        let reviewer = memory.reviewer().by(options.speaker()?);
        let mut reviewer = reviewer.retiring_persons(options.retires_persons);
        reviewer.accept_telling(&id, options.text)
    })?;
    Ok(Answer(outcome))
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
        memory.reviewer().by(options.speaker()?).reject(&id, None)
    })?;
    let state = ReviewState::Rejected;
    let retired = Vec::new();
    Ok(Answer(Reviewed { id, state, retired }))
}

/// Takes back a decision: a record that was accepted or rejected, or a request, waits for a review again. With `with`, two records
/// contradict each other again, whatever was decided about them. The changes of an accepted request stay. Throws `NOT_FOUND`,
/// `INVALID_INPUT` when it was never proposed, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, options?: ReopenOptions",
    ts_return_type = "ReviewOutcome"
)]
pub fn reopen_memory(env: &Env, id: Unknown, options: Unknown) -> Result<Answer<Reviewed>> {
    let id: String = read("id", &id)?;
    let id = with_options(env, &options, |memory, options: ReopenOptions| {
        let mut reviewer = memory.reviewer().by(options.speaker()?);
        match options.with {
            Some(other) => reviewer.reopen(&id, &other).map(|()| id),
            None => reviewer.propose_again(&id),
        }
    })?;
    let state = ReviewState::Waiting;
    let retired = Vec::new();
    Ok(Answer(Reviewed { id, state, retired }))
}

/// Counts the feedback of a session on a record: useful or wrong. `withdraw` takes back that it was useful to this session. When two
/// sessions find it wrong, it enters the review inbox. `elsewhere` says that it does not belong to the file or the command `at`, with which
/// hooks no longer give it, and `here` takes that back; neither needs a session, and they count nothing for whoever may only ask for changes
/// of the record. Throws `NOT_FOUND`, `INVALID_INPUT` without a session or a place, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, verdict: 'useful' | 'wrong' | 'withdraw' | 'elsewhere' | 'here', options: RateOptions",
    ts_return_type = "RateOutcome"
)]
pub fn rate_memory(env: &Env, id: Unknown, verdict: Unknown, options: Unknown) -> Result<Answer<Counted>> {
    let id: String = read("id", &id)?;
    let rating: Rating = read("verdict", &verdict)?;
    let outcome = with_options(env, &options, |memory, options: RateOptions| {
        let speaker = options.speaker()?;
        memory.reviewer().rate(&id, rating, options.at.as_deref(), &speaker)
    })?;
    Ok(Answer(outcome))
}
