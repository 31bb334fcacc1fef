//! Checks the text of a file against the schema that is written from its declaration.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{EmbedderKind, LOCAL_MODELS, OwnSettings, PROJECT_FILE, ReviewPolicy, Settings};

/// The settings of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Read {
    /// The settings with their defaults.
    pub settings: Settings,
    /// What the file says: valid settings, and what belongs to other tools.
    pub given: Map<String, Value>,
    /// What is wrong with it, as messages. Such settings are not used.
    pub problems: Vec<String>,
}

/// Reads the text of a `.forge.json`.
pub fn read(text: &str) -> Read {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_json::from_str(text) {
        Ok(Value::Object(file)) => layered([file]),
        Ok(_) => refused("is not a JSON object".to_owned()),
        Err(error) => refused(format!("is not valid JSON: {error}")),
    }
}

/// Nothing is known of a file that cannot be read: it may have asked for a review, so what agents say waits for one.
fn refused(problem: String) -> Read {
    Read {
        settings: Settings {
            review: ReviewPolicy::Agents,
            ..Settings::default()
        },
        problems: vec![format!("{PROJECT_FILE} {problem}")],
        ..Read::default()
    }
}

/// Reads files of settings of which a later one overrides an earlier one, setting by setting.
pub fn layered(files: impl IntoIterator<Item = Map<String, Value>>) -> Read {
    let (mut given, mut problems) = (Map::new(), Vec::new());
    for mut file in files {
        check_group(&mut file, schema(), "", &mut problems);
        overlay(&mut given, file);
    }
    // What passed the check is of its type.
    let settings = Settings::deserialize(&given);
    let mut settings = settings.unwrap_or_else(|error| {
        problems.push(format!("{PROJECT_FILE} cannot be read: {error}"));
        Settings::default()
    });
    let embedder = &mut settings.embedder;
    if embedder.local_model().is_some_and(|name| !LOCAL_MODELS.contains(&name)) {
        (embedder.kind, embedder.model) = (EmbedderKind::None, None);
        let [english, multilingual] = LOCAL_MODELS;
        problems.push(format!("embedder.model: expected {english} or {multilingual}"));
    }
    Read {
        settings,
        given,
        problems,
    }
}

/// The user's own settings, and what is wrong with them, as messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Own {
    /// The settings; an invalid one has its strict value.
    pub settings: OwnSettings,
    /// The invalid ones.
    pub problems: Vec<String>,
}

/// Reads the text of the user's own settings.
///
/// # Errors
/// It is not a JSON object.
pub fn read_own(text: &[u8]) -> serde_json::Result<Own> {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| {
        serde_json::from_str(include_str!("../../../docs/reference/settings.schema.json")).unwrap_or_default()
    });
    let (mut file, mut problems) = (serde_json::from_slice(text)?, Vec::new());
    check_group(&mut file, schema, "", &mut problems);
    let settings = OwnSettings::deserialize(&file)?;
    Ok(Own { settings, problems })
}

fn overlay(below: &mut Map<String, Value>, file: Map<String, Value>) {
    for (key, value) in file {
        match (below.get_mut(&key), value) {
            (Some(Value::Object(group)), Value::Object(over)) => group.extend(over),
            (_, value) => drop(below.insert(key, value)),
        }
    }
}

fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        serde_json::from_str(include_str!("../../../docs/reference/forge.schema.json")).unwrap_or_default()
    })
}

/// Removes what is not as the schema says, and reports it.
fn check_group(given: &mut Map<String, Value>, schema: &Value, group: &str, problems: &mut Vec<String>) {
    for (name, schema) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let Some(value) = given.get_mut(name) else { continue };
        let key = format!("{group}{name}");
        match value {
            Value::Object(members) if schema.get("properties").is_some() => {
                check_group(members, schema, &format!("{key}."), problems);
            }
            value if fits(value, schema) => {}
            value => {
                problems.push(format!("{key}: expected {}", expected(schema)));
                match schema.get("x-invalid") {
                    Some(instead) => *value = instead.clone(),
                    None => drop(given.remove(name)),
                }
            }
        }
    }
}

/// True if a value is as its schema says. One of several types is checked where it is used.
fn fits(value: &Value, schema: &Value) -> bool {
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    let is_within = |number: f64| {
        limit("minimum").is_none_or(|min| number >= min) && limit("maximum").is_none_or(|max| number <= max)
    };
    if let Some(Value::Array(choices)) = schema.get("enum") {
        return choices.contains(value);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => value.is_boolean(),
        Some("string") => value.is_string(),
        Some("object") => value.is_object(),
        Some("integer") => value.as_u64().is_some_and(|number| is_within(number as f64)),
        Some("number") => value.as_f64().is_some_and(is_within),
        Some("array") => value.as_array().is_some_and(|items| {
            limit("maxItems").is_none_or(|max| items.len() as f64 <= max)
                && items
                    .iter()
                    .all(|item| fits(item, schema.get("items").unwrap_or(&Value::Null)))
        }),
        _ => true,
    }
}

/// Says what a value has to be.
fn expected(schema: &Value) -> String {
    let limit = |name: &str| schema.get(name).map(Value::to_string);
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    if let Some(text) = schema.get("x-expected").and_then(Value::as_str) {
        return text.to_owned();
    }
    if let Some(Value::Array(choices)) = schema.get("enum") {
        let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
        let (last, others) = choices
            .split_last()
            .map_or(("", &[][..]), |(last, others)| (last, others));
        return format!("{} or {last}", others.join(", "));
    }
    let number = if kind == "integer" { "whole number" } else { "number" };
    match (kind, limit("minimum"), limit("maximum")) {
        (_, Some(min), Some(max)) => format!("a {number} from {min} to {max}"),
        (_, Some(min), None) => format!("a {number} of at least {min}"),
        ("boolean", ..) => "true or false".to_owned(),
        ("string", ..) => "a text".to_owned(),
        ("object", ..) => "an object".to_owned(),
        _ => "a list".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        read(text).problems
    }

    #[test]
    fn settings_are_read_and_unknown_ones_ignored() {
        let read = read(
            "\u{feff}{\"projectName\":\"shop\",\"durability\":\"disk\",\"redact\":false,\"other\":1,
              \"openbrain\":{\"dedupThreshold\":0.95,\"url\":\"x\"},\"limits\":{\"eventsBytes\":5000}}",
        );
        let Read {
            settings,
            given,
            problems,
        } = read;
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(settings.project_name.as_deref(), Some("shop"));
        assert_eq!(settings.durability, forge_memory_journal::Durability::Disk);
        assert!(!settings.redact);
        assert_eq!(
            (settings.openbrain.dedup_threshold, settings.limits.events_bytes),
            (0.95, 5000)
        );
        assert_eq!(given.get("other"), Some(&Value::from(1)));
    }

    #[test]
    fn every_invalid_setting_is_reported_and_its_default_is_used() {
        let invalid = r#"{"projectName":7,"formerNames":["a",1],"durability":1,"redact":"yes","freshness":null,"watch":{"rules":{}},
            "openbrain":{"dedupThreshold":7,"keywordMap":{},"timeoutMs":"fast","efSearch":9,"recall":0,"url":1},
            "limits":{"eventsBytes":-1},"lattice":{"maxSeconds":0,"maxMemoryMb":"all","watch":1},"ralph":[],"scopes":[]}"#;
        let read = read(invalid);
        assert_eq!(
            read.problems,
            [
                "projectName: expected a text",
                "formerNames: expected a list of names, at most 16",
                "durability: expected \"os\" or \"disk\"",
                "redact: expected true or false",
                "openbrain.url: expected a text",
                "openbrain.timeoutMs: expected a number from 100 to 600000",
                "openbrain.efSearch: expected a whole number from 10 to 1000",
                "openbrain.recall: expected true or false",
                "openbrain.dedupThreshold: expected a number from 0.9 to 1",
                "openbrain.keywordMap: expected a list",
                "watch.rules: expected a list",
                "limits.eventsBytes: expected a number of bytes, at least 4096",
                "lattice.watch: expected true or false",
                "lattice.maxSeconds: expected a whole number of at least 1",
                "lattice.maxMemoryMb: expected a whole number of at least 64",
                "freshness: expected true or false",
                "scopes: expected an object",
                "ralph: expected an object",
            ]
        );
        assert_eq!(read.settings, Settings::default());
        assert_eq!((problems("{").len(), problems("[]").len()), (1, 1));
    }

    #[test]
    fn an_invalid_value_that_would_lower_a_guard_counts_as_the_strict_one() {
        for wrong in [r#"{"review":true}"#, r#"{"review":"Agents"}"#, r#"{"review":null}"#] {
            let read = read(wrong);
            assert_eq!(read.settings.review, crate::ReviewPolicy::Agents, "{wrong}");
            assert_eq!(read.problems, ["review: expected \"off\", \"agents\" or \"all\""]);
        }
        for broken in ["{", "[]", r#"{"review":"agents",}"#] {
            assert_eq!(read(broken).settings.review, crate::ReviewPolicy::Agents, "{broken}");
        }
        let read = read(r#"{"embedder":{"kind":"other"}}"#);
        assert_eq!(read.settings.embedder.kind, EmbedderKind::Unknown);
        assert_eq!(read.problems.len(), 1);
    }

    #[test]
    fn an_invalid_setting_of_the_user_counts_as_the_strict_one() {
        let invalid = r#"{"redact":1,"review":true,"search":null,"capture":"none","history":{"exclude":"x","enabled":"no"},"other":1}"#;
        let Own { settings, problems } = read_own(invalid.as_bytes()).unwrap();
        let strict = OwnSettings {
            redact: true,
            review: crate::ReviewPolicy::Agents,
            search: crate::SearchReach::Project,
            capture: crate::CapturePolicy::Trusted,
            history: crate::History::default(),
        };
        assert_eq!(settings, strict);
        assert_eq!(
            problems,
            [
                "redact: expected true or false",
                "review: expected \"off\", \"agents\" or \"all\"",
                "search: expected \"all\" or \"project\"",
                "capture: expected \"all\" or \"trusted\"",
                "history.exclude: expected a list of folders",
                "history.enabled: expected true or false",
            ]
        );
        assert_eq!(read_own(b"{}").unwrap(), Own::default());
        assert!(read_own(b"[]").is_err() && read_own(b"{").is_err());
    }

    #[test]
    fn a_local_model_is_chosen_by_its_name_and_never_by_a_path() {
        let chosen = |text: &str| {
            let Read { settings, problems, .. } = read(text);
            let embedder = settings.embedder;
            (
                embedder.local_model().map(str::to_owned),
                embedder.is_wanted(),
                problems.len(),
            )
        };
        let small = || (Some("multilingual-e5-small".to_owned()), true, 0);
        assert_eq!(
            chosen(r#"{"embedder":{"kind":"local","model":"multilingual-e5-small"}}"#),
            small()
        );
        assert_eq!(chosen(r#"{"embedder":{"model":"multilingual-e5-small"}}"#), small());
        // The model of a server is its own affair.
        assert_eq!(
            chosen(r#"{"embedder":{"kind":"ollama","model":"nomic/embed:v1"}}"#),
            (None, true, 0)
        );
        for name in [
            "../../x",
            "a/b",
            "a\\\\b",
            "..",
            ".x",
            "/etc/passwd",
            "",
            "a b",
            "e5-small-v2",
        ] {
            let text = format!(r#"{{"embedder":{{"model":"{name}"}}}}"#);
            assert_eq!(chosen(&text), (None, false, 1), "{name}");
        }
    }

    #[test]
    fn a_later_file_overrides_an_earlier_one_setting_by_setting() {
        let file = |text: &str| serde_json::from_str(text).unwrap();
        let user = r#"{"openbrain":{"timeoutMs":2000,"recall":false}}"#;
        let project = r#"{"openbrain":{"timeoutMs":1,"recall":true},"redact":false}"#;
        let Read { settings, problems, .. } = layered([file(user), file(project)]);
        assert_eq!(
            (settings.openbrain.timeout_ms, settings.openbrain.recall),
            (2000.0, true)
        );
        assert_eq!((settings.openbrain.search_timeout_ms, settings.redact), (5000.0, false));
        assert_eq!(problems.len(), 1);
    }
}
