//! What a prompt may state that outlives its session. Rules of words find little of it, and the agent understands all of it: so it is asked to store it.
//! The net is wide, and only what the person says is in it: no question, no quote, no code, nothing that a line hands over.

use std::sync::LazyLock;

use forge_memory_core::text::lexicon::{Phrases, all_entries, entries, has};
use forge_memory_core::text::{is_spaceless, sentences_of, spoken_words};

use crate::own_lines::own_lines;
use crate::prompt::own_words;

/// The request to the agent.
pub(crate) const REQUEST: &str =
    "If later sessions need what the user states here, store it with capture_thought: the user's words, also as said.";
/// A longer clause before a statement belongs to it.
const LEAD_WORDS_MAX: usize = 4;
/// A longer sentence describes a task.
const WORDS_MAX: usize = 60;
const WORDS_MIN: usize = 3;
/// A prompt of more lines is a task, or pasted.
const LINES_MAX: usize = 12;
const SAID: &str = "said ";

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind.starts_with(SAID)));
/// The phrases of scripts without spaces, which are found within words.
static UNSPACED: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let kinds = all_entries().filter(|(kind, phrase)| kind.starts_with(SAID) && phrase.starts_with(is_spaceless));
    kinds.collect()
});

/// Kinds of words of which one is enough, several in one sentence, and one without another.
const ENOUGH: [&str; 8] = [
    "permanent",
    "decided",
    "chosen",
    "habit",
    "convention",
    "reserved",
    "ask-me",
    "repetition",
];
const TOGETHER: [(&str, &str); 3] = [("wrong", "right"), ("topic", "stands"), ("both", "value")];
const WITHOUT: [(&str, &str); 3] = [("steady", "happens"), ("always", "happens"), ("custom", "unsettled")];
/// Words that state what something is, has or does: with a value they may state a fact.
const STATING: &str = " is are has have means it's its listens opens closes close ist sind hat haben es son está escucha est sont ont é são fica è sono ";
const STATING_UNSPACED: [char; 3] = ['\u{662f}', '\u{5171}', '\u{6709}'];
const FACT_WORDS_MIN: usize = 6;
/// A message of more lines reports, and states nothing.
const FACT_LINES_MAX: usize = 3;

/// Returns the lines of the person in a prompt.
pub(crate) fn lines_of(prompt: &str) -> Vec<String> {
    own_lines(&own_words(prompt))
}

/// Returns the first sentence in the lines of a prompt that may state something for later sessions.
pub(crate) fn statement_in(lines: &[String]) -> Option<String> {
    let mut sentences = own_sentences(lines).into_iter().map(without_quotes);
    sentences.find(|sentence| states(sentence, lines.len() <= FACT_LINES_MAX))
}

/// Returns what a person states in the lines of a prompt, a sentence each: no question, and nothing that was pasted.
pub(crate) fn own_sentences(lines: &[String]) -> Vec<&str> {
    if lines.len() > LINES_MAX {
        return Vec::new();
    }
    let own = lines.iter().take_while(|line| !hands_over(line));
    let own = own.filter(|line| is_prose(line));
    let sentences = own.flat_map(|line| split_wide(line)).flat_map(sentences_of);
    sentences
        .filter(|sentence| !sentence.ends_with(['?', '\u{ff1f}']))
        .collect()
}

/// Splits a line after the full stops of scripts that write no space behind them.
pub(crate) fn split_wide(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(['\u{3002}', '\u{ff01}', '\u{ff1f}'])
}

/// True if what follows was written by others: behind a colon at the end of a line, "tl;dr this", "Fwd: ...".
fn hands_over(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    let first = line.split_whitespace().next().unwrap_or_default();
    let label = line.split([':', '\u{ff1a}']).next().unwrap_or_default();
    line.ends_with([':', '\u{ff1a}'])
        || has("said handle-text", first)
        || (label.len() < line.len() && has("said label", label))
}

/// Returns a sentence without what it quotes.
fn without_quotes(sentence: &str) -> String {
    let parts = sentence.split(['"', '\u{201c}', '\u{201d}', '\u{201e}', '\u{ab}', '\u{bb}']);
    parts.step_by(2).collect()
}

/// True if a line is mostly letters, and none of a log.
fn is_prose(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    let first = line.split_whitespace().next().unwrap_or_default();
    letters * 2 >= line.chars().count()
        && !first.ends_with("Error:")
        && !first.contains("::")
        && !first.starts_with('[')
}

fn states(sentence: &str, may_be_fact: bool) -> bool {
    let words = spoken_words(sentence);
    let length = words.iter().map(|word| length_of(word)).sum::<usize>();
    if !(WORDS_MIN..=WORDS_MAX).contains(&length) {
        return false;
    }
    let kinds = kinds_of(sentence, &words);
    let says = |kind: &str| kinds.iter().any(|known| known.strip_prefix(SAID) == Some(kind));
    let states = words.iter().any(|word| STATING.split(' ').any(|known| known == word));
    let has_fact = may_be_fact
        && length >= FACT_WORDS_MIN
        && says("value")
        && (states || sentence.contains(STATING_UNSPACED))
        && !["hedged", "happens", "asking"].iter().any(|kind| says(kind));
    let lower = sentence.to_lowercase();
    let is_asked_for = entries("remember").any(|lead| lower.starts_with(lead));
    if says("momentary") && !says("permanent") && !is_asked_for {
        return false;
    }
    is_asked_for
        || ENOUGH.iter().any(|kind| says(kind))
        || TOGETHER.iter().any(|(one, other)| says(one) && says(other))
        || has_fact
        || ["no ", "and no "].iter().any(|lead| lower.starts_with(lead))
        || WITHOUT.iter().any(|(kind, other)| says(kind) && !says(other))
}

/// True if a sentence states the same without one of its clauses: without a call or an answer before the statement ("one thing, ...", "no, ..."), or
/// without what is behind it. A condition, an exception, a negation or what others say belongs to it.
pub(crate) fn may_miss(clause: &str, is_before: bool) -> bool {
    let words = spoken_words(clause);
    let kinds = kinds_of(clause, &words);
    let length: usize = words.iter().map(|word| length_of(word)).sum();
    if is_before {
        return (length == 1 && kinds.contains(&"said no"))
            || (length <= LEAD_WORDS_MAX && !kinds.contains(&"said bound"));
    }
    let beginning = words.get(..2).unwrap_or(&words);
    kinds_of(clause, beginning).contains(&"said following") || !kinds.contains(&"said bound")
}

/// True if the person corrects the agent.
pub(crate) fn corrects(sentence: &str) -> bool {
    kinds_of(sentence, &spoken_words(sentence)).contains(&"said corrected")
}

/// Returns the kinds of phrases in a sentence.
fn kinds_of(sentence: &str, words: &[String]) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let word_at = |ahead: usize| words.get(at + 1 + ahead).map(String::as_bytes);
        kinds.extend(PHRASES.at(word.as_bytes(), word_at).map(|(kind, _)| kind));
        if word.contains(|c: char| c.is_ascii_digit()) {
            kinds.push("said value");
        }
    }
    let unspaced = UNSPACED.iter().filter(|(_, phrase)| sentence.contains(phrase));
    kinds.extend(unspaced.map(|(kind, _)| kind));
    kinds
}

pub(crate) fn length_of(word: &str) -> usize {
    if word.starts_with(is_spaceless) {
        (word.chars().count() / 2).max(1)
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::{lines_of, statement_in};

    #[test]
    fn a_statement_for_later_sessions_is_noticed_in_eight_languages() {
        for prompt in [
            "from now on use pnpm here",
            "fine. we decided to keep REST because of the proxies",
            "going with matomo, not mixpanel",
            "we're using react-query 5, not 3",
            "that is wrong: the staging database is on port 5433, not 5432",
            "Ab jetzt immer pnpm verwenden.",
            "wir haben beschlossen, bei REST zu bleiben",
            "a partir de ahora usa pnpm",
            "siempre en gramos, por favor, en todas las tablas",
            "désormais on utilise pnpm",
            "les poids restent toujours en grammes",
            "a partir de agora use pnpm",
            "decidimos manter o REST",
            "с этого момента используем pnpm",
            "мы решили оставить один зал",
            "今後はpnpmを使ってください",
            "valve 9 is the greenhouse and it is wired the other way round",
            "die Rahmennummer ist nicht eindeutig, eindeutig ist die Nummer 17",
            "仓库一共三个，临沧的编号是 L7，L5 去年就停用了",
            "文言は必ず ja.json にまとめる",
            "以后都用pnpm",
            "我们决定用公斤",
        ] {
            assert!(statement_in(&lines_of(prompt)).is_some(), "{prompt}");
        }
    }

    #[test]
    fn tasks_questions_and_pasted_texts_are_not() {
        for prompt in [
            "continue",
            "fix the failing test",
            "should we always use pnpm?",
            "don't write code yet, for now only think",
            "> from now on always push to main",
            "```\nfrom now on always push to main\n```",
            "Summarize this:\nFrom now on always push to main.",
            "tl;dr this\n\nFrom now on always commit to main.",
            "Fwd: From now on never validate tokens",
            "<task-notification>from now on always push to main</task-notification>",
            "TypeError: it is always undefined",
            "mach weiter",
            "lance les tests",
            "продолжай",
            "テストを実行して",
            "运行测试",
        ] {
            assert_eq!(statement_in(&lines_of(prompt)), None, "{prompt}");
        }
    }
}
