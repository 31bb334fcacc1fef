//! TypeScript of JSON schemas: interfaces for objects, and for enumerations the unions of their names at the place of use.

use serde_json::{Map, Value};

type Schemas = Map<String, Value>;

/// The maximum length of a line of a comment.
const WIDTH: usize = 120;

/// Writes the objects among some schemas as interfaces, in the order of their names.
pub fn typescript(schemas: &Schemas) -> String {
    let mut names: Vec<&String> = schemas.keys().collect();
    names.sort_unstable();
    let objects = names
        .into_iter()
        .filter_map(|name| interface(name, schemas.get(name)?, schemas));
    objects.collect::<Vec<_>>().join("\n")
}

fn interface(name: &str, schema: &Value, schemas: &Schemas) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    let required: Vec<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
    let mut text = format!("{}export interface {name} {{\n", comment(schema, ""));
    for (property, schema) in properties {
        let is_optional = !required.contains(&property.as_str());
        let mark = if is_optional { "?" } else { "" };
        let kind = type_of(schema, schemas, is_optional);
        text += &format!("{}  {property}{mark}: {kind}\n", comment(schema, "  "));
    }
    text += "}\n";
    Some(text)
}

/// Returns the type of a value. What may be absent need not say that it may be null as well.
fn type_of(schema: &Value, schemas: &Schemas, is_optional: bool) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap_or(name);
        return match schemas.get(name) {
            Some(target) if target.get("properties").is_none() => type_of(target, schemas, is_optional),
            _ => name.to_owned(),
        };
    }
    let named = ["const", "enum"].iter().any(|key| schema.get(key).is_some());
    if named {
        let values = schema.get("const").map_or(list(schema, "enum"), std::slice::from_ref);
        return union(values.iter().map(|value| match value {
            Value::String(text) => format!("'{text}'"),
            other => other.to_string(),
        }));
    }
    for key in ["oneOf", "anyOf"] {
        let variants = list(schema, key).iter().filter(|one| !is_optional || !is_null(one));
        let variants: Vec<String> = variants.map(|one| type_of(one, schemas, is_optional)).collect();
        if !variants.is_empty() {
            return union(variants.into_iter());
        }
    }
    if let Some(kinds) = schema.get("type").and_then(Value::as_array) {
        let kinds = kinds.iter().filter(|kind| !is_optional || *kind != "null");
        return union(kinds.map(|kind| plain(kind, schema, schemas)));
    }
    schema
        .get("type")
        .map_or("unknown".to_owned(), |kind| plain(kind, schema, schemas))
}

fn plain(kind: &Value, schema: &Value, schemas: &Schemas) -> String {
    match kind.as_str().unwrap_or_default() {
        "integer" | "number" => "number".to_owned(),
        "array" => match schema.get("prefixItems") {
            Some(Value::Array(items)) => {
                let items: Vec<String> = items.iter().map(|item| type_of(item, schemas, false)).collect();
                format!("[{}]", items.join(", "))
            }
            _ => format!(
                "Array<{}>",
                schema
                    .get("items")
                    .map_or("unknown".to_owned(), |item| type_of(item, schemas, false))
            ),
        },
        "object" => match schema.get("additionalProperties") {
            Some(values) if values.is_object() => format!("Record<string, {}>", type_of(values, schemas, false)),
            _ => "Record<string, unknown>".to_owned(),
        },
        other => other.to_owned(),
    }
}

fn union(variants: impl Iterator<Item = String>) -> String {
    variants.collect::<Vec<_>>().join(" | ")
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

pub(crate) fn list<'s>(schema: &'s Value, key: &str) -> &'s [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the description of a schema as a comment.
fn comment(schema: &Value, indent: &str) -> String {
    let Some(text) = schema.get("description").and_then(Value::as_str) else {
        return String::new();
    };
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, String::len);
        if line > 0 && indent.len() + line + word.len() + 4 > WIDTH {
            lines.push(String::new());
        }
        let Some(line) = lines.last_mut() else { continue };
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match &lines[..] {
        [line] if indent.len() + line.len() + 7 <= WIDTH => format!("{indent}/** {line} */\n"),
        lines => {
            let lines: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}
