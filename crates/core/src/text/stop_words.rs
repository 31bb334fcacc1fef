//! Stop words: articles, pronouns, auxiliaries, prepositions and question words, which do not indicate the subject of a
//! note. In notes, "what" or "when" is rare, so that its rarity alone would decide a query.

use std::iter;

use once_cell::sync::Lazy;

/// The longest of them in bytes.
const BYTES_MAX: usize = 8;

/// Sorted for binary search.
const STOP_WORDS: [&str; 116] = [
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "doing", "don", "each", "few", "for",
    "from", "had", "has", "have", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is",
    "it", "its", "itself", "just", "may", "me", "might", "mine", "more", "most", "my", "no", "not", "of", "on", "only",
    "or", "other", "our", "ours", "shall", "she", "should", "so", "some", "such", "than", "that", "the", "their",
    "theirs", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "until", "up", "upon",
    "us", "very", "was", "we", "were", "what", "whatever", "when", "whenever", "where", "wherever", "whether", "which",
    "while", "who", "whoever", "whom", "whose", "why", "will", "with", "would", "you", "your", "yours", "yourself",
];

/// The same words, each as one number.
static LETTERS: Lazy<[u64; STOP_WORDS.len()]> = Lazy::new(|| STOP_WORDS.map(letters_of));

/// The bytes of a short word as a number: the order of the numbers is that of the words.
fn letters_of(word: &str) -> u64 {
    let bytes = word.bytes().chain(iter::repeat(0)).take(BYTES_MAX);
    bytes.fold(0, |letters, byte| letters << 8 | u64::from(byte))
}

/// Tells whether a folded word is a stop word. A query that consists of stop words still searches for them.
pub(crate) fn is_stop_word(word: &str) -> bool {
    word.len() <= BYTES_MAX && LETTERS.binary_search(&letters_of(word)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_the_words_of_questions() {
        assert!(STOP_WORDS.is_sorted() && LETTERS.is_sorted());
        assert!(
            STOP_WORDS
                .iter()
                .all(|word| word.len() <= BYTES_MAX && is_stop_word(word))
        );
        for word in "who what where when why how which did does about not he she they me my a your".split(' ') {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["test", "off", "down", "out", "under", "now", "new"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
