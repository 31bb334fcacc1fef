//! Access to JSON written by other programs: any field may be missing or have another type.

use forge_memory_journal::clock::parse_iso;
use serde_json::Value;

/// The maximum length of the joined texts of one record, in bytes.
const JOINED_MAX: usize = 1 << 20;

/// Returns the string at a key.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Returns the string at a JSON pointer.
pub(crate) fn deep<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// Returns true if a key is `true`.
pub(crate) fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool) == Some(true)
}

/// Returns the items of the array at a key.
pub(crate) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Parses a time into milliseconds since the epoch: ISO 8601, or seconds or milliseconds as a number or text.
pub(crate) fn time(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::String(text) => text.parse().ok().map(millis).or_else(|| parse_iso(text)),
        Value::Number(number) => number
            .as_i64()
            .or_else(|| number.as_f64().map(|seconds| seconds as i64))
            .map(millis),
        _ => None,
    }
}

/// Converts a count of seconds or milliseconds to milliseconds: older stores use seconds.
pub(crate) fn millis(count: i64) -> i64 {
    if count.unsigned_abs() < 100_000_000_000 {
        count.saturating_mul(1000)
    } else {
        count
    }
}

/// Returns the text of a message's content: a string, or an array of parts whose texts are joined.
pub(crate) fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let mut joined = String::new();
            for part in parts.iter().filter_map(part_text) {
                if joined.len() + part.len() > JOINED_MAX {
                    break;
                }
                if !joined.is_empty() {
                    joined.push('\n');
                }
                joined.push_str(part);
            }
            joined
        }
        Value::Object(_) => part_text(value).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

fn part_text(part: &Value) -> Option<&str> {
    match part {
        Value::String(text) => Some(text),
        _ if is_true(part, "thought") => None,
        _ => match text(part, "type") {
            None | Some("text" | "input_text" | "output_text") => text(part, "text"),
            Some(_) => None,
        },
    }
}

/// Returns the path of a `file:` URI.
pub(crate) fn file_uri(address: &str) -> String {
    let path = address.strip_prefix("file://").unwrap_or(address);
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let hex = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match hex
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .filter(|_| *first == b'%')
        {
            Some(byte) => {
                decoded.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                decoded.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Parses JSON inside a string; returns the value unchanged when it is not JSON.
pub(crate) fn nested(value: &Value) -> Value {
    match value {
        Value::String(inner) => serde_json::from_str(inner).unwrap_or_else(|_| value.clone()),
        _ => value.clone(),
    }
}
