//! Contradictions between records, and the decisions about them.

use forge_memory_core::conflicts::ConflictPair;
use forge_memory_core::judge::reason_of;
use forge_memory_core::resolve::Resolution;
use forge_memory_core::standing::Retirement;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::error::Result;
use crate::input::read;
use crate::projects::{with_memory, with_options};
use crate::review::WriteOptions;
use crate::types::{RelatedMemory, scope_name};

/// Why a record is no longer current.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RetiredBy {
    /// The id of the record that holds instead.
    pub id: String,
    /// When it was retired.
    pub at: String,
    /// The rule by which it was retired, `supersedes`, `resolved` or `merged`.
    pub rule: String,
    /// The rule as a sentence.
    pub why: String,
}

impl From<&Retirement> for RetiredBy {
    fn from(from: &Retirement) -> Self {
        RetiredBy {
            id: from.by.clone(),
            at: forge_memory_core::clock::format_iso(from.at_ms),
            why: reason_of(&from.why).to_owned(),
            rule: from.why.clone(),
        }
    }
}

/// Two records that contradict each other. Both count until a person decides.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryConflict {
    #[napi(ts_type = "'project' | 'global'")]
    pub scope: String,
    pub newer: RelatedMemory,
    pub older: RelatedMemory,
    /// The rule that found the contradiction.
    pub rule: String,
    /// The rule as a sentence.
    pub why: String,
}

impl From<ConflictPair> for MemoryConflict {
    fn from(from: ConflictPair) -> Self {
        MemoryConflict {
            scope: scope_name(from.scope),
            newer: (&from.newer).into(),
            older: (&from.older).into(),
            why: reason_of(&from.rule).to_owned(),
            rule: from.rule,
        }
    }
}

/// The outcome of `keepMemory`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeepOutcome {
    /// False when the record was current already.
    pub kept: bool,
    /// The id of the current record: a new revision when another one had superseded the kept one.
    pub id: String,
}

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

/// The outcome of `resolveConflict`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveOutcome {
    /// The ids of the records that are now current.
    pub current: Vec<String>,
    /// The ids of the records that are now retired.
    pub retired: Vec<String>,
}

/// Makes a retired record current again; a superseded revision comes back as a new revision. Throws `NOT_FOUND`, also when
/// it is forgotten, `INVALID_INPUT` when it has expired, `LOCKED` or `IO`.
#[napi(catch_unwind, ts_args_type = "id: string, options?: ProjectOptions")]
pub fn keep_memory(env: &Env, id: Unknown, options: Unknown) -> Result<KeepOutcome> {
    let id: String = read("id", &id)?;
    let outcome = with_memory(env, &options, |memory| memory.resolver().keep(&id))?;
    Ok(KeepOutcome {
        kept: outcome.kept,
        id: outcome.id,
    })
}

/// Lists pairs of current records that contradict each other, newest first.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<MemoryConflict>"
)]
pub fn list_conflicts(env: &Env, options: Unknown) -> Result<Answer<Vec<MemoryConflict>>> {
    let found = with_memory(env, &options, |memory| Ok(memory.resolver().conflicts()))?;
    Ok(Answer(found.into_iter().map(Into::into).collect()))
}

/// Settles a conflict of two records. Throws `NOT_FOUND`, `INVALID_INPUT`, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "resolution: ConflictResolution, options?: WriteOptions"
)]
pub fn resolve_conflict(env: &Env, resolution: Unknown, options: Unknown) -> Result<ResolveOutcome> {
    let given: ConflictResolution = read("resolution", &resolution)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let resolution = Resolution::parse(&given.holds, given.text)?;
        memory
            .resolver()
            .by(options.author)
            .resolve(&given.id, &given.with, resolution)
    })?;
    Ok(ResolveOutcome {
        current: outcome.current,
        retired: outcome.retired,
    })
}
