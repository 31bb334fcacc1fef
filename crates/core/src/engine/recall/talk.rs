//! Turns of talk among the records that were found.

use super::texts::Texts;
use crate::index::{Found, Place};
use crate::text::speaker::{Asked, are_talk, are_talk_of_sessions, speaker_of};
use rustc_hash::FxHashSet;

/// How many of the best records say whether all are turns, and how many are weighed.
const JUDGED: usize = 16;
const WEIGHED: usize = 64;

/// The best records that were found.
pub(super) struct Talk {
    /// Their numbers, best first.
    best: Vec<usize>,
    /// True if they are turns of talk.
    pub is_talk: bool,
}

impl Talk {
    /// `beside` tells the records of the same session before and after one, and `session_of` the session of one.
    pub fn of(
        found: &[Found],
        texts: &Texts<'_>,
        beside: impl Fn(&Found) -> Vec<Found>,
        session_of: impl Fn(&Found) -> u32,
    ) -> Self {
        let mut best: Vec<usize> = (0..found.len()).collect();
        best.sort_by(|a, b| match (found.get(*a), found.get(*b)) {
            (Some(a), Some(b)) => a.order(b),
            _ => a.cmp(b),
        });
        let judged = best.iter().take(JUDGED).filter_map(|at| texts.read(found.get(*at)?));
        let speakers: Vec<Option<String>> = judged.map(|text| speaker_of(&text).map(str::to_owned)).collect();
        let mut is_talk = are_talk(&speakers);
        if !is_talk && 2 * speakers.iter().flatten().count() > speakers.len() {
            // Of many talks, a few turns each are among the best.
            let mut known: FxHashSet<(usize, Place)> = FxHashSet::default();
            let mut said = Vec::new();
            for one in best.iter().take(JUDGED).filter_map(|at| found.get(*at)) {
                let session = session_of(one);
                for turn in beside(one).into_iter().chain(std::iter::once(*one)) {
                    if session != 0 && known.insert((turn.journal_index, turn.place)) {
                        let text = texts.read(&turn);
                        let speaker = text.as_deref().and_then(speaker_of).map(str::to_owned);
                        said.push(((turn.journal_index, session), speaker));
                    }
                }
            }
            is_talk = are_talk_of_sessions(&said);
        }
        Talk { is_talk, best }
    }

    /// Weighs the best turns by what a query asks of them.
    pub fn weigh(&self, found: &mut [Found], texts: &Texts<'_>, query: &str) {
        let asked = Asked::of(query);
        for at in self.best.iter().take(WEIGHED) {
            let Some(one) = found.get_mut(*at) else { continue };
            if let Some(text) = texts.read(one) {
                let factor = asked.factor(&text) as f32;
                one.score *= factor;
                one.context *= factor;
            }
        }
    }
}
