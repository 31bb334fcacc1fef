//! The inventory of a memory. Writes nothing.

mod coverage;
mod doctor;
mod drains;
mod queue;
mod reachable;
mod series;
mod tallies;
mod tally;

use crate::index::RecordCounts;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::clock::{Millis, format_iso};
use crate::journal::{Disk, read_file};
use crate::model::cache_entry::is_cache_entry_fresh;
use crate::model::thought::FORMAT_VERSION;
use crate::observe::telemetry::CaptureTotals;
use crate::outbox::{ARCHIVE_FILE, Unsettled, read_unsettled};
use crate::project::Project;
use crate::project::files::{ACCEPTING_FILE, PREVIOUS_STATS_FILE, RECEIPT_PREFIX, SETTLED_FILE};
use tally::{Contents, Tally};

pub use coverage::{Coverage, HallmarkCoverage, StampState, ToolCoverage};
pub(crate) use doctor::{Doctor, KnownFindings, status};
pub use doctor::{Finding, ProjectStatus, Severity};
pub use drains::DrainPass;
pub(crate) use drains::drains;
pub use queue::QueueStatus;
pub(crate) use queue::queue_status;
pub use series::{Bucket, By, Point, Samples, Series, SeriesOptions};
pub(crate) use tallies::{Tallies, counted_bytes, keep_tallies};

/// The files that are counted, relative to `.forge/`.
const FILES: [(&str, Contents); 15] = [
    ("memory-captures.jsonl", Contents::Plain),
    ("gotchas.jsonl", Contents::Plain),
    ("lessons.jsonl", Contents::Plain),
    ("decisions.jsonl", Contents::Plain),
    ("patterns.jsonl", Contents::Plain),
    ("conventions.jsonl", Contents::Plain),
    ("memory/project.jsonl", Contents::Plain),
    ("memory/global.jsonl", Contents::Plain),
    (QUEUE, Contents::Queue),
    (ARCHIVE_FILE, Contents::Plain),
    (DEAD_LETTERS, Contents::Letters),
    (DRAINS, Contents::Plain),
    ("hub-events.jsonl", Contents::Plain),
    (TELEMETRY, Contents::Telemetry),
    (CACHE, Contents::Plain),
];
/// The rotated archive: it is counted, but not listed as a file of the report.
const PREVIOUS_ARCHIVE: &str = crate::outbox::PREVIOUS_ARCHIVE_FILE;
const QUEUE: &str = crate::outbox::QUEUE_FILE;
const DEAD_LETTERS: &str = crate::outbox::DEAD_LETTER_FILE;
const DRAINS: &str = crate::outbox::STATS_FILE;
const TELEMETRY: &str = "telemetry/memory-captures.jsonl";
const CACHE: &str = "memory-search-cache.jsonl";

/// How many drains the trend looks back over.
const TREND_PASSES: usize = 20;
/// A file of the inventory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportFile {
    /// The name within `.forge/`.
    pub name: &'static str,
    /// Whether it exists.
    pub exists: bool,
    /// The size in bytes.
    pub size: u64,
    /// The number of lines that are JSON objects.
    pub records: u64,
    /// The number of other lines, which are kept.
    pub unparsable: u64,
    /// The number of records with a hallmark.
    pub stamped: u64,
    /// The number of records by format version; `none` for those without one.
    pub versions: BTreeMap<String, u64>,
}

/// The records that wait for the shared store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueDepth {
    /// Not delivered yet.
    pub pending: u64,
    /// The number of delivered records, in the file and in the archive as far as that is retained.
    pub delivered: u64,
    /// Dead letters that are still in the file.
    pub failed: u64,
    /// Pending records in back-off.
    pub deferred: u64,
    /// Among the pending, those that the store has failed on alone.
    #[serde(skip)]
    pub retrying: u64,
    /// Dead letters.
    pub dlq: u64,
    /// Records of the queue and dead letters that this machine did not write.
    #[serde(skip)]
    pub foreign: u64,
    /// Why delivery is paused until a setting is corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// The last failure of a delivery, while records wait because of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// The results of the last drains, at most twenty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrainTrend {
    /// The number of passes, at most twenty.
    pub passes: u64,
    /// Records of the last pass.
    pub last_attempted: u64,
    /// Delivered in the last pass.
    pub last_delivered: u64,
    /// Delivered in all of them.
    pub total_delivered: u64,
    /// Deferred in all of them.
    pub total_deferred: u64,
    /// The number of records on which the store failed alone, in all of them.
    pub total_failed: u64,
    /// The number of new dead letters, in all of them.
    pub total_dead: u64,
}

/// Cached searches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CacheCounts {
    /// All entries.
    pub total_entries: u64,
    /// Different keys among them.
    pub unique_keys: u64,
    /// Entries within their time to live.
    pub fresh_entries: u64,
}

/// The inventory of a memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    /// Version of the report's shape.
    #[serde(rename = "_v")]
    pub version: u32,
    /// When it was made.
    pub timestamp: String,
    /// The project.
    pub project_dir: String,
    /// Whether the project has a `.forge/`.
    pub forge_dir_exists: bool,
    /// The files.
    pub files: Vec<ReportFile>,
    /// The queue to the shared store.
    pub queue: QueueDepth,
    /// The last drains.
    pub drain_trend: DrainTrend,
    /// All captures ever.
    pub telemetry: CaptureTotals,
    /// Cached searches.
    pub cache: CacheCounts,
    /// How many records there are, by their state.
    pub counts: RecordCounts,
    /// Entries of `.forge/` that belong to no known tool.
    pub orphans: Vec<String>,
}

/// The counts, updated incrementally.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub tallies: Tallies,
    pub samples: Samples,
    pub coverage: Coverage,
}

pub(crate) fn report(tallies: &mut Tallies, project: &Project) -> MemoryReport {
    let (layout, now) = (&project.layout, project.now());
    let (forge, disk) = (layout.forge(), project.disk());
    let check = project.marks.checker();
    tallies.refresh(disk, forge, &check);
    let unsettled = read_unsettled(layout, &check);
    let tally = |name: &str| tallies.get(name);
    let files = FILES
        .iter()
        .filter_map(|(name, _)| tally(name).map(|t| (name, t)))
        .map(|(name, t)| ReportFile {
            name,
            exists: t.is_there(),
            size: t.size,
            records: t.records,
            unparsable: t.unparsable,
            stamped: t.stamped,
            versions: t.versions.clone(),
        })
        .collect();
    MemoryReport {
        version: FORMAT_VERSION,
        timestamp: format_iso(now),
        project_dir: layout.project_dir().display().to_string(),
        forge_dir_exists: disk.list(forge).is_ok(),
        files,
        queue: queue_depth(tally(QUEUE), tally(DEAD_LETTERS), &unsettled, now).with_archived(
            [ARCHIVE_FILE, PREVIOUS_ARCHIVE]
                .into_iter()
                .filter_map(tally)
                .map(|t| t.records)
                .sum(),
        ),
        drain_trend: drain_trend(&lines_of(disk, &forge.join(DRAINS))),
        telemetry: tally(TELEMETRY).map(|t| t.totals.clone()).unwrap_or_default(),
        cache: count_cache(&lines_of(disk, &forge.join(CACHE)), now),
        counts: RecordCounts::default(),
        orphans: find_orphans(disk, forge),
    }
}

pub(crate) fn capture_totals(tallies: &mut Tallies, project: &Project) -> CaptureTotals {
    let (forge, check) = (project.layout.forge(), project.marks.checker());
    tallies.refresh_telemetry(project.disk(), forge, &check).totals.clone()
}

impl QueueDepth {
    /// Delivered records move from the queue to its archive.
    fn with_archived(mut self, archived: u64) -> Self {
        self.delivered += archived;
        self
    }
}

/// Counts the lines of the queue without those that a drain has settled beside it.
fn queue_depth(queue: Option<&Tally>, dead_letters: Option<&Tally>, unsettled: &Unsettled, now: Millis) -> QueueDepth {
    let status = |name: &str| queue.and_then(|q| q.statuses.get(name)).copied().unwrap_or(0);
    let (delivered, failed) = (status("delivered"), status("failed"));
    let pending = queue.map_or(0, |q| q.statuses.values().sum::<u64>()) - delivered - failed;
    let file = queue.and_then(Tally::file);
    let (done, moved_delivered, moved_failed) = unsettled.done_in(file);
    let ahead = queue.map_or(0, |q| q.due.iter().filter(|due| **due > now).count() as u64);
    let pending = pending.saturating_sub(done);
    let deferred = ahead.max(unsettled.waiting_in(file)).min(pending);
    QueueDepth {
        pending,
        delivered: delivered.saturating_sub(moved_delivered),
        failed: failed.saturating_sub(moved_failed),
        deferred,
        retrying: queue
            .map_or(0, |q| q.retried)
            .max(unsettled.failing_in(file))
            .min(pending),
        dlq: dead_letters.map_or(0, |d| d.records - d.foreign),
        foreign: [queue, dead_letters].into_iter().flatten().map(|t| t.foreign).sum(),
        paused: unsettled.paused().map(|pause| pause.reason.clone()),
        last_error: unsettled
            .last_error()
            .filter(|_| deferred > 0)
            .map(|error| error.message.clone()),
    }
}

fn lines_of(disk: &dyn Disk, path: &std::path::Path) -> Vec<Value> {
    let bytes = read_file(disk, path).ok().flatten().unwrap_or_default();
    bytes
        .split(|b| *b == b'\n')
        .filter_map(|line| serde_json::from_slice(line.trim_ascii()).ok())
        .collect()
}

fn drain_trend(passes: &[Value]) -> DrainTrend {
    let recent = passes.rchunks(TREND_PASSES).next().unwrap_or_default();
    let number = |pass: &Value, name: &str| pass.get(name).and_then(Value::as_u64).unwrap_or(0);
    let last = |name: &str| recent.last().map_or(0, |pass| number(pass, name));
    DrainTrend {
        passes: recent.len() as u64,
        last_attempted: last("attempted"),
        last_delivered: last("delivered"),
        total_delivered: recent.iter().map(|pass| number(pass, "delivered")).sum(),
        total_deferred: recent.iter().map(|pass| number(pass, "deferred")).sum(),
        total_failed: recent.iter().map(|pass| number(pass, "failed")).sum(),
        total_dead: recent.iter().map(|pass| number(pass, "dlq")).sum(),
    }
}

fn count_cache(entries: &[Value], now: Millis) -> CacheCounts {
    let mut keys: Vec<&str> = entries.iter().filter_map(|entry| entry.get("key")?.as_str()).collect();
    keys.sort_unstable();
    keys.dedup();
    CacheCounts {
        total_entries: entries.len() as u64,
        unique_keys: keys.len() as u64,
        fresh_entries: entries.iter().filter(|entry| is_cache_entry_fresh(entry, now)).count() as u64,
    }
}

/// Files and folders of `.forge/` that this or an older tool creates, besides [`FILES`].
const KNOWN_ENTRIES: [&str; 91] = [
    "analysis",
    "anvil",
    "archive",
    "auditor-state.json",
    "audits",
    "auto-skills",
    "brain",
    "bridge-secret",
    "bugs",
    "cache",
    "capabilities.json",
    "chain-logs",
    "cost-history.json",
    "cross-run-cache.json",
    "crucible",
    "dashboard-state.json",
    "deploy-journal.jsonl",
    "deps-snapshot.json",
    "digests",
    "drift-history.json",
    "drift-history.jsonl",
    "env-diff-cache.json",
    "env-diff-history.json",
    "env-diff-history.jsonl",
    "fix-proposals.json",
    "fix-proposals.jsonl",
    "fm-prefs.json",
    "fm-sessions",
    "forge-master-observer-state.json",
    "gate-suggestions.jsonl",
    "graph",
    "hallmarks",
    "hammer-forge-master",
    "health",
    "health-dna.json",
    "health-dna.jsonl",
    "hub-events.1.jsonl",
    "hub-events.foreign.jsonl",
    "hub-events.mark.jsonl",
    "incidents",
    "incidents.json",
    "incidents.jsonl",
    "index",
    "lattice",
    "liveguard-events.jsonl",
    "liveguard-memories.jsonl",
    "load-sim",
    "local-recall-index.json",
    "locks",
    "logs",
    "machine.key",
    "memory",
    "model-performance.json",
    "network-logs",
    "notifications",
    "openbrain.db",
    "orchestrator-logs",
    "patterns",
    "phase.lock",
    "plans",
    "postmortems",
    "quarantine",
    "quorum-history.json",
    "quorum-history.jsonl",
    "rbac.example.json",
    "rbac.json",
    "regression-history.json",
    "regression-history.jsonl",
    "review-queue",
    "review-queue.json",
    "reviews",
    "runbooks",
    "runs",
    "secret-scan-cache.json",
    "secrets.json",
    "server-ports.json",
    "skills-auto",
    "team-activity.jsonl",
    "telemetry",
    "tempering",
    "testbed",
    "traces",
    "trajectories",
    "update-check.json",
    "validation",
    "version-check.json",
    "watch-history.jsonl",
    ACCEPTING_FILE,
    PREVIOUS_ARCHIVE,
    SETTLED_FILE,
    PREVIOUS_STATS_FILE,
];

/// How such names begin and end, where their middle varies.
const KNOWN_PATTERNS: [(&str, &[&str]); 4] = [
    ("release-notes-v", &[".md", ".txt"]),
    ("meta-bug-", &[".md", ".txt", ".json"]),
    ("gate-tmp.", &[""]),
    ("tmp", &[""]),
];

fn find_orphans(disk: &dyn Disk, forge: &std::path::Path) -> Vec<String> {
    let entries = disk.list(forge).unwrap_or_default();
    let mut orphans: Vec<String> = entries
        .iter()
        .map(|entry| entry.name.to_string_lossy().into_owned())
        .filter(|name| !is_known_entry(name))
        .collect();
    orphans.sort_unstable();
    orphans
}

fn is_known_entry(name: &str) -> bool {
    let top = |file: &str| file.split('/').next() == Some(name);
    name.starts_with('.')
        || KNOWN_ENTRIES.contains(&name)
        || FILES.iter().any(|(file, _)| top(file))
        || (name.starts_with(RECEIPT_PREFIX) && name.ends_with(".jsonl"))
        || (name.starts_with("hub-events.") && name.ends_with(".jsonl"))
        || KNOWN_PATTERNS
            .iter()
            .any(|(start, ends)| name.starts_with(start) && ends.iter().any(|end| name.ends_with(end)))
        || name.contains(".bak")
        || [".tmp", ".log", ".pid", ".lock"].iter().any(|end| name.ends_with(end))
}
