//! The status of the outbox: read without a lock, from counts that are updated incrementally.

use super::{DrainTrend, Tallies, report};
use crate::clock::format_iso;
use crate::outbox::{DrainPass, LastError, Pause, QUEUE_FILE, STATS_FILE, last_pass, read_unsettled};
use crate::project::Project;
use schemars::JsonSchema;
use serde::Serialize;

/// The status of the queue to the shared store.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// The number of records that are not delivered yet.
    pub queued: u64,
    /// How many of them a drain would try now.
    pub due: u64,
    /// How many of them wait for a later attempt.
    pub deferred: u64,
    /// How many of them the store has failed on alone; they become dead letters at the fifth time.
    pub retrying: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// The number of lines that cannot be parsed; they are kept.
    pub malformed: u64,
    /// The number of records that this machine did not write. They are kept, and delivered only after `drain --trust`.
    pub foreign: u64,
    /// Why delivery is paused until a setting is corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<Pause>,
    /// The end of the back-off after a pass in which the store accepted nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_off_until: Option<String>,
    /// The last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<LastError>,
    /// The last pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_drain: Option<DrainPass>,
    /// The last passes.
    pub trend: DrainTrend,
}

pub(crate) fn queue_status(tallies: &mut Tallies, project: &Project) -> QueueStatus {
    let now = project.now();
    let report = report(tallies, project);
    let unsettled = read_unsettled(&project.layout, &project.marks.checker());
    let queue = report.files.iter().find(|file| file.name == QUEUE_FILE);
    let back_off_until = unsettled.back_off_until().filter(|until| *until > now);
    let is_stopped = unsettled.paused().is_some() || back_off_until.is_some();
    let due = report.queue.pending.saturating_sub(report.queue.deferred);
    QueueStatus {
        queued: report.queue.pending,
        due: if is_stopped { 0 } else { due },
        deferred: report.queue.deferred,
        retrying: report.queue.retrying,
        dead_letters: report.queue.dlq,
        malformed: queue.map_or(0, |file| file.unparsable),
        foreign: report.queue.foreign,
        paused: unsettled.paused().cloned(),
        back_off_until: back_off_until.map(format_iso),
        last_error: unsettled.last_error().cloned(),
        last_drain: last_pass(project.disk(), &project.layout.path_of(STATS_FILE)),
        trend: report.drain_trend,
    }
}
