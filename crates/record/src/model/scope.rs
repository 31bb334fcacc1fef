//! The scopes of records: where they are stored, and which are searched.

use crate::error::{Error, Result};
use schemars::JsonSchema;

/// The scope of a pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// This project.
    #[default]
    Project,
    /// All projects of the user.
    Global,
}

impl Scope {
    /// Returns the scope's name.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Project => "project",
            Scope::Global => "global",
        }
    }
}

/// The scopes to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeFilter {
    /// This project's captures and patterns.
    Project,
    /// The patterns for all projects.
    Global,
    /// Both.
    #[default]
    All,
}

impl ScopeFilter {
    /// True if records of this scope are included.
    pub fn admits(self, scope: Scope) -> bool {
        matches!(
            (self, scope),
            (ScopeFilter::All, _) | (ScopeFilter::Project, Scope::Project) | (ScopeFilter::Global, Scope::Global)
        )
    }
}

/// The file of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    Captures,
    Patterns(Scope),
    /// Plan Forge's file within the project, which it calls global.
    Legacy,
}

impl Home {
    /// The files whose records people decide about.
    pub const RULED: [Home; 3] = [
        Home::Captures,
        Home::Patterns(Scope::Project),
        Home::Patterns(Scope::Global),
    ];

    /// Returns the scope of the records in it.
    pub fn scope(self) -> Scope {
        match self {
            Home::Captures => Scope::Project,
            Home::Patterns(scope) => scope,
            Home::Legacy => Scope::Global,
        }
    }

    /// Refuses files that are read-only.
    pub fn check_writable(self) -> Result<()> {
        match self {
            Home::Captures | Home::Patterns(_) => Ok(()),
            Home::Legacy => Err(Error::Unsupported {
                what: "changing this record".into(),
                reason: "it is in `.forge/memory/global.jsonl`, a file of Plan Forge that is read-only here".into(),
            }),
        }
    }
}
