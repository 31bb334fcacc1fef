//! The roles of words in a statement. docs/duplicates.md explains them; the words are in the lexicon.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::text::lexicon::{Phrases, entries, pairs, words};

/// The role of a word in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A function word without meaning of its own. It may be added or removed.
    Filler,
    /// Reverses a statement.
    Negation,
    /// Restricts a statement. It may neither be added nor removed.
    Limit,
    /// A member of a family of words that exclude each other. It may be added or removed, but not replaced by another
    /// member.
    Member { family: u8, group: u8 },
    /// Content that may neither be added nor removed alone: a state, a day, a number.
    Telling,
    /// An inflected form of this word.
    FormOf(&'static str),
    /// A number as a word.
    Number(&'static str),
}

/// The family of quantities, which a content word may replace.
pub(super) const QUANTITIES: u8 = 1;

/// The family of the preposition that names the agent.
pub(super) const AGENT: u8 = 10;

pub(super) type Words = LazyLock<FxHashSet<&'static [u8]>>;

/// Words whose two sides must not be exchanged.
pub(super) static TURNS: Words = LazyLock::new(|| words("turn"));
/// Words that, like restrictions, may neither be added nor removed.
pub(super) static BINDING: Words = LazyLock::new(|| words("binding"));
static PARTICIPLES: Words = LazyLock::new(|| words("participle"));
/// Phrases that have as little meaning as filler.
pub(super) static REMARKS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind == "remark"));

/// True if a word only forms a passive with the next one: "gets deleted" is "is deleted".
pub(super) fn is_auxiliary(word: &[u8], next: Option<&[u8]>) -> bool {
    matches!(word, b"get" | b"gets" | b"got" | b"getting")
        && next.is_some_and(|next| (next.len() > 4 && next.ends_with(b"ed")) || PARTICIPLES.contains(next))
}

static ROLES: LazyLock<FxHashMap<&'static [u8], Role>> = LazyLock::new(|| {
    let mut roles = FxHashMap::default();
    let mut put = |words: &'static str, role: Role| {
        for word in words.split_ascii_whitespace() {
            roles.insert(word.as_bytes(), role);
        }
    };
    entries("filler").for_each(|word| put(word, Role::Filler));
    pairs("form").for_each(|(base, forms)| put(forms, Role::FormOf(base)));
    pairs("number").for_each(|(word, number)| put(word, Role::Number(number)));
    // Of a word with several roles, the last one counts.
    for (kind, role) in [
        ("telling", Role::Telling),
        ("limit", Role::Limit),
        ("negation", Role::Negation),
    ] {
        entries(kind).for_each(|word| put(word, role));
    }
    for (family, groups) in (0_u8..).zip(entries("exclusive")) {
        for (group, words) in (0_u8..).zip(groups.split('|')) {
            put(words, Role::Member { family, group });
        }
    }
    roles
});

/// Returns the role of a folded word, unless it is an ordinary content word.
pub(crate) fn role_of(word: &[u8]) -> Option<Role> {
    if let Some(role) = ROLES.get(word) {
        return Some(*role);
    }
    let at = word.iter().position(|byte| *byte == b'\'')?;
    if word.ends_with(b"n't") {
        return Some(Role::Negation);
    }
    // it's, they're, we'll
    ROLES.get(word.get(..at)?).copied()
}

static SUFFIXES: LazyLock<FxHashMap<&[u8], &str>> =
    LazyLock::new(|| pairs("suffix").map(|(short, unit)| (short.as_bytes(), unit)).collect());

/// Returns the word for a unit after a number; an empty one for endings as in "3rd".
pub(super) fn suffix_word(suffix: &[u8]) -> Option<&'static str> {
    SUFFIXES.get(suffix).copied()
}
