//! Removes control characters and terminal escape sequences from a text.

use std::borrow::Cow;

use crate::hidden::show_hidden;

/// Removes terminal escape sequences completely (not only their first character), and all other control characters;
/// characters that reorder or hide text are shown as escapes.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' | '\u{9b}' => skip_sequence(c, &mut chars),
            '\n' => out.push('\n'),
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}' => {
                if !(c == '\r' && chars.peek() == Some(&'\n')) {
                    out.push('\n');
                }
            }
            '\t' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    match show_hidden(&out) {
        Cow::Borrowed(_) => out,
        Cow::Owned(shown) => shown,
    }
}

fn skip_sequence(start: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let kind = if start == '\u{9b}' {
        Some('[')
    } else {
        chars.next_if(|c| *c != '\n')
    };
    match kind {
        Some('[') => {
            while chars.next_if(|c| matches!(c, '\u{20}'..='\u{3f}')).is_some() {}
            chars.next_if(|c| matches!(c, '\u{40}'..='\u{7e}'));
        }
        Some(']' | 'P' | '^' | '_' | 'X') => {
            // Up to the bell or the string terminator, but not past the line: an unterminated sequence must not
            // swallow the rest.
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' || c == '\u{9c}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {}
    }
}
