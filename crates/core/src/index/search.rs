//! Ranking: BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009) over the parts of several
//! indexes as if they were one collection.

use super::filter::{Allowed, Filter};
use super::found::Found;
use super::postings::Postings;
use super::top::{PartTop, Top};
use super::window::{Weighted, Windows};
use super::{JournalIndex, Part, Place};
use crate::text::bm25::{Shares, rarity_of};
use crate::text::proximity::{QueryPlaces, RERANKED};
use crate::text::{QueryWord, SPELLING_WEIGHT, TermHash, searched_words};

/// How many times as many of the best records as are wanted are looked at, when some of them may have expired or be retired.
const TIMES: [usize; 3] = [1, 4, 16];

/// A query plan: the posting lists to read, with their weights.
#[derive(Debug)]
pub struct Plan<'a> {
    pub(super) parts: Vec<PartPlan<'a>>,
    pub(super) shares: Shares,
    pub(super) places: QueryPlaces,
    /// The rarity (inverse document frequency) of each word, by its bit.
    pub(super) rarities: Vec<f32>,
}

#[derive(Debug)]
pub(super) struct PartPlan<'a> {
    pub journal_index: usize,
    pub number: usize,
    pub base: u32,
    pub part: Part<'a>,
    pub lists: Vec<Weighted<'a>>,
}

impl<'a> Plan<'a> {
    /// Plans a query over the indexes.
    pub fn new(words: &[QueryWord], journal_indexes: &[&'a JournalIndex]) -> Self {
        let searched = searched_words(words);
        let all_common = searched.iter().all(|(_, word)| word.common);
        let mut parts = Vec::new();
        for (number_of_index, journal_index) in journal_indexes.iter().enumerate() {
            let mut base = 0;
            for (number, part) in journal_index.parts().into_iter().enumerate() {
                let docs = part.docs();
                if docs > 0 {
                    parts.push(PartPlan {
                        journal_index: number_of_index,
                        number,
                        base,
                        part,
                        lists: Vec::new(),
                    });
                }
                base += docs;
            }
        }
        // In f64, so that the sums do not depend on how the records are distributed over parts.
        let docs: f64 = parts.iter().map(|p| f64::from(p.part.docs())).sum();
        let length: f64 = parts.iter().map(|p| p.part.words_total() as f64).sum();
        let mut plan = Plan {
            parts,
            shares: Shares::new((length / docs.max(1.0)).max(1.0) as f32),
            places: QueryPlaces::default(),
            rarities: Vec::new(),
        };
        let docs = docs as f32;
        for (number, word) in searched {
            let rarity = plan.add_lists(word, 1 << number, docs);
            plan.places.push_word(word, rarity);
            plan.rarities.push(rarity);
        }
        for word in words.iter().filter(|word| word.common && !all_common) {
            let with = plan.count_with(&word.stems);
            plan.places.push_stop_word(word, rarity_of(with, docs), with, docs);
        }
        // MaxScore needs the lists in descending order of their weights.
        for part in &mut plan.parts {
            part.lists.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        }
        plan
    }

    /// Adds the posting lists of a word to the parts, and returns its inverse document frequency over all texts with one of its stems or with what
    /// means the same.
    fn add_lists(&mut self, word: &QueryWord, bit: u32, docs: f32) -> f32 {
        let meant: Vec<TermHash> = word.meant().collect();
        let rarity = rarity_of(self.count_with(&meant), docs);
        for term in &word.stems {
            self.add_list(*term, word.weight * rarity, bit);
        }
        for (term, weight) in &word.aliases {
            self.add_list(*term, word.weight * weight * rarity, bit);
        }
        for term in &word.spellings {
            let rarity = rarity_of(self.count_with(&[*term]), docs);
            self.add_list(*term, word.weight * SPELLING_WEIGHT * rarity, bit);
        }
        rarity
    }

    fn add_list(&mut self, term: TermHash, weight: f32, word: u32) {
        for part in &mut self.parts {
            if let Some(postings) = part.part.postings(term) {
                part.lists.push(Weighted { postings, weight, word });
            }
        }
    }

    /// Returns the number of records with one of the terms; no record has two of them.
    fn count_with(&self, terms: &[TermHash]) -> f32 {
        let counts = terms.iter().flat_map(|term| self.lists_of(*term));
        counts.map(|postings| postings.count()).sum::<u32>() as f32
    }

    fn lists_of(&self, term: TermHash) -> impl Iterator<Item = Postings<'a>> + '_ {
        self.parts.iter().filter_map(move |part| part.part.postings(term))
    }

    /// Returns the parts, each with its index.
    fn parts_of<'p>(
        &'p self,
        journal_indexes: &'p [&'p JournalIndex],
    ) -> impl Iterator<Item = (&'p PartPlan<'a>, &'p JournalIndex)> {
        let parts = self.parts.iter();
        parts.filter_map(|part| Some((part, *journal_indexes.get(part.journal_index)?)))
    }

    /// Returns the best records that contain any of the words, best first.
    pub fn best(
        &self,
        journal_indexes: &[&JournalIndex],
        filter: &Filter,
        limit: usize,
        windows: &mut Windows,
    ) -> Vec<Found> {
        let mut top = Top::new(limit.max(RERANKED));
        self.run(journal_indexes, filter, &mut top, windows);
        let mut found = top.into_sorted();
        self.rerank(&mut found);
        found.truncate(limit);
        found
    }

    /// Reranks the first records by the positions of their words.
    fn rerank(&self, found: &mut [Found]) {
        let (first, _) = found.split_at_mut(found.len().min(RERANKED));
        self.add_bonuses(first);
        found.sort_unstable_by(Found::order);
    }

    fn run(&self, journal_indexes: &[&JournalIndex], filter: &Filter, top: &mut Top, windows: &mut Windows) {
        for (part, journal_index) in self
            .parts_of(journal_indexes)
            .filter(|(part, _)| !part.lists.is_empty())
        {
            let allowed = Allowed::new(filter, part.part);
            // Checking the filter costs more than scoring, so when nearly all records pass, only the best ones are checked.
            if allowed.is_selective() || !self.offer_best(part, journal_index, &allowed, top, windows) {
                windows.sweep(
                    part.part,
                    &part.lists,
                    &self.shares,
                    top.floor(),
                    |doc, score, words| {
                        if top.admits(score) && allowed.admits(journal_index, part.part, part.base, doc) {
                            top.offer(part.found(doc, score, words));
                        }
                        top.floor()
                    },
                );
            }
        }
    }

    /// Calls `visit` with index, part and number of every admitted record that contains any of the words.
    pub fn each_match(
        &self,
        journal_indexes: &[&JournalIndex],
        filter: &Filter,
        windows: &mut Windows,
        mut visit: impl FnMut(usize, Part<'a>, u32),
    ) {
        for (part, journal_index) in self
            .parts_of(journal_indexes)
            .filter(|(part, _)| !part.lists.is_empty())
        {
            let allowed = Allowed::new(filter, part.part);
            windows.sweep(part.part, &part.lists, &self.shares, 0.0, |doc, _, _| {
                if allowed.admits(journal_index, part.part, part.base, doc) {
                    visit(part.journal_index, part.part, doc);
                }
                0.0
            });
        }
    }

    /// Adds the best records of a part that the filter admits, found among a few more of the best. Returns false when too few of those are
    /// admitted, because records after them may then belong to the result.
    fn offer_best(
        &self,
        part: &PartPlan<'_>,
        journal_index: &JournalIndex,
        allowed: &Allowed<'_>,
        top: &mut Top,
        windows: &mut Windows,
    ) -> bool {
        while let Some(times) = TIMES.get(windows.times) {
            let mut best = PartTop::new(top, *times);
            windows.sweep(
                part.part,
                &part.lists,
                &self.shares,
                best.floor(),
                |doc, score, words| {
                    best.take(doc, score, words);
                    best.floor()
                },
            );
            let is_admitted = |doc: u32| allowed.admits(journal_index, part.part, part.base, doc);
            let (records, is_enough) = best.admitted(top, |doc| part.part.touch_row(doc), is_admitted);
            if is_enough {
                // The next query begins with the number that was enough, or one step before when all were admitted.
                windows.times -= usize::from(windows.times > 0 && best.were_all_admitted(&records));
                let found = records
                    .into_iter()
                    .map(|(score, doc, words)| part.found(doc, score, words));
                top.extend(found.collect());
                return true;
            }
            windows.times += 1;
        }
        windows.times -= 1;
        false
    }

    /// Returns the newest admitted records, and the number of all admitted texts: copies within one scope, which `scope_of` tells by the
    /// number of the journal index, count once.
    pub fn newest<S: std::hash::Hash + Eq>(
        &self,
        journal_indexes: &[&JournalIndex],
        scope_of: impl Fn(usize) -> S,
        filter: &Filter,
        limit: usize,
    ) -> (Vec<Found>, usize) {
        let mut all = Vec::new();
        let mut texts = rustc_hash::FxHashSet::default();
        for (part, journal_index) in self.parts_of(journal_indexes) {
            let allowed = Allowed::new(filter, part.part);
            for doc in (0..part.part.docs()).filter(|doc| allowed.admits(journal_index, part.part, part.base, *doc)) {
                let place = Place { part: part.number, doc };
                let created = part.part.created(doc);
                texts.insert((scope_of(part.journal_index), part.part.exact(doc)));
                all.push(Found {
                    journal_index: part.journal_index,
                    place,
                    score: 0.0,
                    words: 0,
                    cosine: None,
                    context: 0.0,
                    confidence: 0.0,
                    created,
                });
            }
        }
        if limit < all.len() && limit > 0 {
            all.select_nth_unstable_by(limit - 1, Found::order);
        }
        all.truncate(limit);
        all.sort_unstable_by(Found::order);
        (all, texts.len())
    }

    /// Returns admitted records that were written last, at most so many of each journal, the newest first. The number of records read does
    /// not grow with the history, as it does for [`Plan::newest`]; among many records that were written out of order, newer ones may be
    /// missing.
    pub fn written_last(&self, journal_indexes: &[&JournalIndex], filter: &Filter, each: usize) -> Vec<Found> {
        let mut room = vec![each; journal_indexes.len()];
        let mut all = Vec::new();
        let parts: Vec<_> = self.parts_of(journal_indexes).collect();
        for (part, journal_index) in parts.into_iter().rev() {
            let Some(room) = room.get_mut(part.journal_index).filter(|room| **room > 0) else {
                continue;
            };
            let allowed = Allowed::new(filter, part.part);
            let docs = (0..part.part.docs()).rev();
            let admitted = docs.filter(|doc| allowed.admits(journal_index, part.part, part.base, *doc));
            let before = all.len();
            all.extend(admitted.take(*room).map(|doc| part.found(doc, 0.0, 0)));
            *room -= all.len() - before;
        }
        all.sort_unstable_by(Found::order);
        all
    }
}

impl PartPlan<'_> {
    pub fn found(&self, doc: u32, score: f32, words: u32) -> Found {
        let row = self.part.row(doc);
        Found {
            journal_index: self.journal_index,
            place: Place { part: self.number, doc },
            score,
            words,
            cosine: None,
            context: 0.0,
            confidence: row.confidence,
            created: row.created,
        }
    }
}

/// Returns the words of a query, indexed by their bits in [`Plan`].
pub fn word_names(words: &[QueryWord]) -> Vec<&str> {
    searched_words(words)
        .into_iter()
        .map(|(_, word)| word.text.as_str())
        .collect()
}
