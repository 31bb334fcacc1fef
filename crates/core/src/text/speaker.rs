//! Turns of talk: texts that begin with their speaker, such as `Ann: I will look at it`. Each means little without the others, and an
//! embedding model, which sees one at a time, does not know its subject.

/// The longest name of a speaker, in bytes and in words.
const NAME_BYTES_MAX: usize = 40;
const NAME_WORDS_MAX: usize = 3;
/// Texts are talk if there are at least so many, and so many of them on average by each of their speakers.
const TURNS_MIN: usize = 8;
const TURNS_EACH: usize = 4;

/// Returns the speaker of a text that begins with one.
pub fn speaker_of(text: &str) -> Option<&str> {
    let (name, said) = text.split_once(':')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '\'');
    let is_short = !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.split(' ').count() <= NAME_WORDS_MAX;
    (is_short && name.chars().all(is_name) && said.starts_with([' ', '\n'])).then_some(name)
}

/// True if texts are turns of talk: most begin with a speaker, and a few speakers say all of it. Labels of notes (`Note: ...`,
/// `Payment service: ...`) are many.
pub fn are_talk(speakers: &[Option<&str>]) -> bool {
    let mut said: Vec<&str> = speakers.iter().copied().flatten().collect();
    let turns = said.len();
    said.sort_unstable();
    said.dedup();
    speakers.len() >= TURNS_MIN && 2 * turns > speakers.len() && TURNS_EACH * said.len() <= turns
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
        assert!(!are_talk(&[None; 10]));
        assert!(!are_talk(&[]));
    }
}
