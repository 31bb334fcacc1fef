//! Error signatures: from the output of a failed command, the line that states the error, normalised so that two runs can be compared.

use forge_memory_core::text::controls::clean;
use forge_memory_core::text::lexicon::says;
use forge_memory_core::text::lines::head;

/// The shells that name themselves before an error.
const SHELLS: [&str; 6] = ["zsh:1: ", "bash: line 1: ", "bash: ", "sh: 1: ", "sh: ", "/bin/sh: 1: "];
const SIGNATURE_MAX: usize = 160;

/// Returns the error signature of an output; `None` when no line states an error, or one of the agent's own tools, which says nothing about
/// the project.
pub(crate) fn signature(output: &str) -> Option<String> {
    if says(output, "agent error") {
        return None;
    }
    let states = |line: &&str| says(line, "error") || is_environmental(line);
    let mut lines = output
        .lines()
        .map(str::trim)
        .filter(|line| (12..=300).contains(&line.len()));
    lines.find(|line| states(line) && !is_source(line)).map(shortened)
}

/// Returns true if an error is one of the environment, which is fixed by a command rather than an edit.
pub(crate) fn is_environmental(signature: &str) -> bool {
    says(signature, "environment error")
}

fn is_source(line: &str) -> bool {
    line.starts_with("//")
        || line.starts_with('#')
        || line.contains("$(")
        || line.starts_with("echo ")
        || line.ends_with('{')
}

/// Removes parts that differ from run to run: colours, long hexadecimal numbers.
fn shortened(line: &str) -> String {
    let is_hex = |word: &str| word.len() > 10 && word.trim_start_matches("0x").bytes().all(|b| b.is_ascii_hexdigit());
    let plain = clean(line);
    let words = plain
        .split_whitespace()
        .map(|word| if is_hex(word) { "…" } else { word });
    let text = words.collect::<Vec<_>>().join(" ");
    let behind_shell = SHELLS.iter().find_map(|shell| text.strip_prefix(shell));
    head(behind_shell.unwrap_or(&text), SIGNATURE_MAX).to_owned()
}
