//! The commands that a project defines: scripts of `package.json`, targets of a makefile, recipes of a justfile.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::files::{Files, Look};
use super::mentions::{CommandMention, Runner};
use crate::journal::{FileState, read_bounded};

const FILE_BYTES_MAX: u64 = 256 * 1024;
/// The file of a pnpm workspace, in which any package may define a script.
const PNPM_WORKSPACE: &str = "pnpm-workspace.yaml";

#[derive(Debug, Default)]
struct Defined {
    names: FxHashSet<String>,
    /// True if other files may define more, so that a missing name means nothing.
    is_open: bool,
}

/// The commands of a project, read again when a file has changed.
#[derive(Debug, Default)]
pub(super) struct Commands {
    read: FxHashMap<Runner, (FileState, Option<Defined>)>,
}

impl Commands {
    /// True if the project defines a command; `None` when that is unknown.
    pub fn has(&mut self, files: &mut Files, command: &CommandMention) -> Option<bool> {
        let runner = command.runner;
        let Look::File(state) = files.look(runner.file()) else {
            return None;
        };
        if self.read.get(&runner).is_none_or(|(known, _)| *known != state) {
            self.read.insert(runner, (state, read(files, runner)));
        }
        let defined = self.read.get(&runner)?.1.as_ref()?;
        let is_defined = defined.names.contains(&command.name);
        (is_defined || !defined.is_open).then_some(is_defined)
    }
}

fn read(files: &mut Files, runner: Runner) -> Option<Defined> {
    let path = files.project().join(runner.file());
    let bytes = read_bounded(files.disk(), &path, FILE_BYTES_MAX).ok()?;
    match runner {
        Runner::Npm => {
            let mut defined = scripts_in(&bytes)?;
            defined.is_open |= files.look(PNPM_WORKSPACE) != Look::Missing;
            Some(defined)
        }
        Runner::Make | Runner::Just => Some(targets_in(&String::from_utf8_lossy(&bytes))),
    }
}

#[derive(Deserialize)]
struct Manifest {
    scripts: Option<FxHashMap<String, IgnoredAny>>,
    workspaces: Option<IgnoredAny>,
}

fn scripts_in(bytes: &[u8]) -> Option<Defined> {
    let manifest: Manifest = serde_json::from_slice(bytes).ok()?;
    Some(Defined {
        names: manifest.scripts.unwrap_or_default().into_keys().collect(),
        is_open: manifest.workspaces.is_some(),
    })
}

/// Finds the names of rules: `a b: c`, and `recipe arg='x': dependency`.
fn targets_in(text: &str) -> Defined {
    let mut defined = Defined::default();
    for line in text.lines() {
        let first = line.split_whitespace().next().unwrap_or_default();
        defined.is_open |= matches!(
            first,
            "include" | "-include" | "sinclude" | "import" | "mod" | "import?" | "mod?"
        );
        if line.starts_with([' ', '\t', '#']) {
            continue;
        }
        let Some((head, rest)) = line.split_once(':') else {
            continue;
        };
        if rest.starts_with('=') {
            continue;
        }
        defined.is_open |= head.contains(['%', '$']);
        let names = head.split_whitespace().map(|name| name.trim_start_matches('@'));
        defined.names.extend(names.map(str::to_owned));
    }
    defined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_a_makefile_are_read() {
        let defined = targets_in("CC := gcc\nall build: main.o\n\tcc -o x: y\n# doc: no\n.PHONY: all\n");
        assert!(
            ["all", "build", ".PHONY"]
                .iter()
                .all(|name| defined.names.contains(*name))
        );
        assert!(!defined.names.contains("CC") && !defined.names.contains("doc"));
        assert!(!defined.is_open);
        assert!(targets_in("include other.mk\n").is_open);
        assert!(targets_in("%.o: %.c\n").is_open);
    }

    #[test]
    fn scripts_are_read_and_in_workspaces_a_missing_name_is_unknown() {
        let defined = scripts_in(br#"{"scripts":{"test":"x"}}"#).unwrap();
        assert!(defined.names.contains("test") && !defined.is_open);
        assert!(scripts_in(br#"{"workspaces":["a"]}"#).unwrap().is_open);
        assert!(scripts_in(b"{").is_none());
    }
}
