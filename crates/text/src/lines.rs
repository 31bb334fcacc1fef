//! The beginning and the end of a text, and texts on one line.

use forge_memory_redact::hidden::show_hidden;

use super::controls::clean;

/// Returns the beginning of a text: at most so many bytes, without a part of a character.
pub fn head(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Returns the end of a text: at most so many bytes, without a part of a character.
pub fn tail(text: &str, max: usize) -> &str {
    let mut start = text.len().saturating_sub(max);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

/// Makes one line of a text: every run of white space becomes one space.
pub fn one_line(text: &str) -> String {
    joined(text.split_whitespace())
}

/// Makes one line of untrusted text: control sequences are removed, and characters that hide or reorder text are shown as escapes.
pub fn clean_line(text: &str) -> String {
    one_line(&clean(text))
}

/// The same for a text of an answer: control characters separate words, so that they are seen to be missing.
pub fn shown_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace());
    show_hidden(&joined(words.filter(|word| !word.is_empty()))).into_owned()
}

fn joined<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!((head("größe", 3), tail("größe", 3)), ("gr", "ße"));
        assert_eq!((head("größe", 4), tail("größe", 99)), ("grö", "größe"));
        assert_eq!((head("", 3), tail("🚀", 3)), ("", ""));
    }

    #[test]
    fn one_line_has_no_line_end_and_no_control_character() {
        assert_eq!(one_line(" a\n\tb\u{a0}c "), "a b c");
        assert_eq!(clean_line("a\u{1b}[31mb\nc"), "ab c");
        assert_eq!(shown_line("a\u{1b}b\u{202e}c"), "a b\\u{202e}c");
    }
}
