//! What texts say, whoever reads them: their words for recall, in `content` what they have in common with others, in `truth` what their statements
//! change.
//!
//! A *word* is a maximal run of letters, digits, marks and underscores; a character of a script without spaces is a word of its own.
//! `tokenization` splits texts, `lexicon` gives words and phrases their kinds, `terms` maps words to index terms (stem, spelling, parts of an
//! identifier), `query` parses queries.

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

pub mod analysis;
pub mod bm25;
pub mod bygone;
pub mod calibration;
pub mod chatter;
mod common;
pub mod content;
pub mod controls;
pub mod edit_distance;
mod fold;
pub mod fusion;
pub mod highlight;
mod identifier;
pub mod intent;
pub mod lexicon;
pub mod lines;
pub mod markup;
pub mod names;
mod numerals;
pub mod passages;
pub mod proximity;
mod quantities;
mod query;
pub mod relevance;
mod sayings;
pub mod scorer;
pub mod session;
mod snowball;
pub mod speaker;
mod stem;
mod terms;
pub mod tokenization;
pub mod tokens;
// Texts are cut where a sign was found, and their copies in lower ASCII letters at the same places.
#[cfg_attr(not(test), allow(clippy::string_slice))]
pub mod truth;
pub mod unframe;

pub use content::{Reading, Statement, cosine, cosine_needed, extra_max, says_no_more, says_the_same};
pub use fold::{fold, fold_into};
pub use lexicon::is_stop_word;
pub use query::joined_neighbours;
pub use query::{QueryWord, SPELLING_WEIGHT, asked_words, is_title, query_words, searched_words};
pub use terms::is_correctable;
pub use terms::{TermHash, Terms, Vocabulary, tag_term};
pub use tokenization::{is_spaceless, sentences_of, spoken_words, written_words};

use rustc_hash::FxHashMap;

use tokenization::{Token, each_token, normalize};

/// Returns the words of a text, folded, with identifiers whole, in order of first appearance, each with its count.
pub fn counted_words(text: &str) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    each_token(&normalize(text), |_, token| {
        let word = match token {
            Token::Run { text, .. } => fold(text),
            Token::Spaceless { c, .. } => String::from(c),
            Token::Number(_) | Token::Emoji(_) => return,
        };
        match places.get(&word).and_then(|at| found.get_mut(*at)) {
            Some((_, count)) => *count += 1,
            None => {
                places.insert(word.clone(), found.len());
                found.push((word, 1));
            }
        }
    });
    found
}

/// Returns the prefix of a lower-case ASCII word that its other forms share.
pub fn stem(word: &str) -> &str {
    word.get(..stem::stem_len(word.as_bytes()).unwrap_or(word.len()))
        .unwrap_or(word)
}

/// True if a text contains a word by which it can be found.
pub fn has_words(text: &str) -> bool {
    let mut has = false;
    each_token(&normalize(text), |_, _| has = true);
    has
}

#[cfg(test)]
mod tests;
