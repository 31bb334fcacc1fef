//! The types of the report, the status and the findings in `index.d.ts`.

use std::collections::HashMap;

use napi_derive::napi;
use serde::Serialize;

use crate::answer::count;

/// A file of the inventory.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportFile {
    /// The name within `.forge/`.
    pub name: String,
    pub exists: bool,
    /// The size in bytes.
    pub size: f64,
    /// The number of lines that are JSON objects.
    pub records: f64,
    /// The number of other lines, which are kept.
    pub unparsable: f64,
    /// The number of records with a hallmark.
    pub stamped: f64,
    /// The number of records by format version; `none` for those without one.
    pub versions: HashMap<String, f64>,
}

/// The records that wait for the shared store.
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

/// The results of the last drains, at most twenty.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainTrend {
    pub passes: f64,
    pub last_attempted: f64,
    pub last_delivered: f64,
    pub total_delivered: f64,
    pub total_deferred: f64,
    /// The number of records on which the store failed alone, in all of them.
    pub total_failed: f64,
    /// The number of new dead letters, in all of them.
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

/// The number of records by what became of them. Memories are the current ones: those that searches return.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordCounts {
    /// The current records of the project and those for all projects; copies of one text count once.
    pub memories: u32,
    /// How many of the memories are for all projects.
    pub global: u32,
    /// Records whose place another one took, and earlier texts of edited ones.
    pub retired: u32,
    /// Proposals that wait for a decision.
    pub waiting: u32,
    /// Rejected proposals.
    pub rejected: u32,
    pub expired: u32,
    /// Forgotten records whose lines compaction has not removed yet.
    pub forgotten: u32,
}

impl From<forge_memory_core::RecordCounts> for RecordCounts {
    fn from(from: forge_memory_core::RecordCounts) -> Self {
        RecordCounts {
            memories: count(from.memories()),
            global: count(from.global),
            retired: count(from.retired),
            waiting: count(from.waiting),
            rejected: count(from.rejected),
            expired: count(from.expired),
            forgotten: count(from.forgotten),
        }
    }
}

/// A record that was stored here and is no longer in `.forge`.
#[napi(object, object_from_js = false)]
pub struct LostRecord {
    pub id: String,
    #[napi(js_name = "type")]
    pub kind: String,
    pub text: String,
    pub captured_at: String,
}

impl From<forge_memory_core::anvil::LostRecord> for LostRecord {
    fn from(from: forge_memory_core::anvil::LostRecord) -> Self {
        LostRecord {
            id: from.id,
            kind: from.kind,
            text: from.text,
            captured_at: from.captured_at,
        }
    }
}

/// The inventory of a memory.
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
    pub counts: RecordCounts,
    /// Entries of `.forge/` that belong to no known tool.
    pub orphans: Vec<String>,
}

/// The settings and the size of a project's memory.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectStatus {
    pub project_dir: String,
    /// The configured name, else the identity: `host/owner/name` of the remote, or `local/HASH/name`.
    pub project_name: String,
    /// The last part of an identity: what people are shown where it is unambiguous.
    pub short_name: String,
    /// Former identities that `formerNames` of `.forge.json` lacks.
    pub unwritten_names: Vec<String>,
    /// What `.forge.json` calls the project and the user has not approved on this machine, as `forge-memory trust` names it.
    pub unapproved_names: Vec<String>,
    pub home: String,
    pub config_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_problem: Option<String>,
    pub counts: RecordCounts,
    pub queued: f64,
    pub dead_letters: f64,
    pub indexed_bytes: f64,
    pub journal_bytes: f64,
    pub index_bytes: f64,
    /// How many records have vectors; absent when the model is not installed or the settings disable it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorCoverage>,
    pub durability: String,
    pub redact: bool,
    /// Earlier names of the project, which records may have.
    pub former_names: Vec<String>,
    /// Files of older tools whose records `migrateMemory` has not moved yet.
    pub unmigrated: Vec<String>,
    /// Why files could not be read, so that their records are not counted.
    pub unreadable: Vec<String>,
}

/// How many of the records that are recalled have vectors.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorCoverage {
    /// How many texts have vectors.
    pub covered: u32,
    /// How many texts there are; copies of one count once.
    pub total: u32,
    /// How many bytes the vectors take.
    pub bytes: f64,
}

/// The result of one check.
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
