//! The write path of a capture: check, redact, stamp, deduplicate, then the files, the queue, the event, the telemetry.

use crate::clock::{Millis, format_iso, parse_iso};
use crate::engine::acceptance::{accept_capture, proposal_of, why_accepted};
use crate::engine::destinations::Destinations;
use crate::engine::judge::Reason;
use crate::engine::judge::{Contradicted, SUPERSEDES, find_contradicted, rulings_on};
use crate::engine::named::Named;
use crate::engine::outcome::{CaptureOutcome, ReviewOutcome};
use crate::engine::standing::{lines_of, take_in};
use crate::error::{Error, FileError, Result};
use crate::index::dedup::{Duplicate, find_duplicate_in, find_under_names, find_withheld_duplicate};
use crate::index::{Entry, Store};
use crate::journal::{Span, clean};
use crate::judgement::standing::Review;
use crate::model::author::{Author, Speaker};
use crate::model::encode::{encode, text_of};
use crate::model::hallmark::Origin;
use crate::model::input::CheckedCapture;
use crate::model::scrub::{HIDDEN_TYPE, Redactor};
use crate::model::thought::{
    ActionKind, DEFAULT_CREATOR, FORMAT_VERSION, Fields, HALLMARK_VERSION, Hallmark, LineKind, Ruling, Thought,
    action_line, check_source, expiry_of, id_hash, new_id, read_line, thought_hash,
};
use crate::outbox::queue::marked;
use crate::project::Project;

/// The minimum interval between two confirmations of one record that are sent to the shared store; at least a 24th of its lifetime.
const CONFIRMED_AGAIN_MS: Millis = 60 * 60 * 1000;
const CONFIRMED_SHARE: Millis = 24;

/// The write path of captures: the raw log, followed by the other destinations.
pub(crate) struct Recorder<'m> {
    project: &'m mut Project,
    captures: &'m mut Store,
    destinations: &'m mut Destinations,
}

impl<'m> Recorder<'m> {
    /// Returns the write path of captures.
    pub fn new(project: &'m mut Project, captures: &'m mut Store, destinations: &'m mut Destinations) -> Self {
        Recorder {
            project,
            captures,
            destinations,
        }
    }

    /// Captures a thought that replaces the named ones. A tier that fails does not stop the next one; the outcome reports it.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong; nothing is written then.
    pub fn capture(&mut self, mut checked: CheckedCapture, named: &[Named]) -> Result<CaptureOutcome> {
        let clock = self.project.now();
        let now = self.captures.dated(clock);
        let origin = std::mem::take(&mut checked.origin)
            .resolve(self.project.layout.disk().as_ref(), self.project.layout.project_dir())?;
        let mut redactor = self.project.redactor();
        let speaker = checked.speaker.clone();
        let tool = checked.tool.take().map(|tool| redactor.text(tool));
        checked.tool.clone_from(&tool);
        let (mut thought, source_problem) = self.compose(checked, redactor.origin(origin), now, &mut redactor);
        let replaced = named.iter().find(|older| !older.is_protected && !older.is_of_others);
        link(&mut thought, replaced.map(|older| older.id.clone()));
        let redactions = redactor.count;
        // One lock around all of it, so that all files have the same order of lines. When it times out, each tier reports that.
        let capture_lock = self.project.layout.capture_lock().clone();
        let lock = capture_lock.guard().map_err(Error::from);
        let mut outcome = match &lock {
            Err(error @ Error::File(FileError::Locked { .. })) => return Ok(CaptureOutcome::refused(thought, error)),
            _ => self.store(thought, Some(&speaker), named, now),
        };
        outcome.source_problem = source_problem;
        outcome.clock_behind_ms = Some(now - clock).filter(|behind| *behind > 0);
        outcome.redactions = redactions;
        let config = &self.project.config().settings;
        let (events_bytes, telemetry_bytes) = (config.limits.events_bytes, config.limits.telemetry_bytes);
        // Proposed records are not announced.
        if outcome.review.is_none_or(|review| review == ReviewOutcome::Accepted) {
            self.destinations
                .announce("memory-captured", &mut outcome, now, events_bytes);
        }
        self.destinations
            .count(&mut outcome, tool.as_deref(), now, telemetry_bytes);
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
        let mut thought = Thought {
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
            supersedes: None,
            session: input.session,
            author: input.speaker.author.map(|author| author.name().to_owned()),
            hallmark: None,
            source,
        };
        stamp(&mut thought, input.tool.as_deref(), origin);
        (thought, problem)
    }

    /// Deduplicates and appends to the raw log under one lock, then to the type's file and the queue.
    /// `speaker` is `None` for the revision of an edit, which was permitted before.
    pub fn store(
        &mut self,
        thought: Thought,
        speaker: Option<&Speaker>,
        named: &[Named],
        now: Millis,
    ) -> CaptureOutcome {
        let mut outcome = CaptureOutcome::of(thought);
        let (line, record, mark, rulings) = match self.append_unless_known(&mut outcome.thought, speaker, named, now) {
            Ok(Stored::Appended {
                line,
                record,
                mark,
                contradicted,
                rulings,
            }) => {
                (outcome.retired, outcome.conflicts) = contradicted.into_iter().partition(|older| older.is_retired);
                (line, record, mark, rulings)
            }
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
            Ok(Stored::Proposed) => {
                outcome.captured = true;
                outcome.review = Some(ReviewOutcome::Proposed);
                let is_first = self.captures.journal_index.records() == 1;
                outcome.tiers.files.note(self.project.ensure_gitignore(is_first));
                let rulings = proposal_of(&outcome.thought.id, &[], None, "", now);
                let limit = self.project.config().settings.limits.events_bytes;
                outcome
                    .tiers
                    .hub
                    .note(self.destinations.announce_rulings(&rulings, now, limit));
                return outcome;
            }
            Ok(Stored::Withheld(duplicate)) => {
                let speaker = speaker.cloned().unwrap_or_default();
                return self.meet_withheld(&duplicate, &speaker, outcome);
            }
            Err(error) => {
                // The raw log is the truth: a record that is not in it is in no other tier either.
                outcome.tiers.openbrain.error = Some(not_stored(self.destinations.queue.path()));
                outcome.tiers.files.error = Some(error);
                return outcome;
            }
        };
        outcome.captured = true;
        self.tell(&mut outcome, named, &rulings, now);
        let is_first = self.captures.journal_index.records() == 1;
        outcome.tiers.files.note(self.project.ensure_gitignore(is_first));
        outcome.tiers.files.note(
            self.destinations
                .append_to_type_file(&outcome.thought.kind, line.as_bytes()),
        );
        outcome
            .tiers
            .openbrain
            .note(self.destinations.queue.push_thought(&record, mark, now).map(|_| ()));
        outcome
            .tiers
            .openbrain
            .note(self.destinations.queue.push_rulings(&rulings, now));
        outcome.record = Some(record);
        outcome
    }

    /// Handles a capture of a text that is proposed or rejected. A repetition by the same session is no evidence, but a capture by an
    /// independent one is.
    fn meet_withheld(
        &mut self,
        duplicate: &Duplicate,
        speaker: &Speaker,
        mut outcome: CaptureOutcome,
    ) -> CaptureOutcome {
        outcome.deduped = true;
        outcome.similarity = Some(duplicate.similarity);
        // The answer contains the given text, because proposed texts are not shown.
        outcome.thought.id = id_of(duplicate).unwrap_or_default();
        let why = self.why_accepted(&outcome.thought.id, speaker);
        let is_rejected = matches!(self.review_of(&outcome.thought.id), Review::Rejected(_));
        let Some(why) = why else {
            outcome.review = Some(match is_rejected {
                true => ReviewOutcome::Rejected,
                false => ReviewOutcome::Proposed,
            });
            return outcome;
        };
        let session = speaker.session.as_deref();
        match accept_capture(
            self.project,
            self.captures,
            self.destinations,
            &duplicate.line,
            session,
            why,
        ) {
            Ok(_) => {
                outcome.review = Some(ReviewOutcome::Accepted);
                outcome.thought = known_thought(duplicate, outcome.thought);
            }
            Err(error) => outcome.tiers.files.error = Some(error),
        }
        outcome
    }

    /// Returns the reason for which a proposed or rejected record is accepted because of this speaker; `None` when it is not.
    fn why_accepted(&self, id: &str, speaker: &Speaker) -> Option<&'static str> {
        let is_covered = self.project.config().requires_review(speaker);
        why_accepted(
            (&self.captures.journal, &self.captures.journal_index),
            id,
            speaker,
            is_covered,
        )
    }

    fn review_of(&self, id: &str) -> Review {
        self.captures.journal_index.standings().review_of(&id_hash(id), None)
    }

    /// Puts the rulings on other records into the event file, and the record that the new one names into the outcome.
    fn tell(&mut self, outcome: &mut CaptureOutcome, named: &[Named], rulings: &[Ruling], now: Millis) {
        let limit = self.project.config().settings.limits.events_bytes;
        outcome
            .tiers
            .hub
            .note(self.destinations.announce_rulings(rulings, now, limit));
        if let Some(id) = outcome.thought.supersedes.clone() {
            let text = named
                .iter()
                .find(|older| older.id == id)
                .map(|older| older.text.clone());
            let named = Contradicted {
                id,
                text: text.unwrap_or_default(),
                why: Reason::of(SUPERSEDES),
                is_retired: true,
            };
            outcome.retired.insert(0, named);
        }
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
        self.destinations.queue.push_confirmation(line, &fields.id, now)
    }

    fn append_unless_known(
        &mut self,
        thought: &mut Thought,
        speaker: Option<&Speaker>,
        named: &[Named],
        now: Millis,
    ) -> Result<Stored> {
        let config = self.project.config();
        let proposer = speaker.filter(|speaker| config.requires_review(speaker));
        if proposer.is_some() {
            // A proposal must not hide anything.
            link(thought, None);
        }
        // An author who needs no review may revise a record with a near duplicate.
        let is_revision = thought.supersedes.is_some() && speaker.is_some_and(Speaker::is_person);
        let said = Said {
            named,
            proposer,
            looks_for_withheld: speaker.is_some() && !is_revision,
        };
        let thought = &*thought;
        let fields = fields_of(thought, now);
        let mut words = std::mem::take(&mut self.captures.words);
        words.take_words(&fields, self.captures.journal_index.family());
        let outcome = self.append_words_unless_known(thought, &mut words, &fields, &said, now);
        self.captures.words = words;
        outcome
    }

    fn append_words_unless_known(
        &mut self,
        thought: &Thought,
        words: &mut Entry,
        fields: &Fields<'_>,
        said: &Said<'_>,
        now: Millis,
    ) -> Result<Stored> {
        let names = self.project.other_names(&thought.project);
        let threshold = self.project.config().settings.dedup_threshold();
        let (mut held, journal_index) = self.captures.hold_for_lookup(now)?;
        // A revision may be a near duplicate of the record that it supersedes.
        let known = match thought.supersedes.is_some() || !said.named.is_empty() {
            true => None,
            false => find_under_names(&names, words, fields, journal_index.family(), |words, fields| {
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
        if said.looks_for_withheld {
            let withheld = find_under_names(&names, words, fields, journal_index.family(), |words, fields| {
                find_withheld_duplicate(journal_index, held.journal(), words, fields, threshold)
            })?;
            if let Some(duplicate) = withheld {
                return Ok(Stored::Withheld(duplicate));
            }
        }
        if let Some(speaker) = said.proposer {
            let who = speaker.author.unwrap_or(Author::Agent).name();
            let rulings = proposal_of(&thought.id, said.named, speaker.session.as_deref(), who, now);
            let line = text_of(encode(thought)?)?;
            let mark = self.project.marks.of_record(line.as_bytes()).ok();
            let line = marked(&line, mark.as_deref());
            let lines = lines_of(&rulings, Some(&self.project.marks));
            let before = lines.concat();
            let span = held.append_lines([before.as_str(), &line, "\n"].concat().as_bytes())?;
            take_in(journal_index, &held, span.offset, (&rulings, &lines), now);
            let own = Span {
                offset: span.offset + before.len() as u64,
                len: line.len() as u64 + 1,
            };
            journal_index.append(words, now, own, line.as_bytes(), held.state().id);
            return Ok(Stored::Proposed);
        }
        let mut contradicted = find_contradicted(&mut held, journal_index, words, fields, &names, now)?;
        contradicted.retain(|older| said.named.iter().all(|named| named.id != older.id));
        let also = said
            .named
            .iter()
            .filter(|named| thought.supersedes.as_ref() != Some(&named.id));
        contradicted.splice(0..0, also.map(Named::as_contradicted));
        let record = text_of(encode(thought)?)?;
        let mark = self.project.marks.of_record(record.as_bytes());
        let line = marked(&record, mark.as_deref().ok()) + "\n";
        // One write: a record that retires another is never stored without the line that says so, but for a torn tail.
        let mut rulings = rulings_on(&contradicted, &thought.id, now);
        // Whoever kept a record by a clock that is ahead did so before it was named.
        for ruling in rulings.iter_mut().filter(|ruling| ruling.why == SUPERSEDES) {
            let latest = journal_index.standings().latest(&id_hash(&ruling.id));
            ruling.at_ms = latest.map_or(now, |latest| now.max(latest + 1));
        }
        let lines = lines_of(&rulings, Some(&self.project.marks));
        let span = match rulings.is_empty() {
            true => held.append_lines(line.as_bytes())?,
            false => held.append_lines([line.as_str(), &lines.concat()].concat().as_bytes())?,
        };
        let own = Span {
            offset: span.offset,
            len: line.len() as u64,
        };
        journal_index.append(words, now, own, line.trim_end().as_bytes(), held.state().id);
        take_in(journal_index, &held, own.offset + own.len, (&rulings, &lines), now);
        Ok(Stored::Appended {
            line,
            record,
            mark,
            contradicted,
            rulings,
        })
    }
}

enum Stored {
    Appended {
        /// The line, with its mark and its end.
        line: String,
        /// The record in it.
        record: String,
        mark: Result<String>,
        contradicted: Vec<Contradicted>,
        /// The rulings on them.
        rulings: Vec<Ruling>,
    },
    /// The record that is known, and when it was confirmed before.
    Known(Duplicate, Millis),
    /// It is proposed.
    Proposed,
    /// A duplicate is proposed or was rejected.
    Withheld(Duplicate),
}

/// The rest of a capture, beside its text.
struct Said<'s> {
    /// The records that it replaces.
    named: &'s [Named],
    /// The speaker, when the record is only proposed.
    proposer: Option<&'s Speaker>,
    looks_for_withheld: bool,
}

/// Sets the record that a thought supersedes.
fn link(thought: &mut Thought, older: Option<String>) {
    if thought.supersedes == older {
        return;
    }
    thought.supersedes = older;
    if let Some(hallmark) = &mut thought.hallmark {
        hallmark.content_hash = None;
    }
    let hash = thought_hash(thought);
    if let Some(hallmark) = &mut thought.hallmark {
        hallmark.content_hash = Some(hash);
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

fn id_of(duplicate: &Duplicate) -> Option<String> {
    match read_line(clean(&duplicate.line)) {
        LineKind::Record(fields) => Some(fields.id.into_owned()),
        _ => None,
    }
}

/// The stored thought; fields that an older line lacks come from the given one.
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
