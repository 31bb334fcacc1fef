//! Texts that say of themselves that they do not hold: that something was the first choice, was considered and not adopted, is what a stale
//! page prints, is only suspected, or is an example. Such a text often has all words of a question about what is current.
//!
//! The phrases are few and English, and each is about the statement as a whole. A text that also says what is the case now is not one of
//! them, and a question that asks for what was, or for an example, wants them.

use once_cell::sync::Lazy;
use rustc_hash::FxHashMap;

/// A longer text is more than one statement.
const WORDS_MAX: usize = 30;
const SENTENCES_MAX: usize = 2;
/// The most words between `stale` and `says`, and between `tutorial` and `uses`.
const APART_MAX: usize = 4;

/// What was, and is no more.
const PAST: [&str; 15] = [
    "initial choice",
    "initial design",
    "initial approach",
    "initial value",
    "initially",
    "originally",
    "original plan",
    "original choice",
    "formerly",
    "back then",
    "in the past",
    "we used to",
    "it used to",
    "used to be",
    "no longer true",
];
/// What was never adopted.
const REJECTED: [&str; 17] = [
    "was considered",
    "were considered",
    "been considered",
    "considered but",
    "we considered",
    "not adopted",
    "never adopted",
    "not chosen",
    "was rejected",
    "were rejected",
    "rejected in favor",
    "rejected alternative",
    "rejected proposal",
    "was turned down",
    "decided against",
    "ruled out",
    "was proposed",
];
/// What is only supposed.
const SUPPOSED: [&str; 9] = [
    "suspected",
    "we suspect",
    "i suspect",
    "unconfirmed",
    "unverified",
    "not verified",
    "allegedly",
    "supposedly",
    "rumor",
];
/// What somebody else does, or nobody.
const ELSEWHERE: [&str; 6] = [
    "hypothetical",
    "hypothetically",
    "another team",
    "other team",
    "cached value of",
    "cached copy of",
];
const PHRASES: [&[&str]; 4] = [&PAST, &REJECTED, &SUPPOSED, &ELSEWHERE];
/// What is old, or was written for another purpose, and what it says.
const STALE: [&str; 7] = ["stale", "old", "outdated", "obsolete", "cached", "archived", "expired"];
const SAMPLE: [&str; 5] = ["tutorial", "example", "sample", "placeholder", "competitor"];
const SAYS: [&str; 10] = [
    "says", "prints", "shows", "lists", "claims", "reports", "mentions", "reads", "displays", "names",
];
const USES: [&str; 6] = ["uses", "has", "sets", "listens", "runs", "deploys"];
/// A text with one of these says what is the case now.
const PRESENT: [&str; 16] = [
    "now",
    "currently",
    "today",
    "instead",
    "since",
    "switched",
    "moved",
    "replaced",
    "migrated",
    "changed",
    "became",
    "settled",
    "superseded",
    "until",
    "but we",
    "is used",
];
/// A query with one of these asks for what was, for what was rejected, or for an example.
const ASKED: [&str; 34] = [
    "initial",
    "initially",
    "original",
    "originally",
    "first",
    "old",
    "older",
    "previous",
    "previously",
    "former",
    "formerly",
    "before",
    "past",
    "history",
    "earlier",
    "rejected",
    "reject",
    "considered",
    "consider",
    "alternative",
    "alternatives",
    "options",
    "adopted",
    "stale",
    "cached",
    "outdated",
    "obsolete",
    "suspected",
    "suspect",
    "example",
    "sample",
    "tutorial",
    "placeholder",
    "used to",
];

/// The phrases of a kind, by their first words: every hit of every search is looked through for all of them.
struct Lexicon {
    /// The rests of the phrases, by their first words.
    rests: FxHashMap<&'static str, Vec<Vec<&'static str>>>,
    /// The lengths of the first words that begin with a byte, as bits: nearly all words of a text are told apart by these.
    lengths: [u32; 128],
}

static BYGONE: Lazy<Lexicon> = Lazy::new(|| Lexicon::of(PHRASES.iter().copied().flatten()));
static HOLDING: Lazy<Lexicon> = Lazy::new(|| Lexicon::of(&PRESENT));
static APART: Lazy<Lexicon> = Lazy::new(|| Lexicon::of(STALE.iter().chain(&SAMPLE)));
static WANTING: Lazy<Lexicon> = Lazy::new(|| Lexicon::of(&ASKED));

impl Lexicon {
    fn of(phrases: impl IntoIterator<Item = &'static &'static str>) -> Self {
        let mut rests: FxHashMap<&str, Vec<Vec<&str>>> = FxHashMap::default();
        let mut lengths = [0; 128];
        for phrase in phrases {
            let mut words = phrase.split(' ');
            let first = words.next().unwrap_or_default();
            let lead = first.as_bytes().first().copied().unwrap_or_default();
            if let Some(lengths) = lengths.get_mut(usize::from(lead)) {
                *lengths |= bit_of(first);
            }
            rests.entry(first).or_default().push(words.collect());
        }
        Lexicon { rests, lengths }
    }

    fn may_begin_with(&self, word: &str) -> bool {
        let lead = word.as_bytes().first().copied().unwrap_or_default();
        let lengths = self.lengths.get(usize::from(lead)).copied().unwrap_or_default();
        lengths & bit_of(word) != 0
    }

    fn is_in(&self, words: &[&str]) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            if !self.may_begin_with(word) {
                return false;
            }
            let rest = words.get(at + 1..).unwrap_or_default();
            let mut phrases = self.rests.get(word).into_iter().flatten();
            phrases.any(|phrase| rest.starts_with(phrase))
        })
    }
}

/// The length of a word as a bit.
fn bit_of(word: &str) -> u32 {
    1 << word.len().min(31)
}

/// Tells whether a query asks for texts of this kind.
pub fn asks_for_bygone(query: &str) -> bool {
    WANTING.is_in(&words_of(&query.to_ascii_lowercase()))
}

/// Tells whether a text says of itself that it does not hold.
pub fn is_bygone(text: &str) -> bool {
    if text.len() > 16 * WORDS_MAX || text.matches(". ").count() >= SENTENCES_MAX {
        return false;
    }
    let text = text.to_ascii_lowercase();
    let words = words_of(&text);
    words.len() <= WORDS_MAX && (BYGONE.is_in(&words) || is_said_elsewhere(&words)) && !HOLDING.is_in(&words)
}

fn words_of(text: &str) -> Vec<&str> {
    let mut words = Vec::with_capacity(2 * WORDS_MAX);
    let parts = text.split(|c: char| !c.is_alphanumeric());
    words.extend(parts.filter(|word| !word.is_empty()));
    words
}

/// A stale page says something, or an example: `the old wiki page still lists`, `the tutorial uses`.
fn is_said_elsewhere(words: &[&str]) -> bool {
    if !APART.is_in(words) {
        return false;
    }
    let (mut since_stale, mut since_sample) = (usize::MAX, usize::MAX);
    for word in words {
        let says = SAYS.contains(word);
        if since_stale <= APART_MAX && says || since_sample <= APART_MAX && (says || USES.contains(word)) {
            return true;
        }
        since_stale = if STALE.contains(word) {
            0
        } else {
            since_stale.saturating_add(1)
        };
        since_sample = if SAMPLE.contains(word) {
            0
        } else {
            since_sample.saturating_add(1)
        };
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
