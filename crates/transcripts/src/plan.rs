//! The records that a run over past sessions would store.

use std::collections::BTreeSet;
use std::path::PathBuf;

use forge_memory_core::Result;
use forge_memory_journal::Disk;

use crate::agent::Agent;
use crate::emitter::Skipped;
use crate::find::Problem;
use crate::learn::Finding;
use crate::state::State;

/// The files and sessions found for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCount {
    /// The agent.
    pub agent: Agent,
    /// How many files it has.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Its sessions in the selected projects.
    pub sessions: u64,
    /// When the first of them began, in milliseconds since the epoch.
    pub first_ms: Option<i64>,
    /// When the last of them ended, in milliseconds since the epoch.
    pub last_ms: Option<i64>,
}

/// The records that a run would store; nothing is written until [`Plan::commit`].
#[derive(Debug)]
pub struct Plan {
    /// The findings, in descending order of confidence.
    pub findings: Vec<Finding>,
    /// The files and sessions found, per agent.
    pub agents: Vec<AgentCount>,
    /// Files read in this run.
    pub read: u64,
    /// Files that have not changed since the last run.
    pub unchanged: u64,
    /// Candidates that only one session supports so far.
    pub waiting: usize,
    /// Findings left out because they were stored, declined or forgotten before.
    pub known: usize,
    /// Findings left out because the last ones of their kind were rejected.
    pub unwanted: usize,
    /// Candidates left out because they contain a secret.
    pub secrets: u64,
    /// Records that were skipped, by reason.
    pub skipped: Skipped,
    /// Files that were skipped.
    pub problems: Vec<Problem>,
    pub(crate) state: State,
    pub(crate) state_path: PathBuf,
}

impl Plan {
    /// Writes the state: the findings in `settled` were stored or declined, all others stay open. The next run continues from here.
    ///
    /// # Errors
    /// `IO`; the next run then reads the same input again and offers nothing twice.
    pub fn commit(mut self, disk: &dyn Disk, settled: &BTreeSet<String>) -> Result<()> {
        self.state.settled.extend(settled.iter().cloned());
        self.findings.retain(|finding| !settled.contains(&finding.key));
        self.state.open = self.findings;
        self.state.write(disk, &self.state_path)
    }
}
