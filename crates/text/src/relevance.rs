//! Decides whether any hit is relevant to the query, from two measures: the *nearness* of the memory to the query
//! (cosines of the nearest texts), and the *coverage* of a record: its share of the query's total inverse document
//! frequency (compare the "clarity" of queries: Cronen-Townsend, Zhou and Croft, "Predicting query performance", 2002).

use super::query::{QueryWord, searched_words};
use super::tokenization::{Class, class_of};

/// Below this sum of the coverage and a share of what the best records cover together, lexical hits are doubtful. They are never dropped, because a
/// compound or an inflection is easily mistaken for another topic. Measured on four sets (eval/README.md): 1 of 12 right ones is doubtful, and 6 of 10
/// where nothing answers.
const COVERED_LITTLE: f64 = 0.56;
const KNOWN_SHARE: f64 = 0.4;
/// The number of best records that count for it.
const KNOWN_OF: usize = 10;
/// The least coverage for a query in a script without spaces: most of its pairs of characters are no words, and no record has them.
const COVERED_LITTLE_BY_PAIRS: f64 = 0.2;
/// Hits with at least this coverage are never dropped: they contain the name, path or error code of the query.
pub(super) const COVERED_MOSTLY: f64 = 0.8;
/// The number of nearest texts whose mean cosine is part of the nearness.
const NEIGHBOURS: usize = 10;
/// The weight of that mean, relative to the best cosine.
const NEIGHBOURS_WEIGHT: f64 = 2.0;
/// The best of many cosines is large by chance, so the minimum nearness grows with every doubling of the number of
/// texts, by the second number.
const NEAR_OF_ONE: f64 = 0.22;
const NEAR_PER_DOUBLING: f64 = 0.06;
/// Where the query was compared with texts about everything else: the best cosine in standard deviations of its cosines to these, less this share of
/// the nearest of them, and with these weights of the words that its best record has, and of those that any has, has to stand out by so much per
/// doubling, and by what the model's own measurement says.
const BACKGROUND_SHARE: f64 = 0.25;
const BACKGROUND_COVERED: f64 = 2.0;
const BACKGROUND_KNOWN: f64 = 1.0;
const BACKGROUND_PER_DOUBLING: f64 = 0.4;
/// What the questions of a model's own measurement have to stand out more than others.
const MEASURED_MARGIN: f64 = 1.0;
/// Fewer cosines, or a smaller standard deviation, say nothing.
const BACKGROUND_MIN: usize = 16;
const BACKGROUND_SPREAD_MIN: f64 = 0.002;
/// A hit is doubtful when its cosine plus this share of its coverage is below the second number.
const COVERAGE_SHARE: f64 = 0.5;
const DOUBTFUL: f64 = 0.58;
/// A hit with at least this coverage is not doubtful.
const COVERED_WELL: f64 = 0.6;

/// The sign before the digest in the key of a model that knows many languages.
pub const KNOWS_LANGUAGES: &str = "+languages";

/// Returns true if the model with this key knows the language of a query: every model knows English, which the query is in unless it has
/// other letters.
pub fn knows_language(model: &str, query: &str) -> bool {
    is_english(query) || model.contains(KNOWS_LANGUAGES)
}

/// Returns true if a query may be in English: it has no other letters.
pub fn is_english(query: &str) -> bool {
    query.chars().all(|c| c.is_ascii() || !c.is_alphabetic())
}

/// The relevance of the best hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relevance {
    /// It is relevant.
    Match,
    /// It may be relevant.
    Weak,
    /// It is irrelevant.
    None,
}

/// The words of a query with their weights, to compute the coverage of a record.
#[derive(Debug, Default)]
pub struct QueryMass {
    groups: Vec<Group>,
    joined: Vec<(u32, f64)>,
    total: f64,
}

/// A word of the query, and the words that replaced it.
#[derive(Debug)]
struct Group {
    /// The bit and the inverse document frequency of each.
    members: Vec<(u32, f64)>,
    mass: f64,
}

impl QueryMass {
    /// Weights the words of a query by `rarity_of`, the inverse document frequency. `replaced` lists the replacements
    /// of each unknown word.
    pub fn new(words: &[QueryWord], rarity_of: impl Fn(u32) -> f32, replaced: &[Vec<String>]) -> Self {
        let mut mass = QueryMass::default();
        let mut places: Vec<Option<usize>> = vec![None; replaced.len()];
        for (number, word) in searched_words(words) {
            let bit = 1 << number;
            let rarity = f64::from(word.weight) * f64::from(rarity_of(bit));
            // A word that was joined from two neighbours counts when it is found, and is not missed otherwise.
            if !word.is_typed {
                mass.joined.push((bit, rarity));
                continue;
            }
            let of = replaced.iter().position(|texts| texts.contains(&word.text));
            let known = of.and_then(|of| places.get(of).copied().flatten());
            match known.and_then(|at| mass.groups.get_mut(at)) {
                Some(group) => group.take(bit, rarity),
                None => {
                    if let Some(place) = of.and_then(|of| places.get_mut(of)) {
                        *place = Some(mass.groups.len());
                    }
                    mass.groups.push(Group {
                        members: vec![(bit, rarity)],
                        mass: rarity,
                    });
                }
            }
        }
        mass.total = mass.groups.iter().map(|group| group.mass).sum();
        mass
    }

    /// Returns the coverage of a record with these words, from 0 to 1.
    pub fn coverage(&self, matched: u32) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let has = |(bit, _): &&(u32, f64)| matched & bit != 0;
        let joined: f64 = self.joined.iter().filter(has).map(|(_, rarity)| rarity).sum();
        let own: f64 = self.groups.iter().map(|group| group.matched(matched)).sum();
        ((own + joined) / self.total).min(1.0)
    }
}

/// How much of a query the records have that were found, best first.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Covered {
    /// The best coverage of one of them.
    pub best: f64,
    /// The coverage by the best of them together: of a query about something else, some words are in none.
    pub known: f64,
}

impl Covered {
    /// Computes it from the words of each record.
    pub fn of(mass: &QueryMass, records: impl Iterator<Item = u32> + Clone) -> Self {
        Covered {
            best: records.clone().map(|words| mass.coverage(words)).fold(0.0, f64::max),
            known: mass.coverage(records.take(KNOWN_OF).fold(0, |all, words| all | words)),
        }
    }

    /// The same for one of the records.
    #[must_use]
    pub fn by(self, coverage: f64) -> Self {
        Covered { best: coverage, ..self }
    }
}

impl Group {
    fn take(&mut self, bit: u32, rarity: f64) {
        self.members.push((bit, rarity));
        self.mass = self.mass.max(rarity);
    }

    fn matched(&self, matched: u32) -> f64 {
        let has = |(bit, _): &&(u32, f64)| matched & bit != 0;
        let found = self.members.iter().filter(has).map(|(_, rarity)| *rarity);
        found.fold(0.0, f64::max)
    }
}

/// How near the compared texts are to a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// The best cosine among the records that the result may contain.
    pub best: f64,
    /// The mean cosine of the ten nearest texts, or of all when there are fewer: a single text is near by chance more
    /// easily than ten.
    pub neighbourhood: f64,
    /// The number of compared texts.
    pub texts: usize,
    /// The share of the query's rarity whose words are in any of the records that were ranked: of a query about something else, some are in none.
    pub known: f64,
    /// How near other texts are, when that is known.
    pub background: Option<Background>,
}

/// How near texts about everything else are to a query. Cosines of any model are comparable in standard deviations from their mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Background {
    mean: f64,
    spread: f64,
    best: f64,
    least: f64,
}

impl Background {
    /// Computes it from the cosines of such texts, and from the [standing](Nearness::standing) of the model's weakest own question; `None` when the texts are
    /// too few or all alike, or when that question did not stand out, which says nothing.
    pub fn of(cosines: &[f64], least: f64) -> Option<Self> {
        let count = cosines.len() as f64;
        let mean = cosines.iter().sum::<f64>() / count;
        let spread = (cosines.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count).sqrt();
        let best = cosines.iter().copied().fold(mean, f64::max);
        let says_something = cosines.len() >= BACKGROUND_MIN && spread >= BACKGROUND_SPREAD_MIN && least >= 0.0;
        says_something.then_some(Background {
            mean,
            spread,
            best,
            least,
        })
    }

    fn standard(self, cosine: f64) -> f64 {
        (cosine - self.mean) / self.spread
    }
}

impl Nearness {
    /// Computes it from cosines, nearest first.
    pub fn of(cosines: impl Iterator<Item = f64>, texts: usize) -> Option<Self> {
        let nearest: Vec<f64> = cosines.take(NEIGHBOURS).collect();
        let best = nearest.first().copied()?;
        Some(Nearness {
            best,
            neighbourhood: nearest.iter().sum::<f64>() / nearest.len() as f64,
            texts,
            known: 0.0,
            background: None,
        })
    }

    /// Returns by how much the texts stand out from other texts, of which as many would by chance: 0 or more when they do; when the best of them has this
    /// coverage. `None` when nothing is known of other texts.
    pub fn standing(self, coverage: f64) -> Option<f64> {
        let other = self.background?;
        let standing = other.standard(self.best) - BACKGROUND_SHARE * other.standard(other.best);
        let words = BACKGROUND_COVERED * coverage + BACKGROUND_KNOWN * self.known;
        let doublings = (self.texts.max(1) as f64).log2();
        Some(standing + words - BACKGROUND_PER_DOUBLING * doublings)
    }

    /// Returns true if the texts are near by chance only, when the best of them has this coverage.
    pub fn is_chance(self, coverage: f64) -> bool {
        let doublings = (self.texts.max(1) as f64).log2();
        match self.background.zip(self.standing(coverage)) {
            Some((background, standing)) => standing < (background.least - MEASURED_MARGIN).min(0.0),
            None => self.best + NEIGHBOURS_WEIGHT * self.neighbourhood < NEAR_OF_ONE + NEAR_PER_DOUBLING * doublings,
        }
    }
}

/// True if a record is doubtful by the words of a query alone.
pub fn is_doubtful_by_words(query: &str, covered: Covered) -> bool {
    let letters = query.chars().filter(|c| c.is_alphabetic());
    let spaceless = letters.clone().filter(|c| class_of(*c) == Class::Spaceless).count();
    if 2 * spaceless > letters.count() {
        covered.best < COVERED_LITTLE_BY_PAIRS
    } else {
        covered.best + KNOWN_SHARE * covered.known < COVERED_LITTLE
    }
}

/// Judges a result by what the records cover and, if vectors were compared, by the nearness.
pub fn judge(query: &str, covered: Covered, nearness: Option<Nearness>) -> Relevance {
    let coverage = covered.best;
    match nearness {
        None if is_doubtful_by_words(query, covered) => Relevance::Weak,
        None => Relevance::Match,
        Some(_) if is_foreign(query) && coverage <= 0.0 => Relevance::None,
        Some(near) if !is_foreign(query) && coverage < COVERED_MOSTLY && near.is_chance(coverage) => Relevance::None,
        Some(near) if is_doubtful(query, covered, near.best) => Relevance::Weak,
        Some(_) => Relevance::Match,
    }
}

/// True if a record with this coverage and cosine is doubtful.
pub fn is_doubtful(query: &str, covered: Covered, cosine: f64) -> bool {
    if is_foreign(query) {
        // The model finds all texts of another language similar, so only words decide.
        return is_doubtful_by_words(query, covered);
    }
    covered.best < COVERED_WELL && cosine + COVERAGE_SHARE * covered.best < DOUBTFUL
}

fn is_foreign(query: &str) -> bool {
    !is_english(query)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_words;

    #[test]
    fn coverage_is_the_matched_share_of_the_query_idf() {
        let words = query_words("where is the jwtSecret of staging");
        let mass = QueryMass::new(&words, |bit| if bit == 1 { 6.0 } else { 2.0 }, &[]);
        // `jwtSecret` 6, its parts .7 of 2 each, `staging` 2.
        assert_eq!(mass.coverage(0), 0.0);
        assert!((mass.coverage(0b1) - 6.0 / 10.8).abs() < 1e-6);
        assert!((mass.coverage(0b1111) - 1.0).abs() < 1e-6);
        assert_eq!(QueryMass::new(&[], |_| 1.0, &[]).coverage(1), 0.0);
    }

    #[test]
    fn replacements_of_one_word_count_once() {
        let words = query_words("retries retry backoff");
        let replaced = [vec!["retries".to_owned(), "backoff".to_owned()]];
        let mass = QueryMass::new(&words, |_| 3.0, &replaced);
        assert!((mass.coverage(0b1) - 1.0).abs() < 1e-6, "either of them is enough");
    }

    /// One record with this coverage.
    fn alone(coverage: f64) -> Covered {
        Covered {
            best: coverage,
            known: coverage,
        }
    }

    fn near(best: f64, neighbourhood: f64) -> Option<Nearness> {
        Some(Nearness {
            best,
            neighbourhood,
            texts: 2000,
            known: 0.0,
            background: None,
        })
    }

    #[test]
    fn a_foreign_topic_is_irrelevant_and_a_matching_name_never_is() {
        let judged = |query, coverage, near| judge(query, alone(coverage), near);
        assert_eq!(
            judged("history of the Ottoman navy", 0.3, near(0.24, 0.2)),
            Relevance::None
        );
        assert_eq!(judged("ORA-01555", 1.0, near(0.1, 0.1)), Relevance::Match);
        let question = "why do the exports time out at night";
        assert_eq!(judged(question, 0.3, near(0.4, 0.3)), Relevance::Weak);
        assert_eq!(judged(question, 0.3, near(0.55, 0.3)), Relevance::Match);
        assert_eq!(judged("富士山的高度", 0.0, near(0.56, 0.5)), Relevance::None);
        assert_eq!(
            judged("富士山的高度", 0.1, near(0.56, 0.5)),
            Relevance::Weak,
            "one word of it is there"
        );
        assert_eq!(judged("富士山的高度", 0.3, near(0.56, 0.5)), Relevance::Match);
        assert_eq!(judged("высота горы Фудзи", 0.3, near(0.56, 0.5)), Relevance::Weak);
        assert_eq!(judged("высота горы Фудзи", 0.4, near(0.56, 0.5)), Relevance::Match);
    }

    #[test]
    fn one_near_text_among_many_far_ones_is_near_by_chance() {
        let question = "who painted the night watch";
        assert_eq!(judge(question, alone(0.4), near(0.42, 0.22)), Relevance::None);
        assert_eq!(judge(question, alone(0.4), near(0.42, 0.34)), Relevance::Match);
    }

    #[test]
    fn the_nearness_threshold_grows_with_the_memory() {
        let judged = |texts| {
            let nearness = Nearness::of([0.3, 0.2, 0.2].into_iter(), texts);
            judge("what kept the deployment awake", alone(0.3), nearness)
        };
        assert_eq!(judged(50), Relevance::Weak);
        assert_eq!(judged(5000), Relevance::None);
        assert_eq!(Nearness::of(std::iter::empty(), 9), None);
    }

    #[test]
    fn cosines_are_compared_with_those_of_other_texts_if_these_say_anything() {
        let question = "who painted the night watch";
        let beside = |others: &[f64]| {
            let background = Background::of(others, 9.0);
            let nearness = near(0.8, 0.78).map(|near| Nearness { background, ..near });
            judge(question, alone(0.3), nearness)
        };
        let around = |middle: f64| -> Vec<f64> { (0..64).map(|at| middle + 0.02 * f64::from(at % 5 - 2)).collect() };
        assert_eq!(
            beside(&around(0.79)),
            Relevance::None,
            "all texts are as near with this model"
        );
        assert_eq!(beside(&around(0.5)), Relevance::Match);
        for least in [-0.1, f64::NAN] {
            assert_eq!(
                Background::of(&around(0.5), least),
                None,
                "a model that misses its own questions"
            );
        }
        for useless in [&[][..], &[0.9; 15], &[0.9; 64], &[f64::NAN; 64]] {
            assert_eq!(Background::of(useless, 9.0), None);
        }
    }

    #[test]
    fn a_query_whose_words_the_memory_writes_stands_out_more_than_one_with_a_word_that_no_record_has() {
        let around: Vec<f64> = (0..64).map(|at| 0.5 + 0.02 * f64::from(at % 5 - 2)).collect();
        let judged = |known| {
            let background = Background::of(&around, 9.0);
            let nearness = near(0.6, 0.5).map(|near| Nearness {
                background,
                known,
                ..near
            });
            judge("rules of offside in football", alone(0.2), nearness)
        };
        assert_eq!(judged(0.5), Relevance::None);
        assert_ne!(judged(1.0), Relevance::None);
    }

    #[test]
    fn without_a_model_no_hit_is_dropped() {
        assert_eq!(judge("some words", alone(0.0), None), Relevance::Weak);
        assert_eq!(judge("some words", alone(0.3), None), Relevance::Weak);
        assert_eq!(judge("some words", alone(0.5), None), Relevance::Match);
        let among = |known| judge("some words", Covered { best: 0.3, known }, None);
        assert_eq!(among(0.6), Relevance::Weak, "some words are in none of the best");
        assert_eq!(among(0.8), Relevance::Match);
    }
}
