//! Leased records, and the ids by which they block other records of the same thought.

use super::settled::WaitingLine;
use crate::journal::Span;
use crate::model::thought::id_hash;

/// A record that is leased.
#[derive(Debug, Clone)]
pub(super) struct Leased {
    pub bytes: Vec<u8>,
    pub span: Span,
    pub ids: Vec<String>,
    /// The ids and the offset of its entry in [`Drain::open`].
    pub names: Vec<u64>,
    pub open_at: u64,
    pub attempts: u32,
    /// Its entry in the log.
    pub logged: Option<WaitingLine>,
}

/// Returns the id hashes of the thoughts that a waiting line is about.
pub(super) fn names_of(line: &WaitingLine) -> Vec<u64> {
    let ids = line.ids.iter().map(|id| id_hash(id));
    ids.chain(line.named.as_deref().map(hash_name)).collect()
}

/// Returns the hash of a name that a thought has besides its id.
pub(super) fn hash_name(name: &str) -> u64 {
    id_hash(&format!("key {name}"))
}
