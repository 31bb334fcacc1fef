//! A score for two texts that no rule compares: a logistic regression over a few features of their outlines. It says how likely the newer text
//! changes what the older one says. It only links, because its precision is lower than that of the rules.

use super::claims::Claims;
use super::outline::{Given, Outline, Term};
use super::rule::Rule;
use super::weak_evidence::{has_other_subject, is_of_another};

/// The score from which two texts are linked.
const LINK_MIN: f32 = 1.0;
/// The weight of a word that tells a subject.
const TELLING: f32 = 0.7;
/// The overlap from which a score is computed.
const OVERLAP_MIN: f32 = 0.4;
/// The share of words from which two texts say the same, if no value differs.
const SAME_SHARE: f32 = 0.75;

/// The number of features.
const FEATURES: usize = 17;

/// How rare the words of a memory are: 1 for a rare word, less for a frequent one.
pub(super) type Rarity<'a> = &'a dyn Fn(u64) -> f32;

/// Returns whether a newer text probably changes what an older one says.
pub(super) fn is_likely(newer: &Claims, older: &Claims, rarity: Rarity<'_>) -> bool {
    let pair = comparable(newer, older, rarity).filter(|pair| !pair.is_repeated());
    pair.is_some_and(|pair| score(&features(newer, older, &pair)) > LINK_MIN)
}

/// Returns the score of two texts that may be about the same, whether the newer one changes or repeats the older one; `None` when the
/// newer one cannot replace the older one, as hearsay cannot.
pub fn score_of_change(newer: &Claims, older: &Claims) -> Option<f32> {
    if newer.outline.is_hearsay {
        return None;
    }
    let pair = comparable(newer, older, &|_| 1.0)?;
    Some(score(&features(newer, older, &pair)))
}

/// Returns the share of the words of the shorter one of two texts that the other one has.
pub(super) fn overlap(newer: &Claims, older: &Claims) -> f32 {
    Pair::of(&newer.outline, &older.outline, &|_| 1.0).overlap()
}

fn score(features: &[f32; FEATURES]) -> f32 {
    features
        .iter()
        .zip(WEIGHTS)
        .map(|(feature, weight)| feature * weight)
        .sum()
}

/// The weights of the features, in their order. docs/truth.md has the table.
const WEIGHTS: [f32; FEATURES] = [
    -3.47, 1.92, 0.99, 1.02, 0.46, 0.70, 1.73, 0.84, 1.53, 0.45, 0.25, 0.40, 0.86, -1.47, -1.20, -0.13, -0.80,
];

/// The distinct words of a text, and for each whether the other text has it.
struct Side {
    terms: Vec<(Term, f32, bool)>,
}

impl Side {
    fn of(outline: &Outline, other: &Outline, rarity: Rarity<'_>) -> Self {
        let mut terms: Vec<(Term, f32, bool)> = Vec::with_capacity(outline.terms.len());
        for term in &outline.terms {
            if let Some((known, _, _)) = terms.iter_mut().find(|(known, _, _)| known.key == term.key) {
                known.is_ended |= term.is_ended;
                known.is_head |= term.is_head;
            } else {
                terms.push((*term, term.weight * rarity(term.key), has(other, term)));
            }
        }
        Side { terms }
    }

    fn sum(&self, of: impl Fn(&Term, bool) -> bool) -> f32 {
        let counted = self.terms.iter().filter(|(term, _, is_shared)| of(term, *is_shared));
        counted.map(|(_, weight, _)| weight).sum()
    }

    fn any(&self, of: impl Fn(&Term, bool) -> bool) -> bool {
        self.terms.iter().any(|(term, _, is_shared)| of(term, *is_shared))
    }

    fn misses(&self, of: impl Fn(&Term) -> bool) -> bool {
        self.any(|term, is_shared| !is_shared && of(term))
    }

    /// Whether it has a distinguishing word that the other text has not.
    fn qualifies(&self) -> bool {
        self.misses(|term| term.is_qualifier)
    }

    /// Whether it says for or of what, and the other text does not.
    fn has_foot(&self) -> bool {
        self.misses(|term| term.is_foot && term.weight > 0.3)
    }

    /// The share of the words of the subject that the other text has.
    fn head_share(&self) -> f32 {
        let all = self.sum(|term, _| term.is_head);
        if all == 0.0 {
            return 0.5;
        }
        self.sum(|term, is_shared| term.is_head && is_shared) / all
    }
}

fn has(outline: &Outline, term: &Term) -> bool {
    let is_same = |known: &Term| known.key == term.key || (known.stub != 0 && known.stub == term.stub);
    outline.terms.iter().any(is_same)
}

/// The values that differ.
struct Contrast {
    number: bool,
    unit: bool,
    typed: bool,
    name: bool,
}

impl Contrast {
    fn of(newer: &Outline, older: &Outline) -> Self {
        let is_new = |given: &&Given| {
            let is_said = |known: &Given| known.kind == given.kind && known.key == given.key;
            !older.values.iter().any(is_said) && !older.terms.iter().any(|term| term.key == given.key)
        };
        let new: Vec<&Given> = newer.values.iter().filter(is_new).collect();
        // "50 jobs at once, 80 with the fast path" gives the known value as well.
        let is_kept = |given: &Given| {
            let mut said = newer.values.iter();
            !newer.tells_change && said.any(|known| known.kind == given.kind && known.key == given.key)
        };
        let differs = |of: fn(&Given) -> bool| {
            let mut former = older.values.iter().filter(|given| of(given) && !is_kept(given));
            former.any(|given| new.iter().any(|other| other.kind == given.kind))
        };
        Contrast {
            number: differs(Given::is_number),
            unit: differs(Given::has_unit),
            typed: differs(Given::is_typed),
            name: differs(Given::is_name),
        }
    }

    fn any(&self) -> bool {
        self.number || self.unit || self.typed || self.name
    }
}

/// A newer text and an older one.
struct Pair<'a> {
    ours: &'a Outline,
    theirs: &'a Outline,
    new: Side,
    old: Side,
    /// The sum of the weights of the shared words.
    shared: f32,
    contrast: Contrast,
}

impl<'a> Pair<'a> {
    fn of(ours: &'a Outline, theirs: &'a Outline, rarity: Rarity<'_>) -> Self {
        let (new, old) = (Side::of(ours, theirs, rarity), Side::of(theirs, ours, rarity));
        let shared = new.sum(|_, is_shared| is_shared);
        let contrast = Contrast::of(ours, theirs);
        Pair {
            ours,
            theirs,
            new,
            old,
            shared,
            contrast,
        }
    }

    fn share(&self, side: &Side) -> f32 {
        self.shared / side.sum(|_, _| true).max(0.5)
    }

    /// The share of the words of the shorter text that the other one has. A state or a tool that both name counts as a word.
    fn overlap(&self) -> f32 {
        let is_common = |given: &&Given| {
            let is_term = self.theirs.terms.iter().any(|term| term.key == given.key);
            let is_same = |other: &Given| other.kind == given.kind && other.key == given.key;
            given.is_typed() && !is_term && self.ours.values.iter().any(is_same)
        };
        let named = self.theirs.values.iter().filter(is_common).count() as f32;
        let of = |side: &Side| (self.shared + named) / (side.sum(|_, _| true) + named).max(0.5);
        of(&self.new).max(of(&self.old))
    }

    /// Whether the newer text says that something has ended that the older one names, and whether that is not its subject.
    fn ended(&self) -> (bool, bool) {
        let is_ended = |term: &Term, is_shared: bool| is_shared && term.is_ended && term.weight >= TELLING;
        let is_value = |term: &Term| self.old.any(|known, _| known.key == term.key && !known.is_head);
        let has_value = |term: &Term, is_shared: bool| is_ended(term, is_shared) && is_value(term);
        (self.new.any(is_ended), self.new.any(has_value))
    }

    /// Whether the newer text only repeats the older one.
    fn is_repeated(&self) -> bool {
        let lacks_little = self.old.sum(|_, is_shared| !is_shared) < 0.5;
        let is_contained = lacks_little && self.ours.is_denied == self.theirs.is_denied && !self.ended().0;
        let is_whole = self.share(&self.new) > SAME_SHARE || self.theirs.tells_change;
        let is_same = self.share(&self.old) > SAME_SHARE && is_whole;
        !self.contrast.any() && (is_contained || is_same)
    }

    /// Whether the newer text is about another case, or about a narrower one.
    fn is_other_case(&self) -> bool {
        let (new, old) = (&self.new, &self.old);
        let is_narrower = new.qualifies() || new.has_foot() || self.ours.is_conditional;
        let is_wider = old.qualifies() || old.has_foot();
        (new.qualifies() && old.qualifies()) || (is_narrower && !is_wider && !self.ours.tells_change)
    }
}

/// Returns two texts as a pair; `None` when the newer one cannot change the older one.
fn comparable<'a>(newer: &'a Claims, older: &'a Claims, rarity: Rarity<'_>) -> Option<Pair<'a>> {
    if newer.outline.asserts_nothing() {
        return None;
    }
    let pair = Pair::of(&newer.outline, &older.outline, rarity);
    let is_about_same = pair.shared >= TELLING && pair.overlap() >= OVERLAP_MIN;
    (is_about_same && !are_numbered(&pair) && !pair.is_other_case()).then_some(pair)
}

/// Returns the features of a pair.
fn features(newer: &Claims, older: &Claims, pair: &Pair<'_>) -> [f32; FEATURES] {
    let (is_elsewhere, is_other) = match (newer.clauses.first(), older.clauses.first()) {
        (Some(one), Some(first)) => (
            is_of_another(one, first, &newer.words, &older.words, Rule::Predicate),
            has_other_subject(one, first, &newer.words, &older.words),
        ),
        _ => (false, false),
    };
    let (new, old, contrast) = (&pair.new, &pair.old, &pair.contrast);
    let (ended, ended_value) = pair.ended();
    let (new_len, old_len) = (new.terms.len() as f32, old.terms.len() as f32);
    let bounded = (pair.shared / 3.0).min(1.5);
    let is = |fact: bool| f32::from(u8::from(fact));
    let change = is(pair.ours.tells_change);
    [
        1.0,
        pair.share(old),
        bounded,
        new.head_share(),
        is(old.head_share() > 0.99),
        is(contrast.unit),
        is(contrast.typed),
        is(contrast.name),
        change,
        change * bounded,
        is(ended),
        is(ended_value),
        (new_len - old_len) / (new_len + old_len + 1.0),
        is(is_elsewhere),
        is(is_other),
        is(new.qualifies()),
        is(new.has_foot() && old.has_foot()),
    ]
}

/// "server 1", "server 2"; "E1021", "E1022": two of a series.
fn are_numbered(pair: &Pair<'_>) -> bool {
    let is_other = |(noun, number): &(u64, u64)| {
        let mut others = pair.theirs.numbered.iter();
        others.any(|(other, known)| noun == other && number != known)
    };
    let is_mask = |term: &Term, is_shared: bool| term.mask != 0 && !is_shared;
    let has_mask = |mask: u64| {
        pair.old
            .any(|known, is_known| is_mask(known, is_known) && known.mask == mask)
    };
    let is_masked = |term: &Term, is_shared: bool| is_mask(term, is_shared) && has_mask(term.mask);
    pair.ours.numbered.iter().any(is_other) || pair.new.any(is_masked)
}
