//! The status of the outbox: read without a lock, from counts that are updated incrementally.

use super::{DrainTrend, Tallies, report};
use crate::clock::format_iso;
use crate::outbox::{DrainPass, LastError, Pause, QUEUE_FILE, STATS_FILE, last_pass, read_unsettled};
use crate::project::Project;

/// The status of the outbox.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueueStatus {
    /// Records that are not delivered yet.
    pub queued: u64,
    /// Of these, those that a drain would try now.
    pub due: u64,
    /// Of these, those in back-off.
    pub deferred: u64,
    /// Of these, those on which the store failed alone; after five failures they become dead letters.
    pub retrying: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// Lines of the queue that cannot be parsed.
    pub malformed: u64,
    /// Records of the queue and dead letters that this machine did not write; they are set aside.
    pub foreign: u64,
    /// Why delivery is paused until a setting is corrected.
    pub paused: Option<Pause>,
    /// Until when the drain waits because the store accepted nothing.
    pub back_off_until: Option<String>,
    /// The last failure.
    pub last_error: Option<LastError>,
    /// The last pass.
    pub last_drain: Option<DrainPass>,
    /// The last passes.
    pub trend: DrainTrend,
}

/// Returns the status of the outbox.
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
