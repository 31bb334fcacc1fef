//! Fusion of lexical and semantic scores: a convex combination of both, each divided by its maximum (Bruch, Gai and
//! Ingber, "An analysis of fusion functions for hybrid retrieval", 2023). What differs here: the weight depends on the
//! query. Queries with names weight lexical scores more, because embeddings blur names; sentences weight semantic
//! scores more.

use super::query::{QueryWord, query_words, searched_words};
use super::tokenization::{Token, each_token, normalize};
use super::{fold, stop_words::is_stop_word};

/// The semantic weight for a query with a name, with few words, or in a language that the model may not know.
const NAMED: f64 = 0.6;
/// The semantic weight for all other queries.
const PLAIN: f64 = 0.85;
/// A query with at most this many words is a lookup, not a question.
const WORDS_FEW: usize = 2;
/// A word is a name when more than this share of its occurrences look like one.
const NAMED_SHARE: f64 = 0.8;
/// The number of lexical hits whose texts are read to find out how the memory spells the words of the query.
pub const TEXTS_READ: usize = 20;
/// The number of bytes that are read of each.
const TEXT_BYTES: usize = 4096;

/// The scores of a record for a query.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// The lexical score; 0 when it contains none of the words.
    pub words: f64,
    /// The cosine; 0 without a vector.
    pub cosine: f64,
}

/// How often a word occurs in mid-sentence, and how often it looks like a name there.
#[derive(Debug, Default)]
struct Uses {
    word: String,
    all: u32,
    named: u32,
}

/// A query, and how this memory spells its words.
#[derive(Debug)]
pub struct QueryKind {
    is_looked_up: bool,
    uses: Vec<Uses>,
}

impl QueryKind {
    /// Classifies a query. A misspelled or non-English word means nothing to the embedding model.
    pub fn of(query: &str, words: &[QueryWord], is_corrected: bool) -> Self {
        let searched = searched_words(words);
        let own = searched.iter().filter(|(_, word)| word.weight > JOINED_WEIGHT_MAX);
        let is_foreign = query.chars().any(|c| !c.is_ascii() && c.is_alphabetic());
        let uses = searched.iter().map(|(_, word)| Uses {
            word: word.text.clone(),
            ..Uses::default()
        });
        QueryKind {
            is_looked_up: is_corrected || is_foreign || own.count() <= WORDS_FEW,
            uses: uses.collect(),
        }
    }

    /// Counts the spellings in a lexical hit.
    pub fn read(&mut self, text: &str) {
        if self.is_looked_up {
            return;
        }
        let text = normalize(first_of(text));
        let mut before = 0;
        each_token(&text, |token| {
            let Token::Run { text: run, .. } = token else { return };
            // Runs are slices of the text, so pointer distance is their offset.
            let start = (run.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
            let gap = text.get(before..start).unwrap_or_default();
            let is_first = before == 0 || ends_sentence(gap);
            before = start + run.len();
            if !is_first {
                self.take_use(run);
            }
        });
    }

    fn take_use(&mut self, run: &str) {
        let folded = fold(run);
        if is_stop_word(&folded) {
            return;
        }
        if let Some(uses) = self.uses.iter_mut().find(|uses| uses.word == folded) {
            uses.all += 1;
            let looks_named = |c: char| c.is_uppercase() || c.is_numeric() || c == '_';
            uses.named += u32::from(run.chars().any(looks_named));
        }
    }

    /// Returns the semantic weight, from 0 to 1.
    pub fn weight_of_meaning(&self) -> f64 {
        let is_name = |uses: &Uses| f64::from(uses.named) > f64::from(uses.all) * NAMED_SHARE;
        if self.is_looked_up || self.uses.iter().any(is_name) {
            NAMED
        } else {
            PLAIN
        }
    }
}

/// The maximum weight of a word that was joined from two neighbours and not typed.
const JOINED_WEIGHT_MAX: f32 = 0.3;

/// Returns the beginning of a text, up to [`TEXT_BYTES`].
fn first_of(text: &str) -> &str {
    let mut ends = (0..=text.len().min(TEXT_BYTES)).rev();
    ends.find_map(|end| text.get(..end)).unwrap_or_default()
}

/// Tells whether a sentence, a line or a list item ends in the gap between two words.
fn ends_sentence(gap: &str) -> bool {
    gap.chars()
        .any(|c| matches!(c, '.' | '!' | '?' | ':' | '\n' | '"' | '`' | '*' | '-' | '#'))
}

/// Fuses the scores of another store; `texts` are those of the best lexical hits.
pub fn fuse_query(query: &str, evidence: &[Evidence], texts: &[String]) -> Vec<f64> {
    let mut kind = QueryKind::of(query, &query_words(query), false);
    texts.iter().take(TEXTS_READ).for_each(|text| kind.read(text));
    fuse(evidence, kind.weight_of_meaning())
}

/// Returns the fused score of every record, from 0 to 1.
pub fn fuse(evidence: &[Evidence], weight_of_meaning: f64) -> Vec<f64> {
    let best = |of: fn(&Evidence) -> f64| evidence.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let (words, cosine) = (best(|one| one.words), best(|one| one.cosine));
    let share = |own: f64, best: f64| own.max(0.0) / best;
    let fused = evidence
        .iter()
        .map(|one| (1.0 - weight_of_meaning) * share(one.words, words) + weight_of_meaning * share(one.cosine, cosine));
    fused.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(query: &str, texts: &[&str]) -> f64 {
        let mut kind = QueryKind::of(query, &query_words(query), false);
        texts.iter().for_each(|text| kind.read(text));
        kind.weight_of_meaning()
    }

    #[test]
    fn a_word_is_a_name_when_the_memory_writes_it_as_one() {
        let question = "what did caroline say about the museum visit";
        assert_eq!(
            weight(question, &["Then Caroline went home from the museum visit."]),
            NAMED
        );
        assert_eq!(
            weight(question, &["Caroline went home. Visit the museum."]),
            PLAIN,
            "first words are no names"
        );
        let shouted = "What DID Caroline SAY About The MUSEUM Visit";
        assert_eq!(
            weight(shouted, &["they say that caroline made a visit to the museum"]),
            PLAIN
        );
        assert_eq!(
            weight(
                "where do we set the retry_limit for uploads",
                &["set the retry_limit to 3"]
            ),
            NAMED
        );
    }

    #[test]
    fn lookups_weight_lexical_scores_more_than_questions_do() {
        assert_eq!(weight("ORA-01555", &[]), NAMED);
        assert_eq!(weight("keyword search", &[]), NAMED);
        assert_eq!(weight("für Rechnungen nötige Rundung der Beträge", &[]), NAMED);
        assert_eq!(weight("why does the build fail after an upgrade of node", &[]), PLAIN);
    }

    #[test]
    fn each_score_is_divided_by_its_best() {
        let evidence = |words, cosine| Evidence { words, cosine };
        let fused = fuse(&[evidence(10.0, 0.2), evidence(5.0, 0.4), evidence(0.0, -0.3)], 0.5);
        assert_eq!(fused, [0.75, 0.75, 0.0]);
        assert_eq!(fuse(&[evidence(0.0, 0.0)], 0.5), [0.0]);
        assert!(fuse(&[], 0.5).is_empty());
    }
}
