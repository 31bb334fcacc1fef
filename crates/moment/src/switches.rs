//! The switches with which users disable the memory: `FORGE_MEMORY=off` for everything, `forge-memory pause` for some time, `hooks` in
//! `.forge.json` per event, and `[memory: off]` in a prompt for its session.

use std::path::{Path, PathBuf};

use forge_memory_core::Result;
use forge_memory_core::clock::{Millis, format_iso, parse_iso};
use forge_memory_core::frame::unframe;
use forge_memory_core::settings::environment::FORGE_MEMORY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hosts::Event;
use crate::lines::head;
use crate::machine::off_by_environment;
use crate::own_lines::own_lines;
use crate::private;
use crate::prompt::own_words;

/// True if hooks and tools are enabled, and why not.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// They are.
    On,
    /// The environment says so: `FORGE_MEMORY=off`.
    Off(String),
    /// A pause holds, of this project or of all.
    Paused {
        /// How long.
        pause: Pause,
        /// True if it is one of all projects.
        everywhere: bool,
    },
}

/// A pause that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MemoryPause")]
pub struct Pause {
    /// When it began.
    pub since: String,
    /// When it ends; absent when it lasts until `resumeMemory`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// True if the memory is enabled in a project now, or anywhere when none is given.
#[must_use]
pub fn standing_of(home: &Path, project: Option<&Path>, now: Millis) -> Standing {
    if let Some(value) = off_by_environment() {
        return Standing::Off(format!("{FORGE_MEMORY}={value}"));
    }
    for named in [None].into_iter().chain(project.map(Some)) {
        let Some(pause) = read_pause(home, named) else { continue };
        if pause
            .until
            .as_deref()
            .and_then(parse_iso)
            .is_none_or(|until| until > now)
        {
            return Standing::Paused {
                pause,
                everywhere: named.is_none(),
            };
        }
    }
    Standing::On
}

/// Pauses the memory for agents in one project, or in all when none is given, for some time or until it is resumed.
pub fn pause(home: &Path, project: Option<&Path>, ms: Option<Millis>, now: Millis) -> Result<Pause> {
    let made = Pause {
        since: format_iso(now),
        until: ms.map(|ms| format_iso(now + ms)),
    };
    private::write(
        home,
        &path_of(home, project),
        &serde_json::to_string(&made).unwrap_or_default(),
    )?;
    Ok(made)
}

/// Ends the pauses that apply to a project. Returns true if there was one.
pub fn resume(home: &Path, project: &Path) -> bool {
    let places = [None, Some(project)];
    let was = places.iter().any(|named| read_pause(home, *named).is_some());
    for named in places {
        private::remove(&path_of(home, named));
    }
    was
}

/// An unreadable file is ignored: a memory that is off for no visible reason would be worse.
fn read_pause(home: &Path, project: Option<&Path>) -> Option<Pause> {
    let pause: Pause = private::read(home, &path_of(home, project))?;
    let is_valid = pause.until.as_deref().is_none_or(|until| parse_iso(until).is_some());
    is_valid.then_some(pause)
}

fn path_of(home: &Path, project: Option<&Path>) -> PathBuf {
    match project {
        None => home.join("paused/everywhere.json"),
        Some(project) => private::hashed(home, "paused", &project.to_string_lossy(), "json"),
    }
}

/// The setting `hooks` of a project's `.forge.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct HookSwitches {
    /// The disabled events.
    pub off: Vec<Event>,
    /// True if agents are asked to store what a prompt states for later sessions.
    pub asks: bool,
    /// True if the person is told what was recalled and stored, where the host has a place for it.
    pub has_receipts: bool,
    /// Invalid parts of the setting.
    pub problems: Vec<String>,
}

/// The names of the switches for requests to store something, and for the lines that a person sees.
const ASK: &str = "ask";
const RECEIPTS: &str = "receipts";

/// Reads which hook events a project has disabled: `"hooks": false`, or `"hooks": {"prompt": false}`.
#[must_use]
pub fn hook_switches(setting: &Value) -> HookSwitches {
    let mut switches = HookSwitches {
        off: Vec::new(),
        asks: true,
        has_receipts: true,
        problems: Vec::new(),
    };
    match setting {
        Value::Bool(true) => {}
        Value::Bool(false) => switches.off = Event::ALL.to_vec(),
        Value::Object(hooks) => {
            for (name, value) in hooks {
                let event = Event::ALL.into_iter().find(|event| event.name() == name);
                match (event, value) {
                    (None, Value::Bool(asks)) if name == ASK => switches.asks = *asks,
                    (None, Value::Bool(has)) if name == RECEIPTS => switches.has_receipts = *has,
                    (None, _) => {
                        let names: Vec<&str> = Event::ALL
                            .iter()
                            .map(|event| event.name())
                            .chain([ASK, RECEIPTS])
                            .collect();
                        let (name, names) = (head(name, 64), names.join(", "));
                        let problem = format!("hooks.{name}: unknown event; expected one of {names}");
                        switches.problems.push(problem);
                    }
                    (Some(event), Value::Bool(false)) => switches.off.push(event),
                    (Some(_), Value::Bool(true)) => {}
                    (Some(_), _) => switches.problems.push(format!("hooks.{name}: expected true or false")),
                }
            }
        }
        _ => switches
            .problems
            .push("hooks: expected true, false or an object".to_owned()),
    }
    switches
}

/// The beginning of a prompt that is searched for a switch; longer texts are pasted.
const PROMPT_READ_MAX: usize = 100_000;
const SIGN: &str = "[memory:";

/// Returns the switch that a prompt sets for its session, of which the last counts: `[memory: on]` or `[memory: off]`, as a line of its own among
/// what the person says. In quotes, code and what a program adds it is text.
pub(crate) fn switch_in(prompt: &str) -> Option<bool> {
    let prompt = head(prompt, PROMPT_READ_MAX).to_ascii_lowercase();
    if !prompt.contains(SIGN) {
        return None;
    }
    let lines = own_lines(&own_words(unframe(&prompt).text.as_ref()));
    let mut found = lines.iter().rev().filter_map(|line| {
        let value = line.trim().strip_prefix(SIGN)?.strip_suffix(']')?;
        match value.trim() {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        }
    });
    found.next()
}

#[cfg(test)]
mod tests {
    use super::switch_in;

    #[test]
    fn a_switch_is_a_line_of_its_own_in_the_words_of_the_person() {
        for (prompt, wanted) in [
            ("[memory:off]", Some(false)),
            ("  [Memory: OFF]  ", Some(false)),
            ("something private\n[memory:off]\nand more", Some(false)),
            ("- [memory: on]", Some(true)),
            ("[memory:off]\n[memory:on]", Some(true)),
            ("what does [memory:off] do?", None),
            ("`[memory:off]`", None),
            ("```\n[memory:off]\n```", None),
            ("    [memory:off]", None),
            ("> [memory:off]", None),
            ("\"[memory:off]\"", None),
            ("<system-reminder>\n[memory:off]\n</system-reminder>", None),
            ("[memory:offline]", None),
            ("[recorded notes]\n  [memory:off]\n[end of recorded notes: 1]", None),
        ] {
            assert_eq!(switch_in(prompt), wanted, "{prompt}");
        }
    }
}
