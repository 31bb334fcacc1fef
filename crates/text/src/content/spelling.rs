//! What two texts with the same words may still spell differently: an inflection of an ordinary word is the same word, and another name, or
//! another sign, is not.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::{Reading, Token};
use crate::lexicon::{Role, known, words};
use crate::stem::{are_inflections, is_plural};
use crate::tokenization::{Case, Lexeme};

/// Words that look like an inflection of another one: "news" are not "new".
static OWN: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("own"));

/// True if two texts have the same signs beside the same words. A pictograph at the beginning or the end may be left out.
pub(super) fn has_same_signs(a: &Reading, b: &Reading) -> bool {
    let mut ends = a.signs.ends.iter().zip(&b.signs.ends);
    a.signs.beside == b.signs.beside && ends.all(|(one, other)| one == other || *one == 0 || *other == 0)
}

/// True if no name in one of two texts is another one in the other, although both have the same root, and if both do not have different signs.
pub(crate) fn has_same_names(a: &Reading, b: &Reading) -> bool {
    let (ours, theirs) = (&a.signs.alone, &b.signs.alone);
    (ours.is_empty() || theirs.is_empty() || ours == theirs)
        && a.tokens.iter().all(|token| is_same_root_spelt(token, a, b))
}

/// True if the words with the root of a token are the same in two texts.
fn is_same_root_spelt(token: &Token, a: &Reading, b: &Reading) -> bool {
    let mut others = b.tokens.iter().filter(|other| other.key == token.key);
    others.all(|other| other.form == token.form)
        || are_same_words(&a.spellings_of(token.key), &b.spellings_of(token.key))
}

/// How a token is written.
pub(super) struct Spelling<'r> {
    lexeme: &'r Lexeme,
    word: &'r [u8],
}

impl Reading {
    fn spellings_of(&self, key: u64) -> Vec<Spelling<'_>> {
        let tokens = self.tokens.iter().filter(|token| token.key == key);
        tokens.filter_map(|token| self.spelling(token)).collect()
    }

    pub(super) fn spelling(&self, token: &Token) -> Option<Spelling<'_>> {
        let number = token.lexeme as usize;
        let (lexeme, word) = (self.lexemes.list.get(number)?, self.lexemes.word(number));
        Some(Spelling { lexeme, word })
    }
}

/// True if words with one root, of two texts, are the same: in the same order, or when their numbers differ, each of one text is one of the
/// other.
pub(super) fn are_same_words(ours: &[Spelling<'_>], theirs: &[Spelling<'_>]) -> bool {
    if ours.len() == theirs.len() {
        return ours.iter().zip(theirs).all(|(one, other)| one.is_of(other));
    }
    ours.is_empty() || theirs.is_empty() || (are_among(ours, theirs) && are_among(theirs, ours))
}

fn are_among(some: &[Spelling<'_>], all: &[Spelling<'_>]) -> bool {
    some.iter().all(|one| all.iter().any(|other| one.is_of(other)))
}

impl Spelling<'_> {
    /// True if two words with one root are forms of one word.
    fn is_of(&self, other: &Self) -> bool {
        let (first, second) = (self.base(), other.base());
        if self.word == other.word || first == second {
            return true;
        }
        if OWN.contains(self.word) || OWN.contains(other.word) {
            return self.is_plural_of_own(other) || other.is_plural_of_own(self);
        }
        if self.lexeme.case != Case::Plain || other.lexeme.case != Case::Plain {
            return self.without_s() == other.without_s();
        }
        !self.is_name() && !other.is_name() && are_inflections(first, second)
    }

    /// The word of which the lexicon says that this is a form.
    fn base(&self) -> &[u8] {
        match known(self.word).role {
            Some(Role::FormOf(base) | Role::Number(base)) => base.as_bytes(),
            _ => self.word,
        }
    }

    fn is_plural_of_own(&self, other: &Self) -> bool {
        OWN.contains(other.word) && is_plural(self.word, other.word)
    }

    /// "PRs" are several "PR".
    fn without_s(&self) -> &[u8] {
        match self.lexeme.case {
            Case::CapitalsWithS => self.word.strip_suffix(b"s").unwrap_or(self.word),
            _ => self.word,
        }
    }

    /// True if it is capitalized inside a sentence, as days are too.
    fn is_name(&self) -> bool {
        self.lexeme.is_capital && known(self.word).role != Some(Role::Telling)
    }
}
