//! The knowledge graph of `@modelcontextprotocol/server-memory`: entities with observations, and relations, a line each.

use std::path::Path;

use serde_json::Value;

use super::incoming::{Incoming, Reading, damaged, texts};
use crate::error::Result;

fn parse(line: &str) -> Option<Value> {
    serde_json::from_str(line).ok()
}

fn is_part(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some_and(Value::is_string);
    match value["type"].as_str() {
        Some("entity") => has("name"),
        Some("relation") => has("from") && has("to"),
        _ => false,
    }
}

pub(super) fn is_graph(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.next().and_then(parse).is_some_and(|value| is_part(&value))
}

pub(super) fn read(path: &Path, text: &str) -> Result<Reading> {
    let mut reading = Reading {
        format: "server-memory",
        ..Reading::default()
    };
    let whole = text.ends_with('\n');
    let lines = text.trim_end().lines().count();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match parse(line) {
            Some(value) if is_part(&value) => take(&value, &mut reading.records),
            None if number == lines && !whole => {
                return Err(damaged(path, "it ends in the middle of a line"));
            }
            _ => reading.pass_over(number),
        }
    }
    Ok(reading)
}

fn take(value: &Value, records: &mut Vec<Incoming>) {
    let text = |name: &str| value[name].as_str().unwrap_or_default().trim().to_owned();
    if value["type"] == "relation" {
        let (from, relation, to) = (text("from"), text("relationType"), text("to"));
        records.push(Incoming {
            key: format!("relation\0{from}\0{relation}\0{to}"),
            text: format!("{from} {relation} {to}"),
            kind: "relation".into(),
            tags: vec![from, to],
            ..Incoming::default()
        });
        return;
    }
    let (name, kind) = (text("name"), text("entityType"));
    let mut observations = texts(&value["observations"]);
    if observations.is_empty() {
        observations.push(kind.clone());
    }
    for observation in observations {
        records.push(Incoming {
            key: format!("entity\0{name}\0{observation}"),
            text: format!("{name}: {observation}"),
            kind: "fact".into(),
            tags: [name.clone(), kind.clone()].into(),
            ..Incoming::default()
        });
    }
}
