//! The list of forgotten sessions: the only file of the history that is not derived. It contains hashes of ids and folders, and times.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use forge_memory_core::{Error, Result};
use forge_memory_journal::{Disk, read_bounded, write_file};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::model::{Forget, Listed};
use crate::event::Session;
use crate::project::{plain, root_of};

const FILE: &str = "forgotten.json";
const BYTES_MAX: u64 = 64 << 20;
const VERSION: u32 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Forgotten {
    version: u32,
    sessions: BTreeSet<String>,
    /// Projects, by the hash of their folder; their sessions that began before the time are forgotten.
    projects: BTreeMap<String, i64>,
    /// All sessions that began before this time are forgotten.
    all_before_ms: Option<i64>,
}

impl Forgotten {
    /// Reads the list. A damaged one is an error: starting with an empty list would bring back forgotten sessions.
    pub(super) fn read(disk: &dyn Disk, folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let bytes = match read_bounded(disk, &path, BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Forgotten::default()),
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        let read: Option<Forgotten> = serde_json::from_slice(&bytes).ok();
        read.filter(|read| read.version == VERSION).ok_or_else(|| {
            Error::invalid(
                "history",
                format!(
                    "{} cannot be read; restore it, or delete it to allow all sessions again",
                    path.display()
                ),
            )
        })
    }

    pub(super) fn write(&mut self, disk: &dyn Disk, folder: &Path) -> Result<()> {
        self.version = VERSION;
        let bytes = serde_json::to_vec(self).map_err(Error::internal("encode what was forgotten"))?;
        Ok(write_file(disk, &folder.join(FILE), &bytes)?)
    }

    /// Adds to the list; `found` are the matching sessions of the index.
    pub(super) fn add(&mut self, what: &Forget, found: &[Listed], now_ms: i64) -> Result<()> {
        if let Forget::Session(id) = what
            && found.is_empty()
        {
            return Err(Error::NotFound {
                kind: "session",
                id: id.chars().take(128).collect(),
            });
        }
        self.sessions
            .extend(found.iter().map(|session| key_of(&session.agent, &session.id)));
        match what {
            Forget::Session(_) => {}
            Forget::Project(folder) => {
                self.projects.insert(project_key(&plain(folder)), now_ms);
            }
            Forget::All => self.all_before_ms = Some(now_ms),
        }
        Ok(())
    }

    pub(crate) fn has(&self, session: &Session) -> bool {
        let agent = session.agent.name();
        let ids = std::iter::once(&session.id).chain(&session.parent);
        let mut began_before = ids.map(|id| self.sessions.contains(&key_of(agent, id)));
        if began_before.any(|is_known| is_known) {
            return true;
        }
        let Some(began) = session.started_ms.or(session.ended_ms) else {
            return false;
        };
        let is_old = |before: &i64| began < *before;
        let folder = session.cwd.as_deref().map(root_of);
        self.all_before_ms.as_ref().is_some_and(is_old)
            || folder.is_some_and(|folder| self.folders_above(&folder).any(|before| is_old(&before)))
    }

    /// Returns true if a session was forgotten by its id, when nothing else is known of it.
    pub(crate) fn has_id(&self, agent: &str, id: &str) -> bool {
        self.sessions.contains(&key_of(agent, id))
    }

    fn folders_above<'f>(&'f self, folder: &'f str) -> impl Iterator<Item = i64> + 'f {
        Path::new(folder)
            .ancestors()
            .filter_map(|above| self.projects.get(&project_key(&above.to_string_lossy())).copied())
    }

    pub(super) fn count(&self) -> u64 {
        (self.sessions.len() + self.projects.len()) as u64
    }
}

fn key_of(agent: &str, id: &str) -> String {
    format!("{:032x}", xxh3_128(format!("{agent}\0{id}").as_bytes()))
}

fn project_key(folder: &str) -> String {
    format!("{:016x}", xxh3_64(folder.as_bytes()))
}
