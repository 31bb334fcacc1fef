//! Classifies tool calls by the shape of their arguments, because the names of tools differ between hosts and change.

use serde_json::{Map, Value};

use crate::fields::{Fields, line_in, object, object_in, text};
use crate::lines::{head, pattern};

/// An action of an agent: it changes or reads files, runs a command, or a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    Edit { paths: Vec<String>, texts: Vec<String> },
    Read { paths: Vec<String> },
    Command { line: String },
    Failure { line: String, output: String },
}

const PATH_FIELDS: [&str; 7] = [
    "file_path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "target_file",
    "path",
    "filename",
];
const TEXT_FIELDS: [&str; 12] = [
    "old_string",
    "new_string",
    "oldString",
    "newString",
    "content",
    "new_source",
    "code_edit",
    "newText",
    "diff",
    "new_str",
    "old_str",
    "file_text",
];
const INPUT_FIELDS: [&str; 7] = [
    "tool_input",
    "toolArgs",
    "toolInput",
    "parameters",
    "input",
    "args",
    "arguments",
];
pattern!(
    changes,
    "(?i)edit|write|create|replace|patch|insert|update|delete|rename|apply|str_?replace"
);
pattern!(reads, "(?i)^(read|view|open|cat|get)|read_?file|view_?file");
pattern!(searches, "(?i)glob|grep|search|list|find|ls|fetch|web");
pattern!(
    patch_head,
    r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$|^\+\+\+ (?:b/)?([^\t\n]+)"
);
pattern!(is_patch, r"(?m)^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )");
pattern!(
    /// Codex has no other tool for it with models that it does not know.
    patch_in_shell,
    r"^\s*(?:cd\s+\S+\s*&&\s*)?apply_patch\b[^\n]*\n?[^\n]*\*\*\* Begin Patch"
);
pattern!(not_a_command, "(?i)read|edit|write|view");
const PATCH_READ_MAX: usize = 256 * 1024;

/// The name of a tool and its arguments, wherever the host puts them.
pub(crate) struct Tool {
    pub name: String,
    pub input: Fields,
}

pub(crate) fn tool_in(payload: &Fields) -> Option<Tool> {
    let call = ["tool_call", "preToolUse", "postToolUse"]
        .iter()
        .find_map(|name| object(payload, name))
        .unwrap_or(payload);
    let name = text(call, &["tool_name", "toolName", "name", "tool"])
        .unwrap_or_default()
        .to_owned();
    for key in INPUT_FIELDS {
        let value = call.get(key);
        if let Some(input) = object_in(value) {
            return Some(Tool { name, input });
        }
        // Some hosts pass a patch as plain text.
        if let Some(Value::String(patch)) = value
            && is_patch().is_match(head(patch, 1000))
        {
            let input = Map::from_iter([("patch".to_owned(), Value::String(patch.clone()))]);
            return Some(Tool { name, input });
        }
    }
    let is_shell = name.is_empty() && text(payload, &["command"]).is_some();
    is_shell.then(|| Tool {
        name: "shell".to_owned(),
        input: payload.clone(),
    })
}

/// Returns the change, the read or the command of a tool call; `None` for other calls.
pub(crate) fn action_of(Tool { name, input }: &Tool) -> Option<Action> {
    let line = line_in(input);
    let line = line.as_deref();
    let is_patch = |line: &&str| line.starts_with("*** Begin Patch") || patch_in_shell().is_match(head(line, 1000));
    if let Some(patch) = text(input, &["patch", "patchText"]).or(line.filter(is_patch)) {
        return patched(patch);
    }
    if let Some(line) = line.filter(|_| !not_a_command().is_match(name)) {
        return Some(Action::Command { line: line.to_owned() });
    }
    let paths = paths_of(input);
    if paths.is_empty() {
        return None;
    }
    if reads().is_match(name) {
        return Some(Action::Read { paths });
    }
    let is_change = changes().is_match(name);
    if searches().is_match(name) && !is_change {
        return None;
    }
    let texts = texts_of(input);
    // An unknown tool with a path and a text changes the file.
    (is_change || !texts.is_empty()).then_some(Action::Edit { paths, texts })
}

fn patched(patch: &str) -> Option<Action> {
    let patch = head(patch, PATCH_READ_MAX);
    let mut paths: Vec<String> = Vec::new();
    for found in patch_head().captures_iter(patch) {
        let path = found.get(1).or_else(|| found.get(2)).or_else(|| found.get(3));
        let path = path.map(|path| path.as_str().trim_end_matches('\r').to_owned());
        paths.extend(path.filter(|path| !paths.contains(path)));
    }
    // `@@ fn send(` says which declaration the following lines are in.
    let changed = patch.split('\n').filter_map(|line| match line.as_bytes() {
        [b'@', b'@', b' ', _, ..] => line.get(3..),
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let is_header = rest.len() > 2 && rest.starts_with(&[*sign, *sign]) && rest.get(2) == Some(&b' ');
            line.get(1..).filter(|_| !is_header)
        }
        _ => None,
    });
    let texts = vec![changed.collect::<Vec<_>>().join("\n")];
    (!paths.is_empty()).then_some(Action::Edit { paths, texts })
}

fn paths_of(input: &Fields) -> Vec<String> {
    let mut paths: Vec<String> = text(input, &PATH_FIELDS).map(str::to_owned).into_iter().collect();
    for list in ["files", "paths", "edits"] {
        for each in input.get(list).and_then(Value::as_array).into_iter().flatten() {
            let path = match each {
                Value::String(path) => Some(path.as_str()),
                Value::Object(fields) => text(fields, &PATH_FIELDS),
                _ => None,
            };
            paths.extend(path.map(str::to_owned).filter(|path| !paths.contains(path)));
        }
    }
    paths
}

fn texts_of(input: &Fields) -> Vec<String> {
    let edits = input.get("edits").and_then(Value::as_array).into_iter().flatten();
    let parts = [input].into_iter().chain(edits.filter_map(Value::as_object));
    let texts = parts.flat_map(|part| TEXT_FIELDS.iter().filter_map(|name| text(part, &[name])));
    texts.map(str::to_owned).collect()
}
