//! Where agents keep their sessions: below the home folder, or where an environment variable says.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The environment variables that relocate stores; no others are read.
pub const VARIABLES: [&str; 16] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "FLATPAK_XDG_DATA_HOME",
    "CURSOR_CONFIG_DIR",
    "COPILOT_HOME",
    "CLINE_SESSION_DATA_DIR",
    "CLINE_DATA_DIR",
    "CLINE_DIR",
    "GOOSE_PATH_ROOT",
    "OPENCODE_DB",
    "CONTINUE_GLOBAL_DIR",
    "APPDATA",
    "LOCALAPPDATA",
];

/// The home folder of the user, and the variables that are set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The home folder.
    pub home: PathBuf,
    /// Those of [`VARIABLES`] that are set.
    pub variables: BTreeMap<String, PathBuf>,
}

impl Places {
    /// Returns the folder that a variable names if it is absolute, otherwise one below the home folder.
    pub(crate) fn or_home(&self, variable: &str, below_home: &str) -> PathBuf {
        let named = self.variables.get(variable).filter(|path| path.is_absolute());
        named.cloned().unwrap_or_else(|| self.home.join(below_home))
    }

    /// Returns the data folder of applications.
    pub(crate) fn data(&self) -> PathBuf {
        self.or_home("XDG_DATA_HOME", ".local/share")
    }

    /// Returns the `User` folders of VS Code and its derivatives, which contain the data of extensions.
    pub(crate) fn editors(&self) -> Vec<PathBuf> {
        let mut bases = vec![self.or_home("XDG_CONFIG_HOME", ".config")];
        bases.push(self.home.join("Library/Application Support"));
        bases.extend(self.variables.get("APPDATA").cloned());
        let names = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
        let named = bases
            .iter()
            .flat_map(|base| names.map(|name| base.join(name).join("User")));
        named.chain([self.home.join(".vscode-server/data/User")]).collect()
    }
}
