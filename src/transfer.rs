//! Export of memories, and the audit of a memory for rot over the years.

use forge_memory_core::audit::{AuditReport, RedactionReport};
use forge_memory_core::transfer::{ExportOptions, Exported};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::Result;
use crate::projects::{with_memory, with_options};

/// Exports all records that recall returns, without secrets. Throws `INVALID_INPUT` when the path is outside of the
/// project, in `.forge` or `.git`, exists already, or (unless forced) was not written by an export, and `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ExportOptions",
    ts_return_type = "ExportOutcome"
)]
pub fn export_memory(env: &Env, options: Unknown) -> Result<Answer<Exported>> {
    with_options(env, &options, |memory, options: ExportOptions| {
        memory.export(&options).map(Answer)
    })
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
