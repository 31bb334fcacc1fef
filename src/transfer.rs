//! Export of memories, and the audit of what accumulates over the years.

use forge_memory_core::audit::{AuditReport, RedactionReport};
use forge_memory_core::transfer::{self as core, Exported};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::Answer;
use crate::error::Result;
use crate::projects::{names_project, with_memory, with_options};

#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportOptions {
    /// `jsonl` or `md`; when absent, by the extension of `path`, else `jsonl`.
    pub format: Option<String>,
    /// The file to write, within the project; when absent, the text is returned.
    pub path: Option<String>,
    /// Whether an earlier export may be replaced.
    pub overwrite: Option<bool>,
    /// Whether any file of the project may be overwritten, including ones that are not exports and ones that configure
    /// a program.
    pub force: Option<bool>,
    /// Whether expired records are included.
    pub include_expired: Option<bool>,
    pub project_dir: Option<String>,
}

names_project!(ExportOptions);

/// Exports all records that recall returns, without secrets. Throws `INVALID_INPUT` when the path is outside of the
/// project, in `.forge` or `.git`, exists already, or (unless forced) was not written by an export, and `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ExportOptions",
    ts_return_type = "ExportOutcome"
)]
pub fn export_memory(env: &Env, options: Unknown) -> Result<Answer<Exported>> {
    with_options(env, &options, |memory, from: ExportOptions| {
        memory.export(&core::ExportOptions {
            format: core::ExportFormat::choose(from.format.as_deref(), from.path.as_deref())?,
            path: from.path,
            overwrite: from.overwrite.unwrap_or(false),
            force: from.force.unwrap_or(false),
            include_expired: from.include_expired.unwrap_or(false),
        })
    })
    .map(Answer)
}

/// Measures the rot of a memory: copies, loops, secrets, and records that recall can never return. Throws `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "AuditReport"
)]
pub fn audit_memory(env: &Env, options: Unknown) -> Result<Answer<AuditReport>> {
    with_memory(env, &options, |memory| memory.audit().map(Answer))
}

/// Redacts the secrets in everything that is stored. The originals are not kept. Throws `IO` or `LOCKED`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "RedactionReport"
)]
pub fn redact_memory(env: &Env, options: Unknown) -> Result<Answer<RedactionReport>> {
    with_memory(env, &options, |memory| memory.redact_stored().map(Answer))
}
