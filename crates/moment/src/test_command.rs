//! Lessons from test commands: a command that fails and later passes, or another that passes in its place.

use forge_memory_core::redact::redact;
use forge_memory_core::text::lexicon::says;
use forge_memory_core::{Result, SaveInput};
use serde_json::Value;

use crate::call::Command;
use crate::command_line::{SimpleCommand, commands_in};
use crate::failure::Failure;
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
const NAME_LENGTH: usize = 60;
const OUTPUT_READ_MAX: usize = 256 * 1024;
const PATTERN_LENGTH: usize = 900;

/// True if a line runs tests, among other things perhaps.
pub(crate) fn runs_tests(line: &str) -> bool {
    runs().is_match(head(line, LINE_READ_MAX))
}

/// True if a text has a command that runs tests, between backticks.
pub(crate) fn names_tests(text: &str) -> bool {
    text.split('`').skip(1).step_by(2).any(runs_tests)
}

/// Programs that run lines of their own.
const SHELLS: [&str; 3] = ["sh", "bash", "zsh"];
/// Settings of a shell by which a pipe fails with its first command.
const PIPE_FAILS: [&str; 3] = ["set -o pipefail", "set -eo pipefail", "set -euo pipefail"];

/// True if a line is one command that runs tests, so that its exit is theirs. The exit of a pipe is that of its last command, that of a list says
/// nothing of the others.
pub(crate) fn is_of_tests(line: &str) -> bool {
    let mut rest = head(line, LINE_READ_MAX).trim();
    let mut is_pipe_safe = false;
    while let Some((first, then)) = rest.split_once(['&', ';']) {
        let first = first.trim();
        let sets_pipes = PIPE_FAILS.contains(&first);
        let enters = first.starts_with("cd ") && then.starts_with('&') && !first.contains(['|', '\n']);
        if !sets_pipes && !enters {
            break;
        }
        is_pipe_safe |= sets_pipes;
        rest = then.trim_start_matches('&').trim();
    }
    let Some(first) = first_of_pipe(rest, is_pipe_safe) else {
        return false;
    };
    let commands = commands_in(first);
    let has_shell = commands
        .iter()
        .any(|command| SHELLS.contains(&command.program.as_str()));
    let is_test = |command: &SimpleCommand| {
        let found = runs().find(&command.words.join(" ")).map(|found| found.start());
        found == Some(0)
    };
    !has_shell && commands.iter().any(is_test)
}

/// Returns the first command of a line that is one command, or one pipe where that is safe; `None` for a list, and for what goes on beside it.
fn first_of_pipe(line: &str, is_pipe_safe: bool) -> Option<&str> {
    let (mut quote, mut before, mut first) = (None, ' ', None);
    let mut signs = line.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let next = signs.peek().map_or(' ', |(_, next)| *next);
        match sign {
            '\\' if quote != Some('\'') => {
                signs.next();
            }
            '"' | '\'' if quote.is_none() => quote = Some(sign),
            _ if quote.is_some() => quote = quote.filter(|open| *open != sign),
            // `2>&1` and `&>file` are no operators.
            '&' if before == '>' || next == '>' => {}
            '|' if is_pipe_safe && next != '|' && before != '|' => {
                first = first.or_else(|| line.get(..at));
            }
            ';' | '\n' | '&' | '|' => return None,
            '<' if next == '<' => return None,
            _ => {}
        }
        before = sign;
    }
    Some(first.unwrap_or(line))
}

/// Learns the reason for which a test command failed, or which other command passed in its place. Returns true if the session has changed.
pub(crate) fn learn_from_command(place: &mut Workplace, command: &Command, session: &mut Session) -> Result<bool> {
    let Some(exit_code) = command.exit_code.filter(|_| is_of_tests(&command.line)) else {
        return Ok(false);
    };
    let output = head(command.output.as_deref().unwrap_or_default(), OUTPUT_READ_MAX);
    let line = shorten(
        &redact(&as_line(head(&command.line, LINE_READ_MAX))).text,
        COMMAND_LENGTH,
    );
    if exit_code != 0 {
        // The newest is the last.
        session.failing.shift_remove(&line);
        // Of the output no more than the name of the error is kept: anybody may have written the rest.
        let name = Failure::read(output)
            .name()
            .filter(|name| name.len() <= NAME_LENGTH)
            .map(str::to_owned);
        session.failing.insert(line, Value::String(name.unwrap_or_default()));
        return Ok(true);
    }
    if !says(output, "test result") {
        return Ok(false);
    }
    let failed = if session.failing.contains_key(&line) {
        Some(line.clone())
    } else {
        session.failing.keys().next_back().cloned()
    };
    let Some(failed) = failed else { return Ok(false) };
    let why = match session.failing.get(&failed).and_then(Value::as_str) {
        None | Some("") => String::new(),
        Some(name) => format!(" with {name}"),
    };
    let pattern = if failed == line {
        format!("`{line}` passes; before, it failed{why}")
    } else {
        format!("`{line}` passes where `{failed}` failed{why}")
    };
    let saved = place.own()?.save(SaveInput {
        pattern: Some(shorten(&pattern, PATTERN_LENGTH)),
        category: Some("test_command".to_owned()),
        tags: vec!["hook".to_owned()],
        ..SaveInput::default()
    })?;
    session.failing.shift_remove(&failed);
    // This was stored by the rule, and not by the agent.
    session.lines_before = session.lines_before.map(|lines| lines + usize::from(saved.is_saved()));
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::is_of_tests;

    #[test]
    fn only_a_line_whose_exit_is_that_of_tests_says_how_they_ended() {
        for line in [
            "npm test",
            "cd web && npm test",
            "CI=1 pytest -q tests/a.py 2>&1",
            "timeout 20 make check",
            "npx vitest run \"a; b | c\"",
            "set -o pipefail; make check 2>&1 | tail -40",
            "cargo test > log.txt",
            "docker compose exec app pytest",
        ] {
            assert!(is_of_tests(line), "{line}");
        }
        for line in [
            "timeout 20 make check 2>&1 | tail -40",
            "git diff; make test | tail -5; make check | tail; git status",
            "timeout 20 python -c \"import pytest; pytest.main([])\" 2>&1",
            "npm test || true",
            "npm test; echo done",
            "npm test &",
            "npm test && npm run lint",
            "npm test\nls",
            "cd web; npm test",
            "bash -c 'npm test | tail'",
            "make check <<E\nE",
            "npm install",
        ] {
            assert!(!is_of_tests(line), "{line}");
        }
    }
}
