//! Statistics over time and over the raw log, for the dashboard.

use forge_memory_core::Error;
use forge_memory_core::clock::{Clock, SystemClock};
use forge_memory_core::report::{self as core, DrainPass, Series, SeriesOptions};
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::{Answer, Encoded};
use crate::error::Result;
use crate::input::read;
use crate::projects::{open_project, with_options};
use crate::task::{CoreTask, promise};

/// Counts captures over time, by type or by tool. Throws `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: SeriesOptions",
    ts_return_type = "CaptureSeries"
)]
pub fn build_capture_series(env: &Env, options: Unknown) -> Result<Answer<Series>> {
    with_options(env, &options, |memory, options: SeriesOptions| {
        memory.series(&options).map(Answer)
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DrainListOptions {
    limit: Option<f64>,
}

/// Lists the latest passes of the drain, oldest first; at most 100 when no limit is given.
#[napi(
    catch_unwind,
    ts_args_type = "options?: { projectDir?: string, limit?: number }",
    ts_return_type = "Array<DrainPass>"
)]
pub fn list_drains(env: &Env, options: Unknown) -> Result<Answer<Vec<DrainPass>>> {
    with_options(env, &options, |memory, options: DrainListOptions| {
        let limit = options.limit.unwrap_or(100.0).clamp(0.0, 10_000.0);
        Ok(Answer(memory.drains(limit as usize)))
    })
}

/// Verifies every hallmark of the raw log, on another thread; later calls verify only new records.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Promise<HallmarkCoverage>"
)]
pub fn measure_hallmarks(options: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
    let project = open_project(&options)?;
    Ok(promise(move || {
        let (mut coverage, disk, path) = project.lock().take_coverage();
        let outcome = coverage.refresh(disk.as_ref(), &path);
        let found = coverage.report(SystemClock.now_ms());
        project.lock().keep_coverage(coverage);
        outcome.map_err(Error::io("read", &path))?;
        Encoded::of(&found)
    }))
}

/// True if a record is unchanged since it was stamped; `record` is its line.
#[napi(
    catch_unwind,
    ts_args_type = "record: string",
    ts_return_type = "'verified' | 'changed' | 'absent'"
)]
pub fn check_hallmark(record: Unknown) -> Result<String> {
    let record: String = read("record", &record)?;
    Ok(core::StampState::of(record.as_bytes()).name().to_owned())
}
