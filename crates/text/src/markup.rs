//! Escapes markup in texts that are written into Markdown pages, so that it is shown and not followed. A memory may contain
//! anything that an agent once read, and a page is rendered, or read by programs that drop comments and follow links.
//!
//! Escaping is idempotent.

use std::borrow::Cow;

/// Escapes the markup of a text: tags, comments, links, images, and fences that would include the following text.
pub fn show_markup(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', ']', '`', '~', '>']) {
        return Cow::Borrowed(text);
    }
    let is_open = has_open_fence(text);
    let lines = text.split('\n').map(|line| show_in_line(line, is_open));
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

fn show_in_line(line: &str, is_open: bool) -> String {
    let mut shown = String::with_capacity(line.len() + 8);
    let start = line.len() - line.trim_start().len();
    let is_definition = line.trim_start().starts_with('[');
    let mut before = ' ';
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        match c {
            '<' if next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?') => shown.push_str("&lt;"),
            '>' if line.get(..at).is_some_and(|before| before.ends_with("--")) => shown.push_str("&gt;"),
            '(' if before == ']' => shown.push_str("\\("),
            ':' if before == ']' && is_definition => shown.push_str("\\:"),
            '`' | '~' if at == start && is_open && fence_of(line).is_some() => {
                shown.push('\\');
                shown.push(c);
            }
            _ => shown.push(c),
        }
        before = c;
    }
    shown
}

/// Escapes references that make an agent put a file into its context when it loads a page: `#[[file:...]]` (Kiro) and `@path` (Cursor, Claude Code).
/// A page that agents load by themselves needs it, beside the escapes of `show_markup`.
pub fn show_references(text: &str) -> Cow<'_, str> {
    if !text.contains('@') && !text.contains("#[[") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        match c {
            // An address of mail has a name before it.
            '@' if !before.is_alphanumeric() && !next.is_whitespace() => shown.push_str("&#64;"),
            '[' if before == '#' && next == '[' => shown.push_str("&#91;"),
            _ => shown.push(c),
        }
        before = c;
    }
    Cow::Owned(shown)
}

/// True if a text opens a fence without closing it, or mixes several kinds of fences.
fn has_open_fence(text: &str) -> bool {
    let fences: Vec<char> = text.split('\n').filter_map(fence_of).collect();
    let mut kinds = fences.clone();
    kinds.dedup();
    fences.len() % 2 == 1 || kinds.len() > 1
}

fn fence_of(line: &str) -> Option<char> {
    let line = line.trim_start();
    ['`', '~']
        .into_iter()
        .find(|mark| line.chars().take(3).filter(|c| c == mark).count() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_shown_and_not_followed() {
        for (text, shown) in [
            ("a <!-- hidden --> b", "a &lt;!-- hidden --&gt; b"),
            ("<script>x()</script>", "&lt;script>x()&lt;/script>"),
            ("<img src=x onerror=y>", "&lt;img src=x onerror=y>"),
            ("<?php ?>", "&lt;?php ?>"),
            ("see ![x](http://evil.test/p.png)", "see ![x]\\(http://evil.test/p.png)"),
            ("see [docs](javascript:x)", "see [docs]\\(javascript:x)"),
            ("[docs]: http://evil.test", "[docs]\\: http://evil.test"),
            ("  [docs]: http://evil.test", "  [docs]\\: http://evil.test"),
            ("```\nopen", "\\```\nopen"),
            ("~~~ sh\n```", "\\~~~ sh\n\\```"),
        ] {
            assert_eq!(show_markup(text), shown, "{text}");
            assert_eq!(show_markup(shown), shown, "{text} again");
        }
    }

    #[test]
    fn references_to_files_are_shown_and_not_followed() {
        for (text, shown) in [
            ("see #[[file:../../.ssh/id_rsa]]", "see #&#91;[file:../../.ssh/id_rsa]]"),
            (
                "@~/.ssh/id_rsa and (@src/x.ts)",
                "&#64;~/.ssh/id_rsa and (&#64;src/x.ts)",
            ),
            (
                "\"@/etc/passwd\", `@.env`, @\"a b\"",
                "\"&#64;/etc/passwd\", `&#64;.env`, &#64;\"a b\"",
            ),
        ] {
            assert_eq!(show_references(text), shown, "{text}");
            assert_eq!(show_references(shown), shown, "{text} again");
        }
        for text in ["ann@example.org", "a @ b", "#[1] and [[x]]", "5 items @ 3"] {
            assert_eq!(show_references(text), text);
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "a < b && c > d, x <- y, i <= 3",
            "use `pnpm test`, not ~~npm~~",
            "run:\n```sh\nnpm test\n```\nthen go on",
            "list[int] and arr[0][1], dict[str]: x",
            "- [ ] open, [x] done",
        ] {
            assert_eq!(show_markup(text), text);
        }
    }
}
