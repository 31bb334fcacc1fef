//! Decisions of a person or an agent about records that are retired or in conflict: lines at the end of the journal, as all that happens to a
//! record.

use crate::engine::history::{RecordState, find_history, has_piece};
use crate::engine::request::Change;
use crate::engine::writer::Writer;
use crate::error::{Error, Result};
use crate::judgement::reason::{WHY_MERGED, WHY_RESOLVED};
use crate::judgement::state::State;
use crate::model::author::Author;
use crate::model::input::EditInput;
use crate::model::scope::Home;
use crate::model::thought::id_hash;
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

impl Writer<'_> {
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
        let current = history.current();
        let named = history
            .revisions()
            .map(|(revision, _)| revision)
            .find(|revision| has_piece(&revision.id, id));
        if self.may_only_ask(&self.speaker, None) {
            let of = named.unwrap_or(current).id.clone();
            return Err(self.ask(home, [(of, Change::Keep)], "", &self.speaker.clone()));
        }
        let _lock = self.stores.of_mut(home).journal.guard()?;
        let kept = |id: &str| {
            Ok(Kept {
                kept: true,
                id: id.to_owned(),
            })
        };
        if let Some(older) = named.filter(|older| older.id != current.id) {
            let changes = EditInput {
                body: Some(older.text.clone()),
                kind: Some(older.kind.clone()),
                tags: Some(older.tags.clone()),
                author: Some(Author::Person.name().to_owned()),
                ..EditInput::default()
            };
            return kept(&self.edit(&current.id, changes)?.0.id);
        }
        match history.state() {
            // This machine may not know of a retirement by another one.
            RecordState::Retired | RecordState::Current if history.is_fetched || history.retired.is_some() => {
                self.rule(home, |judge| judge.keep([current.id.as_str()]))?;
                kept(&current.id)
            }
            RecordState::Forgotten => kept(&self.restore(home, &history)?),
            RecordState::Expired => Err(Error::invalid(
                "id",
                format!("{} has expired: capture it again", current.id),
            )),
            _ => Ok(Kept {
                kept: false,
                id: current.id.clone(),
            }),
        }
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
        let (first, second) = (first.current(), second.current());
        // A proposed record cannot retire another one.
        for record in [first, second] {
            self.check_reviewed(home, &record.id)?;
        }
        if first.id == second.id {
            return Err(Error::invalid("with", "these are revisions of one record"));
        }
        if !self.judge(home).were_in_conflict(&first.id, &second.id) {
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
        if self.may_only_ask(&self.speaker, said_by) {
            let speaker = self.speaker.clone();
            let (id, change) = match resolution {
                Resolution::Newer => (&older.id, Change::Retire(Some(newer.id.clone()))),
                Resolution::Older => (&newer.id, Change::Retire(Some(older.id.clone()))),
                Resolution::Both => (&older.id, Change::Hold(newer.id.clone())),
                Resolution::Merge(text) => {
                    let changes = EditInput {
                        body: Some(text),
                        ..EditInput::default()
                    };
                    return Err(self.propose(home, &[newer.id.clone(), older.id.clone()], changes, &speaker)?);
                }
            };
            return Err(self.ask(home, [(id.clone(), change)], "", &speaker));
        }
        let (holds, retired, why) = match resolution {
            Resolution::Newer => (newer.id.clone(), &older.id, WHY_RESOLVED),
            Resolution::Older => (older.id.clone(), &newer.id, WHY_RESOLVED),
            Resolution::Both => {
                self.rule(home, |judge| judge.hold(&older.id, &newer.id))?;
                return Ok(Resolved {
                    current: vec![newer.id.clone(), older.id.clone()],
                    retired: Vec::new(),
                });
            }
            // Repeating the merge: its record exists already.
            Resolution::Merge(text) if newer.text == text => (newer.id.clone(), &older.id, WHY_MERGED),
            Resolution::Merge(text) => {
                let changes = EditInput {
                    body: Some(text),
                    author: self.speaker.author.map(|author| author.name().to_owned()),
                    ..EditInput::default()
                };
                (self.edit(&newer.id, changes)?.0.id, &older.id, WHY_MERGED)
            }
        };
        self.rule(home, |judge| judge.retire(retired, &holds, why))?;
        Ok(Resolved {
            current: vec![holds],
            retired: vec![retired.clone()],
        })
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
        self.rule(home, |judge| judge.reopen(one, other)).map(drop)
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
}
