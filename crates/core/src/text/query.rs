//! Parses a query into words and their index terms.

use super::fold;
use super::identifier::parts_of;
use super::lexicon::is_stop_word;
use super::snowball::{stem, transliterate};
use super::terms::{TermHash, pair_term, second_term, spelling_term, stem_term};
use super::tokenization::{Token, each_token, normalize};

/// The weight of the spelling, in addition to that of the stem.
pub const SPELLING_WEIGHT: f32 = 0.3;
/// The weight of a part of an identifier in the query.
const PART_WEIGHT: f32 = 0.7;
/// The maximum weight of a word that was joined from two neighbours and not typed.
const JOINED_WEIGHT_MAX: f32 = 0.3;

/// The maximum number of words in a query.
const WORDS_MAX: usize = 32;

/// A word of the query, with the posting lists to read.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryWord {
    /// The word as it was typed, folded, to show the matching words.
    pub text: String,
    /// The terms of the word: its stem, and the stem of its alternative spelling. No text has several of them for one
    /// word.
    pub stems: Vec<TermHash>,
    /// The terms of the spellings, where they differ from the stem.
    pub spellings: Vec<TermHash>,
    /// The weight of the word: 1, or less for a part of an identifier and for a replacement.
    pub weight: f32,
    /// True if it is a stop word.
    pub common: bool,
    /// True if it is an identifier whose parts are words of the query as well.
    pub has_parts: bool,
}

impl QueryWord {
    /// Returns the query word for a folded spelling.
    pub fn of(text: &str, weight: f32) -> Self {
        let stem = stem(text);
        let mut stems = vec![stem_term(&stem)];
        stems.extend(transliterate(text).map(|second| stem_term(&second)));
        if ["ae", "oe", "ue", "aa"].iter().any(|vowels| text.contains(vowels)) {
            stems.push(second_term(&stem));
        }
        let spellings = if stem == text {
            Vec::new()
        } else {
            vec![spelling_term(text)]
        };
        QueryWord {
            text: text.to_owned(),
            stems,
            spellings,
            weight,
            common: is_stop_word(text),
            has_parts: false,
        }
    }

    /// Returns the query word for what has no other forms: a pair of characters, a sign, a name with one.
    fn of_term(text: String, term: impl Fn(&str) -> TermHash) -> Self {
        QueryWord {
            stems: vec![term(&text)],
            text,
            spellings: Vec::new(),
            weight: 1.0,
            common: false,
            has_parts: false,
        }
    }

    /// Returns true if somebody typed it: not a word that was joined from two neighbours of the query.
    pub fn is_typed(&self) -> bool {
        self.weight > JOINED_WEIGHT_MAX
    }

    /// Returns every term of the word with its weight.
    pub fn lists(&self) -> impl Iterator<Item = (TermHash, f32)> + '_ {
        let stems = self.stems.iter().map(|term| (*term, self.weight));
        let spellings = self.spellings.iter();
        stems.chain(spellings.map(|term| (*term, self.weight * SPELLING_WEIGHT)))
    }
}

/// Returns the words of a query in order, words with the same stem once.
pub fn query_words(query: &str) -> Vec<QueryWord> {
    let mut found: Vec<QueryWord> = Vec::new();
    // A character of a script without spaces is searched alone only when it has no neighbour.
    let mut alone: Option<char> = None;
    let single = |c: char| QueryWord::of_term(String::from(c), stem_term);
    each_token(&normalize(query), |_, token| {
        let lonely = alone.take();
        let lonely = lonely.filter(|_| !matches!(token, Token::Spaceless { before: Some(_), .. }));
        lonely.into_iter().for_each(|c| push(&mut found, single(c)));
        match token {
            Token::Run { text, signed } => push_run(&mut found, text, signed),
            Token::Spaceless { before: None, c } => alone = Some(c),
            Token::Spaceless { before: Some(first), c } => {
                let pair = QueryWord::of_term(format!("{first}{c}"), |_| pair_term(first, c));
                push(&mut found, pair);
            }
            Token::Emoji(c) => push(&mut found, single(c)),
        }
    });
    alone.into_iter().for_each(|c| push(&mut found, single(c)));
    found
}

fn push_run(found: &mut Vec<QueryWord>, run: &str, signed: Option<&str>) {
    let mut weight = 1.0;
    if let Some(name) = signed {
        push(found, QueryWord::of_term(fold(name), stem_term));
        weight = PART_WEIGHT;
    }
    let folded = fold(run);
    let mut whole = QueryWord::of(&folded, weight);
    let parts = parts_of(run);
    whole.has_parts = parts.is_some();
    push(found, whole);
    for (from, to) in parts.into_iter().flatten() {
        let part = folded.get(from..to).unwrap_or_default();
        push(found, QueryWord::of(part, PART_WEIGHT));
    }
}

fn push(found: &mut Vec<QueryWord>, word: QueryWord) {
    // Another form of a known word adds only its spelling.
    let Some(same) = found.iter_mut().find(|other| other.stems.first() == word.stems.first()) else {
        found.push(word);
        return;
    };
    same.weight = same.weight.max(word.weight);
    for spelling in word.spellings {
        if !same.spellings.contains(&spelling) {
            same.spellings.push(spelling);
        }
    }
}

/// Returns the words to search with their numbers: all except stop words, unless there are no others.
pub fn searched_words(words: &[QueryWord]) -> Vec<(usize, &QueryWord)> {
    let all_common = words.iter().all(|word| word.common);
    let searched = words.iter().filter(|word| all_common || !word.common);
    searched.take(WORDS_MAX).enumerate().collect()
}

/// Returns the words that each two neighbouring words of a query make together, the first one as it was typed and in its stem:
/// `shut down` is also `shutdown`, `times out` also `timeout`.
pub(crate) fn joined_neighbours(query: &str) -> Vec<String> {
    let (mut joined, mut before) = (Vec::new(), String::new());
    each_token(&normalize(query), |_, token| {
        let Token::Run { text, .. } = token else {
            before.clear();
            return;
        };
        let word = fold(text);
        if !word.chars().all(char::is_alphabetic) {
            before.clear();
            return;
        }
        if !before.is_empty() && joined.len() < 2 * WORDS_MAX && !(is_stop_word(&before) || is_stop_word(&word)) {
            let stem = stem(&before);
            joined.push(format!("{before}{word}"));
            if stem != before {
                joined.push(format!("{stem}{word}"));
            }
        }
        before = word;
    });
    joined
}
