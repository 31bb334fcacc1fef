//! Payloads of hosts are untrusted JSON of any shape and version: every field is checked before it is used.

use serde_json::{Map, Value};

pub(crate) type Fields = Map<String, Value>;

/// Returns the first of these fields that is a text with something in it.
pub(crate) fn text<'a>(fields: &'a Fields, names: &[&str]) -> Option<&'a str> {
    let values = names.iter().filter_map(|name| fields.get(*name)?.as_str());
    values.into_iter().find(|text| !text.is_empty())
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
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}
