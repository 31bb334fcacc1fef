//! Doc comments and signatures, read from the lines around a definition.

use std::borrow::Cow;

use forge_memory_lattice::language::Language;

use super::found::Definition;

const DOC_BYTES_MAX: usize = 400;
const DOC_LINES_MAX: usize = 12;
const SIGNATURE_BYTES_MAX: usize = 240;
/// The openings of a docstring (PEP 257).
const DOCSTRING_QUOTES: [&[u8]; 3] = [b"\"\"\"", b"'''", b"r\"\"\""];

/// The lines of a file.
pub struct Lines<'a> {
    source: &'a [u8],
    starts: Vec<u32>,
}

impl<'a> Lines<'a> {
    /// Splits a source into lines.
    pub fn new(source: &'a [u8]) -> Self {
        let mut starts = Vec::with_capacity(source.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', source).map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX)));
        if starts.len() > 1 && starts.last().is_some_and(|last| *last as usize >= source.len()) {
            starts.pop();
        }
        Lines { source, starts }
    }

    /// Returns the number of lines.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns a line by its number from 1, without surrounding white space.
    fn line(&self, number: usize) -> &'a [u8] {
        let Some(start) = number.checked_sub(1).and_then(|at| self.starts.get(at)) else {
            return &[];
        };
        let end = self.starts.get(number).map_or(self.source.len(), |end| *end as usize);
        self.source.get(*start as usize..end).unwrap_or_default().trim_ascii()
    }

    /// Returns the text of the comment directly above a line; attributes and decorators in between are skipped.
    pub fn comment_above(&self, language: &Language, number: u32) -> Cow<'a, str> {
        let mut comment: Vec<&'a [u8]> = Vec::new();
        let mut at = number as usize;
        while at > 1 && comment.len() < DOC_LINES_MAX {
            at -= 1;
            let line = self.line(at);
            // Rust and PHP, decorators and annotations, C#.
            let is_attribute =
                line.starts_with(b"#[") || line.starts_with(b"@") || (line.starts_with(b"[") && line.ends_with(b"]"));
            if is_attribute && comment.is_empty() {
                continue;
            }
            let is_comment =
                !line.starts_with(b"#!") && language.comments.iter().any(|mark| line.starts_with(mark.as_bytes()));
            if !is_comment && !line.ends_with(b"*/") {
                break;
            }
            comment.push(line);
            if line.starts_with(b"/*") {
                break;
            }
        }
        comment.reverse();
        let mut text = String::new();
        for line in comment {
            let line = String::from_utf8_lossy(line);
            let content = line
                .trim_end_matches("*/")
                .trim_start_matches(['/', '*', '#', '-', '!', '<'])
                .trim();
            if !content.is_empty() && text.len() < DOC_BYTES_MAX {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(content);
            }
        }
        Cow::Owned(truncated(&text, DOC_BYTES_MAX).to_owned())
    }

    /// Returns the string literal at the beginning of a body that is its documentation (Python).
    pub fn docstring(&self, body: u32, end: u32) -> Cow<'a, str> {
        let bytes = self.source.get(body as usize..end as usize).unwrap_or_default();
        let bytes = bytes.trim_ascii_start();
        for quote in DOCSTRING_QUOTES {
            if let Some(rest) = bytes.strip_prefix(quote) {
                let closing = quote.strip_prefix(b"r").unwrap_or(quote);
                let to = memchr::memmem::find(rest, closing).unwrap_or(0);
                let text = String::from_utf8_lossy(rest.get(..to).unwrap_or_default());
                return Cow::Owned(truncated(&collapsed(&text), DOC_BYTES_MAX).to_owned());
            }
        }
        Cow::Borrowed("")
    }

    /// Returns the first line of a definition up to its body, including modifiers before it such as `export` or `pub
    /// async`.
    pub fn signature(&self, definition: &Definition<'_>) -> Cow<'a, str> {
        let line_start = self
            .starts
            .get(definition.start_line as usize - 1)
            .copied()
            .unwrap_or(definition.start);
        let before = self
            .source
            .get(line_start as usize..definition.start as usize)
            .unwrap_or_default();
        let is_words = before.len() < 80
            && before
                .iter()
                .all(|b| b.is_ascii_alphabetic() || b.is_ascii_whitespace() || matches!(b, b'(' | b')'));
        let from = if is_words { line_start } else { definition.start } as usize;
        let mut to = definition.body.max(definition.start) as usize;
        if definition.body >= definition.end {
            let rest = self
                .source
                .get(definition.start as usize..definition.end as usize)
                .unwrap_or_default();
            to = definition.start as usize + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        }
        to = to.min(from + 4 * SIGNATURE_BYTES_MAX);
        let text = String::from_utf8_lossy(self.source.get(from..to).unwrap_or_default());
        let collapsed = collapsed(&text);
        let line = collapsed
            .trim_end_matches(['{', ' ', ';'])
            .trim_end_matches("=>")
            .trim_end();
        Cow::Owned(truncated(line, SIGNATURE_BYTES_MAX).to_owned())
    }
}

/// Collapses white space.
fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn truncated(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().trim_end()
}
