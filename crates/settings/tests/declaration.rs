//! What is written from the declaration is committed. `UPDATE=1` writes it again.

#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::fs;
use std::path::{Path, PathBuf};

use forge_memory_settings::{Settings, read};
use proptest::prelude::*;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// What only the page of the settings shows.
const OF_PAGE: [&str; 3] = ["x-value", "x-default", "x-see"];

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/reference")
        .join(path)
}

/// The schema of the declaration, in which null is no value.
fn declared() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator();
    let mut schema = generator.root_schema_for::<Settings>().to_value();
    tidy(&mut schema);
    schema["title"] = "The settings of a project: .forge.json".into();
    schema
}

fn tidy(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    // The names of an enumeration with their descriptions.
    if let Some(Value::Array(choices)) = schema.remove("oneOf") {
        let names = choices.iter().flat_map(|choice| match choice.get("enum") {
            Some(Value::Array(names)) => names.clone(),
            _ => choice.get("const").cloned().into_iter().collect(),
        });
        schema.insert("enum".to_owned(), names.collect());
    }
    let is_plain = schema
        .get("default")
        .is_some_and(|value| !value.is_null() && !value.is_object());
    if !is_plain {
        schema.remove("default");
    }
    for name in ["format", "required"] {
        schema.remove(name);
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(tidy);
    }
}

/// Every setting by its key, in their order.
fn settings_in(schema: &Value, group: &str) -> Vec<(String, Map<String, Value>)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let keys = properties.flat_map(|(name, schema)| match schema.get("properties") {
        Some(_) => settings_in(schema, &format!("{group}{name}.")),
        None => vec![(
            format!("{group}{name}"),
            schema.as_object().cloned().unwrap_or_default(),
        )],
    });
    keys.collect()
}

fn without_notes(mut schema: Value) -> Value {
    if let Value::Object(schema) = &mut schema {
        schema.retain(|name, _| !OF_PAGE.contains(&name.as_str()));
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties
                .values_mut()
                .for_each(|each| *each = without_notes(each.take()));
        }
    }
    schema
}

fn row(key: &str, schema: &Map<String, Value>) -> String {
    let text = |name: &str| schema.get(name).and_then(Value::as_str);
    let code = |value: &Value| format!("`{value}`");
    let plain = |value: &Value| value.as_f64().map_or_else(|| code(value), |number| number.to_string());
    let value = match (
        text("x-value"),
        schema.get("enum"),
        schema.get("minimum"),
        schema.get("maximum"),
    ) {
        (Some(value), ..) => value.to_owned(),
        (_, Some(choices), ..) => choices
            .as_array()
            .unwrap()
            .iter()
            .map(code)
            .collect::<Vec<_>>()
            .join(", "),
        (_, _, Some(min), Some(max)) => format!("{} to {}", plain(min), plain(max)),
        (_, _, Some(min), None) => format!("from {}", plain(min)),
        _ => match text("type") {
            Some("string") => "text",
            Some("array") => "list",
            other => other.unwrap_or("any"),
        }
        .to_owned(),
    };
    let default = match (text("x-default"), schema.get("default")) {
        (Some(default), _) => default.to_owned(),
        (_, Some(Value::Array(_))) => "none".to_owned(),
        (_, Some(default)) => plain(default),
        _ if text("type") == Some("object") => "none".to_owned(),
        _ => String::new(),
    };
    let description = text("description")
        .expect(key)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let mut signs = description.strip_suffix('.').expect(key).chars();
    let first = signs
        .next()
        .map(|sign| sign.to_lowercase().to_string())
        .unwrap_or_default();
    let see = text("x-see").map(|link| format!(" ({link})")).unwrap_or_default();
    format!("| `{key}` | {value} | {default} | {first}{}{see} |\n", signs.as_str()).replace("|  |", "| |")
}

/// Compares a file with what is written from the declaration.
fn is_written(file: &str, written: &str) {
    let file = at(file);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, written).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), written);
}

#[test]
fn the_schema_is_that_of_the_declaration() {
    let schema = serde_json::to_string_pretty(&without_notes(declared())).unwrap();
    is_written("forge.schema.json", &format!("{schema}\n"));
}

#[test]
fn the_rows_of_the_page_are_those_of_the_declaration() {
    let page = fs::read_to_string(at("configuration.md"))
        .unwrap()
        .replace("\r\n", "\n");
    let (before, rest) = page.split_once("|---|---|---|---|\n").unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let rows: String = settings_in(&declared(), "")
        .iter()
        .map(|(key, schema)| row(key, schema))
        .collect();
    is_written(
        "configuration.md",
        &format!("{before}|---|---|---|---|\n{rows}\n{after}"),
    );
}

/// Any value for a setting, the likely ones often.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0u64..10_000).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof!["os", "all", "local", "none", "[a-z/.]{0,6}"].prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map("[a-z]{1,4}", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_passes_the_check_is_of_its_type(values in prop::collection::vec((any::<prop::sample::Index>(), value()), 1..6)) {
        let keys = settings_in(&declared(), "");
        let mut file = Value::Object(Map::new());
        for (index, value) in values {
            let (key, _) = index.get(&keys);
            match key.split_once('.') {
                None => file[key.as_str()] = value,
                Some((group, name)) => {
                    let Some(group) = file.as_object_mut().unwrap().entry(group).or_insert_with(|| Value::Object(Map::new())).as_object_mut() else { continue };
                    group.insert(name.to_owned(), value);
                }
            }
        }
        let read = read(&file.to_string());
        prop_assert!(read.problems.iter().all(|problem| !problem.contains("cannot be read")), "{file}: {:?}", read.problems);
    }
}
