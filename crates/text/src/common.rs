//! The words of a question that say nothing about its subject, in the language in which it is asked. In a memory that is mostly in another language
//! they are rare, so that their rarity would decide: *dónde está la oficina* is not about *la*.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::fold;
use super::lexicon::entries;

/// So many of them, and more than of English, say which language a question is in: *die*, *no* and *son* are words of several.
const TELLING_MIN: usize = 2;
/// They still say in which language the answer may be.
pub(super) const COMMON_WEIGHT: f32 = 0.3;
const KINDS: [&str; 5] = ["common-de", "common-es", "common-fr", "common-pt", "common-ru"];
static COMMON: LazyLock<[FxHashSet<String>; 5]> = LazyLock::new(|| KINDS.map(|kind| entries(kind).map(fold).collect()));

/// Returns the common words of the language of a question with these words, of which so many are English, where it is in another one.
pub(super) fn common_among<'w>(
    words: impl Iterator<Item = &'w str> + Clone,
    in_english: usize,
) -> Option<&'static FxHashSet<String>> {
    let counted = COMMON
        .iter()
        .map(|common| (words.clone().filter(|word| common.contains(*word)).count(), common));
    let (count, common) = counted.max_by_key(|(count, _)| *count)?;
    (count >= TELLING_MIN && count > in_english).then_some(common)
}

#[cfg(test)]
mod tests {
    use super::COMMON_WEIGHT;
    use crate::query_words;

    #[test]
    fn what_says_nothing_about_the_subject_is_common_in_the_language_of_the_question() {
        for (query, subject) in [
            ("dónde está la oficina", "oficina"),
            ("wo liegt denn nur die Doku", "doku"),
            ("où est la documentation", "documentation"),
            ("onde fica o cardápio do dia", "cardápio dia"),
            ("где у нас лежит код", "код"),
            ("where is the log", "log"),
            // One word says nothing about the language.
            ("la oficina", "la oficina"),
            ("die of the printer", "die printer"),
            ("die casting", "die casting"),
        ] {
            let words = query_words(query);
            let telling: Vec<&str> = words
                .iter()
                .filter(|word| !word.common && word.weight > COMMON_WEIGHT && word.is_typed)
                .map(|word| word.text.as_str())
                .collect();
            assert_eq!(telling.join(" "), subject, "{query}");
        }
    }
}
