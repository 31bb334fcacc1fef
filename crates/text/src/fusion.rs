//! Fusion of lexical and semantic scores: a convex combination of both, each divided by its maximum (Bruch, Gai and Ingber, "An analysis of fusion
//! functions for hybrid retrieval", 2023). Difference from the paper: the weight depends on the query, by how much its words decide. When they
//! single a record out, as names do, lexical scores fall off after the best ones; when they are in many records, the scores are flat (query
//! performance prediction by the distribution of scores: Shtok et al., "Predicting query performance by query-drift estimation", TOIS 2012).
//!
//! A record without a vector is neither near nor far: nothing is known. It keeps the rank that its words give it among the
//! others (quantile normalisation of its lexical score to the distribution of the fused ones).

use super::calibration::{Calibration, MEASURED_MODEL};
use super::query::{QueryWord, searched_words};
use super::relevance::knows_language;

/// The semantic weight for a query of identifiers, versions, paths or error codes only.
const CODE: f64 = 0.3;
/// The maximum for a query with one of these among other words: embeddings blur names.
const NAMED_MAX: f64 = 0.6;
/// The maximum for a query of few words, or in a language that the model may not know.
const LOOKUP_MAX: f64 = 0.7;
/// The semantic weights where lexical scores fall off, and where they are flat.
const STEEP: f64 = 0.5;
const FLAT: f64 = 0.88;
/// The flatness up to which the first one holds, and from which the second one does; between them, the weight is interpolated.
const FLATNESS_STEEP: f64 = 0.4;
const FLATNESS_FLAT: f64 = 0.7;
/// The weight where the words single one record out that has most of them: the second lexical score, relative to the best one, is at most the
/// first number. From the second number on, this rule says nothing.
const DECIDED: f64 = 0.1;
const SECOND_FAR: f64 = 0.3;
const SECOND_NEAR: f64 = 0.45;
const DECIDED_COVERAGE: f64 = 0.6;
/// The maximum for a query with a word that the memory writes as a name, and for one that is asked of turns of talk: such a model knows neither
/// the person nor the thing that they speak of.
const NAME_MAX: f64 = 0.35;
const TALK_MAX: f64 = 0.6;
/// The least weight where no record has more than the first share of the query's rarity; from the second share on, this rule says nothing. A
/// question in other words, or in another language, is not decided by the few words that happen to be the same.
const REWORDED: f64 = 0.95;
const COVERAGE_REWORDED: f64 = 0.2;
const COVERAGE_MATCHED: f64 = 0.8;
/// The number of best lexical scores whose flatness is computed.
const COMPARED: usize = 10;
/// A query with at most this many words is a lookup, not a question.
const WORDS_FEW: usize = 2;

/// The scores of a record for a query.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// The lexical score; 0 when it contains none of the words.
    pub words: f64,
    /// The cosine, as the model computes it; absent without a vector.
    pub cosine: Option<f64>,
}

impl From<&Evidence> for Evidence {
    fn from(evidence: &Evidence) -> Self {
        *evidence
    }
}

/// Figures of the model whose cosines are fused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures<'m> {
    /// The key of its vectors.
    pub model: &'m str,
    /// The scale of its cosines.
    pub calibration: Calibration,
}

impl<'m> Figures<'m> {
    /// Returns the figures that follow from the key alone, where no texts of the memory can be compared.
    pub fn of(model: &'m str) -> Self {
        let calibration = match model {
            MEASURED_MODEL => Calibration::Measured,
            _ => Calibration::Unknown,
        };
        Figures { model, calibration }
    }

    /// Returns the same with the scale that the quartiles of cosines between texts of a store say, unless the model was measured.
    #[must_use]
    pub fn among(self, pairs: usize, quartiles: [f64; 3]) -> Self {
        match self.calibration {
            Calibration::Unknown => Figures {
                calibration: Calibration::of_quartiles(pairs, quartiles),
                ..self
            },
            _ => self,
        }
    }
}

/// The known facts about a query when its scores are fused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// Its form, by its spelling.
    pub form: QueryForm,
    /// The scale of the cosines.
    pub calibration: Calibration,
    /// The share of the query's rarity that the best record by words has, when that is known.
    pub coverage: Option<f64>,
    /// True if the memory writes one of its words as a name.
    pub has_name: bool,
    /// True if it is asked of turns of talk.
    pub is_talk: bool,
}

impl Asked {
    /// Returns the facts that follow from the spelling alone, for a model. `is_corrected` says that a word of it is searched for in another
    /// spelling.
    pub fn of(query: &str, words: &[QueryWord], is_corrected: bool, figures: Figures<'_>) -> Self {
        Asked {
            form: QueryForm::of(query, words, is_corrected, figures.model),
            calibration: figures.calibration,
            coverage: None,
            has_name: false,
            is_talk: false,
        }
    }

    /// Returns the semantic weight, from 0 to 1, for these lexical scores, best first.
    fn weight_of_meaning(&self, scores: &[f64]) -> f64 {
        let mut weight = self.form.weight_of_meaning(flatness_of(scores));
        if let Some(coverage) = self.coverage
            && !matches!(self.form, QueryForm::Code | QueryForm::Foreign)
        {
            let least = between(coverage, (COVERAGE_REWORDED, REWORDED), (COVERAGE_MATCHED, 0.0));
            weight = weight.max(least);
        }
        if self.has_name {
            weight = weight.min(NAME_MAX);
        }
        if self.is_talk {
            weight = weight.min(TALK_MAX);
        }
        if let Some((best, others)) = scores.split_first()
            && self.coverage.is_some_and(|coverage| coverage >= DECIDED_COVERAGE)
        {
            let second = others.first().map_or(0.0, |second| second / best);
            weight = weight.min(between(second, (SECOND_FAR, DECIDED), (SECOND_NEAR, 1.0)));
        }
        weight
    }
}

/// Interpolates between two points; beside them, the nearer one holds.
fn between(at: f64, (from, low): (f64, f64), (to, high): (f64, f64)) -> f64 {
    low + (high - low) * ((at - from) / (to - from)).clamp(0.0, 1.0)
}

/// The form of a query, by its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryForm {
    /// Identifiers only: `keepAliveTimeout`, `ORA-01555`, `src/auth.rs`.
    Code,
    /// Identifiers among other words.
    Named,
    /// A few words, or misspelled ones.
    Lookup,
    /// Words of a language that the embedding model does not know.
    Foreign,
    /// A sentence.
    Sentence,
}

impl QueryForm {
    /// Classifies a query for the model with this key. A misspelled word means nothing to it, nor does one of a language that it does not know.
    pub fn of(query: &str, words: &[QueryWord], is_corrected: bool, model: &str) -> Self {
        let searched = searched_words(words);
        let own = searched.iter().filter(|(_, word)| word.is_typed);
        let is_foreign = !knows_language(model, query);
        let mut codes = query.split_whitespace().map(is_code);
        match own.count() {
            1.. if !(is_corrected || is_foreign) && codes.clone().all(|is_code| is_code) => QueryForm::Code,
            _ if codes.any(|is_code| is_code) => QueryForm::Named,
            _ if is_foreign => QueryForm::Foreign,
            0..=WORDS_FEW => QueryForm::Lookup,
            _ if is_corrected => QueryForm::Lookup,
            _ => QueryForm::Sentence,
        }
    }

    /// Returns the semantic weight, from 0 to 1, for lexical scores of this flatness.
    fn weight_of_meaning(self, flatness: f64) -> f64 {
        let weight = between(flatness, (FLATNESS_STEEP, STEEP), (FLATNESS_FLAT, FLAT));
        match self {
            QueryForm::Code => CODE,
            QueryForm::Named => weight.min(NAMED_MAX),
            QueryForm::Lookup | QueryForm::Foreign => weight.min(LOOKUP_MAX),
            QueryForm::Sentence => weight,
        }
    }
}

/// True if a word of a query is written as no plain word is: with a capital, a digit or a sign in it.
fn is_code(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let mut inner = word.chars().skip(1);
    word.len() > 2 && inner.any(|c| c.is_uppercase() || c.is_numeric() || matches!(c, '_' | '.' | '/' | ':' | '-'))
}

/// Returns the lexical scores of the records that have one, best first.
fn scores_of(evidence: &[Evidence]) -> Vec<f64> {
    let mut scores: Vec<f64> = evidence
        .iter()
        .map(|one| one.words)
        .filter(|words| *words > 0.0)
        .collect();
    scores.sort_unstable_by(|a, b| b.total_cmp(a));
    scores
}

/// Returns the mean of the lexical scores after the best one, relative to it, from 0 to 1. Missing ones count 0.
fn flatness_of(scores: &[f64]) -> f64 {
    let Some((best, others)) = scores.split_first() else {
        return 0.0;
    };
    let sum: f64 = others.iter().take(COMPARED - 1).sum();
    sum / best / (COMPARED - 1) as f64
}

/// Returns the fused score of every record, from 0 to 1: in the files, in the stores and in past sessions alike.
pub fn fuse<'r, R>(records: &'r [R], asked: &Asked) -> Vec<f64>
where
    Evidence: From<&'r R>,
{
    let scaled = |record| {
        let Evidence { words, cosine } = Evidence::from(record);
        let cosine = cosine.map(|cosine| asked.calibration.scaled(cosine));
        Evidence { words, cosine }
    };
    let evidence: Vec<Evidence> = records.iter().map(scaled).collect();
    let scores = scores_of(&evidence);
    let best_words = scores.first().copied().unwrap_or(f64::MIN_POSITIVE);
    let cosines = evidence.iter().filter_map(|one| one.cosine);
    let best_cosine = cosines.fold(f64::MIN_POSITIVE, f64::max);
    let weight = asked.weight_of_meaning(&scores);
    let share = |own: f64, best: f64| own.max(0.0) / best;
    let mixed = |one: &Evidence| {
        let cosine = one.cosine?;
        Some((1.0 - weight) * share(one.words, best_words) + weight * share(cosine, best_cosine))
    };
    let fused: Vec<Option<f64>> = evidence.iter().map(mixed).collect();
    let ladder = Ladder::new(&evidence, &fused, best_words);
    let placed = |(one, fused): (&Evidence, Option<f64>)| fused.unwrap_or_else(|| ladder.place(one.words));
    evidence.iter().zip(fused.iter().copied()).map(placed).collect()
}

/// The scores of the records with a vector by rank: the one that stands n-th by its words, and the one that stands n-th when fused.
struct Ladder {
    words: Vec<f64>,
    fused: Vec<f64>,
    best: f64,
}

impl Ladder {
    fn new(evidence: &[Evidence], fused: &[Option<f64>], best: f64) -> Self {
        let descending = |mut scores: Vec<f64>| {
            scores.sort_unstable_by(|a, b| b.total_cmp(a));
            scores
        };
        let known = evidence.iter().zip(fused).filter(|(_, fused)| fused.is_some());
        Ladder {
            words: descending(known.map(|(one, _)| one.words.max(0.0)).collect()),
            fused: descending(fused.iter().copied().flatten().collect()),
            best,
        }
    }

    /// Returns the fused score of a record without a vector. As many records with one stand before it as by words alone.
    fn place(&self, words: f64) -> f64 {
        let words = words.max(0.0);
        let before = self.words.partition_point(|other| *other > words);
        // Beside the ladder, the best lexical score has 1, and a record without a word of the query 0.
        let rung = |at: Option<usize>, beyond: (f64, f64)| {
            let both = at.and_then(|at| self.words.get(at).copied().zip(self.fused.get(at).copied()));
            both.unwrap_or(beyond)
        };
        let above = rung(before.checked_sub(1), (self.best, 1.0));
        let below = rung(Some(before), (0.0, 0.0));
        if above.0 <= below.0 {
            return above.1;
        }
        between(words, below, above)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::{collection, prop_oneof};

    use super::*;
    use crate::query::query_words;

    /// The facts that follow from the form alone.
    fn of_form(form: QueryForm) -> Asked {
        Asked {
            form,
            ..Asked::of("", &[], false, Figures::of(MEASURED_MODEL))
        }
    }

    fn form(query: &str) -> QueryForm {
        QueryForm::of(query, &query_words(query), false, "")
    }

    fn evidence(words: f64, cosine: f64) -> Evidence {
        Evidence {
            words,
            cosine: Some(cosine),
        }
    }

    #[test]
    fn the_flatter_the_lexical_scores_the_more_meaning_weighs() {
        let scored = |scores: &[f64]| -> Vec<Evidence> { scores.iter().map(|words| evidence(*words, 0.0)).collect() };
        let weight = |scores: &[f64]| of_form(QueryForm::Sentence).weight_of_meaning(&scores_of(&scored(scores)));
        assert_eq!(weight(&[9.0, 2.0, 1.0]), STEEP, "one record stands out");
        assert_eq!(weight(&[9.0; 30]), FLAT, "the words are everywhere");
        let between = weight(&[9.0, 7.0, 6.0, 5.0, 5.0, 5.0, 5.0, 5.0, 4.0, 4.0]);
        assert!(STEEP < between && between < FLAT, "{between}");
        assert_eq!(weight(&[]), STEEP);
        assert!(scores_of(&scored(&[0.0, -1.0])).is_empty());
    }

    #[test]
    fn where_the_words_single_one_record_out_meaning_hardly_counts() {
        let asked = |coverage| Asked {
            coverage: Some(coverage),
            ..of_form(QueryForm::Sentence)
        };
        assert_eq!(asked(0.9).weight_of_meaning(&[9.0, 2.0, 1.0]), DECIDED);
        assert_eq!(asked(0.9).weight_of_meaning(&[9.0]), DECIDED);
        assert_eq!(asked(0.9).weight_of_meaning(&[9.0, 5.0]), STEEP, "another is near");
        assert!(asked(0.3).weight_of_meaning(&[9.0]) > STEEP, "it has one word of many");
        assert_eq!(asked(0.9).weight_of_meaning(&[]), STEEP);
    }

    #[test]
    fn what_is_asked_in_other_words_is_decided_by_meaning() {
        let weight = |form, coverage| {
            let asked = Asked {
                coverage,
                ..of_form(form)
            };
            asked.weight_of_meaning(&[9.0, 8.0])
        };
        for form in [QueryForm::Sentence, QueryForm::Lookup, QueryForm::Named] {
            assert_eq!(weight(form, Some(0.1)), REWORDED);
            assert!(weight(form, Some(0.5)) < weight(form, Some(0.4)), "{form:?}");
            assert_eq!(weight(form, Some(0.8)), weight(form, None), "{form:?}");
        }
        for form in [QueryForm::Code, QueryForm::Foreign] {
            assert_eq!(
                weight(form, Some(0.1)),
                weight(form, None),
                "the model knows nothing of it: {form:?}"
            );
        }
    }

    #[test]
    fn names_and_talk_lean_to_words() {
        let flat = [9.0; 30];
        let asked = |has_name, is_talk| Asked {
            has_name,
            is_talk,
            ..of_form(QueryForm::Sentence)
        };
        assert_eq!(asked(true, false).weight_of_meaning(&flat), NAME_MAX);
        assert_eq!(asked(false, true).weight_of_meaning(&flat), TALK_MAX);
        assert_eq!(asked(true, true).weight_of_meaning(&flat), NAME_MAX);
    }

    #[test]
    fn a_record_without_a_vector_stands_where_its_words_put_it() {
        let unknown = |words| Evidence { words, cosine: None };
        let all = [
            evidence(4.0, 0.9),
            unknown(6.0),
            evidence(8.0, 0.1),
            unknown(10.0),
            evidence(2.0, 0.5),
            unknown(1.0),
            unknown(0.0),
        ];
        let fused = fuse(&all, &of_form(QueryForm::Sentence));
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|a, b| fused[*b].total_cmp(&fused[*a]));
        // By words: 3, 2, 1, 0, 4, 5. By meaning, 0 stands before 2.
        assert_eq!(order, [3, 0, 1, 2, 4, 5, 6], "{fused:?}");
        assert_eq!([fused[3], fused[6]], [1.0, 0.0]);
    }

    /// Evidence with a vector for a share of the records.
    fn covered(share: u32) -> impl Strategy<Value = Vec<Evidence>> {
        let words = prop_oneof![1 => Just(0.0), 4 => 0.01..20.0_f64];
        let record = (words, -0.2..1.0_f64, 0..100_u32);
        let of = move |(words, cosine, drawn): (f64, f64, u32)| Evidence {
            words,
            cosine: (drawn < share).then_some(cosine),
        };
        collection::vec(record.prop_map(of), 0..60)
    }

    fn order_of(scores: &[f64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order
    }

    proptest! {
        #[test]
        fn at_every_coverage_the_unknown_stand_as_by_words_and_the_known_as_without_them(
            all in (0..=4_u32).prop_flat_map(|quarter| covered(25 * quarter)),
            coverage in 0.0..1.0_f64,
        ) {
            let asked = Asked { coverage: Some(coverage), ..of_form(QueryForm::Sentence) };
            let fused = fuse(&all, &asked);
            prop_assert!(fused.iter().all(|score| (0.0..=1.0 + 1e-9).contains(score)), "{:?}", fused);
            for (own, score) in all.iter().zip(&fused).filter(|(own, _)| own.cosine.is_none()) {
                let by_words = all.iter().filter(|other| other.words > own.words).count();
                let before = fused.iter().filter(|other| **other > score + 1e-12).count();
                prop_assert!(before <= by_words, "{} of {} by words: {:?} {:?}", before, by_words, all, fused);
            }
            let words: Vec<f64> = all.iter().map(|one| one.words).collect();
            if all.iter().all(|one| one.cosine.is_none()) {
                prop_assert_eq!(order_of(&fused), order_of(&words));
            }
        }
    }

    #[test]
    fn the_order_of_the_evidence_does_not_matter() {
        let mut all: Vec<Evidence> = (1..20).map(|score| evidence(f64::from(score), 0.1)).collect();
        let before = flatness_of(&scores_of(&all));
        all.reverse();
        assert_eq!(flatness_of(&scores_of(&all)), before);
    }

    #[test]
    fn lookups_weight_lexical_scores_more_than_questions_do() {
        for query in ["keyword search", "", "--"] {
            assert_eq!(form(query), QueryForm::Lookup, "{query}");
        }
        assert_eq!(
            form("why does the build fail after an upgrade of node"),
            QueryForm::Sentence
        );
        let words = query_words("why does the biuld fail after an upgrade");
        assert_eq!(
            QueryForm::of("why does the biuld fail", &words, true, ""),
            QueryForm::Lookup
        );
        let foreign = "warum schlägt der Build nach dem Update fehl";
        assert_eq!(form(foreign), QueryForm::Foreign);
        let known = QueryForm::of(foreign, &query_words(foreign), false, "local:many+languages@0123");
        assert_eq!(known, QueryForm::Sentence, "the model knows the language");
        assert_eq!(QueryForm::Lookup.weight_of_meaning(1.0), LOOKUP_MAX);
        assert_eq!(QueryForm::Lookup.weight_of_meaning(0.0), STEEP);
    }

    #[test]
    fn identifiers_alone_weight_lexical_scores_most() {
        for query in [
            "ORA-01555",
            "keepAliveTimeout",
            "src/auth.rs retry_limit",
            "`v1.2`",
            "E1021?",
        ] {
            assert_eq!(form(query), QueryForm::Code, "{query}");
        }
        for query in [
            "Postgres",
            "exit code 137",
            "keepAliveTimeout of the proxy",
            "größe_max",
            "--",
            "",
        ] {
            assert_ne!(form(query), QueryForm::Code, "{query}");
        }
        assert_eq!(QueryForm::Code.weight_of_meaning(1.0), CODE);
        for query in [
            "keepAliveTimeout of the proxy",
            "größe_max",
            "where do we set the retry_limit for uploads",
        ] {
            assert_eq!(form(query), QueryForm::Named, "{query}");
        }
        assert_eq!(QueryForm::Named.weight_of_meaning(1.0), NAMED_MAX);
    }

    #[test]
    fn cosines_are_fused_on_the_scale_of_the_measured_model() {
        // Another model puts unrelated texts at .8: .83 is as near as .4 of the measured one, and .8 is near to nothing.
        let (median, spread) = (0.8, 0.01);
        let narrow = Calibration::Estimated { median, spread };
        let records = [evidence(5.0, 0.8), evidence(5.0, 0.83)];
        let fused = |calibration| {
            let asked = Asked {
                calibration,
                ..of_form(QueryForm::Sentence)
            };
            fuse(&records, &asked)
        };
        let apart = |scores: Vec<f64>| scores[1] - scores[0];
        assert!(apart(fused(narrow)) > 10.0 * apart(fused(Calibration::Unknown)));
    }

    #[test]
    fn the_scale_of_a_store_is_estimated_from_its_texts_unless_the_model_was_measured() {
        let quartiles = [0.81, 0.82, 0.83];
        let other = Figures::of("local:other@0123");
        let scale = other.among(400, quartiles).calibration;
        assert!(
            matches!(scale, Calibration::Estimated { median: 0.82, .. }),
            "{scale:?}"
        );
        assert_eq!(other.among(200, quartiles), other, "too few");
        assert_eq!(other.among(400, [f64::NAN; 3]), other);
        let measured = Figures::of(MEASURED_MODEL);
        assert_eq!(measured.among(400, quartiles), measured);
    }

    #[test]
    fn each_score_is_divided_by_its_best() {
        let fused = fuse(
            &[evidence(10.0, 0.2), evidence(5.0, 0.4), evidence(0.0, -0.3)],
            &of_form(QueryForm::Code),
        );
        assert_eq!(fused, [0.7 + 0.3 * 0.5, 0.7 * 0.5 + 0.3, 0.0]);
        let sentence = of_form(QueryForm::Sentence);
        assert_eq!(fuse(&[evidence(0.0, 0.0)], &sentence), [0.0]);
        assert!(fuse::<Evidence>(&[], &sentence).is_empty());
    }
}
