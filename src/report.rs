//! Reports: inventory, telemetry, status, doctor; and index maintenance.

use forge_memory_core::anvil::LostRecord;
use forge_memory_core::report::{Finding, MemoryReport, ProjectStatus};
use forge_memory_core::telemetry::CaptureTotals;
use forge_memory_core::{Error, Memory};
use napi::Env;
use napi::bindgen_prelude::{Unknown, ValueType};
use napi_derive::napi;
use serde::Serialize;

use crate::answer::Answer;
use crate::error::{Problem, Result, thrown};
use crate::input::{read, refused};
use crate::projects::{ProjectOptions, only_project, open, place, place_of, with_memory, with_open};

/// Returns the inventory of a project's memory: files, queue, telemetry, orphans. A text is the project's folder.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions | string",
    ts_return_type = "MemoryReport"
)]
pub fn build_memory_report(env: &Env, options: Unknown) -> Result<Answer<MemoryReport>> {
    let report = |memory: &mut Memory| Ok(Answer(memory.report()));
    if options.get_type()? != ValueType::String {
        return with_memory(env, &options, report);
    }
    let folder: String = read("projectDir", &options)?;
    let fail = |error: Error| thrown(env, &error);
    let project = open(Some(&folder)).map_err(fail)?;
    with_open(env, project, report)?.map_err(fail)
}

/// Returns the totals over all captures.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "CaptureTelemetry"
)]
pub fn build_capture_telemetry(env: &Env, options: Unknown) -> Result<Answer<CaptureTotals>> {
    with_memory(env, &options, |memory| Ok(Answer(memory.capture_totals())))
}

/// Returns the settings and the size of a project's memory.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "ProjectStatus"
)]
pub fn memory_status(env: &Env, options: Unknown) -> Result<Answer<ProjectStatus>> {
    with_memory(env, &options, |memory| Ok(Answer(memory.status())))
}

/// Checks a memory for problems, the most severe first.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<Finding>"
)]
pub fn diagnose(env: &Env, options: Unknown) -> Result<Answer<Vec<Finding>>> {
    with_memory(env, &options, |memory| Ok(Answer(memory.diagnose())))
}

/// Returns the records that were stored here and are no longer in `.forge`, as after `git stash` or `git checkout`, the oldest first. Throws `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<LostRecord>"
)]
pub fn list_lost(env: &Env, options: Unknown) -> Result<Answer<Vec<LostRecord>>> {
    with_memory(env, &options, |memory| memory.lost_records().map(Answer))
}

/// True if there are such records, at the cost of a few reads.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn has_lost(env: &Env, options: Unknown) -> Result<bool> {
    with_memory(env, &options, |memory| Ok(memory.has_lost_records()))
}

/// Stores them again, and returns them. Throws `LOCKED` or `IO`; nothing was changed then.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<LostRecord>"
)]
pub fn restore_lost(env: &Env, options: Unknown) -> Result<Answer<Vec<LostRecord>>> {
    with_memory(env, &options, |memory| memory.restore_lost_records().map(Answer))
}

/// Does index work now that a short-lived process would otherwise leave to the next one. Optional.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn settle_index(env: &Env, options: Unknown) -> Result<()> {
    with_memory(env, &options, |memory| memory.settle())
}

/// Returns the project's folder that the other functions would use. Throws `NO_PROJECT` or `FOREIGN_FOLDER` where there is none.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn find_project(options: Unknown) -> Result<String> {
    let place = place(&only_project(&options)?).map_err(|error| refused(&options, &error))?;
    Ok(place.project_dir.display().to_string())
}

/// Returns the folder whose `.forge` has the project's memory: the project's own folder, or, in a linked work tree in which the memory is
/// not committed, that of the main checkout. Throws as `findProject`.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn memory_dir(options: Unknown) -> Result<String> {
    let place = place(&only_project(&options)?).map_err(|error| refused(&options, &error))?;
    Ok(place.memory_dir().display().to_string())
}

/// Where a project is, or why there is none.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectPlace {
    /// The project's folder; with the problem `FOREIGN_FOLDER`, the one that is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
    /// The folder whose `.forge` has its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_dir: Option<String>,
    /// How it was found: by a memory or settings, by git, or as the folder itself.
    #[napi(ts_type = "'memory' | 'git' | 'folder' | 'named'")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<&'static str>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// Returns the project that a folder belongs to, as the other functions find it from the working directory, which is the default; with `isNamed`
/// the project in that folder, as they find it when it is named. The error that other functions throw is the problem here.
#[napi(
    catch_unwind,
    ts_args_type = "folder?: string, isNamed?: boolean",
    ts_return_type = "ProjectPlace"
)]
pub fn project_at(folder: Unknown, is_named: Unknown) -> Result<Answer<ProjectPlace>> {
    let named: Option<String> = read("folder", &folder)?;
    let is_named: Option<bool> = read("isNamed", &is_named)?;
    let found = match named {
        Some(folder) if is_named != Some(true) => std::path::absolute(&folder)
            .map_err(Error::io("resolve", std::path::Path::new(&folder)))
            .and_then(|folder| place_of(&folder)),
        project_dir => place(&ProjectOptions { project_dir }),
    };
    let text = |folder: &std::path::Path| Some(folder.display().to_string());
    Ok(Answer(match found {
        Ok(place) => ProjectPlace {
            project_dir: text(&place.project_dir),
            memory_dir: text(place.memory_dir()),
            found: Some(place.found.name()),
            problem: None,
        },
        Err(error) => {
            let (project_dir, memory_dir) = match &error {
                Error::ForeignFolder {
                    project, memory_dir, ..
                } => (text(project), text(memory_dir)),
                _ => (None, None),
            };
            ProjectPlace {
                project_dir,
                memory_dir,
                found: None,
                problem: Some(Problem::of(&error)),
            }
        }
    }))
}

/// Returns the names under which the shared store has the records of the project: first the one for new records, then former ones. The first is
/// that of `.forge.json`, else the identity of the repository or of the folder.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn project_names(env: &Env, options: Unknown) -> Result<Vec<String>> {
    with_memory(env, &options, |memory| Ok(memory.project_names()))
}
