//! The subject of a prompt. Most prompts name an action and no subject: for those there is nothing to tell.

use std::collections::HashSet;
use std::sync::LazyLock;

use forge_memory_core::text::lexicon::entries;
use forge_memory_core::text::{is_spaceless, written_words};
use forge_memory_core::{RecallHit, Result};

use crate::lines::head;

/// The beginning of a prompt that is read; longer texts are pasted.
const READ_MAX: usize = 20_000;

/// Returns the records that a prompt is about, of those that `find` finds for the words of the person in it.
pub fn about_prompt(prompt: &str, find: impl FnOnce(&str) -> Result<Vec<RecallHit>>) -> Result<Vec<RecallHit>> {
    let own = own_words(prompt);
    if !asks(&own) {
        return Ok(Vec::new());
    }
    let mut hits = find(&own)?;
    hits.retain(|hit| is_about(hit, &own));
    Ok(hits)
}

/// Returns the words of the person: programs wrap their additions in elements such as `<system-reminder>`.
pub(crate) fn own_words(prompt: &str) -> String {
    let mut rest = head(prompt, READ_MAX);
    let mut own = String::new();
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        own.push_str(before);
        let name: String = tag
            .chars()
            .skip(1)
            .take_while(|c| c.is_ascii_lowercase() || *c == '-')
            .collect();
        let after_name = tag.get(1 + name.len()..).unwrap_or_default();
        let attributes = after_name.split('>').next().unwrap_or_default();
        let is_open = after_name.starts_with('>') || (attributes.starts_with(' ') && attributes.contains('='));
        let is_wrapper = name.contains('-') && !name.ends_with('-') && is_open;
        rest = if is_wrapper {
            tag.split_once(&format!("</{name}>")).map_or("", |(_, after)| after)
        } else {
            own.push('<');
            tag.get(1..).unwrap_or_default()
        };
    }
    own.push_str(rest);
    own
}

/// Words of prompts about anything: what to do, and the parts of every project.
static EVERYDAY: LazyLock<HashSet<&[u8]>> = LazyLock::new(|| {
    let kinds = ["stop", "everyday"].into_iter();
    kinds.flat_map(entries).map(str::as_bytes).collect()
});

fn is_everyday(word: &str) -> bool {
    EVERYDAY.contains(word.to_lowercase().as_bytes())
}

/// True if a word of a script with spaces says what a prompt is about.
fn is_telling(word: &str) -> bool {
    word.chars().count() >= 3 && !word.starts_with(is_spaceless) && !is_everyday(word)
}

/// How many words say what a prompt is about. Scripts without spaces are searched by pairs of characters, of which those that follow each
/// other make a word.
fn count_telling<'w>(words: impl Iterator<Item = &'w str>) -> usize {
    let (mut count, mut run) = (0, Chain::default());
    for word in words {
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some(first), Some(last)) if is_spaceless(first) => {
                // Japanese writes what a sentence is about in other signs than its endings and particles.
                if is_everyday(word) || word.contains(|c| ('\u{3041}'..='\u{309f}').contains(&c)) {
                    count += std::mem::take(&mut run).words();
                } else if run.last == Some(first) {
                    run.join(last);
                } else {
                    count += std::mem::take(&mut run).words();
                    run.join(first);
                    run.join(last);
                }
            }
            _ => count += usize::from(is_telling(word)),
        }
    }
    count + run.words()
}

/// Characters of a script without spaces that follow each other.
#[derive(Debug, Default)]
struct Chain {
    last: Option<char>,
    length: usize,
}

impl Chain {
    fn join(&mut self, letter: char) {
        self.last = Some(letter);
        self.length += 1;
    }

    /// How many words it has: words of Chinese, Japanese and Korean have two characters or three, those of alphabets without spaces four or more.
    fn words(self) -> usize {
        let of_word = if self.last.is_some_and(|last| last < '\u{3000}') {
            4
        } else {
            2
        };
        self.length / of_word
    }
}

/// Returns the pairs of neighbours of the scripts without spaces in a text.
fn pairs_of(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let pairs = letters.windows(2).filter(|pair| pair.iter().all(|c| is_spaceless(*c)));
    pairs.map(|pair| pair.iter().collect()).collect()
}

/// True if a word is a name, which nobody writes by chance: `pay_total`, `node20`, `src/pay.ts`, `CartService`.
fn is_name(word: &str) -> bool {
    let has_sign = word
        .chars()
        .any(|c| c.is_ascii_digit() || matches!(c, '_' | '/' | '.' | '-' | ':'));
    let has_hump = word
        .chars()
        .zip(word.chars().skip(1))
        .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    word.chars().count() >= 4 && (has_sign || has_hump)
}

/// True if a prompt is about anything.
fn asks(own: &str) -> bool {
    subject_of(own) > 0
}

/// How many words of a prompt say what it is about.
fn subject_of(own: &str) -> usize {
    let written = written_words(own, "_-./:").map(|word| word.trim_matches(['.', ':', '-', '/']));
    let pairs = pairs_of(own);
    written.filter(|word| is_telling(word)).count() + count_telling(pairs.iter().map(String::as_str))
}

/// True if a record is about a prompt: it shares at least two telling words with it, or a name, and matches well.
fn is_about(hit: &RecallHit, own: &str) -> bool {
    let telling = count_telling(hit.matched.iter().map(String::as_str));
    let names = own.split(|c: char| c.is_whitespace() || "\"'`(),;?!".contains(c));
    let has_name = || {
        let mut names = names
            .map(|name| name.trim_end_matches(['.', ':']))
            .filter(|name| is_name(name));
        names.any(|name| hit.text.contains(name))
    };
    // Of a few records, no word is rare: a record with most of the subject's words is no weak match.
    let is_strong = !hit.is_weak || telling * 3 >= subject_of(own) * 2;
    is_strong && !hit.is_weaker && (telling >= 2 || (telling == 1 && has_name()))
}

#[cfg(test)]
mod tests {
    use super::{asks, own_words};

    #[test]
    fn what_a_program_adds_is_not_asked() {
        assert_eq!(own_words("<task-notification>a <b>c</b></task-notification>"), "");
        assert_eq!(own_words("<system-reminder>a"), "");
        assert_eq!(
            own_words("why <b> x <system-reminder>no</system-reminder> y"),
            "why <b> x  y"
        );
        assert_eq!(own_words("if a<b-c then"), "if a<b-c then");
    }

    #[test]
    fn a_prompt_of_everyday_words_asks_for_nothing() {
        for prompt in [
            "continue",
            "fix it",
            "run the tests",
            "what is 2+2",
            "yes, go on",
            "please commit and push",
            "bitte die Tests noch mal laufen lassen",
            "por favor ejecuta las pruebas",
            "lance les tests",
            "roda os testes",
            "esegui i test",
            "запусти тесты",
            "τρέξε τα τεστ",
            "شغل الاختبارات",
            "टेस्ट चलाओ",
            "继续",
            "运行测试",
            "テストを実行してください",
            "테스트 실행해 주세요",
        ] {
            assert!(!asks(prompt), "{prompt}");
        }
        for prompt in [
            "Why do the auth mocks fail?",
            "数据库迁移",
            "認証トークンはどこですか",
            "데이터베이스 마이그레이션",
            "ฐานข้อมูลอยู่ที่ไหน",
        ] {
            assert!(asks(prompt), "{prompt}");
        }
    }
}
