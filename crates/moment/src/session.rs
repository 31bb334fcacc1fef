//! The state of a session between hook calls, in the user's own folder. It is deleted when the session ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use forge_memory_core::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::private;

/// What is kept of an injected note, to detect its use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Told {
    /// A hash of its content: a note that has changed is injected again.
    pub hash: String,
    pub hook: String,
    pub text: String,
    /// The tool call that it was injected for, which does not count as its use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_used: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Session {
    /// The working directory and the agent. A later session there completes what this one could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The offset up to which each transcript was read, in bytes, by path.
    pub read: Map<String, Value>,
    /// Test commands that failed and have not passed since, with their output.
    pub failing: Map<String, Value>,
    /// The notes that were injected into the session, by their ids.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub told: Map<String, Value>,
    /// Set while the notes for the start of the session are owed: when a deadline ends the call, the next prompt gets them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owes_start: Option<String>,
    /// Set when the user has switched the memory off for this session.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_off: bool,
    /// Set when it was switched off earlier: nothing is learned from its transcript, which contains that part as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub was_off: bool,
    /// Set when the session ended; the file is deleted as soon as the transcript is read to its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_ended: bool,
}

/// Sessions without an end event are removed after this time.
const AGE_MAX_MS: u128 = 7 * 24 * 3_600_000;
const FAILING_MAX: usize = 20;
const FOLDER: &str = "sessions";

/// The file of a session, named by a hash: an id from outside never becomes a path.
pub(crate) struct SessionFile {
    home: PathBuf,
    path: PathBuf,
}

impl SessionFile {
    pub(crate) fn of(home: &Path, session_id: &str) -> Self {
        SessionFile {
            home: home.to_path_buf(),
            path: private::hashed(home, FOLDER, session_id, "json"),
        }
    }

    /// Lists the files of all other sessions.
    pub(crate) fn others(&self) -> Vec<SessionFile> {
        let folder = self.home.join(FOLDER);
        let names = private::names_in(&folder)
            .into_iter()
            .filter(|name| name.ends_with(".json"));
        let files = names.map(|name| SessionFile {
            home: self.home.clone(),
            path: folder.join(name),
        });
        files.filter(|file| file.path != self.path).collect()
    }

    pub(crate) fn read(&self) -> Session {
        private::read(&self.home, &self.path).unwrap_or_default()
    }

    pub(crate) fn write(&self, session: &Session) -> Result<()> {
        let excess = session.failing.len().saturating_sub(FAILING_MAX);
        let kept = session.failing.iter().skip(excess);
        let session = Session {
            failing: kept.map(|(name, why)| (name.clone(), why.clone())).collect(),
            ..session.clone()
        };
        let text = serde_json::to_string(&session).unwrap_or_default();
        private::write(&self.home, &self.path, &text)
    }

    /// Writes the session when it has changed. If that fails, the worst case is that a note is injected again.
    pub(crate) fn keep(&self, session: &Session, before: &Session) {
        if session != before {
            let _ = self.write(session);
        }
    }

    /// How long ago it was written; nothing when it does not exist.
    pub(crate) fn age(&self) -> Duration {
        let written = std::fs::metadata(&self.path).and_then(|found| found.modified());
        written.ok().and_then(|at| at.elapsed().ok()).unwrap_or_default()
    }

    pub(crate) fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// Ends the session.
    pub(crate) fn end(&self) {
        private::remove(&self.path);
    }

    /// Removes the files of sessions without an end event.
    pub(crate) fn clear_old(&self) {
        private::clear_older(&self.home.join(FOLDER), AGE_MAX_MS);
    }
}
