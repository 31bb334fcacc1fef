//! Shell commands: normalisation for comparison, purpose, and the outcome in a result.

use forge_memory_core::text::lexicon;
use forge_memory_core::text::lines::one_line;

use crate::event::Outcome;

/// The most lines of the header that a tool writes above a result.
const HEADER_LINES: usize = 6;

/// The purpose of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    Test,
    Build,
    Lint,
    Run,
}

impl Purpose {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Purpose::Test => "test",
            Purpose::Build => "build",
            Purpose::Lint => "lint",
            Purpose::Run => "run",
        }
    }
}

/// The outcome that an exit code says; without one, whether the tool says that it failed.
pub(crate) fn outcome(code: Option<i64>, is_failed: bool) -> Outcome {
    match code {
        Some(code) => of_exit(code),
        None if is_failed => Outcome::Failed,
        None => Outcome::Ok,
    }
}

/// Returns the exit code from the header that a tool writes above the output; the output itself is not searched.
pub(crate) fn exit_in_header(text: &str) -> Option<i64> {
    for line in text.lines().take(HEADER_LINES) {
        let line = line.trim();
        if line == "Output:" {
            return None;
        }
        for lead in [
            "Exit code ",
            "Exit code: ",
            "Exit Code: ",
            "Error: Exit code ",
            "Process exited with code ",
            "Command failed with exit code ",
        ] {
            let number = line.strip_prefix(lead).map(|rest| {
                let end = rest
                    .find(|c: char| !c.is_ascii_digit() && c != '-')
                    .unwrap_or(rest.len());
                rest.get(..end).unwrap_or_default()
            });
            if let Some(code) = number.and_then(|number| number.parse().ok()) {
                return Some(code);
            }
        }
        if let Some((_, rest)) = line.split_once("Exit code: ")
            && line.starts_with("Command executed in terminal")
        {
            return rest.trim().trim_end_matches('.').parse().ok();
        }
    }
    None
}

/// Turns an exit code into an outcome.
pub(crate) fn of_exit(code: i64) -> Outcome {
    if code == 0 { Outcome::Ok } else { Outcome::Failed }
}

/// Returns the script of `bash -lc SCRIPT`, or the arguments joined.
pub(crate) fn from_argv(argv: &[&str]) -> String {
    match argv {
        [shell, flag, script] if is_shell(shell) && flag.starts_with('-') && flag.ends_with('c') => {
            (*script).to_owned()
        }
        _ => argv.join(" "),
    }
}

fn is_shell(name: &str) -> bool {
    matches!(name.rsplit('/').next(), Some("bash" | "sh" | "zsh"))
}

/// Normalises a command: one line, without a leading `cd`, output filters and comments.
pub(crate) fn normalised(command: &str) -> String {
    let mut line = command.trim();
    if let Some(rest) = line.strip_prefix("cd ")
        && let Some((_, behind)) = rest.split_once("&&")
    {
        line = behind.trim();
    }
    for filter in [
        " 2>&1",
        " | tail",
        " | head",
        " | grep",
        " | cat",
        " > /dev/null",
        " || true",
        "; echo",
    ] {
        if let Some(at) = line.find(filter) {
            line = line.get(..at).unwrap_or(line).trim();
        }
    }
    one_line(line)
}

/// Returns true if a command hides a failure (`|| true`, a pipe).
pub(crate) fn hides_failure(command: &str) -> bool {
    command.contains("|| true") || command.contains(" | ") || command.contains("; echo")
}

/// Returns the purpose of a normalised command; `None` when it is not worth keeping.
pub(crate) fn purpose(command: &str) -> Option<Purpose> {
    if command.len() > 120 || command.contains(['\n', ';', '|', '<', '>', '`', '$', '"', '\'']) {
        return None;
    }
    // The last segment is the purpose; those before it prepare it.
    let last = command.rsplit("&&").next()?.trim();
    let mut words = last
        .split(' ')
        .filter(|word| !word.contains('=') || word.starts_with('-'));
    let tool = words.next()?.trim_start_matches("./");
    let tool = tool.rsplit('/').next()?;
    let rest: Vec<&str> = words.collect();
    let first = rest
        .iter()
        .find(|word| !word.starts_with('-'))
        .copied()
        .unwrap_or_default();
    match tool {
        "npx" | "bunx" => purpose(&rest.join(" ")),
        "uv" | "poetry" | "pipenv" | "bundle" if matches!(first, "run" | "exec") => purpose(
            &rest
                .iter()
                .skip_while(|word| **word != first)
                .skip(1)
                .copied()
                .collect::<Vec<_>>()
                .join(" "),
        ),
        "python" | "python3" if rest.starts_with(&["-m"]) => purpose(&rest.get(1..)?.join(" ")),
        "npm" | "pnpm" | "yarn" | "bun" => script(&rest),
        "make" | "just" | "task" | "rake" => {
            by_name(first).or((tool == "make" && first.is_empty()).then_some(Purpose::Build))
        }
        "cargo" | "go" | "dotnet" | "swift" | "mix" | "zig" | "deno" => listed("toolchain", first),
        "mvn" | "mvnw" | "gradle" | "gradlew" | "bazel" | "sbt" | "nx" | "turbo" => {
            rest.iter().find_map(|word| by_name(word))
        }
        "node" if rest.first() == Some(&"--test") => Some(Purpose::Test),
        "docker" | "docker-compose" if last.contains("compose") && last.contains(" up") => Some(Purpose::Run),
        "docker" if first == "build" => Some(Purpose::Build),
        _ => listed("tool", tool),
    }
}

/// Returns the purpose for which a group of kinds of the lexicon has a word.
fn listed(group: &str, word: &str) -> Option<Purpose> {
    let mut purposes = [Purpose::Test, Purpose::Lint, Purpose::Build, Purpose::Run].into_iter();
    purposes.find(|purpose| lexicon::has(&format!("{group} {}", purpose.name()), word))
}

fn script(words: &[&str]) -> Option<Purpose> {
    let mut rest = words.iter().filter(|word| !word.starts_with('-'));
    match rest.next().copied()? {
        "run" | "run-script" => rest.next().and_then(|name| by_name(name)),
        "exec" | "dlx" => purpose(&rest.copied().collect::<Vec<_>>().join(" ")),
        "t" | "tst" => Some(Purpose::Test),
        "start" | "dev" => Some(Purpose::Run),
        "install" | "i" | "ci" | "add" | "remove" | "update" | "audit" | "ls" | "list" | "view" | "why" | "init" => {
            None
        }
        name => by_name(name),
    }
}

fn by_name(name: &str) -> Option<Purpose> {
    let pieces = || name.split([':', '-', '_', '.']);
    let mut purposes = [Purpose::Test, Purpose::Lint, Purpose::Build, Purpose::Run].into_iter();
    purposes.find(|purpose| pieces().any(|piece| lexicon::has(&format!("script {}", purpose.name()), piece)))
}

/// Returns true if a command only reads: listings and searches.
pub(crate) fn is_look(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let (tool, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (kinds, word) = match tool {
        "git" => (["git look", "git look session"], next),
        tool => (["look", "look session"], tool),
    };
    kinds.iter().any(|kind| lexicon::has(kind, word))
}
