//! Contradictions between records, and the decisions about them.

use forge_memory_core::ScopeFilter;
use forge_memory_core::conflicts::ConflictPair;
use forge_memory_core::replace::Replaced;
use forge_memory_core::resolve::Resolution;
use forge_memory_core::retired::RetiredRecord;
use forge_memory_core::standing::Retirement;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::error::Result;
use crate::input::{Texts, read};
use crate::projects::{names_project, with_memory, with_options};
use crate::review::WriteOptions;
use crate::types::{Contradicted, OfferedMemory, RelatedMemory, offered, scope_name, sentence_of};

/// Why a record is no longer current.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RetiredBy {
    /// The id of the record that holds instead; empty when none does.
    pub id: String,
    /// When it was retired.
    pub at: String,
    /// The rule by which it was retired, `supersedes`, `resolved`, `merged` or `replaced`, or the reason that was given.
    pub rule: String,
    /// The rule as a sentence.
    pub why: String,
}

impl From<&Retirement> for RetiredBy {
    fn from(from: &Retirement) -> Self {
        RetiredBy {
            id: from.by.clone(),
            at: forge_memory_core::clock::format_iso(from.at_ms),
            why: sentence_of(&from.why),
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
            why: sentence_of(&from.rule),
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
    /// The id of the current record: another one when the kept one was superseded or forgotten.
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

/// Makes a retired or forgotten record current again; a superseded revision comes back as a new revision, a forgotten record under a new
/// id. Throws `NOT_FOUND`, also when a compaction has removed it, `INVALID_INPUT` when it has expired, `PROPOSED` when it waits for a
/// person, `LOCKED` or `IO`.
#[napi(catch_unwind, ts_args_type = "id: string, options?: WriteOptions")]
pub fn keep_memory(env: &Env, id: Unknown, options: Unknown) -> Result<KeepOutcome> {
    let id: String = read("id", &id)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        memory.resolver().by(options.speaker()?).keep(&id)
    })?;
    Ok(KeepOutcome {
        kept: outcome.kept,
        id: outcome.id,
    })
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

/// The outcome of `replaceMemory`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplaceOutcome {
    /// The record that takes their place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The records that are retired now; `keepMemory` makes one current again.
    pub retired: Vec<Contradicted>,
    /// The records that are in conflict with it now, because only a person may retire what a person said.
    pub conflicts: Vec<Contradicted>,
    /// The ids of the records that were retired before.
    pub unchanged: Vec<String>,
}

impl From<Replaced> for ReplaceOutcome {
    fn from(from: Replaced) -> Self {
        ReplaceOutcome {
            by: from.by,
            retired: from.retired.into_iter().map(Into::into).collect(),
            conflicts: from.conflicts.into_iter().map(Into::into).collect(),
            unchanged: from.unchanged,
        }
    }
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
pub fn replace_memory(env: &Env, replacement: Unknown, options: Unknown) -> Result<Answer<ReplaceOutcome>> {
    let given: Replacement = read("replacement", &replacement)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let speaker = options.speaker()?;
        memory.resolver().replace(given.old.0, given.by, given.why, &speaker)
    })?;
    Ok(Answer(outcome.into()))
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

/// A record that is no longer current, because another one took its place.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RetiredMemory {
    pub id: String,
    #[napi(ts_type = "'project' | 'global'")]
    pub scope: String,
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    pub text: String,
    pub created_at: String,
    pub retired: RetiredBy,
    /// Whose record took its place; absent when that is not known.
    #[napi(ts_type = "'person' | 'agent' | 'import' | 'watcher'")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
}

impl From<RetiredRecord> for RetiredMemory {
    fn from(from: RetiredRecord) -> Self {
        RetiredMemory {
            id: from.id,
            scope: scope_name(from.scope),
            kind: from.kind,
            text: from.text,
            created_at: from.created_at,
            retired: RetiredBy {
                id: from.by,
                at: forge_memory_core::clock::format_iso(from.at_ms),
                why: sentence_of(&from.why),
                rule: from.why,
            },
            author: from.author.map(|author| author.name().to_owned()),
        }
    }
}

/// Lists the records that other ones have retired, the newest first. Throws `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: RetiredOptions",
    ts_return_type = "Array<RetiredMemory>"
)]
pub fn list_retired(env: &Env, options: Unknown) -> Result<Answer<Vec<RetiredMemory>>> {
    let found = with_options(env, &options, |memory, options: RetiredOptions| {
        memory.retired(options.since.as_deref())
    })?;
    Ok(Answer(found.into_iter().map(Into::into).collect()))
}

/// Returns the current records that a text may replace, the most likely first, at most three; none when nothing is near.
#[napi(
    catch_unwind,
    ts_args_type = "text: string, options?: RelatedOptions",
    ts_return_type = "Array<OfferedMemory>"
)]
pub fn find_related(env: &Env, text: Unknown, options: Unknown) -> Result<Answer<Vec<OfferedMemory>>> {
    let text: String = read("text", &text)?;
    let found = with_options(env, &options, |memory, options: RelatedOptions| {
        let scope = ScopeFilter::parse(options.scope.as_deref().unwrap_or("project"))?;
        let except: Vec<&str> = options.except.iter().flatten().map(String::as_str).collect();
        Ok(memory.related(&text, scope, &except))
    })?;
    Ok(Answer(offered(found)))
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
            .by(options.speaker()?)
            .resolve(&given.id, &given.with, resolution)
    })?;
    Ok(ResolveOutcome {
        current: outcome.current,
        retired: outcome.retired,
    })
}
