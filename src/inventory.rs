//! The shapes of the report, the status and the findings, as `index.d.ts` shows them.

use std::collections::HashMap;

use napi_derive::napi;
use serde::Serialize;

/// One file of the inventory.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportFile {
    /// Within `.forge/`.
    pub name: String,
    pub exists: bool,
    /// Bytes.
    pub size: f64,
    /// Lines that are JSON objects.
    pub records: f64,
    /// Lines that are not, kept as they are.
    pub unparsable: f64,
    /// Records that carry a hallmark.
    pub stamped: f64,
    /// Records by format version; `none` for those that name none.
    pub versions: HashMap<String, f64>,
}

/// What waits for the shared store.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueDepth {
    pub pending: f64,
    pub delivered: f64,
    pub failed: f64,
    pub deferred: f64,
    pub dlq: f64,
    /// Why delivery is paused until a setting is corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// The last failure of a delivery, while records wait because of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// How the last drains went, twenty at the most.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainTrend {
    pub passes: f64,
    pub last_attempted: f64,
    pub last_delivered: f64,
    pub total_delivered: f64,
    pub total_deferred: f64,
    /// Records that the store failed on alone, in all of them.
    pub total_failed: f64,
    /// Given up on in all of them.
    pub total_dead: f64,
}

/// Sums over all captures.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureTelemetry {
    pub total: f64,
    pub deduped: f64,
    pub by_tool: HashMap<String, f64>,
    pub by_type: HashMap<String, f64>,
}

/// Cached searches.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheCounts {
    pub total_entries: f64,
    pub unique_keys: f64,
    pub fresh_entries: f64,
}

/// The whole inventory.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    #[napi(js_name = "_v")]
    #[serde(rename = "_v")]
    pub version: u32,
    pub timestamp: String,
    pub project_dir: String,
    pub forge_dir_exists: bool,
    pub files: Vec<ReportFile>,
    pub queue: QueueDepth,
    pub drain_trend: DrainTrend,
    pub telemetry: CaptureTelemetry,
    pub cache: CacheCounts,
    /// Entries of `.forge/` that do not belong to a known tool.
    pub orphans: Vec<String>,
}

/// How a project's memory is set up.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectStatus {
    pub project_dir: String,
    pub project_name: String,
    pub home: String,
    pub config_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_problem: Option<String>,
    pub memories: f64,
    pub patterns: f64,
    pub global_patterns: f64,
    pub queued: f64,
    pub dead_letters: f64,
    pub indexed_bytes: f64,
    pub journal_bytes: f64,
    pub index_bytes: f64,
    pub durability: String,
    pub redact: bool,
    /// Other names that records of the project may have.
    pub former_names: Vec<String>,
    /// Files of older tools whose records wait for `migrateMemory`.
    pub unmigrated: Vec<String>,
}

/// One thing that was looked at.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    #[napi(ts_type = "'ok' | 'warning' | 'problem'")]
    pub severity: String,
    pub code: String,
    pub subject: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl From<&forge_memory_core::report::DrainTrend> for DrainTrend {
    fn from(trend: &forge_memory_core::report::DrainTrend) -> Self {
        DrainTrend {
            passes: trend.passes as f64,
            last_attempted: trend.last_attempted as f64,
            last_delivered: trend.last_delivered as f64,
            total_delivered: trend.total_delivered as f64,
            total_deferred: trend.total_deferred as f64,
            total_failed: trend.total_failed as f64,
            total_dead: trend.total_dead as f64,
        }
    }
}
