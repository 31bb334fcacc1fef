//! Semantic candidates: records found by their vectors are looked up by the hash of their text, filtered, and scored like lexical hits.

use std::hint::black_box;

use super::filter::{Allowed, Filter};
use super::found::Found;
use super::part::Places;
use super::search::{PartPlan, Plan};
use super::{JournalIndex, Part, Place};
use crate::text::QueryWord;
use crate::text::proximity::RERANKED;
use crate::text::relevance::QueryMass;

/// The words of a record's text in order, and its length in words.
struct Text<'a> {
    places: Places<'a>,
    length: u16,
}

/// A filter, resolved for the parts of a plan.
pub struct Admission<'f>(pub(super) Vec<Allowed<'f>>);

impl<'a> Plan<'a> {
    /// Resolves a filter once for all parts.
    pub fn admission<'f>(&self, filter: &'f Filter) -> Admission<'f> {
        Admission(self.parts.iter().map(|plan| Allowed::new(filter, plan.part)).collect())
    }

    /// Calls `visit` with the records of the text with this hash that the filter admits.
    pub fn each_exact(
        &self,
        journal_indexes: &[&JournalIndex],
        admission: &Admission<'_>,
        exact: u64,
        mut visit: impl FnMut(Found),
    ) {
        for (plan, allowed) in self.parts.iter().zip(&admission.0) {
            let Some(journal_index) = journal_indexes.get(plan.journal_index) else {
                continue;
            };
            plan.part.for_each_exact(exact, |doc| {
                if allowed.admits(journal_index, plan.part, plan.base, doc) {
                    visit(plan.found(doc, 0.0, 0));
                }
            });
        }
    }

    /// Calls `visit` with every record that the filter admits.
    pub fn each_admitted(
        &self,
        journal_indexes: &[&JournalIndex],
        admission: &Admission<'_>,
        mut visit: impl FnMut(usize, Part<'a>, Place),
    ) {
        for (plan, allowed) in self.parts.iter().zip(&admission.0) {
            let Some(journal_index) = journal_indexes.get(plan.journal_index) else {
                continue;
            };
            let admitted =
                (0..plan.part.docs()).filter(|doc| allowed.admits(journal_index, plan.part, plan.base, *doc));
            for doc in admitted {
                let place = Place { part: plan.number, doc };
                visit(plan.journal_index, plan.part, place);
            }
        }
    }

    /// Calls `visit` with the admitted ones among the last `count` records of each index, the last one first.
    pub fn each_of_last(
        &self,
        journal_indexes: &[&JournalIndex],
        admission: &Admission<'_>,
        count: usize,
        mut visit: impl FnMut(usize, Part<'a>, Place),
    ) {
        let mut left = vec![count; journal_indexes.len()];
        for (plan, allowed) in self.parts.iter().zip(&admission.0).rev() {
            let (Some(journal_index), Some(left)) = (
                journal_indexes.get(plan.journal_index),
                left.get_mut(plan.journal_index),
            ) else {
                continue;
            };
            let docs = (0..plan.part.docs()).rev().take(*left);
            *left -= docs.len();
            for doc in docs.filter(|doc| allowed.admits(journal_index, plan.part, plan.base, *doc)) {
                let place = Place { part: plan.number, doc };
                visit(plan.journal_index, plan.part, place);
            }
        }
    }

    /// Returns the hash by which exact duplicates of a found record are recognised.
    pub fn exact_of(&self, found: &Found) -> Option<u64> {
        self.part_of(found).map(|plan| plan.part.exact(found.place.doc))
    }

    /// Scores records that the search by words did not find; posting lists are read up to the last of them.
    pub fn score(&self, found: &mut [Found]) {
        for plan in &self.parts {
            let is_own = |found: &&mut Found| is_of(plan, found);
            let mut own: Vec<&mut Found> = found.iter_mut().filter(is_own).collect();
            if own.is_empty() {
                continue;
            }
            own.sort_by_key(|found| found.place.doc);
            let lengths = plan.part.lengths();
            for list in &plan.lists {
                let mut cursor = list.postings.cursor();
                for found in &mut own {
                    let doc = found.place.doc;
                    cursor.each_below(doc, |_, _| ());
                    // One more step at most: another copy of the record may be next.
                    let mut here = cursor;
                    here.each_below(doc.saturating_add(1), |_, times| {
                        found.score += list.weight * self.shares.of(lengths.at(doc), times);
                        found.words |= list.word;
                    });
                }
            }
        }
        self.add_bonuses(found);
    }

    /// Adds the position bonuses to those records, best first, that do not have them yet.
    pub fn complete(&self, found: &mut [Found]) {
        let (_, others) = found.split_at_mut(found.len().min(RERANKED));
        self.add_bonuses(others);
    }

    /// Returns the weights of the query's words, to compute the coverage of a record.
    pub fn mass(&self, words: &[QueryWord], replaced: &[Vec<String>]) -> QueryMass {
        let rarity_of = |bit: u32| {
            let at = bit.trailing_zeros() as usize;
            self.rarities.get(at).copied().unwrap_or(0.0)
        };
        QueryMass::new(words, rarity_of, replaced)
    }

    pub(super) fn add_bonuses(&self, records: &mut [Found]) {
        // All texts are located before the first is read: the cache misses of short loops overlap.
        let texts: Vec<Option<Text<'a>>> = records.iter().map(|record| self.text_of(record)).collect();
        black_box(texts.iter().flatten().map(|text| text.places.touch()).max());
        for (record, text) in records.iter_mut().zip(texts) {
            if let Some(text) = text {
                let mut occurrences = self.places.start(record.words);
                let read = text.places.first(self.places.positions_needed(record.words));
                read.each(|at, word| occurrences.take(at, word));
                record.score += occurrences.bonus(text.length, &self.shares);
            }
        }
    }

    /// Locates the text of a record; `None` when it has no word of the query.
    fn text_of(&self, record: &Found) -> Option<Text<'a>> {
        let plan = self.part_of(record).filter(|_| record.words != 0)?;
        let doc = record.place.doc;
        Some(Text {
            places: plan.part.places(doc),
            length: plan.part.lengths().at(doc),
        })
    }

    pub(super) fn part_of(&self, found: &Found) -> Option<&PartPlan<'a>> {
        self.parts.iter().find(|plan| is_of(plan, found))
    }
}

/// True if a record was found in this part.
pub(super) fn is_of(plan: &PartPlan<'_>, found: &Found) -> bool {
    plan.journal_index == found.journal_index && plan.number == found.place.part
}
