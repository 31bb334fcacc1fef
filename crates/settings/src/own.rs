//! The declaration of the user's own settings, in the same form as that of a project's. They are floors: a project's settings, which come
//! with a clone, can only be stricter. So an invalid value counts as the strict one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ReviewPolicy;

/// The most patterns of folders.
const PATTERNS_MAX: usize = 1000;

/// The user's settings of this machine, `settings.json` of the user's own folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnSettings {
    /// `true`: no project stores secrets, even an approved one.
    #[schemars(extend("x-invalid" = true))]
    pub redact: bool,
    /// `"agents"` or `"all"`: a project's `review` can only be stricter.
    #[schemars(extend("x-invalid" = "agents"))]
    pub review: ReviewPolicy,
    /// `"project"`: agents find thoughts of their own project only in the shared store.
    #[schemars(extend("x-invalid" = "project"))]
    pub search: SearchReach,
    /// `"trusted"`: nothing is captured in a project before `forge-memory trust`.
    #[schemars(extend("x-invalid" = "trusted"))]
    pub capture: CapturePolicy,
    /// The index of past sessions.
    pub history: History,
}

/// Whose thoughts agents find in the shared store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchReach {
    /// Those of all projects.
    #[default]
    All,
    /// Those of their own project.
    Project,
}

/// In which projects captures are stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CapturePolicy {
    /// In all.
    #[default]
    All,
    /// In those that the user has approved.
    Trusted,
}

/// The index of past sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "HistorySettings")]
pub struct History {
    /// Sessions started in or below these folders are not indexed; `~`, `*` and `**` are supported.
    #[schemars(length(max = PATTERNS_MAX), extend("x-value" = "list of folders", "x-expected" = "a list of folders"))]
    pub exclude: Vec<String>,
    /// `false` disables the history.
    pub enabled: bool,
}

impl Default for History {
    fn default() -> Self {
        History {
            exclude: Vec::new(),
            enabled: true,
        }
    }
}

/// What only the user's file of a store and an embedder for all projects says, `config.json` beside the groups `openbrain` and `embedder` of a
/// project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnStoreSettings {
    /// The author of your captures; `git` for the identity of git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
}
