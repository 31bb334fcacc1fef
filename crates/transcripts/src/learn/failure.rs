//! Error signatures: from the output of a failed command, the line that states the error, normalised so that two runs can be compared.

/// Texts that mark the line with the error, lower case.
const ERROR_MARKERS: [&str; 38] = [
    "command not found",
    "no module named",
    "cannot find module",
    "no such file or directory",
    "undefined:",
    "undefined reference",
    "connection refused",
    "econnrefused",
    "address already in use",
    "eaddrinuse",
    "permission denied",
    "panic:",
    "panicked at",
    "fatal:",
    "npm err!",
    "timed out",
    "timeout",
    "build failed",
    "error:",
    "error[",
    "typeerror",
    "referenceerror",
    "syntaxerror",
    "assertionerror",
    "importerror",
    "keyerror",
    "valueerror",
    "library not found",
    "missing script",
    "is not defined",
    "unknown option",
    "unrecognized arguments",
    "unexpected argument",
    "no rule to make target",
    "could not find",
    "does not exist",
    "not installed",
    "assertion failed",
];
/// Errors of the agent's own tools, which say nothing about the project.
const AGENT_GUARDS: [&str; 7] = [
    "file has not been read yet",
    "exceeds maximum allowed tokens",
    "inputvalidationerror",
    "unexpected eof while looking for matching",
    "string to replace not found",
    "old_string",
    "sandbox denied exec error",
];
/// Errors of the environment, which are fixed by a command rather than an edit.
const ENVIRONMENT: [&str; 16] = [
    "command not found",
    "no module named",
    "cannot find module",
    "connection refused",
    "econnrefused",
    "address already in use",
    "eaddrinuse",
    "permission denied",
    "missing script",
    "not installed",
    "unknown option",
    "unrecognized arguments",
    "unexpected argument",
    "no such file or directory",
    "does not exist",
    "no rule to make target",
];

/// Returns the error signature of an output; `None` when no line states an error.
pub(crate) fn signature(output: &str) -> Option<String> {
    let lower = output.to_lowercase();
    if AGENT_GUARDS.iter().any(|guard| lower.contains(guard)) {
        return None;
    }
    let found = output.lines().map(str::trim).find(|line| {
        let lower = line.to_lowercase();
        (12..=300).contains(&line.len()) && ERROR_MARKERS.iter().any(|mark| lower.contains(mark)) && !is_source(line)
    })?;
    Some(shortened(found))
}

/// Returns whether an error is one of the environment.
pub(crate) fn is_environmental(signature: &str) -> bool {
    let lower = signature.to_lowercase();
    ENVIRONMENT.iter().any(|mark| lower.contains(mark))
}

fn is_source(line: &str) -> bool {
    line.starts_with("//")
        || line.starts_with('#')
        || line.contains("$(")
        || line.starts_with("echo ")
        || line.ends_with('{')
}

/// Removes what differs from run to run: colours, home folders, times, long hexadecimal numbers.
fn shortened(line: &str) -> String {
    const MAX: usize = 160;
    let mut words: Vec<String> = Vec::new();
    let mut plain = String::new();
    let mut in_escape = false;
    for c in line.chars() {
        match c {
            '\u{1b}' => in_escape = true,
            _ if in_escape => in_escape = !c.is_ascii_alphabetic(),
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    for word in plain.split_whitespace() {
        let is_hex = word.len() > 10 && word.trim_start_matches("0x").chars().all(|c| c.is_ascii_hexdigit());
        words.push(if is_hex { "…".to_owned() } else { word.to_owned() });
    }
    let mut text = words.join(" ");
    for lead in ["zsh:1: ", "bash: line 1: ", "bash: ", "sh: 1: ", "sh: ", "/bin/sh: 1: "] {
        text = text.strip_prefix(lead).map(str::to_owned).unwrap_or(text);
    }
    let mut end = text.len().min(MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}
