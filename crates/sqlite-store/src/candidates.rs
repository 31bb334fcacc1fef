//! Candidates by words. The full-text index ranks rows by BM25, for which it reads the positions and the length of each row that contains any
//! word of the query. Where these are many, a shortlist is made first, term at a time: each row gets the sum of the inverse document
//! frequencies of its terms, from the lists of rows alone. The best ones are put in order with their lengths as well.

use std::cell::RefCell;
use std::cmp::Reverse;

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use super::StoreFilter;
use super::text::{any_of, in_scope, term_name};
use forge_memory_core::index::KnownWords;
use forge_memory_core::text::analysis::Analysis;
use forge_memory_core::text::{QueryWord, TermHash, Vocabulary, searched_words};

/// How many matches the full-text index ranks: about a microsecond each.
pub(super) const RANKED_MAX: usize = 4000;
/// How many terms one word may have, and how many times as many matches are ranked then.
const ONE_WORD: usize = 2;
const ONE_WORD_FACTOR: usize = 5;
/// How many rows of a shortlist are put in order with their lengths.
const SHORTLIST: usize = 1500;
/// The constants of BM25 in the full-text index.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// How many texts are read for their spellings, the newest: a word that no text has is looked for among them.
const SPELLED_MAX: usize = 20_000;

/// In how many texts each term is.
#[derive(Debug, Default)]
pub(super) struct TermCounts {
    /// The version of the data at which the counts were taken.
    version: i64,
    counts: FxHashMap<TermHash, u32>,
    /// The spellings of the newest texts, once a query needed them.
    spelled: Option<Box<Analysis>>,
}

/// The words of a store, for the correction of a query.
pub(super) struct StoredWords<'c> {
    pub connection: &'c Connection,
    pub counts: RefCell<&'c mut TermCounts>,
}

impl KnownWords for StoredWords<'_> {
    fn count(&self, term: TermHash) -> u32 {
        self.counts.borrow_mut().of(self.connection, term)
    }

    fn each_spelling(&self, first: char, visit: &mut dyn FnMut(&str, usize)) {
        let mut counts = self.counts.borrow_mut();
        let spelled = counts.spelled.take();
        // Without them nothing is corrected.
        let spelled = spelled.or_else(|| spellings_of(self.connection).ok().map(Box::new));
        let words = spelled.iter().filter_map(|analysis| analysis.vocabulary());
        let words = words.flat_map(Vocabulary::iter);
        words
            .filter(|word| word.starts_with(first))
            .for_each(|word| visit(word, 0));
        counts.spelled = spelled;
    }
}

fn spellings_of(connection: &Connection) -> rusqlite::Result<Analysis> {
    let mut analysis = Analysis::with_vocabulary();
    let sql = "SELECT content FROM thoughts WHERE hidden = 0 ORDER BY seq DESC LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([SPELLED_MAX])?;
    while let Some(row) = rows.next()? {
        analysis.take(row.get_ref(0)?.as_str()?, "", "", &mut std::iter::empty());
    }
    Ok(analysis)
}

impl TermCounts {
    /// Forgets counts of an earlier version of the data.
    pub fn refresh(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let version: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if version != self.version {
            self.clear();
            self.version = version;
        }
        connection
            .execute_batch("CREATE VIRTUAL TABLE IF NOT EXISTS temp.term_counts USING fts5vocab(main, terms, row)")
    }

    /// Forgets all counts, after a write of this connection.
    pub fn clear(&mut self) {
        self.counts.clear();
        self.spelled = None;
    }

    /// Returns the number of texts with a term.
    pub fn of(&mut self, connection: &Connection, term: TermHash) -> u32 {
        *self.counts.entry(term).or_insert_with(|| {
            let sql = "SELECT doc FROM temp.term_counts WHERE term = ?1";
            let statement = connection.prepare_cached(sql);
            statement
                .and_then(|mut statement| statement.query_row([term_name(term)], |row| row.get(0)))
                .unwrap_or(0)
        })
    }
}

#[derive(Debug)]
pub(super) struct CandidateFinder<'a> {
    pub connection: &'a Connection,
    pub filter: &'a StoreFilter,
    /// How many rows are wanted.
    pub depth: usize,
    /// How many rows an expression may rank.
    pub ranked_max: usize,
}

impl CandidateFinder<'_> {
    pub fn find(&self, words: &[QueryWord], counts: &mut TermCounts) -> rusqlite::Result<Vec<i64>> {
        let mut terms: FxHashMap<TermHash, Searched> = FxHashMap::default();
        for (term, weight) in searched_words(words).iter().flat_map(|(_, word)| word.lists()) {
            let matches = counts.of(self.connection, term);
            let searched = terms.entry(term).or_insert(Searched { weight, matches });
            searched.weight = searched.weight.max(weight);
        }
        terms.retain(|_, searched| searched.matches > 0);
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let total: usize = terms.values().map(|searched| searched.matches as usize).sum();
        // Rows with one and the same word differ in nothing that the shortlist knows.
        let ranked_max = self
            .ranked_max
            .saturating_mul(if terms.len() <= ONE_WORD { ONE_WORD_FACTOR } else { 1 });
        if total > ranked_max {
            let shortlist = self.shortlist(&terms)?;
            let visible = self.visible(&shortlist)?;
            if visible.len() >= self.depth || shortlist.len() < SHORTLIST {
                return Ok(visible);
            }
        }
        let ranked = self.rank(&any_of(terms.keys().copied()))?;
        self.visible(&ranked)
    }

    /// Returns the best rows by the rarity of their terms and their lengths, best first.
    fn shortlist(&self, terms: &FxHashMap<TermHash, Searched>) -> rusqlite::Result<Vec<i64>> {
        let (texts, tokens) = totals_of(self.connection)?;
        let mut sums = RowSums::new(self.connection)?;
        let mut statement = self
            .connection
            .prepare_cached("SELECT rowid FROM terms WHERE terms MATCH ?1")?;
        for (term, searched) in terms {
            let weight = searched.weight * rarity(searched.matches, texts);
            let mut rows = statement.query([self.in_scope(&any_of(std::iter::once(*term)))])?;
            while let Some(row) = rows.next()? {
                sums.add(row.get(0)?, weight);
            }
        }
        let average = tokens as f32 / (texts as f32).max(1.0);
        let mut lengths = self
            .connection
            .prepare_cached("SELECT sz FROM terms_docsize WHERE id = ?1")?;
        let mut scored: Vec<(f32, Reverse<i64>)> = Vec::with_capacity(SHORTLIST);
        for (sum, seq) in sums.best(SHORTLIST) {
            let length: u64 = lengths.query_row([seq], |row| Ok(read_varint(&mut row.get_ref(0)?.as_blob()?)))?;
            let relative = length as f32 / average.max(1.0);
            scored.push((sum / (1.0 + K1 * (1.0 - B + B * relative)), Reverse(seq)));
        }
        scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Ok(scored.into_iter().map(|(_, Reverse(seq))| seq).collect())
    }

    /// Ranks all rows that match an expression.
    fn rank(&self, expression: &str) -> rusqlite::Result<Vec<i64>> {
        let sql = "SELECT rowid FROM terms WHERE terms MATCH ?1 ORDER BY bm25(terms, 1.0, 0.5, 0.0), rowid DESC";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement
            .query_map([self.in_scope(expression)], |row| row.get(0))?
            .collect()
    }

    fn in_scope(&self, expression: &str) -> String {
        in_scope(expression, self.filter.project.as_deref(), self.filter.kind.as_deref())
    }

    /// Keeps the rows that the filter lets through: the full-text index knows no times.
    fn visible(&self, rows: &[i64]) -> rusqlite::Result<Vec<i64>> {
        let sql = "SELECT 1 FROM thoughts WHERE seq = ?1 AND hidden = 0 AND (expires_ms IS NULL OR expires_ms > ?2)
                   AND (?3 IS NULL OR captured_ms >= ?3)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut visible = Vec::with_capacity(self.depth);
        for seq in rows {
            if visible.len() >= self.depth {
                break;
            }
            if statement.exists(params![seq, self.filter.now, self.filter.since])? {
                visible.push(*seq);
            }
        }
        Ok(visible)
    }
}

#[derive(Debug, Clone, Copy)]
struct Searched {
    weight: f32,
    /// In how many texts it is.
    matches: u32,
}

/// The inverse document frequency.
fn rarity(matches: u32, texts: u64) -> f32 {
    let (matches, texts) = (f64::from(matches), texts as f64);
    (1.0 + (texts - matches + 0.5).max(0.0) / (matches + 0.5)).ln() as f32
}

/// A sum for each row, in an array by the numbers of the rows.
struct RowSums {
    sums: Vec<f32>,
    rows: Vec<i64>,
}

impl RowSums {
    fn new(connection: &Connection) -> rusqlite::Result<Self> {
        let sql = "SELECT coalesce(max(seq), 0) FROM thoughts";
        let last: usize = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(RowSums {
            sums: vec![0.0; last + 1],
            rows: Vec::new(),
        })
    }

    fn add(&mut self, seq: i64, weight: f32) {
        let place = usize::try_from(seq).ok().and_then(|place| self.sums.get_mut(place));
        if let Some(sum) = place {
            if *sum == 0.0 {
                self.rows.push(seq);
            }
            *sum += weight;
        }
    }

    /// Returns the rows with the largest sums, in no order; of equal ones the newest.
    fn best(self, count: usize) -> Vec<(f32, i64)> {
        let sum_of = |seq: i64| {
            usize::try_from(seq)
                .ok()
                .and_then(|place| self.sums.get(place).copied())
        };
        let mut rows: Vec<(f32, i64)> = self
            .rows
            .iter()
            .map(|seq| (sum_of(*seq).unwrap_or(0.0), *seq))
            .collect();
        if rows.len() > count {
            rows.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            rows.truncate(count);
        }
        rows
    }
}

/// Returns the number of texts in the full-text index and their total number of words, from the averages record of FTS5:
/// varints, first the number of rows, then the number of tokens per column.
pub(super) fn totals_of(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let mut statement = connection.prepare_cached("SELECT block FROM terms_data WHERE id = 1")?;
    let record: Vec<u8> = statement.query_row([], |row| row.get(0))?;
    let mut rest = record.as_slice();
    let texts = read_varint(&mut rest);
    Ok((texts, read_varint(&mut rest)))
}

/// Reads a varint of SQLite: seven bits per byte, the most significant first.
pub(super) fn read_varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0_u64;
    while let Some((first, rest)) = bytes.split_first() {
        *bytes = rest;
        value = value << 7 | u64::from(first & 0x7f);
        if first & 0x80 == 0 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::{EmbeddedStore, StoreFilter, StoredThought};
    use forge_memory_core::clock::parse_iso;
    use forge_memory_core::journal::OsDisk;

    /// Words by Zipf's law, each spelled with letters only.
    fn text_of(next: &mut impl FnMut() -> f64, count: usize) -> String {
        let word = |rank: usize| -> String {
            let digits = format!("{rank}").into_bytes();
            digits
                .iter()
                .map(|digit| ["ba", "co", "du", "fe", "gi", "ha", "jo", "ku", "le", "mi"][(digit - b'0') as usize])
                .collect()
        };
        // The most frequent ones would be stop words.
        let words: Vec<String> = (0..count)
            .map(|_| word((30.0 * 170_f64.powf(next())) as usize))
            .collect();
        words.join(" ")
    }

    #[test]
    fn the_shortlist_has_nearly_all_of_the_best() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let folder = tempfile::tempdir().unwrap();
        let mut store = EmbeddedStore::open(&OsDisk, &folder.path().join("openbrain.db")).unwrap();
        let thoughts: Vec<_> = (0..4000)
            .map(|at| {
                let content = text_of(&mut next, 20);
                let (id, project) = (format!("mem_{at}"), format!("project {}", at % 40));
                (
                    StoredThought {
                        id,
                        content,
                        project,
                        kind: "lesson".into(),
                        metadata: "{}".into(),
                        ..StoredThought::default()
                    },
                    None,
                )
            })
            .collect();
        store.put(&thoughts).unwrap();
        let now = parse_iso("2026-11-21T00:00:00Z").unwrap();
        let (mut found, mut wanted) = (0, 0);
        for round in 0..60 {
            let query = text_of(&mut next, [1, 3, 8, 20][round % 4]);
            let project = (round % 5 == 0).then(|| format!("project {}", round % 40));
            let filter = StoreFilter {
                limit: 10,
                now,
                project,
                ..StoreFilter::default()
            };
            let mut scores_with = |ranked_max: usize| -> Vec<f64> {
                store.ranked_max = ranked_max;
                let hits = store.search(&query, None, &filter).unwrap().hits;
                let ids: HashSet<String> = hits.iter().map(|hit| hit.thought.id.clone()).collect();
                assert_eq!(ids.len(), hits.len(), "each once");
                hits.into_iter().map(|hit| hit.score).collect()
            };
            let (some, all) = (scores_with(0), scores_with(usize::MAX));
            assert_eq!(some.len(), all.len(), "{query}");
            let least = all.last().copied().unwrap_or(0.0);
            if round % 4 > 0 {
                wanted += all.len();
                // A hit with the score of the last is as good.
                found += some.iter().filter(|score| **score >= least - 1e-6).count();
            }
        }
        assert!(found * 100 >= wanted * 99, "{found} of {wanted}");
    }
}
