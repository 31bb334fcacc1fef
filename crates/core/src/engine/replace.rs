//! Records that a person or an agent calls out of date, and their replacements.

use super::history::{RecordState, find_history};
pub use super::outcome::Replaced;
use super::writer::Writer;
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::index::Stores;
use crate::judgement::reason::{Contradicted, Reason, WHY_REPLACED};
use crate::judgement::request::Change;
use crate::model::author::{Author, Speaker};
use crate::model::input::{OneOrMany, one_or_many};
use crate::model::limits::check_ids;
use crate::model::scope::Home;
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
                    is_retired: history.said_by != Some(Author::Person) || speaker.is_person(),
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
        let other = by.as_ref().map(|by| by.of.id.as_str());
        if let Some(by) = &by {
            self.judge(by.home, speaker.said()).check_reviewed(&by.of.id)?;
            if old.iter().any(|named| named.of.id == by.of.id) {
                return Err(Error::invalid("by", format!("{} cannot replace itself", by.of.id)));
            }
        }
        for named in &old {
            named.home.check_writable()?;
            self.judge(named.home, speaker.said()).check_reviewed(&named.of.id)?;
        }
        let why = why.map_or_else(String::new, |why| self.project.redactor().text(why));
        // The record of a person is in conflict with a replacement by others; without a replacement, a person is asked.
        let said_by = match &by {
            // A replacement becomes current: of one that a person retired, a person is asked as well.
            Some(by) => self.judge(by.home, speaker.said()).retired_by(&by.of.id),
            None => old.iter().find(|named| !named.of.is_retired).map(|_| Author::Person),
        };
        let who = self.who(speaker);
        let may_only_ask = who.may_only_ask(said_by);
        let is_new = |named: &Named| {
            named.of.is_retired && !self.judge(named.home, speaker.said()).is_replaced(&named.of, other)
        };
        if let Some(by) = &by
            && !may_only_ask
            && old.iter().any(is_new)
        {
            // Of two records that replace each other, the one that was named last holds.
            self.rule(by.home, speaker.said(), |judge| Ok(judge.keep([by.of.id.as_str()])))?;
        }
        let (mut replaced, mut asked) = (Replaced::default(), None);
        for home in Home::RULED {
            let here = old.iter().filter(|named| named.home == home).map(|named| &named.of);
            let here: Vec<&Contradicted> = here.collect();
            if here.is_empty() {
                continue;
            }
            let ruled = self.rule(home, speaker.said(), |judge| {
                if may_only_ask {
                    let retire = |older: &&Contradicted| (older.id.clone(), Change::Retire(other.map(str::to_owned)));
                    return Ok(who.asks(here.iter().map(retire), &why));
                }
                let (rulings, are_open) = judge.replace_all(&here, other, &why);
                for (older, is_open) in here.iter().zip(are_open) {
                    let told = Contradicted {
                        why: Reason::of(WHY_REPLACED),
                        ..(*older).clone()
                    };
                    match (is_open, older.is_retired) {
                        (false, _) if judge.is_contested(&told.id, other) => replaced.in_conflict.push(told.id),
                        (false, _) => replaced.unchanged.push(told.id),
                        (true, true) => replaced.retired.push(told),
                        (true, false) => replaced.conflicts.push(told),
                    }
                }
                Ok(rulings.into())
            });
            match ruled {
                Err(error @ Error::Proposed { .. }) => asked = Some(error),
                ruled => drop(ruled?),
            }
        }
        replaced.by = by.map(|by| by.of.id);
        asked.map_or(Ok(replaced), Err)
    }
}
