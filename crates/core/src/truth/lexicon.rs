//! The traits that single words give a statement. Few words and no phrases: a sentence that they do not describe is compared with
//! nothing. The words, and the meaning of each trait, are in the lexicon.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::text::lexicon::{entries, pairs};

/// The known traits of a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub traits: u32,
    /// The family of a unit, and how many of the smallest one it is.
    pub unit: Option<(u8, f64)>,
    /// The family of two states that exclude each other, and whether it is the negative one.
    pub state: Option<(u8, bool)>,
}

impl Known {
    pub fn has(self, traits: u32) -> bool {
        self.traits & traits != 0
    }
}

/// Declares the traits of words by the kinds of the lexicon.
macro_rules! traits {
    ($($name:ident = $bit:literal $kind:literal)*) => {
        $(pub(super) const $name: u32 = 1 << $bit;)*
        const TRAITS: &[(u32, &str)] = &[$(($name, $kind)),*];
    };
}

traits! {
    REASON = 0 "reason"
    TENTATIVE = 1 "tentative"
    ADDITION = 2 "addition"
    PAST = 3 "past"
    PERSONAL = 4 "personal"
    EPISODE = 5 "episode"
    GENERIC = 6 "generic"
    MEASURED = 7 "measured"
    VERSIONED = 8 "versioned"
    RELATION = 9 "relation"
    BE = 10 "be"
    MOVE = 11 "move"
    REPLACE = 12 "replace"
    SINCE = 13 "since"
    HEADING = 14 "heading"
    REFERS = 15 "refers"
    QUALIFIES = 16 "qualifies"
    AMENDS = 17 "amends"
    CHANGE = 18 "change"
    COUNTED = 19 "counted"
    PROBLEM = 20 "problem"
}

/// The family of "on" and "off", which are prepositions as well.
pub(super) const SWITCH: u8 = 2;

static WORDS: LazyLock<FxHashMap<&'static [u8], Known>> = LazyLock::new(|| {
    let mut words: FxHashMap<&'static [u8], Known> = FxHashMap::default();
    for (traits, kind) in TRAITS {
        for word in entries(kind) {
            words.entry(word.as_bytes()).or_default().traits |= traits;
        }
    }
    for (unit, spellings) in pairs("unit") {
        let unit = unit.split_once(' ');
        let unit = unit.and_then(|(family, size)| Some((family.parse().ok()?, size.parse().ok()?)));
        for word in spellings.split_ascii_whitespace() {
            words.entry(word.as_bytes()).or_default().unit = unit;
        }
    }
    for (family, sides) in (0_u8..).zip(entries("state")) {
        for (list, is_negative) in sides.split('|').zip([false, true]) {
            for word in list.split_ascii_whitespace() {
                words.entry(word.as_bytes()).or_default().state = Some((family, is_negative));
            }
        }
    }
    words
});

/// Returns the known traits of a folded word.
pub(super) fn known(word: &[u8]) -> Known {
    WORDS.get(word).copied().unwrap_or_default()
}
