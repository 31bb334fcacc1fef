//! The context of a record: the captures around it in the same session. An answer in a conversation often has none of the words of its question,
//! while the sentence before it does. Its gain is in [`session`]; the neighbours of the best records become candidates too.
//!
//! [`session`]: crate::text::session

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::talk::Talk;
use super::texts::Texts;
use crate::index::{Admission, Filter, Found, JournalIndex, Place, Plan};
use crate::text::session::{Member, gains};

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

    /// Adds to each score the gain of the record from its session, and weighs turns of talk by what the query asks of them.
    pub fn support(&self, found: &mut [Found], texts: &Texts<'_>, query: &str) {
        let member = |one: &Found| {
            let session = Some(self.plan.session_of(one)).filter(|session| *session != 0);
            Member {
                key: key_of(one),
                session: session.map(|session| (one.journal_index, session)),
                score: f64::from(one.score),
                words: one.words,
            }
        };
        let members: Vec<_> = found.iter().map(member).collect();
        if members.iter().all(|one| one.session.is_none()) {
            return;
        }
        let talk = Talk::of(
            found,
            texts,
            |one| self.neighbours(one).collect(),
            |one| self.plan.session_of(one),
        );
        let beside = |at: usize| {
            let neighbours = found.get(at).map(|one| self.neighbours(one));
            neighbours.into_iter().flatten().map(|one| key_of(&one))
        };
        let gained = gains(&members, talk.is_talk, beside);
        for (one, gain) in found.iter_mut().zip(gained) {
            one.context = gain as f32;
            one.score += one.context;
        }
        if talk.is_talk {
            talk.weigh(found, texts, query);
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
