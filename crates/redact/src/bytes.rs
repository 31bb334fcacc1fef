//! Bounded reads around a byte position, without panics.

/// Returns the bytes from `at` on; empty past the end.
pub(super) fn rest(text: &[u8], at: usize) -> &[u8] {
    text.get(at..).unwrap_or_default()
}

/// Returns at most `len` bytes before `end`.
pub(super) fn head(text: &[u8], end: usize, len: usize) -> &[u8] {
    text.get(end.saturating_sub(len)..end).unwrap_or_default()
}

/// Returns the byte before `at`; a line feed at the start of the text.
pub(super) fn before(text: &[u8], at: usize) -> u8 {
    at.checked_sub(1).and_then(|i| text.get(i)).copied().unwrap_or(b'\n')
}

/// Counts the bytes from `at` on that satisfy `is`, at most `max`.
pub(super) fn count(text: &[u8], at: usize, max: usize, is: impl Fn(u8) -> bool) -> usize {
    let len = rest(text, at).iter().take(max).take_while(|b| is(**b)).count();
    super::work::add(len + 1);
    len
}

/// Counts the bytes before `end` that satisfy `is`, at most `max`.
pub(super) fn count_back(text: &[u8], end: usize, max: usize, is: impl Fn(u8) -> bool) -> usize {
    let head = text.get(..end).unwrap_or_default();
    let len = head.iter().rev().take(max).take_while(|b| is(**b)).count();
    super::work::add(len + 1);
    len
}

pub(super) fn skip_blanks(text: &[u8], at: usize) -> usize {
    at + count(text, at, 64, |b| matches!(b, b' ' | b'\t'))
}

/// Returns the first of `texts` that occurs at `at`, ignoring ASCII case.
pub(super) fn any_at<'a>(text: &[u8], at: usize, texts: &[&'a str]) -> Option<&'a str> {
    let rest = rest(text, at);
    let stands = |one: &&&str| {
        rest.get(..one.len())
            .is_some_and(|r| r.eq_ignore_ascii_case(one.as_bytes()))
    };
    texts.iter().find(stands).copied()
}

pub(super) fn is_any(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|one| word == one.as_bytes())
}

pub(super) fn has(text: &[u8], needle: &str) -> bool {
    memchr::memmem::find(text, needle.as_bytes()).is_some()
}
