//! The destinations of a stored record besides the raw log: the file of its type, the queue, the event, the telemetry.

use std::sync::Arc;

use super::outcome::CaptureOutcome;
use crate::clock::{Millis, format_iso};
use crate::error::Result;
use crate::journal::Journal;
use crate::model::encode::{encode, text_of};
use crate::model::thought::{FORMAT_VERSION, ROUTED_TYPES, Ruling, RulingKind};
use crate::observe::events::EventLog;
use crate::observe::telemetry::{CaptureSample, TelemetryLog};
use crate::outbox::QUEUE_FILE;
use crate::outbox::queue::Queue;
use crate::project::Project;

/// The path of a file that can be rebuilt from the raw log is checked at every so many appends.
const LOOKUP_EVERY: u32 = 16;

/// The files that follow the raw log, all under its lock.
#[derive(Debug)]
pub(crate) struct Outlets {
    typed: Vec<(&'static str, Journal)>,
    pub queue: Queue,
    pub events: EventLog,
    telemetry: TelemetryLog,
}

impl Outlets {
    /// Opens the files lazily: nothing is created or read before the first use.
    pub fn open(project: &Project) -> Self {
        let beside = |file: &str| {
            let mut journal = project.layout.journal_of_captures(file);
            journal.check_path_every(LOOKUP_EVERY);
            journal
        };
        let mut outlets = Outlets {
            typed: ROUTED_TYPES.map(|(kind, file)| (kind, beside(file))).into(),
            queue: Queue::new(beside(QUEUE_FILE), Arc::clone(&project.marks)),
            events: EventLog::new(beside("hub-events.jsonl"), &project.marks),
            telemetry: TelemetryLog::new(beside("telemetry/memory-captures.jsonl")),
        };
        outlets.reconfigure(project);
        outlets
    }

    /// Takes over settings that have changed. The queue is as durable as the raw log: what it has taken is to be delivered, and
    /// nobody makes it again from the raw log unasked.
    pub fn reconfigure(&mut self, project: &Project) {
        self.queue.journal().set_durability(project.config().durability);
    }

    /// Appends a line, with its end, to the file of its type.
    pub fn append_to_type_file(&mut self, kind: &str, line: &[u8]) -> Result<()> {
        match self.typed.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, journal)) => {
                journal.append_lines(line)?;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Appends the event about a record to the event file.
    pub fn announce(&mut self, kind: &str, outcome: &mut CaptureOutcome, now: Millis, limit: u64) {
        let record = match outcome.record.take() {
            Some(record) => Ok(record),
            None => encode(&outcome.thought).and_then(text_of),
        };
        let pushed = record.and_then(|thought| {
            let flag = |flag| if flag { "true" } else { "false" };
            let (captured, deduped) = (flag(outcome.captured), flag(outcome.deduped));
            let parts = [
                "\"captured\":",
                captured,
                ",\"deduped\":",
                deduped,
                ",\"thought\":",
                &thought,
            ];
            let fields = parts.concat();
            self.events.push(kind, &fields, now, limit)
        });
        outcome.tiers.hub.note(pushed.map(|_| ()));
    }

    /// Puts the events about rulings into the event file: `memory-retired`, `memory-kept`, `memory-contradicted`, `memory-held`.
    pub fn announce_rulings(&mut self, rulings: &[Ruling], now: Millis, limit: u64) -> Result<()> {
        for ruling in rulings {
            let kind = match ruling.kind {
                RulingKind::Retire => "memory-retired",
                RulingKind::Keep => "memory-kept",
                RulingKind::Conflict => "memory-contradicted",
                RulingKind::Hold => "memory-held",
            };
            let quoted = |text: &str| serde_json::Value::from(text).to_string();
            let mut fields = format!("\"id\":{}", quoted(&ruling.id));
            if let Some(other) = &ruling.other {
                fields += &format!(",\"other\":{},\"why\":{}", quoted(other), quoted(&ruling.why));
            }
            self.events.push(kind, &fields, now, limit)?;
        }
        Ok(())
    }

    /// Counts a capture in the telemetry.
    pub fn count(&mut self, outcome: &mut CaptureOutcome, tool: Option<&str>, now: Millis, limit: u64) {
        let thought = &outcome.thought;
        let time = format_iso(now);
        let sample = CaptureSample {
            version: FORMAT_VERSION,
            timestamp: &time,
            tool: tool.unwrap_or(&thought.source),
            kind: &thought.kind,
            source: &thought.source,
            source_rejected: outcome.source_problem.as_deref(),
            project: &thought.project,
            content_len: thought.content.encode_utf16().count(),
            deduped: outcome.deduped,
        };
        let counted = self.telemetry.push(&sample, now, limit);
        outcome.tiers.files.note(counted);
    }
}
