//! Classifies tool calls by the names that agents give their tools.

use serde_json::Value;

use crate::event::{Event, Kind};
use crate::json::{nested, text};
use crate::shell;

/// The arguments that contain a file name.
const PATHS: [&str; 9] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "target_file",
    "filepath",
    "relativeWorkspacePath",
    "absolute_path",
    "fileName",
];
/// The arguments that contain a command.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// Converts a tool call to an event.
pub(crate) fn call(line: u64, id: Option<&str>, name: &str, input: &Value) -> Event {
    let input = nested(input);
    let (kind, command, paths) = read(name, &input);
    Event {
        call: id.map(str::to_owned),
        command,
        paths,
        ..Event::new(line, kind, plain(name))
    }
}

/// Returns a tool's name without its namespace.
fn plain(name: &str) -> String {
    let name = name.rsplit("functions.").next().unwrap_or(name);
    let lower = name.to_ascii_lowercase();
    for lead in ["builtin_", "copilot_", "developer__", "container."] {
        if let Some(rest) = lower.strip_prefix(lead) {
            return rest.to_owned();
        }
    }
    lower
}

fn read(name: &str, input: &Value) -> (Kind, Option<String>, Vec<String>) {
    match plain(name).as_str() {
        "bash"
        | "powershell"
        | "shell"
        | "shell_command"
        | "exec_command"
        | "local_shell_call"
        | "exec"
        | "run_shell_command"
        | "run_terminal_cmd"
        | "run_terminal_command"
        | "run_terminal_command_v2"
        | "run_in_terminal"
        | "execute_command"
        | "run_commands"
        | "execute"
        | "execute_bash"
        | "terminal" => (Kind::Shell, command(input), Vec::new()),
        "apply_patch" => (Kind::Edit, None, patched(input)),
        "text_editor" => match text(input, "command") {
            Some("view") => (Kind::Read, None, paths(input)),
            _ => (Kind::Edit, None, paths(input)),
        },
        "edit"
        | "multiedit"
        | "notebookedit"
        | "edit_file"
        | "edit_file_v2"
        | "strreplace"
        | "str_replace"
        | "replace"
        | "replace_in_file"
        | "apply_diff"
        | "replace_string_in_file"
        | "replacestring"
        | "write"
        | "write_file"
        | "write_to_file"
        | "create"
        | "create_file"
        | "editor"
        | "delete"
        | "fs_write"
        | "insert_content"
        | "edit_existing_file"
        | "create_new_file" => (Kind::Edit, None, paths(input)),
        "read"
        | "read_file"
        | "read_file_v2"
        | "view"
        | "grep"
        | "glob"
        | "list_dir"
        | "codebase_search"
        | "search_file_content"
        | "ls"
        | "grep_search"
        | "read_files"
        | "fs_read" => (Kind::Read, None, paths(input)),
        _ => (Kind::Tool, None, paths(input)),
    }
}

fn paths(input: &Value) -> Vec<String> {
    let found = PATHS.iter().find_map(|key| text(input, key));
    found.map(str::to_owned).into_iter().collect()
}

fn command(input: &Value) -> Option<String> {
    if let Some(action) = input.get("action") {
        return command(action);
    }
    if let Some(all) = input.get("commands").and_then(Value::as_array) {
        let parts: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        return Some(parts.join(" && "));
    }
    let found = COMMANDS.iter().find_map(|key| input.get(key))?;
    match found {
        Value::String(command) => Some(command.clone()),
        Value::Array(argv) => Some(shell::from_argv(
            &argv.iter().filter_map(Value::as_str).collect::<Vec<_>>(),
        )),
        _ => None,
    }
}

/// Returns the files that a patch names.
fn patched(input: &Value) -> Vec<String> {
    let body = match input {
        Value::String(body) => body.as_str(),
        _ => ["input", "patchText", "patch"]
            .iter()
            .find_map(|key| text(input, key))
            .unwrap_or_default(),
    };
    let named = body.lines().filter_map(|line| {
        [
            "*** Update File: ",
            "*** Add File: ",
            "*** Delete File: ",
            "*** Move to: ",
        ]
        .iter()
        .find_map(|lead| line.strip_prefix(lead))
    });
    named.map(|path| path.trim().to_owned()).take(50).collect()
}
