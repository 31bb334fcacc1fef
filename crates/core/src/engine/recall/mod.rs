//! Recall: lexical search (BM25, Robertson and Zaragoza 2009) over the records of a project and of its user. Writes nothing.

mod fresh;
mod hit;
mod options;
mod relations;
mod text;

pub(crate) use fresh::check_hits;
pub use hit::RecallHit;
use options::Page;
pub use options::{LIMIT_DEFAULT, LIMIT_MAX, RecallOptions};
pub use text::RecallText;
pub(crate) use text::recall_text;

use rustc_hash::FxHashSet;

use crate::clock::Millis;
use crate::error::{Error, FileError, Result};
use crate::freshness::Basis;
use crate::index::{Correction, Filter, Found, JournalIndex, Part, Plan, Store, Stores, forgiving_words, word_names};
use crate::journal::clean;
use crate::model::hallmark::origin_of;
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::{Fields, LineKind, id_hash, read_line};
use crate::text::QueryWord;

/// Longer queries are truncated.
const QUERY_BYTES_MAX: usize = 16 * 1024;

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallOutcome {
    /// The query.
    pub query: String,
    /// The records, best first.
    pub hits: Vec<RecallHit>,
    /// How many records there were to search.
    pub searched: usize,
    /// Words that no record has, and what was searched for instead.
    pub corrected: Vec<Correction>,
    /// Why there is nothing, what was corrected, or what could not be read.
    pub message: Option<String>,
}

/// How many records match a query, shown or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MatchCounts {
    /// Of the project.
    pub project: usize,
    /// For all projects.
    pub global: usize,
}

impl MatchCounts {
    /// Returns the count of one scope.
    pub fn of(self, scope: Scope) -> usize {
        match scope {
            Scope::Project => self.project,
            Scope::Global => self.global,
        }
    }

    /// Returns the count of both scopes.
    pub fn total(self) -> usize {
        self.project + self.global
    }
}

/// The source of patterns: lines of the older tool do not name one.
const PATTERN_SOURCE: &str = "memory_save";

/// Answers a query. No match, missing files and damaged lines are not errors.
///
/// # Errors
/// `INVALID_INPUT` when an option is wrong.
pub(crate) fn recall(stores: &mut Stores, query: &str, options: &RecallOptions, now: Millis) -> Result<RecallOutcome> {
    let filter = options.filter(now)?;
    let limit = options.limit()?;
    let problems: Vec<String> = stores.refresh().iter().map(Error::to_string).collect();
    let (words, corrected) = understand(stores, query, options.scope);
    let room = fresh::with_spare(&stores.freshness, options, limit);
    let hits = ask(stores, |stores, on_mismatch| {
        search(stores, &words, &filter, options.scope, room, on_mismatch)
    });
    let mut hits = fresh::rank_fresh(&mut stores.freshness, options, hits, limit, now);
    relations::relate(stores, &mut hits, now);
    let searched = stores.count_records(options.scope);
    let mut said: Vec<String> = corrected.iter().map(explain_correction).collect();
    said.extend(explain(query, words.is_empty(), hits.is_empty(), searched, &problems));
    Ok(RecallOutcome {
        query: query.to_owned(),
        hits,
        searched,
        corrected,
        message: (!said.is_empty()).then(|| said.join(" ")),
    })
}

/// Returns the words of a query, those that no record has corrected or completed.
fn understand(stores: &Stores, query: &str, scope: ScopeFilter) -> (Vec<QueryWord>, Vec<Correction>) {
    let stores = stores.in_scope(scope);
    let parts = stores.iter().flat_map(|(_, store)| store.journal_index.parts());
    let parts: Vec<Part<'_>> = parts.filter(|part| part.docs() > 0).collect();
    forgiving_words(cut(query), &parts)
}

fn explain_correction(correction: &Correction) -> String {
    let words: Vec<String> = correction.taken_for.iter().map(|word| quote_query(word)).collect();
    format!(
        "Nothing has {}: searched for {}.",
        quote_query(&correction.word),
        words.join(", ")
    )
}

/// Lists the newest records, and counts all that the options admit.
///
/// # Errors
/// `INVALID_INPUT` when an option is wrong, `UNSAFE_PATH` when the path of a journal is not a regular file.
pub(crate) fn list(stores: &mut Stores, options: &RecallOptions, now: Millis) -> Result<(Vec<RecallHit>, usize)> {
    let filter = options.filter(now)?;
    let page = options.page()?;
    let refused = |error: &Error| matches!(error, Error::File(FileError::UnsafePath { .. }));
    if let Some(error) = stores.refresh().into_iter().find(refused) {
        return Err(error);
    }
    let (mut hits, total) = ask(stores, |stores, on_mismatch| {
        newest(stores, &filter, options.scope, page, on_mismatch)
    });
    relations::relate(stores, &mut hits, now);
    Ok((hits, total))
}

/// Counts what can be recalled: of this project, and for all projects.
pub(crate) fn count_memories(stores: &mut Stores, now: Millis) -> (usize, usize) {
    let mut count = |scope| {
        let options = RecallOptions {
            scope,
            limit: Some(1.0),
            ..RecallOptions::default()
        };
        list(stores, &options, now).map_or(0, |(_, total)| total)
    };
    (count(ScopeFilter::Project), count(ScopeFilter::Global))
}

/// Repeats a question until the index and the journals agree. They disagree after a journal was rewritten in place, or when a
/// segment is damaged. Each round drops such a segment and rebuilds the index, so the loop ends.
fn ask<T>(stores: &mut Stores, mut question: impl FnMut(&mut Stores, OnMismatch) -> Option<T>) -> T {
    let mut on_mismatch = OnMismatch::GiveUp;
    loop {
        if let Some(answer) = question(stores, on_mismatch) {
            return answer;
        }
        stores.rebuild();
        on_mismatch = OnMismatch::PassOver;
    }
}

fn newest(
    stores: &Stores,
    filter: &Filter,
    scope: ScopeFilter,
    page: Page,
    on_mismatch: OnMismatch,
) -> Option<(Vec<RecallHit>, usize)> {
    let stores = stores.in_scope(scope);
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let plan = Plan::new(&[], &journal_indexes);
    let mut total = 0;
    let hits = fill(page, |room| {
        let (found, all) = plan.newest(&journal_indexes, filter, room);
        total = all;
        (collect(&stores, &found, &[], page, on_mismatch), found.len())
    })?;
    (!journal_indexes.iter().any(|journal_index| journal_index.is_damaged())).then_some((hits, total))
}

fn search(
    stores: &mut Stores,
    words: &[QueryWord],
    filter: &Filter,
    scope: ScopeFilter,
    limit: usize,
    on_mismatch: OnMismatch,
) -> Option<Vec<RecallHit>> {
    let (stores, windows) = stores.searched_in(scope);
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let plan = Plan::new(words, &journal_indexes);
    let page = Page { offset: 0, limit };
    let hits = fill(page, |room| {
        let found = plan.best(&journal_indexes, filter, room, windows);
        (collect(&stores, &found, words, page, on_mismatch), found.len())
    });
    hits.filter(|_| !journal_indexes.iter().any(|journal_index| journal_index.is_damaged()))
}

/// Counts the records of each scope that match a query; copies of one text count once.
fn count_matches(stores: &mut Stores, query: &str, scope: ScopeFilter, now: Millis) -> Result<MatchCounts> {
    let filter = RecallOptions::default().filter(now)?;
    let (words, _) = understand(stores, query, scope);
    let (stores, windows) = stores.searched_in(scope);
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let mut seen: FxHashSet<(bool, u64)> = FxHashSet::default();
    Plan::new(&words, &journal_indexes).each_match(&journal_indexes, &filter, windows, |journal_index, part, doc| {
        let is_global = stores
            .get(journal_index)
            .is_some_and(|(scope, _)| *scope == Scope::Global);
        seen.insert((is_global, part.exact(doc)));
    });
    let global = seen.iter().filter(|(is_global, _)| *is_global).count();
    Ok(MatchCounts {
        project: seen.len() - global,
        global,
    })
}

impl RecallOutcome {
    /// Adds what was not searched to the message.
    pub(crate) fn with_remark(mut self, remark: Option<String>) -> Self {
        if let Some(remark) = remark {
            self.message = Some(joined(self.message.take(), &remark));
        }
        self
    }
}

/// Joins two remarks into one message.
fn joined(message: Option<String>, remark: &str) -> String {
    message.map_or_else(|| remark.to_owned(), |message| format!("{message} {remark}"))
}

/// What to do when a record is not at the span that the index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnMismatch {
    /// Give no answer: the caller rebuilds the index.
    GiveUp,
    /// Skip it: the index was rebuilt, and one damaged line must not hide the others.
    PassOver,
}

/// Searches for a few more records than the page needs, then four times as many while hits are missing: duplicates, which a writer
/// without the lock may have left, are dropped afterwards. `look` returns the hits and the number of records found.
fn fill(page: Page, mut look: impl FnMut(usize) -> (Option<Vec<RecallHit>>, usize)) -> Option<Vec<RecallHit>> {
    let mut room = page.offset + page.limit + 8;
    loop {
        let (hits, found) = look(room);
        let hits = hits?;
        if hits.len() >= page.limit || found < room {
            return Some(hits);
        }
        room *= 4;
    }
}

/// Reads the records that were found; `None` when one is not at its span and `on_mismatch` does not skip it.
fn collect(
    stores: &[(Scope, &Store)],
    found: &[Found],
    words: &[QueryWord],
    page: Page,
    on_mismatch: OnMismatch,
) -> Option<Vec<RecallHit>> {
    let mut hits: Vec<RecallHit> = Vec::with_capacity(found.len().min(page.limit));
    let mut seen: FxHashSet<(bool, u64)> = FxHashSet::default();
    let parts_of: Vec<Vec<Part<'_>>> = stores.iter().map(|(_, store)| store.journal_index.parts()).collect();
    let names = word_names(words);
    for found in found {
        if hits.len() == page.limit {
            break;
        }
        let at = found.journal_index;
        let (Some((scope, store)), Some((older, [part, ..]))) = (
            stores.get(at).copied(),
            parts_of
                .get(at)
                .and_then(|parts| parts.split_at_checked(found.place.part)),
        ) else {
            // The search answers places of these indexes only; any other is one that does not match.
            match on_mismatch {
                OnMismatch::GiveUp => return None,
                _ => continue,
            }
        };
        let text = (scope == Scope::Global, part.exact(found.place.doc));
        if seen.contains(&text) {
            continue;
        }
        if seen.len() < page.offset {
            // Records before the page are counted by the index: reading them would cost more than the page.
            seen.insert(text);
            continue;
        }
        let line = store.journal.read(part.span(found.place.doc)).unwrap_or_default();
        match read_line(clean(&line)) {
            LineKind::Record(fields) if id_hash(&fields.id) == part.id(found.place.doc) => {
                seen.insert(text);
                let base = older.iter().map(|part| part.docs()).sum();
                let (_, expires) = store.journal_index.gone_and_expires(*part, base, found.place.doc);
                let mut hit = hit_of(&fields, scope, expires, found, &names);
                hit.basis = Basis {
                    origin: origin_of(clean(&line)),
                    made_at: fields.at_ms,
                    confirmed_at: store.journal_index.gone_and_confirmed(found.place).1,
                };
                hits.push(hit);
            }
            _ if on_mismatch == OnMismatch::GiveUp => return None,
            _ => {}
        }
    }
    Some(hits)
}

fn hit_of(fields: &Fields<'_>, scope: Scope, expires: Millis, found: &Found, names: &[&str]) -> RecallHit {
    RecallHit {
        id: fields.id.to_string(),
        scope,
        kind: fields.kind.to_string(),
        text: fields.text.to_string(),
        confidence: fields.confidence,
        tags: fields.tags.iter().map(|tag| tag.to_string()).collect(),
        source: if fields.source.is_empty() {
            PATTERN_SOURCE.to_owned()
        } else {
            fields.source.to_string()
        },
        created_at: fields.at.to_string(),
        expires_at: (expires != crate::model::thought::NEVER).then_some(expires),
        score: f64::from(found.score),
        matched: found.words_among(names),
        freshness: None,
        basis: Basis::default(),
        contradicted_by: Vec::new(),
        supersedes: Vec::new(),
    }
}

fn explain(query: &str, wordless: bool, empty: bool, searched: usize, problems: &[String]) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    if empty {
        said.push(match (searched, wordless) {
            (0, _) => "No memories found.".to_owned(),
            (_, true) => "The query has no words to search for.".to_owned(),
            _ => format!("No matches for {}.", quote_query(query)),
        });
    }
    said.extend(problems.iter().map(|problem| format!("Not searched: {problem}.")));
    (!said.is_empty()).then(|| said.join(" "))
}

fn quote_query(query: &str) -> String {
    let short: String = query.chars().filter(|c| !c.is_control()).take(120).collect();
    format!("\"{short}\"")
}

fn cut(query: &str) -> &str {
    let mut end = query.len().min(QUERY_BYTES_MAX);
    while !query.is_char_boundary(end) {
        end -= 1;
    }
    &query[..end]
}
