//! Current records about the subject of a new text, which may make them out of date: whoever captured it decides. No rule decides that two
//! texts in different words contradict each other; but the writer of the new one knows, when the old one is named.

use super::recall::{Likeness, Near, likenesses, near};
use crate::clock::Millis;
use crate::index::Stores;
use crate::meaning::Meaning;
use crate::model::scope::ScopeFilter;
use crate::text::{Reading, says_the_same};
use schemars::JsonSchema;
use serde::Serialize;

/// The maximum number of records that are offered.
const OFFERED_MAX: usize = 3;

/// A current record that a new text may replace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OfferedMemory")]
pub struct Offered {
    /// Its id.
    pub id: String,
    /// Type or category.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    pub text: String,
    /// When it was made, as written.
    pub created_at: String,
}

/// A new text, and the records to compare it with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The text.
    pub text: &'a str,
    /// Whether its record is in the memory already.
    pub is_stored: bool,
    /// The scope of its record.
    pub scope: ScopeFilter,
    /// The names of its project.
    pub projects: &'a [String],
    /// The ids that are not offered: the record itself, and those that it has retired.
    pub except: &'a [&'a str],
    /// Who reads the offers.
    pub reader: Reader,
}

/// Who reads what is offered. To whoever has just captured a text, three lines too many cost little; a person who decides about many texts
/// is distracted by each that has nothing to do with its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Capturing,
    Reviewing,
}

impl Reader {
    /// Returns true if a record that may be replaced is similar enough to be shown, by words alone.
    fn is_shown(self, likeness: &Likeness, is_close: bool) -> bool {
        let most = likeness.covers.max(likeness.covered);
        match self {
            Reader::Capturing => most > SHARED_MIN && (is_close || both(likeness) > PLAIN_MIN),
            Reader::Reviewing => most > HALF && both(likeness) > SHARED_BOTH,
        }
    }
}

/// Returns the current records that a text may replace, the most likely first; none when nothing is near. Never an error and never a
/// wait: without an answer of the index there is no offer.
pub(crate) fn offer(
    stores: &mut Stores,
    meaning: Option<&mut Meaning>,
    asked: &Asked<'_>,
    now: Millis,
) -> Vec<Offered> {
    let mut near = near(stores, meaning, (asked.text, asked.is_stored), asked.scope, now);
    near.retain(|one| is_open(one, asked));
    let own = Reading::of(asked.text);
    let sames = near.iter().map(|one| Sameness::of(&own, &one.hit.text, &one.likeness));
    let sames: Vec<Sameness> = sames.collect();
    let best = near.iter().filter_map(|one| one.cosine).fold(0.0, f64::max);
    let open = near.into_iter().zip(sames).filter(|(_, same)| *same != Sameness::Same);
    let likely = open.map(|(one, same)| match same {
        Sameness::Opposite => Likely::opposite(one.hit),
        _ => Likely {
            likelihood: likelihood(&one, best),
            likeness: one.cosine.is_none().then_some(one.likeness),
            of: one.hit,
        },
    });
    let offered = most_likely(likely.collect(), asked.reader).map(|hit| Offered {
        id: hit.id,
        kind: hit.kind,
        text: hit.text,
        created_at: hit.created_at,
    });
    offered.collect()
}

/// A record that a text may replace, and how likely.
struct Likely<T> {
    /// Log odds above the threshold of an offer.
    likelihood: f64,
    /// The likeness of the words, where nothing else is known of the two texts.
    likeness: Option<Likeness>,
    of: T,
}

impl<T> Likely<T> {
    /// Of two texts with the same words that say different things, one is out of date as a rule.
    fn opposite(of: T) -> Self {
        Likely {
            likelihood: f64::MAX,
            likeness: None,
            of,
        }
    }
}

/// How two texts with the same words are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sameness {
    /// They say the same.
    Same,
    /// They have the same words, and say something else: in another order, or negated.
    Opposite,
    Different,
}

impl Sameness {
    fn of(own: &Reading, other: &str, likeness: &Likeness) -> Self {
        if likeness.covers < 1.0 || likeness.covered < 1.0 {
            return Sameness::Different;
        }
        if says_the_same(own, &Reading::of(other)) {
            Sameness::Same
        } else {
            Sameness::Opposite
        }
    }
}

/// Returns the offers, the most likely first. By words alone, a record that shares little with the text, or is far behind the best and not
/// plainly similar, is of another subject: whoever captures would read it for nothing.
fn most_likely<T>(mut found: Vec<Likely<T>>, reader: Reader) -> impl Iterator<Item = T> {
    leave_crowd_out(&mut found);
    found.retain(|one| one.likelihood > 0.0);
    // The sort is stable: equally likely records stay in the order of the search.
    found.sort_by(|a, b| b.likelihood.total_cmp(&a.likelihood));
    found.truncate(OFFERED_MAX);
    let best = found.first().map_or(0.0, |one| one.likelihood);
    let is_similar = move |one: &Likely<T>| {
        let is_close = best - one.likelihood < BEHIND_MAX;
        let likeness = one.likeness.as_ref();
        likeness.is_none_or(|likeness| reader.is_shown(likeness, is_close))
    };
    found.into_iter().filter(is_similar).map(|one| one.of)
}

/// A record is one of a crowd when so many others are at least this share as similar as the most similar one: lines of a catalogue, messages of
/// one form. None of them is the one that a text replaces.
const CROWD_SHARE: f64 = 0.8;
const CROWD_MIN: usize = 4;

/// Leaves out the records whose likeness to the text is that of a crowd, unless they have its words and say something else.
fn leave_crowd_out<T>(found: &mut Vec<Likely<T>>) {
    let likenesses = found.iter().filter_map(|one| one.likeness.as_ref()).map(both);
    let likenesses: Vec<f64> = likenesses.collect();
    let best = likenesses.iter().copied().fold(0.0, f64::max);
    let crowd = likenesses.iter().filter(|likeness| **likeness >= CROWD_SHARE * best);
    if best < ALIKE && crowd.count() > CROWD_MIN {
        found.retain(|one| one.likeness.is_none());
    }
}

/// From this likeness on, a record is about the same even in a crowd.
const ALIKE: f64 = 0.9;

/// The share of one of the two texts that has to be in the other, how far behind the most likely record another one may be, and from which
/// share on it may be further behind. They lose 5 of the 610 true offers of the labelled sets, and a quarter to a half of the others.
const SHARED_MIN: f64 = 0.27;
const BEHIND_MAX: f64 = 4.5;
const PLAIN_MIN: f64 = 0.5;

/// In a review, half of what is rare in one of the texts is in the other, and a third of both is in each other. That leaves 445 of 535
/// changes; beside 80 lessons of another author something is shown in 3, where a capture names something in 24.
const HALF: f64 = 0.5;
const SHARED_BOTH: f64 = 0.34;

/// Returns true if a record may be offered: one of another project is not replaced.
fn is_open(near: &Near, asked: &Asked<'_>) -> bool {
    let hit = &near.hit;
    let is_same_project = hit.project.is_empty() || asked.projects.contains(&hit.project);
    is_same_project && !asked.except.contains(&hit.id.as_str())
}

/// The geometric mean of the two shares.
fn both(likeness: &Likeness) -> f64 {
    (likeness.covers * likeness.covered).sqrt()
}

/// Returns which of other texts a text may replace, the most likely first: those of another store, which no file of this memory has.
pub(crate) fn offer_among(stores: &mut Stores, text: &str, others: &[&str]) -> Vec<usize> {
    let found = likenesses(stores, text, others).into_iter().enumerate();
    let own = Reading::of(text);
    let sames = found.map(|(at, likeness)| {
        let other = others.get(at).copied().unwrap_or_default();
        (at, Sameness::of(&own, other, &likeness), likeness)
    });
    let open = sames.filter(|(_, same, _)| *same != Sameness::Same);
    let likely = open.map(|(at, same, likeness)| match same {
        Sameness::Opposite => Likely::opposite(at),
        _ => Likely {
            likelihood: BY_WORDS.of(&likeness),
            likeness: Some(likeness),
            of: at,
        },
    });
    most_likely(likely.collect(), Reader::Capturing).collect()
}

/// Returns how likely a text replaces a record near it, as log odds above the threshold of an offer. The weights are those of a logistic
/// regression over one half of the labelled sets; docs/reference/truth.md says how the other half is answered.
fn likelihood(near: &Near, best_cosine: f64) -> f64 {
    match near.cosine {
        Some(cosine) => WITH_MEANING.of(&near.likeness) + COSINE * cosine + BEHIND_BEST * (best_cosine - cosine),
        None => BY_WORDS.of(&near.likeness),
    }
}

/// The weights of the parts of a likeness.
struct Weights {
    covers: f64,
    both: f64,
    rarest: f64,
    length: f64,
    threshold: f64,
}

const BY_WORDS: Weights = Weights {
    covers: -11.9,
    both: 25.2,
    rarest: 4.3,
    length: -2.2,
    threshold: -3.9,
};
const WITH_MEANING: Weights = Weights {
    covers: -12.3,
    both: 18.2,
    rarest: 1.5,
    length: -2.5,
    threshold: 2.0,
};
/// The weight of the cosine, and of its distance from the best one.
const COSINE: f64 = 5.0;
const BEHIND_BEST: f64 = -19.1;

impl Weights {
    fn of(&self, near: &Likeness) -> f64 {
        let length = (near.words as f64).ln_1p();
        self.covers * near.covers
            + self.both * both(near)
            + self.rarest * near.rarest
            + self.length * length
            + self.threshold
    }
}
