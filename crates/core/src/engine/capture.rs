//! The write path of a capture: check, redact, stamp, deduplicate, then the files, the queue, the event, the telemetry.

use crate::clock::{Millis, format_iso, parse_iso};
use crate::engine::outcome::CaptureOutcome;
use crate::engine::outlets::Outlets;
use crate::error::{Error, FileError, Result};
use crate::index::dedup::{Duplicate, find_duplicate_in, find_under_names};
use crate::index::{Entry, Store};
use crate::journal::clean;
use crate::model::encode::{encode, text_of};
use crate::model::hallmark::Origin;
use crate::model::input::{CaptureInput, CheckedCapture};
use crate::model::scrub::{HIDDEN_TYPE, Redactor};
use crate::model::thought::{
    ActionKind, DEFAULT_CREATOR, FORMAT_VERSION, Fields, HALLMARK_VERSION, Hallmark, LineKind, Thought, UNKNOWN_SOURCE,
    action_line, check_source, expiry_of, new_id, read_line, thought_hash,
};
use crate::project::Project;

/// The shared store hears of the confirmations of one record no more often than this, or than a 24th of its life.
const CONFIRMED_AGAIN_MS: Millis = 60 * 60 * 1000;
const CONFIRMED_SHARE: Millis = 24;

/// The write path of captures: what a record is appended to, and what it goes on to from there.
pub(crate) struct Recorder<'m> {
    project: &'m mut Project,
    captures: &'m mut Store,
    outlets: &'m mut Outlets,
}

impl<'m> Recorder<'m> {
    /// Returns the write path of captures.
    pub fn new(project: &'m mut Project, captures: &'m mut Store, outlets: &'m mut Outlets) -> Self {
        Recorder {
            project,
            captures,
            outlets,
        }
    }

    /// Captures a thought. A tier that fails does not stop the next one; the outcome reports it.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong; nothing is written then.
    pub fn capture(&mut self, input: CaptureInput) -> Result<CaptureOutcome> {
        let mut checked = input.check()?;
        let now = self.project.now();
        let origin = std::mem::take(&mut checked.origin).resolve(self.project.layout.project_dir())?;
        let mut redactor = self.project.redactor();
        let tool = checked.tool.take().map(|tool| redactor.text(tool));
        checked.tool.clone_from(&tool);
        let (thought, source_problem) = self.compose(checked, redactor.origin(origin), now, &mut redactor);
        let redactions = redactor.count;
        // One lock around all of it: the files have their lines in one order. Where it cannot be had, each tier says so.
        let capture_lock = self.project.layout.capture_lock().clone();
        let lock = capture_lock.guard().map_err(Error::from);
        let mut outcome = match &lock {
            Err(error @ Error::File(FileError::Locked { .. })) => return Ok(CaptureOutcome::refused(thought, error)),
            _ => self.store(thought, now),
        };
        outcome.source_problem = source_problem;
        outcome.redactions = redactions;
        let config = self.project.config();
        let (events_bytes, telemetry_bytes) = (config.events_bytes, config.telemetry_bytes);
        self.outlets
            .announce("memory-captured", &mut outcome, now, events_bytes);
        self.outlets.count(&mut outcome, tool.as_deref(), now, telemetry_bytes);
        Ok(outcome)
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
            project: redactor.text(input.project.unwrap_or_else(|| self.project.name())),
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
    pub fn store(&mut self, thought: Thought, now: Millis) -> CaptureOutcome {
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
                outcome.tiers.openbrain.error = Some(not_stored(self.outlets.queue.path()));
                outcome.tiers.files.error = Some(error);
                return outcome;
            }
        };
        outcome.captured = true;
        let is_first = self.captures.journal_index.records() == 1;
        outcome.tiers.files.note(self.project.ensure_gitignore(is_first));
        outcome
            .tiers
            .files
            .note(self.outlets.append_to_type_file(&outcome.thought.kind, line.as_bytes()));
        // The others have it as a part of theirs.
        line.pop();
        outcome
            .tiers
            .openbrain
            .note(self.outlets.queue.push_thought(&line, now).map(|_| ()));
        outcome.record = Some(line);
        outcome
    }

    /// A confirmation is sent to the shared store only when it extends the expiry by more than the last one sent did, so that
    /// frequent repetitions do not fill the queue.
    fn queue_confirmation(&mut self, duplicate: &Duplicate, confirmed: Millis, now: Millis) -> Result<()> {
        let line = clean(&duplicate.line);
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
        self.outlets.queue.push_confirmation(line, &fields.id, now)
    }

    fn append_unless_known(&mut self, thought: &Thought, now: Millis) -> Result<Stored> {
        let fields = fields_of(thought, now);
        let mut words = std::mem::take(&mut self.captures.words);
        words.take_words(&fields, self.captures.journal_index.family());
        let outcome = self.append_words_unless_known(thought, &mut words, &fields, now);
        self.captures.words = words;
        outcome
    }

    fn append_words_unless_known(
        &mut self,
        thought: &Thought,
        words: &mut Entry,
        fields: &Fields<'_>,
        now: Millis,
    ) -> Result<Stored> {
        let names = self.project.other_names(&thought.project);
        let threshold = self.project.config().dedup_threshold;
        let (mut held, journal_index) = self.captures.hold_for_lookup(now)?;
        // A revision is meant to be like the one it takes the place of.
        let known = match thought.supersedes {
            Some(_) => None,
            None => find_under_names(&names, words, fields, journal_index.family(), |words, fields| {
                find_duplicate_in(&mut held, journal_index, words, fields, threshold, now)
            })?,
        };
        if let Some(duplicate) = known {
            let id = id_of(&duplicate).unwrap_or_default();
            let (_, confirmed) = journal_index.gone_and_confirmed(duplicate.place);
            let line = action_line("confirm", &id, Some(&thought.source), now);
            let span = held.append(line.as_bytes())?;
            journal_index.append_mutation(ActionKind::Confirm, &id, now, span, line.as_bytes(), held.state().id);
            return Ok(Stored::Known(duplicate, confirmed));
        }
        let mut line = text_of(encode(thought)?)?;
        line.push('\n');
        let span = held.append_lines(line.as_bytes())?;
        let record = line.trim_end();
        journal_index.append(words, now, span, record.as_bytes(), held.state().id);
        Ok(Stored::Appended(line))
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
        expires_ms: thought.expires_at.as_deref().and_then(parse_iso),
        tags: thought.tags.iter().map(|tag| tag.as_str().into()).collect(),
        confidence: thought.confidence,
        supersedes: thought.supersedes.as_deref().map(Into::into),
    }
}

fn id_of(duplicate: &Duplicate) -> Option<String> {
    match read_line(clean(&duplicate.line)) {
        LineKind::Record(fields) => Some(fields.id.into_owned()),
        _ => None,
    }
}

/// The stored thought; the given one stands in for what an older line does not tell.
fn known_thought(duplicate: &Duplicate, given: Thought) -> Thought {
    match read_line(clean(&duplicate.line)) {
        LineKind::Record(fields) => serde_json::from_slice(clean(&duplicate.line)).unwrap_or_else(|_| Thought {
            id: fields.id.to_string(),
            content: fields.text.to_string(),
            captured_at: fields.at.to_string(),
            confidence: fields.confidence,
            hallmark: None,
            ..given
        }),
        _ => given,
    }
}

fn not_stored(queue: &std::path::Path) -> Error {
    Error::io("append to", queue)(std::io::Error::other("the record could not be appended to the raw log"))
}
