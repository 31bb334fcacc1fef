//! Cutting elements out of a list and putting one in, as text: everything else keeps its bytes.

use std::ops::Range;

use serde_json::value::RawValue;

use super::document::{Document, locate};
use super::element::Element;

/// An element and where it stands in the text.
#[derive(Debug)]
pub(super) struct Spot<'a> {
    pub span: Range<usize>,
    pub element: Element<'a>,
}

/// A list and where it stands in the text, brackets included.
#[derive(Debug)]
pub(super) struct Stretch<'a> {
    pub span: Range<usize>,
    pub spots: Vec<Spot<'a>>,
}

/// Finds the lists of a document and their elements.
pub(super) fn stretches<'a>(
    text: &'a str,
) -> serde_json::Result<(Document<'a, &'a RawValue>, Vec<Option<Stretch<'a>>>)> {
    let document = locate(text)?;
    let found = document
        .lists
        .iter()
        .map(|list| {
            if !list.items.get().starts_with('[') {
                return Ok(None);
            }
            let elements: Vec<&'a RawValue> = serde_json::from_str(list.items.get())?;
            let spots = elements
                .into_iter()
                .map(|raw| {
                    Ok(Spot {
                        span: span_in(text, raw.get()),
                        element: serde_json::from_str(raw.get())?,
                    })
                })
                .collect::<serde_json::Result<_>>()?;
            Ok(Some(Stretch {
                span: span_in(text, list.items.get()),
                spots,
            }))
        })
        .collect::<serde_json::Result<_>>()?;
    Ok((document, found))
}

/// Where a part of a text begins and ends in it.
fn span_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// Appends what is left of a list when only the elements stay for which `stays` says so.
pub(super) fn push_thinned(out: &mut String, text: &str, stretch: &Stretch<'_>, stays: &[bool]) {
    let spots = &stretch.spots;
    let mut is_first = true;
    out.push('[');
    for (at, spot) in spots.iter().enumerate() {
        if stays.get(at) == Some(&false) {
            continue;
        }
        // The first one that stays stands where the first one stood.
        let before = if is_first { 0 } else { at };
        out.push_str(&text[gap(stretch, before)]);
        out.push_str(&text[spot.span.clone()]);
        is_first = false;
    }
    if !is_first {
        out.push_str(&text[gap(stretch, spots.len())]);
    }
    out.push(']');
}

/// What stands in front of an element, or behind the last one.
fn gap(stretch: &Stretch<'_>, at: usize) -> Range<usize> {
    let from = match at.checked_sub(1).and_then(|before| stretch.spots.get(before)) {
        Some(before) => before.span.end,
        None => stretch.span.start + 1,
    };
    let to = stretch
        .spots
        .get(at)
        .map_or(stretch.span.end - 1, |spot| spot.span.start);
    from..to
}

/// Returns a document of nothing but one element.
pub(super) fn new_document(element: &str) -> String {
    format!("[\n  {}\n]\n", indented(element, "  ", "\n"))
}

/// Returns the text with one more element at the end of its first list, in the layout of those before it. `element` is
/// laid out with two spaces and line feeds. `None` when the value under the name of the list is not a list.
pub(super) fn insert(text: &str, element: &str) -> serde_json::Result<Option<String>> {
    let (_, found) = stretches(text)?;
    if found.is_empty() {
        return Ok(insert_list(text, element));
    }
    let first = found.into_iter().flatten().next();
    Ok(first.map(|stretch| insert_into(text, &stretch, element)))
}

fn insert_into(text: &str, stretch: &Stretch<'_>, element: &str) -> String {
    let spots = &stretch.spots;
    let Some(last) = spots.last() else {
        let is_bare = text[..stretch.span.start]
            .trim_start_matches('\u{feff}')
            .trim()
            .is_empty();
        let (indent, closing) = if is_bare { ("  ", "") } else { ("    ", "  ") };
        let list = format!("[\n{indent}{}\n{closing}]", indented(element, indent, "\n"));
        return format!("{}{list}{}", &text[..stretch.span.start], &text[stretch.span.end..]);
    };
    let lead = &text[gap(stretch, 0)];
    let separator = match spots.len() {
        1 => format!(",{lead}"),
        count => text[gap(stretch, count - 1)].to_owned(),
    };
    let element = match lead.rfind('\n') {
        Some(at) => indented(
            element,
            &lead[at + 1..],
            if lead.contains("\r\n") { "\r\n" } else { "\n" },
        ),
        None => compact(element),
    };
    let end = last.span.end;
    format!("{}{separator}{element}{}", &text[..end], &text[end..])
}

/// An object without any list gets one.
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

/// The same on one line. Line feeds stand between values only: inside a text they are escaped.
fn compact(element: &str) -> String {
    element.lines().map(str::trim_start).collect::<Vec<_>>().join(" ")
}
