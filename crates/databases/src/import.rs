//! Imports the stores of other tools, some of which are databases.

use std::path::PathBuf;

use forge_memory_core::Error;
use forge_memory_core::transfer as core;
use forge_memory_transcripts::read_database;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::error::Result;
use crate::input::{read, refused};
use crate::projects::{names_project, with_options};

#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportOptions {
    /// True if records are only counted.
    pub dry_run: Option<bool>,
    /// The project whose records are taken from a source with several; `*` for all. When absent, this project, under
    /// any of its names.
    pub source_project: Option<String>,
    pub project_dir: Option<String>,
}

/// `read` is the sum of `imported`, `duplicates` and `lost`; with `dryRun`, `imported` is how many would be imported.
#[napi(object, object_from_js = false)]
pub struct ImportOutcome {
    /// `forge-memory`, `jsonl`, `forge`, `server-memory`, `aiwg`, `basic-memory`, `claude-mem`, `openbrain.db` or `shared store`.
    pub format: String,
    pub dry_run: bool,
    pub read: f64,
    pub imported: f64,
    pub duplicates: f64,
    /// The number of records that were written but were not found afterwards, by their hash.
    pub lost: f64,
    /// The number of records that the source itself has superseded or forgotten.
    pub retired: f64,
    /// The number of lines and rows of the source that are not records.
    pub unreadable: f64,
    pub redactions: f64,
    /// The number of rulings on them that are new here.
    pub rulings: f64,
    /// The number of records of other projects, which are left out.
    pub left_out: f64,
    /// The projects in the source.
    pub projects: Vec<SourceProject>,
    /// The ids of the records that were stored.
    pub ids: Vec<String>,
}

/// A project of a source, and its number of records.
#[napi(object, object_from_js = false)]
pub struct SourceProject {
    pub name: String,
    pub records: f64,
}

names_project!(ImportOptions);

/// Imports an export of forge-memory, or the store of another tool, from a file or a folder. Everything is read before
/// anything is written. Throws `CORRUPT` when it is damaged or truncated, `UNSUPPORTED` when it is not a known store,
/// `INVALID_INPUT` when it has records of several projects, none of them this one, and `sourceProject` is absent (a dry run
/// lists them in `projects`), `IO` or `LOCKED`.
#[napi(catch_unwind, ts_args_type = "path: string, options?: ImportOptions")]
pub fn import_memory(env: &Env, path: Unknown, options: Unknown) -> Result<ImportOutcome> {
    let name: String = read("path", &path)?;
    if name.is_empty() || name.contains('\0') {
        return Err(refused(&path, &Error::invalid("path", "is not a valid file name")));
    }
    let report = with_options(env, &options, |memory, from: ImportOptions| {
        memory.import(&PathBuf::from(name), &from.into())
    })?;
    Ok(report.into())
}

/// Imports lines of a shared store: records as they were delivered, and the rulings on them. Throws as `importMemory`.
#[napi(catch_unwind, ts_args_type = "lines: string, options?: ImportOptions")]
pub fn import_shared(env: &Env, lines: Unknown, options: Unknown) -> Result<ImportOutcome> {
    let lines: String = read("lines", &lines)?;
    let report = with_options(env, &options, |memory, from: ImportOptions| {
        memory.import_shared(&lines, &from.into())
    })?;
    Ok(report.into())
}

impl From<ImportOptions> for core::ImportOptions {
    fn from(from: ImportOptions) -> Self {
        core::ImportOptions {
            dry_run: from.dry_run.unwrap_or(false),
            source_project: from.source_project,
            read_database: Some(read_database),
        }
    }
}

impl From<core::ImportReport> for ImportOutcome {
    fn from(report: core::ImportReport) -> Self {
        ImportOutcome {
            format: report.format.to_owned(),
            dry_run: report.dry_run,
            read: report.read as f64,
            imported: report.imported as f64,
            duplicates: report.duplicates as f64,
            lost: report.lost as f64,
            retired: report.retired as f64,
            unreadable: report.unreadable as f64,
            redactions: report.redactions as f64,
            rulings: report.rulings as f64,
            left_out: report.left_out as f64,
            projects: report
                .projects
                .into_iter()
                .map(|project| SourceProject {
                    name: project.name,
                    records: project.records as f64,
                })
                .collect(),
            ids: report.ids,
        }
    }
}
