//! Contradictions between records, and the decisions about them.

use forge_memory_core::ScopeFilter;
use forge_memory_core::conflicts::ConflictPair;
use forge_memory_core::offer::Offered;
use forge_memory_core::replace::Replaced;
use forge_memory_core::resolve::{Kept, Resolution, Resolved};
use forge_memory_core::retired::RetiredRecord;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::{Texts, read};
use crate::projects::{names_project, with_memory, with_options};
use crate::review::WriteOptions;

/// The decision about a conflict of two records.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConflictResolution {
    /// One of the records.
    pub id: String,
    /// The other one.
    pub with: String,
    /// Which of them holds; `merge` stores a text that supersedes both.
    #[napi(ts_type = "'newer' | 'older' | 'both' | 'merge'")]
    pub holds: String,
    /// The text of a merge.
    pub text: Option<String>,
}

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

/// The records that are out of date.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replacement {
    /// Their ids, or pieces of at least six characters of them.
    #[napi(ts_type = "string | Array<string>")]
    pub old: Texts,
    /// The record that takes their place, if one does.
    pub by: Option<String>,
    /// Why, in a few words.
    pub why: Option<String>,
}

/// A text that is compared with what the memory has.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelatedOptions {
    pub project_dir: Option<String>,
    /// `project` (when absent), `global` or `all`.
    #[napi(ts_type = "'project' | 'global' | 'all'")]
    pub scope: Option<String>,
    /// The ids of records that are left out.
    pub except: Option<Vec<String>>,
}

names_project!(RelatedOptions);

/// Retires records that are out of date, by another one or by none. What a person said is retired by a person only; what others replace is
/// in conflict with what they put in its place. Throws `NOT_FOUND` or `INVALID_INPUT`, and nothing is stored then; `PROPOSED` when it waits
/// for a person, `UNSUPPORTED`, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "replacement: Replacement, options?: WriteOptions",
    ts_return_type = "ReplaceOutcome"
)]
pub fn replace_memory(env: &Env, replacement: Unknown, options: Unknown) -> Result<Answer<Replaced>> {
    let given: Replacement = read("replacement", &replacement)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let speaker = options.speaker()?;
        memory.resolver().replace(given.old.0, given.by, given.why, &speaker)
    })?;
    Ok(Answer(outcome))
}

/// The time from which retired records are listed.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetiredOptions {
    pub project_dir: Option<String>,
    /// The earliest moment of the retirement: ISO 8601, or an age such as `7d`; all when absent.
    pub since: Option<String>,
}

names_project!(RetiredOptions);

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
        let scope = ScopeFilter::parse(options.scope.as_deref().unwrap_or("project"))?;
        let except: Vec<&str> = options.except.iter().flatten().map(String::as_str).collect();
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

/// Lists pairs of current records that contradict each other, newest first.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<MemoryConflict>"
)]
pub fn list_conflicts(env: &Env, options: Unknown) -> Result<Answer<Vec<ConflictPair>>> {
    let found = with_memory(env, &options, |memory| Ok(memory.resolver().conflicts()))?;
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
        let resolution = Resolution::parse(&given.holds, given.text)?;
        memory
            .resolver()
            .by(options.speaker()?)
            .resolve(&given.id, &given.with, resolution)
    })?;
    Ok(Answer(outcome))
}
