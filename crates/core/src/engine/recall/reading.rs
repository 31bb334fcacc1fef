//! Reads the records that a search has found.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::hit::RecallHit;
use super::options::Page;
use crate::clock::Millis;
use crate::freshness::Basis;
use crate::index::{Found, Part, Store, word_names};
use crate::journal::clean;
use crate::model::hallmark::origin_of;
use crate::model::scope::Scope;
use crate::model::thought::{Facts, Fields, LineKind, id_hash, read_line};
use crate::text::QueryWord;

/// The source of patterns: lines of the older tool do not name one.
const PATTERN_SOURCE: &str = "memory_save";

/// Returns the source that answers show.
pub(crate) fn shown_source(written: &str) -> String {
    let source = if written.is_empty() { PATTERN_SOURCE } else { written };
    source.to_owned()
}

/// What to do when the span of a record in the index is out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnMismatch {
    /// Give no answer: the caller rebuilds the index.
    GiveUp,
    /// Skip it: the index was rebuilt, and one damaged line must not hide the others.
    PassOver,
}

/// The index is out of date: a record is not at its span.
pub(super) struct Mismatch;

/// Reads the records that a search has found one by one, best first; copies of one text are read once.
pub(super) struct HitReader<'a> {
    stores: &'a [(Scope, &'a Store)],
    parts: Vec<Vec<Part<'a>>>,
    rest: &'a [Found],
    names: Vec<&'a str>,
    on_mismatch: OnMismatch,
    seen: FxHashSet<(bool, u64)>,
}

impl<'a> HitReader<'a> {
    pub fn new(
        stores: &'a [(Scope, &'a Store)],
        found: &'a [Found],
        words: &'a [QueryWord],
        on_mismatch: OnMismatch,
    ) -> Self {
        HitReader {
            stores,
            parts: stores.iter().map(|(_, store)| store.journal_index.parts()).collect(),
            rest: found,
            names: word_names(words),
            on_mismatch,
            seen: FxHashSet::default(),
        }
    }

    /// Returns the best score of those that were not read yet.
    pub fn next_score(&self) -> Option<f64> {
        self.rest.first().map(|found| f64::from(found.score))
    }

    /// Skips a number of texts without reading them; the index identifies copies.
    pub fn skip_texts(&mut self, count: usize) {
        while self.seen.len() < count
            && let Some((found, rest)) = self.rest.split_first()
        {
            self.rest = rest;
            self.seen.extend(self.text_of(found));
        }
    }

    /// Returns the next record of another text, without reading it.
    pub fn next_text(&mut self) -> Option<&'a Found> {
        while let Some((found, rest)) = self.rest.split_first() {
            self.rest = rest;
            if self.text_of(found).is_none_or(|text| self.seen.insert(text)) {
                return Some(found);
            }
        }
        None
    }

    /// Returns the labels of the next record of another text.
    ///
    /// # Errors
    /// As [`HitReader::read_next`].
    pub fn next_tags(&mut self) -> Result<Option<Vec<String>>, Mismatch> {
        while let Some(found) = self.next_text() {
            match self.tags_of(found) {
                Some(tags) => return Ok(Some(tags)),
                None if self.on_mismatch == OnMismatch::GiveUp => return Err(Mismatch),
                None => {}
            }
        }
        Ok(None)
    }

    /// Returns the next hit and where it was found.
    ///
    /// # Errors
    /// A record is not at its span, and the reader does not pass over such records.
    pub fn read_next(&mut self) -> Result<Option<(RecallHit, &'a Found)>, Mismatch> {
        while let Some((found, rest)) = self.rest.split_first() {
            self.rest = rest;
            let text = self.text_of(found);
            if text.is_some_and(|text| self.seen.contains(&text)) {
                continue;
            }
            match self.read(found) {
                Some(hit) => {
                    self.seen.extend(text);
                    return Ok(Some((hit, found)));
                }
                None if self.on_mismatch == OnMismatch::GiveUp => return Err(Mismatch),
                None => {}
            }
        }
        Ok(None)
    }

    /// Returns the identity of a text, which copies share: whether it is for all projects, and the hash of exact duplicates.
    fn text_of(&self, found: &Found) -> Option<(bool, u64)> {
        let (scope, _) = self.stores.get(found.journal_index)?;
        let part = self.parts.get(found.journal_index)?.get(found.place.part)?;
        Some((*scope == Scope::Global, part.exact(found.place.doc)))
    }

    fn tags_of(&self, found: &Found) -> Option<Vec<String>> {
        let (_, store) = self.stores.get(found.journal_index)?;
        let part = self.parts.get(found.journal_index)?.get(found.place.part)?;
        let doc = found.place.doc;
        let line = store.journal.read(part.span(doc)).ok()?;
        let LineKind::Record(fields) = read_line(clean(&line)) else {
            return None;
        };
        if id_hash(&fields.id) != part.id(doc) {
            return None;
        }
        Some(fields.tags.into_iter().map(Cow::into_owned).collect())
    }

    fn read(&self, found: &Found) -> Option<RecallHit> {
        let (scope, store) = self.stores.get(found.journal_index)?;
        let (older, [part, ..]) = self
            .parts
            .get(found.journal_index)?
            .split_at_checked(found.place.part)?
        else {
            return None;
        };
        let doc = found.place.doc;
        let line = store.journal.read(part.span(doc)).ok()?;
        let line = clean(&line);
        let LineKind::Record(fields) = read_line(line) else {
            return None;
        };
        if id_hash(&fields.id) != part.id(doc) {
            return None;
        }
        let base = older.iter().map(|part| part.docs()).sum();
        let (_, expires) = store.journal_index.gone_and_expires(*part, base, doc);
        let mut hit = hit_of(&fields, *scope, expires, found, &self.names).with_facts(Facts::read(line));
        let (standings, id) = (store.journal_index.standings(), id_hash(&fields.id));
        hit.is_vouched = standings.vouches_for(&id, hit.author);
        let lift = standings.lift_of(&id);
        hit.confidence = lift.at_least(hit.confidence);
        hit.content = part.content_sketch(doc);
        hit.basis = Basis {
            origin: origin_of(line),
            made_at: fields.at_ms,
            confirmed_at: store.journal_index.gone_and_confirmed(found.place).1,
        };
        Some(hit)
    }
}

/// Reads a page of the records that were found.
///
/// # Errors
/// As [`HitReader::read_next`].
pub(super) fn read_page(reader: &mut HitReader<'_>, page: Page) -> Result<Vec<RecallHit>, Mismatch> {
    reader.skip_texts(page.offset);
    let mut hits = Vec::with_capacity(page.limit.min(reader.rest.len()));
    while hits.len() < page.limit
        && let Some((hit, _)) = reader.read_next()?
    {
        hits.push(hit);
    }
    Ok(hits)
}

fn hit_of(fields: &Fields<'_>, scope: Scope, expires: Millis, found: &Found, names: &[&str]) -> RecallHit {
    RecallHit {
        id: fields.id.to_string(),
        scope,
        kind: fields.kind.to_string(),
        text: fields.text.to_string(),
        confidence: fields.confidence,
        tags: fields.tags.iter().map(|tag| tag.to_string()).collect(),
        project: fields.project.to_string(),
        author: fields.author,
        source: shown_source(&fields.source),
        came_from: fields.origin(),
        source_file: Some(fields.source_file.to_string()).filter(|path| !path.is_empty()),
        created_at: fields.at.to_string(),
        expires_at: (expires != crate::model::thought::NEVER).then_some(expires),
        score: f64::from(found.score),
        cosine: found.cosine.map(f64::from),
        matched: found.words_among(names),
        context: f64::from(found.context),
        ..RecallHit::default()
    }
}
