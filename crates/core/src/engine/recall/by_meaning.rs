//! Semantic and hybrid ranking: the best lexical hits and the nearest vectors are the candidates; both scores of each
//! are combined by [`fusion`].
//!
//! [`fusion`]: crate::text::fusion

use rustc_hash::FxHashSet;

use super::context::Context;
use super::options::Mode;
use super::question::Question;
use super::texts::Texts;
use super::wording::Wording;
use crate::index::{Found, JournalIndex, Place, Plan, Store, Windows};
use crate::meaning::{Meaning, QueryVectors};
use crate::model::scope::Scope;
use crate::text::fusion::{Asked, Evidence, fuse};
use crate::text::relevance::{Nearness, QueryMass};

/// The minimum number of candidates from each of the two.
const DEPTH_MIN: usize = 100;

/// Chooses the search mode: the requested one, if the model and vectors are available; otherwise lexical, with the
/// reason when a semantic search was requested.
pub(super) fn choose_mode(
    meaning: &mut Meaning,
    has_vectors: bool,
    query: &str,
    asked: Mode,
) -> (Mode, Option<QueryVectors>, Option<String>) {
    if asked == Mode::Words {
        return (Mode::Words, None, None);
    }
    let by_words = |why: Option<String>| {
        (
            Mode::Words,
            None,
            why.map(|why| format!("Searched by words only: {why}.")),
        )
    };
    let missing = |meaning: &Meaning| match (meaning.embedder(), meaning.named()) {
        (None, Some(name)) => {
            format!("the model {name}, which the settings name, is not installed (forge-memory model install {name})")
        }
        (None, None) => {
            "the model is not installed (forge-memory model install), or the settings disable it".to_owned()
        }
        (Some(_), _) => "there are no vectors yet (forge-memory embed)".to_owned(),
    };
    if !has_vectors || query.trim().is_empty() {
        return by_words((asked == Mode::Meaning).then(|| missing(meaning)));
    }
    match meaning.embed_query(query) {
        Ok(Some(coded)) => (asked, Some(coded), None),
        Ok(None) => by_words((asked == Mode::Meaning).then(|| missing(meaning))),
        Err(error) => by_words(Some(error.to_string())),
    }
}

/// The best records, sorted by score, and the nearness of the memory to the query.
#[derive(Default)]
pub(super) struct Ranked {
    pub found: Vec<Found>,
    pub nearness: Option<Nearness>,
}

/// Ranks the records semantically, or both lexically and semantically.
pub(super) fn rank(
    plan: &Plan<'_>,
    stores: &[(Scope, &Store)],
    question: &Question<'_>,
    mass: &QueryMass,
    room: usize,
    windows: &mut Windows,
) -> Ranked {
    let Some((meaning, coded)) = question.meaning else {
        return Ranked::default();
    };
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let texts = Texts::new(stores);
    let figures = meaning.figures();
    let depth = room.max(DEPTH_MIN);
    let records: usize = journal_indexes.iter().map(|index| index.records()).sum();
    let (mut near, neighbourhood) = find_near(plan, &journal_indexes, question, depth);
    plan.score(&mut near);
    let context = Context::new(plan, &journal_indexes, question.filter);
    let compare = |found: &mut Found| {
        found.cosine = plan.exact_of(found).and_then(|key| meaning.cosine_of(coded, key));
    };
    let mut found = match question.mode {
        Mode::Meaning => {
            let mut beside = context.beside(&[&near]);
            beside.iter_mut().for_each(compare);
            near.extend(beside);
            near
        }
        _ => {
            let mut by_words = plan.best(&journal_indexes, question.filter, depth, windows);
            plan.complete(&mut by_words);
            let Wording { has_name, is_talk } = Wording::of(&texts, question, &by_words);
            let coverage = Some(by_words.first().map_or(0.0, |best| mass.coverage(best.words)));
            let beside = context.beside(&[&by_words, &near]);
            by_words.extend(beside);
            by_words.iter_mut().for_each(compare);
            let is_corrected = !question.corrected.is_empty();
            let asked = Asked {
                coverage,
                has_name,
                is_talk,
                ..Asked::of(question.query, question.words, is_corrected, figures)
            };
            let mut both = joined(by_words, near);
            let scores = fuse(&both, &asked);
            both.iter_mut()
                .zip(scores)
                .for_each(|(found, score)| found.score = score as f32);
            both
        }
    };
    if question.mode == Mode::Meaning {
        found
            .iter_mut()
            .for_each(|found| found.score = found.cosine.unwrap_or(0.0));
    }
    let known = mass.coverage(found.iter().fold(0, |all, found| all | found.words));
    let is_near = |cosine: f32| figures.calibration.is_near(f64::from(cosine));
    found.retain(|found| found.words != 0 || found.cosine.is_some_and(is_near));
    context.support(&mut found, &texts, question.query);
    found.sort_by(Found::order);
    found.truncate(room);
    let best = found.iter().filter_map(|found| found.cosine).reduce(f32::max);
    // The best of few is less by chance than the best of many: records that were not compared do not count.
    let compared = records.min(meaning.texts());
    let nearness = Nearness::of(neighbourhood.into_iter(), compared).map(|nearness| Nearness {
        best: best.map_or(0.0, f64::from),
        known,
        background: coded.background,
        ..nearness
    });
    Ranked { found, nearness }
}

/// Returns the records of the nearest texts that pass the filter, from at least `depth` texts if there are as many, and
/// the cosines of the nearest texts overall, nearest first.
fn find_near(
    plan: &Plan<'_>,
    journal_indexes: &[&JournalIndex],
    question: &Question<'_>,
    depth: usize,
) -> (Vec<Found>, Vec<f64>) {
    let Some((meaning, coded)) = question.meaning else {
        return Default::default();
    };
    let admission = plan.admission(question.filter);
    let mut count = depth * 2;
    loop {
        let near = meaning.nearest(coded, count);
        let (mut seen, mut found, mut texts) = (FxHashSet::default(), Vec::new(), 0);
        let mut cosines = Vec::new();
        for one in &near {
            // The first passage found of a text is its nearest one.
            if texts == depth || !seen.insert(one.key) {
                continue;
            }
            cosines.push(f64::from(one.cosine));
            let before = found.len();
            plan.each_exact(journal_indexes, &admission, one.key, |mut record| {
                record.cosine = Some(one.cosine);
                found.push(record);
            });
            texts += usize::from(found.len() > before);
        }
        if texts == depth || near.len() < count {
            return (found, cosines);
        }
        count *= 4;
    }
}

/// Concatenates two lists of records without duplicates; the first list takes precedence.
fn joined(mut found: Vec<Found>, others: Vec<Found>) -> Vec<Found> {
    let known: FxHashSet<(usize, Place)> = found.iter().map(|one| (one.journal_index, one.place)).collect();
    found.extend(
        others
            .into_iter()
            .filter(|one| !known.contains(&(one.journal_index, one.place))),
    );
    found
}

impl From<&Found> for Evidence {
    fn from(found: &Found) -> Self {
        Evidence {
            words: f64::from(found.score),
            cosine: found.cosine.map(f64::from),
        }
    }
}
