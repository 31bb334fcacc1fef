//! Computes the vectors of records in batches, newest first: in the background, and on request; those of a few new records before a search
//! that compares vectors. Vectors are derived data. Each batch is stored, so an interrupted pass is continued by the next one.

pub use crate::meaning::Coverage;
use std::collections::HashSet;

use rustc_hash::FxHashSet;

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::index::{Filter, JournalIndex, Part, Place, Plan, Store, Stores};
use crate::journal::clean;
use crate::meaning::{Counted, Meaning, VectorState};
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::{LineKind, read_line};
use crate::project::Project;
use crate::project::environment::TextEmbedder;
use crate::text::passages::passages;

/// The batch size: the number of passages per call of the model.
const PASSAGES_TOGETHER: usize = 16;
/// The texts that a search embeds before it begins: short ones of the last records, with so many bytes together. More takes over 50 ms.
const LAST_RECORDS: usize = 64;
const BYTES_AT_ONCE: usize = 500;
/// Below this share of texts with vectors, in percent, a search says how many have one.
const COVERED_MOSTLY: usize = 95;

/// The result of a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmbeddingPass {
    /// How many texts were embedded.
    pub made: usize,
    /// How many of them have vectors now.
    pub coverage: Coverage,
    /// True when another process is embedding.
    pub is_busy: bool,
}

/// The vectors of the records of a memory.
#[derive(Debug)]
pub struct Vectors<'m> {
    stores: &'m mut Stores,
    meaning: &'m mut Meaning,
    now: Millis,
}

impl<'m> Vectors<'m> {
    pub(crate) fn new(project: &Project, stores: &'m mut Stores, meaning: &'m mut Meaning) -> Self {
        Vectors {
            stores,
            meaning,
            now: project.now(),
        }
    }

    /// Returns how many of the current records have vectors; `None` without a model.
    pub fn coverage(&mut self) -> Option<Coverage> {
        self.meaning.choose_model();
        self.meaning.embedder()?;
        self.stores.refresh();
        self.meaning.refresh();
        Some(count(self.stores, self.meaning, self.now))
    }

    /// Embeds texts that have no vectors yet, until `passages_max` passages are embedded. This takes long: run it on a
    /// separate thread with a separate memory.
    ///
    /// # Errors
    /// `UNSUPPORTED` when the model is not installed or disabled in the settings, `MODEL_MISSING` or `CORRUPT` when it
    /// cannot be read, `IO` when the vectors cannot be written.
    pub fn embed_missing(&mut self, passages_max: usize) -> Result<EmbeddingPass> {
        self.meaning.choose_model();
        let embedder = self.meaning.embedder().cloned().ok_or_else(|| {
            let error = Error::Unsupported {
                what: "search by meaning".to_owned(),
                reason: "the model is not installed, or \"embedder\" of .forge.json is \"none\"".to_owned(),
            };
            error.advised("forge-memory model install installs a model; until then, searches use words only")
        })?;
        // A cache: without it, nothing is silenced by what a model says of other texts.
        let _ = embedder.measure();
        let mut room = passages_max.max(1);
        let mut pass = EmbeddingPass::default();
        self.stores.refresh();
        self.meaning.refresh();
        for scope in [Scope::Project, Scope::Global] {
            // When nothing is missing, no file is created, not even that of the lock.
            let live = live_texts(self.stores, self.now);
            if !live
                .iter()
                .any(|text| text.scope == scope && !self.meaning.of(scope).has(text.key))
            {
                continue;
            }
            let Some(_guard) = self.meaning.of(scope).try_lock()? else {
                pass.is_busy = true;
                continue;
            };
            pass.made += self.embed_scope(embedder.as_ref(), scope, &mut room)?;
        }
        pass.coverage = count(self.stores, self.meaning, self.now);
        Ok(pass)
    }

    /// Embeds the missing texts of one scope, under its lock. Returns the number of texts.
    fn embed_scope(&mut self, embedder: &dyn TextEmbedder, scope: Scope, room: &mut usize) -> Result<usize> {
        self.stores.refresh();
        self.meaning.refresh();
        let live = live_texts(self.stores, self.now);
        let vectors = self.meaning.of_mut(scope);
        let mut made = Vec::new();
        for text in live.iter().filter(|text| text.scope == scope && !vectors.has(text.key)) {
            if *room == 0 {
                break;
            }
            let Some(content) = read_text(self.stores, text) else {
                continue;
            };
            let pieces = pieces_of(&content);
            *room = room.saturating_sub(pieces.len());
            made.push((text.key, embed(embedder, &pieces)?));
        }
        let needed: FxHashSet<u64> = live.iter().map(|text| text.key).collect();
        vectors.add(&made, |key| needed.contains(&key))?;
        Ok(made.len())
    }
}

/// Counts, unless nothing was written since the last count. Expiry is ignored, because checking it would read every record.
fn count(stores: &Stores, meaning: &mut Meaning, now: Millis) -> Coverage {
    let of = state_of(stores, meaning);
    let bytes = meaning.of(Scope::Project).bytes() + meaning.of(Scope::Global).bytes();
    let known = meaning.counted.as_ref().filter(|known| known.of == of);
    let (covered, total) = known.map_or_else(
        || {
            let live = live_texts(stores, now);
            let covered = live.iter().filter(|text| meaning.of(text.scope).has(text.key));
            (covered.count(), live.len())
        },
        |known| (known.covered, known.total),
    );
    meaning.counted = Some(Counted { of, covered, total });
    Coverage { covered, total, bytes }
}

/// Returns the state of records and vectors as the last search saw them, which changes whenever some are added; `None` without a model.
pub(crate) fn seen_state(stores: &Stores, meaning: &Meaning) -> Option<VectorState> {
    meaning.embedder()?;
    Some(state_of(stores, meaning))
}

fn state_of(stores: &Stores, meaning: &Meaning) -> VectorState {
    let journals = stores.in_scope(ScopeFilter::All);
    VectorState {
        vectors: [Scope::Project, Scope::Global].map(|scope| meaning.of(scope).version()),
        journals: journals
            .iter()
            .map(|(_, store)| store.journal_index.covered())
            .collect(),
    }
}

/// Returns how many texts have vectors when many have none; `None` when most have one.
pub(crate) fn poor_coverage(stores: &Stores, meaning: &mut Meaning, now: Millis) -> Option<Coverage> {
    let is_poor = |covered: usize, total: usize| 100 * covered < COVERED_MOSTLY * total;
    // Counting reads every record. Copies and retired records are among these, so the estimate is low.
    let records = stores.in_scope(ScopeFilter::All);
    let records: usize = records.iter().map(|(_, store)| store.journal_index.records()).sum();
    if !is_poor(meaning.texts(), records) {
        return None;
    }
    let coverage = count(stores, meaning, now);
    is_poor(coverage.covered, coverage.total).then_some(coverage)
}

/// Embeds the last records that have no vector, as far as a search may wait for it. Failures are left to the next pass: a record without a
/// vector is found by its words.
pub(crate) fn embed_last(stores: &mut Stores, meaning: &mut Meaning, now: Millis) {
    let Some(embedder) = meaning.embedder().cloned() else {
        return;
    };
    stores.refresh();
    let state = state_of(stores, meaning);
    if meaning.looked_at.as_ref() == Some(&state) {
        return;
    }
    let missing = missing_of_last(stores, meaning, now);
    let mut room = BYTES_AT_ONCE;
    for scope in [Scope::Project, Scope::Global] {
        let mut made = Vec::new();
        for text in missing.iter().filter(|text| text.scope == scope) {
            let content = read_text(stores, text).unwrap_or_default();
            let Some(left) = room.checked_sub(content.len()) else {
                break;
            };
            room = left;
            let Ok(vectors) = embed(embedder.as_ref(), &pieces_of(&content)) else {
                break;
            };
            made.push((text.key, vectors));
        }
        if !made.is_empty()
            && let Ok(Some(_guard)) = meaning.of(scope).try_lock()
        {
            // Vectors that no record needs any more are dropped by the passes that know all records.
            let _ = meaning.of_mut(scope).add(&made, |_| true);
        }
    }
    meaning.looked_at = Some(state_of(stores, meaning));
}

fn missing_of_last(stores: &Stores, meaning: &Meaning, now: Millis) -> Vec<LiveText> {
    let mut last = texts_of(stores, now, Some(LAST_RECORDS));
    last.retain(|text| !meaning.of(text.scope).has(text.key));
    last
}

/// Splits a text into passages. An empty text is one as well; otherwise it would be counted as missing forever.
fn pieces_of(content: &str) -> Vec<&str> {
    let pieces = passages(content);
    if pieces.is_empty() { vec![""] } else { pieces }
}

fn embed(embedder: &dyn TextEmbedder, passages: &[&str]) -> Result<Vec<Vec<f32>>> {
    let mut vectors = Vec::with_capacity(passages.len());
    for together in passages.chunks(PASSAGES_TOGETHER) {
        vectors.append(&mut embedder.embed(together)?);
    }
    Ok(vectors)
}

/// A text of a current record, and the location of one such record.
struct LiveText {
    key: u64,
    scope: Scope,
    journal_index: usize,
    place: Place,
    created: Millis,
}

/// Returns the texts that can be recalled, the newest first, copies of one once.
fn live_texts(stores: &Stores, now: Millis) -> Vec<LiveText> {
    texts_of(stores, now, None)
}

/// Returns these texts, or only those of the last records of each journal.
fn texts_of(stores: &Stores, now: Millis, last: Option<usize>) -> Vec<LiveText> {
    let users = &stores.global_patterns;
    let stores = stores.in_scope(ScopeFilter::All);
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let plan = Plan::new(&[], &journal_indexes);
    let filter = Filter {
        now,
        ..Filter::default()
    };
    let mut live: Vec<LiveText> = Vec::new();
    let admission = plan.admission(&filter);
    let mut take = |journal_index: usize, part: Part<'_>, place: Place| {
        // Records that a project calls global came with it, and get no vectors among the user's own.
        let is_users = |(_, store): &(Scope, &Store)| std::ptr::eq(*store, users);
        let scope = if stores.get(journal_index).is_some_and(is_users) {
            Scope::Global
        } else {
            Scope::Project
        };
        live.push(LiveText {
            key: part.exact(place.doc),
            scope,
            journal_index,
            place,
            created: part.created(place.doc),
        });
    };
    match last {
        Some(count) => plan.each_of_last(&journal_indexes, &admission, count, &mut take),
        None => plan.each_admitted(&journal_indexes, &admission, &mut take),
    }
    live.sort_by(|a, b| b.created.cmp(&a.created).then(a.key.cmp(&b.key)));
    let mut seen: HashSet<(bool, u64)> = HashSet::with_capacity(live.len());
    live.retain(|text| seen.insert((text.scope == Scope::Global, text.key)));
    live
}

fn read_text(stores: &Stores, text: &LiveText) -> Option<String> {
    let stores: Vec<(Scope, &Store)> = stores.in_scope(ScopeFilter::All);
    let (_, store) = stores.get(text.journal_index)?;
    let parts: Vec<Part<'_>> = store.journal_index.parts();
    let span = parts.get(text.place.part)?.span(text.place.doc);
    let line = store.journal.read(span).ok()?;
    match read_line(clean(&line)) {
        LineKind::Record(fields) => Some(fields.text.to_string()),
        _ => None,
    }
}
