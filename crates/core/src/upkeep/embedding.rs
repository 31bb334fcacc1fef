//! Computes the vectors of records in batches, newest first: in the background of long-lived processes, and on request.
//! Vectors are derived data. Each batch is stored, so an interrupted pass is continued by the next one.

use std::collections::HashSet;

use forge_memory_sorting::Arrange;
use rustc_hash::FxHashSet;

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::index::{Filter, JournalIndex, Part, Place, Plan, Store, Stores};
use crate::journal::clean;
use crate::meaning::{Counted, Meaning};
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::{LineKind, read_line};
use crate::project::Project;
use crate::project::environment::TextEmbedder;
use crate::text::passages::passages;

/// The batch size: the number of passages per call of the model.
const PASSAGES_TOGETHER: usize = 16;

/// How many of the current records have vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Texts with vectors.
    pub covered: usize,
    /// All texts; copies of one count once.
    pub total: usize,
    /// How many bytes the vectors take.
    pub bytes: u64,
}

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
        Some(self.count())
    }

    /// Counts, unless nothing was written since the last count. Expiry is ignored, because checking it would read every
    /// record.
    fn count(&mut self) -> Coverage {
        let (project, global) = (self.meaning.of(Scope::Project), self.meaning.of(Scope::Global));
        let journals = self.stores.in_scope(ScopeFilter::All);
        let journals = journals.iter().map(|(_, store)| store.journal_index.covered());
        let of = (project.version(), global.version(), journals.collect());
        let bytes = project.bytes() + global.bytes();
        if let Some(known) = self.meaning.counted.as_ref().filter(|known| known.of == of) {
            return Coverage {
                covered: known.covered,
                total: known.total,
                bytes,
            };
        }
        let live = live_texts(self.stores, self.now);
        let covered = live.iter().filter(|text| self.meaning.of(text.scope).has(text.key));
        let (covered, total) = (covered.count(), live.len());
        self.meaning.counted = Some(Counted { of, covered, total });
        Coverage { covered, total, bytes }
    }

    /// Embeds texts that have no vectors yet, until `passages_max` passages are embedded. This takes long: run it on a
    /// separate thread with a separate memory.
    ///
    /// # Errors
    /// `UNSUPPORTED` when the model is not installed or disabled in the settings, `MODEL_MISSING` or `CORRUPT` when it
    /// cannot be read, `IO` when the vectors cannot be written.
    pub fn embed_missing(&mut self, passages_max: usize) -> Result<EmbeddingPass> {
        self.meaning.choose_model();
        let embedder = self.meaning.embedder().cloned().ok_or_else(|| Error::Unsupported {
            what: "search by meaning".to_owned(),
            reason: "the model is not installed, or \"embedder\" of .forge.json is \"none\"".to_owned(),
        })?;
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
        pass.coverage = self.count();
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
            let mut pieces = passages(&content);
            if pieces.is_empty() {
                // An empty text gets a vector as well; otherwise it would be counted as missing forever.
                pieces.push("");
            }
            *room = room.saturating_sub(pieces.len());
            made.push((text.key, embed(embedder, &pieces)?));
        }
        let needed: FxHashSet<u64> = live.iter().map(|text| text.key).collect();
        vectors.add(&made, |key| needed.contains(&key))?;
        Ok(made.len())
    }
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
    let stores = stores.in_scope(ScopeFilter::All);
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let plan = Plan::new(&[], &journal_indexes);
    let filter = Filter {
        now,
        ..Filter::default()
    };
    let mut live: Vec<LiveText> = Vec::new();
    plan.each_admitted(
        &journal_indexes,
        &plan.admission(&filter),
        |journal_index, part, place| {
            let scope = stores.get(journal_index).map_or(Scope::Project, |(scope, _)| *scope);
            live.push(LiveText {
                key: part.exact(place.doc),
                scope,
                journal_index,
                place,
                created: part.created(place.doc),
            });
        },
    );
    live.arrange_by(|a, b| b.created.cmp(&a.created).then(a.key.cmp(&b.key)));
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
