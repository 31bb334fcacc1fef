//! Export of memories, and the audit of what accumulates over the years.

use forge_memory_core::audit::{AuditReport as CoreAudit, RotPart as CoreRotPart};
use forge_memory_core::transfer as core;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

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

#[napi(object, object_from_js = false)]
pub struct ExportOutcome {
    pub records: f64,
    /// The number of redacted secrets.
    pub redactions: f64,
    /// The SHA-256 of everything after the first line.
    pub sha256: String,
    pub path: Option<String>,
    pub text: Option<String>,
}

/// One kind of rot.
#[napi(object, object_from_js = false)]
pub struct RotPart {
    pub name: String,
    pub count: f64,
    pub of: f64,
    /// How many points it subtracts.
    pub cost: f64,
    /// The ids or lines, at most a hundred.
    pub ids: Vec<String>,
}

#[napi(object, object_from_js = false)]
pub struct AuditReport {
    pub records: f64,
    /// 100 without any rot, 0 at worst.
    pub score: f64,
    pub parts: Vec<RotPart>,
}

#[napi(object, object_from_js = false)]
pub struct RedactionReport {
    pub secrets: f64,
    pub lines: f64,
    /// The rewritten files.
    pub files: Vec<String>,
}

names_project!(ExportOptions);

/// Exports all records that recall returns, without secrets. Throws `INVALID_INPUT` when the path is outside of the
/// project, in `.forge` or `.git`, exists already, or (unless forced) was not written by an export, and `IO`.
#[napi(catch_unwind, ts_args_type = "options?: ExportOptions")]
pub fn export_memory(env: &Env, options: Unknown) -> Result<ExportOutcome> {
    let exported = with_options(env, &options, |memory, from: ExportOptions| {
        memory.export(&core::ExportOptions {
            format: core::ExportFormat::choose(from.format.as_deref(), from.path.as_deref())?,
            path: from.path,
            overwrite: from.overwrite.unwrap_or(false),
            force: from.force.unwrap_or(false),
            include_expired: from.include_expired.unwrap_or(false),
        })
    })?;
    Ok(ExportOutcome {
        records: exported.records as f64,
        redactions: exported.redactions as f64,
        sha256: exported.sha256,
        path: exported.path.map(|path| path.display().to_string()),
        text: exported.text,
    })
}

/// Measures the rot of a memory: copies, loops, secrets, and records that recall can never return. Throws `IO`.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn audit_memory(env: &Env, options: Unknown) -> Result<AuditReport> {
    let CoreAudit { records, score, parts } = with_memory(env, &options, |memory| memory.audit())?;
    let part_of = |part: CoreRotPart| RotPart {
        name: part.name.to_owned(),
        count: part.count as f64,
        of: part.of as f64,
        cost: part.cost,
        ids: part.ids,
    };
    Ok(AuditReport {
        records: records as f64,
        score,
        parts: parts.into_iter().map(part_of).collect(),
    })
}

/// Redacts the secrets in everything that is stored. The originals are not kept. Throws `IO` or `LOCKED`.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn redact_memory(env: &Env, options: Unknown) -> Result<RedactionReport> {
    let report = with_memory(env, &options, |memory| memory.redact_stored())?;
    Ok(RedactionReport {
        secrets: report.secrets as f64,
        lines: report.lines as f64,
        files: report.files,
    })
}
