//! Marks by which an agent asks to remember a lesson: a line of its own, `[remember] text` or `[remember:gotcha] text`.

use forge_memory_core::frame::unframe;
use serde::{Deserialize, Serialize};

use crate::own_lines::own_lines;

/// Something that the agent marked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The type; without one it is a lesson.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    pub body: String,
}

const MARKS_MAX: usize = 20;
const KIND_MAX: usize = 64;
const SIGN: &str = "[remember";

/// True if a text may have marks, without reading it line by line.
pub(crate) fn mentions_mark(text: &str) -> bool {
    text.contains(SIGN)
}

/// Finds the marks in a message of an agent: in its own paragraphs and list items. Quoted or shown text does not count, so that a mark in a file or
/// on a page that the agent has read is not taken for its own; recalled notes are left out as well.
#[must_use]
pub fn find_marks(said: &str) -> Vec<Mark> {
    if !mentions_mark(said) {
        return Vec::new();
    }
    let text = unframe(said).text.replace("\r\n", "\n").replace('\r', "\n");
    marks_in(own_lines(&text).iter().map(String::as_str))
}

/// Finds the marks in the comments of a shell command. Text within quotes or a here-document is data.
#[must_use]
pub fn find_command_marks(command: &str) -> Vec<Mark> {
    if !mentions_mark(command) {
        return Vec::new();
    }
    let mut comments = Vec::new();
    let mut quote = None;
    for line in command.split('\n') {
        let text = line.trim_start();
        let comment = text
            .strip_prefix("//")
            .or_else(|| text.strip_prefix('#').map(|rest| rest.trim_start_matches('#')));
        if let Some(comment) = comment.filter(|_| quote.is_none()) {
            comments.push(comment);
            continue;
        }
        if quote.is_none() && has_document(line) {
            break;
        }
        quote = quote_after(line, quote);
    }
    marks_in(comments)
}

/// True if a here-document begins in a line; `<<<` is a string.
fn has_document(line: &str) -> bool {
    let at = line.match_indices("<<").map(|(at, _)| at);
    at.into_iter()
        .any(|at| line.get(at + 2..).is_some_and(|rest| !rest.starts_with('<')))
}

/// The quote that is open at the end of a line of a shell command.
fn quote_after(line: &str, before: Option<char>) -> Option<char> {
    let mut quote = before;
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match quote {
            _ if sign == '\\' && quote != Some('\'') => {
                signs.next();
            }
            None if matches!(sign, '"' | '\'' | '`') => quote = Some(sign),
            Some(open) if open == sign => quote = None,
            _ => {}
        }
    }
    quote
}

fn marks_in<'l>(lines: impl IntoIterator<Item = &'l str>) -> Vec<Mark> {
    lines.into_iter().filter_map(mark_in).take(MARKS_MAX).collect()
}

fn mark_in(line: &str) -> Option<Mark> {
    let rest = line.trim_start().strip_prefix(SIGN)?;
    let (kind, rest) = match rest.strip_prefix(':') {
        Some(rest) => rest.trim_start().split_once(']')?,
        None => ("lesson", rest.strip_prefix(']')?),
    };
    let is_kind = kind.len() <= KIND_MAX
        && kind.starts_with(|c: char| c.is_ascii_alphabetic())
        && kind
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let body = rest.strip_prefix(':').unwrap_or(rest);
    let has_blank = body.starts_with(char::is_whitespace);
    let body = body.trim();
    (is_kind && has_blank && !body.is_empty()).then(|| Mark {
        kind: kind.to_ascii_lowercase(),
        body: body.to_owned(),
    })
}
