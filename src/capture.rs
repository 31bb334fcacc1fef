//! Writing records: capture, save, edit, forget.

use forge_memory_core::outcome::ForgetOutcome;
use forge_memory_core::said::Author;
use forge_memory_core::save::SaveOutcome;
use forge_memory_core::thought::Thought;
use forge_memory_core::{CaptureInput, CaptureOutcome, EditInput, Memory, SaveInput, Tiers, WriteOptions};
use forge_memory_moment::quoted::is_said;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Serialize;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::read;
use crate::projects::{user_home, with_options};

/// Captures a text in all three tiers. When one tier fails, the others go on, and the outcome reports it. Throws `INVALID_INPUT` when the input is
/// invalid, and `NOT_FOUND` when a record that it supersedes is not there; nothing is written then.
#[napi(
    catch_unwind,
    ts_args_type = "capture: Capture, options?: WriteOptions",
    ts_return_type = "CaptureOutcome"
)]
pub fn capture_memory(env: &Env, capture: Unknown, options: Unknown) -> Result<Answer<CaptureOutcome>> {
    let mut input: CaptureInput = read("capture", &capture)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        // A record says who its author is only where the caller named one. It counts as an agent's all the same.
        input.door = options.speaker()?.door;
        let text = input.body.as_ref().or(input.content.as_ref());
        if is_persons(memory, &options, text, input.quote.as_ref()) {
            input.is_quoted = true;
            (input.author, input.created_by) = (Some(Author::Person.name().to_owned()), None);
        } else {
            input.author = options.author;
        }
        input.session = options.session;
        input.waits = options.propose.then_some(true);
        input.unannounced = options.unannounced;
        memory.capture(input)
    })?;
    Ok(Answer(outcome))
}

/// True if an agent stores what a person said in a prompt, and nothing beyond it.
fn is_persons(memory: &Memory, options: &WriteOptions, text: Option<&String>, quote: Option<&String>) -> bool {
    let is_agents = options
        .author
        .as_deref()
        .is_none_or(|author| author == Author::Agent.name());
    let (Some(text), Some(quote), true) = (text, quote, is_agents) else {
        return false;
    };
    is_said(memory, &user_home(), text, quote)
}

/// Saves a pattern, unless its scope has one with the same category and the same text, ignoring case. Throws
/// `INVALID_INPUT`, `LOCKED` or `IO`; nothing is written then.
#[napi(
    catch_unwind,
    ts_args_type = "input: Save, options?: WriteOptions",
    ts_return_type = "SaveOutcome"
)]
pub fn memory_save(env: &Env, input: Unknown, options: Unknown) -> Result<Answer<SaveOutcome>> {
    let mut input: SaveInput = read("input", &input)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        input.door = options.speaker()?.door;
        input.author = if is_persons(memory, &options, input.pattern.as_ref(), input.quote.as_ref()) {
            Some(Author::Person.name().to_owned())
        } else {
            options.author
        };
        input.session = options.session;
        input.waits = options.propose.then_some(true);
        memory.save(input)
    })?;
    Ok(Answer(outcome))
}

/// A revision as it is stored, with the tiers only when one of them failed.
#[derive(Serialize)]
pub struct EditedThought {
    #[serde(flatten)]
    thought: Thought,
    /// Names that begin with `_` are bookkeeping, which the hallmark does not cover.
    #[serde(rename = "_tiers", skip_serializing_if = "Option::is_none")]
    tiers: Option<Tiers>,
}

/// Stores a new revision of a record, which supersedes the old one; both stay in the file. Throws `NOT_FOUND` when the
/// record does not exist or is forgotten, `INVALID_INPUT`, `PROPOSED` when it waits for a person, `LOCKED` or `IO`. The result has `_tiers` only when the revision
/// is stored and something else failed: the file of its type, the event or the queue.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, changes: Edit, options?: WriteOptions",
    ts_return_type = "Thought & { _tiers?: Tiers }"
)]
pub fn edit_memory(env: &Env, id: Unknown, changes: Unknown, options: Unknown) -> Result<Answer<EditedThought>> {
    let id: String = read("id", &id)?;
    let mut changes: EditInput = read("changes", &changes)?;
    let (thought, tiers) = with_options(env, &options, |memory, options: WriteOptions| {
        let speaker = options.speaker()?;
        changes.author = speaker.author.map(|author| author.name().to_owned());
        (changes.door, changes.session) = (speaker.door, options.session);
        memory.edit_in_tiers(&id, changes)
    })?;
    Ok(Answer(EditedThought {
        thought,
        tiers: Some(tiers).filter(|tiers| !tiers.are_ok()),
    }))
}

/// Forgets a record by a tombstone, after which it is never returned; `keepMemory` restores it until a compaction. Throws `LOCKED`, `IO`,
/// or `PROPOSED` when it waits for a person.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, options?: WriteOptions",
    ts_return_type = "ForgetOutcome"
)]
pub fn forget(env: &Env, id: Unknown, options: Unknown) -> Result<Answer<ForgetOutcome>> {
    let id: String = read("id", &id)?;
    let removed = with_options(env, &options, |memory, options: WriteOptions| {
        memory.forget_by(&id, &options.speaker()?)
    })?;
    Ok(Answer(ForgetOutcome { removed }))
}
