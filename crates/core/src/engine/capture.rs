//! Captures: the plan of one (checked, redacted, stamped), and what follows the decision about it: the files, the queue, the event, the telemetry.

use crate::clock::{Millis, format_iso, parse_iso};
use crate::engine::outcome::{CaptureOutcome, ReviewOutcome};
use crate::engine::replace::Named;
use crate::engine::writer::{New, Stored, Writer, id_of};
use crate::error::{Error, FileError, Result};
use crate::journal::clean;
use crate::judgement::decide::{Effect, Plan};
use crate::judgement::reason::Contradicted;
use crate::model::author::{Author, Speaker};
use crate::model::encode::{encode, text_of};
use crate::model::hallmark::Origin;
use crate::model::input::CheckedCapture;
use crate::model::scope::Home;
use crate::model::scrub::{HIDDEN_TYPE, Redactor};
use crate::model::thought::{
    DEFAULT_CREATOR, FORMAT_VERSION, Fields, HALLMARK_VERSION, Hallmark, LineKind, Thought, check_source, expiry_of,
    new_id, read_line, thought_hash,
};

/// The minimum interval between two confirmations of one record that are sent to the shared store; at least a 24th of its lifetime.
const CONFIRMED_AGAIN_MS: Millis = 60 * 60 * 1000;
const CONFIRMED_SHARE: Millis = 24;

impl Writer<'_> {
    /// Captures a thought that replaces the named ones. A tier that fails does not stop the next one; the outcome reports it.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong; nothing is written then.
    pub(crate) fn capture(&mut self, mut checked: CheckedCapture, named: &[Named]) -> Result<CaptureOutcome> {
        let clock = self.project.now();
        let now = self.stores.captures.dated(clock);
        let origin = std::mem::take(&mut checked.origin)
            .resolve(self.project.layout.disk().as_ref(), self.project.layout.project_dir())?;
        let mut redactor = self.project.redactor();
        let speaker = checked.speaker.clone();
        let tool = checked.tool.take().map(|tool| redactor.text(tool));
        checked.tool.clone_from(&tool);
        let origin = redactor.origin(origin);
        let (mut thought, source_problem) = self.compose(checked, now, &mut redactor);
        // A proposal must not hide anything.
        let replaced = named.iter().find(|older| older.of.is_retired && !older.is_of_others);
        let replaced = replaced.filter(|_| !self.project.config().requires_review(&speaker));
        thought.supersedes = replaced.map(|older| older.of.id.clone());
        stamp(&mut thought, tool.as_deref(), origin);
        // One lock around all of it, so that all files have the same order of lines. When it times out, each tier reports that.
        let capture_lock = self.project.layout.capture_lock().clone();
        let lock = capture_lock.guard().map_err(Error::from);
        let mut outcome = match &lock {
            Err(error @ Error::File(FileError::Locked { .. })) => return Ok(CaptureOutcome::refused(thought, error)),
            _ => self.store_thought(thought, Some(&speaker), named, now),
        };
        outcome.source_problem = source_problem;
        outcome.clock_behind_ms = Some(now - clock).filter(|behind| *behind > 0);
        outcome.redactions = redactor.count;
        // Proposed records are not announced.
        if outcome.review.is_none_or(|review| review == ReviewOutcome::Accepted) {
            self.destinations.announce("memory-captured", &mut outcome, now);
        }
        self.destinations.count(&mut outcome, tool.as_deref(), now);
        Ok(outcome)
    }

    /// Redacts.
    fn compose(&self, input: CheckedCapture, now: Millis, redactor: &mut Redactor) -> (Thought, Option<String>) {
        let content = redactor.text(input.body);
        let tags = input.tags.into_iter().map(|tag| redactor.text(tag)).collect();
        let given = input.source.or_else(|| input.tool.clone());
        let author = input.speaker.author.unwrap_or(Author::Agent);
        let (source, problem) = match given.map(|given| redactor.text(given)) {
            None => (author.source().to_owned(), None),
            Some(given) => match check_source(&given) {
                Ok(()) => (given, None),
                Err(reason) => (author.source().to_owned(), Some(reason)),
            },
        };
        let creator = || match author {
            Author::Person => author.source().to_owned(),
            _ => DEFAULT_CREATOR.to_owned(),
        };
        let expires = input.expires_ms.or_else(|| expiry_of(&input.kind, now));
        let thought = Thought {
            version: FORMAT_VERSION,
            id: new_id(now),
            content,
            project: redactor.text(input.project.unwrap_or_else(|| self.project.name())),
            kind: redactor.name(input.kind).unwrap_or_else(|| HIDDEN_TYPE.to_owned()),
            created_by: redactor.text(input.created_by.unwrap_or_else(creator)),
            captured_at: format_iso(now),
            expires_at: expires.map(format_iso),
            tags,
            confidence: input.confidence,
            session: input.session,
            author: input.speaker.author.map(|author| author.name().to_owned()),
            source,
            ..Thought::default()
        }
        .with_facts(redactor.facts(input.facts));
        (thought, problem)
    }

    /// Stores a thought in the raw log, in the file of its type and in the queue, unless it is known. `speaker` is `None` for the revision of an
    /// edit, which was permitted before.
    pub(super) fn store_thought(
        &mut self,
        thought: Thought,
        speaker: Option<&Speaker>,
        named: &[Named],
        now: Millis,
    ) -> CaptureOutcome {
        let nobody = Speaker::default();
        let contradicted: Vec<Contradicted> = named.iter().map(|older| older.of.clone()).collect();
        let is_revision = thought.supersedes.is_some();
        let fields = fields_of(&thought, now);
        let new = New {
            plan: Plan {
                id: &thought.id,
                supersedes: thought.supersedes.as_deref(),
                source: Some(&thought.source),
                named: &contradicted,
                speaker: speaker.unwrap_or(&nobody),
                waits: speaker.is_some_and(|speaker| self.project.config().requires_review(speaker)),
            },
            fields: &fields,
            // A revision may be a near duplicate of the record that it supersedes.
            is_compared: !is_revision && named.is_empty(),
            // An author who needs no review may revise a record with a near duplicate.
            meets_withheld: speaker.is_some_and(|speaker| !(is_revision && speaker.is_person())),
            encode: &|| text_of(encode(&thought)?),
        };
        let stored = self.store(Home::Captures, &new, now);
        let mut outcome = CaptureOutcome::of(thought);
        match stored {
            Ok(stored) => self.follow(stored, speaker, &mut outcome, now),
            Err(error) => {
                // The raw log is the truth: a record that is not in it is in no other tier either.
                outcome.tiers.openbrain.error = Some(not_stored(self.destinations.queue.path()));
                outcome.tiers.files.error = Some(error);
            }
        }
        outcome
    }

    /// Writes what follows a decision about a thought that is committed, and tells the outcome.
    fn follow(&mut self, stored: Stored, speaker: Option<&Speaker>, outcome: &mut CaptureOutcome, now: Millis) {
        outcome.captured = stored.record.is_some();
        outcome.deduped = stored.duplicate.is_some();
        outcome.similarity = stored.duplicate.as_ref().map(|known| known.similarity);
        let (lines, tiers) = (&stored.decision.lines, &mut outcome.tiers);
        let known = stored
            .duplicate
            .as_ref()
            .map(|known| clean(&known.line))
            .unwrap_or_default();
        match stored.decision.effect {
            Effect::Stored | Effect::Proposed => {
                tiers.hub.note(self.destinations.announce_rulings(lines, now));
                let is_first = self.stores.captures.journal_index.records() == 1;
                tiers.files.note(self.project.ensure_gitignore(is_first));
            }
            Effect::Known => {
                tiers
                    .openbrain
                    .note(self.queue_confirmation(known, stored.confirmed, now));
                know(known, &mut outcome.thought);
            }
            // The answer contains the given text, because proposed texts are not shown.
            Effect::Withheld(review) => {
                outcome.review = Some(review.into());
                outcome.thought.id = id_of(known);
            }
            Effect::Confirmed => {
                outcome.thought.id = id_of(known);
                match self.accept_captured(Home::Captures, known, speaker) {
                    Ok(()) => {
                        outcome.review = Some(ReviewOutcome::Accepted);
                        know(known, &mut outcome.thought);
                    }
                    Err(error) => tiers.files.error = Some(error),
                }
            }
        }
        if stored.decision.effect == Effect::Proposed {
            outcome.review = Some(ReviewOutcome::Proposed);
            return;
        }
        if let Some(record) = stored.record {
            let (queue, kind) = (&mut self.destinations, &outcome.thought.kind);
            tiers
                .files
                .note(queue.append_to_type_file(kind, record.line.as_bytes()));
            tiers
                .openbrain
                .note(queue.queue.push_thought(&record.text, record.mark, now).map(|_| ()));
            tiers.openbrain.note(queue.queue_rulings(lines, now));
            outcome.record = Some(record.text);
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
        self.destinations.queue.push_confirmation(line, &fields.id, now)
    }
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
        source_file: thought.hallmark.as_ref().map_or("", Hallmark::source_path).into(),
        at: thought.captured_at.as_str().into(),
        at_ms: now,
        expires_ms: thought.expires_at.as_deref().and_then(parse_iso),
        tags: thought.tags.iter().map(|tag| tag.as_str().into()).collect(),
        confidence: thought.confidence,
        supersedes: thought.supersedes.as_deref().map(Into::into),
        session: thought.session.as_deref().unwrap_or_default().into(),
        author: thought.author.as_deref().and_then(|name| Author::parse(name).ok()),
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

fn not_stored(queue: &std::path::Path) -> Error {
    Error::io("append to", queue)(std::io::Error::other("the record could not be appended to the raw log"))
}
