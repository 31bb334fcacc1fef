//! The current records that a whole text is nearest to: a search with all that the text says, and how much of either is in the other.

use rustc_hash::FxHashSet;

use super::hit::RecallHit;
use super::question::Question;
use super::reading::{HitReader, OnMismatch};
use super::{Mode, by_meaning};
use crate::clock::Millis;
use crate::index::{Filter, JournalIndex, Plan, Rarities, Searched, Stores};
use crate::meaning::Meaning;
use crate::model::scope::ScopeFilter;
use crate::text::lines::head;
use crate::text::{QueryWord, TermHash, query_words};

/// The longest beginning of a text whose words are compared, in bytes.
const COMPARED_BYTES: usize = 2048;
/// The number of its first words whose rarity is looked up.
const WORDS_COUNTED: usize = 96;
/// The number of rarest words that are searched for: the others find nothing that these do not.
const WORDS_SEARCHED: usize = 16;
/// The number of records that are read and compared.
const CANDIDATES: usize = 60;
/// The number of rarest common words that say whether two texts are about the same.
const RAREST: usize = 2;

/// A record that is near a text.
#[derive(Debug, Clone)]
pub(crate) struct Near {
    /// The record.
    pub hit: RecallHit,
    /// Its cosine on the scale of the measured model, when vectors were compared.
    pub cosine: Option<f64>,
    /// The likeness of the two.
    pub likeness: Likeness,
}

/// Returns current records that are near a text, in no order; one that is stored is told, so that it does not count itself. With vectors, those near by meaning are among them. A search that the index
/// or the vectors cannot answer now finds nothing.
pub(crate) fn near(
    stores: &mut Stores,
    meaning: Option<&mut Meaning>,
    (text, is_stored): (&str, bool),
    scope: ScopeFilter,
    now: Millis,
) -> Vec<Near> {
    let text = head(text, COMPARED_BYTES);
    if stores.refresh().iter().any(|_| true) {
        return Vec::new();
    }
    let mut meaning = meaning;
    let (mode, coded, _) = match &mut meaning {
        Some(meaning) => {
            let has_vectors = meaning.refresh();
            by_meaning::choose_mode(meaning, has_vectors, text, Mode::Auto)
        }
        None => (Mode::Words, None, None),
    };
    let filter = Filter {
        now,
        ..Filter::default()
    };
    let Searched { stores, windows, .. } = stores.searched_in(scope);
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let rarities = if is_stored {
        Rarities::new(&journal_indexes).without(query_words(text).iter().flat_map(terms_in).collect())
    } else {
        Rarities::new(&journal_indexes)
    };
    let weighed = weigh(text, &rarities);
    let words = rarest(&weighed);
    let plan = Plan::new(&words, &journal_indexes);
    let question = Question {
        query: text,
        words: &words,
        corrected: &[],
        filter: &filter,
        scope,
        limit: CANDIDATES,
        meaning: meaning.as_deref().zip(coded.as_ref()),
        mode,
    };
    let calibration = question.calibration();
    let mass = plan.mass(&words, &[]);
    let found = match question.meaning {
        Some(_) => by_meaning::rank(&plan, &stores, &question, &mass, CANDIDATES, windows).found,
        None => plan.best(&journal_indexes, &filter, CANDIDATES, windows),
    };
    if meaning.is_some_and(|meaning| meaning.is_damaged()) || journal_indexes.iter().any(|index| index.is_damaged()) {
        return Vec::new();
    }
    let terms: FxHashSet<TermHash> = terms_of(&weighed);
    let mut reader = HitReader::new(&stores, &found, &words, OnMismatch::PassOver);
    let mut near = Vec::with_capacity(found.len());
    while let Ok(Some((hit, _))) = reader.read_next() {
        near.push(Near {
            cosine: hit.cosine.map(|cosine| calibration.scaled(cosine)),
            likeness: likeness_of(&weighed, &terms, &hit.text, &rarities),
            hit,
        });
    }
    near
}

/// How much two texts have in common, by the words that are rare in this memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Likeness {
    /// The share of the text's rarity that the record has, from 0 to 1.
    pub covers: f64,
    /// The share of the record's rarity that the text has.
    pub covered: f64,
    /// The rarity of the two rarest words that both have, relative to that of a word that only one record has.
    pub rarest: f64,
    /// The number of different words of the record that can be searched for.
    pub words: usize,
}

/// Compares a text that is stored with others, which no file of this memory has.
pub(crate) fn likenesses(stores: &mut Stores, text: &str, others: &[&str]) -> Vec<Likeness> {
    let text = head(text, COMPARED_BYTES);
    if stores.refresh().iter().any(|_| true) {
        return Vec::new();
    }
    let Searched { stores, .. } = stores.searched_in(ScopeFilter::Project);
    let journal_indexes: Vec<&JournalIndex> = stores.iter().map(|(_, store)| &store.journal_index).collect();
    let stored = query_words(text).iter().flat_map(terms_in).collect();
    let rarities = Rarities::new(&journal_indexes).without(stored);
    let weighed = weigh(text, &rarities);
    let terms = terms_of(&weighed);
    let compare = |other: &&str| likeness_of(&weighed, &terms, other, &rarities);
    others.iter().map(compare).collect()
}

fn likeness_of(
    weighed: &[(QueryWord, f32)],
    terms: &FxHashSet<TermHash>,
    other: &str,
    rarities: &Rarities<'_>,
) -> Likeness {
    let own = weigh(head(other, COMPARED_BYTES), rarities);
    Likeness {
        covers: share_in(weighed, &terms_of(&own)),
        covered: share_in(&own, terms),
        rarest: rarest_in(&own, terms) / f64::from(rarities.highest()),
        words: own.len(),
    }
}

/// Returns the first words of a text that can be searched for, each with its rarity.
fn weigh(text: &str, rarities: &Rarities<'_>) -> Vec<(QueryWord, f32)> {
    let words = query_words(text);
    let all_common = words.iter().all(|word| word.common);
    let counted = words.into_iter().filter(|word| all_common || !word.common);
    let weighed = counted.take(WORDS_COUNTED).map(|word| {
        let rarity = rarities.of(&word);
        (word, rarity)
    });
    weighed.collect()
}

/// Returns the rarest words, in the order of the text.
fn rarest(weighed: &[(QueryWord, f32)]) -> Vec<QueryWord> {
    let mut order: Vec<usize> = (0..weighed.len()).collect();
    let rarity_at = |at: &usize| weighed.get(*at).map_or(0.0, |(_, rarity)| *rarity);
    order.sort_by(|a, b| rarity_at(b).total_cmp(&rarity_at(a)));
    order.truncate(WORDS_SEARCHED);
    order.sort_unstable();
    order
        .into_iter()
        .filter_map(|at| weighed.get(at))
        .map(|(word, _)| word.clone())
        .collect()
}

fn terms_of(weighed: &[(QueryWord, f32)]) -> FxHashSet<TermHash> {
    weighed.iter().flat_map(|(word, _)| terms_in(word)).collect()
}

fn terms_in(word: &QueryWord) -> impl Iterator<Item = TermHash> + '_ {
    word.stems.iter().copied()
}

/// Returns the words that are in a set of terms, by their rarity.
fn shared<'w>(weighed: &'w [(QueryWord, f32)], terms: &'w FxHashSet<TermHash>) -> impl Iterator<Item = f32> + 'w {
    let has = |word: &QueryWord| word.stems.iter().any(|term| terms.contains(term));
    weighed
        .iter()
        .filter(move |(word, _)| has(word))
        .map(|(_, rarity)| *rarity)
}

/// Returns the share of the words' rarity that is in a set of terms.
fn share_in(weighed: &[(QueryWord, f32)], terms: &FxHashSet<TermHash>) -> f64 {
    let all: f32 = weighed.iter().map(|(_, rarity)| rarity).sum();
    let both: f32 = shared(weighed, terms).sum();
    if all > 0.0 { f64::from(both / all) } else { 0.0 }
}

/// Returns the rarity of the rarest words that are in a set of terms.
fn rarest_in(weighed: &[(QueryWord, f32)], terms: &FxHashSet<TermHash>) -> f64 {
    let mut rarities: Vec<f32> = shared(weighed, terms).collect();
    rarities.sort_by(|a, b| b.total_cmp(a));
    rarities.iter().take(RAREST).map(|rarity| f64::from(*rarity)).sum()
}
