//! The gain of a record from its session: from its neighbours there, and from the session as a whole.
//!
//! The scores of neighbouring passages and of the whole document support a passage (Callan, "Passage-level evidence in document retrieval",
//! SIGIR 1994; Murdock and Croft, "A translation model for sentence retrieval", 2005). Here, a passage is a record, and a document is a
//! session.
//!
//! Difference from the papers: a bonus that some records cannot have must not decide against them. No record passes one without a session by its
//! gain alone, and a note, which unlike a turn of talk is meant to be understood alone, passes none that has a word of the query that it lacks.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The share that a record gains of the score of the better one of its two neighbours.
const NEIGHBOUR_WEIGHT: f64 = 0.225;
/// The share that it gains of the mean score of the best records of its session.
const SESSION_WEIGHT: f64 = 0.3;
/// The number of these records; those that were not found count 0.
const SESSION_BEST: usize = 3;
/// The share of the distance to a record that may not be passed.
const JUST_BELOW: f64 = 0.999;

/// A record with its score. One without a session gains nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member<K, S> {
    /// Its key.
    pub key: K,
    /// Its session.
    pub session: Option<S>,
    /// Its score.
    pub score: f64,
    /// The words of the query that it has, one bit each.
    pub words: u32,
}

/// Returns the gain of each record; `neighbours` tells those before and after one with a session, found or not. `are_turns` says that the records are
/// turns of talk.
pub fn gains<K, S, N>(members: &[Member<K, S>], are_turns: bool, neighbours: impl Fn(usize) -> N) -> Vec<f64>
where
    K: Copy + Eq + Hash,
    S: Copy + Eq + Hash,
    N: IntoIterator<Item = K>,
{
    let scores: FxHashMap<K, f64> = members.iter().map(|one| (one.key, one.score)).collect();
    let mut best: FxHashMap<S, [f64; SESSION_BEST]> = FxHashMap::default();
    for (session, mut score) in members.iter().filter_map(|one| Some((one.session?, one.score))) {
        for place in best.entry(session).or_default() {
            if score > *place {
                std::mem::swap(&mut score, place);
            }
        }
    }
    let gain = |(at, one): (usize, &Member<K, S>)| {
        let mean = best.get(&one.session?)?.iter().sum::<f64>() / SESSION_BEST as f64;
        let score_of = |key: K| scores.get(&key).copied().unwrap_or(0.0);
        let neighbour = neighbours(at).into_iter().map(score_of).fold(0.0, f64::max);
        Some(NEIGHBOUR_WEIGHT * neighbour + SESSION_WEIGHT * mean)
    };
    let mut gained: Vec<f64> = members.iter().enumerate().map(|one| gain(one).unwrap_or(0.0)).collect();
    limit(members, are_turns, &mut gained);
    gained
}

/// Lowers the gains that would move a record before one that it may not pass.
fn limit<K, S: Copy>(members: &[Member<K, S>], are_turns: bool, gained: &mut [f64]) {
    let mut order: Vec<&Member<K, S>> = members.iter().collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score));
    for (own, gain) in members.iter().zip(gained).filter(|(_, gain)| **gain > 0.0) {
        let before = order.partition_point(|other| other.score > own.score);
        let is_passed = |other: &&&Member<K, S>| other.score <= own.score + *gain;
        let may_not_pass =
            |other: &&&Member<K, S>| other.session.is_none() || (!are_turns && other.words & !own.words != 0);
        let better = order.iter().take(before).rev().take_while(is_passed);
        if let Some(other) = better.clone().find(may_not_pass) {
            *gain = (other.score - own.score) * JUST_BELOW;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_gains_from_its_neighbours_and_its_session_and_alone_nothing() {
        let member = |key: u32, session: Option<u32>, score| Member {
            key,
            session,
            score,
            words: 1,
        };
        let members = [
            member(1, Some(7), 0.9),
            member(2, Some(7), 0.0),
            member(4, Some(7), 0.3),
            member(5, Some(8), 0.6),
            member(6, None, 0.8),
        ];
        let gained = gains(&members, true, |at| [members[at].key - 1, members[at].key + 1]);
        let session = SESSION_WEIGHT * (0.9 + 0.3) / 3.0;
        // The third record was not found and counts 0; 4 and 5 are neighbours despite their sessions, because `neighbours` says so.
        let expected = [
            session,
            NEIGHBOUR_WEIGHT * 0.9 + session,
            NEIGHBOUR_WEIGHT * 0.6 + session,
            // It stays behind the one without a session.
            0.2 * JUST_BELOW,
            0.0,
        ];
        assert!(
            gained
                .iter()
                .zip(expected)
                .all(|(own, other)| (own - other).abs() < 1e-9),
            "{gained:?}"
        );
    }

    #[test]
    fn a_note_does_not_pass_one_that_has_a_word_it_lacks_by_its_session_alone() {
        let member = |key: u32, session: u32, score, words| Member {
            key,
            session: Some(session),
            score,
            words,
        };
        let members = [
            member(1, 1, 1.0, 0b11),
            member(5, 2, 0.9, 0b01),
            member(6, 2, 0.9, 0b01),
        ];
        let total = |are_turns| -> Vec<f64> {
            let gained = gains(&members, are_turns, |at| [members[at].key - 1, members[at].key + 1]);
            members.iter().zip(gained).map(|(one, gain)| one.score + gain).collect()
        };
        let notes = total(false);
        assert!(notes[0] > notes[1] && notes[1] > 0.99, "{notes:?}");
        let turns = total(true);
        assert!(turns[1] > turns[0], "{turns:?}");
    }
}
