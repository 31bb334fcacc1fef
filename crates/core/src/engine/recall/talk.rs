//! Turns of talk among the records that were found.

use super::texts::Texts;
use crate::index::Found;
use crate::text::speaker::{Asked, are_talk, speaker_of};

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
    pub fn of(found: &[Found], texts: &Texts<'_>) -> Self {
        let mut best: Vec<usize> = (0..found.len()).collect();
        best.sort_by(|a, b| match (found.get(*a), found.get(*b)) {
            (Some(a), Some(b)) => a.order(b),
            _ => a.cmp(b),
        });
        let judged = best.iter().take(JUDGED).filter_map(|at| texts.read(found.get(*at)?));
        let speakers: Vec<Option<String>> = judged.map(|text| speaker_of(&text).map(str::to_owned)).collect();
        Talk {
            is_talk: are_talk(&speakers),
            best,
        }
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
