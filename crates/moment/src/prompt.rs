//! The subject of a prompt. Most prompts name an action and no subject: for those there is nothing to tell.

use std::collections::HashSet;
use std::sync::LazyLock;

use forge_memory_core::text::lexicon::entries;
use forge_memory_core::text::written_words;
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
fn own_words(prompt: &str) -> String {
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

/// True if a word says what a prompt is about.
fn is_telling(word: &str) -> bool {
    word.chars().count() >= 3 && !EVERYDAY.contains(word.to_lowercase().as_bytes())
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
    telling_words(own).next().is_some()
}

fn telling_words(own: &str) -> impl Iterator<Item = &str> {
    written_words(own, "_-./:")
        .map(|word| word.trim_matches(['.', ':', '-', '/']))
        .filter(|word| is_telling(word))
}

/// True if a record is about a prompt: it shares at least two telling words with it, or a name, and matches well.
fn is_about(hit: &RecallHit, own: &str) -> bool {
    let telling = hit.matched.iter().filter(|word| is_telling(word)).count();
    let names = own.split(|c: char| c.is_whitespace() || "\"'`(),;?!".contains(c));
    let has_name = || {
        let mut names = names
            .map(|name| name.trim_end_matches(['.', ':']))
            .filter(|name| is_name(name));
        names.any(|name| hit.text.contains(name))
    };
    // Of a few records, no word is rare: a record with most of the subject's words is no weak match.
    let is_strong = !hit.is_weak || telling * 3 >= telling_words(own).count() * 2;
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
        ] {
            assert!(!asks(prompt), "{prompt}");
        }
        assert!(asks("Why do the auth mocks fail?"));
    }
}
