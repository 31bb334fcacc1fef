//! Words: what recall finds a text by, and in `content` what dedup compares texts by.
//!
//! A *word* is a maximal run of letters, digits, marks and underscores; a character of a script that is written without spaces is a
//! word of its own. `tokenization` cuts texts, `terms` names what the index has of a word (its stem, its spelling, the parts of
//! an identifier), `query` what a query asks for.

// The texts come from outside.
#![warn(clippy::indexing_slicing)]

pub mod analysis;
pub mod bm25;
mod chars;
mod content;
pub mod controls;
pub(crate) mod edit_distance;
mod fold;
mod identifier;
pub(crate) mod markup;
pub mod proximity;
mod query;
pub mod scorer;
mod snowball;
mod stem;
mod stop_words;
mod terms;
mod tokenization;
pub mod unframe;

pub use content::{Reading, Statement, cosine, cosine_needed, extra_max, says_the_same};
pub use fold::{fold, fold_into};
pub(crate) use query::joined_neighbours;
pub use query::{QueryWord, SPELLING_WEIGHT, query_words, searched_words};
pub(crate) use terms::is_correctable;
pub use terms::{TermHash, Terms, Vocabulary, tag_term};

use rustc_hash::FxHashMap;

use tokenization::{Token, each_token, normalize};

/// Returns the words of a text, folded, identifiers whole, in the order in which they come first, each with how often it is there.
pub fn counted_words(text: &str) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    each_token(&normalize(text), |token| {
        let word = match token {
            Token::Run { text, .. } => fold(text),
            Token::Spaceless { c, .. } => String::from(c),
            Token::Emoji(_) => return,
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

/// Returns the beginning of a lower-case ASCII word that its other forms share with it.
pub(crate) fn stem(word: &str) -> &str {
    word.get(..stem::stem_len(word.as_bytes()).unwrap_or(word.len()))
        .unwrap_or(word)
}

/// Tells whether a text has a word by which it could be found.
pub fn has_words(text: &str) -> bool {
    let mut has = false;
    each_token(&normalize(text), |_| has = true);
    has
}

#[cfg(test)]
mod tests;
