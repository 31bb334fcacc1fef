//! Export and import of Markdown, lossless in both directions.
//!
//! Each record is preceded by an HTML comment with its JSON, in which the text is replaced by its number of lines.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::clock::{Millis, format_iso};
use crate::hidden::{show_hidden, show_hidden_json};
use crate::model::digest::hash_bytes;
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
    line.strip_prefix("<!-- ")?.strip_suffix(" -->")
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
    if shown != text {
        let stored = json!({ "text": text, "shown": hash_bytes(shown.as_bytes()) });
        rest.insert(AS_STORED.into(), stored);
    }
    out.push_str(&format!("\n{}\n", comment(&Value::Object(rest).to_string())));
    for (at, line) in lines.iter().enumerate() {
        out.push_str(if at == 0 { "- " } else { "  " });
        out.push_str(line);
        out.push('\n');
    }
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
    if !facts.is_empty() {
        out.push_str(&format!("  `{}`\n", facts.join(" · ")));
    }
}

/// A text as the page shows it: without active links or images, and with invisible characters escaped.
fn on_the_page(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    show_hidden(&show_markup(&text)).into_owned()
}

fn on_one_line(text: &str) -> String {
    on_the_page(&text.replace(['\n', '\r'], " "))
}

/// The text as it was stored, unless it was edited on the page.
fn stored_text(record: &mut Map<String, Value>, on_page: String) -> String {
    let Some(stored) = record.shift_remove(AS_STORED) else {
        return on_page;
    };
    match text_in(&stored, "text") {
        Some(text) if text_in(&stored, "shown") == Some(&hash_bytes(on_page.as_bytes())) => text.to_owned(),
        _ => on_page,
    }
}

/// Reads records back. A text that was edited by hand is a changed record.
pub(super) fn read(body: &str) -> Vec<Value> {
    let lines: Vec<&str> = body.split('\n').collect();
    let mut records = Vec::new();
    let mut rest = lines.as_slice();
    while let [line, behind @ ..] = rest {
        rest = behind;
        let parsed = uncomment(line.trim_end_matches('\r'))
            .and_then(|json| serde_json::from_str::<Map<String, Value>>(json).ok());
        let Some(mut record) = parsed else { continue };
        let name = if record.get("content").is_some_and(Value::is_number) {
            "content"
        } else {
            "pattern"
        };
        let count = record.get(name).and_then(Value::as_u64);
        let Some(count) = count.and_then(|count| usize::try_from(count).ok()) else {
            continue;
        };
        let Some((text, behind)) = rest.split_at_checked(count) else {
            break;
        };
        // Editors strip spaces from empty lines.
        let text: Vec<&str> = text.iter().map(|line| line.get(2..).unwrap_or("")).collect();
        let text = stored_text(&mut record, text.join("\n"));
        record.insert(name.into(), text.into());
        records.push(Value::Object(record));
        rest = behind;
    }
    records
}
