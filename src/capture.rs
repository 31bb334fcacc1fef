//! Writing records: capture, save, edit, forget.

use forge_memory_core::hallmark::Origin;
use forge_memory_core::outcome::ForgetOutcome;
use forge_memory_core::save::SaveOutcome;
use forge_memory_core::thought::Thought;
use forge_memory_core::{CaptureInput, CaptureOutcome, EditInput, Error, SaveInput, Tiers};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::error::Result;
use crate::input::{Texts, read};
use crate::projects::with_options;
use crate::review::WriteOptions;
use crate::trust::byte_range;

/// The input of a capture.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capture {
    /// The name of the capturing tool, for example `forge_run_plan`. It is the source when `source` is absent.
    pub tool: Option<String>,
    /// The type. gotcha, lesson, decision, pattern and convention also go to a file of their own; any other name is
    /// allowed.
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// The text, at most 65,536 bytes of UTF-8. Required, under this name or as `content`.
    pub body: Option<String>,
    /// Another name for `body`.
    pub content: Option<String>,
    /// `<tool>` or `<tool>/<subsystem>`; anything else is stored as `unknown`.
    pub source: Option<String>,
    /// The project, if it is not the memory's own.
    pub project: Option<String>,
    /// At most 32 labels.
    pub tags: Option<Vec<String>>,
    /// The confidence, 0 to 1; the default depends on the author: 0.8 for a person, 0.7 for an agent, 0.6 for an import
    /// or the watcher.
    pub confidence: Option<f64>,
    /// The author.
    pub created_by: Option<String>,
    /// When it expires, ISO 8601; the default of its type when absent.
    pub expires_at: Option<String>,
    /// The ids of the records that this one supersedes, or pieces of at least six characters of them. What a person said is superseded by
    /// a person only; otherwise the two are in conflict.
    #[napi(ts_type = "string | Array<string>")]
    pub supersedes: Option<Texts>,
    /// The conversation that it is a part of, any name; only a hash of it is stored. Recall finds records of one conversation together,
    /// in the order in which they were captured. When absent, the session of the agent that captures.
    pub session_id: Option<String>,
    /// The file that it is about, within the project. `verifyMemory` reports when that file has changed.
    pub source_file: Option<String>,
    /// The range of bytes in that file: the first offset, and the one after the last.
    pub byte_range: Option<Vec<f64>>,
    /// `sha256:` and 64 hexadecimal digits; computed when there is a source file.
    pub code_hash: Option<String>,
    /// The version of the tool.
    pub tool_version: Option<String>,
    /// Whether the outcome names up to three current records that this one may replace.
    pub related: Option<bool>,
}

/// A pattern to save.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Save {
    /// The text, at most 1,024 bytes of UTF-8.
    pub pattern: String,
    /// convention, failure_pattern, success_pattern, test_command, architecture, dependency or tool_usage.
    pub category: String,
    /// The confidence, 0 to 1; 0.7 when absent.
    pub confidence: Option<f64>,
    /// `project` (when absent) or `global`.
    pub scope: Option<String>,
    /// At most 32 labels.
    pub tags: Option<Vec<String>>,
    /// Whether the outcome names up to three current records of its scope that this one may replace.
    pub related: Option<bool>,
}

/// Changes of a record; absent fields stay.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edit {
    /// The new text.
    pub body: Option<String>,
    /// Another name for `body`.
    pub content: Option<String>,
    /// The new type or category.
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The new labels, all of them.
    pub tags: Option<Vec<String>>,
    /// The new confidence, 0 to 1.
    pub confidence: Option<f64>,
    /// The new expiry, ISO 8601.
    pub expires_at: Option<String>,
}

impl TryFrom<Capture> for CaptureInput {
    type Error = Error;

    fn try_from(from: Capture) -> forge_memory_core::Result<Self> {
        Ok(CaptureInput {
            tool: from.tool,
            kind: Some(from.kind),
            body: from.body.or(from.content),
            source: from.source,
            project: from.project,
            tags: from.tags.unwrap_or_default(),
            confidence: from.confidence,
            created_by: from.created_by,
            expires_at: from.expires_at,
            supersedes: from.supersedes.map(|ids| ids.0).unwrap_or_default(),
            session_id: from.session_id,
            origin: Origin {
                source_file: from.source_file,
                byte_range: from.byte_range.map(byte_range).transpose()?,
                code_hash: from.code_hash,
                tool_version: from.tool_version,
            },
            author: None,
            session: None,
            waits: None,
            related: from.related.unwrap_or(false),
        })
    }
}

impl From<Save> for SaveInput {
    fn from(from: Save) -> Self {
        SaveInput {
            pattern: Some(from.pattern),
            category: Some(from.category),
            confidence: from.confidence,
            scope: from.scope,
            tags: from.tags.unwrap_or_default(),
            author: None,
            session: None,
            waits: None,
            related: from.related.unwrap_or(false),
        }
    }
}

impl From<Edit> for EditInput {
    fn from(from: Edit) -> Self {
        EditInput {
            body: from.body.or(from.content),
            kind: from.kind,
            tags: from.tags,
            confidence: from.confidence,
            expires_at: from.expires_at,
            author: None,
            session: None,
        }
    }
}

/// Captures what was learned, in all three tiers. When one tier fails, the others go on, and the outcome reports it. Throws
/// `INVALID_INPUT` when the input is invalid, and `NOT_FOUND` when a record that it supersedes is not there; nothing is written then.
#[napi(
    catch_unwind,
    ts_args_type = "capture: Capture, options?: WriteOptions",
    ts_return_type = "CaptureOutcome"
)]
pub fn capture_memory(env: &Env, capture: Unknown, options: Unknown) -> Result<Answer<CaptureOutcome>> {
    let capture: Capture = read("capture", &capture)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let mut input: CaptureInput = capture.try_into()?;
        (input.author, input.session) = (options.author, options.session);
        input.waits = options.propose.filter(|proposes| *proposes);
        memory.capture(input)
    })?;
    Ok(Answer(outcome))
}

/// Saves a pattern, unless its scope has one with the same category and the same text, ignoring case. Throws
/// `INVALID_INPUT`, `LOCKED` or `IO`; nothing is written then.
#[napi(
    catch_unwind,
    ts_args_type = "input: Save, options?: WriteOptions",
    ts_return_type = "SaveOutcome"
)]
pub fn memory_save(env: &Env, input: Unknown, options: Unknown) -> Result<Answer<SaveOutcome>> {
    let input: Save = read("input", &input)?;
    let outcome = with_options(env, &options, |memory, options: WriteOptions| {
        let mut input: SaveInput = input.into();
        (input.author, input.session) = (options.author, options.session);
        input.waits = options.propose.filter(|proposes| *proposes);
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
    let changes: Edit = read("changes", &changes)?;
    let (thought, tiers) = with_options(env, &options, |memory, options: WriteOptions| {
        let mut changes: EditInput = changes.into();
        (changes.author, changes.session) = (options.author, options.session);
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
