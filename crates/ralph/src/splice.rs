//! Edits a JSON list as text: removes elements or inserts one, and keeps all other bytes.

use std::ops::Range;

use serde_json::value::RawValue;

use super::document::{Document, locate};
use super::element::Element;

#[derive(Debug)]
pub(super) struct ElementText<'a> {
    pub span: Range<usize>,
    pub element: Element<'a>,
}

/// A list and its span in the text, including the brackets.
#[derive(Debug)]
pub(super) struct ListText<'a> {
    pub span: Range<usize>,
    pub items: Vec<ElementText<'a>>,
}

pub(super) fn find_lists<'a>(
    text: &'a str,
) -> serde_json::Result<(Document<'a, &'a RawValue>, Vec<Option<ListText<'a>>>)> {
    let document = locate(text)?;
    let found = document
        .lists
        .iter()
        .map(|list| {
            if !list.items.get().starts_with('[') {
                return Ok(None);
            }
            let elements: Vec<&'a RawValue> = serde_json::from_str(list.items.get())?;
            let items = elements
                .into_iter()
                .map(|raw| {
                    Ok(ElementText {
                        span: span_in(text, raw.get()),
                        element: serde_json::from_str(raw.get())?,
                    })
                })
                .collect::<serde_json::Result<_>>()?;
            Ok(Some(ListText {
                span: span_in(text, list.items.get()),
                items,
            }))
        })
        .collect::<serde_json::Result<_>>()?;
    Ok((document, found))
}

pub(super) fn span_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// Returns a span of a text. A span outside of it is an error, so that a rewrite never loses bytes.
pub(super) fn part_of(text: &str, span: Range<usize>) -> serde_json::Result<&str> {
    text.get(span)
        .ok_or_else(|| serde::de::Error::custom("an element is not a part of its text"))
}

/// Appends a list without the elements whose `stays` is false.
pub(super) fn push_remaining(
    out: &mut String,
    text: &str,
    list_text: &ListText<'_>,
    stays: &[bool],
) -> serde_json::Result<()> {
    let items = &list_text.items;
    let mut is_first = true;
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if stays.get(at) == Some(&false) {
            continue;
        }
        // The first remaining element gets the white space before the first element.
        let before = if is_first { 0 } else { at };
        out.push_str(part_of(text, gap(list_text, before))?);
        out.push_str(part_of(text, item.span.clone())?);
        is_first = false;
    }
    if !is_first {
        out.push_str(part_of(text, gap(list_text, items.len()))?);
    }
    out.push(']');
    Ok(())
}

/// Returns the text before an element, or after the last one.
fn gap(list_text: &ListText<'_>, at: usize) -> Range<usize> {
    let from = match at.checked_sub(1).and_then(|before| list_text.items.get(before)) {
        Some(before) => before.span.end,
        None => list_text.span.start + 1,
    };
    let to = list_text
        .items
        .get(at)
        .map_or(list_text.span.end - 1, |item| item.span.start);
    from..to
}

pub(super) fn new_document(element: &str) -> String {
    format!("[\n  {}\n]\n", indented(element, "  ", "\n"))
}

/// Returns the text with one more element at the end of its first list, in the layout of the existing ones. `element` is
/// formatted with two spaces and line feeds. Returns `None` when the value under the list's name is not an array.
pub(super) fn insert(text: &str, element: &str) -> serde_json::Result<Option<String>> {
    let (_, found) = find_lists(text)?;
    if found.is_empty() {
        return Ok(insert_list(text, element));
    }
    let first = found.into_iter().flatten().next();
    first
        .map(|list_text| insert_into(text, &list_text, element))
        .transpose()
}

fn insert_into(text: &str, list_text: &ListText<'_>, element: &str) -> serde_json::Result<String> {
    let ListText { span, .. } = list_text;
    let (before, behind) = (part_of(text, 0..span.start)?, part_of(text, span.end..text.len())?);
    let items = &list_text.items;
    let Some(last) = items.last() else {
        let is_bare = before.trim_start_matches('\u{feff}').trim().is_empty();
        let (indent, closing) = if is_bare { ("  ", "") } else { ("    ", "  ") };
        let list = format!("[\n{indent}{}\n{closing}]", indented(element, indent, "\n"));
        return Ok(format!("{before}{list}{behind}"));
    };
    let lead = part_of(text, gap(list_text, 0))?;
    let separator = match items.len() {
        1 => format!(",{lead}"),
        count => part_of(text, gap(list_text, count - 1))?.to_owned(),
    };
    let element = match lead.rsplit_once('\n') {
        Some((_, indent)) => indented(element, indent, if lead.contains("\r\n") { "\r\n" } else { "\n" }),
        None => compact(element),
    };
    let end = last.span.end;
    let (before, behind) = (part_of(text, 0..end)?, part_of(text, end..text.len())?);
    Ok(format!("{before}{separator}{element}{behind}"))
}

/// Adds a list to an object without one.
fn insert_list(text: &str, element: &str) -> Option<String> {
    let body = text.trim_end();
    let inner = body.strip_suffix('}')?;
    let is_empty = inner.trim_start_matches('\u{feff}').trim() == "{";
    let comma = if is_empty { "" } else { "," };
    let list = indented(element, "    ", "\n");
    Some(format!(
        "{}{comma}\n  \"entries\": [\n    {list}\n  ]\n}}\n",
        inner.trim_end()
    ))
}

fn indented(element: &str, indent: &str, line_end: &str) -> String {
    element.replace('\n', &format!("{line_end}{indent}"))
}

/// Formats an element on one line. Line feeds occur only between values, because strings escape them.
fn compact(element: &str) -> String {
    element.lines().map(str::trim_start).collect::<Vec<_>>().join(" ")
}
