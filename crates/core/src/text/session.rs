//! The gain of a record from its session: from its neighbours there, and from the session as a whole.
//!
//! The scores of neighbouring passages and of the whole document support a passage (Callan, "Passage-level evidence in document retrieval",
//! SIGIR 1994; Murdock and Croft, "A translation model for sentence retrieval", 2005). Here, a passage is a record, and a document is a
//! session.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The share that a record gains of the score of the better one of its two neighbours.
const NEIGHBOUR_WEIGHT: f64 = 0.3;
/// The share that it gains of the mean score of the best records of its session.
const SESSION_WEIGHT: f64 = 0.4;
/// The number of these records; those that were not found count 0.
const SESSION_BEST: usize = 3;

/// A record with its score. One without a session gains nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member<K, S> {
    /// Its key.
    pub key: K,
    /// Its session.
    pub session: Option<S>,
    /// Its score.
    pub score: f64,
}

/// Returns the gain of each record; `neighbours` tells those before and after one with a session, found or not.
pub fn gains<K, S, N>(members: &[Member<K, S>], neighbours: impl Fn(usize) -> N) -> Vec<f64>
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
    members.iter().enumerate().map(|one| gain(one).unwrap_or(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_gains_from_its_neighbours_and_its_session_and_alone_nothing() {
        let member = |key: u32, session: Option<u32>, score| Member { key, session, score };
        let members = [
            member(1, Some(7), 0.9),
            member(2, Some(7), 0.0),
            member(4, Some(7), 0.3),
            member(5, Some(8), 0.6),
            member(6, None, 0.8),
        ];
        let gained = gains(&members, |at| [members[at].key - 1, members[at].key + 1]);
        let session = 0.4 * (0.9 + 0.3) / 3.0;
        // The third record was not found and counts 0; 4 and 5 are neighbours despite their sessions, because `neighbours` says so.
        let expected = [
            session,
            0.3 * 0.9 + session,
            0.3 * 0.6 + session,
            0.3 * 0.8 + 0.4 * 0.6 / 3.0,
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
}
