//! Ranking: BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009) over the parts of several
//! indexes as if they were one collection.

use std::cmp::Ordering;

use super::postings::Postings;
use super::window::{Weighted, Windows};
use super::{JournalIndex, Part, Place};
use crate::clock::Millis;
use crate::model::thought::NEVER;
use crate::text::bm25::{Shares, rarity_of};
use crate::text::proximity::{QueryPlaces, RERANKED};
use crate::text::{QueryWord, SPELLING_WEIGHT, TermHash, searched_words};

/// Which records may be found.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Types or categories; empty means all.
    pub kinds: Vec<String>,
    /// Tags, all of which a record must have.
    pub tags: Vec<TermHash>,
    /// The earliest moment a record was made.
    pub since: Option<Millis>,
    /// The least confidence.
    pub min_confidence: f32,
    /// Whether expired records count.
    pub include_expired: bool,
    /// The present moment.
    pub now: Millis,
    /// The past moment whose state is asked for, if it is not the present.
    pub at: Option<Millis>,
}

/// A record that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Number of the index in the order they were given.
    pub journal_index: usize,
    /// Where on it.
    pub place: Place,
    /// How well it answers; larger is better.
    pub score: f32,
    /// Which words of the query it has, one bit each.
    pub words: u32,
    confidence: f32,
    created: Millis,
}

impl Found {
    /// Returns those of the query's words that it has; `names` are the words by their bits.
    pub fn words_among(&self, names: &[&str]) -> Vec<String> {
        let has = |bit: usize| self.words & (1 << bit) != 0;
        let own = names.iter().enumerate().filter(|(bit, _)| has(*bit));
        own.map(|(_, name)| (*name).to_owned()).collect()
    }

    /// Better first: score, then confidence, then the newer, then the one that stands further down.
    fn order(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then(other.confidence.total_cmp(&self.confidence))
            .then(other.created.cmp(&self.created))
            .then(self.journal_index.cmp(&other.journal_index))
            .then(other.place.part.cmp(&self.place.part))
            .then(other.place.doc.cmp(&self.place.doc))
    }
}

/// The best records so far.
#[derive(Debug)]
pub struct Top {
    limit: usize,
    found: Vec<Found>,
}

impl Top {
    /// Keeps at most `limit` records.
    pub fn new(limit: usize) -> Self {
        Top {
            limit,
            found: Vec::new(),
        }
    }

    /// Returns the records, best first.
    pub fn into_sorted(self) -> Vec<Found> {
        self.found
    }

    /// Tells whether a record with this score could still get in.
    #[inline]
    fn admits(&self, score: f32) -> bool {
        self.found.len() < self.limit || self.found.last().is_some_and(|last| score >= last.score)
    }

    /// Returns the score below which no record gets in; 0 when there is room.
    fn floor(&self) -> f32 {
        self.found
            .last()
            .filter(|_| self.found.len() >= self.limit)
            .map_or(0.0, |last| last.score)
    }

    fn offer(&mut self, found: Found) {
        let at = self
            .found
            .partition_point(|other| other.order(&found) == Ordering::Less);
        if at < self.limit {
            self.found.truncate(self.limit - 1);
            self.found.insert(at, found);
        }
    }
}

/// A query that has been looked up: which lists to read and how much each counts.
#[derive(Debug)]
pub struct Plan<'a> {
    parts: Vec<PartPlan<'a>>,
    shares: Shares,
    places: QueryPlaces,
}

#[derive(Debug)]
struct PartPlan<'a> {
    journal_index: usize,
    number: usize,
    base: u32,
    part: Part<'a>,
    lists: Vec<Weighted<'a>>,
}

impl<'a> Plan<'a> {
    /// Looks a query up in the indexes.
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
        // In doubles, whose sums do not depend on how the records are dealt out to parts.
        let docs: f64 = parts.iter().map(|p| f64::from(p.part.docs())).sum();
        let length: f64 = parts.iter().map(|p| p.part.words_total() as f64).sum();
        let mut plan = Plan {
            parts,
            shares: Shares::new((length / docs.max(1.0)).max(1.0) as f32),
            places: QueryPlaces::default(),
        };
        let docs = docs as f32;
        for (number, word) in searched {
            let rarity = plan.add_lists(word, 1 << number, docs);
            plan.places.push_word(word, rarity);
        }
        for word in words.iter().filter(|word| word.common && !all_common) {
            let with = plan.count_with(&word.stems);
            plan.places.push_stop_word(word, rarity_of(with, docs), with, docs);
        }
        // The lists that count most first: what they find may make it needless to look at what only the others find.
        for part in &mut plan.parts {
            part.lists.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        }
        plan
    }

    /// Adds the lists of a word to the parts, and answers its rarity: that of all texts which have one of its stems.
    fn add_lists(&mut self, word: &QueryWord, bit: u32, docs: f32) -> f32 {
        let rarity = rarity_of(self.count_with(&word.stems), docs);
        for term in &word.stems {
            self.add_list(*term, word.weight * rarity, bit);
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

    /// Returns how many records have one of the terms, of which no record has two.
    fn count_with(&self, terms: &[TermHash]) -> f32 {
        let counts = terms.iter().flat_map(|term| self.lists_of(*term));
        counts.map(|postings| postings.count()).sum::<u32>() as f32
    }

    fn lists_of(&self, term: TermHash) -> impl Iterator<Item = Postings<'a>> + '_ {
        self.parts.iter().filter_map(move |part| part.part.postings(term))
    }

    /// Returns the best records that have any of the words, best first.
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

    /// Adds what the places of the words are worth to the scores of the first records.
    fn rerank(&self, found: &mut [Found]) {
        for record in found.iter_mut().take(RERANKED) {
            let of_record =
                |part: &&PartPlan<'_>| part.journal_index == record.journal_index && part.number == record.place.part;
            if let Some(part) = self.parts.iter().find(of_record) {
                let mut occurrences = self.places.start(record.words);
                let doc = record.place.doc;
                part.part.places(doc).each(|at, word| occurrences.take(at, word));
                record.score += occurrences.bonus(part.part.lengths().at(doc), &self.shares);
            }
        }
        found.sort_by(Found::order);
    }

    /// Ranks the records that have any of the words.
    fn run(&self, journal_indexes: &[&JournalIndex], filter: &Filter, top: &mut Top, windows: &mut Windows) {
        for part in self.parts.iter().filter(|part| !part.lists.is_empty()) {
            let (journal_index, allowed) = (journal_indexes[part.journal_index], Allowed::new(filter, part.part));
            // Looking at a record costs more than its score. Where nearly all are admitted, only the best are looked at.
            if allowed.is_selective() || !self.offer_best(part, journal_index, &allowed, top, windows) {
                windows.sweep(
                    part.part,
                    &part.lists,
                    &self.shares,
                    top.floor(),
                    |doc, score, words| {
                        if top.admits(score) && allowed.admits(journal_index, part, doc) {
                            top.offer(part.found(doc, score, words));
                        }
                        top.floor()
                    },
                );
            }
        }
    }

    /// Calls `visit` with index, part and number of every record that has any of the words and that the filter admits.
    pub fn each_match(
        &self,
        journal_indexes: &[&JournalIndex],
        filter: &Filter,
        windows: &mut Windows,
        mut visit: impl FnMut(usize, Part<'a>, u32),
    ) {
        for part in self.parts.iter().filter(|part| !part.lists.is_empty()) {
            let (journal_index, allowed) = (journal_indexes[part.journal_index], Allowed::new(filter, part.part));
            windows.sweep(part.part, &part.lists, &self.shares, 0.0, |doc, _, _| {
                if allowed.admits(journal_index, part, doc) {
                    visit(part.journal_index, part.part, doc);
                }
                0.0
            });
        }
    }

    /// Offers a part's best records, as if all were admitted. Answers whether they were: if not, others may be due.
    fn offer_best(
        &self,
        part: &PartPlan<'_>,
        journal_index: &JournalIndex,
        allowed: &Allowed<'_>,
        top: &mut Top,
        windows: &mut Windows,
    ) -> bool {
        let mut best = Best::new(top);
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
        let admitted = |(_, doc, _): &&(f32, u32, u32)| allowed.admits(journal_index, part, *doc);
        let are_all = best.records().all(|record| admitted(&record));
        if are_all {
            for (score, doc, words) in best.records() {
                top.offer(part.found(*doc, *score, *words));
            }
        }
        are_all
    }

    /// Returns the newest records, whatever their words.
    pub fn newest(&self, journal_indexes: &[&JournalIndex], filter: &Filter, limit: usize) -> (Vec<Found>, usize) {
        let mut all = Vec::new();
        for part in &self.parts {
            let allowed = Allowed::new(filter, part.part);
            for doc in
                (0..part.part.docs()).filter(|doc| allowed.admits(journal_indexes[part.journal_index], part, *doc))
            {
                let place = Place { part: part.number, doc };
                let created = part.part.created(doc);
                all.push(Found {
                    journal_index: part.journal_index,
                    place,
                    score: 0.0,
                    words: 0,
                    confidence: 0.0,
                    created,
                });
            }
        }
        let total = all.len();
        if limit < total && limit > 0 {
            all.select_nth_unstable_by(limit - 1, Found::order);
        }
        all.truncate(limit);
        all.sort_unstable_by(Found::order);
        (all, total)
    }
}

impl PartPlan<'_> {
    fn found(&self, doc: u32, score: f32, words: u32) -> Found {
        Found {
            journal_index: self.journal_index,
            place: Place { part: self.number, doc },
            score,
            words,
            confidence: self.part.confidence(doc),
            created: self.part.created(doc),
        }
    }
}

/// The best records of a part by their scores alone, equal ones included.
struct Best {
    limit: usize,
    least: f32,
    /// The best scores, best first.
    scores: Vec<f32>,
    /// Score, number, words; among them some that were overtaken.
    records: Vec<(f32, u32, u32)>,
}

impl Best {
    /// Takes the records that could get in beside those of `top`.
    fn new(top: &Top) -> Self {
        Best {
            limit: top.limit,
            least: top.floor(),
            scores: Vec::with_capacity(top.limit + 1),
            records: Vec::with_capacity(top.limit * 4),
        }
    }

    /// Returns the score below which no record counts.
    #[inline]
    fn floor(&self) -> f32 {
        match self.scores.get(self.limit - 1) {
            Some(last) => last.max(self.least),
            None => self.least,
        }
    }

    fn take(&mut self, doc: u32, score: f32, words: u32) {
        self.records.push((score, doc, words));
        let at = self.scores.partition_point(|other| *other >= score);
        if at < self.limit {
            self.scores.truncate(self.limit - 1);
            self.scores.insert(at, score);
        }
    }

    fn records(&self) -> impl Iterator<Item = &(f32, u32, u32)> {
        let floor = self.floor();
        self.records.iter().filter(move |record| record.0 >= floor)
    }
}

/// A filter, resolved for one part.
struct Allowed<'a> {
    filter: &'a Filter,
    kinds: Option<Vec<bool>>,
    tags: Option<Vec<bool>>,
}

impl<'a> Allowed<'a> {
    fn new(filter: &'a Filter, part: Part<'_>) -> Self {
        let kinds = (!filter.kinds.is_empty()).then(|| part.kinds().iter().map(|k| filter.kinds.contains(k)).collect());
        let tags = (!filter.tags.is_empty()).then(|| {
            let mut counts = vec![0_usize; part.docs() as usize];
            for tag in &filter.tags {
                if let Some(list) = part.postings(*tag) {
                    list.for_each(|doc, _| counts.get_mut(doc as usize).into_iter().for_each(|count| *count += 1));
                }
            }
            counts.into_iter().map(|count| count == filter.tags.len()).collect()
        });
        Allowed { filter, kinds, tags }
    }

    /// Tells whether more is asked than that a record is not forgotten, superseded or expired.
    fn is_selective(&self) -> bool {
        let filter = self.filter;
        self.kinds.is_some()
            || self.tags.is_some()
            || filter.since.is_some()
            || filter.at.is_some()
            || filter.min_confidence > 0.0
    }

    fn admits(&self, journal_index: &JournalIndex, plan: &PartPlan<'_>, doc: u32) -> bool {
        let (filter, part) = (self.filter, plan.part);
        let (gone, expires) = journal_index.gone_and_expires(part, plan.base, doc);
        let created = part.created(doc);
        // Clocks of other machines may be ahead: in the present, whatever is written counts.
        let seen = filter.at.map_or(gone == NEVER, |at| gone > at && created <= at);
        let was_retired = |at| journal_index.was_retired(|| part.id(doc), at);
        seen && !filter.at.is_some_and(was_retired)
            && (filter.include_expired || expires > filter.at.unwrap_or(filter.now))
            && filter.since.is_none_or(|since| created >= since)
            && (filter.min_confidence <= 0.0 || part.confidence(doc) >= filter.min_confidence)
            && self
                .kinds
                .as_ref()
                .is_none_or(|kinds| kinds.get(usize::from(part.kind(doc))) == Some(&true))
            && self
                .tags
                .as_ref()
                .is_none_or(|tags| tags.get(doc as usize) == Some(&true))
    }
}

/// Returns the words of a query by the bits that [`Plan`] gives them.
pub fn word_names(words: &[QueryWord]) -> Vec<&str> {
    searched_words(words)
        .into_iter()
        .map(|(_, word)| word.text.as_str())
        .collect()
}
