//! Removes pasted and quoted parts from a message of a person: an email to summarize, the body of an issue, somebody's words. They may come from
//! anybody, so that nothing in them is an instruction of this person, however it is worded.

use forge_memory_core::text::lexicon::says;
use forge_memory_core::text::sentences_of;

use super::sentence::Sentence;

/// The replacement of a removed quote or block.
const REMOVED: &str = "\"…\"";
const REMOVED_LINE: &str = "\"…\"\n";
/// A quote of fewer words is a name, a command or a phrase, which the sentence around it needs.
const QUOTED_WORDS_MIN: usize = 4;
/// The longest part of a sentence before a colon, in bytes.
const CLAUSE_MAX: usize = 1000;
/// Words before a text that show that others wrote it: an order to handle it, a phrase that hands it over, its speaker, its name. "In commit
/// messages: ..." is a topic, "review comment: ..." the name of the text behind it.
const INTRODUCTIONS: [&str; 7] = [
    "~handle text|pointer$",
    "~handle-text$",
    "^handing text|pointer$|<4",
    "saying -own",
    "^label$",
    "text$ <5 -^about",
    "^text <4 -^about",
];

/// Returns a message without the parts that are not the person's own words.
pub(crate) fn without_foreign(message: &str) -> String {
    without_introduced(&without_quotes(&without_blocks(message)))
}

/// Removes fenced, tagged and quoted blocks, and all from the first heading of an issue form on.
fn without_blocks(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut closing: Option<String> = None;
    for line in message.lines() {
        if let Some(end) = closing.take() {
            closing = Some(end).filter(|end| !line.contains(end.as_str()));
            continue;
        }
        let is_marked = line.trim_start().starts_with(['#', '*']);
        if is_marked && Sentence::of(line.trim().trim_matches(['#', '*', ':', ' '])).is("^heading$") {
            break;
        }
        // Below a heading is a document, unless the heading says that it has the person's own rules.
        let is_heading =
            line.trim_start().trim_start_matches('#').starts_with(' ') && line.trim_start().starts_with('#');
        if is_heading && !is_own_lead(line) {
            break;
        }
        let is_open = |(at, end): &(usize, String)| !line.get(at + 3..).unwrap_or_default().contains(end.as_str());
        let opened = opening_of(line).filter(is_open);
        let is_removed = opened.is_some() || line.trim_start().starts_with('>');
        kept.push_str(match &opened {
            Some((at, _)) => line.get(..*at).unwrap_or_default(),
            None if is_removed => "",
            None => line,
        });
        closing = opened.map(|(_, end)| end);
        kept.push('\n');
        kept.push_str(if is_removed { REMOVED_LINE } else { "" });
    }
    kept
}

/// Returns where a block begins on a line, and the sign that ends it.
fn opening_of(line: &str) -> Option<(usize, String)> {
    let start = line.len() - line.trim_start().len();
    let fence = ["```", "~~~", "\"\"\"", "'''"].into_iter().find_map(|fence| {
        let at = line.find(fence)?;
        (at == start || fence.starts_with(['"', '\''])).then(|| (at, fence.to_owned()))
    });
    fence.or_else(|| {
        let tag = line.trim_start().strip_prefix('<')?;
        let name = tag
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .next()?;
        (!name.is_empty()).then(|| (start, format!("</{name}>")))
    })
}

/// Removes quotes of several sentences or lines, also one that is not closed. Shorter ones belong to the sentence around them.
fn without_quotes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, quote)) = opening_quote(rest) {
        let (before, quoted) = rest.split_at(at);
        let body = quoted.get(1..).unwrap_or_default();
        let end = end_of_quote(body, quote);
        let inner = body.get(..end.unwrap_or(body.len())).unwrap_or_default().trim();
        // A quote that is not closed may be an apostrophe or a unit, unless much follows.
        let is_text = inner.contains('\n') || sentences_of(inner).len() > 1 || end.is_none() && quote == '"';
        let is_foreign = is_text && inner.split_whitespace().count() >= QUOTED_WORDS_MIN;
        let to = match end {
            Some(end) => end + 2,
            None if is_foreign => quoted.len(),
            None => 1,
        };
        kept.push_str(before);
        kept.push_str(if is_foreign {
            REMOVED
        } else {
            quoted.get(..to).unwrap_or_default()
        });
        rest = quoted.get(to..).unwrap_or_default();
    }
    kept + rest
}

/// Finds the next quotation mark that opens: before a word, and not within one.
fn opening_quote(text: &str) -> Option<(usize, char)> {
    let mut before = ' ';
    text.char_indices().find(|(at, c)| {
        let opens = before.is_whitespace() || matches!(before, '(' | ':' | '[' | ',' | '-');
        before = *c;
        let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
        matches!(c, '"' | '\'') && opens && next.is_some_and(|next| !next.is_whitespace())
    })
}

fn end_of_quote(body: &str, quote: char) -> Option<usize> {
    let is_end = |at: &usize| {
        let next = body.get(at + 1..).and_then(|rest| rest.chars().next());
        *at > 0 && next.is_none_or(|next| !next.is_alphanumeric())
    };
    body.match_indices(quote).map(|(at, _)| at).find(is_end)
}

/// Removes the text that a sentence introduces: all that follows, except where that is one quote or block, after which the person goes on.
fn without_introduced(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let has_more = lines.clone().any(|line| !line.trim().is_empty());
        if announces_below(line, has_more) {
            break;
        }
        let introduced = introduced(line);
        kept.push_str(introduced.map_or(line, |(own, _)| own));
        kept.push('\n');
        let rest = match introduced.map(|(_, behind)| behind.trim_start()) {
            None => continue,
            Some("") => {
                let next = lines.clone().find(|line| !line.trim().is_empty());
                next.and_then(|line| line.starts_with(REMOVED).then_some(""))
            }
            Some(behind) => behind_quote(behind),
        };
        let Some(rest) = rest else { break };
        kept.push_str(&without_introduced(rest));
    }
    kept
}

fn behind_quote(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let body = text.get(1..)?;
    body.get(end_of_quote(body, quote)? + 1..)
}

/// Returns the part of a line before a text that one of its sentences introduces, and that text.
fn introduced(line: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    line.match_indices(['.', '!', '?', ';', ':', '\u{2014}'])
        .find_map(|(at, sign)| {
            let behind = line.get(at + sign.len()..)?;
            let ends =
                behind.is_empty() || behind.starts_with(|next: char| next.is_whitespace() || "\"'`*".contains(next));
            let is_clause = ends && matches!(sign, ":" | "\u{2014}");
            let own = line
                .get(..from)
                .filter(|_| is_clause && is_introduction(line.get(from..at).unwrap_or_default()));
            from = if ends && !is_clause { at + 1 } else { from };
            own.map(|own| (own, behind))
        })
}

/// Recognises a line with another text below it: "Fix the issue below.", "Summarize the following email", "tl;dr this" before a text, and a line
/// that ends with a colon, unless it says that the person's own rules follow.
fn announces_below(line: &str, has_more: bool) -> bool {
    let line = line.trim();
    let is_colon = line.ends_with([':', '\u{ff1a}']);
    if is_colon {
        return has_more && !is_introduction(line.trim_end_matches([':', '\u{ff1a}'])) && !is_own_lead(line);
    }
    if says(line, "said below") && is_introduction(line) && Sentence::of(line).is("below") {
        return true;
    }
    has_more && !line.contains(':') && Sentence::of(line).is("~handle-text pointer$|text$ <7")
}

/// True if a line before a text says that the text has the rules of the person.
fn is_own_lead(line: &str) -> bool {
    let lead = Sentence::of(line.trim().trim_matches(['#', '*', '-', ':', '\u{ff1a}', ' ']));
    lead.is("permanent|project-wide|convention|custom|always|remembering|rules|decided -saying -foreign")
}

/// A clause too long to be read counts as an introduction of a text of others: nothing behind it is learned.
fn is_introduction(clause: &str) -> bool {
    if clause.len() > CLAUSE_MAX {
        return true;
    }
    let clause = Sentence::of(clause.trim_start_matches(['-', '*', '#', ' ']));
    INTRODUCTIONS.iter().any(|conditions| clause.is(conditions))
}
