//! Writing: capture, save, edit, forget.

use forge_memory_core::hallmark::Origin;
use forge_memory_core::{CaptureInput, EditInput, Error, SaveInput};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::{Answer, count};
use crate::error::Result;
use crate::input::read;
use crate::projects::with_memory;
use crate::trust::byte_range;
use crate::types::{CaptureOutcome, EditedThought, ForgetOutcome, SaveOutcome};

/// What was learned.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capture {
    /// The tool that captures, for example `forge_run_plan`; becomes the source when `source` is absent.
    pub tool: Option<String>,
    /// gotcha, lesson, decision, pattern and convention go to a file of their own; any other name is allowed.
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// The text, at most 65,536 bytes of UTF-8. Required, here or as `content`.
    pub body: Option<String>,
    /// Another name for `body`.
    pub content: Option<String>,
    /// `<tool>` or `<tool>/<subsystem>`; anything else is stored as `unknown`.
    pub source: Option<String>,
    /// The project, when it is not the one the memory belongs to.
    pub project: Option<String>,
    /// At most 32 labels.
    pub tags: Option<Vec<String>>,
    /// The confidence, 0 to 1; 0.7 when absent.
    pub confidence: Option<f64>,
    /// Who wrote it.
    pub created_by: Option<String>,
    /// When it expires, ISO 8601; by its type when absent.
    pub expires_at: Option<String>,
    /// The id of the record that this one supersedes.
    pub supersedes: Option<String>,
    /// The file that it is about, within the project: `verifyMemory` tells when that has changed.
    pub source_file: Option<String>,
    /// Which bytes of the file: the first one, and the one behind the last.
    pub byte_range: Option<Vec<f64>>,
    /// `sha256:` and 64 hexadecimal digits; computed when there is a source file.
    pub code_hash: Option<String>,
    /// The version of the tool.
    pub tool_version: Option<String>,
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
}

/// Changes to a record; what is absent stays.
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
            supersedes: from.supersedes,
            origin: Origin {
                source_file: from.source_file,
                byte_range: from.byte_range.map(byte_range).transpose()?,
                code_hash: from.code_hash,
                tool_version: from.tool_version,
            },
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
        }
    }
}

/// Captures what was learned, in all three tiers; a tier that fails does not stop the next one, and the outcome reports
/// it. Throws `INVALID_INPUT` when the input is wrong; nothing is written then.
#[napi(
    catch_unwind,
    ts_args_type = "capture: Capture, options?: ProjectOptions",
    ts_return_type = "CaptureOutcome"
)]
pub fn capture_memory(env: &Env, capture: Unknown, options: Unknown) -> Result<Answer<CaptureOutcome>> {
    let capture: Capture = read("capture", &capture)?;
    let outcome = with_memory(env, &options, |memory| memory.capture(capture.try_into()?))?;
    Ok(Answer(outcome.into()))
}

/// Saves a pattern, unless its scope has one with the same category and the same text, whatever the case. Throws
/// `INVALID_INPUT`, `LOCKED` or `IO`; nothing is written then.
#[napi(catch_unwind, ts_args_type = "input: Save, options?: ProjectOptions")]
pub fn memory_save(env: &Env, input: Unknown, options: Unknown) -> Result<SaveOutcome> {
    let input: Save = read("input", &input)?;
    let outcome = with_memory(env, &options, |memory| memory.save(input.into()))?;
    Ok(SaveOutcome {
        status: if outcome.saved { "saved" } else { "duplicate" }.to_owned(),
        id: outcome.id,
        message: outcome.message,
        redactions: count(outcome.redactions),
    })
}

/// Stores a new revision of a record, which takes the place of the old one; both stay in the file. Throws `NOT_FOUND`
/// when there is no such record or it is forgotten, `INVALID_INPUT`, `LOCKED` or `IO`. The answer has `_tiers` only when
/// the revision is stored and something beside it failed: the file of its type, the event or the queue.
#[napi(
    catch_unwind,
    ts_args_type = "id: string, changes: Edit, options?: ProjectOptions",
    ts_return_type = "Thought & { _tiers?: Tiers }"
)]
pub fn edit_memory(env: &Env, id: Unknown, changes: Unknown, options: Unknown) -> Result<Answer<EditedThought>> {
    let id: String = read("id", &id)?;
    let changes: Edit = read("changes", &changes)?;
    let edited = with_memory(env, &options, |memory| memory.edit_in_tiers(&id, changes.into()))?;
    Ok(Answer(edited.into()))
}

/// Forgets a record: a tombstone, after which no read shows it. Throws `LOCKED` or `IO`.
#[napi(catch_unwind, ts_args_type = "id: string, options?: ProjectOptions")]
pub fn forget(env: &Env, id: Unknown, options: Unknown) -> Result<ForgetOutcome> {
    let id: String = read("id", &id)?;
    let removed = with_memory(env, &options, |memory| memory.forget(&id))?;
    Ok(ForgetOutcome { removed })
}
