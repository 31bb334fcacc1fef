//! JSON Canonicalization Scheme (RFC 8785): equal values have one serialization, whichever program writes them.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

/// Returns the canonical text of a value.
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

/// Returns the `content_hash` of a record's line without parsing it into a tree; `None` when it is not a JSON object.
pub fn record_hash(line: &[u8]) -> Option<String> {
    let RawFields(mut fields) = serde_json::from_slice(line).ok()?;
    // The last value of a duplicate name counts; the sort is stable.
    fields.sort_by(|a, b| {
        if a.0.is_ascii() && b.0.is_ascii() {
            a.0.cmp(&b.0)
        } else {
            a.0.encode_utf16().cmp(b.0.encode_utf16())
        }
    });
    let mut text = String::with_capacity(line.len() + 2);
    text.push('{');
    for (at, (name, raw)) in fields.iter().enumerate() {
        let repeated = fields.get(at + 1).is_some_and(|next| next.0 == *name);
        if repeated || name == "hallmark" || name.starts_with('_') {
            continue;
        }
        if text.len() > 1 {
            text.push(',');
        }
        write_string(name, &mut text);
        text.push(':');
        write_raw(raw.get(), &mut text)?;
    }
    text.push('}');
    Some(crate::model::digest::hash_bytes(text.as_bytes()))
}

/// Texts without escapes and the empty list are already canonical.
fn write_raw(raw: &str, out: &mut String) -> Option<()> {
    let plain = raw.starts_with('"') && memchr::memchr(b'\\', raw.as_bytes()).is_none();
    if plain || raw == "[]" {
        out.push_str(raw);
    } else {
        write_value(&serde_json::from_str(raw).ok()?, out);
    }
    Some(())
}

struct RawFields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for RawFields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> serde::de::Visitor<'de> for Visit {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;
            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(16);
                while let Some((Name(name), raw)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    fields.push((name, raw));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Visit).map(RawFields)
    }
}

#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_value(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            // Names sort by UTF-16 code units, which differs from UTF-8 order beyond the Basic Multilingual Plane.
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (at, name) in names.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_string(name, out);
                out.push(':');
                write_value(&fields[name.as_str()], out);
            }
            out.push('}');
        }
    }
}

/// Numbers are IEEE doubles, written as ECMAScript writes them.
fn write_number(number: &serde_json::Number, out: &mut String) {
    let double = number.as_f64().unwrap_or(0.0);
    out.push_str(ryu_js::Buffer::new().format(double));
}

/// The escapes of `JSON.stringify`: exactly those that JSON requires.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    // Most texts need no escapes, and a loop without branches is vectorized.
    let needs_escape = |bad: bool, byte: u8| bad | (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    if !text.bytes().fold(false, needs_escape) {
        out.push_str(text);
        return out.push('"');
    }
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape: &str = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            0x09 => "\\t",
            0x0a => "\\n",
            0x0c => "\\f",
            0x0d => "\\r",
            0..=0x1f => "",
            _ => continue,
        };
        out.push_str(text.get(plain_from..at).unwrap_or_default());
        if escape.is_empty() {
            out.push_str(&format!("\\u{byte:04x}"));
        } else {
            out.push_str(escape);
        }
        plain_from = at + 1;
    }
    out.push_str(text.get(plain_from..).unwrap_or_default());
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn canonical(text: &str) -> String {
        canonical_json(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn the_example_of_the_standard_is_reproduced() {
        let input = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
            "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
            \"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(input), expected);
    }

    #[test]
    fn names_sort_by_their_utf16_units() {
        let input = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        let text = canonical_json(&input);
        let order: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
        // The digit in each name identifies its position.
        assert_eq!(order, ['2', '1', '4', '6', '7', '1', '5', '3']);
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        assert_eq!(canonical("[1.0,0,-0.0,100,1e21,0.7]"), "[1,0,0,100,1e+21,0.7]");
    }
}
