//! Ranking: BM25 (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond") over weighted
//! terms.
//!
//! `score(d) = sum over terms t of share(t) * idf(t) * tf * (k1 + 1) / (tf + k1)`, divided by a factor for the length of
//! `d`, where `tf` is the weight of `t` in `d`, counted in mentions: as in BM25F, a word of a name weighs more than one of
//! a body. The index stores these weights, summed over the fields.
//!
//! Difference from the paper: `k1` is not multiplied by the length factor, which would need the length for every posting;
//! instead the whole score is divided by it, and only for chunks that were found. A match with a part of a name counts
//! like a rare term.

use forge_memory_core::text::{QueryWord, query_words};
use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::kind::Kind;
use crate::language;
use crate::terms::short_hash;

/// BM25: term frequency saturation, and length normalization.
const K1: f32 = 1.2;
const B: f32 = 0.5;
const MENTION: f32 = 4.0;
/// The score of a match with a part of a name or path.
const NAME_PART: f32 = 0.5;
const PATH_PART: f32 = 0.05;
/// The factor for whole files, which are rarely searched for.
const FILE_SHARE: f32 = 0.5;

/// The filter of a search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'f> {
    /// Restricts hits to this language. Other programs name languages by file extensions: `python` is also their `py`.
    pub language: Option<&'f str>,
    /// The language of each chunk, which another program gives to chunks and not to files.
    pub languages: Option<&'f [String]>,
    /// Restricts hits to this kind.
    pub kind: Option<Kind>,
    /// Restricts hits to files whose path contains this, ignoring case.
    pub path: Option<&'f str>,
    /// Restricts hits to those whose name or path contains the whole query.
    pub is_whole: bool,
}

/// Returns the best chunks with their scores, and the total number of matches. Without words, chunks are in the order of
/// files and have no score.
pub fn find(graph: &Graph, query: &str, filter: &Filter<'_>, limit: usize) -> (Vec<(u32, Option<f64>)>, usize) {
    let words = query_words(query);
    let passes = FileFilter::new(graph, filter);
    if query.trim().is_empty() {
        let all: Vec<u32> = (0..graph.nodes()).filter(|number| passes.test(*number)).collect();
        let total = all.len();
        return (
            all.into_iter().take(limit).map(|number| (number, None)).collect(),
            total,
        );
    }
    let mut scores = if filter.is_whole {
        vec![0.0; graph.nodes() as usize]
    } else {
        scores(graph, &words)
    };
    if filter.is_whole || !query.trim().contains(char::is_whitespace) {
        add_parts(graph, query.trim(), &mut scores);
    }
    let mut found: Vec<(f32, u32)> = scores
        .into_iter()
        .enumerate()
        .filter(|(_, score)| *score > 0.0)
        .map(|(number, score)| (score, u32::try_from(number).unwrap_or(u32::MAX)))
        .filter(|(_, number)| passes.test(*number))
        .collect();
    let total = found.len();
    let better = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if total > limit {
        found.select_nth_unstable_by(limit, better);
        found.truncate(limit);
    }
    found.sort_unstable_by(better);
    let round = |score: f32| (f64::from(score) * 1000.0).round() / 1000.0;
    (
        found
            .into_iter()
            .map(|(score, number)| (number, Some(round(score))))
            .collect(),
        total,
    )
}

/// Adds chunks whose name or path contains the query as a substring, as Plan Forge's search does: `getuser`, `valid`.
fn add_parts(graph: &Graph, query: &str, scores: &mut [f32]) {
    let wanted = query.to_lowercase();
    for number in graph.named_like(|name| has_part(name, &wanted)) {
        if let Some(score) = scores.get_mut(number as usize) {
            *score += NAME_PART;
        }
    }
    for file in (0..graph.files()).filter(|file| has_part(graph.file(*file).0, &wanted)) {
        let first = graph.first_node(file).unwrap_or(0) as usize;
        let end = graph.first_node(file + 1).unwrap_or(graph.nodes()) as usize;
        for score in scores.get_mut(first..end).unwrap_or_default() {
            *score += PATH_PART;
        }
    }
}

/// True if a text contains a lower-case text, ignoring case.
fn has_part(text: &str, part: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(part);
    }
    let mut windows = text.as_bytes().windows(part.len().max(1));
    windows.any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

fn scores(graph: &Graph, words: &[QueryWord]) -> Vec<f32> {
    let count = graph.nodes() as usize;
    let mut scores = vec![0_f32; count];
    let only_common = words.iter().all(|word| word.common);
    for word in words.iter().filter(|word| only_common || !word.common) {
        for (hash, share) in word.lists() {
            let Some((having, postings)) = graph.postings(short_hash(hash)) else {
                continue;
            };
            let rarity = (1.0 + (count as f32 - having as f32 + 0.5) / (having as f32 + 0.5)).ln();
            for (number, weight) in postings {
                let Some(score) = scores.get_mut(number as usize) else {
                    break;
                };
                let mentions = f32::from(weight) / MENTION;
                *score += share * rarity * mentions * (K1 + 1.0) / (mentions + K1);
            }
        }
    }
    // Lengths are read only for chunks that were found.
    for (number, score) in scores.iter_mut().enumerate().filter(|(_, score)| **score > 0.0) {
        if let Some((_, kind, words)) = graph.outline(u32::try_from(number).unwrap_or(u32::MAX)) {
            let length = (words.min(2000) as f32 + 10.0) / 60.0;
            *score /= 1.0 - B * 0.4 + B * 0.4 * length.min(6.0);
            if kind == Kind::File as u8 {
                *score *= FILE_SHARE;
            }
        }
    }
    scores
}

fn is_language(own: &str, wanted: &str) -> bool {
    wanted == own || language::name_of(own) == Some(wanted)
}

/// A filter that checks each file once.
struct FileFilter<'g> {
    graph: &'g Graph,
    language: Option<(&'g str, &'g [String])>,
    kind: Option<u8>,
    files: Option<Vec<bool>>,
}

impl<'g> FileFilter<'g> {
    fn new(graph: &'g Graph, filter: &Filter<'g>) -> Self {
        let language = filter.language.filter(|_| filter.languages.is_none());
        let needs_files = language.is_some() || filter.path.is_some();
        let path = filter.path.map(str::to_lowercase);
        let passes = |number: u32| {
            let (file, own) = graph.file(number);
            language.is_none_or(|wanted| is_language(own, wanted))
                && path
                    .as_ref()
                    .is_none_or(|part| file.to_lowercase().contains(part.as_str()))
        };
        FileFilter {
            graph,
            language: filter.language.zip(filter.languages),
            kind: filter.kind.map(|kind| kind as u8),
            files: needs_files.then(|| (0..graph.files()).map(passes).collect()),
        }
    }

    fn test(&self, number: u32) -> bool {
        if let Some((wanted, languages)) = self.language
            && !languages
                .get(number as usize)
                .is_some_and(|own| is_language(own, wanted))
        {
            return false;
        }
        if self.kind.is_none() && self.files.is_none() {
            return true;
        }
        let Some((file, kind, _)) = self.graph.outline(number) else {
            return false;
        };
        self.kind.is_none_or(|wanted| wanted == kind)
            && self
                .files
                .as_ref()
                .is_none_or(|files| files.get(file as usize).copied().unwrap_or(false))
    }
}

/// Splits a text into lower-case words, and identifiers in camel case or snake case into their parts. Returns each word
/// with its count, in order of appearance.
pub fn tokenize(text: &str) -> Vec<(String, u32)> {
    let mut split = String::with_capacity(text.len() + 16);
    let letters: Vec<char> = text.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let is_boundary = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if is_boundary {
            split.push(' ');
        }
        split.push(letter.to_ascii_lowercase());
    }
    let mut order: Vec<(String, u32)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let words = split
        .split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit())
        .filter(|word| !word.is_empty());
    for word in words {
        match places.get(word).and_then(|at| order.get_mut(*at)) {
            Some((_, count)) => *count += 1,
            None => {
                places.insert(word.to_owned(), order.len());
                order.push((word.to_owned(), 1));
            }
        }
    }
    order
}

/// Returns the share of a query's words that occur in a name and a path, 0 to 1; the name counts twice.
pub fn score_chunk(query: &str, name: &str, path: &str) -> f64 {
    let wanted = tokenize(query);
    if wanted.is_empty() {
        return 0.0;
    }
    let share = |text: &str| {
        let has = tokenize(text);
        let hits = wanted
            .iter()
            .filter(|(word, _)| has.iter().any(|(other, _)| other == word))
            .count();
        hits as f64 / wanted.len() as f64
    };
    (2.0 * share(name) + share(path)) / 3.0
}
