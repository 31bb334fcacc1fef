//! Recall: search by words (BM25, Robertson and Zaragoza 2009) and, where the model is installed, by meaning, over the records of a
//! project and of its user. Writes nothing but the vectors of a few new records.

mod by_meaning;
mod by_words;
mod context;
mod counting;
mod diversity;
mod explained;
mod hit;
mod marks;
mod message;
mod near;
mod options;
mod question;
mod ranking;
mod reading;
mod recency;
mod successors;
mod talk;
mod text;
mod texts;
mod wording;

pub(crate) use counting::count;
pub use counting::{CountedBy, MemoryCount};
pub use hit::{Explained, OtherWorktree, RecallHit};
pub(crate) use marks::check_hits;
use message::{AnswerFacts, message_of};
pub(crate) use near::{Likeness, Near, likenesses, near};
use options::Page;
pub use options::{LIMIT_DEFAULT, LIMIT_MAX, Mode, RecallOptions, RecallQuery, RecordName, RecordNames, ShowOptions};
use question::Question;
use ranking::{Ranking, SPARE};
pub(crate) use reading::shown_source;
use reading::{HitReader, OnMismatch, read_page};
use schemars::JsonSchema;
use serde::Serialize;
pub use text::RecallText;
pub(crate) use text::{ENTRIES_MAX, recall_text};
use texts::Texts;

use rustc_hash::FxHashSet;

use crate::clock::Millis;
use crate::engine::embedding::{embed_last, poor_coverage};
use crate::error::{Error, FileError, Result};
use crate::index::{Correction, Filter, Found, JournalIndex, Part, Plan, Searched, Store, Stores, forgiving_words};
use crate::meaning::{Meaning, QueryVectors};
use crate::model::scope::{Scope, ScopeFilter};
use crate::text::highlight::Highlighter;
use crate::text::lines::head;
use crate::text::relevance::{Covered, QueryMass, Relevance, is_doubtful_by_words};
use crate::text::{QueryWord, asked_words};

/// Longer queries are truncated.
const QUERY_BYTES_MAX: usize = 16 * 1024;

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecallOutcome {
    /// The query.
    pub query: String,
    /// Best first.
    pub hits: Vec<RecallHit>,
    /// How the records were ranked; `fused` is by words and meaning.
    pub mode: Mode,
    /// The number of memories in the scope: of the current records.
    pub searched: usize,
    /// Words that no record contains, and their replacements; absent when all words are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<Correction>,
    /// Why nothing was found, which words were corrected, or which files could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The newest records.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MemoryList {
    /// The records.
    pub entries: Vec<RecallHit>,
    /// The total number of records.
    pub total: usize,
}

/// The number of matching records by scope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
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

/// The hits, and whether any of them is relevant.
struct Findings {
    hits: Vec<RecallHit>,
    relevance: Relevance,
}

/// Answers a query. No match, missing files and damaged lines are not errors.
///
/// # Errors
/// `INVALID_INPUT` when an option is wrong.
pub(crate) fn recall(
    stores: &mut Stores,
    meaning: &mut Meaning,
    query: &str,
    options: &RecallOptions,
    now: Millis,
) -> Result<RecallOutcome> {
    let query = head(query, QUERY_BYTES_MAX);
    let has_vectors = options.mode != Mode::Words && meaning.refresh() && {
        embed_last(stores, meaning, now);
        true
    };
    let (mode, coded, remark) = by_meaning::choose_mode(meaning, has_vectors, query, options.mode);
    let (mut outcome, relevance) = answer(stores, Some(&mut *meaning).zip(coded), query, options, mode, now)?;
    if relevance == Relevance::None && !outcome.hits.is_empty() {
        outcome.hits.clear();
        outcome.message = Some(message::nothing_relevant(query, outcome.message.take()));
    }
    let poor = match mode {
        Mode::Words => None,
        Mode::Auto | Mode::Meaning => poor_coverage(stores, meaning, now),
    };
    Ok(outcome
        .with_remark(remark)
        .with_remark(poor.map(message::poorly_covered)))
}

/// Answers a query by its words alone, relevant or not: for callers that judge the hits themselves.
///
/// # Errors
/// As [`recall`].
pub(crate) fn recall_by_words(
    stores: &mut Stores,
    query: &str,
    options: &RecallOptions,
    now: Millis,
) -> Result<RecallOutcome> {
    answer(stores, None, head(query, QUERY_BYTES_MAX), options, Mode::Words, now).map(|(outcome, _)| outcome)
}

/// Answers a query by its words from records that are asked after the own ones: what is relevant, of what the project has now.
///
/// # Errors
/// As [`recall`].
pub(crate) fn recall_beside(
    stores: &mut Stores,
    query: &str,
    options: &RecallOptions,
    now: Millis,
) -> Result<Vec<RecallHit>> {
    if options.mode == Mode::Meaning || options.at.is_some() || options.scope == ScopeFilter::Global {
        return Ok(Vec::new());
    }
    // Of a few records, most words are in none.
    let options = RecallOptions {
        is_literal: true,
        ..options.clone()
    };
    let (outcome, relevance) = answer(stores, None, head(query, QUERY_BYTES_MAX), &options, Mode::Words, now)?;
    Ok(if relevance == Relevance::None {
        Vec::new()
    } else {
        outcome.hits
    })
}

fn answer(
    stores: &mut Stores,
    mut meaning: Option<(&mut Meaning, QueryVectors)>,
    query: &str,
    options: &RecallOptions,
    mode: Mode,
    now: Millis,
) -> Result<(RecallOutcome, Relevance)> {
    let filter = successors::reaching_retired(options.filter(now)?);
    let limit = options.limit()?;
    let problems: Vec<String> = stores.refresh().iter().map(Error::to_string).collect();
    let (words, corrected) = if options.is_literal {
        (asked_words(query), Vec::new())
    } else {
        understand(stores, query, options.scope)
    };
    let Findings { mut hits, relevance } = ask(stores, |stores, on_mismatch| {
        loop {
            let question = Question {
                query,
                words: &words,
                corrected: &corrected,
                filter: &filter,
                scope: options.scope,
                limit: limit.max(recency::COMPARED_MAX),
                meaning: meaning.as_ref().map(|(meaning, coded)| (&**meaning, coded)),
                mode,
            };
            let found = search(stores, &question, on_mismatch);
            // Each round drops a damaged file of vectors, so this ends.
            match &mut meaning {
                Some((meaning, _)) if meaning.is_damaged() => meaning.refresh(),
                _ => break found,
            };
        }
    });
    recency::put_newer_first(stores, query, &mut hits);
    hits.truncate(limit);
    marks::relate(stores, &mut hits, now);
    marks::mark_weaker(&mut hits);
    explained::explain(stores, &mut hits, options, now)?;
    if options.highlights {
        let highlighter = Highlighter::new(&words);
        hits.iter_mut()
            .for_each(|hit| hit.highlights = Some(highlighter.highlights(&hit.text)));
    }
    let message = message_of(&AnswerFacts {
        query,
        is_wordless: words.is_empty() && mode == Mode::Words,
        is_empty: hits.is_empty(),
        is_bare: hits.is_empty() && !stores.has_current(options.scope, now),
        corrected: &corrected,
        problems: &problems,
    });
    let outcome = RecallOutcome {
        searched: 0,
        query: query.to_owned(),
        hits,
        mode,
        corrected,
        message,
    };
    Ok((outcome, relevance))
}

/// Returns the words of a query. Words that no record contains are corrected or completed.
fn understand(stores: &Stores, query: &str, scope: ScopeFilter) -> (Vec<QueryWord>, Vec<Correction>) {
    let stores = stores.in_scope(scope);
    let parts = stores.iter().flat_map(|(_, store)| store.journal_index.parts());
    let parts: Vec<Part<'_>> = parts.filter(|part| part.docs() > 0).collect();
    forgiving_words(query, parts.as_slice())
}

/// Lists the newest records, and counts all that the options admit.
///
/// # Errors
/// `INVALID_INPUT` when an option is wrong, `UNSAFE_PATH` when the path of a journal is not a regular file.
pub(crate) fn list(stores: &mut Stores, options: &RecallOptions, now: Millis) -> Result<(Vec<RecallHit>, usize)> {
    let filter = options.filter(now)?;
    let page = options.page()?;
    refresh(stores)?;
    let (mut hits, total) = ask(stores, |stores, on_mismatch| {
        newest(stores, &filter, options.scope, page, on_mismatch)
    });
    marks::relate(stores, &mut hits, now);
    Ok((hits, total))
}

/// Reads what is new; a journal that is no regular file is refused.
fn refresh(stores: &mut Stores) -> Result<()> {
    let refused = |error: &Error| matches!(error, Error::File(FileError::UnsafePath { .. }));
    stores.refresh().into_iter().find(refused).map_or(Ok(()), Err)
}

/// How many more records than wanted are looked at, because the ones written last need not be the newest.
const RECENT_TIMES: usize = 4;

/// Returns about the newest records, the newest first, at a cost that does not grow with the history.
///
/// # Errors
/// `INVALID_INPUT` when an option is wrong.
pub(crate) fn list_recent(stores: &mut Stores, options: &RecallOptions, now: Millis) -> Result<Vec<RecallHit>> {
    let mut filter = options.filter(now)?;
    // Looking for more of them would lead back to the first record.
    let since = filter.since.take().unwrap_or(Millis::MIN);
    let page = options.page()?;
    stores.refresh();
    let mut hits = ask(stores, |stores, on_mismatch| {
        let stores = stores.in_scope(options.scope);
        let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
        let plan = Plan::new(&[], &journal_indexes);
        let mut found = plan.written_last(&journal_indexes, &filter, page.limit * RECENT_TIMES);
        found.retain(|found| found.created >= since);
        let hits = read_page(&mut HitReader::new(&stores, &found, &[], on_mismatch), page).ok()?;
        (!journal_indexes.iter().any(|journal_index| journal_index.is_damaged())).then_some(hits)
    });
    marks::relate(stores, &mut hits, now);
    Ok(hits)
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
    let mut total = 0;
    let hits = fill(page.offset + page.limit, |room| {
        let (found, all) = found_newest(&stores, filter, room);
        total = all;
        let mut reader = HitReader::new(&stores, &found, &[], on_mismatch);
        let hits = read_page(&mut reader, page).ok()?;
        let is_last = hits.len() >= page.limit || found.len() < room;
        Some((hits, is_last))
    })?;
    (!has_damage(&stores)).then_some((hits, total))
}

/// Finds so many of the newest records, and counts the texts of all.
fn found_newest(stores: &[(Scope, &Store)], filter: &Filter, limit: usize) -> (Vec<Found>, usize) {
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let scope_of = |at: usize| stores.get(at).map(|(scope, _)| *scope == Scope::Global);
    Plan::new(&[], &journal_indexes).newest(&journal_indexes, scope_of, filter, limit)
}

fn has_damage(stores: &[(Scope, &Store)]) -> bool {
    stores.iter().any(|(_, store)| store.journal_index.is_damaged())
}

fn search(stores: &mut Stores, question: &Question<'_>, on_mismatch: OnMismatch) -> Option<Findings> {
    let Searched {
        stores,
        windows,
        freshness,
    } = stores.searched_in(question.scope);
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let plan = Plan::new(question.words, &journal_indexes);
    let replaced: Vec<Vec<String>> = question.corrected.iter().map(|one| one.taken_for.clone()).collect();
    let mass = plan.mass(question.words, &replaced);
    let texts = Texts::new(&stores);
    let mut relevance = Relevance::None;
    let hits = fill(question.limit + SPARE, |room| {
        let by_meaning::Ranked { mut found, nearness } = match question.meaning {
            Some(_) => by_meaning::rank(&plan, &stores, question, &mass, room, windows),
            None => by_meaning::Ranked {
                found: by_words::rank(&plan, &journal_indexes, &texts, question, room, windows),
                nearness: None,
            },
        };
        let count = found.len();
        successors::follow(&stores, &mut found, question.filter);
        let covered = covered_by(&mass, &found);
        relevance = question.calibration().judge(question.query, covered, nearness);
        if relevance == Relevance::None && found.iter().any(is_unknown) {
            // The compared records are about something else. Of the others nothing is known, so their words decide as without a model.
            found.retain(is_unknown);
            relevance = question
                .calibration()
                .judge(question.query, covered_by(&mass, &found), None);
        }
        let is_weak = |found: &Found| {
            if question.meaning.is_none() {
                // Without vectors, relevance is decided for the answer as a whole.
                return relevance == Relevance::Weak;
            }
            let covered = covered.by(mass.coverage(found.words));
            match found.cosine {
                Some(cosine) => question
                    .calibration()
                    .is_doubtful(question.query, covered, f64::from(cosine)),
                None => is_doubtful_by_words(question.query, covered),
            }
        };
        let reader = HitReader::new(&stores, &found, question.words, on_mismatch);
        let judge = |found: &Found| (mass.coverage(found.words), is_weak(found));
        let ranking = Ranking::new(reader, &stores, freshness, question, &judge);
        let (hits, is_short) = ranking.into_hits().ok()?;
        let is_last = !is_short || count < room;
        Some((hits, is_last))
    });
    let hits = hits.filter(|_| !journal_indexes.iter().any(|journal_index| journal_index.is_damaged()))?;
    Some(Findings { hits, relevance })
}

fn covered_by(mass: &QueryMass, found: &[Found]) -> Covered {
    Covered::of(mass, found.iter().map(|found| found.words))
}

/// Returns true if a record was found by its words, and has no vector to compare.
fn is_unknown(found: &Found) -> bool {
    found.cosine.is_none() && found.words != 0
}

/// Counts the records of each scope that match a query; copies of one text count once.
fn count_matches(stores: &mut Stores, query: &str, scope: ScopeFilter, now: Millis) -> Result<MatchCounts> {
    let filter = RecallOptions::default().filter(now)?;
    let (words, _) = understand(stores, query, scope);
    let Searched { stores, windows, .. } = stores.searched_in(scope);
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
    /// Adds a remark about gaps of the search to the message.
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

/// Searches for a few more records than needed, then four times as many while hits are missing, because duplicates (which a writer
/// without the lock may have stored) are dropped afterwards. `look` returns the hits among that many records, and whether there are no
/// more.
fn fill(needed: usize, mut look: impl FnMut(usize) -> Option<(Vec<RecallHit>, bool)>) -> Option<Vec<RecallHit>> {
    let mut room = needed + 8;
    loop {
        let (hits, is_last) = look(room)?;
        if is_last {
            return Some(hits);
        }
        room *= 4;
    }
}
