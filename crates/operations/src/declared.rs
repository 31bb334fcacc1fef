//! The schemas of arguments, and of the answers that tools tell, as the surfaces use them: the tools of MCP, the parameters of routes and the
//! options of commands take names, types, choices, limits and descriptions from them.

use serde_json::{Map, Value};

use crate::declarations::{PROJECT, of_surfaces};
use crate::{answers, inputs, list};

const KEPT: &str = "type enum required minimum maximum minLength minItems maxItems";

/// Returns the schemas of the arguments that have fields, and of the answers that tools tell parts of, by name.
pub fn declared(is_told: impl Fn(&str) -> bool) -> [Map<String, Value>; 2] {
    let arguments = inputs().into_iter().chain(of_surfaces()).collect();
    let [mut inputs, mut answers] = [arguments, answers()].map(|definitions: Map<_, _>| {
        let whole = definitions
            .iter()
            .map(|(name, schema)| (name.clone(), described(schema, &definitions)));
        whole.collect::<Map<_, _>>()
    });
    inputs.retain(|_, schema| schema.get("properties").is_some());
    answers.retain(|name, _| is_told(name));
    inputs.sort_keys();
    answers.sort_keys();
    [inputs, answers]
}

/// Describes the fields, but not what they consist of.
fn described(schema: &Value, definitions: &Map<String, Value>) -> Value {
    let mut whole = plain(schema, definitions);
    let fields = whole.get_mut("properties").and_then(Value::as_object_mut);
    for (name, field) in fields.into_iter().flatten() {
        let text = schema.pointer(&format!("/properties/{name}/description"));
        if let (Some(text), Value::Object(field)) = (text.and_then(Value::as_str), field) {
            field.insert("description".to_owned(), first_sentence(text).into());
        }
    }
    whole
}

/// Reduces a schema to what is used of it. What may be absent need not say that it may be null.
fn plain(schema: &Value, definitions: &Map<String, Value>) -> Value {
    let plain = |schema: &Value| plain(schema, definitions);
    let name = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next());
    let variants = list(schema, "oneOf").iter().chain(list(schema, "anyOf"));
    let variants = variants.chain(name.and_then(|name| definitions.get(name)));
    let variants: Vec<Value> = variants
        .filter(|one| one.get("type").is_none_or(|kind| kind != "null"))
        .map(plain)
        .collect();
    let names: Vec<Value> = variants.iter().flat_map(|one| list(one, "enum")).cloned().collect();
    let mut field = match &variants[..] {
        [Value::Object(one)] => one.clone(),
        all if all.iter().any(|one| one.get("enum").is_none()) => Map::from_iter([("anyOf".to_owned(), all.into())]),
        [] => Map::new(),
        _ => Map::from_iter([("enum".to_owned(), names.into())]),
    };
    for (key, value) in schema.as_object().into_iter().flatten() {
        let (key, value) = match (key.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                let fields = fields.iter().filter(|(name, _)| *name != PROJECT);
                (
                    key.as_str(),
                    fields.map(|(name, field)| (name.clone(), plain(field))).collect(),
                )
            }
            ("items" | "additionalProperties", Value::Object(_)) => (key.as_str(), plain(value)),
            ("const", name) => ("enum", vec![name.clone()].into()),
            ("type", Value::Array(kinds)) => ("type", kinds.iter().find(|kind| *kind != "null").cloned().into()),
            (key, value) if KEPT.split(' ').any(|kept| kept == key) => (key, value.clone()),
            _ => continue,
        };
        field.insert(key.to_owned(), value);
    }
    field.into()
}

/// Surfaces have little room: a description begins with what everybody needs. Marks of code are of no use outside of a page.
fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let begins = |next: &str| next.starts_with(|sign: char| sign.is_uppercase() || sign == '`');
    let mut ends = text.match_indices(". ").map(|(at, _)| at + 1);
    let end = ends.find(|at| begins(&text[at + 1..]));
    text[..end.unwrap_or(text.len())].replace('`', "")
}
