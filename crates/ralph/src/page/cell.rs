//! Stored text on a line of its own: no control character, no line break, no more columns than there is room for.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use forge_memory_redact::hidden::show_hidden;

const SPACES: &str = "                                                                ";

/// Returns a text on one line, with every run of white space as one space, and what a terminal would act upon as an
/// escape such as `\u{1b}`.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split(char::is_whitespace).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match show_hidden(&line) {
        Cow::Borrowed(_) => Cow::Owned(line),
        Cow::Owned(shown) => Cow::Owned(shown),
    }
}

/// Nothing to do: printable ASCII without spaces at an end or side by side. Without an early end these loops are done
/// many bytes at a time.
fn is_plain(text: &[u8]) -> bool {
    let [first, rest @ ..] = text else { return true };
    let odd = text.iter().fold(false, |odd, byte| odd | !(0x20..0x7f).contains(byte));
    let pair = text
        .iter()
        .zip(rest)
        .fold(false, |pair, (a, b)| pair | ((*a == b' ') & (*b == b' ')));
    !odd && !pair && *first != b' ' && text.last() != Some(&b' ')
}

/// Returns how many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Appends a text of at most `room` columns; a longer one ends with an ellipsis. Returns how many columns it takes.
pub(super) fn push_cut(out: &mut String, text: &str, room: usize) -> usize {
    let whole = width(text);
    if whole <= room {
        out.push_str(text);
        return whole;
    }
    let (start, mut used) = (out.len(), 0);
    for c in text.chars() {
        let columns = c.width().unwrap_or(0);
        if used + columns + 1 > room {
            break;
        }
        out.push(c);
        used += columns;
    }
    let kept = start + out[start..].trim_end_matches(' ').len();
    used -= out.len() - kept;
    out.truncate(kept);
    out.push('\u{2026}');
    used + 1
}

/// Appends so many spaces.
pub(super) fn push_spaces(out: &mut String, mut count: usize) {
    while count > SPACES.len() {
        out.push_str(SPACES);
        count -= SPACES.len();
    }
    out.push_str(&SPACES[..count]);
}
