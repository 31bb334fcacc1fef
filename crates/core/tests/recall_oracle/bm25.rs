//! BM25 as the textbook has it: every record, every word, one after the other, in doubles.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use forge_memory_core::clock::Millis;
use forge_memory_core::text::{QueryWord, Terms, fold, query_words, tag_term};
use forge_memory_core::{RecallHit, RecallOptions, Scope, ScopeFilter};

const K1: f64 = 1.2;
const B: f64 = 0.75;
const QUERY_WORDS_MAX: usize = 32;
const PART_WEIGHT: f64 = 0.5;
const COMMON_WEIGHT: f64 = 0.7;
const COMMON_SHARE_MAX: f64 = 0.5;

/// A record as it was written.
#[derive(Debug, Clone)]
pub struct Written {
    pub id: String,
    pub scope: Scope,
    /// Which of the four files.
    pub file: usize,
    pub kind: String,
    pub project: String,
    pub text: String,
    pub tags: Vec<String>,
    pub confidence: f64,
    pub created: Millis,
    pub expires: Option<Millis>,
    /// From when on a tombstone or a revision hides it.
    pub gone: Option<Millis>,
}

pub struct Document {
    pub written: Written,
    terms: HashMap<u64, f64>,
    length: f64,
}

impl Document {
    pub fn new(written: Written) -> Self {
        let mut terms = Terms::default();
        terms.add(&written.text);
        let length = terms.words.len() as f64;
        terms.add(&written.kind);
        for tag in &written.tags {
            terms.add(tag);
            terms.extras.push(tag_term(tag));
        }
        let mut counts: HashMap<u64, f64> = HashMap::new();
        for term in terms.words.iter().chain(&terms.extras) {
            *counts.entry(*term).or_default() += 1.0;
        }
        Document {
            written,
            terms: counts,
            length,
        }
    }

    fn admits(&self, options: &RecallOptions, since: Option<Millis>, at: Option<Millis>, now: Millis) -> bool {
        let written = &self.written;
        let seen = match at {
            None => written.gone.is_none(),
            Some(at) => written.gone.is_none_or(|gone| gone > at) && written.created <= at,
        };
        let moment = at.unwrap_or(now);
        let tag = |wanted: &String| written.tags.iter().any(|tag| fold(tag.trim()) == fold(wanted.trim()));
        seen && (options.include_expired || written.expires.is_none_or(|expires| expires > moment))
            && since.is_none_or(|since| written.created >= since)
            && options
                .min_confidence
                .is_none_or(|least| written.confidence as f32 >= least as f32)
            && (options.types.is_empty() || options.types.contains(&written.kind))
            && options.tags.iter().all(tag)
    }
}

/// A record that answers.
pub struct Answer<'a> {
    pub written: &'a Written,
    pub score: f64,
    pub matched: Vec<String>,
    position: usize,
}

impl Answer<'_> {
    /// The documented order: score, confidence, the newer; then by file, and further down first.
    fn order(&self, other: &Self) -> Ordering {
        let (a, b) = (self.written, other.written);
        other
            .score
            .total_cmp(&self.score)
            .then((b.confidence as f32).total_cmp(&(a.confidence as f32)))
            .then(b.created.cmp(&a.created))
            .then(a.file.cmp(&b.file))
            .then(other.position.cmp(&self.position))
    }
}

fn chosen(query: &str) -> Vec<QueryWord> {
    let words = query_words(query);
    let all_common = words.iter().all(|word| word.common);
    words
        .into_iter()
        .filter(|word| all_common || !word.common)
        .take(QUERY_WORDS_MAX)
        .collect()
}

/// Returns all records that answer, best first, copies of one lesson once.
pub fn rank<'a>(
    documents: &'a [Document],
    query: &str,
    options: &RecallOptions,
    (since, at, now): (Option<Millis>, Option<Millis>, Millis),
) -> Vec<Answer<'a>> {
    let searched: Vec<(usize, &Document)> = documents
        .iter()
        .enumerate()
        .filter(|(_, document)| match options.scope {
            ScopeFilter::All => true,
            ScopeFilter::Project => document.written.scope == Scope::Project,
            ScopeFilter::Global => document.written.scope == Scope::Global,
        })
        .collect();
    let count = searched.len() as f64;
    let length: f64 = searched.iter().map(|(_, document)| document.length).sum();
    let average = (length / count.max(1.0)).max(1.0);
    let words = chosen(query);
    let weights: Vec<Vec<f64>> = words.iter().map(|word| weights_of(word, &searched, count)).collect();
    let weighing = weighing(query, &searched, count);
    let mut answers: Vec<Answer<'_>> = searched
        .iter()
        .filter(|(_, document)| document.admits(options, since, at, now))
        .filter_map(|(position, document)| {
            let (mut score, mut matched) = (0.0, Vec::new());
            for (word, weights) in words.iter().zip(&weights) {
                let worth = worth_of(word, weights, document, average);
                score += worth;
                if worth > 0.0 {
                    matched.push(word.text.clone());
                }
            }
            let beside: f64 = weighing
                .iter()
                .map(|(word, weights)| worth_of(word, weights, document, average) * COMMON_WEIGHT)
                .sum();
            (score > 0.0).then_some(Answer {
                written: &document.written,
                score: score + beside,
                matched,
                position: *position,
            })
        })
        .collect();
    answers.sort_by(Answer::order);
    let mut seen = BTreeSet::new();
    answers.retain(|answer| {
        let written = answer.written;
        let captured = written.file == 0;
        let key = (
            written.scope.name(),
            captured,
            written.kind.clone(),
            if captured {
                written.project.clone()
            } else {
                String::new()
            },
            fold(&written.text),
        );
        seen.insert(key)
    });
    answers
}

/// The common words of a query that has others: they find nothing, and weigh what is found.
fn weighing(query: &str, searched: &[(usize, &Document)], count: f64) -> Vec<(QueryWord, Vec<f64>)> {
    let words = query_words(query);
    if words.iter().all(|word| word.common) {
        return Vec::new();
    }
    words
        .into_iter()
        .filter(|word| word.common && frequency_of(word, searched) <= count * COMMON_SHARE_MAX)
        .take(QUERY_WORDS_MAX)
        .map(|word| {
            let weights = weights_of(&word, searched, count);
            (word, weights)
        })
        .collect()
}

fn having(term: u64, searched: &[(usize, &Document)]) -> f64 {
    searched.iter().filter(|(_, d)| d.terms.contains_key(&term)).count() as f64
}

/// The frequency of a word is that of the most frequent of its forms.
fn frequency_of(word: &QueryWord, searched: &[(usize, &Document)]) -> f64 {
    let forms = word.lists.iter().map(|(term, _)| having(*term, searched));
    forms.fold(0.0, f64::max)
}

fn rarity_of(common: f64, count: f64) -> f64 {
    (1.0 + (count - common + 0.5).max(0.0) / (common + 0.5)).ln()
}

/// What a hit on each form of a word counts. A text with the word itself has, with its other forms and its parts, what the
/// rarity of the word says, as long as a quarter of that is left for the word itself.
fn weights_of(word: &QueryWord, searched: &[(usize, &Document)], count: f64) -> Vec<f64> {
    let forms = rarity_of(frequency_of(word, searched), count);
    let rarity = |term: u64| rarity_of(having(term, searched), count);
    let mut weights: Vec<f64> = word
        .lists
        .iter()
        .map(|(_, weight)| f64::from(*weight) * forms)
        .collect();
    let (term, weight) = word.lists[0];
    let alone = f64::from(weight) * rarity(term) - f64::from(word.again) * forms;
    let parts: f64 = word.parts.iter().map(|part| rarity(*part) * PART_WEIGHT).sum();
    weights[0] = (alone - parts).max(alone / 4.0);
    weights
}

fn worth_of(word: &QueryWord, weights: &[f64], document: &Document, average: f64) -> f64 {
    let lists = word.lists.iter().zip(weights);
    lists
        .filter_map(|((term, _), weight)| {
            let times = document.terms.get(term)?;
            let length = document.length / average;
            Some(weight * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length)))
        })
        .sum()
}

/// Tells what is wrong with an answer. Scores are single floats there: what differs less may change places.
pub fn compare(hits: &[RecallHit], ranked: &[Answer<'_>], limit: usize) -> Result<(), String> {
    const SLACK: f64 = 2e-5;
    let wanted = ranked.len().min(limit);
    if hits.len() != wanted {
        return Err(format!("{} hits, not {wanted}", hits.len()));
    }
    for (at, (hit, answer)) in hits.iter().zip(ranked).enumerate() {
        let twin = ranked
            .iter()
            .find(|answer| answer.written.id == hit.id && answer.written.scope == hit.scope);
        let Some(twin) = twin else {
            return Err(format!("hit {at} is no answer: {hit:?}"));
        };
        if (twin.score - hit.score).abs() > SLACK * twin.score {
            return Err(format!("hit {at} scores {}, not {}: {hit:?}", hit.score, twin.score));
        }
        if twin.matched != hit.matched {
            return Err(format!("hit {at} matched {:?}, not {:?}", hit.matched, twin.matched));
        }
        let misplaced = twin.written.id != answer.written.id;
        if misplaced && (twin.score == answer.score || (twin.score - answer.score).abs() > SLACK * answer.score) {
            return Err(format!("hit {at} is {:?}, not {:?}", twin.written, answer.written));
        }
    }
    Ok(())
}
