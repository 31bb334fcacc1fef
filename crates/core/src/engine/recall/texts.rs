//! The texts of records that were found, read one by one.

use crate::index::{Found, Part, Store};
use crate::journal::clean;
use crate::model::scope::Scope;
use crate::model::thought::{LineKind, read_line};

/// Reads texts of records.
pub(super) struct Texts<'a> {
    stores: &'a [(Scope, &'a Store)],
    parts: Vec<Vec<Part<'a>>>,
}

impl<'a> Texts<'a> {
    pub fn new(stores: &'a [(Scope, &'a Store)]) -> Self {
        let parts = stores.iter().map(|(_, store)| store.journal_index.parts());
        Texts {
            stores,
            parts: parts.collect(),
        }
    }

    /// Returns the text of a record; `None` when it is not where the index says.
    pub fn read(&self, found: &Found) -> Option<String> {
        let part = self.parts.get(found.journal_index)?.get(found.place.part)?;
        let (_, store) = self.stores.get(found.journal_index)?;
        let line = store.journal.read(part.span(found.place.doc)).ok()?;
        match read_line(clean(&line)) {
            LineKind::Record(fields) => Some(fields.text.to_string()),
            _ => None,
        }
    }
}
