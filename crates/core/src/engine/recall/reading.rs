//! Reads the records that a search has found.

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

    /// Returns the labels of the next record of another text.
    ///
    /// # Errors
    /// As [`HitReader::read_next`].
    pub fn next_tags(&mut self) -> Result<Option<Vec<String>>, Mismatch> {
        self.next_that(|reader, found| reader.of_line(found, |at| tags_of(&at.fields)))
    }

    /// Returns the next hit and where it was found.
    ///
    /// # Errors
    /// A record is not at its span, and the reader does not pass over such records.
    pub fn read_next(&mut self) -> Result<Option<(RecallHit, &'a Found)>, Mismatch> {
        self.next_that(|reader, found| Some((reader.read(found)?, found)))
    }

    /// Returns the next record of another text, without reading it.
    pub fn next_text(&mut self) -> Option<&'a Found> {
        self.next_that(|_, found| Some(found)).ok().flatten()
    }

    /// Returns what can be read of the next record of another text. Of copies, the first that can be read counts.
    fn next_that<T>(&mut self, read: impl Fn(&Self, &'a Found) -> Option<T>) -> Result<Option<T>, Mismatch> {
        while let Some((found, rest)) = self.rest.split_first() {
            self.rest = rest;
            let text = self.text_of(found);
            if text.is_some_and(|text| self.seen.contains(&text)) {
                continue;
            }
            match read(self, found) {
                Some(one) => {
                    self.seen.extend(text);
                    return Ok(Some(one));
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

    /// Hands over the line of a record; `None` when it is not at its span.
    fn of_line<T>(&self, found: &Found, read: impl FnOnce(AtSpan<'_>) -> T) -> Option<T> {
        let (scope, store) = self.stores.get(found.journal_index)?;
        let part = self.parts.get(found.journal_index)?.get(found.place.part)?;
        let doc = found.place.doc;
        let line = store.journal.read(part.span(doc)).ok()?;
        let line = clean(&line);
        let LineKind::Record(fields) = read_line(line) else {
            return None;
        };
        if id_hash(&fields.id) != part.id(doc) {
            return None;
        }
        Some(read(AtSpan {
            scope: *scope,
            store,
            part: *part,
            line,
            fields,
        }))
    }

    fn read(&self, found: &Found) -> Option<RecallHit> {
        let older = self.parts.get(found.journal_index)?.get(..found.place.part)?;
        let base = older.iter().map(|part| part.docs()).sum();
        let doc = found.place.doc;
        self.of_line(found, |at| {
            let index = &at.store.journal_index;
            let (_, expires) = index.gone_and_expires(at.part, base, doc);
            let mut hit = hit_of(&at.fields, at.scope, expires, found, &self.names).with_facts(Facts::read(at.line));
            let (standings, id) = (index.standings(), id_hash(&at.fields.id));
            hit.is_vouched = standings.vouches_for(&id, hit.author);
            let lift = standings.lift_of(&id);
            hit.confidence = lift.at_least(hit.confidence);
            hit.content = at.part.content_sketch(doc);
            hit.basis = Basis {
                origin: origin_of(at.line),
                made_at: at.fields.at_ms,
                confirmed_at: index.gone_and_confirmed(found.place).1,
            };
            hit
        })
    }
}

/// A record at the span that the index has of it.
struct AtSpan<'l> {
    scope: Scope,
    store: &'l Store,
    part: Part<'l>,
    line: &'l [u8],
    fields: Fields<'l>,
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
        tags: tags_of(fields),
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

fn tags_of(fields: &Fields<'_>) -> Vec<String> {
    fields.tags.iter().map(|tag| tag.to_string()).collect()
}
