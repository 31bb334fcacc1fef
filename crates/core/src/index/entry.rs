//! The index entry of a record.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::near::Sketches;
use crate::clock::Millis;
use crate::model::thought::NEVER;
use crate::model::thought::{Fields, id_hash};
use crate::text::{Statement, TermHash, fold_into};
use crate::truth::Claims;

/// The rule by which records of a journal are duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The same type, project and folded text, or nearly the same text.
    Thoughts,
    /// The same category and folded text.
    Patterns,
}

/// A record, prepared for lookups and for indexing. Reuse one value for many records, because it keeps its buffers.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Hash of the id.
    pub id: u64,
    /// The hash by which exact duplicates are recognised.
    pub exact: u64,
    /// The partition: the hash of type and project, which near duplicates share; 0 for patterns, which have no near duplicates.
    pub partition: u64,
    /// When the record was made.
    pub created: Millis,
    /// When it expires, or [`NEVER`].
    pub expires: Millis,
    /// Its confidence.
    pub confidence: f32,
    /// Type or category.
    pub kind: String,
    /// The hash of the id of the superseded revision.
    pub supersedes: Option<u64>,
    /// The hash of the session in which it was captured; 0 when that is not known.
    pub session: u32,
    /// The statement of the text; empty when near duplicates are not searched.
    pub statement: Statement,
    /// The sketches of its content words.
    pub sketches: Sketches,
    /// The claims of the text; empty when near duplicates are not searched.
    pub claims: Claims,
    /// The keys under which records that may contradict it find it.
    pub claim_keys: Vec<TermHash>,
    pub(super) source: TermSource,
}

/// The sources of a record's terms, besides its type.
#[derive(Debug, Clone, Default)]
pub(super) struct TermSource {
    pub text: String,
    pub tags: Vec<String>,
    /// The program or session that the record comes from, and the file that it is about.
    pub origin: String,
}

impl TermSource {
    fn take(&mut self, fields: &Fields<'_>) {
        self.text.clear();
        self.text.push_str(&fields.text);
        self.tags.clear();
        self.tags.extend(fields.tags.iter().map(|tag| tag.to_string()));
        self.origin.clear();
        self.origin.push_str(&fields.source);
        if !fields.source_file.is_empty() {
            self.origin.push('\n');
            self.origin.push_str(&fields.source_file);
        }
    }
}

impl Default for Entry {
    fn default() -> Self {
        Entry {
            id: 0,
            exact: 0,
            partition: 0,
            created: 0,
            expires: NEVER,
            confidence: 0.0,
            kind: String::new(),
            supersedes: None,
            session: 0,
            statement: Statement::default(),
            sketches: Sketches::default(),
            claims: Claims::default(),
            claim_keys: Vec::new(),
            source: TermSource::default(),
        }
    }
}

impl Entry {
    /// Reads a record for lookups and indexing. Its terms are computed by the next search or when a segment is built, because a capture
    /// does not need them.
    pub fn take_words(&mut self, fields: &Fields<'_>, family: Family) {
        self.take_facts(fields, family);
        self.source.take(fields);
        self.take_statement(fields);
    }

    /// Reads only the fields needed to find exact duplicates.
    pub fn take_identity(&mut self, fields: &Fields<'_>, family: Family) {
        self.take_facts(fields, family);
    }

    /// Changes the project of a record that was read, keeping everything derived from its text.
    pub fn take_project(&mut self, fields: &Fields<'_>, family: Family) {
        self.exact = exact_hash(family, &fields.kind, &fields.project, &fields.text);
        self.partition = partition_of(fields, family);
    }

    fn take_facts(&mut self, fields: &Fields<'_>, family: Family) {
        self.id = id_hash(&fields.id);
        self.take_project(fields, family);
        self.created = fields.at_ms;
        self.expires = fields.expires_ms.unwrap_or(NEVER);
        self.confidence = fields.confidence as f32;
        self.kind.clear();
        self.kind.push_str(&fields.kind);
        // A record cannot supersede itself.
        self.supersedes = fields
            .supersedes
            .as_deref()
            .map(id_hash)
            .filter(|older| *older != self.id);
        self.session = session_hash(&fields.session);
    }

    fn take_statement(&mut self, fields: &Fields<'_>) {
        let text = if self.partition == 0 { "" } else { fields.text.as_ref() };
        self.statement.take(text);
        self.sketches = Sketches::of(self.statement.words());
        self.claims = Claims::of(&self.statement);
        self.claim_keys.clear();
        self.claims.each_key(|key| self.claim_keys.push(key));
        // Two claims of one text may differ only in a value or a negation.
        self.claim_keys.sort_unstable();
        self.claim_keys.dedup();
    }
}

fn session_hash(session: &str) -> u32 {
    match session {
        "" => 0,
        name => (xxh3_64(name.as_bytes()) as u32).max(1),
    }
}

/// Returns the hash by which exact duplicates are recognised.
pub(crate) fn exact_hash(family: Family, kind: &str, project: &str, text: &str) -> u64 {
    let mut key = Vec::with_capacity(text.len() + kind.len() + project.len() + 2);
    fold_into(text, &mut key);
    key.push(0);
    key.extend_from_slice(kind.as_bytes());
    if family == Family::Thoughts {
        key.push(0);
        key.extend_from_slice(project.as_bytes());
    }
    xxh3_64(&key)
}

fn partition_of(fields: &Fields<'_>, family: Family) -> u64 {
    match family {
        Family::Thoughts => partition_hash(&fields.kind, &fields.project),
        Family::Patterns => 0,
    }
}

fn partition_hash(kind: &str, project: &str) -> u64 {
    let mut key = Vec::with_capacity(kind.len() + project.len() + 1);
    key.extend_from_slice(kind.as_bytes());
    key.push(0);
    key.extend_from_slice(project.as_bytes());
    // 0 is reserved for records without near duplicates.
    xxh3_64(&key).max(1)
}

/// Several values under one hash, optimised for the usual case of one.
pub(super) type Buckets = FxHashMap<u64, u32>;
