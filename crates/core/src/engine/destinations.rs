//! The destinations of a stored record besides the raw log: the file of its type, the queue, the event, the telemetry.

use std::sync::Arc;

use super::outcome::CaptureOutcome;
use crate::clock::{Millis, format_iso};
use crate::error::Result;
use crate::index::JournalIndex;
use crate::journal::Journal;
use crate::judgement::decide::{Line, Told};
use crate::model::encode::{encode, text_of};
use crate::model::thought::{FORMAT_VERSION, LineKind, ROUTED_TYPES, RulingKind, id_hash, read_line};
use crate::observe::events::EventLog;
use crate::observe::telemetry::{CaptureSample, TelemetryLog};
use crate::outbox::queue::{Queue, marked};
use crate::outbox::{ACCEPTING_FILE, QUEUE_FILE, QueueLine};
use crate::project::Project;
use crate::project::ownership::MARK;

/// The number of appends between two checks of the path of a file that can be rebuilt from the raw log.
const LOOKUP_EVERY: u32 = 16;

/// The files that follow the raw log, all under its lock.
#[derive(Debug)]
pub(crate) struct Destinations {
    typed: Vec<(&'static str, Journal)>,
    pub queue: Queue,
    /// The intent log of acceptances: a record is in it until the queue has the record.
    acceptance_intents: Queue,
    pub events: EventLog,
    telemetry: TelemetryLog,
    events_bytes: u64,
    telemetry_bytes: u64,
}

impl Destinations {
    /// Opens the files lazily: nothing is created or read before the first use.
    pub fn open(project: &Project) -> Self {
        let beside = |file: &str| {
            let mut journal = project.layout.journal_of_captures(file);
            journal.check_path_every(LOOKUP_EVERY);
            journal
        };
        let mut destinations = Destinations {
            typed: ROUTED_TYPES.map(|(kind, file)| (kind, beside(file))).into(),
            queue: Queue::new(beside(QUEUE_FILE), Arc::clone(&project.marks)),
            acceptance_intents: Queue::new(beside(ACCEPTING_FILE), Arc::clone(&project.marks)),
            events: EventLog::new(beside("hub-events.jsonl"), &project.marks),
            telemetry: TelemetryLog::new(beside("telemetry/memory-captures.jsonl")),
            events_bytes: 0,
            telemetry_bytes: 0,
        };
        destinations.reconfigure(project);
        destinations
    }

    /// Applies changed settings. The queue is as durable as the raw log, because it is rebuilt from the raw log only on request.
    pub fn reconfigure(&mut self, project: &Project) {
        let settings = &project.config().settings;
        (self.events_bytes, self.telemetry_bytes) = (settings.limits.events_bytes, settings.limits.telemetry_bytes);
        self.queue.journal().set_durability(settings.durability);
    }

    /// Returns true if an acceptance is in progress, or was interrupted by the end of a process.
    pub fn has_acceptances(&mut self) -> bool {
        self.acceptance_intents
            .journal()
            .look()
            .is_ok_and(|state| state.is_some_and(|state| state.len > 0))
    }

    /// Logs the intent to accept a record before the ruling is written, so that the next process can complete it after a crash.
    pub fn begin_acceptance(&mut self, line: &str, now: Millis) -> Result<()> {
        self.acceptance_intents.push_record(line, now)
    }

    /// Writes a record that was accepted in the raw log to the file of its type and to the queue.
    pub fn deliver_accepted(&mut self, kind: &str, line: &str, now: Millis) -> Result<()> {
        self.append_to_type_file(kind, [line, "\n"].concat().as_bytes())?;
        self.queue.push_record(line, now)?;
        self.acceptance_intents.clear()
    }

    /// Completes acceptances that a crash interrupted between the raw log, whose index is given, and the queue.
    pub fn finish_acceptances(&mut self, index: &JournalIndex, now: Millis) -> Result<()> {
        if !self.has_acceptances() {
            return Ok(());
        }
        let place = |id: &str| index.find_id(id_hash(id));
        let is_accepted = |id: &str| place(id).is_some_and(|place| index.is_live(place, now));
        for (id, kind, line) in self.acceptance_intents.own_thoughts()? {
            if !is_accepted(&id) || self.queue.has_thought(&id)? {
                continue;
            }
            let read = QueueLine::read(&line);
            let record = read
                .map(|read| marked(&read.record(), read.text(MARK).as_deref()))
                .unwrap_or_default();
            if !self.has_in_type_file(&kind, &id)? {
                self.append_to_type_file(&kind, [record.as_str(), "\n"].concat().as_bytes())?;
            }
            self.queue.journal().append(&line)?;
        }
        self.acceptance_intents.clear()
    }

    fn has_in_type_file(&mut self, kind: &str, id: &str) -> Result<bool> {
        let Some((_, journal)) = self.typed.iter_mut().find(|(name, _)| *name == kind) else {
            return Ok(true);
        };
        let Some(state) = journal.look()? else {
            return Ok(false);
        };
        let mut found = false;
        journal.scan(0, state.len, &mut |line| {
            found |= matches!(read_line(line.bytes), LineKind::Record(fields) if fields.id == id);
        })?;
        Ok(found)
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

    /// Appends an event to the event file.
    pub fn publish(&mut self, kind: &str, fields: &str, now: Millis) -> Result<()> {
        self.events.push(kind, fields, now, self.events_bytes).map(|_| ())
    }

    /// Appends the event about a record to the event file.
    pub fn announce(&mut self, kind: &str, outcome: &mut CaptureOutcome, now: Millis) {
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
            self.publish(kind, &parts.concat(), now)
        });
        outcome.tiers.hub.note(pushed);
    }

    /// Tells the shared store and the hub about a decision.
    pub fn tell(&mut self, lines: &[Line], now: Millis) -> Result<()> {
        self.queue_rulings(lines, now)?;
        self.announce_rulings(lines, now)
    }

    /// Tells the shared store.
    pub fn queue_rulings(&mut self, lines: &[Line], now: Millis) -> Result<()> {
        let rulings = lines.iter().filter_map(|line| match line {
            Line::Ruling(ruling, Told::All) => Some(ruling),
            _ => None,
        });
        self.queue.push_rulings(rulings, now)
    }

    /// Tells the hub: appends an event per ruling to the event file, `memory-retired`, `memory-kept`, ...
    pub fn announce_rulings(&mut self, lines: &[Line], now: Millis) -> Result<()> {
        for line in lines {
            let Line::Ruling(ruling, Told::Hub | Told::All) = line else {
                continue;
            };
            let kind = match ruling.kind {
                RulingKind::Retire => "memory-retired",
                RulingKind::Keep => "memory-kept",
                RulingKind::Conflict => "memory-contradicted",
                RulingKind::Hold => "memory-held",
                RulingKind::Propose => "memory-proposed",
                RulingKind::Accept => "memory-accepted",
                RulingKind::Reject => "memory-rejected",
                RulingKind::Useful => "memory-useful",
                RulingKind::Wrong => "memory-wrong",
                RulingKind::Withdraw => "memory-withdrawn",
                // The proposal beside it is announced; and where hooks tell a record changes nothing that is listed.
                RulingKind::Request | RulingKind::Elsewhere | RulingKind::Here => continue,
            };
            let quoted = |text: &str| serde_json::Value::from(text).to_string();
            let mut fields = format!("\"id\":{}", quoted(&ruling.id));
            if let Some(other) = ruling.other.as_ref().filter(|_| ruling.kind.is_mutual()) {
                fields += &format!(",\"other\":{},\"why\":{}", quoted(other), quoted(&ruling.why));
            }
            self.publish(kind, &fields, now)?;
        }
        Ok(())
    }

    /// Counts a capture in the telemetry.
    pub fn count(&mut self, outcome: &mut CaptureOutcome, tool: Option<&str>, now: Millis) {
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
        let counted = self.telemetry.push(&sample, now, self.telemetry_bytes);
        outcome.tiers.files.note(counted);
    }
}
