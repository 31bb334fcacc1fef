//! Payloads of hosts are untrusted JSON of any shape and version: every field is checked before it is used.

use serde_json::{Map, Value};

pub(crate) type Fields = Map<String, Value>;

/// Returns the first of these fields that is a text with something in it.
pub(crate) fn text<'a>(fields: &'a Fields, names: &[&str]) -> Option<&'a str> {
    let values = names.iter().filter_map(|name| fields.get(*name)?.as_str());
    values.into_iter().find(|text| !text.is_empty())
}

/// Returns the command line of a tool: one text, or a list of commands that run one after the other.
pub(crate) fn line_in(fields: &Fields) -> Option<String> {
    if let Some(line) = text(fields, &["command", "command_line", "cmd"]) {
        return Some(line.to_owned());
    }
    let lines = fields.get("commands")?.as_array()?.iter().filter_map(Value::as_str);
    Some(lines.collect::<Vec<_>>().join("\n")).filter(|line| !line.is_empty())
}

pub(crate) fn object<'a>(fields: &'a Fields, name: &str) -> Option<&'a Fields> {
    fields.get(name)?.as_object()
}

/// Returns an object, or the object that a text contains as JSON.
pub(crate) fn object_in(value: Option<&Value>) -> Option<Fields> {
    match value? {
        Value::Object(fields) => Some(fields.clone()),
        Value::String(text) => parse_object(text),
        _ => None,
    }
}

pub(crate) fn parse_object(text: &str) -> Option<Fields> {
    match serde_json::from_str(text).or_else(|_| serde_json::from_str(&shallow(text))) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

/// The deepest nesting that is read: deeper values hold no field of ours, and the parser refuses them.
const DEPTH_MAX: usize = 64;

/// Returns JSON with `null` in place of values that are nested too deep.
fn shallow(json: &str) -> String {
    let mut kept = String::new();
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for sign in json.chars() {
        let was_kept = depth <= DEPTH_MAX;
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '{' | '[' if !is_text => {
                depth += 1;
                if depth == DEPTH_MAX + 1 {
                    kept.push_str("null");
                }
            }
            '}' | ']' if !is_text => {
                depth = depth.saturating_sub(1);
                if depth == DEPTH_MAX && !was_kept {
                    continue;
                }
            }
            _ => {}
        }
        if depth <= DEPTH_MAX {
            kept.push(sign);
        }
    }
    kept
}
