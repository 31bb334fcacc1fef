//! What an acceptance does to other records: which of them it retires, so that whoever decides knows it before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::history::{RecordState, find_history};
use crate::engine::standing::record_with;
use crate::engine::writer::{Source, Writer, withheld};
use crate::error::{Error, Result};
use crate::journal::clean;
use crate::judgement::request::{Change, Request};
use crate::model::author::{Author, Speaker};
use crate::model::said::Door;
use crate::model::scope::Scope;
use crate::model::thought::id_hash;

/// A record that an acceptance retires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RetiredByReview")]
pub struct Retires {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Its time of creation, as written.
    pub created_at: String,
    /// True when a person said it or vouched for it: `acceptMemory` then needs `retiresPersons`.
    pub of_person: bool,
}

/// A session, and a new text for a proposed record.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AcceptOptions {
    /// The session, as `<channel>:<name>`; only a hash of it is stored.
    pub session: Option<String>,
    /// The text that replaces it.
    pub text: Option<String>,
    /// Whether it may retire what a person said: without it, such an acceptance is refused.
    pub retires_persons: bool,
    /// Who accepts it: a person when absent. No agent may.
    #[schemars(with = "Option<Author>")]
    pub author: Option<String>,
    /// The surface; `api` when absent.
    pub door: Option<Door>,
}

impl AcceptOptions {
    /// Returns who accepts.
    ///
    /// # Errors
    /// As [`Speaker::read`].
    pub fn speaker(&self) -> Result<Speaker> {
        Speaker::of_caller(self.author.as_deref(), self.session.as_deref(), self.door)
    }
}

impl Writer<'_> {
    /// Returns the records that are no longer current once a record or a request is accepted: those that it names, and those that it
    /// contradicts by a certain rule.
    pub(super) fn retired_by_accepting(&mut self, scope: Scope, id: &str, request: Option<&Request>) -> Vec<Retires> {
        let mut retires: Vec<Retires> = Vec::new();
        for id in self.named_for_review(scope, id, request) {
            let Ok(Some((_, history))) = find_history(self.stores, &id, self.project.now()) else {
                continue;
            };
            let record = history.current();
            if history.state() == RecordState::Current && retires.iter().all(|known| known.id != record.id) {
                retires.push(Retires {
                    id: record.id.clone(),
                    text: record.text.clone(),
                    created_at: record.created_at.clone(),
                    of_person: history.said_by == Some(Author::Person),
                });
            }
        }
        retires
    }

    fn named_for_review(&mut self, scope: Scope, id: &str, request: Option<&Request>) -> Vec<String> {
        match request.map(|request| (&request.change, &request.of)) {
            Some((Change::Forget | Change::Retire(_), of)) => return vec![of.clone()],
            Some(_) => return Vec::new(),
            None if scope == Scope::Global => return Vec::new(),
            None => {}
        }
        let (now, store) = (self.project.now(), &mut self.stores.captures);
        // One that counts already does nothing more to others when it is accepted.
        let is_withheld = store
            .journal_index
            .standings()
            .review_of(&id_hash(id), None)
            .withheld_since()
            .is_some();
        let Some(line) = record_with(store, id_hash(id)).filter(|_| is_withheld) else {
            return Vec::new();
        };
        let index = &mut store.journal_index;
        let source = Source {
            journal: &store.journal,
            state: None,
        };
        let Ok(record) = withheld(source, index, clean(&line), self.project, now) else {
            return Vec::new();
        };
        let found = record.contradicted.into_iter().filter(|older| older.is_retired);
        record.named.into_iter().chain(found).map(|older| older.id).collect()
    }

    /// Refuses to retire the record of a person by the acceptance of another record, unless that was confirmed. A request is about nothing else.
    ///
    /// # Errors
    /// `INVALID_INPUT`, with the first such record.
    pub(super) fn check_persons(&mut self, scope: Scope, id: &str) -> Result<()> {
        if self.retires_persons || self.speaker.author == Some(Author::Import) {
            return Ok(());
        }
        let retires = self.retired_by_accepting(scope, id, None);
        match retires.into_iter().find(|older| older.of_person) {
            Some(older) => Err(Error::invalid(
                "retiresPersons",
                format!("is required: accepting {id} retires {}, which a person said", older.id),
            )),
            None => Ok(()),
        }
    }
}
