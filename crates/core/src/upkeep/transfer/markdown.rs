//! Export and import of Markdown, lossless in both directions.
//!
//! Each record is preceded by an HTML comment with its JSON, in which the text is replaced by its number of lines.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::clock::{Millis, format_iso};
use crate::hidden::{show_hidden, show_hidden_json};
use crate::model::digest::hash_bytes;
use crate::model::hallmark::{Standing, verify_line};
use crate::text::markup::show_markup;

/// The field of a record's text when the page shows it in another form.
const AS_STORED: &str = "_export";

/// Wraps JSON text in a comment; its contents cannot end the comment.
pub(super) fn comment(json: &str) -> String {
    // Neither occurs in JSON outside of strings.
    let safe = show_hidden_json(json).replace("--", "-\\u002d").replace('>', "\\u003e");
    format!("<!-- {safe} -->")
}

pub(super) fn uncomment(line: &str) -> Option<&str> {
    line.trim_end().strip_prefix("<!-- ")?.strip_suffix(" -->")
}

/// Writes records by type, by descending confidence.
pub(super) fn write(records: &[Value], project: &str, now: Millis) -> String {
    let mut kinds: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for record in records {
        kinds.entry(kind_of(record)).or_default().push(record);
    }
    let moment = format_iso(now);
    let day = moment.get(..10).unwrap_or(&moment);
    let title = on_one_line(project);
    let count = records.len();
    let mut out = format!("# Memory of {title}\n\n{count} memories, exported on {day}.\n");
    for (kind, mut records) in kinds {
        let sure = |record: &Value| {
            record["confidence"]
                .as_f64()
                .unwrap_or(crate::model::thought::DEFAULT_CONFIDENCE)
        };
        records.sort_by(|a, b| sure(b).total_cmp(&sure(a)));
        out.push_str(&format!("\n## {} ({})\n", on_one_line(kind), records.len()));
        for record in records {
            write_record(record, &mut out);
        }
    }
    out
}

fn kind_of(record: &Value) -> &str {
    text_in(record, "type")
        .or_else(|| text_in(record, "category"))
        .unwrap_or("other")
}

fn text_in<'r>(record: &'r Value, name: &str) -> Option<&'r str> {
    record.get(name)?.as_str()
}

fn write_record(record: &Value, out: &mut String) {
    let (name, text) = match text_in(record, "content") {
        Some(text) => ("content", text),
        None => ("pattern", text_in(record, "pattern").unwrap_or_default()),
    };
    let shown = on_the_page(text);
    let lines: Vec<&str> = shown.split('\n').collect();
    let mut rest = record.as_object().cloned().unwrap_or_default();
    rest.insert(name.into(), lines.len().into());
    // Editors remove blanks at the ends of lines.
    if shown != text || without_blank_ends(&shown) != shown {
        let stored = json!({ "text": text, "shown": hash_bytes(shown.as_bytes()) });
        rest.insert(AS_STORED.into(), stored);
    }
    out.push_str(&format!("\n{}\n", comment(&Value::Object(rest).to_string())));
    for (at, line) in lines.iter().enumerate() {
        out.push_str(if at == 0 { "- " } else { "  " });
        out.push_str(line);
        out.push('\n');
    }
    let footer = footer_of(record);
    if !footer.is_empty() {
        out.push_str(&format!("  {footer}\n"));
    }
}

/// What the page says about a record below its text; nothing when nothing is known.
fn footer_of(record: &Value) -> String {
    let mut facts: Vec<String> = Vec::new();
    let day = |at: &str| at.chars().take(10).collect::<String>();
    let at = text_in(record, "captured_at").or_else(|| text_in(record, "timestamp"));
    facts.extend(at.map(day));
    facts.extend(
        text_in(record, "source")
            .filter(|source| *source != "unknown")
            .map(str::to_owned),
    );
    let confidence = record.get("confidence").and_then(Value::as_f64);
    facts.extend(confidence.map(|sure| format!("{:.0} % sure", sure * 100.0)));
    facts.extend(text_in(record, "expiresAt").map(|at| format!("until {}", day(at))));
    let tags = record
        .get("tags")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    facts.extend(tags.map(|tag| format!("#{tag}")));
    let facts: Vec<String> = facts.iter().map(|fact| on_one_line(&fact.replace('`', " "))).collect();
    if facts.is_empty() {
        return String::new();
    }
    format!("`{}`", facts.join(" · "))
}

/// A text as the page shows it: without active links or images, and with invisible characters escaped.
fn on_the_page(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    show_hidden(&show_markup(&text)).into_owned()
}

fn on_one_line(text: &str) -> String {
    on_the_page(&text.replace(['\n', '\r'], " "))
}

/// Sets the text as it was stored, unless it was edited on the page. Blanks at the ends of lines are no edit: the comment has a text with such.
fn restore_text(record: &mut Map<String, Value>, name: &str, on_page: String) {
    let stored = record.shift_remove(AS_STORED).unwrap_or_default();
    let bare = without_blank_ends(&on_page);
    if let Some(text) = text_in(&stored, "text")
        && (text_in(&stored, "shown") == Some(&hash_bytes(on_page.as_bytes()))
            || without_blank_ends(&on_the_page(text)) == bare)
    {
        record.insert(name.into(), text.into());
        return;
    }
    record.insert(name.into(), on_page.into());
    // Older versions wrote these blanks on the page alone.
    if verify_line(Value::Object(record.clone()).to_string().as_bytes(), None).standing != Standing::Intact {
        record.insert(name.into(), bare.into());
    }
}

fn without_blank_ends(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    lines.join("\n")
}

/// A page that was read back. Lines are counted from 0.
#[derive(Default)]
pub(super) struct ReadBack {
    /// The records on it, and the texts that were added to it by hand.
    pub records: Vec<Value>,
    /// The number of records that the export wrote on it, with those of which the text was taken off.
    pub exported: u64,
    /// The lines that are no part of a record.
    pub passed_over: Vec<usize>,
}

/// The comment of a record.
struct Preface {
    record: Map<String, Value>,
    /// The field of its text, and how many lines that had.
    name: &'static str,
    count: usize,
    /// What the page says below the text.
    footer: String,
}

/// An item, or what is left of one, with all lines up to the next one, a comment or a heading.
struct ItemLines<'l, 't> {
    at: usize,
    lines: &'l [&'t str],
    ends_page: bool,
}

/// Reads records back. A text that was edited by hand is a changed record, one that was added is a new one of the type that its part of the
/// page is about, and one that was taken off is none.
pub(super) fn read(body: &str) -> ReadBack {
    let lines: Vec<&str> = body.split('\n').collect();
    let mut page = ReadBack::default();
    let (mut kind, mut footer, mut at) = ("", String::new(), 0);
    while let Some(line) = lines.get(at) {
        if let Some(preface) = preface_of(line) {
            let block = block_of(&lines, at + 1);
            footer.clone_from(&preface.footer);
            at += block.lines.len();
            page.take(preface, &block);
        } else if is_item(line) {
            let block = block_of(&lines, at);
            at += block.lines.len() - 1;
            page.add(kind, &block, &footer);
        } else if let Some(heading) = line.strip_prefix("## ") {
            kind = heading.rsplit_once(" (").map_or(heading, |(kind, _)| kind);
        } else if !is_blank(line) && !line.starts_with("# ") && !line.contains(" memories, exported on ") {
            page.passed_over.push(at);
        }
        at += 1;
    }
    page
}

impl ReadBack {
    /// Takes a record with the lines behind its comment.
    fn take(&mut self, preface: Preface, block: &ItemLines<'_, '_>) {
        let Preface {
            mut record,
            name,
            count,
            footer,
        } = preface;
        let end = end_of(block.lines, count, &footer);
        if block.ends_page && end < count && block.lines.get(end).is_none_or(is_blank) {
            // The page ends within the record: this is not all of it.
            return;
        }
        self.exported += 1;
        if !block.lines.first().is_some_and(is_item) {
            self.passed_over.push(block.at - 1);
            return;
        }
        restore_text(&mut record, name, block.text(end));
        self.records.push(Value::Object(record));
        self.pass_over(block, end + usize::from(!footer.is_empty()));
    }

    /// Adds a text that no export wrote, up to an empty line or to what belongs to the record before it.
    fn add(&mut self, kind: &str, block: &ItemLines<'_, '_>, footer: &str) {
        let mut end = 1;
        while block
            .lines
            .get(end)
            .is_some_and(|line| !is_blank(line) && line.trim() != footer)
        {
            end += 1;
        }
        let text = without_blank_ends(&block.text(end));
        if is_blank(&text) {
            self.passed_over.push(block.at);
        } else {
            self.records.push(json!({ "content": text, "type": kind }));
        }
        self.pass_over(block, end + 1);
    }

    /// Passes over the lines of a block from one on.
    fn pass_over(&mut self, block: &ItemLines<'_, '_>, from: usize) {
        for (at, line) in block.lines.iter().enumerate().skip(from) {
            if !is_blank(line) {
                self.passed_over.push(block.at + at);
            }
        }
    }
}

impl ItemLines<'_, '_> {
    /// Returns the text in its first lines.
    fn text(&self, end: usize) -> String {
        let lines: Vec<&str> = self.lines.iter().take(end).map(unindented).collect();
        lines.join("\n")
    }
}

fn preface_of(line: &str) -> Option<Preface> {
    let record: Map<String, Value> = serde_json::from_str(uncomment(line)?).ok()?;
    let name = if record.get("content").is_some_and(Value::is_number) {
        "content"
    } else {
        "pattern"
    };
    Some(Preface {
        count: usize::try_from(record.get(name)?.as_u64()?).ok()?,
        footer: footer_of(&Value::Object(record.clone())),
        record,
        name,
    })
}

fn is_item(line: &impl AsRef<str>) -> bool {
    line.as_ref().starts_with("- ") || line.as_ref() == "-"
}

fn is_blank(line: &impl AsRef<str>) -> bool {
    line.as_ref().trim().is_empty()
}

fn block_of<'l, 't>(lines: &'l [&'t str], at: usize) -> ItemLines<'l, 't> {
    let mut end = at + usize::from(lines.get(at).is_some_and(is_item));
    while let Some(line) = lines.get(end)
        && !is_item(line)
        && !line.starts_with("<!-- ")
        && !line.starts_with('#')
    {
        end += 1;
    }
    ItemLines {
        at,
        lines: lines.get(at..end).unwrap_or_default(),
        ends_page: end >= lines.len(),
    }
}

/// Returns where a text ends: before what the page says about the record, else behind as many lines as it had, else before the empty lines
/// at the end. Its number of lines is another one after an edit.
fn end_of(lines: &[&str], count: usize, footer: &str) -> usize {
    let said = format!("  {footer}");
    if !footer.is_empty()
        && lines.get(count).is_none_or(|line| line.trim_end() != said)
        && let Some(at) = lines.iter().rposition(|line| line.trim_end() == said)
    {
        return at;
    }
    let mut last = lines.len();
    while last > 0 && lines.get(last - 1).is_some_and(is_blank) {
        last -= 1;
    }
    let behind = lines
        .get(count)
        .is_some_and(|line| line.starts_with("  `") && line.trim_end().ends_with('`'));
    let ends_there = last <= count && count <= lines.len();
    if ends_there || (!footer.is_empty() && behind) {
        count
    } else {
        last
    }
}

/// Takes off the indent of a line of an item. Editors strip spaces from empty lines.
fn unindented<'t>(line: &&'t str) -> &'t str {
    let text = line.strip_prefix("- ").or_else(|| line.strip_prefix("  "));
    text.unwrap_or_else(|| line.strip_prefix('-').unwrap_or(line).trim_start())
}
