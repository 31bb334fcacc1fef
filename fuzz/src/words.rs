//! Words, folding, and what a text says: what dedup and recall know about text.

use std::collections::HashSet;

use forge_memory_core::text::{Statement, Terms, fold, query_words};

use super::texts::two_texts_of;

pub fn check(input: &[u8]) {
    let (one, other) = two_texts_of(input);
    let folded = fold(&one);
    assert_eq!(fold(&folded), folded, "folding twice changes something");
    let (statement, another) = (Statement::of(&one), Statement::of(&other));
    assert_eq!(
        statement.likeness(&another, 0.5),
        another.likeness(&statement, 0.5),
        "likeness has no direction"
    );
    let itself = (!statement.words().is_empty()).then_some(1.0);
    assert_eq!(statement.likeness(&statement, 1.0), itself);
    check_words(&one, &other);
    check_query(&one);
}

fn terms_of(texts: &[&str]) -> Terms {
    let mut terms = Terms::default();
    texts.iter().for_each(|text| terms.add(text));
    terms
}

fn check_words(one: &str, other: &str) {
    let both = terms_of(&[one, other]);
    let joined = terms_of(&[&format!("{one}\n{other}")]);
    assert_eq!(joined.words, both.words, "a line end does not part words");
    // A character elsewhere in the text must not decide how a plain word is read.
    let beside = terms_of(&[&format!("{one}\n\u{df}")]);
    let own = terms_of(&[one]);
    assert_eq!(beside.words[..own.words.len()], own.words[..]);
    assert_eq!(
        sorted(&beside.extras[..own.extras.len().min(beside.extras.len())]),
        sorted(&own.extras)
    );
}

fn sorted(terms: &[u64]) -> Vec<u64> {
    let mut terms = terms.to_vec();
    terms.sort_unstable();
    terms
}

/// A text is found by its own words.
fn check_query(text: &str) {
    let terms = terms_of(&[text]);
    let lists = [&terms.words, &terms.extras, &terms.spellings];
    let known: HashSet<u64> = lists.into_iter().flatten().copied().collect();
    let words = query_words(text);
    let mut seen = HashSet::new();
    for word in &words {
        assert!(seen.insert(word.text.clone()), "{:?} comes twice", word.text);
        assert!(word.lists().all(|(_, weight)| weight > 0.0 && weight <= 1.0));
        let found = word.lists().any(|(term, _)| known.contains(&term));
        assert!(found, "{:?} is not found in its own text", word.text);
    }
    assert_eq!(words.is_empty(), terms.words.is_empty());
}
