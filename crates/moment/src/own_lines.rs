//! The lines of an agent's message that are its own: those of paragraphs and list items. Quotes, code, HTML, headings and tables show text that it
//! has read.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Deeper nesting is not read.
const NESTING_MAX: usize = 100;

/// One line of a paragraph: where it is in the text, and whether it begins as text.
struct Line {
    range: Range<usize>,
    is_own: bool,
}

/// Returns the lines of paragraphs and list items that are in no quote and in no element of HTML.
pub(crate) fn own_lines(text: &str) -> Vec<String> {
    let mut own = Vec::new();
    let (mut quotes, mut depth, mut shown) = (0_usize, 0_usize, 0_usize);
    // The open elements of HTML: of blocks, and of the paragraph.
    let (mut outside, mut inside) = (0_isize, 0_isize);
    let mut line: Option<Line> = None;
    let mut end = |line: &mut Option<Line>, is_meant: bool| {
        if let Some(Line { range, .. }) = line.take().filter(|line| line.is_own && is_meant) {
            own.push(text.get(range).unwrap_or_default().replace('\n', " "));
        }
    };
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        let is_meant = quotes == 0 && shown == 0 && outside == 0 && depth <= NESTING_MAX;
        match event {
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. } | Tag::Strikethrough) => {
                grow(&mut line, &range, false);
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image | TagEnd::Strikethrough) => {
                grow(&mut line, &range, false);
            }
            Event::Start(tag) => {
                end(&mut line, is_meant);
                inside = 0;
                depth += 1;
                match tag {
                    Tag::BlockQuote(_) => quotes += 1,
                    Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::Table(_) => shown += 1,
                    _ => {}
                }
            }
            Event::End(tag) => {
                end(&mut line, is_meant);
                inside = 0;
                depth = depth.saturating_sub(1);
                match tag {
                    TagEnd::BlockQuote(_) => quotes = quotes.saturating_sub(1),
                    TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Table => shown = shown.saturating_sub(1),
                    TagEnd::HtmlBlock => outside = outside.max(0),
                    _ => {}
                }
            }
            // An element goes on after an empty line, which ends the block of its first tag.
            Event::Html(html) => outside += opened_in(&html),
            Event::InlineHtml(html) => {
                grow(&mut line, &range, false);
                inside = (inside + opened_in(&html)).max(0);
            }
            Event::SoftBreak | Event::HardBreak => end(&mut line, is_meant),
            Event::Text(_) => {
                // A sign behind a backslash is meant as text, so `\[remember]` marks nothing.
                let is_escaped = range.start.checked_sub(1).and_then(|at| text.as_bytes().get(at)) == Some(&b'\\');
                grow(&mut line, &range, inside == 0 && !is_escaped);
            }
            _ => grow(&mut line, &range, false),
        }
    }
    own
}

fn grow(line: &mut Option<Line>, part: &Range<usize>, is_own: bool) {
    match line {
        Some(line) => line.range.end = line.range.end.max(part.end),
        None => {
            *line = Some(Line {
                range: part.clone(),
                is_own,
            });
        }
    }
}

/// Elements of HTML that have no end.
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
];

/// How many elements of HTML a text opens and leaves open.
fn opened_in(html: &str) -> isize {
    let mut rest = html;
    let mut open = 0;
    while let Some(at) = rest.find('<') {
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let end = rest.find(['<', '>']).unwrap_or(rest.len());
        let tag = rest.get(..end).unwrap_or_default();
        if rest.get(end..end + 1) != Some(">") {
            continue;
        }
        let name = tag.trim_start_matches('/');
        let name: String = name
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_tag && tag.starts_with('/') {
            open -= 1;
        } else if is_tag && !tag.ends_with('/') && !VOID.contains(&name.to_ascii_lowercase().as_str()) {
            open += 1;
        }
    }
    open
}
