//! The state of a session between hook calls, in the user's own folder. It is deleted when the session ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forge_memory_core::Result;
use forge_memory_core::clock::Millis;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::private;

/// The parts of an injected note that are kept to detect its use.
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
    /// The working directory and the agent. A later session there finishes the work of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The offset up to which each transcript was read, in bytes, by path.
    pub read: Map<String, Value>,
    /// Test commands that failed and have not passed since, with their output.
    pub failing: Map<String, Value>,
    /// The statements of the person that the agent was asked to store, as hashes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// The sentences that the person said, as keyed hashes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// The ways in which commands failed, as hashes of their last lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// The commands that failed and have not passed since, as hashes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// Set when something was learned that the next session may need: a command that had failed passed, or the person corrected the agent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_lesson: bool,
    /// How many lines the memory had before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_before: Option<usize>,
    /// How many notes had been injected, and how many lines the memory had, when the person was told last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<(usize, usize)>,
    /// When that was, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Millis>,
    /// The files that the session has changed, each with when it was changed before, in milliseconds.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub edited: BTreeMap<String, Millis>,
    /// The files that were renamed since the last commit when the session began, each with its new name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub renamed: BTreeMap<String, String>,
    /// The notes that were injected into the session, by their ids.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub told: Map<String, Value>,
    /// Set while the notes for the start of the session are owed: when a deadline ends the call, the next prompt gets them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owes_start: Option<String>,
    /// Set while what the team has for the start of the session is owed: its memory was not there yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub owes_team: bool,
    /// Set when it was said that the team's store refuses this user.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub said_refused: bool,
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

/// Who marks what is to be stored: the agent, and its session as the journal of notes names it.
pub(crate) struct MarkedBy<'a> {
    pub agent: &'a str,
    pub session: &'a str,
}

/// As many digits of the hash of its id name a session in the journal of notes.
const NAME_DIGITS: usize = 12;

/// Returns the name of a session in the journal of notes.
pub(crate) fn name_of(session_id: &str) -> String {
    private::digest(session_id, NAME_DIGITS)
}

/// Sessions without an end event are removed after this time.
const AGE_MAX_MS: u128 = 7 * 24 * 3_600_000;
const FAILING_MAX: usize = 20;
const FOLDER: &str = "sessions";
/// Which sessions are of which project: empty files, named as theirs are, in a folder for each project. So a session that starts reads the
/// files of its own project and no others.
const OF_PROJECTS: &str = "sessions-of";

fn folder_of(home: &Path, project: &Path) -> PathBuf {
    home.join(OF_PROJECTS)
        .join(private::digest(&project.to_string_lossy(), 32))
}

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

    /// The name of the session in the journal of notes: of the hash that names the file, the beginning.
    pub(crate) fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        stem.chars().take(NAME_DIGITS).collect()
    }

    pub(crate) fn note_project(&self, project: &Path) -> Result<()> {
        let note = folder_of(&self.home, project).join(self.path.file_name().unwrap_or_default());
        if note.exists() {
            Ok(())
        } else {
            private::write(&self.home, &note, "")
        }
    }

    /// Lists the files of the other sessions of a project.
    pub(crate) fn others_of(&self, project: &Path) -> Vec<SessionFile> {
        let files = SessionFile::all_of(&self.home, project);
        files.into_iter().filter(|file| file.path != self.path).collect()
    }

    /// Lists the files of the sessions of a project.
    pub(crate) fn all_of(home: &Path, project: &Path) -> Vec<SessionFile> {
        SessionFile::noted_in(home, &folder_of(home, project))
    }

    /// Lists the files of the sessions that a folder notes, and removes the notes of those that have ended.
    fn noted_in(home: &Path, folder: &Path) -> Vec<SessionFile> {
        let mut files = Vec::new();
        for name in private::names_in(folder) {
            let file = SessionFile {
                home: home.to_path_buf(),
                path: home.join(FOLDER).join(&name),
            };
            if file.is_there() {
                files.push(file)
            } else {
                private::remove(&folder.join(name))
            }
        }
        files
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

    pub(crate) fn end(&self) {
        private::remove(&self.path);
    }

    /// Removes the files of sessions without an end event.
    pub(crate) fn clear_old(&self) {
        private::clear_older(&self.home.join(FOLDER), AGE_MAX_MS);
        let projects = self.home.join(OF_PROJECTS);
        for name in private::names_in(&projects) {
            let folder = projects.join(name);
            if SessionFile::noted_in(&self.home, &folder).is_empty() {
                // It fails when another session has been noted meanwhile, which is right.
                let _ = std::fs::remove_dir(folder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that this thread has read so far.
    #[cfg(target_os = "linux")]
    fn bytes_read() -> u64 {
        let told = std::fs::read_to_string("/proc/thread-self/io").unwrap();
        let line = told.lines().find_map(|line| line.strip_prefix("rchar: "));
        line.unwrap().parse().unwrap()
    }

    fn session_of(home: &Path, id: &str, project: &Path) -> SessionFile {
        let file = SessionFile::of(home, id);
        let session = Session {
            cwd: Some(project.to_string_lossy().into_owned()),
            ..Session::default()
        };
        file.write(&session).unwrap();
        file.note_project(project).unwrap();
        file
    }

    fn fresh_home(name: &str) -> PathBuf {
        let home = std::env::temp_dir().join(format!("forge-memory-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&home);
        home
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn sessions_of_other_projects_are_not_read() {
        let home = fresh_home("sessions-read");
        let (here, there) = (Path::new("/work/here"), Path::new("/work/there"));
        let own = session_of(&home, "own", here);
        session_of(&home, "before", here);
        let reads = || {
            let before = bytes_read();
            let found: Vec<Session> = own.others_of(here).iter().map(SessionFile::read).collect();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].cwd.as_deref(), Some("/work/here"));
            bytes_read() - before
        };
        let few = reads();
        for number in 0..800 {
            session_of(&home, &format!("other-{number}"), there);
        }
        // The figures of this thread, which the system reports, are read as well, and grow by a digit.
        let many = reads();
        assert!(many < few + 100, "{many} bytes with 800 other sessions, {few} without");
        std::fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn what_ends_is_not_noted_any_more() {
        let home = fresh_home("sessions-end");
        let project = Path::new("/work/here");
        let own = session_of(&home, "own", project);
        let other = session_of(&home, "other", project);
        assert_eq!(own.others_of(project).len(), 1);
        other.end();
        assert!(own.others_of(project).is_empty());
        assert_eq!(
            private::names_in(&folder_of(&home, project)).len(),
            1,
            "its note is gone"
        );
        own.end();
        own.clear_old();
        assert!(private::names_in(&home.join(OF_PROJECTS)).is_empty());
        std::fs::remove_dir_all(home).unwrap();
    }
}
