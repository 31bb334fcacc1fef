//! Fusion of lexical and semantic scores: a convex combination of both, each divided by its maximum (Bruch, Gai and
//! Ingber, "An analysis of fusion functions for hybrid retrieval", 2023). What differs here: the weight depends on the
//! query, by how much its words decide. When they single a record out, as names do, lexical scores fall off after the best
//! ones; when they are in many records, the scores are flat (query performance prediction by the distribution of scores:
//! Shtok et al., "Predicting query performance by query-drift estimation", TOIS 2012).

use super::query::{QueryWord, query_words, searched_words};

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
/// The number of best lexical scores whose flatness is computed.
const COMPARED: usize = 10;
/// A query with at most this many words is a lookup, not a question.
const WORDS_FEW: usize = 2;
/// The maximum weight of a word that was joined from two neighbours and not typed.
const JOINED_WEIGHT_MAX: f32 = 0.3;

/// The scores of a record for a query.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// The lexical score; 0 when it contains none of the words.
    pub words: f64,
    /// The cosine; 0 without a vector.
    pub cosine: f64,
}

/// What the spelling of a query says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryForm {
    /// Identifiers only: `keepAliveTimeout`, `ORA-01555`, `src/auth.rs`.
    Code,
    /// Identifiers among other words.
    Named,
    /// A few words, or words that mean nothing to the embedding model.
    Lookup,
    /// A sentence.
    Sentence,
}

impl QueryForm {
    /// Classifies a query. A misspelled or non-English word means nothing to the embedding model.
    pub fn of(query: &str, words: &[QueryWord], is_corrected: bool) -> Self {
        let searched = searched_words(words);
        let own = searched.iter().filter(|(_, word)| word.weight > JOINED_WEIGHT_MAX);
        let is_foreign = query.chars().any(|c| !c.is_ascii() && c.is_alphabetic());
        let is_meaningless = is_corrected || is_foreign;
        let mut codes = query.split_whitespace().map(is_code);
        match own.count() {
            1.. if !is_meaningless && codes.clone().all(|is_code| is_code) => QueryForm::Code,
            _ if codes.any(|is_code| is_code) => QueryForm::Named,
            0..=WORDS_FEW => QueryForm::Lookup,
            _ if is_meaningless => QueryForm::Lookup,
            _ => QueryForm::Sentence,
        }
    }

    /// Returns the semantic weight, from 0 to 1, for lexical scores of this flatness.
    fn weight_of_meaning(self, flatness: f64) -> f64 {
        let share = ((flatness - FLATNESS_STEEP) / (FLATNESS_FLAT - FLATNESS_STEEP)).clamp(0.0, 1.0);
        let weight = STEEP + (FLAT - STEEP) * share;
        match self {
            QueryForm::Code => CODE,
            QueryForm::Named => weight.min(NAMED_MAX),
            QueryForm::Lookup => weight.min(LOOKUP_MAX),
            QueryForm::Sentence => weight,
        }
    }
}

/// Whether a word of a query is written as no plain word is: with a capital, a digit or a sign in it.
fn is_code(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let mut inner = word.chars().skip(1);
    word.len() > 2 && inner.any(|c| c.is_uppercase() || c.is_numeric() || matches!(c, '_' | '.' | '/' | ':' | '-'))
}

/// Returns the mean of the lexical scores after the best one, relative to it, from 0 to 1. Missing ones count 0.
fn flatness_of(evidence: &[Evidence]) -> f64 {
    let mut scores: Vec<f64> = evidence
        .iter()
        .map(|one| one.words)
        .filter(|words| *words > 0.0)
        .collect();
    scores.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some((best, others)) = scores.split_first() else {
        return 0.0;
    };
    let sum: f64 = others.iter().take(COMPARED - 1).sum();
    sum / best / (COMPARED - 1) as f64
}

/// Fuses the scores of another store.
pub fn fuse_query(query: &str, evidence: &[Evidence]) -> Vec<f64> {
    fuse(evidence, QueryForm::of(query, &query_words(query), false))
}

/// Returns the fused score of every record, from 0 to 1.
pub fn fuse(evidence: &[Evidence], form: QueryForm) -> Vec<f64> {
    let weight = form.weight_of_meaning(flatness_of(evidence));
    let best = |of: fn(&Evidence) -> f64| evidence.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let (words, cosine) = (best(|one| one.words), best(|one| one.cosine));
    let share = |own: f64, best: f64| own.max(0.0) / best;
    let fused = evidence
        .iter()
        .map(|one| (1.0 - weight) * share(one.words, words) + weight * share(one.cosine, cosine));
    fused.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(query: &str) -> QueryForm {
        QueryForm::of(query, &query_words(query), false)
    }

    fn evidence(words: f64, cosine: f64) -> Evidence {
        Evidence { words, cosine }
    }

    #[test]
    fn the_flatter_the_lexical_scores_the_more_meaning_weighs() {
        let scored = |scores: &[f64]| -> Vec<Evidence> { scores.iter().map(|words| evidence(*words, 0.0)).collect() };
        let weight = |scores: &[f64]| QueryForm::Sentence.weight_of_meaning(flatness_of(&scored(scores)));
        assert_eq!(weight(&[9.0, 2.0, 1.0]), STEEP, "one record stands out");
        assert_eq!(weight(&[9.0; 30]), FLAT, "the words are everywhere");
        let between = weight(&[9.0, 7.0, 6.0, 5.0, 5.0, 5.0, 5.0, 5.0, 4.0, 4.0]);
        assert!(STEEP < between && between < FLAT, "{between}");
        assert_eq!(weight(&[]), STEEP);
        assert_eq!(flatness_of(&scored(&[0.0, -1.0])), 0.0);
    }

    #[test]
    fn the_order_of_the_evidence_does_not_matter() {
        let mut all: Vec<Evidence> = (1..20).map(|score| evidence(f64::from(score), 0.1)).collect();
        let before = flatness_of(&all);
        all.reverse();
        assert_eq!(flatness_of(&all), before);
    }

    #[test]
    fn lookups_weight_lexical_scores_more_than_questions_do() {
        for query in ["keyword search", "für Rechnungen nötige Rundung der Beträge", "", "--"] {
            assert_eq!(form(query), QueryForm::Lookup, "{query}");
        }
        assert_eq!(
            form("why does the build fail after an upgrade of node"),
            QueryForm::Sentence
        );
        let words = query_words("why does the biuld fail after an upgrade");
        assert_eq!(
            QueryForm::of("why does the biuld fail", &words, true),
            QueryForm::Lookup
        );
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
    fn each_score_is_divided_by_its_best() {
        let fused = fuse(
            &[evidence(10.0, 0.2), evidence(5.0, 0.4), evidence(0.0, -0.3)],
            QueryForm::Code,
        );
        assert_eq!(fused, [0.7 + 0.3 * 0.5, 0.7 * 0.5 + 0.3, 0.0]);
        assert_eq!(fuse(&[evidence(0.0, 0.0)], QueryForm::Sentence), [0.0]);
        assert!(fuse(&[], QueryForm::Sentence).is_empty());
    }
}
