//! Texts that a bag of words takes for the same although they say the opposite.

use super::fold;

/// Words that turn a statement into its opposite, each as good as the other.
const NEGATIONS: [&str; 33] = [
    "ain't",
    "aint",
    "aren't",
    "avoid",
    "can't",
    "cannot",
    "cant",
    "couldn't",
    "didn't",
    "doesn't",
    "doesnt",
    "don't",
    "dont",
    "hasn't",
    "haven't",
    "isn't",
    "isnt",
    "mustn't",
    "neither",
    "never",
    "no",
    "non",
    "nor",
    "not",
    "nothing",
    "nowhere",
    "shouldn't",
    "wasn't",
    "weren't",
    "without",
    "won't",
    "wont",
    "wouldn't",
];

/// Words that bind or forbid part of a statement. None stands for a plain negation: "not X unless Y" has one of each.
const LIMITS: [&str; 8] = [
    "disallow",
    "except",
    "forbid",
    "forbidden",
    "prevent",
    "refuse",
    "stop",
    "unless",
];

/// Pairs that contradict each other when one takes the other's place.
const OPPOSITES: [(&str, &str); 24] = [
    ("always", "never"),
    ("before", "after"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("allow", "deny"),
    ("allowed", "denied"),
    ("include", "exclude"),
    ("with", "without"),
    ("true", "false"),
    ("on", "off"),
    ("first", "last"),
    ("above", "below"),
    ("more", "less"),
    ("increase", "decrease"),
    ("add", "remove"),
    ("required", "optional"),
    ("safe", "unsafe"),
    ("valid", "invalid"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("minimum", "maximum"),
    ("min", "max"),
    ("mutable", "immutable"),
    ("public", "private"),
];

/// Words whose two sides may not be exchanged: "A before B" is not "B before A".
const ORDER: [&str; 15] = [
    "after", "before", "causes", "followed", "from", "instead", "into", "over", "precedes", "rather", "requires",
    "than", "then", "to", "until",
];

/// Tells whether two texts of nearly the same words contradict each other: one is negated and the other is not, one
/// has the opposite of the other's word, or the two sides of an order word have changed places.
pub fn is_reversal(a: &str, b: &str) -> bool {
    let (a, b) = (words(a), words(b));
    [&NEGATIONS[..], &LIMITS]
        .iter()
        .any(|list| count_of(list, &a) != count_of(list, &b))
        || has_opposites(&a, &b)
        || has_swapped_sides(&a, &b)
}

/// Lower-case words; the apostrophe is part of them, as in `don't`.
fn words(text: &str) -> Vec<String> {
    fold(&text.replace('\u{2019}', "'"))
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '_'))
        .map(|w| w.trim_matches('\''))
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
}

fn count_of(list: &[&str], words: &[String]) -> usize {
    words.iter().filter(|w| list.binary_search(&w.as_str()).is_ok()).count()
}

fn has_opposites(a: &[String], b: &[String]) -> bool {
    let count = |words: &[String], word: &str| words.iter().filter(|w| *w == word).count();
    OPPOSITES.iter().any(|(one, other)| {
        let (one_a, one_b) = (count(a, one), count(b, one));
        let (other_a, other_b) = (count(a, other), count(b, other));
        (one_a > one_b && other_a < other_b) || (one_a < one_b && other_a > other_b)
    })
}

fn has_swapped_sides(a: &[String], b: &[String]) -> bool {
    ORDER.iter().any(|marker| {
        let (Some((left_a, right_a)), Some((left_b, right_b))) = (sides(a, marker), sides(b, marker)) else {
            return false;
        };
        moved((left_a, right_a), (left_b, right_b)) && moved((right_a, left_a), (right_b, left_b))
    })
}

/// Returns what stands left and right of a marker that occurs exactly once.
fn sides<'a>(words: &'a [String], marker: &str) -> Option<(&'a [String], &'a [String])> {
    let mut found = words.iter().enumerate().filter(|(_, w)| *w == marker).map(|(at, _)| at);
    let at = found.next()?;
    found.next().is_none().then(|| (&words[..at], &words[at + 1..]))
}

/// Tells whether a word went from the first side to the second one.
fn moved(a: (&[String], &[String]), b: (&[String], &[String])) -> bool {
    let count = |words: &[String], word: &String| words.iter().filter(|w| *w == word).count();
    a.0.iter()
        .any(|word| count(a.0, word) > count(b.0, word) && count(b.1, word) > count(a.1, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_for_the_search() {
        assert!(NEGATIONS.is_sorted() && LIMITS.is_sorted());
        assert!(ORDER.is_sorted());
    }

    #[test]
    fn contradictions_are_reversals() {
        for (a, b) in [
            (
                "Always use the pool for queries in handlers",
                "Never use the pool for queries in handlers",
            ),
            (
                "Retry the upload when it fails",
                "Do not retry the upload when it fails",
            ),
            ("Don't run the tests in band", "Run the tests in band"),
            (
                "Flush the log before rename of the queue",
                "Rename the log before flush of the queue",
            ),
            ("A before B", "B before A"),
            (
                "init calls setup before connect in every worker",
                "init calls connect before setup in every worker",
            ),
            (
                "Enable strict mode in the compiler options",
                "Disable strict mode in the compiler options",
            ),
            ("Use tabs instead of spaces", "Use spaces instead of tabs"),
            (
                "Prefer composition over inheritance",
                "Prefer inheritance over composition",
            ),
            ("Build with the cache", "Build without the cache"),
            ("Run lint before the build", "Run lint after the build"),
            ("Don\u{2019}t cache the token", "Cache the token"),
            (
                "Do not retry the upload in the night",
                "Do retry the upload except in the night",
            ),
        ] {
            assert!(is_reversal(a, b), "{a} / {b}");
            assert!(is_reversal(b, a), "{b} / {a}");
        }
    }

    #[test]
    fn rewordings_are_no_reversals() {
        for (a, b) in [
            ("Always use the pool for queries", "always use the POOL for queries"),
            (
                "run lint, build and test before the release",
                "before the release run lint, build and test",
            ),
            (
                "in CI the cache is cold, never rely on it",
                "never rely on it, the cache is cold in CI",
            ),
            (
                "rename the file after the flush",
                "rename the file after the flush again",
            ),
            (
                "one two three before four five six",
                "three before four five six one two",
            ),
            (
                "one two three before four five six",
                "five six one two three before four",
            ),
        ] {
            assert!(!is_reversal(a, b), "{a} / {b}");
            assert!(!is_reversal(b, a), "{b} / {a}");
        }
    }
}
