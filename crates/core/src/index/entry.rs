//! What the index keeps of a record.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::near::Sketches;
use crate::clock::Millis;
use crate::model::thought::NEVER;
use crate::model::thought::{Fields, id_hash};
use crate::text::{Statement, TermHash, fold_into};
use crate::truth::{Claims, add_keys};

/// What makes two records of a journal the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Same type, project and folded text; nearly the same text as well.
    Thoughts,
    /// Same category and folded text.
    Patterns,
}

/// One record, ready to be looked up or indexed. Reuse one value for many records: its buffers stay.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Hash of the id.
    pub id: u64,
    /// Hash of all that makes an exact duplicate.
    pub exact: u64,
    /// Hash of type and project: near duplicates share it. 0 for patterns, which have none.
    pub partition: u64,
    /// When the record was made.
    pub created: Millis,
    /// When it expires, or [`NEVER`].
    pub expires: Millis,
    /// How sure it is.
    pub confidence: f32,
    /// Type or category.
    pub kind: String,
    /// Hash of the id of the revision that this one takes the place of.
    pub supersedes: Option<u64>,
    /// What the text says; nothing where near duplicates are not looked for.
    pub statement: Statement,
    /// The sketches of its words of content.
    pub sketches: Sketches,
    /// What the text asserts; nothing where near duplicates are not looked for.
    pub claims: Claims,
    /// The keys by which those find it that may contradict it.
    pub claim_keys: Vec<TermHash>,
    /// What the terms of the record are made of.
    pub(super) source: TermSource,
}

/// What the terms of a record are made of, beside its type.
#[derive(Debug, Clone, Default)]
pub(super) struct TermSource {
    pub text: String,
    pub tags: Vec<String>,
    /// The program or session that the record comes from.
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
            statement: Statement::default(),
            sketches: Sketches::default(),
            claims: Claims::default(),
            claim_keys: Vec::new(),
            source: TermSource::default(),
        }
    }
}

impl Entry {
    /// Takes over a record, ready to be looked up and indexed. Its terms are found out when somebody searches, or when a segment
    /// is made: a capture has no use for them.
    pub fn take_words(&mut self, fields: &Fields<'_>, family: Family) {
        self.take_facts(fields, family);
        self.source.take(fields);
        self.take_statement(fields);
    }

    /// Takes over what makes a record an exact duplicate of another, and nothing to compare or find it by.
    pub fn take_identity(&mut self, fields: &Fields<'_>, family: Family) {
        self.take_facts(fields, family);
    }

    /// Looks a record that was taken over up under another project: what was taken of its text stays.
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
        // Nothing takes its own place.
        self.supersedes = fields
            .supersedes
            .as_deref()
            .map(id_hash)
            .filter(|older| *older != self.id);
    }

    fn take_statement(&mut self, fields: &Fields<'_>) {
        let text = if self.partition == 0 { "" } else { fields.text.as_ref() };
        self.statement.take(text);
        self.sketches = Sketches::of(self.statement.words());
        self.claims = Claims::of(text);
        add_keys(&self.claims, self.statement.words(), &mut self.claim_keys);
    }
}

/// Returns the hash of what makes two records exact duplicates.
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
    // 0 is the partition of records that have no near duplicates.
    xxh3_64(&key).max(1)
}

/// Several values under one hash, the usual case being one.
pub(super) type Buckets = FxHashMap<u64, u32>;
