//! Keeping a memory for years: provenance, migration, compaction, repair, merging.

use std::sync::Arc;

use forge_memory_core::compact::CompactionReport;
use forge_memory_core::freshness::keep_past;
use forge_memory_core::hallmark::{self, HallmarkInput, Standing};
use forge_memory_core::heal::HealReport;
use forge_memory_core::journal::OsDisk;
use forge_memory_core::lineage::Conflict as CoreConflict;
use forge_memory_core::merge;
use forge_memory_core::migrate::MigrationReport;
use forge_memory_core::thought::Hallmark;
use forge_memory_core::verify::{Verification, VerifyOptions};
use forge_memory_core::{DryRunOptions, Error, clock};
use napi::Env;
use napi::bindgen_prelude::{Uint8Array, Unknown};
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::{Result, thrown};
use crate::input::{InProject, read, refused};
use crate::projects::{environment, only_project, open_project, project_dir, with_memory, with_options};

/// Stores the output of `git log -z --name-status --diff-filter=DR --format=`, from which recall marks records about files
/// that were renamed or removed. `isWhole` says whether it covers the whole history. Returns true if it was stored; for a
/// project without a memory it is not. Throws `INVALID_INPUT` or `IO`.
#[napi(ts_args_type = "log: Uint8Array, isWhole: boolean, options?: ProjectOptions")]
pub fn keep_git_past(env: &Env, log: Uint8Array, is_whole: bool, options: Unknown) -> Result<bool> {
    let kept = environment(&only_project(&options)?).and_then(|known| keep_past(&known, &log, is_whole));
    kept.map_err(|error| thrown(env, &error))
}

/// The result of verifying a hallmark.
#[napi(object, object_from_js = false)]
pub struct HallmarkVerdict {
    /// Whether the record is unchanged since it was stamped.
    pub ok: bool,
    /// `intact`, `edited`, `drifted` or `unstamped`.
    pub standing: String,
    pub reason: Option<String>,
}

/// Several revisions that supersede the same record.
#[napi(object, object_from_js = false)]
pub struct RevisionConflict {
    /// The superseded record.
    pub of: String,
    /// Their ids, newest first.
    pub ids: Vec<String>,
}

#[napi(object, object_from_js = false)]
pub struct MergeOutcome {
    pub bytes: Uint8Array,
    pub lines: f64,
    pub conflicts: Vec<RevisionConflict>,
    /// The number of edits of forgotten records, which are now forgotten too.
    pub forgotten_edits: f64,
}

/// The progress of a long operation; both are 0 until its steps are counted.
#[napi(object, object_from_js = false)]
pub struct WorkProgress {
    pub done: f64,
    pub total: f64,
}

/// Makes a hallmark. Throws `INVALID_INPUT` when an option is invalid.
#[napi(catch_unwind, ts_args_type = "options: HallmarkOptions", ts_return_type = "Hallmark")]
pub fn build_hallmark(options: Unknown) -> Result<Answer<Hallmark>> {
    let given: InProject<HallmarkInput> = read("options", &options)?;
    let now = clock::Clock::now_ms(&clock::SystemClock);
    let hallmark = project_dir(&given).and_then(|dir| hallmark::build_hallmark(given.options, &OsDisk, &dir, now));
    hallmark.map(Answer).map_err(|error| refused(&options, &error))
}

/// Verifies a record, as JSON, against its hallmark, and its source file against the hash in it.
#[napi(
    catch_unwind,
    ts_args_type = "record: string, options?: ProjectOptions",
    ts_return_type = "HallmarkVerdict"
)]
pub fn verify_hallmark(record: Unknown, options: Unknown) -> Result<HallmarkVerdict> {
    let record: String = read("record", &record)?;
    let project = project_dir(&only_project(&options)?).map_err(|error| refused(&options, &error))?;
    let mut sources = hallmark::Sources::new(Arc::new(OsDisk), &project);
    let verdict = hallmark::verify_line(record.trim().as_bytes(), Some(&mut sources));
    Ok(HallmarkVerdict {
        ok: verdict.standing == Standing::Intact,
        standing: verdict.standing.name().to_owned(),
        reason: verdict.reason,
    })
}

/// Validates a hallmark, given as JSON. Returns the problems; an empty list when there are none.
#[napi(catch_unwind, ts_args_type = "hallmark: string")]
pub fn hallmark_problems(hallmark: Unknown) -> Result<Vec<String>> {
    let text: String = read("hallmark", &hallmark)?;
    Ok(hallmark::hallmark_problems(
        &serde_json::from_str(&text).unwrap_or_default(),
    ))
}

/// Verifies every record against its hallmark; with `repair`, first rebuilds everything that can be rebuilt from the raw
/// log. Throws `IO` or `LOCKED`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: VerifyOptions",
    ts_return_type = "Verification"
)]
pub fn verify_memory(env: &Env, options: Unknown) -> Result<Answer<Verification>> {
    with_options(env, &options, |memory, options: VerifyOptions| {
        let repaired = options.repair.then(|| memory.repair()).transpose()?;
        Ok(Answer(Verification {
            repaired: repaired.map(|repair| repair.files),
            ..memory.verify()?
        }))
    })
}

/// Migrates every record under `.forge/` to the latest version, and moves records of older tools' files to the files of
/// this tool. The originals are copied first. Throws `IO` or `LOCKED`; another call resumes where it stopped.
#[napi(
    catch_unwind,
    ts_args_type = "options?: DryRunOptions",
    ts_return_type = "MigrationReport"
)]
pub fn migrate_memory(env: &Env, options: Unknown) -> Result<Answer<MigrationReport>> {
    with_options(env, &options, |memory, options: DryRunOptions| {
        memory.migrate(options.dry_run).map(Answer)
    })
}

/// Removes expired, superseded and forgotten records from the files. The originals are copied first. Throws `IO` or
/// `LOCKED`; another call resumes where it stopped.
#[napi(
    catch_unwind,
    ts_args_type = "options?: DryRunOptions",
    ts_return_type = "CompactionReport"
)]
pub fn compact_memory(env: &Env, options: Unknown) -> Result<Answer<CompactionReport>> {
    with_options(env, &options, |memory, options: DryRunOptions| {
        memory.compact(options.dry_run).map(Answer)
    })
}

/// The maximum size of a merge; no journal is as large.
const MERGED_BYTES_MAX: usize = 1 << 30;

/// Merges two versions of a journal with a common ancestor, by record (three-way merge). Throws `INVALID_INPUT` when they
/// are larger than 1 GiB.
#[napi(catch_unwind)]
pub fn merge_journals(env: &Env, base: Uint8Array, ours: Uint8Array, theirs: Uint8Array) -> Result<MergeOutcome> {
    let bytes = [("base", &base), ("ours", &ours), ("theirs", &theirs)];
    if let Some((name, side)) = bytes.iter().find(|(_, side)| side.len() > MERGED_BYTES_MAX) {
        let reason = format!("has {} bytes; at most {MERGED_BYTES_MAX} are allowed", side.len());
        return Err(thrown(env, &Error::invalid(*name, reason)));
    }
    let merged = merge::merge(&base, &ours, &theirs);
    Ok(MergeOutcome {
        bytes: merged.bytes.into(),
        lines: merged.lines as f64,
        conflicts: merged.conflicts.into_iter().map(conflict_of).collect(),
        forgotten_edits: merged.forgotten_edits as f64,
    })
}

/// Repairs the damage of merges to the files: conflict markers, and edits of forgotten records. Throws `IO` or `LOCKED`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "HealReport"
)]
pub fn heal_memory(env: &Env, options: Unknown) -> Result<Answer<HealReport>> {
    with_memory(env, &options, |memory| memory.heal().map(Answer))
}

/// Returns the progress of the project's running operation, from any thread.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn work_progress(options: Unknown) -> Result<WorkProgress> {
    let (done, total) = open_project(&options)?.progress();
    Ok(WorkProgress {
        done: done as f64,
        total: total as f64,
    })
}

fn conflict_of(conflict: CoreConflict) -> RevisionConflict {
    RevisionConflict {
        of: conflict.of,
        ids: conflict.ids,
    }
}
