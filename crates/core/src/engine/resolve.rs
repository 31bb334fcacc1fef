//! Decisions of a person or an agent about records that are retired or in conflict: lines at the end of the journal, as all that happens to a
//! record.

use crate::clock::Millis;
use crate::engine::conflicts::{ConflictPair, list_conflicts};
use crate::engine::destinations::Destinations;
use crate::engine::edit::Editor;
use crate::engine::history::{History, RecordState, find_history};
use crate::engine::judge::{WHY_MERGED, WHY_RESOLVED};
use crate::engine::request::{Change, Request, ask, may_only_ask};
use crate::engine::standing::{append_rulings, record_with};
use crate::error::{Error, Result};
use crate::index::Stores;
use crate::journal::clean;
use crate::judgement::decide::Judge;
use crate::judgement::standing::Review;
use crate::judgement::state::State;
use crate::model::author::{Author, Speaker};
use crate::model::input::EditInput;
use crate::model::scope::Home;
use crate::model::thought::{Ruling, RulingKind, id_hash};
use crate::project::Project;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A decision about two records that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The newer one holds; the older one is retired.
    Newer,
    /// The older one holds; the newer one is retired.
    Older,
    /// Both are true: they are not in conflict.
    Both,
    /// This text takes the place of both.
    Merge(String),
}

/// The decision about a conflict of two records.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConflictResolution {
    /// The id of one of the records.
    #[schemars(length(min = 1))]
    pub id: String,
    /// The id of the other one.
    #[schemars(length(min = 1))]
    pub with: String,
    /// Which one is right; both: they do not contradict each other; merge: a new text replaces both.
    pub holds: Holds,
    /// The new text; with merge only.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
}

/// Which of two records that contradict each other holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// The one that was captured later.
    Newer,
    /// The one that was captured earlier.
    Older,
    /// Both.
    Both,
    /// A text that replaces both.
    Merge,
}

impl Resolution {
    /// Returns a resolution; a merge has a text.
    ///
    /// # Errors
    /// `INVALID_INPUT` when a text is missing or not wanted.
    pub fn of(holds: Holds, text: Option<String>) -> Result<Self> {
        match (holds, text) {
            (Holds::Newer, None) => Ok(Resolution::Newer),
            (Holds::Older, None) => Ok(Resolution::Older),
            (Holds::Both, None) => Ok(Resolution::Both),
            (Holds::Merge, Some(text)) => Ok(Resolution::Merge(text)),
            (Holds::Merge, None) => Err(Error::invalid("text", "is required: the text that replaces both")),
            (_, Some(_)) => Err(Error::invalid("text", "only a merge takes a text")),
        }
    }
}

/// The outcome of `keepMemory`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "KeepOutcome")]
pub struct Kept {
    /// False when the record was current already.
    pub kept: bool,
    /// The id of the current record: another one when the kept one was superseded or forgotten.
    pub id: String,
}

/// The outcome of `resolveConflict`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ResolveOutcome")]
pub struct Resolved {
    /// The ids of the records that are now current.
    pub current: Vec<String>,
    /// The ids of the records that are now retired.
    pub retired: Vec<String>,
}

/// The write path of decisions.
pub struct Resolver<'m> {
    pub(super) project: &'m mut Project,
    pub(super) stores: &'m mut Stores,
    destinations: &'m mut Destinations,
    pub(super) speaker: Speaker,
}

impl<'m> Resolver<'m> {
    /// Returns the write path of decisions.
    pub(crate) fn new(project: &'m mut Project, stores: &'m mut Stores, destinations: &'m mut Destinations) -> Self {
        Resolver {
            project,
            stores,
            destinations,
            speaker: Speaker::person(),
        }
    }

    /// Sets who decides, a person when it is not set: also the author of a merged text.
    #[must_use]
    pub fn by(mut self, speaker: Speaker) -> Self {
        self.speaker = speaker;
        self
    }

    /// Makes a record current again that was retired or forgotten. A revision that another one has replaced comes back as a new revision, and
    /// a forgotten record under a new id.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such record, or a compaction has removed it, `INVALID_INPUT` when it has expired, `PROPOSED` when the
    /// speaker may only ask for it, `LOCKED` or `IO`.
    pub fn keep(&mut self, id: &str) -> Result<Kept> {
        let found = find_history(self.stores, id, self.project.now())?;
        let (home, history) = found.ok_or_else(|| Error::no_memory(id))?;
        home.check_writable()?;
        if may_only_ask(self.project, &self.speaker, None) {
            let meant = history
                .revisions()
                .map(|(revision, _)| &revision.id)
                .find(|known| is_meant(known, id));
            let of = meant.unwrap_or(&history.current().id);
            return Err(self.ask(home, vec![(of.clone(), Change::Keep)], ""));
        }
        let _lock = self.stores.of_mut(home).journal.guard()?;
        let now = self.project.now();
        let current = history.current();
        let named = history
            .revisions()
            .map(|(revision, _)| revision)
            .find(|revision| is_meant(&revision.id, id));
        if let Some(older) = named.filter(|older| older.id != current.id) {
            let changes = EditInput {
                body: Some(older.text.clone()),
                kind: Some(older.kind.clone()),
                tags: Some(older.tags.clone()),
                author: Some(Author::Person.name().to_owned()),
                ..EditInput::default()
            };
            let (thought, _) = self.editor().edit(&current.id, changes)?;
            return Ok(Kept {
                kept: true,
                id: thought.id,
            });
        }
        match history.state() {
            // This machine may not know of a retirement by another one.
            RecordState::Retired | RecordState::Current if history.is_fetched || history.retired.is_some() => {
                let kept = self.judge(home, now).keep([current.id.as_str()]);
                self.append(home, &kept, now)?;
            }
            RecordState::Forgotten => {
                return Ok(Kept {
                    kept: true,
                    id: self.editor().restore(home, &history)?,
                });
            }
            RecordState::Expired => {
                return Err(Error::invalid(
                    "id",
                    format!("{} has expired: capture it again", current.id),
                ));
            }
            _ => {
                return Ok(Kept {
                    kept: false,
                    id: current.id.clone(),
                });
            }
        }
        Ok(Kept {
            kept: true,
            id: current.id.clone(),
        })
    }

    /// Lists the undecided conflicts, the newest first.
    pub fn conflicts(&mut self) -> Vec<ConflictPair> {
        list_conflicts(self.stores, self.project.now())
    }

    /// Settles a conflict of two records.
    ///
    /// # Errors
    /// `NOT_FOUND` when one of them is not there or forgotten, `INVALID_INPUT` when they are one record, are kept in different files or are
    /// not in conflict, `PROPOSED` when the speaker may only ask for it, `LOCKED` or `IO`.
    pub fn resolve(&mut self, id: &str, other: &str, resolution: Resolution) -> Result<Resolved> {
        let (home, first) = self.find(id)?;
        let (other_home, second) = self.find(other)?;
        home.check_writable()?;
        if home != other_home {
            return Err(Error::invalid(
                "with",
                "both have to be captures, or patterns of one scope",
            ));
        }
        let _lock = self.stores.of_mut(home).journal.guard()?;
        let now = self.project.now();
        let (first, second) = (first.current(), second.current());
        // A proposed record cannot retire another one.
        for record in [first, second] {
            self.check_reviewed(home, &record.id)?;
        }
        if first.id == second.id {
            return Err(Error::invalid("with", "these are revisions of one record"));
        }
        if !self.judge(home, now).were_in_conflict(&first.id, &second.id) {
            return Err(Error::invalid(
                "with",
                "the two are not in conflict; to retire one that is out of date, replace it",
            ));
        }
        let is_newer = (first.created_ms, &first.id) > (second.created_ms, &second.id);
        let (newer, older) = if is_newer { (first, second) } else { (second, first) };
        let said_by = match resolution {
            Resolution::Both => None,
            Resolution::Older => newer.author,
            Resolution::Newer => older.author,
            Resolution::Merge(_) if newer.author == Some(Author::Person) => newer.author,
            Resolution::Merge(_) => older.author,
        };
        if may_only_ask(self.project, &self.speaker, said_by) {
            let (id, change) = match resolution {
                Resolution::Newer => (&older.id, Change::Retire(Some(newer.id.clone()))),
                Resolution::Older => (&newer.id, Change::Retire(Some(older.id.clone()))),
                Resolution::Both => (&older.id, Change::Hold(newer.id.clone())),
                Resolution::Merge(text) => {
                    let (ids, body) = ([newer.id.clone(), older.id.clone()], Some(text));
                    let changes = EditInput {
                        body,
                        ..EditInput::default()
                    };
                    let speaker = self.speaker.clone();
                    return Err(self.editor().propose(home, &ids, changes, speaker)?);
                }
            };
            return Err(self.ask(home, vec![(id.clone(), change)], ""));
        }
        match resolution {
            Resolution::Newer => self.decide(home, &newer.id, &older.id, WHY_RESOLVED, now),
            Resolution::Older => self.decide(home, &older.id, &newer.id, WHY_RESOLVED, now),
            Resolution::Both => {
                self.hold(home, &older.id, &newer.id)?;
                Ok(Resolved {
                    current: vec![newer.id.clone(), older.id.clone()],
                    retired: Vec::new(),
                })
            }
            // Repeating the merge: its record exists already.
            Resolution::Merge(text) if newer.text == text => self.decide(home, &newer.id, &older.id, WHY_MERGED, now),
            Resolution::Merge(text) => {
                let changes = EditInput {
                    body: Some(text),
                    author: self.speaker.author.map(|author| author.name().to_owned()),
                    ..EditInput::default()
                };
                let (thought, _) = self.editor().edit(&newer.id, changes)?;
                self.decide(home, &thought.id, &older.id, WHY_MERGED, now)
            }
        }
    }

    /// Declares two records compatible. Repeating the decision changes nothing.
    pub(super) fn hold(&mut self, home: Home, older: &str, newer: &str) -> Result<()> {
        let now = self.project.now();
        let rulings = self.judge(home, now).hold(older, newer);
        self.append(home, &rulings, now)
    }

    /// Takes back the decision about a conflict: the two records contradict each other again. Does nothing when they do already.
    ///
    /// # Errors
    /// `NOT_FOUND` when one of them is not there or forgotten, `LOCKED` or `IO`.
    pub fn reopen(&mut self, id: &str, other: &str) -> Result<()> {
        let (home, first) = self.find(id)?;
        let (_, second) = self.find(other)?;
        home.check_writable()?;
        let (one, other) = (&first.current().id, &second.current().id);
        let _lock = self.stores.of_mut(home).journal.guard()?;
        let now = self.project.now();
        let reopened = self.judge(home, now).reopen(one, other);
        self.append(home, reopened.as_slice(), now)
    }

    /// Returns the judge of the rulings of a file.
    pub(super) fn judge(&mut self, home: Home, now: Millis) -> Judge<'_> {
        Judge::of(self.stores.of_mut(home).journal_index.standings(), now)
    }

    /// Puts requests into the inbox, and returns the error that says so.
    pub(super) fn ask(&mut self, home: Home, asked: Vec<(String, Change)>, why: &str) -> Error {
        let request = |(of, change): (String, Change)| Request::new(&of, change, why, &self.speaker);
        let requests: Vec<Request> = asked.into_iter().map(request).collect();
        let parts = (&*self.project, self.stores.of_mut(home), &mut *self.destinations);
        ask(parts, &requests, &self.speaker)
    }

    pub(super) fn check_reviewed(&mut self, home: Home, id: &str) -> Result<()> {
        let standings = self.stores.of_mut(home).journal_index.standings();
        match standings.state_of(&id_hash(id)) {
            State::Proposed | State::Rejected => Err(Error::invalid(
                "with",
                format!("{id} is waiting for its review or was rejected: accept it first"),
            )),
            _ => Ok(()),
        }
    }

    /// Retires one record by another, and sees to it that the other one is current.
    fn decide(&mut self, home: Home, holds: &str, retired: &str, why: &str, now: Millis) -> Result<Resolved> {
        let rulings = self.judge(home, now).retire(retired, holds, why);
        self.append(home, &rulings, now)?;
        Ok(Resolved {
            current: vec![holds.to_owned()],
            retired: vec![retired.to_owned()],
        })
    }

    /// Appends rulings in one write, and tells the shared store and whoever follows the events.
    pub(super) fn append(&mut self, home: Home, rulings: &[Ruling], now: Millis) -> Result<()> {
        if rulings.is_empty() {
            return Ok(());
        }
        let limit = self.project.config().settings.limits.events_bytes;
        let standings = self.stores.of_mut(home).journal_index.standings();
        // The shared store has not heard of a proposal.
        let is_untold = |ruling: &Ruling| {
            let review = standings.review_of(&id_hash(&ruling.id), None);
            (ruling.kind.is_review() || ruling.kind.is_feedback()) && matches!(review, Review::Proposed(_))
        };
        let is_told = home == Home::Captures && !rulings.iter().any(is_untold);
        let marks = is_told.then_some(self.project.marks.as_ref());
        append_rulings(self.stores.of_mut(home), rulings, marks, now)?;
        if home != Home::Captures {
            return Ok(());
        }
        if !is_told {
            return self.destinations.announce_rulings(rulings, now, limit);
        }
        for kept in rulings.iter().filter(|ruling| ruling.kind == RulingKind::Keep) {
            // A store that can only delete has it no more.
            if let Some(line) = record_with(&self.stores.captures, id_hash(&kept.id)) {
                let line = String::from_utf8_lossy(clean(&line)).into_owned();
                self.destinations.queue.push_record(&line, now)?;
            }
        }
        self.destinations.tell_rulings(rulings, now, limit)
    }

    pub(super) fn find(&mut self, id: &str) -> Result<(Home, History)> {
        let found = find_history(self.stores, id, self.project.now())?;
        let is_there = |(_, history): &(Home, History)| history.state() != RecordState::Forgotten;
        found.filter(is_there).ok_or_else(|| Error::no_memory(id))
    }

    fn editor(&mut self) -> Editor<'_> {
        Editor::new(self.project, self.stores, self.destinations)
    }
}

/// True if a piece of an id, or all of it, names a record.
fn is_meant(id: &str, piece: &str) -> bool {
    let short = id.strip_prefix("mem_").unwrap_or(id);
    id == piece || id.starts_with(piece) || short.starts_with(piece) || id.ends_with(piece)
}
