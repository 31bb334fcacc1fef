//! The context of a record: what was captured around it in the same session. An answer in a conversation often has none of the words of
//! its question, while the sentence before it does.
//!
//! The scores of neighbouring passages and of the whole document support a passage (Callan, "Passage-level evidence in document
//! retrieval", SIGIR 1994; Murdock and Croft, "A translation model for sentence retrieval", 2005). What differs: a passage is a record, a
//! document is a session, and the neighbours of the best records become candidates themselves.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{Admission, Filter, Found, JournalIndex, Place, Plan};

/// What a record gains of the score of the better one of its two neighbours.
const NEIGHBOUR_WEIGHT: f32 = 0.3;
/// What it gains of the mean score of the best records of its session.
const SESSION_WEIGHT: f32 = 0.4;
/// The number of these records; those that were not found count 0.
const SESSION_BEST: usize = 3;
/// The number of records whose neighbours become candidates.
const LEADERS: usize = 20;

type Key = (usize, Place);

/// The sessions of an index, for a query.
pub(super) struct Context<'c> {
    plan: &'c Plan<'c>,
    journal_indexes: &'c [&'c JournalIndex],
    filter: &'c Filter,
    /// Resolved when the first record with a session is found.
    admission: OnceCell<Admission<'c>>,
}

impl<'c> Context<'c> {
    pub fn new(plan: &'c Plan<'c>, journal_indexes: &'c [&'c JournalIndex], filter: &'c Filter) -> Self {
        Context {
            plan,
            journal_indexes,
            filter,
            admission: OnceCell::new(),
        }
    }

    /// Returns the neighbours of the first records of each ranking that are in none of them, with their scores by words.
    pub fn beside(&self, rankings: &[&[Found]]) -> Vec<Found> {
        let mut known: FxHashSet<Key> = rankings.iter().copied().flatten().map(key_of).collect();
        let leaders = rankings.iter().flat_map(|ranking| ranking.iter().take(LEADERS));
        let mut beside: Vec<Found> = leaders.flat_map(|leader| self.neighbours(leader)).collect();
        beside.retain(|found| known.insert(key_of(found)));
        if !beside.is_empty() {
            self.plan.score(&mut beside);
        }
        beside
    }

    /// Adds to each score what the record gains from its session.
    pub fn support(&self, found: &mut [Found]) {
        let sessions: Vec<u32> = found.iter().map(|one| self.plan.session_of(one)).collect();
        if sessions.iter().all(|session| *session == 0) {
            return;
        }
        let scores: FxHashMap<Key, f32> = found.iter().map(|one| (key_of(one), one.score)).collect();
        let best = best_of_sessions(found, &sessions);
        for (one, session) in found.iter_mut().zip(&sessions).filter(|(_, session)| **session != 0) {
            let score_of = |neighbour: Found| scores.get(&key_of(&neighbour)).copied().unwrap_or(0.0);
            let neighbour = self.neighbours(one).map(score_of).fold(0.0, f32::max);
            let of_session = best.get(&(one.journal_index, *session));
            let mean = of_session.map_or(0.0, |best| best.iter().sum::<f32>() / SESSION_BEST as f32);
            one.context = NEIGHBOUR_WEIGHT * neighbour + SESSION_WEIGHT * mean;
            one.score += one.context;
        }
    }

    fn neighbours(&self, found: &Found) -> impl Iterator<Item = Found> {
        let has_session = self.plan.session_of(found) != 0;
        let admission = || self.admission.get_or_init(|| self.plan.admission(self.filter));
        let neighbours = has_session.then(|| self.plan.neighbours(self.journal_indexes, admission(), found));
        neighbours.into_iter().flatten()
    }
}

fn key_of(found: &Found) -> Key {
    (found.journal_index, found.place)
}

/// Returns the best scores of each session.
fn best_of_sessions(found: &[Found], sessions: &[u32]) -> FxHashMap<(usize, u32), [f32; SESSION_BEST]> {
    let mut best: FxHashMap<(usize, u32), [f32; SESSION_BEST]> = FxHashMap::default();
    for (one, session) in found.iter().zip(sessions) {
        let scores = best.entry((one.journal_index, *session)).or_default();
        let mut score = one.score;
        for place in scores {
            if score > *place {
                std::mem::swap(&mut score, place);
            }
        }
    }
    best
}
