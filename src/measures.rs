//! Statistics over time and over the raw log, for the dashboard.

use std::collections::{BTreeMap, HashMap};

use forge_memory_core::Error;
use forge_memory_core::clock::{Clock, SystemClock, format_iso};
use forge_memory_core::report::{self as core, Bucket, By, Coverage};
use forge_memory_sorting::Arrange;
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use serde::Deserialize;

use crate::error::Result;
use crate::input::read;
use crate::projects::{names_project, open_project, with_options};
use crate::task::{CoreTask, promise};

/// One point of a series.
#[napi(object, object_from_js = false)]
pub struct SeriesPoint {
    /// The beginning of its interval, ISO 8601.
    pub at: String,
    /// The number of captures, duplicates included.
    pub total: f64,
    /// The number of duplicates.
    pub deduped: f64,
    /// The number of captures by type or tool.
    pub counts: HashMap<String, f64>,
}

/// Captures over time.
#[napi(object, object_from_js = false)]
pub struct CaptureSeries {
    pub since: String,
    pub until: String,
    /// The time from which it is complete, when older telemetry is gone.
    pub complete_from: Option<String>,
    /// The types or tools, the most frequent first.
    pub keys: Vec<String>,
    /// All points in the range, empty ones included.
    pub points: Vec<SeriesPoint>,
}

/// Selects a series.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeriesOptions {
    pub project_dir: Option<String>,
    /// `type` when absent.
    #[napi(ts_type = "'type' | 'tool'")]
    pub by: Option<String>,
    /// `day` when absent.
    #[napi(ts_type = "'hour' | 'day' | 'week'")]
    pub bucket: Option<String>,
    /// ISO 8601, or an age such as `7d`; `30d` when absent.
    pub since: Option<String>,
}

names_project!(SeriesOptions, DrainListOptions);

/// Counts captures over time, by type or by tool. Throws `INVALID_INPUT` or `IO`.
#[napi(catch_unwind, ts_args_type = "options?: SeriesOptions")]
pub fn build_capture_series(env: &Env, options: Unknown) -> Result<CaptureSeries> {
    let series = with_options(env, &options, |memory, options: SeriesOptions| {
        let by = By::parse(options.by.as_deref().unwrap_or("type"))?;
        let bucket = Bucket::parse(options.bucket.as_deref().unwrap_or("day"))?;
        memory.series(by, bucket, options.since.as_deref().unwrap_or("30d"))
    })?;
    let convert = |point: core::Point| SeriesPoint {
        at: point.at,
        total: point.total as f64,
        deduped: point.deduped as f64,
        counts: numbers(point.counts),
    };
    Ok(CaptureSeries {
        since: series.since,
        until: series.until,
        complete_from: series.complete_from,
        keys: series.keys,
        points: series.points.into_iter().map(convert).collect(),
    })
}

/// A pass of the drain to the shared store.
#[napi(object, object_from_js = false)]
pub struct DrainPass {
    /// ISO 8601.
    pub at: String,
    pub attempted: f64,
    pub delivered: f64,
    pub deferred: f64,
    pub dlq: f64,
    pub duration_ms: f64,
    pub source: Option<String>,
    pub error: Option<String>,
}

/// The options of `listDrains`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DrainListOptions {
    project_dir: Option<String>,
    limit: Option<f64>,
}

/// Lists the latest passes of the drain, oldest first; at most 100 when no limit is given.
#[napi(catch_unwind, ts_args_type = "options?: { projectDir?: string, limit?: number }")]
pub fn list_drains(env: &Env, options: Unknown) -> Result<Vec<DrainPass>> {
    let passes = with_options(env, &options, |memory, options: DrainListOptions| {
        let limit = options.limit.unwrap_or(100.0).clamp(0.0, 10_000.0);
        Ok(memory.drains(limit as usize))
    })?;
    let convert = |pass: core::DrainPass| DrainPass {
        at: pass.at,
        attempted: pass.attempted as f64,
        delivered: pass.delivered as f64,
        deferred: pass.deferred as f64,
        dlq: pass.dlq as f64,
        duration_ms: pass.duration_ms,
        source: pass.source,
        error: pass.error,
    };
    Ok(passes.into_iter().map(convert).collect())
}

/// The records of one tool.
#[napi(object, object_from_js = false)]
pub struct ToolCoverage {
    pub tool: String,
    pub total: f64,
    pub stamped: f64,
}

/// How many records of the raw log have a hallmark, and how many of their hashes match.
#[napi(object, object_from_js = false)]
pub struct HallmarkCoverage {
    pub total: f64,
    pub stamped: f64,
    /// The number of records whose hash matches.
    pub verified: f64,
    /// The number of records whose hash does not match.
    pub changed: f64,
    /// The number of records without a hallmark.
    pub absent: f64,
    /// `stamped` / `total`; 1 without records.
    pub coverage: f64,
    /// By tool, the largest number first.
    pub by_tool: Vec<ToolCoverage>,
    /// The ids of records whose hash does not match, at most a hundred.
    pub changed_ids: Vec<String>,
    pub checked_at: String,
}

/// Verifies every hallmark of the raw log, on another thread; later calls verify only new records.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Promise<HallmarkCoverage>"
)]
pub fn measure_hallmarks(options: Unknown) -> Result<AsyncTask<CoreTask<HallmarkCoverage>>> {
    let project = open_project(&options)?;
    Ok(promise(move || {
        let (mut coverage, disk, path) = project.lock().take_coverage();
        let outcome = coverage.refresh(disk.as_ref(), &path);
        let found = coverage_of(&coverage);
        project.lock().keep_coverage(coverage);
        outcome.map_err(Error::io("read", &path))?;
        Ok(found)
    }))
}

fn coverage_of(coverage: &Coverage) -> HallmarkCoverage {
    let mut by_tool: Vec<ToolCoverage> = coverage
        .by_tool
        .iter()
        .map(|(tool, counts)| ToolCoverage {
            tool: tool.clone(),
            total: counts.total as f64,
            stamped: counts.stamped as f64,
        })
        .collect();
    by_tool.arrange_by(|a, b| b.total.total_cmp(&a.total));
    HallmarkCoverage {
        total: coverage.total as f64,
        stamped: coverage.stamped as f64,
        verified: coverage.verified as f64,
        changed: coverage.changed as f64,
        absent: (coverage.total - coverage.stamped) as f64,
        coverage: if coverage.total == 0 {
            1.0
        } else {
            coverage.stamped as f64 / coverage.total as f64
        },
        by_tool,
        changed_ids: coverage.changed_ids.clone(),
        checked_at: format_iso(SystemClock.now_ms()),
    }
}

/// Tells whether a record is unchanged since it was stamped; `record` is its line.
#[napi(
    catch_unwind,
    ts_args_type = "record: string",
    ts_return_type = "'verified' | 'changed' | 'absent'"
)]
pub fn check_hallmark(record: Unknown) -> Result<String> {
    let record: String = read("record", &record)?;
    Ok(core::StampState::of(record.as_bytes()).name().to_owned())
}

fn numbers(counts: BTreeMap<String, u64>) -> HashMap<String, f64> {
    counts.into_iter().map(|(name, count)| (name, count as f64)).collect()
}
