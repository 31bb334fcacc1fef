//! Passages: overlapping windows of a long text, each short enough for the embedding model. The similarity of a text is
//! that of its nearest passage (MaxP: Dai and Callan, "Deeper text understanding for IR with contextual neural language
//! modeling", 2019).

use super::tokenization::{Class, class_of};

/// The number of words per passage.
const WORDS: usize = 150;
/// The maximum of estimated tokens per passage: embedding models truncate after 256 tokens.
const TOKENS_MAX: usize = 240;
/// The overlap, as a fraction of a passage (one third), so that a sentence at the end of a passage is complete in one
/// of them.
const OVERLAP: usize = 3;
/// The maximum number of passages per text; later ones are not embedded.
const PASSAGES_MAX: usize = 192;
/// The estimated number of letters per token.
const LETTERS_OF_TOKEN: usize = 6;

/// A word: its position, and its estimated number of tokens.
struct Word {
    start: usize,
    end: usize,
    tokens: usize,
}

/// Returns the passages of a text; a short one is one passage, and an empty one has none.
pub fn passages(text: &str) -> Vec<&str> {
    let words = cut(text);
    let (mut found, mut from) = (Vec::new(), 0);
    while found.len() < PASSAGES_MAX {
        let Some(rest) = words.get(from..).filter(|rest| !rest.is_empty()) else {
            break;
        };
        let count = count_fitting(rest);
        let ends = rest.first().zip(rest.get(..count).and_then(<[Word]>::last));
        found.extend(ends.and_then(|(first, last)| text.get(first.start..last.end)));
        if count >= rest.len() {
            break;
        }
        from += (count - count / OVERLAP).max(1);
    }
    found
}

/// Returns the number of words that fit into a passage: at least one.
fn count_fitting(words: &[Word]) -> usize {
    let mut tokens = 0;
    let fits = |word: &&Word| {
        tokens += word.tokens;
        tokens <= TOKENS_MAX
    };
    words.iter().take(WORDS).take_while(fits).count().max(1)
}

/// Splits a text at white space, and between characters of scripts without it.
fn cut(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open: Option<Word> = None;
    // The length of the current run of letters or digits.
    let mut run = 0;
    for (at, c) in text.char_indices() {
        let class = class_of(c);
        if c.is_whitespace() || class == Class::Spaceless {
            words.extend(open.take());
            run = 0;
        }
        if c.is_whitespace() {
            continue;
        }
        let end = at + c.len_utf8();
        let word = open.get_or_insert(Word {
            start: at,
            end,
            tokens: 0,
        });
        word.end = end;
        run = if class == Class::Word { run + 1 } else { 0 };
        word.tokens += usize::from(run % LETTERS_OF_TOKEN <= 1 && run != LETTERS_OF_TOKEN);
        if class == Class::Spaceless {
            words.extend(open.take());
        }
    }
    words.extend(open);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_passage_and_an_empty_one_none() {
        assert_eq!(
            passages("  Jest needs --runInBand on Windows.\n"),
            ["Jest needs --runInBand on Windows."]
        );
        assert!(passages(" \n").is_empty());
        assert!(passages("").is_empty());
    }

    #[test]
    fn passages_overlap_and_leave_nothing_out() {
        let words: Vec<String> = (0..1000).map(|number| format!("word{number}")).collect();
        let text = words.join(" ");
        let found = passages(&text);
        assert!(found.len() >= 7, "{}", found.len());
        assert!(found.iter().all(|passage| passage.split(' ').count() <= WORDS));
        for pair in words.windows(20) {
            let pair = pair.join(" ");
            assert!(found.iter().any(|passage| passage.contains(&pair)), "{pair}");
        }
    }

    #[test]
    fn scripts_without_spaces_and_long_words_are_cut_too() {
        let chinese = "数据库连接超时".repeat(100);
        assert!(passages(&chinese).len() > 2);
        let hashes = "3f786850e387550fdab836ed7e6dc881de23001b ".repeat(200);
        assert!(passages(&hashes).iter().all(|passage| passage.len() < 2200));
        let one = "x".repeat(60_000);
        assert_eq!(passages(&one), [one.as_str()]);
    }

    #[test]
    fn the_longest_text_has_a_bounded_number_of_passages() {
        assert_eq!(passages(&". ".repeat(400_000)).len(), PASSAGES_MAX);
    }
}
