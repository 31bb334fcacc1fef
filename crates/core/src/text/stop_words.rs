//! Stop words: articles, pronouns, auxiliaries, prepositions and question words, which do not indicate the subject of a
//! note. In notes, "what" or "when" is rare, so that its rarity alone would decide a query.

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

/// Tells whether a folded word is a stop word. A query that consists of stop words still searches for them.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_the_words_of_questions() {
        assert!(STOP_WORDS.is_sorted());
        for word in "who what where when why how which did does about not he she they me my a your".split(' ') {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["test", "off", "down", "out", "under", "now", "new"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
