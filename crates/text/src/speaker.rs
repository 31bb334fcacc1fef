//! Turns of talk: texts that begin with their speaker, such as `Ann: I will look at it`. Each means little without the others, and an
//! embedding model, which sees one at a time, does not know its subject.
//!
//! What answers a question is said by the person whom it names, has a time or a number where it asks for one, and seldom asks something itself.

use std::sync::LazyLock;

use super::lexicon::{has, is_stop_word};
use super::sayings::Sayings;
use super::tokenization::{runs_of, sentences_of};
use super::{counted_words, fold};

/// The factor of a turn that only asks, of one whose speaker the query names, of one with the kind of answer that the query wants, and of a short one.
const ASKS: f64 = 0.7;
const NAMED: f64 = 1.15;
const ANSWERS: f64 = 1.15;
const SHORT: f64 = 0.85;
/// A turn with fewer words that are no stop words is short.
const WORDS_MIN: usize = 5;

/// The longest name of a speaker, in bytes and in words.
const NAME_BYTES_MAX: usize = 40;
const NAME_WORDS_MAX: usize = 3;
/// Texts are talk if there are at least so many, and so many of them on average by each of their speakers.
const TURNS_MIN: usize = 8;
const TURNS_EACH: usize = 4;
/// In their sessions, each says so many in `TURNS_EACH` of those that were found and the ones beside them.
const TURNS_OF_SESSION: usize = 5;

/// Returns the speaker of a text that begins with one.
pub fn speaker_of(text: &str) -> Option<&str> {
    let (name, said) = text.split_once(':')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '\'');
    let is_short = !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.split(' ').count() <= NAME_WORDS_MAX;
    (is_short && name.chars().all(is_name) && said.starts_with([' ', '\n'])).then_some(name)
}

/// True if texts are turns of talk: most begin with a speaker, and a few speakers say all of it. Labels of notes (`Note: ...`,
/// `Payment service: ...`) are many.
pub fn are_talk<S: AsRef<str>>(speakers: &[Option<S>]) -> bool {
    let mut said: Vec<&str> = speakers.iter().flatten().map(S::as_ref).collect();
    let turns = said.len();
    said.sort_unstable();
    said.dedup();
    speakers.len() >= TURNS_MIN && 2 * turns > speakers.len() && TURNS_EACH * said.len() <= turns
}

/// True if texts of sessions are turns of talk: most begin with a speaker, and on average each speaker of a session says more than one of them.
pub fn are_talk_of_sessions<K: Ord + Copy, S: AsRef<str>>(texts: &[(K, Option<S>)]) -> bool {
    let said = texts
        .iter()
        .filter_map(|(session, speaker)| Some((*session, speaker.as_ref()?.as_ref())));
    let mut said: Vec<(K, &str)> = said.collect();
    let turns = said.len();
    said.sort_unstable();
    said.dedup();
    4 * turns > 3 * texts.len() && TURNS_EACH * turns >= TURNS_OF_SESSION * said.len()
}

static ASKS_TIME: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("asks-time"));
static ASKS_NUMBER: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("asks-number"));
static TIMES: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("time"));
static NUMERALS: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("numeral"));

/// A query that is asked of turns.
#[derive(Debug)]
pub struct Asked {
    query: String,
    wants_time: bool,
    wants_number: bool,
}

impl Asked {
    /// Reads a query.
    pub fn of(query: &str) -> Self {
        let query = query.to_lowercase();
        let words = runs_of(&query);
        Asked {
            wants_time: ASKS_TIME.are_in(&query, &words),
            wants_number: ASKS_NUMBER.are_in(&query, &words),
            query,
        }
    }

    /// Returns the factor of a text; 1 if it is no turn.
    pub fn factor(&self, text: &str) -> f64 {
        let Some(speaker) = speaker_of(text) else { return 1.0 };
        let said = text.get(speaker.len() + 1..).unwrap_or_default().to_lowercase();
        let mut factor = 1.0 - (1.0 - ASKS) * share_of_questions(&said);
        if self.names(speaker) {
            factor *= NAMED;
        }
        if self.is_answered(&said) {
            factor *= ANSWERS;
        }
        let words = counted_words(&said).into_iter().filter(|(word, _)| !is_stop_word(word));
        if words.map(|(_, count)| count as usize).sum::<usize>() < WORDS_MIN {
            factor *= SHORT;
        }
        factor
    }

    /// True if the query names a speaker by a part of the name. `user` and `assistant` are no names.
    fn names(&self, speaker: &str) -> bool {
        let of_query = counted_words(&self.query);
        let is_named = |word: &(String, u32)| {
            let (word, _) = word;
            word.chars().count() > 1 && !has("role", word) && of_query.iter().any(|(other, _)| other == word)
        };
        let name = fold(speaker);
        counted_words(speaker).iter().any(is_named) || (!name.is_ascii() && self.query.contains(&name))
    }

    /// True if a text has a time, or a number, and the query asks for one.
    fn is_answered(&self, said: &str) -> bool {
        let words = runs_of(said);
        let is_numeral = |word: &&str| word.starts_with(char::is_numeric);
        (self.wants_time && (TIMES.are_in(said, &words) || words.iter().any(|word| is_year(word))))
            || (self.wants_number && (words.iter().any(is_numeral) || NUMERALS.are_in(said, &words)))
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the share of sentences that ask.
fn share_of_questions(said: &str) -> f64 {
    let plain = said.replace('？', "? ").replace('。', ". ").replace('！', "! ");
    let sentences: Vec<&str> = plain.lines().flat_map(sentences_of).collect();
    let asking = sentences.iter().filter(|sentence| sentence.ends_with('?')).count();
    asking as f64 / sentences.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_with_who_says_it() {
        assert_eq!(speaker_of("Ann Lee: weekend incoming!"), Some("Ann Lee"));
        assert_eq!(speaker_of("assistant:\nDone."), Some("assistant"));
        for text in [
            "",
            ": x",
            "see https://example.org: it",
            "http://x",
            "a b c d: x",
            "no colon",
            "key:value",
        ] {
            assert_eq!(speaker_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_turn_counts_by_what_is_asked_of_it() {
        let long = "we put the blue sofa near that big window";
        for (query, text, factor) in [
            ("what colour is the sofa", format!("Ann: {long}"), 1.0),
            ("what colour is the sofa of Ann", format!("Ann Lee: {long}"), NAMED),
            ("小明的沙发在哪里", format!("小明: {long}"), NAMED),
            ("what did the user want", format!("user: {long}"), 1.0),
            ("when did they buy it", format!("Ann: {long} last week"), ANSWERS),
            ("when did they buy it", format!("Ann: {long} in 2021"), ANSWERS),
            ("when did they buy it", format!("Ann: {long}"), 1.0),
            ("how many sofas", format!("Ann: {long}, two of them"), ANSWERS),
            ("how old is it", format!("Ann: {long} 30 years"), ANSWERS),
            ("what colour", format!("Ann: {long}? {long}."), 1.0 - (1.0 - ASKS) / 2.0),
            ("what colour", format!("Ann: {long}？"), ASKS),
            ("what colour", "Ann: it is blue.".to_owned(), SHORT),
            ("what colour", "the blue one".to_owned(), 1.0),
        ] {
            let found = Asked::of(query).factor(&text);
            assert!((found - factor).abs() < 1e-9, "{query} {text}: {found}, not {factor}");
        }
        for (query, text) in [
            (
                "Wann kam sie an?",
                "Ann: Sie kam gestern mit dem späten Zug aus Hamburg an.",
            ),
            ("¿Cuándo llegó?", "Ann: Llegó ayer por la noche con toda la familia."),
            (
                "Quand est-elle arrivée ?",
                "Ann: Elle est arrivée hier soir avec toute la famille.",
            ),
            (
                "Quando ela chegou?",
                "Ann: Ela chegou ontem à noite com toda a família.",
            ),
            (
                "Когда она приехала?",
                "Ann: Она приехала вчера вечером вместе со всей семьёй.",
            ),
            ("彼女はいつ着きましたか", "Ann: 昨日の夜に家族と一緒に着きました。"),
            ("她什么时候到的", "Ann: 她昨天晚上和家人一起到了。"),
            (
                "Wie viele Gäste kamen?",
                "Ann: Es kamen zwanzig Gäste aus ganz Hamburg zum Fest.",
            ),
            (
                "¿Cuántos invitados vinieron?",
                "Ann: Vinieron veinte invitados de toda la ciudad.",
            ),
            (
                "Combien d'invités ?",
                "Ann: Il y avait vingt invités venus de toute la ville.",
            ),
            (
                "Quantos convidados vieram?",
                "Ann: Vieram vinte convidados de toda a cidade.",
            ),
            (
                "Сколько пришло гостей?",
                "Ann: Пришло двадцать гостей со всего города на праздник.",
            ),
            ("何人来ましたか", "Ann: 町中から二十人のお客さんが来ました。"),
            ("来了多少客人", "Ann: 全城来了二十位客人参加聚会。"),
        ] {
            assert!(Asked::of(query).factor(text) > 1.0, "{query} {text}");
        }
    }

    #[test]
    fn few_speakers_say_many_turns_and_labels_of_notes_are_many() {
        let talk: Vec<Option<&str>> = (0..10).map(|at| Some(["Ann", "Bo"][at % 2])).collect();
        assert!(are_talk(&talk));
        assert!(!are_talk(&talk[..6]), "too few to tell");
        let labels = [
            "Note",
            concat!("TO", "DO"),
            "Payment service",
            "CI",
            "Docs",
            "Auth",
            "Build",
            "Cache",
            "Queue",
            "UI",
        ];
        assert!(!are_talk(&labels.map(Some)));
        let sessions = [
            (1, Some("Ann")),
            (1, Some("Bo")),
            (1, Some("Ann")),
            (2, Some("Eve")),
            (2, Some("Eve")),
        ];
        assert!(are_talk_of_sessions(&sessions));
        assert!(!are_talk_of_sessions(&[
            (1, Some("Note")),
            (1, Some("Cause")),
            (2, Some("Note"))
        ]));
        assert!(!are_talk_of_sessions(&[(1, Some("Ann")), (1, None), (1, Some("Ann"))]));
        assert!(!are_talk(&[None::<&str>; 10]));
        assert!(!are_talk::<&str>(&[]));
    }
}
