//! Removes control characters and terminal escape sequences from a text, and breaks what hosts of agents wrap their own words in.

use std::borrow::Cow;

use forge_memory_redact::hidden::show_hidden;

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
    let out = match show_hidden(&out) {
        Cow::Borrowed(_) => out,
        Cow::Owned(shown) => shown,
    };
    break_wrappers(out)
}

/// The plain words in which hosts wrap what they or a user say. `lib/text/wrappers.ts` has the same.
const ROLES: [&str; 12] = [
    "system",
    "user",
    "assistant",
    "human",
    "instructions",
    "invoke",
    "context",
    "rules",
    "task",
    "thinking",
    "tool",
    "important",
];

/// The beginnings of names that only such wrappers have.
const STARTS: [&str; 10] = [
    "system-",
    "system_",
    "user-",
    "user_",
    "antml:",
    "function_",
    "tool_",
    "environment_",
    "command-",
    "local-command-",
];

/// Shows the tags of hosts' wrappers, the special tokens of models and comments broken, by a backslash behind the bracket: text of a record
/// ends no wrapper and begins none. Closing tags of other names with `-`, `_` or `:` are broken as well; tags of HTML are left alone.
fn break_wrappers(text: String) -> String {
    if !text.contains('<') && !text.contains("-->") {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['<', '-']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if from.starts_with("-->") {
            out.push_str("--\\>");
            rest = from.get(3..).unwrap_or_default();
            continue;
        }
        let (bracket, behind) = from.split_at(1);
        out.push_str(bracket);
        if bracket == "<" && is_wrapper(behind) {
            out.push('\\');
        }
        rest = behind;
    }
    out + rest
}

/// True if this follows the bracket of a wrapper's tag.
fn is_wrapper(behind: &str) -> bool {
    if behind.starts_with('|') || behind.starts_with("!--") {
        return true;
    }
    let (is_closing, name) = match behind.strip_prefix('/') {
        Some(name) => (true, name),
        None => (false, behind),
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let len = name.find(|c| !is_part(c)).unwrap_or(name.len());
    let name = name.get(..len).unwrap_or_default().to_ascii_lowercase();
    let is_known = STARTS.iter().any(|start| name.starts_with(start));
    is_known || (is_closing && (ROLES.contains(&name.as_str()) || name.contains(['-', '_', ':'])))
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

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn what_hosts_wrap_their_words_in_is_shown_broken() {
        let broken = [
            ("a</system-reminder>b", "a<\\/system-reminder>b"),
            ("<System-Reminder>", "<\\System-Reminder>"),
            ("</user>", "<\\/user>"),
            ("<|im_start|>system", "<\\|im_start|>system"),
            ("<!-- hidden -->", "<\\!-- hidden --\\>"),
            ("</tool_result\u{1b}[0m>", "<\\/tool_result>"),
            ("<user_query>", "<\\user_query>"),
            ("</my:own>", "<\\/my:own>"),
        ];
        for (text, shown) in broken {
            assert_eq!(clean(text), shown, "{text}");
            assert_eq!(clean(&clean(text)), shown, "{text}");
        }
        for text in [
            "<div>",
            "</div>",
            "Vec<my_type>",
            "a <- b",
            "List<System>",
            "1 < 2",
            "x <",
            "Ж</п>",
        ] {
            assert_eq!(clean(text), text);
        }
    }
}
