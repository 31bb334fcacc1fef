//! The records that a write names as replaced by another one.

use super::history::{RecordState, find_history};
use super::judge::{Contradicted, SUPERSEDES};
use crate::clock::Millis;
use crate::engine::judge::Reason;
use crate::error::{Error, Result};
use crate::index::Stores;
use crate::model::author::{Author, Speaker};
use crate::model::scope::Home;
use schemars::JsonSchema;
use serde::Serialize;

/// A record that is said to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The id of its current revision.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The file that it is in.
    pub home: Home,
    /// Whether the speaker may not retire it, because a person said it and the speaker is none: the two are in conflict instead.
    pub is_protected: bool,
    /// Whether another machine wrote it: its replacement is then a record of its own, since a revision would be forgotten with it.
    pub is_of_others: bool,
}

/// The outcome of `replaceMemory`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReplaceOutcome")]
pub struct Replaced {
    /// The record that takes their place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The records that are retired now; `keepMemory` makes one current again.
    pub retired: Vec<Contradicted>,
    /// The records that are in conflict with it now, because only a person may retire the record of a person.
    pub conflicts: Vec<Contradicted>,
    /// The ids of the records that were retired before.
    pub unchanged: Vec<String>,
}

impl Named {
    /// Returns the effect of a capture that names it.
    pub fn as_contradicted(&self) -> Contradicted {
        Contradicted {
            id: self.id.clone(),
            text: self.text.clone(),
            why: Reason::of(SUPERSEDES),
            is_retired: !self.is_protected,
        }
    }
}

/// Finds records by their ids, or pieces of them, each once.
///
/// # Errors
/// `NOT_FOUND` when one is not there or forgotten, `INVALID_INPUT` when several records match a piece, `IO`.
pub(crate) fn find_named(stores: &mut Stores, ids: &[String], speaker: &Speaker, now: Millis) -> Result<Vec<Named>> {
    let mut found: Vec<Named> = Vec::with_capacity(ids.len());
    for id in ids {
        let named = find_history(stores, id, now)?.filter(|(_, history)| history.state() != RecordState::Forgotten);
        let (home, history) = named.ok_or_else(|| Error::no_memory(id))?;
        let current = history.current();
        if found.iter().any(|known| known.id == current.id) {
            continue;
        }
        found.push(Named {
            id: current.id.clone(),
            text: current.text.clone(),
            home,
            is_protected: current.author == Some(Author::Person) && !speaker.is_person(),
            is_of_others: history.is_of_others(stores),
        });
    }
    Ok(found)
}
