//! Captures: the plan of one (redacted, stamped), which the writer has decided and committed, and its outcome.

use crate::clock::Millis;
use crate::engine::outcome::{CaptureOutcome, ReviewOutcome};
use crate::engine::replace::{Named, find_named};
use crate::engine::revised::Text;
use crate::engine::writer::{New, Writer, worth_of};
use crate::error::{Error, FileError, Result};
use crate::judgement::decide::Plan;
use crate::judgement::reason::Contradicted;
use crate::model::author::{Author, Speaker};
use crate::model::compose::{compose, fields_of};
use crate::model::encode::text_of;
use crate::model::input::CheckedCapture;
use crate::model::scope::Home;
use crate::model::thought::{NEVER, Thought, id_hash};

impl Writer<'_> {
    /// Captures a thought that replaces those that it names. A tier that fails does not stop the next one; the outcome reports it.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the input is wrong, `NOT_FOUND` when it supersedes a record that is not there; nothing is written then.
    pub(crate) fn capture(&mut self, mut checked: CheckedCapture) -> Result<CaptureOutcome> {
        let (speaker, is_announced) = (checked.speaker.clone(), !checked.unannounced);
        let ids = std::mem::take(&mut checked.supersedes);
        // What a person's words replace, the rules of truth find in them; the ids are the agent's who quotes them.
        let names = if checked.is_quoted {
            speaker.clone().by(Author::Agent)
        } else {
            speaker.clone()
        };
        let named = find_named(self.stores, &ids, &names, self.project.now())?;
        let is_own = |named: &Named| named.home == Home::Captures && !checked.is_quoted;
        let (named, others): (Vec<Named>, Vec<Named>) = named.into_iter().partition(is_own);
        let clock = self.project.now();
        let now = self.stores.captures.dated(clock);
        let mut redactor = self.project.redactor();
        // A proposal must not hide anything.
        let revised = named.iter().find(|older| older.of.is_retired && !older.is_of_others);
        let revised = revised.filter(|_| !self.who(&speaker).waits);
        let revised = revised.map(|older| older.of.id.clone());
        let (name, layout) = (self.project.name(), &self.project.layout);
        let project = (name, layout.disk().as_ref(), layout.project_dir());
        let checked = CheckedCapture {
            project: checked.project.map(|name| self.project.stored_as(name)),
            ..checked
        };
        let composed = compose(checked, revised, project, &mut redactor, now)?;
        let thought = composed.thought;
        // One lock around all of it, so that all files have the same order of lines. When it times out, each tier reports that.
        let capture_lock = self.project.layout.capture_lock().clone();
        let lock = capture_lock.guard().map_err(Error::from);
        let mut outcome = match &lock {
            Err(error @ Error::File(FileError::Locked { .. })) => return Ok(CaptureOutcome::refused(thought, error)),
            _ => self.store_thought(thought, Some(&speaker), &named, Text::New, now),
        };
        outcome.source_problem = composed.source_problem;
        outcome.clock_behind_ms = Some(now - clock).filter(|behind| *behind > 0);
        outcome.redactions = redactor.count;
        // Proposed records are not announced.
        if is_announced && outcome.review.is_none_or(|review| review == ReviewOutcome::Accepted) {
            self.destinations.announce("memory-captured", &mut outcome, now);
        }
        self.destinations.count(&mut outcome, composed.tool.as_deref(), now);
        drop(lock);
        if outcome.captured && outcome.review.is_none() && !others.is_empty() {
            let ids = others.into_iter().map(|older| older.of.id).collect();
            let by = Some(outcome.thought.id.clone());
            match self.replace(ids, by, None, &names) {
                Ok(replaced) => {
                    outcome.retired.extend(replaced.retired);
                    outcome.conflicts.extend(replaced.conflicts);
                }
                Err(error) => outcome.tiers.files.note(Err(error)),
            }
        }
        Ok(outcome)
    }

    /// Stores a thought in the raw log, in the file of its type and in the queue, unless it is known. `speaker` is `None` for the revision of an
    /// edit, which was permitted before, and for a forgotten record that comes back.
    pub(super) fn store_thought(
        &mut self,
        thought: Thought,
        speaker: Option<&Speaker>,
        named: &[Named],
        text: Text,
        now: Millis,
    ) -> CaptureOutcome {
        let contradicted: Vec<Contradicted> = named.iter().map(|older| older.of.clone()).collect();
        let is_revision = thought.supersedes.is_some();
        let fields = fields_of(&thought, now);
        let new = New {
            plan: Plan {
                id: &thought.id,
                supersedes: thought.supersedes.as_deref(),
                source: Some(&thought.source),
                named: &contradicted,
                by: speaker.map(|speaker| self.who(speaker)),
                worth: worth_of(&fields),
            },
            fields: &fields,
            // A revision may be a near duplicate of the record that it supersedes, unless that one is forgotten.
            is_compared: named.is_empty() && (!is_revision || self.is_back(&thought)),
            text,
            // An author who needs no review may revise a record with a near duplicate.
            meets_withheld: speaker.is_some_and(|speaker| !(is_revision && speaker.is_person())),
            encode: &|| text_of(&thought),
        };
        let stored = self.store(Home::Captures, &new, now);
        let mut outcome = CaptureOutcome::of(thought);
        if stored.as_ref().is_ok_and(|stored| stored.record.is_some()) {
            let is_first = self.stores.captures.journal_index.records() == 1;
            outcome.tiers.files.note(self.project.ensure_gitignore(is_first));
        }
        self.destinations.follow(stored, &mut outcome, now);
        outcome
    }

    /// True of a forgotten record that comes back, possibly beside one that says the same by now.
    fn is_back(&self, thought: &Thought) -> bool {
        let index = &self.stores.captures.journal_index;
        let older = thought.supersedes.as_deref().filter(|_| thought.is_edit);
        let older = older.and_then(|id| index.find_id(id_hash(id)));
        older.is_some_and(|place| index.gone_and_confirmed(place).0 != NEVER)
    }
}
