//! What the index keeps of a record.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::near::Sketches;
use crate::clock::Millis;
use crate::model::thought::NEVER;
use crate::model::thought::{Fields, id_hash};
use crate::text::{Statement, TermHash, Terms, count_words, fold_into, tag_term};
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
    /// Number of words of the text, for ranking.
    pub length: u16,
    /// What the text says; nothing where near duplicates are not looked for.
    pub statement: Statement,
    /// The sketches of its words of content.
    pub sketches: Sketches,
    /// What the text asserts; nothing where near duplicates are not looked for.
    pub claims: Claims,
    /// The keys by which those find it that may contradict it.
    pub claim_keys: Vec<TermHash>,
    /// Every term of text, type and tags with its count, sorted; `None` when they were not asked for.
    pub terms: Option<Vec<(TermHash, u16)>>,
    /// What the terms are made of when they were not asked for.
    pub(super) source: TermSource,
    scratch: Terms,
}

/// What the terms of a record are made of, beside its type.
#[derive(Debug, Clone, Default)]
pub(super) struct TermSource {
    text: String,
    tags: Vec<String>,
}

impl TermSource {
    fn take(&mut self, fields: &Fields<'_>) {
        self.text.clear();
        self.text.push_str(&fields.text);
        self.tags.clear();
        self.tags.extend(fields.tags.iter().map(|tag| tag.to_string()));
    }
}

/// What the terms of several records are made of, in one text.
#[derive(Debug, Clone, Default)]
pub(super) struct TermSources {
    texts: String,
    /// Where each text and each tag ends, the text of a record before its tags.
    ends: Vec<usize>,
    /// The number of each record, and how many texts and tags come before it.
    records: Vec<(u32, usize)>,
}

impl TermSources {
    pub fn push(&mut self, doc: u32, source: &TermSource) {
        self.records.push((doc, self.ends.len()));
        for text in std::iter::once(&source.text).chain(&source.tags) {
            self.texts.push_str(text);
            self.ends.push(self.texts.len());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Calls `visit` with the number of every record and its terms with their counts, sorted. `kind_of` answers its type.
    pub fn each_terms<'a>(&self, kind_of: impl Fn(u32) -> &'a str, mut visit: impl FnMut(u32, &[(TermHash, u16)])) {
        let (mut scratch, mut terms) = (Terms::default(), Vec::new());
        let piece = |at: usize| {
            let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.texts[start..self.ends[at]]
        };
        for (at, (doc, first)) in self.records.iter().enumerate() {
            let next = self.records.get(at + 1).map_or(self.ends.len(), |(_, next)| *next);
            scratch.clear();
            scratch.add(piece(*first));
            let tags = (first + 1..next).map(piece);
            count_terms(&mut scratch, kind_of(*doc), tags, &mut terms);
            visit(*doc, &terms);
        }
    }
}

/// Adds the terms of type and tags to those of the text, and counts them all into `terms`.
fn count_terms<'a>(
    scratch: &mut Terms,
    kind: &str,
    tags: impl Iterator<Item = &'a str>,
    terms: &mut Vec<(TermHash, u16)>,
) {
    scratch.add(kind);
    for tag in tags {
        scratch.add(tag);
        scratch.extras.push(tag_term(tag));
    }
    scratch.words.append(&mut scratch.extras);
    scratch.words.sort_unstable();
    terms.clear();
    for term in &scratch.words {
        match terms.last_mut() {
            Some((last, count)) if last == term => *count = count.saturating_add(1),
            _ => terms.push((*term, 1)),
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
            length: 0,
            statement: Statement::default(),
            sketches: Sketches::default(),
            claims: Claims::default(),
            claim_keys: Vec::new(),
            terms: None,
            source: TermSource::default(),
            scratch: Terms::default(),
        }
    }
}

impl Entry {
    /// Takes over a record, ready to be looked up and indexed.
    pub fn take(&mut self, fields: &Fields<'_>, family: Family) {
        self.take_facts(fields, family);
        self.scratch.clear();
        self.scratch.add(&fields.text);
        self.length = length_of(self.scratch.words.len());
        self.take_statement(fields);
        let tags = fields.tags.iter().map(AsRef::as_ref);
        self.scratch.extras.extend_from_slice(&self.claim_keys);
        let terms = self.terms.get_or_insert_default();
        count_terms(&mut self.scratch, &fields.kind, tags, terms);
    }

    /// Takes over a record, ready to be looked up. Indexed, it becomes one of those whose terms are found out when somebody
    /// searches: half of the work, and whoever writes many in a row never has it.
    pub fn take_words(&mut self, fields: &Fields<'_>, family: Family) {
        self.take_facts(fields, family);
        self.source.take(fields);
        self.length = length_of(count_words(&fields.text));
        self.take_statement(fields);
        self.terms = None;
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

fn length_of(words: usize) -> u16 {
    u16::try_from(words).unwrap_or(u16::MAX)
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
