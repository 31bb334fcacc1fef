//! Lessons from test commands: a command that fails and later passes, or another that passes in its place.

use forge_memory_core::redact::redact;
use forge_memory_core::text::lexicon::says;
use forge_memory_core::{Result, SaveInput};
use serde_json::Value;

use crate::call::Command;
use crate::lines::{as_line, head, pattern, shorten};
use crate::session::Session;
use crate::workplace::Workplace;

pattern!(
    /// Commands that run tests, by how they begin. A `cd` or variables may stand in front.
    runs,
    r"(?:^|&&|;|\|\|)\s*(?:\w+=\S+\s+)*(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|t\b|vitest|jest)|npx\s+(?:vitest|jest|mocha|playwright\s+test)|(?:vitest|jest|mocha|pytest|rspec|phpunit|ctest|tox|nox)\b|node\s+--test|deno\s+test|python3?\s+-m\s+(?:pytest|unittest)|cargo\s+(?:nextest|test|t)\b|go\s+test|dotnet\s+test|mix\s+test|swift\s+test|(?:\./)?(?:mvnw?|gradlew?)\b.*\btest|make\s+(?:test|check)\b|bundle\s+exec\s+rspec|rake\s+test)"
);
/// A longer command is data.
const LINE_READ_MAX: usize = 8192;
const COMMAND_LENGTH: usize = 300;
const REASON_LENGTH: usize = 300;
const OUTPUT_READ_MAX: usize = 256 * 1024;
const PATTERN_LENGTH: usize = 900;

pub(crate) fn runs_tests(line: &str) -> bool {
    runs().is_match(head(line, LINE_READ_MAX))
}

/// Learns the reason for which a test command failed, or which other command passed in its place. Returns true if the session has changed.
pub(crate) fn learn_from_command(place: &mut Workplace, command: &Command, session: &mut Session) -> Result<bool> {
    let Some(exit_code) = command.exit_code.filter(|_| runs_tests(&command.line)) else {
        return Ok(false);
    };
    let line = shorten(
        &redact(&as_line(head(&command.line, LINE_READ_MAX))).text,
        COMMAND_LENGTH,
    );
    if exit_code != 0 {
        // The newest is the last.
        session.failing.shift_remove(&line);
        session.failing.insert(
            line,
            Value::String(reason_in(command.output.as_deref().unwrap_or_default())),
        );
        return Ok(true);
    }
    let failed = if session.failing.contains_key(&line) {
        Some(line.clone())
    } else {
        session.failing.keys().next_back().cloned()
    };
    let Some(failed) = failed else { return Ok(false) };
    let why = match session.failing.get(&failed).and_then(Value::as_str) {
        None | Some("") => String::new(),
        Some(reason) => format!(": {reason}"),
    };
    let pattern = if failed == line {
        format!("`{line}` passes; before, it failed{why}")
    } else {
        format!("`{line}` passes where `{failed}` failed{why}")
    };
    place.own()?.save(SaveInput {
        pattern: Some(shorten(&pattern, PATTERN_LENGTH)),
        category: Some("test_command".to_owned()),
        tags: vec!["hook".to_owned()],
        ..SaveInput::default()
    })?;
    session.failing.shift_remove(&failed);
    Ok(true)
}

fn reason_in(output: &str) -> String {
    let lines: Vec<String> = head(output, OUTPUT_READ_MAX)
        .split('\n')
        .map(as_line)
        .filter(|line| !line.is_empty())
        .collect();
    let reason = lines.iter().find(|line| says(line, "why-test")).or(lines.last());
    // The file of the session is stored on disk as well, so secrets are removed.
    reason.map_or_else(String::new, |reason| shorten(&redact(reason).text, REASON_LENGTH))
}
