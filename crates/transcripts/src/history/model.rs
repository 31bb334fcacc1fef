//! The past sessions of a machine: where they are, queries, hits, and orders to forget.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::clock::{Millis, parse_when};
use forge_memory_core::progress::Progress;
use forge_memory_core::wire::iso_if_some;
use forge_memory_core::{Error, Result, TextEmbedder};
use forge_memory_journal::Disk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::Agent;
use crate::find::shown;
use crate::places::Places;

/// The past sessions of all agents on this machine.
#[derive(Debug)]
pub struct History<'a> {
    /// The file system with the sessions and the index.
    pub disk: Arc<dyn Disk>,
    /// Where agents keep sessions.
    pub places: &'a Places,
    /// The user's own folder.
    pub home: &'a Path,
    /// The embedding model, if the installation has one.
    pub embedder: Option<Arc<dyn TextEmbedder>>,
    /// Progress, in KiB.
    pub progress: &'a Progress,
}

/// The number of indexed sessions of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentSessions {
    /// The agent.
    #[schemars(with = "String")]
    pub agent: Agent,
    /// How many there are.
    pub sessions: u64,
}

/// The contents of the index of past sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SessionIndexStatus")]
pub struct HistoryStatus {
    /// Its folder.
    #[serde(serialize_with = "shown")]
    #[schemars(with = "String")]
    pub folder: PathBuf,
    /// False when the settings disable it.
    #[serde(rename = "enabled")]
    pub is_enabled: bool,
    /// The excluded folders.
    pub excluded: Vec<String>,
    /// Files that were read.
    pub files: u64,
    /// Sessions in them.
    pub agents: Vec<AgentSessions>,
    /// Indexed turns.
    pub turns: u64,
    /// Turns with a vector, which are found by meaning as well.
    pub vectors: u64,
    /// The size of the index.
    pub bytes: u64,
    /// The number of forgotten sessions and projects.
    pub forgotten: u64,
}

/// Selects the past sessions to search.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SessionSearchOptions {
    /// Only sessions of these agents: `claude`, `codex`, `gemini` and others (default: all).
    pub agents: Vec<String>,
    /// Only newer: an ISO date, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Whether sessions of all projects are searched.
    pub all_projects: bool,
    /// Maximum number of sessions (default: 10).
    #[schemars(with = "Option<u32>", range(min = 1, max = LIMIT_MAX))]
    pub limit: Option<f64>,
    /// How many of the first hits are left out, for the next page.
    #[schemars(with = "Option<u32>", range(max = u32::MAX))]
    pub offset: Option<f64>,
    /// The maximum time to index new sessions before the search, in milliseconds; unlimited when absent.
    pub update_ms: Option<f64>,
}

const LIMIT_MAX: u32 = 50;

impl SessionSearchOptions {
    /// Returns what is searched of a project, or of all of them.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the name of an agent, the time or a number is none.
    pub fn filter(&self, project: String, now: Millis) -> Result<HistoryFilter> {
        Ok(HistoryFilter {
            agents: Agent::all_named(&self.agents)?,
            since_ms: (self.since.as_deref())
                .map(|since| parse_when("since", since, now))
                .transpose()?,
            project: (!self.all_projects).then_some(project),
            limit: self
                .limit
                .map(|limit| whole("limit", limit, 1, LIMIT_MAX))
                .transpose()?,
            offset: whole("offset", self.offset.unwrap_or_default(), 0, u32::MAX)?,
        })
    }
}

fn whole(field: &'static str, number: f64, least: u32, most: u32) -> Result<usize> {
    if (f64::from(least)..=f64::from(most)).contains(&number) && number.fract() == 0.0 {
        Ok(number as usize)
    } else {
        Err(Error::invalid(
            field,
            format!("expected a whole number from {least} to {most}"),
        ))
    }
}

/// What [`SessionSearchOptions`] select.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// Only sessions of these agents; of all agents when empty.
    pub agents: Vec<Agent>,
    /// Only turns since this time, in milliseconds since the epoch.
    pub since_ms: Option<i64>,
    /// Only sessions of the project in this folder; of all projects without.
    pub project: Option<String>,
    /// The most hits, 1 to 50; 10 without.
    pub limit: Option<usize>,
    /// How many of the first hits are left out.
    pub offset: usize,
}

/// A passage of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SessionTurn")]
pub struct Excerpt {
    /// Who or what speaks.
    #[schemars(extend("enum" = ["user", "agent", "command", "edit", "error"]))]
    pub role: &'static str,
    /// When.
    #[serde(
        rename = "at",
        skip_serializing_if = "Option::is_none",
        serialize_with = "iso_if_some"
    )]
    #[schemars(with = "Option<String>")]
    pub at_ms: Option<i64>,
    /// The number of the line, row or message in the file, counted from 1.
    pub line: u64,
    /// The text, redacted and truncated.
    pub text: String,
    /// True when it is part of the matching turn, false when it is context.
    #[serde(rename = "matched")]
    pub is_match: bool,
}

/// A matching past session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SessionHit")]
pub struct HistoryHit {
    /// The agent.
    #[schemars(with = "String")]
    pub agent: Agent,
    /// The display name of the agent.
    pub agent_title: &'static str,
    /// The agent's own id of the session.
    pub session: String,
    /// The session that started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The command that resumes it, if the agent has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// The agent's own title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its working directory.
    #[serde(rename = "project", skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// When it began.
    #[serde(
        rename = "started",
        skip_serializing_if = "Option::is_none",
        serialize_with = "iso_if_some"
    )]
    #[schemars(with = "Option<String>")]
    pub started_ms: Option<i64>,
    /// When it was last written to.
    #[serde(
        rename = "ended",
        skip_serializing_if = "Option::is_none",
        serialize_with = "iso_if_some"
    )]
    #[schemars(with = "Option<String>")]
    pub ended_ms: Option<i64>,
    /// How many turns of it are in the index.
    pub turn_count: u64,
    /// The time of the matching turn, or of the session.
    #[serde(
        rename = "at",
        skip_serializing_if = "Option::is_none",
        serialize_with = "iso_if_some"
    )]
    #[schemars(with = "Option<String>")]
    pub at_ms: Option<i64>,
    /// The file of the session.
    #[serde(rename = "file", serialize_with = "shown")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// The line, row or message at which the turn begins.
    pub line: u64,
    /// Higher is better.
    pub score: f64,
    /// The turn, with those before and after it.
    pub turns: Vec<Excerpt>,
    /// True when the file cannot be read any more or has changed.
    #[serde(rename = "gone")]
    pub is_gone: bool,
    #[serde(skip)]
    pub(super) place: Place,
}

/// Where a hit is in the index, and in its file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub(super) number: i64,
    pub(super) session_number: i64,
    pub(super) root: PathBuf,
    pub(super) format: usize,
    pub(super) last: u64,
}

/// Selects the past sessions to forget: exactly one of `session`, `project` and `all`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ForgetSessionsOptions {
    /// The agent's own id of a session.
    pub session: Option<String>,
    /// All sessions of the project until now.
    pub project: bool,
    /// All sessions until now.
    pub all: bool,
    /// Only counts them.
    pub dry_run: bool,
}

impl ForgetSessionsOptions {
    /// Returns which they are.
    ///
    /// # Errors
    /// `INVALID_INPUT` unless exactly one is selected.
    pub fn which(&self, project: String) -> Result<Forget> {
        match (&self.session, self.project, self.all) {
            (Some(session), false, false) => Ok(Forget::Session(session.clone())),
            (None, true, false) => Ok(Forget::Project(project)),
            (None, false, true) => Ok(Forget::All),
            _ => Err(Error::invalid("options", "expected one of session, project and all")),
        }
    }
}

/// The result of forgetting past sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForgottenSessions {
    /// The number of sessions that were removed from the index, or with `dryRun` would be.
    pub forgotten: u64,
    /// Whether they were only counted.
    #[serde(rename = "dryRun")]
    pub is_dry_run: bool,
}

/// The sessions to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// One session, by the agent's own id, and the sessions that it started.
    Session(String),
    /// All sessions of a project until now.
    Project(String),
    /// All sessions until now.
    All,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub number: i64,
    pub agent: String,
    pub id: String,
}
