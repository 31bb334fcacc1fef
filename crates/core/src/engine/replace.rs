//! Records that a person or an agent calls out of date, and their replacements.

use super::history::{RecordState, find_history};
pub use super::outcome::Replaced;
use super::request::{Change, HOMES};
use super::writer::Writer;
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::index::Stores;
use crate::judgement::reason::{Contradicted, Reason, WHY_REPLACED};
use crate::model::author::{Author, Speaker};
use crate::model::input::{OneOrMany, one_or_many};
use crate::model::limits::check_ids;
use crate::model::scope::Home;
use crate::model::thought::RulingKind;
use schemars::JsonSchema;
use serde::Deserialize;

/// A record that is said to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// Its current revision. It is not retired, but in conflict, when a person said it and the speaker is none.
    pub of: Contradicted,
    /// The file that it is in.
    pub home: Home,
    /// Whether another machine wrote it: its replacement is then a record of its own, since a revision would be forgotten with it.
    pub is_of_others: bool,
}

/// The records that are out of date.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replacement {
    /// Their ids. Pieces of at least six characters of them do.
    #[serde(deserialize_with = "one_or_many")]
    #[schemars(with = "OneOrMany")]
    pub old: Vec<String>,
    /// What replaces them.
    pub by: Option<String>,
    /// Why, in a few words.
    pub why: Option<String>,
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
        if found.iter().all(|known| known.of.id != current.id) {
            found.push(Named {
                of: Contradicted {
                    text: current.text.clone(),
                    is_retired: current.author != Some(Author::Person) || speaker.is_person(),
                    ..Contradicted::superseded(current.id.clone())
                },
                home,
                is_of_others: history.is_of_others(stores),
            });
        }
    }
    Ok(found)
}

impl Writer<'_> {
    /// Retires records, by another one or by none. Only a person retires the record of a person: a replacement by others is in conflict
    /// with it.
    ///
    /// # Errors
    /// `NOT_FOUND` when one of them is not there or forgotten; `INVALID_INPUT` when none is named, one would replace itself, or waits for
    /// its review; `UNSUPPORTED`; `PROPOSED` when the speaker may only ask for it. Nothing else is stored then. `LOCKED` or `IO`.
    pub fn replace(
        &mut self,
        old: Vec<String>,
        by: Option<String>,
        why: Option<String>,
        speaker: &Speaker,
    ) -> Result<Replaced> {
        if old.is_empty() {
            return Err(Error::invalid(
                "old",
                "is required: the ids of the records that are out of date",
            ));
        }
        let now = self.project.now();
        let old = find_named(self.stores, &check_ids("old", old)?, speaker, now)?;
        let by = find_named(self.stores, &check_ids("by", by.into_iter().collect())?, speaker, now)?.pop();
        if let Some(by) = &by {
            self.check_reviewed(by.home, &by.of.id)?;
            if old.iter().any(|named| named.of.id == by.of.id) {
                return Err(Error::invalid("by", format!("{} cannot replace itself", by.of.id)));
            }
        }
        for named in &old {
            named.home.check_writable()?;
            self.check_reviewed(named.home, &named.of.id)?;
        }
        let why = why.map_or_else(String::new, |why| self.project.redactor().text(why));
        // The record of a person is in conflict with a replacement by others; without a replacement, a person is asked.
        let said_by = old.iter().any(|named| !named.of.is_retired && by.is_none());
        if self.may_only_ask(speaker, said_by.then_some(Author::Person)) {
            let by = by.map(|by| by.of.id);
            let mut error = Error::invalid("old", "is required");
            for home in HOMES {
                let here = old.iter().filter(|named| named.home == home);
                let mut asked = here
                    .map(|named| (named.of.id.clone(), Change::Retire(by.clone())))
                    .peekable();
                if asked.peek().is_some() {
                    error = self.ask(home, asked, &why, speaker);
                }
            }
            return Err(error);
        }
        self.retire_named(&old, by.as_ref(), &why)
    }

    /// Retires records that were found, and makes sure that their replacement is current.
    fn retire_named(&mut self, old: &[Named], by: Option<&Named>, why: &str) -> Result<Replaced> {
        let other = by.map(|by| by.of.id.as_str());
        let mut replaced = Replaced {
            by: other.map(str::to_owned),
            ..Replaced::default()
        };
        let (said, open): (Vec<&Named>, Vec<&Named>) = old.iter().partition(|named| self.is_said(named, other));
        replaced.unchanged = said.into_iter().map(|named| named.of.id.clone()).collect();
        // Of two records that replace each other, the one that was named last holds.
        if let Some(by) = by.filter(|_| open.iter().any(|named| named.of.is_retired)) {
            self.rule(by.home, |judge| judge.keep([by.of.id.as_str()]))?;
        }
        for named in open {
            let (told, kind) = match named.of.is_retired {
                true => (&mut replaced.retired, RulingKind::Retire),
                false => (&mut replaced.conflicts, RulingKind::Conflict),
            };
            let reason = if why.is_empty() { WHY_REPLACED } else { why };
            self.rule(named.home, |judge| [judge.replace(kind, &named.of.id, other, reason)])?;
            told.push(Contradicted {
                why: Reason::of(WHY_REPLACED),
                ..named.of.clone()
            });
        }
        Ok(replaced)
    }

    /// Returns true if a record is retired by the other one already, or by anything when none is named; one that the speaker may not
    /// retire, whether it is in conflict with it.
    fn is_said(&mut self, named: &Named, other: Option<&str>) -> bool {
        let (judge, id) = (self.judge(named.home), &named.of.id);
        match named.of.is_retired {
            true => judge.is_retired_by(id, other),
            false => judge.is_retired_by(id, None) || other.is_some_and(|other| judge.are_in_conflict(id, other)),
        }
    }
}
