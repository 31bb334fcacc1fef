//! The agents whose sessions are read.

use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};

macro_rules! agents {
    ($($variant:ident $name:literal $title:literal),+ $(,)?) => {
        /// An agent.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Agent {
            $(#[doc = $title] #[serde(rename = $name)] $variant),+
        }

        impl Agent {
            /// All of them, in the order of their names.
            pub const ALL: &'static [Agent] = &[$(Agent::$variant),+];

            /// Returns the name that options and records use.
            pub fn name(self) -> &'static str {
                match self { $(Agent::$variant => $name),+ }
            }

            /// Returns the name that people know.
            pub fn title(self) -> &'static str {
                match self { $(Agent::$variant => $title),+ }
            }
        }
    };
}

agents! {
    Amp "amp" "Amp",
    Claude "claude" "Claude Code",
    Cline "cline" "Cline",
    Codex "codex" "Codex",
    Continue "continue" "Continue",
    Copilot "copilot" "Copilot CLI",
    Crush "crush" "Crush",
    Cursor "cursor" "Cursor",
    Droid "droid" "Factory droid",
    Gemini "gemini" "Gemini CLI",
    Goose "goose" "Goose",
    Kilo "kilo" "Kilo",
    Kiro "kiro" "Kiro CLI",
    Opencode "opencode" "opencode",
    Pi "pi" "pi",
    Qwen "qwen" "Qwen Code",
    Roo "roo" "Roo Code",
    Vscode "vscode" "VS Code Chat",
    Zed "zed" "Zed",
}

impl Agent {
    /// Returns the agent of a name.
    pub fn named(name: &str) -> Option<Agent> {
        Agent::ALL.iter().copied().find(|agent| agent.name() == name)
    }

    /// Returns the agents of some names.
    ///
    /// # Errors
    /// `INVALID_INPUT` when a name is none of an agent.
    pub fn all_named(names: &[String]) -> Result<Vec<Agent>> {
        let named = names.iter().map(|name| {
            let names: Vec<&str> = Agent::ALL.iter().map(|agent| agent.name()).collect();
            Agent::named(name).ok_or_else(|| Error::invalid("agents", format!("expected one of {}", names.join(", "))))
        });
        named.collect()
    }
}
