//! Candidates: records that one session suggests, with the reason.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::agent::Agent;

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// A person corrected the agent.
    Correction,
    /// A person gave a lasting instruction.
    Instruction,
    /// A decision was made.
    Decision,
    /// An error, and its remedy.
    Fix,
    /// A command that tests, builds, lints or runs the project.
    Command,
    /// A fact about the machine or the services around the project.
    Environment,
}

impl FindingKind {
    /// All kinds.
    pub const ALL: [FindingKind; 6] = [
        FindingKind::Correction,
        FindingKind::Instruction,
        FindingKind::Decision,
        FindingKind::Fix,
        FindingKind::Command,
        FindingKind::Environment,
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Correction => "correction",
            FindingKind::Instruction => "instruction",
            FindingKind::Decision => "decision",
            FindingKind::Fix => "fix",
            FindingKind::Command => "command",
            FindingKind::Environment => "environment",
        }
    }

    /// Returns the type of the stored record, which decides how long the record is kept.
    pub fn record_type(self) -> &'static str {
        match self {
            FindingKind::Correction | FindingKind::Instruction | FindingKind::Command => "convention",
            FindingKind::Decision => "decision",
            FindingKind::Fix => "lesson",
            FindingKind::Environment => "environment",
        }
    }
}

/// Where something was observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// The agent.
    pub agent: Agent,
    /// The agent's id of the session.
    pub session: String,
    /// The number of the line, row or message, counted from 1.
    pub line: u64,
    /// Its time, in milliseconds since the epoch.
    pub at_ms: Option<i64>,
}

/// A record that one session suggests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its kind.
    pub kind: FindingKind,
    /// The text of the record.
    pub text: String,
    /// Why the rule matched.
    pub reason: String,
    /// The confidence of the rule, 0 to 1.
    pub confidence: f64,
    /// True when one session is enough; otherwise a second one must support it.
    pub stands_alone: bool,
    /// Hashes of the compared words: candidates with the same words in the same order are equal.
    pub words: Vec<u32>,
    /// Where it was observed.
    pub seen: Sighting,
    /// The agent's own id of the record; copies of a session repeat it.
    pub record: Option<String>,
    /// The working directory of the session, as recorded.
    pub cwd: Option<String>,
}

/// A finding that is offered to the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its stable key, by which later runs recognise it.
    pub key: String,
    /// Its kind.
    pub kind: FindingKind,
    /// The text of the record.
    pub text: String,
    /// Why it is offered.
    pub reason: String,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// How many sessions support it.
    pub sessions: usize,
    /// Its latest sighting.
    pub seen: Sighting,
    /// The folder of the project it belongs to.
    pub project: PathBuf,
}
