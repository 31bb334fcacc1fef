//! Neighbours: the records captured just before and just after a record in the same session, in the order of the journal.

use super::JournalIndex;
use super::candidates::{Admission, is_of};
use super::found::Found;
use super::search::{PartPlan, Plan};

/// The maximum number of records between two neighbours: sessions that run at the same time alternate in a journal.
const BETWEEN_MAX: usize = 64;

/// The directions in which a journal is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Back,
    Forth,
}

impl<'a> Plan<'a> {
    /// Returns the hash of the session in which a record was captured; 0 when that is not known.
    pub fn session_of(&self, found: &Found) -> u32 {
        self.part_of(found).map_or(0, |plan| plan.part.session(found.place.doc))
    }

    /// Returns the neighbours of a record that the filter admits, without scores.
    pub fn neighbours(
        &self,
        journal_indexes: &[&JournalIndex],
        admission: &Admission<'_>,
        found: &Found,
    ) -> impl Iterator<Item = Found> {
        let session = self.session_of(found);
        let directions = [Direction::Back, Direction::Forth].into_iter();
        directions.filter_map(move |direction| {
            let mut near = self.walk(found, direction).take(BETWEEN_MAX);
            near.find_map(|(number, doc)| {
                let (plan, allowed) = (self.parts.get(number)?, admission.0.get(number)?);
                let journal_index = journal_indexes.get(plan.journal_index)?;
                let is_neighbour = session != 0
                    && plan.part.session(doc) == session
                    && allowed.admits(journal_index, plan.part, plan.base, doc);
                is_neighbour.then(|| plan.found(doc, 0.0, 0))
            })
        })
    }

    /// Walks the records of a journal from one record on: the numbers of their parts in the plan, and their own in the part.
    fn walk(&self, from: &Found, direction: Direction) -> impl Iterator<Item = (usize, u32)> + use<'_, 'a> {
        let (journal_index, doc) = (from.journal_index, from.place.doc);
        let number = self.parts.iter().position(|plan| is_of(plan, from));
        let is_same = move |plan: &PartPlan<'_>| plan.journal_index == journal_index;
        std::iter::successors(number.map(|number| (number, doc)), move |(number, doc)| {
            let (number, doc) = (*number, *doc);
            let docs = self.parts.get(number)?.part.docs();
            match direction {
                Direction::Forth if doc + 1 < docs => Some((number, doc + 1)),
                Direction::Forth => self
                    .parts
                    .get(number + 1)
                    .filter(|next| is_same(next))
                    .map(|_| (number + 1, 0)),
                Direction::Back if doc > 0 => Some((number, doc - 1)),
                Direction::Back => {
                    let before = number.checked_sub(1)?;
                    let plan = self.parts.get(before).filter(|plan| is_same(plan))?;
                    Some((before, plan.part.docs().checked_sub(1)?))
                }
            }
        })
        .skip(1)
    }
}
