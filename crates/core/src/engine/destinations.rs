//! What follows a decision that is in the raw log: the file of its type, the queue, the event, the telemetry.

use std::sync::Arc;

use super::outcome::{CaptureOutcome, ReviewOutcome};
use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::index::JournalIndex;
use crate::index::dedup::Duplicate;
use crate::journal::{Journal, clean};
use crate::judgement::decide::{Decision, Effect, Line, Told};
use crate::model::encode::text_of;
use crate::model::thought::{FORMAT_VERSION, LineKind, ROUTED_TYPES, RulingKind, Thought, id_hash, read_line};
use crate::observe::events::EventLog;
use crate::observe::telemetry::{CaptureSample, TelemetryLog};
use crate::outbox::queue::{Queue, marked};
use crate::outbox::{ACCEPTING_FILE, QUEUE_FILE, QueueLine};
use crate::project::Project;
use crate::project::ownership::MARK;

/// The number of appends between two checks of the path of a file that can be rebuilt from the raw log.
const LOOKUP_EVERY: u32 = 16;

/// The minimum interval between two confirmations of one record that are sent to the shared store; at least a 24th of its lifetime.
const CONFIRMED_AGAIN_MS: Millis = 60 * 60 * 1000;
const CONFIRMED_SHARE: Millis = 24;

/// A decision about a new record, after it was committed.
pub(crate) struct Stored {
    pub decision: Decision,
    /// Why it waits, when no setting says so.
    pub waits_because: Option<String>,
    /// The line that was appended.
    pub record: Option<Appended>,
    /// The record that says the same, and when it was confirmed before.
    pub duplicate: Option<Duplicate>,
    pub confirmed: Millis,
}

/// A record that was appended.
pub(crate) struct Appended {
    pub text: String,
    pub mark: Result<String>,
    /// Both, with the end of the line.
    pub line: String,
}

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

    /// Writes what follows a decision about a thought that is committed, and tells the outcome.
    pub fn follow(&mut self, stored: Result<Stored>, outcome: &mut CaptureOutcome, now: Millis) {
        let stored = match stored {
            Ok(stored) => stored,
            Err(error) => {
                // The raw log is the truth: a record that is not in it is in no other tier either.
                let reason = std::io::Error::other("the record could not be appended to the raw log");
                outcome.tiers.openbrain.error = Some(Error::io("append to", self.queue.path())(reason));
                outcome.tiers.files.error = Some(error);
                return;
            }
        };
        outcome.captured = stored.record.is_some();
        outcome.deduped = stored.duplicate.is_some();
        outcome.similarity = stored.duplicate.as_ref().map(|known| known.similarity);
        let (lines, tiers) = (&stored.decision.lines, &mut outcome.tiers);
        let mut known = &[][..];
        if let Some(duplicate) = &stored.duplicate {
            known = clean(&duplicate.line);
            // A text that waits is not shown: the answer contains the given one.
            outcome.thought.id.clone_from(&duplicate.id);
        }
        match stored.decision.effect {
            Effect::Stored | Effect::Proposed => tiers.hub.note(self.announce_rulings(lines, now)),
            Effect::Known => {
                let queued = self.queue_confirmation(known, stored.confirmed, now);
                tiers.openbrain.note(queued);
                tiers.openbrain.note(self.queue_rulings(lines, now));
                tiers.hub.note(self.announce_rulings(lines, now));
                know(known, &mut outcome.thought);
            }
            Effect::Withheld(review) => outcome.review = Some(review.into()),
            Effect::Confirmed => match self.deliver_accepted(known, lines, now) {
                Ok(()) => {
                    outcome.review = Some(ReviewOutcome::Accepted);
                    know(known, &mut outcome.thought);
                }
                Err(error) => tiers.files.error = Some(error),
            },
        }
        if stored.decision.effect == Effect::Proposed {
            outcome.review = Some(ReviewOutcome::Proposed);
        }
        outcome.waits_because = stored
            .waits_because
            .filter(|_| outcome.review == Some(ReviewOutcome::Proposed));
        if stored.decision.effect == Effect::Proposed {
            return;
        }
        if let Some(record) = stored.record {
            let appended = self.append_to_type_file(&outcome.thought.kind, record.line.as_bytes());
            tiers.files.note(appended);
            let queued = self.queue.push_thought(&record.text, record.mark, now);
            tiers.openbrain.note(queued.map(drop));
            tiers.openbrain.note(self.queue_rulings(lines, now));
        }
        (outcome.retired, outcome.conflicts) = stored
            .decision
            .contradicted
            .into_iter()
            .partition(|older| older.is_retired);
    }

    /// A confirmation is sent to the shared store only when it extends the expiry by more than the last one sent did, so that
    /// frequent repetitions do not fill the queue.
    fn queue_confirmation(&mut self, line: &[u8], confirmed: Millis, now: Millis) -> Result<()> {
        let LineKind::Record(fields) = read_line(line) else {
            return Ok(());
        };
        let Some(expires) = fields.expires_ms else {
            return Ok(());
        };
        let due = CONFIRMED_AGAIN_MS.min(expires.saturating_sub(fields.at_ms) / CONFIRMED_SHARE);
        if now.saturating_sub(fields.at_ms.max(confirmed)) < due.max(1) {
            return Ok(());
        }
        self.queue.push_confirmation(line, &fields.id, now)
    }

    /// Returns true if an acceptance is in progress, or was interrupted by the end of a process.
    pub fn has_acceptances(&mut self) -> bool {
        self.acceptance_intents
            .journal()
            .look()
            .is_ok_and(|state| state.is_some_and(|state| state.len > 0))
    }

    /// Logs the intent to accept a record before the ruling is written, so that the next process can complete it after a crash. The lock of
    /// the raw log is held, so no other process is in the middle of an acceptance.
    pub fn begin_acceptance(&mut self, index: &JournalIndex, line: &[u8], now: Millis) -> Result<()> {
        self.finish_acceptances(index, now)?;
        self.acceptance_intents.push_record(&String::from_utf8_lossy(line), now)
    }

    /// Writes a record that was accepted in the raw log to the file of its type and to the queue, and tells the decision.
    pub fn deliver_accepted(&mut self, line: &[u8], lines: &[Line], now: Millis) -> Result<()> {
        if let LineKind::Record(fields) = read_line(line) {
            self.append_to_type_file(&fields.kind, &[line, b"\n"].concat())?;
        }
        self.queue.push_record(&String::from_utf8_lossy(line), now)?;
        self.acceptance_intents.clear()?;
        self.tell(lines, now)
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

    /// Appends the event about a record to the event file. Its provenance is asked of the record itself.
    pub fn announce(&mut self, kind: &str, outcome: &mut CaptureOutcome, now: Millis) {
        let hallmark = outcome.thought.hallmark.take();
        let thought = text_of(&outcome.thought);
        let tool = hallmark
            .as_ref()
            .map(|hallmark| serde_json::Value::from(hallmark.tool_name.as_str()));
        outcome.thought.hallmark = hallmark;
        let pushed = thought.and_then(|thought| {
            let tool = tool.map(|tool| format!("\"tool\":{tool},")).unwrap_or_default();
            let (captured, deduped) = (outcome.captured, outcome.deduped);
            let fields = format!("\"captured\":{captured},\"deduped\":{deduped},{tool}\"thought\":{thought}");
            self.publish(kind, &fields, now)
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

/// Replaces a thought by the stored one; fields that an older line lacks stay.
fn know(line: &[u8], thought: &mut Thought) {
    let LineKind::Record(fields) = read_line(line) else {
        return;
    };
    match serde_json::from_slice(line) {
        Ok(known) => *thought = known,
        Err(_) => {
            thought.id = fields.id.to_string();
            thought.content = fields.text.to_string();
            thought.captured_at = fields.at.to_string();
            thought.confidence = fields.confidence;
            thought.hallmark = None;
        }
    }
}
