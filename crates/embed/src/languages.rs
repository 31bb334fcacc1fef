//! The part of a text's vector that tells its language rather than its meaning. A model of many languages puts a note nearer to any question of its
//! own language than to the one that it answers in another. When a model is installed, it embeds the same sentences in eight languages. If
//! their translations are near each other, it knows these languages: the mean of all sentences is subtracted from every vector, and its
//! part in the space of the languages' means is weakened (Yang et al., "A simple and effective method to eliminate the self language bias
//! in multilingual representations", EMNLP 2021, who remove it; a part is left, because an answer in the language of the question is likelier).
//! A query has a second vector with next to nothing of its language: a text is as near as it is to either of the two.

use forge_memory_core::Result;
use serde::{Deserialize, Serialize};

use crate::recipe::TextKind;

/// A sentence a line, in eight languages.
const SAMPLE: &str = include_str!("languages.txt");
/// The share of translations that have to be nearest to each other.
const KNOWN_MIN: f32 = 0.8;
/// The share of the language's part that is removed from a vector, in percent.
const REMOVED: u8 = 40;
/// The same in models that were installed before it was written down.
const REMOVED_BEFORE: u8 = 50;
/// The share that is removed from the second vector of a query.
const REMOVED_NEUTRAL: f32 = 0.8;
/// The least length of a direction that is not the result of rounding.
const LENGTH_MIN: f32 = 1e-3;
/// Numbers are stored as signed integers of 16 bits in hexadecimal: all of them are between -1 and 1.
const SCALE: f32 = 32_767.0;
const DIGITS: usize = 4;

/// The means and directions that a model that knows languages subtracts from its vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Languages {
    passage_mean: Numbers,
    query_mean: Numbers,
    /// An orthonormal basis of the differences between languages.
    directions: Vec<Numbers>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    removed: Option<u8>,
}

/// Numbers between -1 and 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Numbers(Vec<i16>);

impl Languages {
    /// Measures a model by its vectors of texts. `None` when it does not know the languages.
    pub(crate) fn measure(embed: impl Fn(TextKind, &[&str]) -> Result<Vec<Vec<f32>>>) -> Result<Option<Self>> {
        let sentences: Vec<Vec<&str>> = SAMPLE.lines().map(|line| line.split('|').collect()).collect();
        let flat = sentences.concat();
        let passages = embed(TextKind::Passage, &flat)?;
        let queries = embed(TextKind::Query, &flat)?;
        let count = flat.len() / sentences.len().max(1);
        let by_language = |vectors: &[Vec<f32>]| -> Vec<Vec<Vec<f32>>> {
            let of = |language: usize| vectors.iter().skip(language).step_by(count).cloned().collect();
            (0..count).map(of).collect()
        };
        let (of_passages, of_queries) = (by_language(&passages), by_language(&queries));
        if share_of_known(&of_queries, &of_passages) < KNOWN_MIN {
            return Ok(None);
        }
        let (passage_mean, query_mean) = (mean(&passages), mean(&queries));
        let directions = of_passages.iter().zip(&of_queries).map(|(passages, queries)| {
            let own = sum(&mean(passages), &mean(queries), 1.0);
            sum(&own, &sum(&passage_mean, &query_mean, 1.0), -1.0)
        });
        Ok(Some(Languages {
            directions: basis(directions).iter().map(|one| Numbers::of(one)).collect(),
            passage_mean: Numbers::of(&passage_mean),
            query_mean: Numbers::of(&query_mean),
            removed: Some(REMOVED),
        }))
    }

    /// Checks that it is one of vectors of this dimension.
    pub(crate) fn check(&self, dimensions: usize) -> std::result::Result<(), String> {
        let mut all = self.directions.iter().chain([&self.passage_mean, &self.query_mean]);
        let is_share = self.removed.is_none_or(|removed| removed <= 100);
        if is_share && all.all(|numbers| numbers.0.len() == dimensions) {
            Ok(())
        } else {
            Err(format!("languages is not of vectors of {dimensions} numbers"))
        }
    }

    /// Returns the part that it has in the key of vectors.
    pub(crate) fn version(&self) -> &[u8] {
        self.removed.as_slice()
    }

    /// Weakens the language's part of a vector, which has length 1 again.
    pub(crate) fn apply(&self, kind: TextKind, vector: &mut Vec<f32>) {
        let removed = self.removed.unwrap_or(REMOVED_BEFORE);
        if let Some(weakened) = self.without(kind, vector, f32::from(removed) / 100.0) {
            *vector = weakened;
        }
    }

    /// Returns the vectors of a query by that of the model: as [`Languages::apply`] makes it, and with next to nothing of its language.
    pub(crate) fn of_query(&self, vector: Vec<f32>) -> Vec<Vec<f32>> {
        let neutral = self.without(TextKind::Query, &vector, REMOVED_NEUTRAL);
        let mut own = vector;
        self.apply(TextKind::Query, &mut own);
        [own].into_iter().chain(neutral).collect()
    }

    /// Returns a vector of length 1 without this share of its language's part.
    fn without(&self, kind: TextKind, vector: &[f32], share: f32) -> Option<Vec<f32>> {
        let center = match kind {
            TextKind::Passage => &self.passage_mean,
            TextKind::Query => &self.query_mean,
        };
        let centered = sum(vector, &center.to_vec(), -1.0);
        let rest = self
            .directions
            .iter()
            .map(Numbers::to_vec)
            .fold(centered.clone(), |rest, direction| {
                let part = dot(&centered, &direction);
                sum(&rest, &direction, -share * part)
            });
        unit(&rest, f32::MIN_POSITIVE)
    }
}

/// Returns the share of sentences whose translation into another language is the nearest one there, when each language is centered.
fn share_of_known(queries: &[Vec<Vec<f32>>], passages: &[Vec<Vec<f32>>]) -> f32 {
    let centered = |vectors: &Vec<Vec<f32>>| -> Vec<Vec<f32>> {
        let center = mean(vectors);
        let away = |vector: &Vec<f32>| unit(&sum(vector, &center, -1.0), LENGTH_MIN).unwrap_or_default();
        vectors.iter().map(away).collect()
    };
    let (queries, passages): (Vec<_>, Vec<_>) = (
        queries.iter().map(centered).collect(),
        passages.iter().map(centered).collect(),
    );
    let (mut known, mut all) = (0_u16, 0_u16);
    for (language, asked) in queries.iter().enumerate() {
        for (_, answers) in passages.iter().enumerate().filter(|(other, _)| *other != language) {
            for (at, query) in asked.iter().enumerate() {
                let cosines = answers.iter().map(|answer| dot(query, answer)).enumerate();
                let nearest = cosines.max_by(|(_, one), (_, other)| one.total_cmp(other));
                known += u16::from(nearest.is_some_and(|(nearest, _)| nearest == at));
                all += 1;
            }
        }
    }
    f32::from(known) / f32::from(all.max(1))
}

/// Returns an orthonormal basis of the space of some vectors (modified Gram-Schmidt).
fn basis(vectors: impl Iterator<Item = Vec<f32>>) -> Vec<Vec<f32>> {
    let mut basis: Vec<Vec<f32>> = Vec::new();
    for vector in vectors {
        let rest = basis.iter().fold(vector, |rest, known| {
            let part = dot(&rest, known);
            sum(&rest, known, -part)
        });
        basis.extend(unit(&rest, LENGTH_MIN));
    }
    basis
}

/// Returns the English sentences of the sample: most are notes of developers.
pub(crate) fn english() -> Vec<&'static str> {
    SAMPLE.lines().filter_map(|line| line.split('|').next()).collect()
}

pub(crate) fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Returns `one + share * other`.
fn sum(one: &[f32], other: &[f32], share: f32) -> Vec<f32> {
    one.iter().zip(other).map(|(a, b)| a + share * b).collect()
}

fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let zero = vec![0.0; vectors.first().map_or(0, Vec::len)];
    let total = vectors.iter().fold(zero, |total, vector| sum(&total, vector, 1.0));
    total.iter().map(|number| number / vectors.len() as f32).collect()
}

fn unit(vector: &[f32], least: f32) -> Option<Vec<f32>> {
    let length = dot(vector, vector).sqrt();
    (length >= least).then(|| vector.iter().map(|number| number / length).collect())
}

impl Numbers {
    pub(crate) fn of(numbers: &[f32]) -> Self {
        Numbers(numbers.iter().map(|number| (number * SCALE).round() as i16).collect())
    }

    pub(crate) fn to_vec(&self) -> Vec<f32> {
        self.0.iter().map(|number| f32::from(*number) / SCALE).collect()
    }
}

impl From<Numbers> for String {
    fn from(numbers: Numbers) -> Self {
        numbers.0.iter().map(|number| format!("{number:04x}")).collect()
    }
}

impl TryFrom<String> for Numbers {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        let digits = text.as_bytes().chunks(DIGITS).map(|four| {
            // A sign would be read as well.
            let is_number = four.len() == DIGITS && four.iter().all(u8::is_ascii_hexdigit);
            let four = std::str::from_utf8(four).ok().filter(|_| is_number)?;
            u16::from_str_radix(four, 16).ok().map(|bits| bits as i16)
        });
        let numbers: Option<Vec<i16>> = digits.collect();
        numbers
            .map(Numbers)
            .ok_or_else(|| "languages: expected hexadecimal numbers".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of sentences (the first numbers) in languages (the others), as a model of many languages makes them.
    fn made(sentences: usize, languages: usize, knows: bool) -> Vec<Vec<Vec<f32>>> {
        let of = |language: usize, sentence: usize| {
            let mut vector = vec![0.0; sentences + languages];
            let place = if knows {
                sentence
            } else {
                (sentence + language) % sentences
            };
            vector[place] = 0.6;
            vector[sentences + language] = 0.8;
            unit(&vector, LENGTH_MIN).unwrap()
        };
        (0..languages)
            .map(|language| (0..sentences).map(|sentence| of(language, sentence)).collect())
            .collect()
    }

    #[test]
    fn a_model_knows_languages_when_it_puts_translations_together() {
        assert_eq!(share_of_known(&made(6, 4, true), &made(6, 4, true)), 1.0);
        assert!(share_of_known(&made(6, 4, false), &made(6, 4, false)) < KNOWN_MIN);
    }

    #[test]
    fn a_question_finds_its_answer_in_another_language() {
        let all = made(6, 4, true);
        let center = mean(&all.concat());
        let languages = Languages {
            passage_mean: Numbers::of(&center),
            query_mean: Numbers::of(&center),
            removed: None,
            directions: basis(all.iter().map(|own| sum(&mean(own), &center, -1.0)))
                .iter()
                .map(|one| Numbers::of(one))
                .collect(),
        };
        let (query, translation, other) = (&all[0][0], &all[1][0], &all[0][3]);
        assert!(dot(query, other) > dot(query, translation), "as the model says it");
        let applied = |vector: &Vec<f32>| {
            let mut vector = vector.clone();
            languages.apply(TextKind::Passage, &mut vector);
            assert!((dot(&vector, &vector) - 1.0).abs() < 1e-4);
            vector
        };
        assert!(dot(&applied(query), &applied(translation)) > dot(&applied(query), &applied(other)));
        // As a query it has a second vector, by which languages hardly differ.
        let [own, neutral] = &languages.of_query(query.clone())[..] else {
            panic!("two vectors")
        };
        assert_eq!(*own, applied(query));
        let apart = |vector: &[f32]| dot(vector, &applied(&all[0][0])) - dot(vector, &applied(translation));
        assert!(apart(neutral) < 0.5 * apart(own), "{} {}", apart(neutral), apart(own));
    }

    #[test]
    fn the_numbers_come_back_as_they_were_written_and_nothing_else_is_read() {
        let numbers = Numbers::of(&[0.5, -0.25, 1.0, -1.0, 0.0]);
        let text = String::from(numbers.clone());
        assert_eq!(text.len(), 5 * DIGITS);
        assert_eq!(Numbers::try_from(text), Ok(numbers));
        for wrong in ["7ff", "zzzz", "00é0", "+fff"] {
            assert!(Numbers::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
        let languages = Languages {
            passage_mean: Numbers(vec![0; 3]),
            query_mean: Numbers(vec![0; 3]),
            directions: vec![Numbers(vec![0; 2])],
            removed: None,
        };
        assert!(languages.check(3).is_err());
        let too_much = Languages {
            directions: Vec::new(),
            removed: Some(101),
            ..languages
        };
        assert!(too_much.check(3).is_err());
    }

    #[test]
    fn the_sample_has_every_sentence_in_eight_languages() {
        assert!(SAMPLE.lines().count() >= 36);
        assert!(SAMPLE.lines().all(|line| line.split('|').count() == 8));
    }
}
