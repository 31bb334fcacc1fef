//! AIWG: lessons of agent loops, and learnings of its semantic memory; one JSON document each.

use std::path::Path;

use serde_json::Value;

use super::incoming::{Incoming, Reading, texts, unsupported};
use crate::clock::parse_iso;
use crate::error::Result;

pub(super) fn read(path: &Path, document: &Value) -> Result<Reading> {
    let lists = ["entries", "memories", "learnings"];
    let entries = document
        .as_array()
        .or_else(|| lists.iter().find_map(|name| document[name].as_array()))
        .ok_or_else(|| unsupported(path, "it contains no memory in a known format"))?;
    let mut reading = Reading {
        format: "aiwg",
        ..Reading::default()
    };
    for entry in entries {
        match entry_of(entry) {
            Some(record) => reading.records.push(record),
            None => reading.unreadable += 1,
        }
    }
    if reading.records.is_empty() && reading.unreadable > 0 {
        return Err(unsupported(path, "it contains no memory in a known format"));
    }
    Ok(reading)
}

fn entry_of(entry: &Value) -> Option<Incoming> {
    let text = |name: &str| entry[name].as_str().map(str::trim).filter(|text| !text.is_empty());
    let mut text_with_context = text("lesson")
        .or(text("pattern"))
        .or(text("content"))
        .map(str::to_owned)
        .or_else(|| content_of(&entry["content"]))?;
    if let Some(context) = text("context") {
        text_with_context.push_str(&format!("\nContext: {context}"));
    }
    let kind = match text("type").unwrap_or("lesson") {
        "lesson_learned" => "lesson",
        other => other,
    };
    let mut tags = texts(&entry["tags"]);
    tags.extend(text("loopId").map(|id| format!("loop:{id}")));
    tags.extend(text("taskType").map(str::to_owned));
    let id = text("id").unwrap_or_default();
    Some(Incoming {
        key: format!("{id}\0{text_with_context}"),
        text: text_with_context,
        kind: kind.to_owned(),
        tags,
        confidence: entry["confidence"].as_f64(),
        at_ms: text("createdAt").and_then(parse_iso),
        ..Incoming::default()
    })
}

/// The content of a learning is an object whose fields depend on its type.
fn content_of(content: &Value) -> Option<String> {
    let fields = content.as_object()?;
    let main = ["description", "pattern"]
        .iter()
        .find_map(|name| fields.get(*name)?.as_str());
    let rest: Vec<String> = fields
        .iter()
        .filter(|(name, value)| !(value.as_str() == main && ["description", "pattern"].contains(&name.as_str())))
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name}: {text}"),
            None => format!("{name}: {value}"),
        })
        .collect();
    let parts: Vec<String> = main.map(str::to_owned).into_iter().chain(rest).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}
