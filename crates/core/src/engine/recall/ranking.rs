//! The final order of the hits: by the scores of the search times the factors of feedback and freshness, and the factor of a text that says
//! it is of the past; near duplicates last.
//!
//! Records are read one by one and only as far as needed: a record after the page can only enter it when a hit of the page lost some of
//! its score or repeats another one.

use super::diversity::{put_repeats_last, repeats_in};
use super::explained::{feedback_max, weigh, with_rulings};
use super::hit::RecallHit;
use super::marks::check_more;
use super::question::Question;
use super::reading::{HitReader, Mismatch};
use crate::freshness::Checker;
use crate::index::{Found, Store};
use crate::model::scope::Scope;
use crate::text::bygone::is_bygone;
use crate::text::intent::{FACTOR, Intent, Told};

/// The number of records after the page that may replace a hit.
pub(super) const SPARE: usize = 8;

/// The hits of an answer while they are read and put in order.
pub(super) struct Ranking<'r> {
    reader: HitReader<'r>,
    checker: &'r mut Checker,
    question: &'r Question<'r>,
    /// Returns the share of the query that a record has, and whether its relevance is doubtful.
    judge: &'r dyn Fn(&Found) -> (f64, bool),
    intent: Intent<'r>,
    /// The stores with rulings on records.
    ruled: Vec<(Scope, &'r Store)>,
    hits: Vec<RecallHit>,
}

impl<'r> Ranking<'r> {
    pub fn new(
        reader: HitReader<'r>,
        stores: &[(Scope, &'r Store)],
        checker: &'r mut Checker,
        question: &'r Question<'r>,
        judge: &'r dyn Fn(&Found) -> (f64, bool),
    ) -> Self {
        checker.begin();
        Ranking {
            reader,
            checker,
            question,
            judge,
            intent: Intent::of(question.query),
            ruled: with_rulings(stores),
            hits: Vec::new(),
        }
    }

    /// Returns the sorted hits of the answer, fewer than its limit when no more were found. The second value is true when more records are
    /// needed to decide which hits belong on the page.
    ///
    /// # Errors
    /// As [`HitReader::read_next`].
    pub fn into_hits(mut self) -> Result<(Vec<RecallHit>, bool), Mismatch> {
        let limit = self.question.limit;
        self.read_to(limit)?;
        let mut is_short = self.hits.len() < limit;
        let mut repeats = repeats_in(&self.ruled, &self.hits);
        if self.may_be_overtaken() || repeats.contains(&true) {
            self.read_to(limit + SPARE)?;
            is_short = self.hits.len() < limit + SPARE;
            repeats = repeats_in(&self.ruled, &self.hits);
        }
        put_repeats_last(&mut self.hits, &repeats);
        self.hits.truncate(limit);
        Ok((self.hits, is_short))
    }

    /// Reads hits until there are `count`, and sorts them by their final scores.
    fn read_to(&mut self, count: usize) -> Result<(), Mismatch> {
        let known = self.hits.len();
        while self.hits.len() < count
            && let Some((mut hit, found)) = self.reader.read_next()?
        {
            (hit.covers, hit.is_weak) = (self.judge)(found);
            hit.is_over = is_bygone(&hit.text);
            self.hits.push(hit);
        }
        // For a past point in time, freshness is not checked.
        if self.question.filter.at.is_none() {
            let new = self.hits.get_mut(known..).unwrap_or_default();
            weigh(&self.ruled, new);
            check_more(self.checker, new, self.question.filter.now);
            for hit in new {
                hit.score *= hit.freshness_factor();
                if self.intent.is_about_now && hit.is_over {
                    hit.score *= FACTOR;
                    hit.context *= FACTOR;
                }
            }
            self.intent.put_behind(&mut self.hits);
        }
        // The sort is stable: hits with equal scores keep their order.
        self.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(())
    }

    /// Returns true if the next record could get a better final score than the last hit.
    fn may_be_overtaken(&self) -> bool {
        let most = self.reader.next_score().map(|next| next * feedback_max(&self.ruled));
        let last = self.hits.last().map(|hit| hit.score);
        most.zip(last).is_some_and(|(most, last)| most > last)
    }
}

impl Told for RecallHit {
    fn is_over(&self) -> bool {
        self.is_over
    }

    fn matched(&self) -> &[String] {
        &self.matched
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn score(&mut self) -> &mut f64 {
        &mut self.score
    }
}
