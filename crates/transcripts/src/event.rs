//! The normal form into which every reader converts its agent's records. Learning and history work on these events only.

use serde::{Deserialize, Serialize};

use crate::agent::Agent;

/// The metadata of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The agent that recorded it.
    pub agent: Agent,
    /// The agent's own id of the session.
    pub id: String,
    /// The session that started this one.
    pub parent: Option<String>,
    /// The first working directory, as recorded.
    pub cwd: Option<String>,
    /// The git branch, as recorded.
    pub branch: Option<String>,
    /// The git remote, as recorded.
    pub remote: Option<String>,
    /// The agent's own title.
    pub title: Option<String>,
    /// The earliest time in it, in milliseconds since the epoch.
    pub started_ms: Option<i64>,
    /// The latest time in it, in milliseconds since the epoch.
    pub ended_ms: Option<i64>,
    /// True when another agent wrote the prompts.
    pub is_subagent: bool,
    /// True when a program wrote the prompts.
    pub is_automated: bool,
    /// True when the user marked it private: nothing is learned from it.
    pub is_private: bool,
}

impl Session {
    /// Returns a session with only its id set.
    pub fn new(agent: Agent, id: impl Into<String>) -> Self {
        Session {
            agent,
            id: id.into(),
            parent: None,
            cwd: None,
            branch: None,
            remote: None,
            title: None,
            started_ms: None,
            ended_ms: None,
            is_subagent: false,
            is_automated: false,
            is_private: false,
        }
    }

    /// Returns true if a person wrote the prompts.
    pub fn has_human(&self) -> bool {
        !self.is_subagent && !self.is_automated
    }
}

/// The type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A message of a person.
    Prompt,
    /// A message of a person while the agent worked.
    Steer,
    /// A text that a person asked to remember.
    Remember,
    /// A message of the agent.
    Text,
    /// A command.
    Shell,
    /// A change to files.
    Edit,
    /// A tool that reads files.
    Read,
    /// Any other tool.
    Tool,
    /// The result of a tool call.
    Result,
    /// A person refused a tool; `text` is the reason, where one was given.
    Rejection,
    /// A person stopped the agent.
    Interrupt,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It succeeded.
    Ok,
    /// It failed.
    Failed,
    /// A person refused it.
    Rejected,
    /// Not recorded.
    #[default]
    Unknown,
}

/// One step of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its position in the source: the number of the line, row or message, counted from 1.
    pub line: u64,
    /// Its kind.
    pub kind: Kind,
    /// Its time, in milliseconds since the epoch.
    pub at_ms: Option<i64>,
    /// The agent's own id of the record; copies of a session repeat it.
    pub id: Option<String>,
    /// The text, redacted and truncated.
    pub text: String,
    /// The id shared by a call and its result.
    pub call: Option<String>,
    /// The files it refers to.
    pub paths: Vec<String>,
    /// The command.
    pub command: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
}

impl Event {
    /// Returns an event with a text.
    pub fn new(line: u64, kind: Kind, text: impl Into<String>) -> Self {
        Event {
            line,
            kind,
            at_ms: None,
            id: None,
            text: text.into(),
            call: None,
            paths: Vec::new(),
            command: None,
            outcome: Outcome::Unknown,
        }
    }

    /// Returns the result of a call.
    pub fn result(line: u64, call: Option<&str>, outcome: Outcome, text: impl Into<String>) -> Self {
        Event {
            call: call.map(str::to_owned),
            outcome,
            ..Event::new(line, Kind::Result, text)
        }
    }

    /// Returns the event with a time and an id.
    #[must_use]
    pub fn at(mut self, at_ms: Option<i64>, id: Option<&str>) -> Self {
        self.at_ms = at_ms;
        self.id = id.map(str::to_owned);
        self
    }
}
