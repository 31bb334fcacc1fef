//! Names: words that texts write with a capital, a digit or an underscore inside a sentence. The spelling of texts decides, because people
//! type queries in any spelling. Embeddings blur names.

use super::fold;
use super::tokenization::{Token, each_token};

/// A word is a name if more than this share of its uses is written as one.
const NAMED_SHARE: f64 = 0.8;
/// With fewer uses, nothing can be said.
const USES_MIN: u32 = 3;
/// More uses need not be counted.
const USES_MAX: u32 = 32;

/// A word whose uses are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordUses<'w> {
    word: &'w str,
    uses: u32,
    named: u32,
}

impl<'w> WordUses<'w> {
    /// Begins to count the uses of a folded word. A number is no name: it has nothing to be written as.
    pub fn of(word: &'w str) -> Option<Self> {
        word.contains(char::is_alphabetic).then_some(WordUses {
            word,
            uses: 0,
            named: 0,
        })
    }

    /// Counts a word that was written inside a sentence, if it is this one.
    pub fn count(&mut self, written: &str) {
        let is_it = if written.is_ascii() {
            written.eq_ignore_ascii_case(self.word)
        } else {
            fold(written) == self.word
        };
        if is_it {
            self.uses += 1;
            self.named += u32::from(written.contains(is_sign_of_name));
        }
    }

    /// True if enough uses were counted.
    pub fn is_counted(&self) -> bool {
        self.uses >= USES_MAX
    }

    /// True if the word is written as a name.
    pub fn is_name(&self) -> bool {
        self.uses >= USES_MIN && f64::from(self.named) > NAMED_SHARE * f64::from(self.uses)
    }
}

/// Calls `visit` with the words of a text that stand inside a sentence, after another word: the first word of a sentence, a title or a label
/// has a capital in any case.
pub fn each_inside(text: &str, mut visit: impl FnMut(&str)) {
    let mut last = 0;
    each_token(text, |at, token| match token {
        Token::Run { text: word, .. } => {
            // By the last sign before it; only spaces follow another word.
            let sign = text
                .get(last..at)
                .and_then(|between| between.trim_end_matches(' ').chars().next_back());
            if last > 0 && matches!(sign, None | Some(',')) {
                visit(word);
            }
            last = at + word.len();
        }
        Token::Spaceless { c, .. } => last = at + c.len_utf8(),
        Token::Number(_) | Token::Emoji(_) => {}
    });
}

fn is_sign_of_name(c: char) -> bool {
    c.is_uppercase() || c.is_numeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_name(word: &str, texts: &[&str]) -> bool {
        let mut uses = WordUses::of(word).unwrap();
        texts
            .iter()
            .for_each(|text| each_inside(text, |written| uses.count(written)));
        uses.is_name()
    }

    #[test]
    fn a_word_that_texts_write_as_a_name_is_one_however_it_is_typed() {
        let texts = [
            "Thanks, Caroline, that is kind.",
            "I met Caroline at the market",
            "the retry_limit of Redis, and Caroline",
        ];
        assert!(is_name("caroline", &texts));
        assert!(is_name("sha256", &["use sha256 or sha256 twice, sha256"]));
        assert!(is_name(
            "retry_limit",
            &["the retry_limit and retry_limit, not retry_limit"]
        ));
        assert!(!is_name("market", &texts), "too few uses, and none of them a name");
    }

    #[test]
    fn the_first_word_of_a_sentence_title_or_label_says_nothing() {
        let texts = [
            "Deploys fail.",
            "Deploys: never on Friday",
            "It failed. Deploys were stopped.",
            "# Deploys\n- Deploys again\n\"Deploys\"",
        ];
        assert!(!is_name("deploys", &texts));
        let mixed = ["the deploys and the deploys", "our Deploys of today", "and Deploys"];
        assert!(!is_name("deploys", &mixed));
    }

    #[test]
    fn a_number_is_no_name_and_odd_texts_are_counted() {
        assert_eq!(WordUses::of("2025"), None);
        let word = fold("Größe");
        let mut uses = WordUses::of(&word).unwrap();
        for text in ["", "\0", "Größe", "die Größe, die Größe und die Größe", "🚀 Größe"] {
            each_inside(text, |written| uses.count(written));
        }
        assert!(uses.is_name() && !uses.is_counted());
    }
}
