//! Contradictions between records, and the decisions about them.

use forge_memory_core::conflicts::ConflictPair;
use forge_memory_core::offer::Offered;
use forge_memory_core::receive::Received;
use forge_memory_core::replace::{Replaced, Replacement};
use forge_memory_core::resolve::{ConflictResolution, Kept, Resolution, Resolved};
use forge_memory_core::retired::RetiredRecord;
use forge_memory_core::{RelatedOptions, RetiredOptions, ScopeFilter, WriteOptions};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::read;
use crate::projects::{with_memory, with_options};

/// Makes a retired or forgotten record current again; a superseded revision comes back as a new revision, a forgotten record under a new
/// id. Throws `NOT_FOUND`, also when a compaction has removed it, `INVALID_INPUT` when it has expired, `PROPOSED` when it waits for a
/// person, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, options?: WriteOptions",
    ts_return_type = "KeepOutcome"
)]
pub fn keep_memory(env: &Env, id: Unknown, options: Unknown) -> Result<Answer<Kept>> {
    let id: String = read("id", &id)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        memory.resolver().by(options.speaker()?).keep(&id)
    })?;
    Ok(Answer(outcome))
}

/// Retires records that are out of date, by another one or by none. Only a person retires the record of a person; a replacement by others is
/// in conflict with it. Throws `NOT_FOUND` or `INVALID_INPUT`, and nothing is stored then; `PROPOSED` when it waits for a person,
/// `UNSUPPORTED`, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "replacement: Replacement, options?: WriteOptions",
    ts_return_type = "ReplaceOutcome"
)]
pub fn replace_memory(env: &Env, replacement: Unknown, options: Unknown) -> Result<Answer<Replaced>> {
    let given: Replacement = read("replacement", &replacement)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let speaker = options.speaker()?;
        memory.resolver().replace(given.old, given.by, given.why, &speaker)
    })?;
    Ok(Answer(outcome))
}

/// Lists the records that other ones have retired, the newest first. Throws `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: RetiredOptions",
    ts_return_type = "Array<RetiredMemory>"
)]
pub fn list_retired(env: &Env, options: Unknown) -> Result<Answer<Vec<RetiredRecord>>> {
    let found = with_options(env, &options, |memory, options: RetiredOptions| {
        memory.retired(options.since.as_deref())
    })?;
    Ok(Answer(found))
}

/// Returns the current records that a text may replace, the most likely first, at most three; none when nothing is near.
#[napi(
    catch_unwind,
    ts_args_type = "text: string, options?: RelatedOptions",
    ts_return_type = "Array<OfferedMemory>"
)]
pub fn find_related(env: &Env, text: Unknown, options: Unknown) -> Result<Answer<Vec<Offered>>> {
    let text: String = read("text", &text)?;
    let found = with_options(env, &options, |memory, options: RelatedOptions| {
        let scope = options.scope.unwrap_or(ScopeFilter::Project);
        let except: Vec<&str> = options.except.iter().map(String::as_str).collect();
        Ok(memory.related(&text, scope, &except))
    })?;
    Ok(Answer(found))
}

/// Returns which of the texts of another store's records, by their place, a captured text may replace, the most likely first, at most three.
#[napi(
    catch_unwind,
    ts_args_type = "text: string, others: Array<string>, options?: ProjectOptions"
)]
pub fn find_related_among(env: &Env, text: Unknown, others: Unknown, options: Unknown) -> Result<Vec<u32>> {
    let (text, others): (String, Vec<String>) = (read("text", &text)?, read("others", &others)?);
    with_memory(env, &options, |memory| {
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        let places = memory.related_among(&text, &others);
        Ok(places.into_iter().map(|place| place as u32).collect())
    })
}

/// Takes note of records that only a shared store has, as lines of JSON, until it is told others: calls that name a record by its id know
/// them as well.
#[napi(catch_unwind, ts_args_type = "records: Array<string>, options?: ProjectOptions")]
pub fn hold_records(env: &Env, records: Unknown, options: Unknown) -> Result<()> {
    let records: Vec<String> = read("records", &records)?;
    with_memory(env, &options, |memory| {
        memory.hold_fetched(records.into_iter().map(String::into_bytes).collect());
        Ok(())
    })
}

/// Receives what colleagues decided about records of this memory, as lines that a shared store sends back: rulings, tombstones, and records that
/// replace others. What is known already changes nothing. Not for users of the package.
#[napi(
    catch_unwind,
    ts_args_type = "lines: Array<string>, options?: ProjectOptions",
    ts_return_type = "ReceivedDecisions"
)]
pub fn receive_decisions(env: &Env, lines: Unknown, options: Unknown) -> Result<Answer<Received>> {
    let lines: Vec<String> = read("lines", &lines)?;
    let received = with_memory(env, &options, |memory| memory.receive(&lines))?;
    Ok(Answer(received))
}

/// Lists pairs of current records that contradict each other, newest first.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<MemoryConflict>"
)]
pub fn list_conflicts(env: &Env, options: Unknown) -> Result<Answer<Vec<ConflictPair>>> {
    let found = with_memory(env, &options, |memory| Ok(memory.conflicts()))?;
    Ok(Answer(found))
}

/// Settles a conflict of two records. Throws `NOT_FOUND`, `INVALID_INPUT`, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "resolution: ConflictResolution, options?: WriteOptions",
    ts_return_type = "ResolveOutcome"
)]
pub fn resolve_conflict(env: &Env, resolution: Unknown, options: Unknown) -> Result<Answer<Resolved>> {
    let given: ConflictResolution = read("resolution", &resolution)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let resolution = Resolution::of(given.holds, given.text)?;
        memory
            .resolver()
            .by(options.speaker()?)
            .resolve(&given.id, &given.with, resolution)
    })?;
    Ok(Answer(outcome))
}
