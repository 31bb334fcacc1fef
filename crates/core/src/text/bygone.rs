//! Texts that say of themselves that they do not hold: that something was the first choice, was considered and not adopted, is printed by a
//! stale page, is only suspected, or is an example. Such a text often has all words of a question about the present.
//!
//! The phrases are few and English, and each is about the statement as a whole. A text that also describes the present is not one of them,
//! and a question that asks for the past, or for an example, wants them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::lexicon::{Phrases, words};
use super::tokenization::runs_of;

/// A longer text is more than one statement.
const WORDS_MAX: usize = 30;
const SENTENCES_MAX: usize = 2;
/// The most words between `stale` and `says`, and between `tutorial` and `uses`.
const APART_MAX: usize = 4;

static BYGONE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind == "bygone"));
static HOLDING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind == "present"));
static WANTING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind == "asks-bygone"));
static APART: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| matches!(kind, "stale" | "sample")));
/// The words for a stale page, for an example, and for the statements of each.
static ELSEWHERE: LazyLock<[FxHashSet<&[u8]>; 4]> = LazyLock::new(|| ["stale", "sample", "says", "uses"].map(words));

/// True if a query asks for texts of this kind.
pub fn asks_for_bygone(query: &str) -> bool {
    WANTING.are_in(&runs_of(&query.to_ascii_lowercase()))
}

/// True if a text says of itself that it does not hold.
pub fn is_bygone(text: &str) -> bool {
    if text.len() > 16 * WORDS_MAX || text.matches(". ").count() >= SENTENCES_MAX {
        return false;
    }
    let text = text.to_ascii_lowercase();
    let words = runs_of(&text);
    words.len() <= WORDS_MAX && (BYGONE.are_in(&words) || is_said_elsewhere(&words)) && !HOLDING.are_in(&words)
}

/// A stale page says something, or an example: `the old wiki page still lists`, `the tutorial uses`.
fn is_said_elsewhere(words: &[&str]) -> bool {
    if !APART.are_in(words) {
        return false;
    }
    let [stale, sample, says, uses] = &*ELSEWHERE;
    let (mut since_stale, mut since_sample) = (usize::MAX, usize::MAX);
    for word in words.iter().map(|word| word.as_bytes()) {
        let says = says.contains(word);
        if since_stale <= APART_MAX && says || since_sample <= APART_MAX && (says || uses.contains(word)) {
            return true;
        }
        let since = |is_it: bool, before: usize| if is_it { 0 } else { before.saturating_add(1) };
        since_stale = since(stale.contains(word), since_stale);
        since_sample = since(sample.contains(word), since_sample);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_says_that_it_does_not_hold_is_bygone() {
        for text in [
            "MongoDB was the initial choice for the order service",
            "gRPC between the services was considered but not adopted",
            "A stale report prints port 8080 for the gateway",
            "The old wiki page still lists Jenkins as the build server",
            "The cached value of the session timeout is 15 minutes",
            "Suspected cause of the slow checkout: the tax service",
            "Originally the queue ran on RabbitMQ",
            "The tutorial uses port 3000 for the API",
            "Another team deploys with Argo",
        ] {
            assert!(is_bygone(text), "{text}");
        }
    }

    #[test]
    fn a_text_that_holds_is_not() {
        for text in [
            "The order service uses PostgreSQL",
            "The gateway listened on 8080 at first and now listens on 9090",
            "We switched from MongoDB, the initial choice, to PostgreSQL",
            "A stale lock file makes the release script fail",
            "The old parser is slow",
            "Deprecated endpoints show a warning",
            "considerations of design",
            "",
        ] {
            assert!(!is_bygone(text), "{text}");
        }
        assert!(
            !is_bygone(&format!("{} was considered", "word ".repeat(40))),
            "more than one statement"
        );
    }

    #[test]
    fn some_questions_want_what_was() {
        for query in [
            "what was the initial choice",
            "which alternatives were rejected",
            "port before 9090",
            "example config",
        ] {
            assert!(asks_for_bygone(query), "{query}");
        }
        for query in [
            "which database does the order service use",
            "port of the gateway",
            "firstname column",
        ] {
            assert!(!asks_for_bygone(query), "{query}");
        }
    }
}
