//! Removes what a person pasted or quoted from what they typed: an email to summarize, the body of an issue, what somebody said. It may
//! come from anybody, so that nothing in it is an instruction of this person, however it is worded.

use super::cut::cut;

/// What stands in the place of a removed quote.
const REMOVED: &str = "\"…\"";

/// A quote of fewer words is a name, a command or a phrase, which the sentence around it needs.
const QUOTED_WORDS_MIN: usize = 4;

/// Orders to do something with a text, and questions about one.
const HANDLE: [&str; 47] = [
    "summarize",
    "summarise",
    "translate",
    "review",
    "fix",
    "implement",
    "resolve",
    "close",
    "address",
    "handle",
    "answer",
    "reply",
    "respond",
    "explain",
    "analyze",
    "analyse",
    "proofread",
    "rewrite",
    "rephrase",
    "paraphrase",
    "improve",
    "check",
    "read",
    "look",
    "see",
    "consider",
    "process",
    "triage",
    "parse",
    "extract",
    "classify",
    "reproduce",
    "investigate",
    "debug",
    "work",
    "convert",
    "format",
    "shorten",
    "polish",
    "correct",
    "do",
    "evaluate",
    "apply",
    "follow",
    "tl;dr",
    "tldr",
    "draft",
];

/// Those that only a text can follow.
const HANDLE_TEXT: [&str; 16] = [
    "summarize",
    "summarise",
    "translate",
    "proofread",
    "rewrite",
    "rephrase",
    "paraphrase",
    "shorten",
    "polish",
    "explain",
    "analyze",
    "analyse",
    "tl;dr",
    "tldr",
    "classify",
    "extract",
];

/// Texts that somebody else wrote.
const TEXTS: [&str; 49] = [
    "email",
    "e-mail",
    "mail",
    "message",
    "letter",
    "comment",
    "comments",
    "issue",
    "issues",
    "ticket",
    "tickets",
    "bug",
    "report",
    "article",
    "page",
    "post",
    "thread",
    "tweet",
    "transcript",
    "conversation",
    "chat",
    "text",
    "paragraph",
    "passage",
    "snippet",
    "quote",
    "log",
    "logs",
    "output",
    "trace",
    "readme",
    "document",
    "doc",
    "spec",
    "description",
    "body",
    "prompt",
    "story",
    "feedback",
    "pr",
    "request",
    "review",
    "note",
    "notes",
    "answer",
    "reply",
    "excerpt",
    "advisory",
    "changelog",
];

/// Words that point at the text that follows.
const POINTERS: [&str; 7] = ["this", "these", "that", "following", "below", "it", "here"];

/// Words after which somebody is quoted.
const SAYING: [&str; 22] = [
    "says",
    "said",
    "wrote",
    "writes",
    "asks",
    "asked",
    "replied",
    "answered",
    "commented",
    "suggests",
    "suggested",
    "states",
    "stated",
    "claims",
    "claimed",
    "reported",
    "reports",
    "reads",
    "told",
    "mentions",
    "mentioned",
    "tells",
];

/// Beginnings of a sentence that hands over a text.
const HANDING: [&str; 14] = [
    "here is",
    "here's",
    "here are",
    "below is",
    "below are",
    "this is the",
    "this is an",
    "this is a",
    "i got this",
    "i got the",
    "i received",
    "we got",
    "we received",
    "pasting",
];

/// Names of fields of messages and issues.
const LABELS: [&str; 12] = [
    "subject",
    "from",
    "to",
    "cc",
    "title",
    "input",
    "context",
    "quote",
    "begin forwarded message",
    "original message",
    "forwarded message",
    "customer",
];

/// Headings of issue forms.
const HEADINGS: [&str; 12] = [
    "steps to reproduce",
    "expected behavior",
    "expected behaviour",
    "actual behavior",
    "actual behaviour",
    "describe the bug",
    "description",
    "additional context",
    "acceptance criteria",
    "reproduction",
    "environment",
    "what happened",
];

/// Words that may precede an order.
const POLITE: [&str; 14] = [
    "please", "pls", "can", "could", "would", "will", "you", "now", "then", "and", "also", "kindly", "just", "ok",
];

/// Returns a message without the parts that are not the person's own words.
pub(crate) fn without_foreign(message: &str) -> String {
    let blocks = without_blocks(message);
    let quotes = without_quotes(&blocks);
    without_introduced(&quotes)
}

/// Removes tagged and triply quoted blocks, and all from the first heading of an issue form on. Fences are left to the caller.
fn without_blocks(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut closing: Option<String> = None;
    for line in message.lines() {
        let trimmed = line.trim();
        if let Some(end) = &closing {
            if trimmed.contains(end.as_str()) {
                closing = None;
            }
            continue;
        }
        if is_heading(trimmed) {
            break;
        }
        let opened = opening_of(trimmed);
        if let Some((at, end)) =
            opened.filter(|(at, end)| !trimmed.get(at + 3..).unwrap_or_default().contains(end.as_str()))
        {
            kept.push_str(trimmed.get(..at).unwrap_or_default());
            kept.push('\n');
            closing = Some(end);
            continue;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

fn is_heading(line: &str) -> bool {
    let bare = line
        .trim_matches(|c: char| matches!(c, '#' | '*' | ':' | ' '))
        .to_lowercase();
    line.starts_with(['#', '*']) && HEADINGS.contains(&bare.as_str())
}

/// Returns where a block begins on a line, and what ends it.
fn opening_of(line: &str) -> Option<(usize, String)> {
    for fence in ["\"\"\"", "'''"] {
        if let Some(at) = line.find(fence) {
            return Some((at, fence.to_owned()));
        }
    }
    let name: String = line
        .strip_prefix('<')?
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_')
        .collect();
    (!name.is_empty()).then(|| (0, format!("</{name}>")))
}

/// Removes quotes of several sentences or lines, also one that is not closed. Shorter ones belong to the sentence around them.
fn without_quotes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, quote)) = next_quote(rest) {
        let (before, quoted) = rest.split_at(at);
        let body = quoted.get(1..).unwrap_or_default();
        let end = end_of_quote(body, quote);
        // what is not closed may be an apostrophe or a unit, unless much follows
        let inner = body.get(..end.unwrap_or(body.len())).unwrap_or_default();
        let is_long = inner.split_whitespace().count() >= QUOTED_WORDS_MIN;
        let is_text = inner.trim().contains('\n') || cut(inner.trim()).len() > 1 || end.is_none() && quote == '"';
        kept.push_str(before);
        match end {
            _ if !(is_long && is_text) => {
                let to = at + 1 + end.map_or(0, |end| end + 1);
                kept.push_str(rest.get(at..to).unwrap_or_default());
                rest = rest.get(to..).unwrap_or_default();
            }
            Some(end) => {
                kept.push_str(REMOVED);
                rest = body.get(end + 1..).unwrap_or_default();
            }
            None => {
                kept.push_str(REMOVED);
                return kept;
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// Finds the next quotation mark that opens: before a word, and not within one.
fn next_quote(text: &str) -> Option<(usize, char)> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let follows = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        let opens = before.is_whitespace() || matches!(before, '(' | ':' | '[' | ',' | '-');
        if matches!(c, '"' | '\'') && opens && follows.is_some_and(|next| !next.is_whitespace()) {
            return Some((at, c));
        }
        before = c;
    }
    None
}

fn end_of_quote(body: &str, quote: char) -> Option<usize> {
    body.char_indices().find_map(|(at, c)| {
        let next = body.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        (c == quote && at > 0 && next.is_none_or(|next| !next.is_alphanumeric())).then_some(at)
    })
}

/// Removes what a sentence introduces: all that follows, except where that is one quote, after which the person goes on.
fn without_introduced(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_fenced = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_fenced = !is_fenced;
        }
        if is_fenced {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        if announces_below(trimmed) {
            return kept;
        }
        let Some((own, behind)) = introduced(line) else {
            kept.push_str(line);
            kept.push('\n');
            continue;
        };
        kept.push_str(own);
        kept.push('\n');
        let behind = behind.trim_start();
        // one quote, and then own words again
        let after_quote = match behind.is_empty() {
            true => lines
                .clone()
                .find(|line| !line.trim().is_empty())
                .filter(|line| is_block(line))
                .map(|_| ""),
            false => behind_quote(behind),
        };
        let Some(rest) = after_quote else { return kept };
        kept.push_str(&without_introduced(rest));
    }
    kept
}

/// Tells whether a line begins a part that is recognised as pasted by itself: a fence or a quote of Markdown.
fn is_block(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("```") || line.starts_with("~~~") || line.starts_with('>')
}

fn behind_quote(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(REMOVED) {
        return Some(rest);
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let body = text.get(1..)?;
    let end = end_of_quote(body, quote)?;
    body.get(end + 1..)
}

/// Returns the part of a line before what one of its sentences introduces, and that.
fn introduced(line: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    for (at, c) in line.char_indices() {
        let behind = line.get(at + c.len_utf8()..).unwrap_or_default();
        let is_end = behind
            .chars()
            .next()
            .is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '\'' | '`' | '*'));
        match c {
            '.' | '!' | '?' | ';' if is_end => from = at + 1,
            ':' | '\u{2014}' if is_end => {
                let clause = line.get(from..at).unwrap_or_default();
                if is_introduction(clause) {
                    return Some((line.get(..from).unwrap_or_default(), behind));
                }
            }
            _ => {}
        }
    }
    None
}

/// Recognises "Fix the issue below." and "Summarize the following email" at the end of a line.
fn announces_below(line: &str) -> bool {
    let words = words_of(line);
    let points = words.iter().any(|word| matches!(word.as_str(), "below" | "following"));
    points && is_introduction(line) && !line.ends_with(':')
}

fn words_of(clause: &str) -> Vec<String> {
    let edge = |c: char| !(c.is_alphanumeric() || matches!(c, '#' | '-' | '\''));
    let words = clause
        .split_whitespace()
        .map(|word| word.trim_matches(edge).to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

/// Tells whether what follows a clause is somebody else's text.
fn is_introduction(clause: &str) -> bool {
    let words = words_of(clause.trim_start_matches(['-', '*', '#', ' ']));
    let joined = words.join(" ");
    let is_text = |word: &String| TEXTS.contains(&word.as_str()) || is_number_of_ticket(word);
    let has_text = words.iter().any(is_text);
    let points = words.last().is_some_and(|word| POINTERS.contains(&word.as_str()));
    let order = words.iter().find(|word| !POLITE.contains(&word.as_str()));
    let handles = order.is_some_and(|word| HANDLE.contains(&word.as_str()));
    let mut orders = words.iter().filter(|word| !POLITE.contains(&word.as_str()));
    let is_bare = orders.next().is_some_and(|word| HANDLE_TEXT.contains(&word.as_str())) && orders.next().is_none();
    if is_bare || handles && (has_text || points) {
        return true;
    }
    if HANDING.iter().any(|begin| joined.starts_with(begin)) && (has_text || points || words.len() <= 3) {
        return true;
    }
    let is_said = words.iter().rev().take(3).any(|word| SAYING.contains(&word.as_str()));
    let is_own = words
        .iter()
        .any(|word| matches!(word.as_str(), "i" | "we" | "i've" | "we've"));
    if is_said && !is_own {
        return true;
    }
    // "in commit messages: ..." is a topic, "review comment: ..." the name of what follows
    let is_name =
        words.len() <= 4 && words.last().is_some_and(is_text) || words.first().is_some_and(is_text) && words.len() <= 3;
    let is_topic = words.first().is_some_and(|word| {
        matches!(
            word.as_str(),
            "in" | "for" | "on" | "with" | "about" | "every" | "each" | "all" | "my" | "our" | "new"
        )
    });
    LABELS.contains(&joined.as_str()) || is_name && !is_topic
}

/// Recognises `#12`, `abc-123`.
fn is_number_of_ticket(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_key = word.split_once('-').is_some_and(|(key, number)| {
        (2..=10).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_lowercase()) && digits(number)
    });
    word.strip_prefix('#').is_some_and(digits) || is_key
}
