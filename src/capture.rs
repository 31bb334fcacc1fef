//! Writing: capture, save, edit, forget.

use forge_memory_core::{CaptureInput, EditInput, SaveInput};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::{Result, to_js};
use crate::json::Answer;
use crate::projects::with_memory;
use crate::reader::{Fields, Names, text};
use crate::trust::origin_of;
use crate::types::{CaptureOutcome, EditedThought, ForgetOutcome, SaveOutcome};

/// What a capture may have.
const CAPTURE: Names = Names {
    purpose: "capture",
    names: &[
        c"tool",
        c"type",
        c"body",
        c"content",
        c"source",
        c"project",
        c"tags",
        c"confidence",
        c"createdBy",
        c"expiresAt",
        c"supersedes",
        c"byteRange",
        c"sourceFile",
        c"codeHash",
        c"toolVersion",
    ],
};

/// Captures what was learned, in all three tiers; a tier that fails never stops the next one and is told in the
/// outcome. Throws `INVALID_INPUT` when the input is wrong; nothing is written then.
#[napi(
    catch_unwind,
    ts_args_type = "capture: Capture, options?: ProjectOptions",
    ts_return_type = "CaptureOutcome"
)]
pub fn capture_memory(env: &Env, capture: Unknown, options: Unknown) -> Result<Answer<CaptureOutcome>> {
    let fields = Fields::required_at_once("capture", &capture, CAPTURE)?;
    fields.only(CAPTURE.names)?;
    let body = fields.text(c"body")?;
    let input = CaptureInput {
        tool: fields.text(c"tool")?,
        kind: fields.text(c"type")?,
        body: if body.is_some() { body } else { fields.text(c"content")? },
        source: fields.text(c"source")?,
        project: fields.text(c"project")?,
        tags: fields.texts(c"tags")?.unwrap_or_default(),
        confidence: fields.number(c"confidence")?,
        created_by: fields.text(c"createdBy")?,
        expires_at: fields.text(c"expiresAt")?,
        supersedes: fields.text(c"supersedes")?,
        origin: origin_of(&fields)?,
    };
    let outcome = with_memory(env, &options, |memory, _| memory.capture(input).map_err(to_js))?;
    Ok(Answer(outcome.into()))
}

/// Saves a pattern, unless its scope has one with the same category and the same text, whatever the case. Throws
/// `INVALID_INPUT`, `LOCKED` or `IO`; nothing is written then.
#[napi(catch_unwind, ts_args_type = "input: Save, options?: ProjectOptions")]
pub fn memory_save(env: &Env, input: Unknown, options: Unknown) -> Result<SaveOutcome> {
    let fields = Fields::required("input", &input)?;
    fields.only(&[c"pattern", c"category", c"confidence", c"scope", c"tags"])?;
    let input = SaveInput {
        pattern: fields.text(c"pattern")?,
        category: fields.text(c"category")?,
        confidence: fields.number(c"confidence")?,
        scope: fields.text(c"scope")?,
        tags: fields.texts(c"tags")?.unwrap_or_default(),
    };
    let outcome = with_memory(env, &options, |memory, _| memory.save(input).map_err(to_js))?;
    Ok(SaveOutcome {
        status: if outcome.saved { "saved" } else { "duplicate" }.to_owned(),
        id: outcome.id,
        message: outcome.message,
        redactions: u32::try_from(outcome.redactions).unwrap_or(u32::MAX),
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
    let id = text("id", &id)?;
    let fields = Fields::required("changes", &changes)?;
    fields.only(&[c"body", c"content", c"type", c"tags", c"confidence", c"expiresAt"])?;
    let body = fields.text(c"body")?;
    let changes = EditInput {
        body: if body.is_some() { body } else { fields.text(c"content")? },
        kind: fields.text(c"type")?,
        tags: fields.texts(c"tags")?,
        confidence: fields.number(c"confidence")?,
        expires_at: fields.text(c"expiresAt")?,
    };
    let edited = with_memory(env, &options, |memory, _| {
        memory.edit_in_tiers(&id, changes).map_err(to_js)
    })?;
    Ok(Answer(edited.into()))
}

/// Forgets a record: a tombstone, after which no read shows it. Throws `LOCKED` or `IO`.
#[napi(catch_unwind, ts_args_type = "id: string, options?: ProjectOptions")]
pub fn forget(env: &Env, id: Unknown, options: Unknown) -> Result<ForgetOutcome> {
    let id = text("id", &id)?;
    let removed = with_memory(env, &options, |memory, _| memory.forget(&id).map_err(to_js))?;
    Ok(ForgetOutcome { removed })
}
