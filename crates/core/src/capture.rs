//! The write path of a capture: check, redact, stamp, deduplicate, then the files, the queue, the event, the telemetry.

use serde_json::Value;

use crate::clock::{Millis, format_iso};
use crate::dedup::{Duplicate, find_duplicate, find_under_names};
use crate::error::{Error, Result};
use crate::hallmark::Origin;
use crate::input::{CaptureInput, CheckedCapture};
use crate::journal::clean;
use crate::memory::{Memory, encode};
use crate::telemetry::CaptureSample;
use crate::thought::{
    ActionKind, DEFAULT_CREATOR, FORMAT_VERSION, Fields, HALLMARK_VERSION, Hallmark, Thought, UNKNOWN_SOURCE,
    check_source, expiry_of, new_id, thought_hash,
};

/// The shared store hears of the confirmations of one record no more often than this, or than a 24th of its life.
const CONFIRMED_AGAIN_MS: Millis = 60 * 60 * 1000;
const CONFIRMED_SHARE: Millis = 24;

/// The type of a record whose own was a secret.
pub(crate) const HIDDEN_TYPE: &str = "redacted";

/// Takes secrets out of whatever is stored, unless the project has turned that off.
pub(crate) struct Redactor {
    is_on: bool,
    /// How many there were.
    pub count: usize,
}

impl Redactor {
    /// Returns a text without its secrets.
    pub fn text(&mut self, text: String) -> String {
        if !self.is_on {
            return text;
        }
        let redacted = crate::redact::redact(&text);
        self.count += redacted.count;
        match redacted.count {
            0 => text,
            _ => redacted.text.into_owned(),
        }
    }

    /// Returns a name that has no room for a marker; nothing when a secret is in it.
    pub fn name(&mut self, name: String) -> Option<String> {
        let before = self.count;
        let name = self.text(name);
        (self.count == before).then_some(name)
    }

    /// A path with a secret in it is not kept, nor what only makes sense with it.
    fn origin(&mut self, origin: Origin) -> Origin {
        let before = self.count;
        let origin = Origin {
            source_file: origin.source_file.map(|path| self.text(path)),
            tool_version: origin.tool_version.map(|version| self.text(version)),
            ..origin
        };
        match self.count == before || origin.source_file.is_none() {
            true => origin,
            false => Origin {
                tool_version: origin.tool_version,
                ..Origin::default()
            },
        }
    }
}

/// Whether a tier has taken a capture.
#[derive(Debug, Default)]
pub struct TierOutcome {
    /// What went wrong, if anything did.
    pub error: Option<Error>,
}

impl TierOutcome {
    /// Tells whether all went well.
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }

    fn note(&mut self, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.error.get_or_insert(error);
        }
    }
}

/// The three tiers.
#[derive(Debug, Default)]
pub struct Tiers {
    /// The event for the live hub.
    pub hub: TierOutcome,
    /// The files under `.forge/`.
    pub files: TierOutcome,
    /// The queue to the shared store.
    pub openbrain: TierOutcome,
}

impl Tiers {
    /// Tells whether all went well in all of them.
    pub fn are_ok(&self) -> bool {
        self.hub.is_ok() && self.files.is_ok() && self.openbrain.is_ok()
    }
}

/// What became of a capture.
#[derive(Debug)]
pub struct CaptureOutcome {
    /// True when the thought is in the raw log.
    pub captured: bool,
    /// True when the memory had it already.
    pub deduped: bool,
    /// The cosine with the record it duplicates.
    pub similarity: Option<f64>,
    /// The thought as stored; for a duplicate, the one that was there.
    pub thought: Thought,
    /// Why the source that was given is not the one that is stored.
    pub source_problem: Option<String>,
    /// How many secrets were taken out.
    pub redactions: usize,
    /// How each tier fared.
    pub tiers: Tiers,
    /// The thought as its line says it.
    record: Option<String>,
}

impl CaptureOutcome {
    fn of(thought: Thought) -> Self {
        CaptureOutcome {
            captured: false,
            deduped: false,
            similarity: None,
            thought,
            source_problem: None,
            redactions: 0,
            tiers: Tiers::default(),
            record: None,
        }
    }
}

/// Somebody keeps the lock: no tier has the capture.
fn refuse(thought: Thought, error: &Error) -> CaptureOutcome {
    let mut outcome = CaptureOutcome::of(thought);
    for tier in [
        &mut outcome.tiers.hub,
        &mut outcome.tiers.files,
        &mut outcome.tiers.openbrain,
    ] {
        tier.error = error.again();
    }
    outcome
}

impl Memory {
    /// Captures a thought. A failing tier never stops the next one and is told in the outcome.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong; nothing is written then.
    pub fn capture(&mut self, input: CaptureInput) -> Result<CaptureOutcome> {
        let mut checked = input.check()?;
        let now = self.surroundings.clock.now_ms();
        self.config();
        let origin = std::mem::take(&mut checked.origin).resolve(&self.surroundings.project_dir)?;
        let mut redactor = self.redactor();
        let tool = checked.tool.take().map(|tool| redactor.text(tool));
        checked.tool.clone_from(&tool);
        let (thought, source_problem) = self.compose(checked, redactor.origin(origin), now, &mut redactor);
        let redactions = redactor.count;
        // One lock around all of it: the files have their lines in one order. Where it cannot be had, each tier says so.
        let lock = self.capture_lock.guard();
        let mut outcome = match &lock {
            Err(error @ Error::Locked { .. }) => return Ok(refuse(thought, error)),
            _ => self.store(thought, now),
        };
        outcome.source_problem = source_problem;
        outcome.redactions = redactions;
        self.announce("memory-captured", &mut outcome, now);
        self.count(&mut outcome, tool.as_deref(), now);
        Ok(outcome)
    }

    pub(crate) fn redactor(&self) -> Redactor {
        Redactor {
            is_on: self.config.redact,
            count: 0,
        }
    }

    /// Redacts and stamps.
    fn compose(
        &self,
        input: CheckedCapture,
        origin: Origin,
        now: Millis,
        redactor: &mut Redactor,
    ) -> (Thought, Option<String>) {
        let content = redactor.text(input.body);
        let tags = input.tags.into_iter().map(|tag| redactor.text(tag)).collect();
        let given = input.source.or_else(|| input.tool.clone());
        let (source, problem) = match given.map(|given| redactor.text(given)) {
            None => (UNKNOWN_SOURCE.to_owned(), None),
            Some(given) => match check_source(&given) {
                Ok(()) => (given, None),
                Err(reason) => (UNKNOWN_SOURCE.to_owned(), Some(reason)),
            },
        };
        let expires = input.expires_ms.or_else(|| expiry_of(&input.kind, now));
        let mut thought = Thought {
            version: FORMAT_VERSION,
            id: new_id(now),
            content,
            project: redactor.text(input.project.unwrap_or_else(|| self.project_name())),
            kind: redactor.name(input.kind).unwrap_or_else(|| HIDDEN_TYPE.to_owned()),
            created_by: redactor.text(input.created_by.unwrap_or_else(|| DEFAULT_CREATOR.to_owned())),
            captured_at: format_iso(now),
            expires_at: expires.map(format_iso),
            tags,
            confidence: input.confidence,
            supersedes: input.supersedes.and_then(|id| redactor.name(id)),
            hallmark: None,
            source,
        };
        stamp(&mut thought, input.tool.as_deref(), origin);
        (thought, problem)
    }

    /// Deduplicates and appends to the raw log under one lock, then to the type's file and the queue.
    pub(crate) fn store(&mut self, thought: Thought, now: Millis) -> CaptureOutcome {
        let mut outcome = CaptureOutcome::of(thought);
        let mut line = match self.append_unless_known(&outcome.thought, now) {
            Ok(Stored::Appended(line)) => line,
            Ok(Stored::Known(duplicate, confirmed)) => {
                outcome.deduped = true;
                outcome.similarity = Some(duplicate.similarity);
                outcome
                    .tiers
                    .openbrain
                    .note(self.queue_confirmation(&duplicate, confirmed, now));
                outcome.thought = known_thought(&duplicate, outcome.thought);
                return outcome;
            }
            Err(error) => {
                // The raw log is the truth: what is not in it is in no other tier either.
                outcome.tiers.openbrain.error = Some(not_stored(self.queue.path()));
                outcome.tiers.files.error = Some(error);
                return outcome;
            }
        };
        outcome.captured = true;
        let is_first = self.captures.shelf.records() == 1;
        outcome.tiers.files.note(self.furnish(is_first));
        outcome
            .tiers
            .files
            .note(self.append_to_type_file(&outcome.thought.kind, line.as_bytes()));
        // The others have it as a part of theirs.
        line.pop();
        outcome
            .tiers
            .openbrain
            .note(self.queue.push_thought(&line, now).map(|_| ()));
        outcome.record = Some(line);
        outcome
    }

    /// The shared store is told of a confirmation where that lengthens a life by more than what it was told last:
    /// somebody who says the same all the time must not fill the queue.
    fn queue_confirmation(&mut self, duplicate: &Duplicate, confirmed: Millis, now: Millis) -> Result<()> {
        let line = clean(&duplicate.line);
        let crate::thought::LineKind::Record(fields) = crate::thought::read_line(line) else {
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

    fn append_unless_known(&mut self, thought: &Thought, now: Millis) -> Result<Stored> {
        let fields = fields_of(thought, now);
        let mut entry = std::mem::take(&mut self.entry);
        entry.take_words(&fields, self.captures.shelf.family());
        let outcome = self.append_entry_unless_known(thought, &mut entry, &fields, now);
        self.entry = entry;
        outcome
    }

    fn append_entry_unless_known(
        &mut self,
        thought: &Thought,
        entry: &mut crate::index::Entry,
        fields: &Fields<'_>,
        now: Millis,
    ) -> Result<Stored> {
        let names = self.other_names(&thought.project);
        let threshold = self.config.dedup_threshold;
        let store = &mut self.captures;
        if !store.shelf.is_open() {
            store.shelf.refresh_for_writing(&mut store.journal)?;
        }
        let (mut held, shelf) = store.hold(now)?;
        // A revision is meant to be like the one it takes the place of.
        let known = match thought.supersedes {
            Some(_) => None,
            None => loop {
                let known = find_under_names(&names, entry, fields, shelf.family(), |entry, fields| {
                    find_duplicate(shelf, held.journal(), entry, fields, threshold, now)
                })?;
                let state = held.state();
                if !shelf.heal(held.journal(), state)? {
                    break known;
                }
            },
        };
        if let Some(duplicate) = known {
            let id = id_of(&duplicate).unwrap_or_default();
            let (_, confirmed) = shelf.gone_and_confirmed(duplicate.place);
            let line = action_line("confirm", &id, Some(&thought.source), now);
            let span = held.append(line.as_bytes())?;
            shelf.append_remark(ActionKind::Confirm, &id, now, span, line.as_bytes(), held.state().id);
            return Ok(Stored::Known(duplicate, confirmed));
        }
        let mut line = text_of(encode(thought)?)?;
        line.push('\n');
        let span = held.append_lines(line.as_bytes())?;
        let record = line.trim_end();
        shelf.append(entry, now, span, record.as_bytes(), held.state().id);
        Ok(Stored::Appended(line))
    }

    /// Appends a line, with its end, to the file of its type.
    pub(crate) fn append_to_type_file(&mut self, kind: &str, line: &[u8]) -> Result<()> {
        match self.typed.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, journal)) => journal.append_lines(line).map(|_| ()),
            None => Ok(()),
        }
    }

    pub(crate) fn announce(&mut self, kind: &str, outcome: &mut CaptureOutcome, now: Millis) {
        let limit = self.config.events_bytes;
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

    fn count(&mut self, outcome: &mut CaptureOutcome, tool: Option<&str>, now: Millis) {
        let limit = self.config.telemetry_bytes;
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

enum Stored {
    /// The line, with its end.
    Appended(String),
    /// What is known, and when it was confirmed before.
    Known(Duplicate, Millis),
}

/// Stamps the hallmark; the hash is over everything else.
pub(crate) fn stamp(thought: &mut Thought, tool: Option<&str>, origin: Origin) {
    thought.hallmark = Some(Hallmark {
        schema_version: HALLMARK_VERSION.to_owned(),
        tool_name: tool.unwrap_or(&thought.source).to_owned(),
        captured_at: thought.captured_at.clone(),
        source_file: origin.source_file,
        byte_range: origin.byte_range,
        content_hash: Some(thought_hash(thought)),
        code_hash: origin.code_hash,
        tool_version: origin.tool_version,
    });
}

pub(crate) fn fields_of(thought: &Thought, now: Millis) -> Fields<'_> {
    Fields {
        id: thought.id.as_str().into(),
        text: thought.content.as_str().into(),
        kind: thought.kind.as_str().into(),
        project: thought.project.as_str().into(),
        source: thought.source.as_str().into(),
        at: thought.captured_at.as_str().into(),
        at_ms: now,
        expires_ms: thought.expires_at.as_deref().and_then(crate::clock::parse_iso),
        tags: thought.tags.iter().map(|tag| tag.as_str().into()).collect(),
        confidence: thought.confidence,
        supersedes: thought.supersedes.as_deref().map(Into::into),
    }
}

pub(crate) fn action_line(action: &str, id: &str, source: Option<&str>, now: Millis) -> String {
    let (id, at) = (Value::from(id), format_iso(now));
    let source = source
        .map(|source| format!("\"source\":{},", Value::from(source)))
        .unwrap_or_default();
    format!("{{\"_v\":1,\"_action\":\"{action}\",\"id\":{id},{source}\"at\":\"{at}\"}}")
}

pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|e| Error::invalid("record", e.to_string()))
}

fn id_of(duplicate: &Duplicate) -> Option<String> {
    match crate::thought::read_line(clean(&duplicate.line)) {
        crate::thought::LineKind::Record(fields) => Some(fields.id.into_owned()),
        _ => None,
    }
}

/// The stored thought; the given one stands in for what an older line does not tell.
fn known_thought(duplicate: &Duplicate, given: Thought) -> Thought {
    match crate::thought::read_line(clean(&duplicate.line)) {
        crate::thought::LineKind::Record(fields) => {
            serde_json::from_slice(clean(&duplicate.line)).unwrap_or_else(|_| Thought {
                id: fields.id.to_string(),
                content: fields.text.to_string(),
                captured_at: fields.at.to_string(),
                confidence: fields.confidence,
                hallmark: None,
                ..given
            })
        }
        _ => given,
    }
}

fn not_stored(queue: &std::path::Path) -> Error {
    Error::io("append to", queue)(std::io::Error::other("the thought is not in the raw log"))
}
