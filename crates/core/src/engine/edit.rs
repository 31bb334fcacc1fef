//! Edit and forget append a new revision or a tombstone to the log (event sourcing): nothing is changed in place.

use rustc_hash::FxHashSet;

use crate::clock::{Millis, format_iso, parse_iso};
use crate::engine::history::{History, RecordState, Revision, find_history};
use crate::engine::outcome::{ReviewOutcome, Tiers};
use crate::engine::replace::{Named, find_named};
use crate::engine::revised::Text;
use crate::engine::standing::record_with;
use crate::engine::writer::Writer;
use crate::error::{Error, Result};
use crate::journal::clean;
use crate::judgement::reason::Contradicted;
use crate::judgement::request::Change;
use crate::model::author::{Author, Speaker};
use crate::model::compose::{creator_of, stamp, stamp_pattern};
use crate::model::hallmark::Origin;
use crate::model::input::{
    CaptureInput, CheckedCapture, CheckedSave, EditInput, PERSONS_CONFIDENCE, SaveInput, check_facts,
};
use crate::model::limits::{
    BODY_BYTES_MAX, PATTERN_BYTES_MAX, check_category, check_confidence, check_expiry, check_kind, check_tags,
    check_text,
};
use crate::model::lineage::Lineages;
use crate::model::said::{Door, Said};
use crate::model::scope::{Home, Scope};
use crate::model::scrub::HIDDEN_TYPE;
use crate::model::thought::{
    DEFAULT_CREATOR, FORMAT_VERSION, Facts, Pattern, Thought, expiry_of, id_hash, id_of_line, new_id,
};
use crate::outbox::note_names;
use crate::project::backups::forget_in_backups;

impl Writer<'_> {
    /// Forgets a record, given the id of any of its revisions. Returns true if it existed. Every record that can be recalled can be
    /// forgotten: tombstones are the only lines ever written to the file of the older tool.
    ///
    /// # Errors
    /// `LOCKED` or `IO` when the tombstone cannot be stored, `PROPOSED` when the speaker may only ask for it.
    pub fn forget(&mut self, id: &str, speaker: &Speaker) -> Result<bool> {
        let Some((home, history)) = find_history(self.stores, id, self.project.now())? else {
            return Ok(false);
        };
        let (record, by) = (history.current(), self.who(speaker));
        if history.state() != RecordState::Forgotten && by.may_only_ask(history.said_by) {
            home.check_writable()?;
            self.rule(home, speaker.said(), |_| {
                Ok(by.asks([(record.id.clone(), Change::Forget)], ""))
            })?;
        }
        let _lock = self.stores.of_mut(home).journal.guard()?;
        let Some((home, history)) = find_history(self.stores, id, self.project.now())? else {
            return Ok(false);
        };
        let now = self.project.now();
        let id = history.current().id.clone();
        let revisions: Vec<String> = history.revisions().map(|(revision, _)| revision.id.clone()).collect();
        if history.state() == RecordState::Forgotten {
            forget_in_backups(&self.project.layout, &revisions.iter().cloned().collect())?;
            if home == Home::Captures && !self.destinations.queue.has_delete(&id)? {
                // The tombstone was written, but queueing the delete had failed.
                self.destinations.queue.push_delete(&id, now)?;
            }
            return Ok(false);
        }
        let covered = self.revisions_to_cover(home, &history)?;
        let tombstones = self.judge(home, speaker.said()).forget(&covered);
        self.commit(home, &tombstones)?;
        if home == Home::Captures {
            // A store may not know which revision supersedes which.
            let mut told: FxHashSet<&String> = FxHashSet::default();
            let gone = revisions.iter().chain(&covered).filter(|id| told.insert(id));
            self.destinations.queue.push_deletes(gone.map(String::as_str), now)?;
            let fields = format!("\"id\":{}", serde_json::Value::from(id));
            self.destinations.publish("memory-forgotten", &fields, now)?;
        }
        forget_in_backups(&self.project.layout, &revisions.iter().cloned().collect())?;
        Ok(true)
    }

    fn revisions_to_cover(&mut self, home: Home, history: &History) -> Result<Vec<String>> {
        let newest = history.current();
        if newest.supersedes.is_none() {
            return Ok(vec![newest.id.clone()]);
        }
        let mut lineages = Lineages::around(&newest.id);
        let journal = &mut self.stores.of_mut(home).journal;
        if let Some(state) = journal.look()? {
            journal.scan(0, state.len, &mut |line| lineages.take(line.bytes))?;
        }
        Ok(lineages.covered_by_forgetting())
    }

    /// Does what [`Writer::edit`] does, unless nothing would change: what a revision says is told once.
    ///
    /// # Errors
    /// `INVALID_INPUT` when nothing would change, and those of [`Writer::edit`].
    pub fn edit_by_change(&mut self, id: &str, changes: EditInput) -> Result<(Thought, Tiers)> {
        if let Some((home, history)) = find_history(self.stores, id, self.project.now())?
            && home.check_writable().is_ok()
            && self.is_unchanged(&history, &changes)?
        {
            let hint = "nothing was stored: the memory says so already; forge-memory show ID prints it";
            return Err(Error::invalid("changes", "expected at least one change").advised(hint));
        }
        self.edit(id, changes)
    }

    /// True of changes that leave a record as it is. The same text makes one current again that is not.
    fn is_unchanged(&self, history: &History, changes: &EditInput) -> Result<bool> {
        let old = history.current();
        let text = changes.body.as_ref().or(changes.content.as_ref());
        let given = [
            text.is_some(),
            changes.kind.is_some(),
            changes.tags.is_some(),
            changes.confidence.is_some(),
            changes.expires_at.is_some(),
        ];
        if history.state() != RecordState::Current && given.contains(&true) {
            return Ok(false);
        }
        Ok(text.is_none_or(|text| self.redacted(text.clone()) == old.text)
            && changes.kind.as_ref().is_none_or(|kind| *kind == old.kind)
            && changes.tags.as_ref().is_none_or(|tags| *tags == old.tags)
            && changes.confidence.is_none_or(|sure| sure == old.confidence)
            && changes
                .expires_at
                .as_deref()
                .is_none_or(|at| parse_iso(at).is_some() && parse_iso(at) == old.expires_ms)
            && self.facts_of(changes, old)? == old.facts)
    }

    /// Stores a new revision of a record and returns the outcome of each tier: once the raw log has the revision, the type file,
    /// the queue or the event may still have failed. A pattern comes back in the shape of a thought.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such record or it is forgotten, `INVALID_INPUT` when a change is wrong, `LOCKED`
    /// or `IO` when the revision cannot be stored, `UNSUPPORTED` for a record in a file that is only read.
    pub fn edit(&mut self, id: &str, mut changes: EditInput) -> Result<(Thought, Tiers)> {
        changes.body = changes.body.or(changes.content.take());
        let (home, _) = find_history(self.stores, id, self.project.now())?.ok_or_else(|| Error::no_memory(id))?;
        home.check_writable()?;
        let speaker = changes.speaker()?;
        if !speaker.is_person() && self.project.config().requires_review(&speaker) {
            return Err(self.propose(home, &[id.to_owned()], changes, &speaker)?);
        }
        note_names(self.project);
        // Of two concurrent edits the second must see the first, or both would be recalled.
        let _lock = self.stores.of_mut(home).journal.guard()?;
        let (home, history) = find_history(self.stores, id, self.project.now())?.ok_or_else(|| Error::no_memory(id))?;
        if history.state() == RecordState::Forgotten {
            return Err(Error::no_memory(id));
        }
        check_authority(history.said_by, changes.author.as_deref())?;
        let now = self.stores.of_mut(home).dated(self.project.now());
        let older = Some(history.current().id.clone()).filter(|_| !history.is_of_others(self.stores));
        match home {
            Home::Captures => self.edit_thought(&history, changes, older, now),
            Home::Patterns(scope) => Ok((
                self.edit_pattern(scope, &history, changes, older, now)?,
                Tiers::default(),
            )),
            Home::Legacy => Err(Error::no_memory(id)),
        }
    }

    /// Captures the first of some records, changed, as a proposal to supersede all of them. Returns the error that says so.
    pub(super) fn propose(
        &mut self,
        home: Home,
        ids: &[String],
        changes: EditInput,
        speaker: &Speaker,
    ) -> Result<Error> {
        let named = find_named(self.stores, ids, speaker, self.project.now())?;
        let found = ids
            .first()
            .map(|id| find_history(self.stores, id, self.project.now()))
            .transpose()?;
        let Some((_, history)) = found.flatten() else {
            return Ok(Error::no_memory(ids.first().map_or("", String::as_str)));
        };
        let old = history.current();
        let facts = changes.facts().or(&old.facts);
        let ids: Vec<String> = named.iter().map(|named| named.of.id.clone()).collect();
        let what = format!("a new text instead of {}", ids.join(", "));
        let (kind, tags) = (
            changes.kind.or(Some(old.kind.clone())),
            changes.tags.unwrap_or_else(|| old.tags.clone()),
        );
        let (body, confidence) = (
            changes.body.or(Some(old.text.clone())),
            changes.confidence.or(Some(old.confidence)),
        );
        let waiting = Speaker {
            waits: Some(true),
            ..speaker.clone()
        };
        let review = match home {
            Home::Captures => {
                let input = CaptureInput {
                    kind,
                    body,
                    tags,
                    confidence,
                    project: Some(old.project.clone()).filter(|name| !name.is_empty()),
                    source: Some(old.source.clone()).filter(|name| !name.is_empty()),
                    expires_at: changes.expires_at,
                    ..CaptureInput::default()
                }
                .with_facts(facts);
                let checked = CheckedCapture {
                    speaker: waiting,
                    supersedes: ids,
                    ..input.check()?
                };
                let mut outcome = self.capture(checked)?;
                if let Some(error) = outcome.tiers.files.error.take_if(|_| !outcome.captured) {
                    return Err(error);
                }
                outcome.review
            }
            Home::Patterns(scope) => {
                let input = SaveInput {
                    pattern: body,
                    category: kind,
                    confidence,
                    scope: Some(scope.name().to_owned()),
                    tags,
                    ..SaveInput::default()
                }
                .with_facts(facts);
                let saved = self.save(CheckedSave {
                    speaker: waiting,
                    ..input.check()?
                })?;
                let retire = |named: &Named| (named.of.id.clone(), Change::Retire(Some(saved.id.clone())));
                let by = self.who(speaker);
                // What could not be asked for can be asked for again: the proposal is there.
                let _ = self.rule(home, speaker.said(), |_| Ok(by.asks(named.iter().map(retire), "")));
                saved.review
            }
            Home::Legacy => return Ok(Error::no_memory(&old.id)),
        };
        Ok(Error::Proposed {
            what,
            is_rejected: review == Some(ReviewOutcome::Rejected),
        })
    }

    /// Brings a forgotten record back as a revision of what was forgotten: with its date and its history, and found by each of its ids. The
    /// tombstones stay, so that no copy elsewhere has to take them back. Returns the id of the revision.
    ///
    /// # Errors
    /// `LOCKED` or `IO`.
    pub(crate) fn restore(&mut self, home: Home, history: &History) -> Result<String> {
        let now = self.stores.of_mut(home).dated(self.project.now());
        let as_it_was = EditInput {
            confidence: Some(history.current().confidence),
            ..self.kept_by()
        };
        let revised = Some(history.current().id.clone());
        match home {
            Home::Patterns(scope) => Ok(self.edit_pattern(scope, history, as_it_was, revised, now)?.id),
            _ => {
                let expires_at = history.current().expires_ms.map(format_iso);
                let as_it_was = EditInput {
                    expires_at,
                    ..as_it_was
                };
                Ok(self.edit_thought(history, as_it_was, revised, now)?.0.id)
            }
        }
    }

    /// Notes of a revision of a forgotten record that it brings the record back: an edit that was made where it was not known to be forgotten
    /// does not, and is forgotten by a merge.
    fn lift(&mut self, home: Home, history: &History, id: &str, said: Said) -> Result<()> {
        if history.state() == RecordState::Forgotten {
            self.rule(home, said, |judge| Ok(vec![judge.restore(id)]))?;
        }
        Ok(())
    }

    /// Declares a revision compatible with what the record was compatible with.
    fn hold_as(&mut self, old: &str, id: &str, said: Said) -> Result<()> {
        let (store, key) = (&self.stores.captures, id_hash(old));
        let held = store.journal_index.standings().held_with(&key);
        let others = held.filter_map(|other| record_with(store, other));
        let others: Vec<String> = others.map(|line| id_of_line(clean(&line))).collect();
        for other in others {
            self.rule(Home::Captures, said, |judge| Ok(judge.hold(&other, id)))?;
        }
        Ok(())
    }

    /// Returns the change of a record that a person keeps, which is theirs then; one that others keep, or that comes back by an undo, stays its
    /// author's.
    fn kept_by(&self) -> EditInput {
        let vouches = self.speaker.is_person() && self.speaker.door != Some(Door::Undo);
        let author = self.speaker.author.filter(|_| vouches);
        EditInput {
            author: author.map(|author| author.name().to_owned()),
            door: self.speaker.door,
            ..EditInput::default()
        }
    }

    fn edit_thought(
        &mut self,
        history: &History,
        changes: EditInput,
        supersedes: Option<String>,
        now: Millis,
    ) -> Result<(Thought, Tiers)> {
        let old = history.current();
        let facts = self.facts_of(&changes, old)?;
        let (author, said) = voice_of(&changes, old)?;
        let confidence = confidence_of(&changes, old)?;
        let kind = changes
            .kind
            .map(|kind| check_kind("type", Some(kind)))
            .transpose()?
            .map(|kind| {
                self.project
                    .redactor()
                    .name(kind)
                    .unwrap_or_else(|| HIDDEN_TYPE.to_owned())
            })
            .unwrap_or(old.kind.clone());
        let given_expiry = changes.expires_at.as_deref().map(check_expiry).transpose()?;
        let mut thought = Thought {
            version: FORMAT_VERSION,
            id: new_id(now),
            content: match changes.body {
                Some(body) => self.redacted(check_text("body", Some(body), BODY_BYTES_MAX)?),
                None => old.text.clone(),
            },
            project: if old.project.is_empty() {
                self.project.name()
            } else {
                old.project.clone()
            },
            source: if old.source.is_empty() {
                old.author.unwrap_or(Author::Agent).source().into()
            } else {
                old.source.clone()
            },
            created_by: creator_of(author.unwrap_or(Author::Agent)),
            from: old.came_from.from.clone(),
            captured_at: format_iso(made_at(history, now)),
            expires_at: given_expiry.or_else(|| later_expiry(old, &kind, now)).map(format_iso),
            tags: changes
                .tags
                .map(check_tags)
                .transpose()?
                .map_or_else(|| old.tags.clone(), |tags| self.all_redacted(tags)),
            confidence,
            supersedes,
            is_edit: true,
            session: old.session.clone(),
            author: author.map(|author| author.name().to_owned()),
            said: Said { author, ..said },
            kind,
            ..Thought::default()
        }
        .with_facts(facts);
        stamp(&mut thought, None, Origin::default());
        // A record of others is retired by a record of its own: a revision is forgotten with all that it revises.
        let retired = history.is_of_others(self.stores) && history.state() != RecordState::Forgotten;
        let named = retired.then(|| Named {
            of: Contradicted {
                text: old.text.clone(),
                ..Contradicted::superseded(old.id.clone())
            },
            home: Home::Captures,
            is_of_others: true,
        });
        let text = Text::beside(history, &thought);
        let mut outcome = self.store_thought(thought, None, named.as_slice(), text, now);
        if outcome.captured && !outcome.deduped {
            self.lift(Home::Captures, history, &outcome.thought.id, outcome.thought.said)?;
            if text == Text::Same {
                self.hold_as(&old.id, &outcome.thought.id, outcome.thought.said)?;
            }
        }
        self.destinations.announce("memory-edited", &mut outcome, now);
        match outcome.tiers.files.error.take_if(|_| !outcome.captured) {
            Some(error) => Err(error),
            None => Ok((outcome.thought, outcome.tiers)),
        }
    }

    fn edit_pattern(
        &mut self,
        scope: Scope,
        history: &History,
        changes: EditInput,
        supersedes: Option<String>,
        now: Millis,
    ) -> Result<Thought> {
        let old = history.current();
        if changes.expires_at.is_some() {
            return Err(Error::invalid("expiresAt", "patterns do not expire"));
        }
        let facts = self.facts_of(&changes, old)?;
        let (author, said) = voice_of(&changes, old)?;
        let confidence = confidence_of(&changes, old)?;
        let mut pattern = Pattern {
            id: new_id(now),
            timestamp: format_iso(made_at(history, now)),
            pattern: match changes.body {
                Some(body) => self.redacted(check_text("body", Some(body), PATTERN_BYTES_MAX)?),
                None => old.text.clone(),
            },
            category: changes
                .kind
                .map(|kind| check_category("type", Some(kind)))
                .transpose()?
                .unwrap_or(old.kind.clone()),
            confidence,
            version: FORMAT_VERSION,
            tags: changes
                .tags
                .map(check_tags)
                .transpose()?
                .map_or_else(|| old.tags.clone(), |tags| self.all_redacted(tags)),
            supersedes,
            from: old.came_from.from.clone(),
            is_edit: true,
            author: author.map(|author| author.name().to_owned()),
            said: Said { author, ..said },
            ..Pattern::default()
        }
        .with_facts(facts);
        stamp_pattern(&mut pattern);
        self.store_pattern(scope, &pattern, None, now)?;
        self.lift(Home::Patterns(scope), history, &pattern.id, pattern.said)?;
        Ok(self.thought_of(pattern))
    }

    fn thought_of(&self, pattern: Pattern) -> Thought {
        let facts = pattern.facts();
        Thought {
            version: pattern.version,
            id: pattern.id,
            content: pattern.pattern,
            project: self.project.name(),
            kind: pattern.category,
            source: "memory_save".into(),
            created_by: DEFAULT_CREATOR.to_owned(),
            captured_at: pattern.timestamp,
            tags: pattern.tags,
            confidence: pattern.confidence,
            supersedes: pattern.supersedes,
            is_edit: pattern.is_edit,
            author: pattern.author,
            said: pattern.said,
            hallmark: pattern.hallmark,
            ..Thought::default()
        }
        .with_facts(facts)
    }

    /// Returns the facts of a revision: those that change, and the others as they are.
    fn facts_of(&self, changes: &EditInput, old: &Revision) -> Result<Facts> {
        let changed = self.project.redactor().facts(check_facts(changes.facts())?);
        Ok(changed.or(&old.facts))
    }

    fn all_redacted(&self, texts: Vec<String>) -> Vec<String> {
        texts.into_iter().map(|text| self.redacted(text)).collect()
    }

    fn redacted(&self, text: String) -> String {
        self.project.redactor().text(text)
    }
}

/// Returns whose a revision is, and who says it: the author of what it revises, when the speaker names none.
fn voice_of(changes: &EditInput, old: &Revision) -> Result<(Option<Author>, Said)> {
    let speaker = changes.speaker()?;
    let author = speaker.author.or(old.author);
    let said = Said {
        author,
        ..speaker.said()
    };
    Ok((author, said))
}

/// Returns the confidence of a revision: what a person edits is as sure as what they say.
fn confidence_of(changes: &EditInput, old: &Revision) -> Result<f64> {
    if let Some(given) = changes.confidence {
        return check_confidence(Some(given));
    }
    let is_persons = changes.author.as_deref() == Some(Author::Person.name());
    Ok(if is_persons {
        old.confidence.max(PERSONS_CONFIDENCE)
    } else {
        old.confidence
    })
}

/// Returns when a revision expires: its lifetime begins anew, and is not shorter than that of what it revises.
fn later_expiry(old: &Revision, kind: &str, now: Millis) -> Option<Millis> {
    let renewed = expiry_of(kind, now)?;
    match old.expires_ms {
        Some(expires) if old.kind == kind => Some(renewed.max(expires)),
        None if old.kind == kind => None,
        _ => Some(renewed),
    }
}

/// Refuses to replace the record of a person for anybody else than a person.
fn check_authority(said_by: Option<Author>, author: Option<&str>) -> Result<()> {
    let is_persons = said_by == Some(Author::Person);
    if !is_persons || author.is_none_or(|author| author == Author::Person.name()) {
        return Ok(());
    }
    Err(Error::invalid(
        "author",
        "a person said this, so only a person edits it; capture the new text with supersedes instead, and both are shown",
    ))
}

/// A revision is new; what was forgotten is as old as it was.
fn made_at(history: &History, now: Millis) -> Millis {
    if history.state() == RecordState::Forgotten {
        history.current().created_ms
    } else {
        now
    }
}
