//! Decisions of a person or an agent about records that are retired or in conflict: lines at the end of the journal, as all that happens to a
//! record.

use crate::engine::history::{History, RecordState, find_history, has_piece};
use crate::engine::retired::ended_by;
use crate::engine::writer::Writer;
use crate::error::{Error, Result};
use crate::judgement::reason::WHY_MERGED;
use crate::judgement::request::Change;
pub use crate::judgement::settle::{Holds, Resolution};
use crate::judgement::settle::{Ruled, Settled, Side};
use crate::model::input::EditInput;
use crate::model::said::Door;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// The outcome of `keepMemory`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "KeepOutcome")]
pub struct Kept {
    /// False when the record was current already, and a person's or kept by one.
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
    /// `NOT_FOUND` when there is no such record, or a compaction has removed it, `INVALID_INPUT` when it has expired, waits for a review or was
    /// rejected, `PROPOSED` when the speaker may only ask for it, `LOCKED` or `IO`.
    pub fn keep(&mut self, id: &str) -> Result<Kept> {
        let found = find_history(self.stores, id, self.project.now())?;
        let (home, history) = found.ok_or_else(|| Error::no_memory(id))?;
        home.check_writable()?;
        let current = history.current();
        let named = history
            .revisions()
            .map(|(revision, _)| revision)
            .find(|revision| has_piece(&revision.id, id));
        let speaker = self.speaker.clone();
        let by = self.who(&speaker);
        let of = named.unwrap_or(current).id.clone();
        // What a person ended comes back by the leave of a person.
        if by.may_only_ask(ended_by(self.stores, &history, &of)) {
            self.rule(home, speaker.said(), |_| Ok(by.asks([(of, Change::Keep)], "")))?;
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
                author: speaker.author.map(|author| author.name().to_owned()),
                door: speaker.door,
                ..EditInput::default()
            };
            return kept(&self.edit(&current.id, changes)?.0.id);
        }
        match history.state() {
            // This machine may not know of a retirement by another one.
            RecordState::Retired | RecordState::Current if history.is_fetched || history.retired.is_some() => {
                let record = current.subject();
                self.rule(home, speaker.said(), |judge| {
                    let kept = judge.keep([record.id.as_str()]).into_iter();
                    Ok(kept.map(|keep| judge.vouched(keep, &record)).collect::<Vec<_>>())
                })?;
                kept(&current.id)
            }
            // What a person keeps, others retire no more.
            RecordState::Current
                if speaker.is_person() && speaker.door != Some(Door::Undo) && history.said_by != speaker.author =>
            {
                let record = current.subject();
                self.rule(home, speaker.said(), |judge| {
                    Ok(vec![judge.vouched(judge.vouch(&record.id), &record)])
                })?;
                kept(&current.id)
            }
            RecordState::Forgotten => kept(&self.restore(home, &history)?),
            RecordState::Expired => Err(Error::invalid(
                "id",
                format!("{} has expired: capture it again", current.id),
            )),
            state @ (RecordState::Rejected | RecordState::Proposed) => {
                let why = if state == RecordState::Rejected {
                    "was rejected"
                } else {
                    "waits for a review"
                };
                Err(Error::invalid("id", format!("{} {why}: accept it instead", current.id)))
            }
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
        let (home, first, _lock) = self.find_held(id)?;
        let (other_home, second) = self.find(other)?;
        if home != other_home {
            return Err(Error::invalid(
                "with",
                "both have to be captures, or patterns of one scope",
            ));
        }
        let speaker = self.speaker.clone();
        let by = self.who(&speaker);
        let (mut resolved, mut open) = (Resolved::default(), None);
        self.rule(home, speaker.said(), |judge| {
            let sides = [side(&first), side(&second)];
            Ok(match judge.resolve(sides, resolution, by)? {
                Settled::Ruled(ruled, current, retired) => {
                    resolved = Resolved { current, retired };
                    ruled
                }
                other => {
                    open = Some(other);
                    Ruled::Made(Vec::new())
                }
            })
        })?;
        let (text, [newer, older], is_proposed) = match open {
            Some(Settled::Merged(text, sides)) => (text, sides, false),
            Some(Settled::Proposed(text, sides)) => (text, sides, true),
            Some(Settled::Ruled(..)) | None => return Ok(resolved),
        };
        let mut changes = EditInput {
            body: Some(text),
            ..EditInput::default()
        };
        if is_proposed {
            return Err(self.propose(home, &[newer, older], changes, &speaker)?);
        }
        changes.author = speaker.author.map(|author| author.name().to_owned());
        changes.door = speaker.door;
        let holds = self.edit(&newer, changes)?.0.id;
        self.rule(home, speaker.said(), |judge| {
            Ok(judge.retire(&older, &holds, WHY_MERGED))
        })?;
        Ok(Resolved {
            current: vec![holds],
            retired: vec![older],
        })
    }

    /// Takes back the decision about a conflict: the two records contradict each other again. Does nothing when they do already.
    ///
    /// # Errors
    /// `NOT_FOUND` when one of them is not there or forgotten, `LOCKED` or `IO`.
    pub fn reopen(&mut self, id: &str, other: &str) -> Result<()> {
        let person = self.decider(None)?;
        let (home, first) = self.find(id)?;
        let (_, second) = self.find(other)?;
        home.check_writable()?;
        let (one, other) = (&first.current().id, &second.current().id);
        self.rule(home, person.said(), |judge| Ok(judge.reopen(one, other)))
            .map(drop)
    }
}

/// Returns a record as one of a conflict.
fn side(of: &History) -> Side<'_> {
    let record = of.current();
    Side {
        id: &record.id,
        made: record.created_ms,
        author: of.said_by,
        text: &record.text,
    }
}
