//! What is written from the declaration is committed. `UPDATE=1` writes it again.

#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::fs;
use std::path::{Path, PathBuf};

use forge_memory_settings::environment::{Row, VARIABLES};
use forge_memory_settings::{
    OWN_FILE, OWN_STORE_FILE, OwnSettings, OwnStoreSettings, PROJECT_FILE, Settings, read, read_own,
};
use proptest::prelude::*;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// What only the page of the settings shows.
const OF_PAGE: [&str; 3] = ["x-value", "x-default", "x-see"];

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The schema of a declaration, in which null is no value.
fn declared<T: JsonSchema>(title: &str) -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator();
    let mut schema = generator.root_schema_for::<T>().to_value();
    tidy(&mut schema);
    schema["title"] = title.into();
    schema
}

fn of_project() -> Value {
    declared::<Settings>("The settings of a project: .forge.json")
}

fn of_user() -> Value {
    declared::<OwnSettings>("The settings of a user: settings.json in ~/.forge")
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

/// Writes the rows of the table of a page whose header has a text.
fn has_rows(page: &str, header: &str, rows: &str) {
    let text = fs::read_to_string(at(page)).unwrap().replace("\r\n", "\n");
    let (before, rest) = text.split_once(header).expect(header);
    let (titles, rest) = rest.split_once("|\n").unwrap();
    let (_, after) = rest
        .split_once("\n\n")
        .map_or(("", ""), |(table, after)| (table, after));
    let line = "|---".repeat(titles.matches('|').count() + 2);
    let after = if after.is_empty() {
        String::new()
    } else {
        format!("\n{after}")
    };
    is_written(page, &format!("{before}{header}{titles}|\n{line}|\n{rows}{after}"));
}

fn rows<'a>(settings: impl IntoIterator<Item = &'a (String, Map<String, Value>)>) -> String {
    settings.into_iter().map(|(key, schema)| row(key, schema)).collect()
}

fn variable_row((names, text): &Row) -> String {
    let code: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
    let default = match names {
        [(_, Some(default))] => format!("; `{default}` without"),
        _ => String::new(),
    };
    format!("| {} | {text}{default} |\n", code.join(", "))
}

#[test]
fn the_schemas_are_those_of_the_declarations() {
    for (file, schema) in [("forge", of_project()), ("settings", of_user())] {
        let schema = serde_json::to_string_pretty(&without_notes(schema)).unwrap();
        is_written(&format!("docs/reference/{file}.schema.json"), &format!("{schema}\n"));
    }
}

#[test]
fn the_rows_of_the_pages_are_those_of_the_declarations() {
    let (page, own) = ("docs/reference/configuration.md", settings_in(&of_user(), ""));
    let (history, floors): (Vec<_>, Vec<_>) = own.into_iter().partition(|(key, _)| key.starts_with("history."));
    let store = settings_in(&declared::<OwnStoreSettings>(""), "openbrain.");
    has_rows(page, "| key |", &rows(&settings_in(&of_project(), "")));
    has_rows(page, "| key in `config.json` |", &rows(&store));
    has_rows(page, "| key in `settings.json` |", &rows(&floors));
    has_rows(
        "docs/history.md",
        "| key in `~/.forge/settings.json` |",
        &rows(&history),
    );
    let ours = VARIABLES.iter().filter(|(_, text)| !text.is_empty());
    has_rows(page, "| variable |", &ours.map(variable_row).collect::<String>());
}

#[test]
fn the_names_for_typescript_are_those_of_the_declarations() {
    let variables = || VARIABLES.iter().flat_map(|(names, _)| *names);
    let names: String = variables().map(|(name, _)| format!("\n  | '{name}'")).collect();
    let defaults: String = variables()
        .filter_map(|(name, default)| Some(format!("  {name}: '{}',\n", (*default)?)))
        .collect();
    let own = settings_in(&of_user(), "").into_iter();
    let floors = own.filter(|(key, schema)| !key.contains('.') && schema.contains_key("default"));
    let floors: String = floors
        .map(|(key, schema)| format!("  {key}: {},\n", schema["default"].to_string().replace('"', "'")))
        .collect();
    let text = format!(
        "// The names and defaults that `crates/settings` declares. `UPDATE=1 cargo test -p forge-memory-settings` writes this file.

/** The settings of a project; those of the user, in the user's own folder; and the user's store and embedder for all projects. */
export const PROJECT_FILE = '{PROJECT_FILE}'
export const OWN_FILE = '{OWN_FILE}'
export const OWN_STORE_FILE = '{OWN_STORE_FILE}'

/** What the user's settings are that are not given. */
export const OWN_DEFAULTS = {{
{floors}}} as const

/** The variables of the environment that are read. */
export type Variable ={names}

/** What those count as that are not set. */
export const DEFAULTS = {{
{defaults}}} as const
"
    );
    is_written("lib/shared/declared-settings.ts", &text);
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
        let keys = settings_in(&of_project(), "");
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
        prop_assert!(read_own(file.to_string().as_bytes()).is_ok());
        prop_assert!(read.problems.iter().all(|problem| !problem.contains("cannot be read")), "{file}: {:?}", read.problems);
    }
}
