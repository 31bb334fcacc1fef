//! The files of a project that hints and exports may write. Files that configure a program are refused unless forced.

use crate::layout::FORGE_FOLDER;
use forge_memory_record::error::{Error, Result};
use forge_memory_record::model::limits::quote;

/// Folders that are never written to.
const CLOSED: [&str; 2] = [".git", FORGE_FOLDER];
/// Folders of agents that may contain hints.
const AGENTS: [&str; 5] = [".github", ".github/instructions", ".claude", ".cursor", ".cursor/rules"];

/// A file to be written, by its path below the project.
#[derive(Clone, Copy)]
pub struct Output<'a> {
    /// The name of the argument.
    pub field: &'static str,
    /// The path.
    pub given: &'a str,
    /// True if the caller forces a path that is refused otherwise.
    pub force: bool,
}

impl Output<'_> {
    /// Always refuses the folders of git and of the memory. Unless forced, also refuses names without one of these endings:
    /// package and configuration files have others, and files without one are often executed.
    pub fn check(&self, endings: &[&str]) -> Result<()> {
        self.check_closed()?;
        if self.force {
            return Ok(());
        }
        let parts = self.parts();
        let (name, folders) = parts.split_last().map_or(("", &[][..]), |(name, rest)| (*name, rest));
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        if name.starts_with('.') || !ending.is_some_and(|ending| endings.contains(&ending.as_str())) {
            let known = endings
                .iter()
                .map(|ending| format!(".{ending}"))
                .collect::<Vec<_>>()
                .join(", ");
            return Err(self.refused(&format!(
                "does not end in one of {known}: package and configuration files are protected (force or --force writes any file)"
            )));
        }
        let hidden = folders.iter().any(|folder| folder.starts_with('.') && *folder != "..");
        if hidden && !AGENTS.contains(&folders.join("/").as_str()) {
            return Err(
                self.refused("is in a hidden folder, which may hold settings (force or --force writes to any folder)")
            );
        }
        Ok(())
    }

    /// Refuses the folders of git and of the memory.
    pub fn check_closed(&self) -> Result<()> {
        let closed = |part: &&str| CLOSED.iter().any(|name| name.eq_ignore_ascii_case(part));
        match self.parts().into_iter().find(closed) {
            Some(folder) => Err(self.refused(&format!("is in {folder}, which is never written to"))),
            None => Ok(()),
        }
    }

    fn parts(&self) -> Vec<&str> {
        self.given.split(['/', '\\']).filter(|part| *part != ".").collect()
    }

    /// Refuses an existing file that this tool did not write, unless forced.
    pub fn check_ours(&self, is_ours: bool, writer: &str) -> Result<()> {
        if is_ours || self.force {
            return Ok(());
        }
        Err(self.refused(&format!(
            "already exists and was not written by {writer} (force or --force overwrites it)"
        )))
    }

    /// The error about this file.
    pub fn refused(&self, why: &str) -> Error {
        Error::invalid(self.field, format!("{} {why}", quote(self.given)))
    }
}

#[cfg(test)]
mod tests {
    use super::Output;

    fn allows(given: &str, force: bool) -> bool {
        let output = Output {
            field: "path",
            given,
            force,
        };
        output.check(&["md", "jsonl"]).is_ok()
    }

    #[test]
    fn configuration_files_are_written_only_when_forced() {
        for path in [
            "memory.md",
            "docs/memory.jsonl",
            "OUT.MD",
            ".github/hints.md",
            ".cursor/rules/a.md",
        ] {
            assert!(allows(path, false), "{path}");
        }
        let refused = [
            "package.json",
            "Cargo.toml",
            "Makefile",
            ".env",
            ".npmrc",
            ".md",
            "a.sh",
            "requirements.txt",
            ".github/workflows/a.md",
            ".vscode/a.md",
            ".claude/commands/a.md",
            ".husky/pre-commit",
            "hooks/post-commit",
        ];
        for path in refused {
            assert!(!allows(path, false), "{path}");
            assert!(allows(path, true), "{path}");
        }
    }

    #[test]
    fn the_folders_of_git_and_of_the_memory_are_refused_even_with_force() {
        for path in [
            ".git/hooks/a.md",
            "sub/.git/a.md",
            ".GIT/config",
            ".forge/a.md",
            "./.forge/a.jsonl",
            ".git",
        ] {
            assert!(!allows(path, false) && !allows(path, true), "{path}");
        }
    }
}
