//! Ranking: BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009) over the parts of several
//! shelves as if they were one collection.

use std::cmp::Ordering;

use super::postings::Postings;
use super::{NEVER, Part, Place, Shelf};
use crate::clock::Millis;
use crate::text::{QueryWord, TermHash};

/// How soon further occurrences of a word stop counting.
const K1: f32 = 1.2;
/// How much longer texts are discounted.
const B: f32 = 0.75;
/// The most that a word is worth in any text, as a multiple of its rarity, and room for rounding beside it.
const SHARE_MAX: f32 = K1 + 1.0;
const SLACK: f32 = 1e-4;
/// Words of a query beyond these are not looked up.
const WORDS_MAX: usize = 32;
/// How much the words that nearly every text has count, beside words that say something.
const COMMON_WEIGHT: f32 = 0.7;
/// A common word in more than this share of the records is not looked up: it is worth little and its list is long.
const COMMON_SHARE_MAX: f32 = 0.5;

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
    /// Number of the shelf in the order they were given.
    pub shelf: usize,
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
    /// Better first: score, then confidence, then the newer, then the one that stands further down.
    fn order(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then(other.confidence.total_cmp(&self.confidence))
            .then(other.created.cmp(&self.created))
            .then(self.shelf.cmp(&other.shelf))
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
        if self.found.contains(&found) {
            return;
        }
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
    average_length: f32,
}

#[derive(Debug)]
struct PartPlan<'a> {
    shelf: usize,
    number: usize,
    base: u32,
    part: Part<'a>,
    /// Word number, list, weight.
    lists: Vec<(usize, Postings<'a>, f32)>,
    /// Lists of common words, which find nothing but weigh what the others find.
    weighing: Vec<(Postings<'a>, f32)>,
}

impl<'a> Plan<'a> {
    /// Looks a query up on the shelves.
    pub fn new(words: &[QueryWord], shelves: &[&'a Shelf]) -> Self {
        let finding = chosen_words(words);
        let all_common = finding.iter().all(|(_, word)| word.common);
        let weighing = words.iter().filter(|word| word.common && !all_common);
        let mut parts = Vec::new();
        for (shelf_number, shelf) in shelves.iter().enumerate() {
            let mut base = 0;
            for (number, part) in shelf.parts().into_iter().enumerate() {
                let docs = part.docs();
                if docs > 0 {
                    parts.push(PartPlan {
                        shelf: shelf_number,
                        number,
                        base,
                        part,
                        lists: Vec::new(),
                        weighing: Vec::new(),
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
            average_length: (length / docs.max(1.0)).max(1.0) as f32,
        };
        let docs = docs as f32;
        for (number, word) in finding {
            let (with, lists) = plan.look_up(word);
            for (part, postings, weight) in lists {
                let weight = weight * rarity_of(with, docs);
                plan.parts[part].lists.push((number, postings, weight));
            }
        }
        for word in weighing.take(WORDS_MAX) {
            let (with, lists) = plan.look_up(word);
            if with <= docs * COMMON_SHARE_MAX {
                for (part, postings, weight) in lists {
                    let weight = weight * rarity_of(with, docs) * COMMON_WEIGHT;
                    plan.parts[part].weighing.push((postings, weight));
                }
            }
        }
        // The lists that count most first: what they find may make it needless to look at what only the others find.
        for part in &mut plan.parts {
            part.lists.sort_by(|a, b| b.2.total_cmp(&a.2));
        }
        plan
    }

    /// Returns how many records have a word, and its lists: number of the part, list, weight of the term.
    fn look_up(&self, word: &QueryWord) -> (f32, Vec<(usize, Postings<'a>, f32)>) {
        let mut lists = Vec::with_capacity(word.lists.len() * self.parts.len());
        let mut with = 0_u32;
        for (term, weight) in &word.lists {
            let before = lists.len();
            let with_term =
                |(number, part): (usize, &PartPlan<'a>)| Some((number, part.part.postings(*term)?, *weight));
            lists.extend(self.parts.iter().enumerate().filter_map(with_term));
            with = with.max(lists[before..].iter().map(|(_, postings, _)| postings.count()).sum());
        }
        (with as f32, lists)
    }

    /// Ranks the records that have any of the words.
    pub fn run(&self, shelves: &[&Shelf], filter: &Filter, top: &mut Top, scratch: &mut Scratch) {
        let shares = Shares::new(self.average_length);
        for part in self.parts.iter().filter(|part| !part.lists.is_empty()) {
            let (shelf, allowed) = (shelves[part.shelf], Allowed::new(filter, part.part));
            // Looking at a record costs more than its score. Where nearly all are admitted, only the best are looked at.
            if !allowed.is_selective() {
                score(part, &shares, scratch, Some(top));
                let floor = scratch.floor(top.limit);
                let refused = self.offer(part, shelf, &allowed, floor, top, scratch);
                scratch.reset();
                if refused == 0 {
                    continue;
                }
            }
            score(part, &shares, scratch, None);
            self.offer(part, shelf, &allowed, 0.0, top, scratch);
            scratch.reset();
        }
    }

    /// Offers the records from `floor` up; answers how many of them were not admitted.
    fn offer(
        &self,
        part: &PartPlan<'_>,
        shelf: &Shelf,
        allowed: &Allowed<'_>,
        floor: f32,
        top: &mut Top,
        scratch: &Scratch,
    ) -> usize {
        let mut refused = 0;
        for doc in &scratch.touched {
            let (score, words) = scratch.scores[*doc as usize];
            if score < floor || !top.admits(score) {
                continue;
            }
            if !allowed.admits(shelf, part, *doc) {
                refused += 1;
                continue;
            }
            let place = Place {
                part: part.number,
                doc: *doc,
            };
            let (confidence, created) = (part.part.confidence(*doc), part.part.created(*doc));
            top.offer(Found {
                shelf: part.shelf,
                place,
                score,
                words,
                confidence,
                created,
            });
        }
        refused
    }

    /// Returns the newest records, whatever their words.
    pub fn newest(&self, shelves: &[&Shelf], filter: &Filter, limit: usize) -> (Vec<Found>, usize) {
        let mut all = Vec::new();
        for part in &self.parts {
            let allowed = Allowed::new(filter, part.part);
            for doc in (0..part.part.docs()).filter(|doc| allowed.admits(shelves[part.shelf], part, *doc)) {
                let place = Place { part: part.number, doc };
                let created = part.part.created(doc);
                all.push(Found {
                    shelf: part.shelf,
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

/// Returns how much a word that `with` of `docs` records have tells about one of them.
fn rarity_of(with: f32, docs: f32) -> f32 {
    (1.0 + (docs - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

/// Adds up the scores of a part's records. With the best records so far at hand, those may be left out that cannot
/// become one of them (Turtle & Flood, "Query Evaluation: Strategies and Optimizations", 1995).
fn score(part: &PartPlan<'_>, shares: &Shares, scratch: &mut Scratch, best: Option<&Top>) {
    let docs = part.part.docs() as usize;
    if scratch.scores.len() < docs {
        scratch.scores.resize(docs, (0.0, 0));
    }
    let lengths = part.part.lengths();
    let weights = |lists: &[(usize, Postings<'_>, f32)]| lists.iter().map(|list| list.2).sum::<f32>();
    let weighing: f32 = part.weighing.iter().map(|list| list.1).sum();
    let mut finds = true;
    for (at, (word, postings, weight)) in part.lists.iter().enumerate() {
        if finds
            && let Some(top) = best
            && postings.count() as usize > scratch.touched.len()
        {
            let reachable = (weights(&part.lists[at..]) + weighing) * SHARE_MAX;
            finds = scratch.floor(top.limit).max(top.floor()) <= reachable * (1.0 + SLACK);
        }
        let bit = 1_u32 << word;
        let (scores, touched) = (&mut scratch.scores[..docs], &mut scratch.touched);
        postings.for_each(|doc, times| {
            let Some(slot) = scores.get_mut(doc as usize) else {
                return;
            };
            if slot.1 == 0 {
                if !finds {
                    return;
                }
                touched.push(doc);
            }
            slot.0 += weight * shares.of(lengths.at(doc), times);
            slot.1 |= bit;
        });
    }
    let scores = &mut scratch.scores[..docs];
    for (postings, weight) in &part.weighing {
        postings.for_each(|doc, times| {
            if let Some(slot) = scores.get_mut(doc as usize).filter(|slot| slot.1 != 0) {
                slot.0 += weight * shares.of(lengths.at(doc), times);
            }
        });
    }
}

/// What occurrences in a text of some length are worth, once computed for the usual case of one occurrence.
struct Shares {
    average_length: f32,
    once: [f32; 256],
}

impl Shares {
    fn new(average_length: f32) -> Self {
        let mut shares = Shares {
            average_length,
            once: [0.0; 256],
        };
        for length in 0..256_u16 {
            shares.once[usize::from(length)] = shares.compute(length, 1);
        }
        shares
    }

    #[inline]
    fn of(&self, length: u16, times: u16) -> f32 {
        match self.once.get(usize::from(length)) {
            Some(share) if times == 1 => *share,
            _ => self.compute(length, times),
        }
    }

    fn compute(&self, length: u16, times: u16) -> f32 {
        let (times, length) = (f32::from(times), f32::from(length) / self.average_length);
        times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
    }
}

/// Buffers that are kept from query to query.
#[derive(Debug, Default)]
pub struct Scratch {
    scores: Vec<(f32, u32)>,
    touched: Vec<u32>,
    best: Vec<f32>,
}

impl Scratch {
    /// Returns the score of the `limit`-th best record, 0 when there are fewer.
    fn floor(&mut self, limit: usize) -> f32 {
        let best = &mut self.best;
        best.clear();
        for doc in &self.touched {
            let score = self.scores[*doc as usize].0;
            if best.len() < limit || best.last().is_some_and(|last| score > *last) {
                let at = best.partition_point(|other| *other >= score);
                best.insert(at, score);
                best.truncate(limit);
            }
        }
        if best.len() < limit {
            0.0
        } else {
            best.last().copied().unwrap_or(0.0)
        }
    }

    fn reset(&mut self) {
        for doc in self.touched.drain(..) {
            self.scores[doc as usize] = (0.0, 0);
        }
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

    fn admits(&self, shelf: &Shelf, plan: &PartPlan<'_>, doc: u32) -> bool {
        let (filter, part) = (self.filter, plan.part);
        let (gone, expires) = shelf.gone_and_expires(part, plan.base, doc);
        let created = part.created(doc);
        // Clocks of other machines may be ahead: in the present, whatever is written counts.
        let seen = filter.at.map_or(gone == NEVER, |at| gone > at && created <= at);
        seen && (filter.include_expired || expires > filter.at.unwrap_or(filter.now))
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

/// Leaves out the words that nearly every text has, unless there are no others.
fn chosen_words(words: &[QueryWord]) -> Vec<(usize, &QueryWord)> {
    let all_common = words.iter().all(|word| word.common);
    words
        .iter()
        .enumerate()
        .filter(|(_, word)| all_common || !word.common)
        .take(WORDS_MAX)
        .enumerate()
        .map(|(bit, (_, word))| (bit, word))
        .collect()
}

/// Returns the words whose bits are set, as [`Plan`] numbered them.
pub fn matched_words(words: &[QueryWord], bits: u32) -> Vec<String> {
    chosen_words(words)
        .into_iter()
        .filter(|(bit, _)| bits & (1 << bit) != 0)
        .map(|(_, word)| word.text.clone())
        .collect()
}
