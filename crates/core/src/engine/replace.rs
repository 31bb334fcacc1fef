//! Records that a person or an agent calls out of date, and their replacements.

use super::judge::{Contradicted, WHY_REPLACED};
pub use super::named::Replaced;
use super::named::{Named, find_named};
use super::request::{Change, HOMES, may_only_ask};
use super::resolve::Resolver;
use crate::engine::judge::Reason;
use crate::error::{Error, Result};
use crate::model::author::{Author, Speaker};
use crate::model::input::{OneOrMany, one_or_many};
use crate::model::limits::check_ids;
use crate::model::thought::RulingKind;
use schemars::JsonSchema;
use serde::Deserialize;

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

impl Resolver<'_> {
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
            self.check_reviewed(by.home, &by.id)?;
            if old.iter().any(|named| named.id == by.id) {
                return Err(Error::invalid("by", format!("{} cannot replace itself", by.id)));
            }
        }
        for named in &old {
            named.home.check_writable()?;
            self.check_reviewed(named.home, &named.id)?;
        }
        let why = why.map_or_else(String::new, |why| self.project.redactor().text(why));
        // The record of a person is in conflict with a replacement by others; without a replacement, a person is asked.
        let said_by = old.iter().any(|named| named.is_protected && by.is_none());
        self.speaker = speaker.clone();
        if may_only_ask(self.project, speaker, said_by.then_some(Author::Person)) {
            return Err(self.ask_to_retire(old, by.as_ref(), &why));
        }
        self.retire_named(&old, by.as_ref(), &why)
    }

    fn ask_to_retire(&mut self, old: Vec<Named>, by: Option<&Named>, why: &str) -> Error {
        let by = by.map(|by| by.id.clone());
        let mut error = None;
        for home in HOMES {
            let asked: Vec<(String, Change)> = old
                .iter()
                .filter(|named| named.home == home)
                .map(|named| (named.id.clone(), Change::Retire(by.clone())))
                .collect();
            if !asked.is_empty() {
                error = Some(self.ask(home, asked, why));
            }
        }
        error.unwrap_or_else(|| Error::invalid("old", "is required"))
    }

    /// Retires records that were found, and makes sure that their replacement is current.
    ///
    /// # Errors
    /// `LOCKED` or `IO`.
    pub(crate) fn retire_named(&mut self, old: &[Named], by: Option<&Named>, why: &str) -> Result<Replaced> {
        let now = self.project.now();
        let mut replaced = Replaced {
            by: by.map(|by| by.id.clone()),
            ..Replaced::default()
        };
        let other = by.map(|by| by.id.as_str());
        let (said, open): (Vec<&Named>, Vec<&Named>) = old.iter().partition(|named| self.is_said(named, other));
        replaced.unchanged = said.into_iter().map(|named| named.id.clone()).collect();
        // Of two records that replace each other, the one that was named last holds.
        if let Some(by) = by.filter(|_| open.iter().any(|named| !named.is_protected)) {
            let _lock = self.stores.of_mut(by.home).journal.guard()?;
            let kept = self.judge(by.home, now).keep([by.id.as_str()]);
            self.append(by.home, &kept, now)?;
        }
        for named in open {
            let _lock = self.stores.of_mut(named.home).journal.guard()?;
            let kind = match named.is_protected {
                true => RulingKind::Conflict,
                false => RulingKind::Retire,
            };
            let reason = if why.is_empty() { WHY_REPLACED } else { why };
            let ruling = self.judge(named.home, now).replace(kind, &named.id, other, reason);
            self.append(named.home, &[ruling], now)?;
            let told = Contradicted {
                id: named.id.clone(),
                text: named.text.clone(),
                why: Reason::of(WHY_REPLACED),
                is_retired: !named.is_protected,
            };
            match named.is_protected {
                true => replaced.conflicts.push(told),
                false => replaced.retired.push(told),
            }
        }
        Ok(replaced)
    }

    /// Returns true if a record is retired by the other one already, or by anything when none is named; one that the speaker may not
    /// retire, whether it is in conflict with it.
    fn is_said(&mut self, named: &Named, other: Option<&str>) -> bool {
        let (now, id) = (self.project.now(), &named.id);
        let judge = self.judge(named.home, now);
        match named.is_protected {
            true => judge.is_retired_by(id, None) || other.is_some_and(|other| judge.are_in_conflict(id, other)),
            false => judge.is_retired_by(id, other),
        }
    }
}
