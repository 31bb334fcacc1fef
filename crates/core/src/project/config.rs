//! Finds a project and reads its `.forge.json`.

use std::path::Path;

use serde_json::Value;

use crate::journal::{Disk, Durability, read_text};
use crate::model::author::Speaker;
use crate::model::limits::check_name;
use crate::project::keywords::KeywordMap;

/// The file of a project's settings.
pub const CONFIG_FILE: &str = ".forge.json";

const MIB: u64 = 1024 * 1024;

/// The most former names of a project.
const FORMER_NAMES_MAX: usize = 16;

/// With a lower one, a clone could make new records pass for known ones.
const DEDUP_THRESHOLD_MIN: f64 = 0.9;

/// The settings that are used. Unknown keys belong to other tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// `projectName`; when absent, the identity of the repository or of the folder.
    pub project_name: Option<String>,
    /// `formerNames`: what the project was called before.
    pub former_names: Vec<String>,
    /// `durability`: `os` or `disk`.
    pub durability: Durability,
    /// `redact`: whether secrets are removed before anything is stored.
    pub redact: bool,
    /// The file sets `redact` to false, whether the user allows that or not.
    pub asks_to_keep_secrets: bool,
    /// The user captures in approved projects only, and this is another one.
    pub is_capture_refused: bool,
    /// `openbrain.dedupThreshold`: the minimum cosine of two near duplicates, 0.9 to 1.
    pub dedup_threshold: f64,
    /// `limits.eventsBytes`: the size at which the event file is rotated.
    pub events_bytes: u64,
    /// `limits.telemetryBytes`: the size at which the telemetry file is rotated.
    pub telemetry_bytes: u64,
    /// `freshness`: whether what a record mentions is checked when the record is returned.
    pub freshness: bool,
    /// `review`: whose records require a review.
    pub review: ReviewPolicy,
    /// `embedder.kind`: false when it is `none`; `recall` is lexical only then, whether the model is installed or not.
    pub meaning: bool,
    /// `embedder.model` when the embedder is the local one: the name of an installed model; when absent, the user's choice.
    pub local_model: Option<String>,
    /// `ralph.capture`: whether entries that are added to a loop's memory are captured as well.
    pub ralph_capture: bool,
    /// `lattice.maxSeconds`: the time limit of a run of the code index; it can only lower the default.
    pub lattice_seconds: Option<u64>,
    /// `lattice.maxMemoryMb`: the memory limit of such a run; it can only lower the default.
    pub lattice_memory_mb: Option<u64>,
    /// The problems of the file, as messages; the defaults apply instead.
    pub problems: Vec<String>,
    /// The file exists but could not be read: it is read again even when it has not changed.
    pub is_unread: bool,
}

/// Whose records require a review before agents get them, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ReviewPolicy {
    /// No records.
    #[default]
    Off,
    /// Records of all speakers except people.
    Agents,
    /// All records.
    All,
}

impl ReviewPolicy {
    /// Tells whether records of a speaker require a review.
    pub fn covers(self, speaker: &Speaker) -> bool {
        speaker.waits.unwrap_or(match self {
            ReviewPolicy::Off => false,
            ReviewPolicy::Agents => !speaker.is_person(),
            ReviewPolicy::All => true,
        })
    }

    /// Returns the name of the policy in the settings.
    pub fn name(self) -> &'static str {
        match self {
            ReviewPolicy::Off => "off",
            ReviewPolicy::Agents => "agents",
            ReviewPolicy::All => "all",
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            project_name: None,
            former_names: Vec::new(),
            durability: Durability::Os,
            redact: true,
            asks_to_keep_secrets: false,
            is_capture_refused: false,
            dedup_threshold: DEDUP_THRESHOLD_MIN,
            events_bytes: 8 * MIB,
            telemetry_bytes: 8 * MIB,
            freshness: true,
            review: ReviewPolicy::Off,
            meaning: true,
            local_model: None,
            ralph_capture: false,
            lattice_seconds: None,
            lattice_memory_mb: None,
            problems: Vec::new(),
            is_unread: false,
        }
    }
}

impl Config {
    /// Reads the settings in a project's `.forge.json`. Unreadable or invalid settings are problems, not errors.
    pub fn load(disk: &dyn Disk, file: &Path) -> Self {
        match read_text(disk, file) {
            Ok(text) => Config::parse(&text),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Config::default(),
            Err(e) => Config {
                problems: vec![format!("{CONFIG_FILE} cannot be read: {e}")],
                is_unread: true,
                ..Config::default()
            },
        }
    }

    /// Reads settings from the text of a `.forge.json`.
    pub fn parse(text: &str) -> Self {
        let mut config = Config::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => value,
            Ok(_) => {
                config.problems.push(format!("{CONFIG_FILE} is not a JSON object"));
                return config;
            }
            Err(e) => {
                config.problems.push(format!("{CONFIG_FILE} is not valid JSON: {e}"));
                return config;
            }
        };
        config.take(&value);
        config
    }

    fn take_former_names(&mut self, value: &Value) {
        let Some(names) = value.get("formerNames") else {
            return;
        };
        let names = names.as_array().filter(|names| names.len() <= FORMER_NAMES_MAX);
        let names: Option<Vec<String>> = names.and_then(|names| {
            let checked = |name: &Value| check_name("formerNames", name.as_str()?.trim().to_owned()).ok();
            names.iter().map(checked).collect()
        });
        match names {
            Some(names) => self.former_names = names,
            None => self
                .problems
                .push("formerNames: expected a list of names, at most 16".into()),
        }
    }

    fn take_embedder(&mut self, value: &Value) {
        let kind = value
            .pointer("/embedder/kind")
            .and_then(Value::as_str)
            .unwrap_or("local");
        self.meaning = kind != "none";
        if kind != "local" {
            return;
        }
        match value.pointer("/embedder/model").map(Value::as_str) {
            None => {}
            Some(Some(name)) if is_model_name(name) => self.local_model = Some(name.to_owned()),
            Some(_) => {
                self.meaning = false;
                self.problems
                    .push("embedder.model: expected the name of an installed model, and no path".into());
            }
        }
    }

    fn take(&mut self, value: &Value) {
        let name = value.get("projectName").and_then(Value::as_str).map(str::trim);
        self.project_name = name.filter(|name| !name.is_empty()).map(str::to_owned);
        self.take_former_names(value);
        match value.get("durability").map(|v| v.as_str()) {
            None | Some(Some("os")) => {}
            Some(Some("disk")) => self.durability = Durability::Disk,
            Some(_) => self.problems.push("durability: expected \"os\" or \"disk\"".into()),
        }
        match value.get("redact") {
            None => {}
            Some(Value::Bool(redact)) => self.redact = *redact,
            Some(_) => self.problems.push("redact: expected true or false".into()),
        }
        match value.get("freshness") {
            None => {}
            Some(Value::Bool(freshness)) => self.freshness = *freshness,
            Some(_) => self.problems.push("freshness: expected true or false".into()),
        }
        match value.get("review").map(Value::as_str) {
            None | Some(Some("off")) => {}
            Some(Some("agents")) => self.review = ReviewPolicy::Agents,
            Some(Some("all")) => self.review = ReviewPolicy::All,
            Some(_) => {
                // An unreadable setting must not disable the review.
                self.review = ReviewPolicy::Agents;
                self.problems
                    .push("review: expected \"off\", \"agents\" or \"all\"".into());
            }
        }
        self.take_embedder(value);
        match value.pointer("/ralph/capture") {
            None => {}
            Some(Value::Bool(capture)) => self.ralph_capture = *capture,
            Some(_) => self.problems.push("ralph.capture: expected true or false".into()),
        }
        for (pointer, min, field) in [
            ("/lattice/maxSeconds", 1, &mut self.lattice_seconds),
            ("/lattice/maxMemoryMb", 64, &mut self.lattice_memory_mb),
        ] {
            match value.pointer(pointer).map(Value::as_u64) {
                None => {}
                Some(Some(limit)) if limit >= min => *field = Some(limit),
                Some(_) => self.problems.push(format!(
                    "{}: expected a whole number of at least {min}",
                    dotted(pointer)
                )),
            }
        }
        if let Some(threshold) = value.pointer("/openbrain/dedupThreshold") {
            match threshold.as_f64() {
                Some(number) if (DEDUP_THRESHOLD_MIN..=1.0).contains(&number) => self.dedup_threshold = number,
                _ => self
                    .problems
                    .push("openbrain.dedupThreshold: expected a number from 0.9 to 1".into()),
            }
        }
        self.problems
            .extend(KeywordMap::read(value.pointer("/openbrain/keywordMap")).1);
        if value.pointer("/watch/rules").is_some_and(|rules| !rules.is_array()) {
            self.problems.push("watch.rules: expected a list".into());
        }
        for (pointer, field) in [
            ("/limits/eventsBytes", &mut self.events_bytes),
            ("/limits/telemetryBytes", &mut self.telemetry_bytes),
        ] {
            if let Some(limit) = value.pointer(pointer) {
                match limit.as_u64() {
                    Some(bytes) if bytes >= 4096 => *field = bytes,
                    _ => self.problems.push(format!(
                        "{}: expected a number of bytes, at least 4096",
                        dotted(pointer)
                    )),
                }
            }
        }
    }
}

/// Tells whether a text can be the name of a model. It becomes the name of a folder where the models are.
fn is_model_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.contains("..")
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_unknown_ones_ignored() {
        let config = Config::parse(
            "\u{feff}{\"projectName\":\"shop\",\"durability\":\"disk\",\"redact\":false,\"other\":1,
              \"openbrain\":{\"dedupThreshold\":0.95,\"url\":\"x\"},\"limits\":{\"eventsBytes\":5000}}",
        );
        assert_eq!(config.project_name.as_deref(), Some("shop"));
        assert_eq!((config.durability, config.redact), (Durability::Disk, false));
        assert_eq!((config.dedup_threshold, config.events_bytes), (0.95, 5000));
        assert_eq!(config.problems, Vec::<String>::new());
    }

    #[test]
    fn invalid_settings_are_reported_and_defaults_are_used() {
        let config = Config::parse(
            r#"{"durability":1,"redact":"yes","openbrain":{"dedupThreshold":7,"keywordMap":[{"pattern":"("}]},
                "limits":{"eventsBytes":-1},"watch":{"rules":{}},"lattice":{"maxSeconds":0,"maxMemoryMb":"all"}}"#,
        );
        assert_eq!(config.problems.len(), 8, "{:?}", config.problems);
        assert_eq!(
            Config {
                problems: Vec::new(),
                ..config
            },
            Config::default()
        );
        assert_eq!(Config::parse("{").problems.len(), 1);
        assert_eq!(Config::parse("[]").problems.len(), 1);
    }

    #[test]
    fn a_local_model_is_chosen_by_its_name_and_never_by_a_path() {
        let chosen = |text: &str| {
            let config = Config::parse(text);
            (config.local_model, config.meaning, config.problems.len())
        };
        assert_eq!(
            chosen(r#"{"embedder":{"kind":"local","model":"e5-small-v2"}}"#),
            (Some("e5-small-v2".to_owned()), true, 0)
        );
        assert_eq!(
            chosen(r#"{"embedder":{"model":"e5-small-v2"}}"#),
            (Some("e5-small-v2".to_owned()), true, 0)
        );
        // The model of a server is its own affair.
        assert_eq!(
            chosen(r#"{"embedder":{"kind":"ollama","model":"nomic/embed:v1"}}"#),
            (None, true, 0)
        );
        for name in ["../../x", "a/b", "a\\\\b", "..", ".x", "/etc/passwd", "", "a b"] {
            let text = format!(r#"{{"embedder":{{"model":"{name}"}}}}"#);
            assert_eq!(chosen(&text), (None, false, 1), "{name}");
        }
        assert_eq!(chosen(r#"{"embedder":{"model":7}}"#), (None, false, 1));
    }

    #[test]
    fn freshness_is_checked_unless_disabled_in_the_settings() {
        assert!(Config::parse("{}").freshness);
        assert!(!Config::parse(r#"{"freshness":false}"#).freshness);
        let wrong = Config::parse(r#"{"freshness":"no"}"#);
        assert!(wrong.freshness);
        assert_eq!(wrong.problems, ["freshness: expected true or false"]);
    }

    #[test]
    fn reviews_are_off_by_default_and_an_unreadable_setting_enables_them() {
        let policy = |text: &str| Config::parse(text).review;
        assert_eq!(policy("{}"), ReviewPolicy::Off);
        assert_eq!(policy(r#"{"review":"off"}"#), ReviewPolicy::Off);
        assert_eq!(policy(r#"{"review":"all"}"#), ReviewPolicy::All);
        for wrong in [r#"{"review":true}"#, r#"{"review":"Agents"}"#, r#"{"review":null}"#] {
            assert_eq!(policy(wrong), ReviewPolicy::Agents, "{wrong}");
            assert_eq!(Config::parse(wrong).problems.len(), 1);
        }
        let (person, unknown) = (Speaker::person(), Speaker::default());
        assert!(!ReviewPolicy::Off.covers(&unknown) && ReviewPolicy::Agents.covers(&unknown));
        assert!(!ReviewPolicy::Agents.covers(&person) && ReviewPolicy::All.covers(&person));
    }
}
