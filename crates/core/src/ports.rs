//! Where a project's server listens, for the programs of the same user; and who it is that serves.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::journal::{LockFile, write_file};
use crate::memory::Memory;

/// The file, within `.forge/`.
pub const PORTS_FILE: &str = "server-ports.json";

/// Duties of which a project has one holder at a time.
const DUTIES: [&str; 3] = ["server-ports", "watcher", "lattice-keeper"];

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerPorts {
    /// The port of the event stream.
    pub ws: u16,
    /// The port of the HTTP server, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<u16>,
    /// The process.
    pub pid: u32,
    /// Since when, in ISO 8601.
    #[serde(rename = "startedAt")]
    pub started_at: String,
    /// What every request has to show.
    pub token: String,
}

/// A duty of this process, until it is given up or the process ends.
#[derive(Debug)]
pub struct Duty {
    lock: LockFile,
}

impl Duty {
    /// Gives the duty up.
    pub fn release(self) {
        drop(self);
    }
}

impl Drop for Duty {
    fn drop(&mut self) {
        self.lock.release();
    }
}

impl Memory {
    /// Takes a duty (`server-ports`, `watcher`, `lattice-keeper`) if nobody has it.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown duty, `IO` when its lock cannot be made.
    pub fn take_duty(&mut self, name: &str) -> Result<Option<Duty>> {
        self.furnish(true)?;
        let lock = self.duty_lock(name)?;
        Ok(lock.try_acquire()?.then_some(Duty { lock }))
    }

    /// Tells whether some process has a duty.
    ///
    /// # Errors
    /// As [`Memory::take_duty`].
    pub fn is_duty_taken(&self, name: &str) -> Result<bool> {
        let lock = self.duty_lock(name)?;
        if self.surroundings.disk.stat(lock.path()).is_err() {
            return Ok(false);
        }
        let free = lock.try_acquire()?;
        if free {
            lock.release();
        }
        Ok(!free)
    }

    fn duty_lock(&self, name: &str) -> Result<LockFile> {
        if !DUTIES.contains(&name) {
            return Err(Error::invalid("duty", "no such duty"));
        }
        let path = self.forge_dir().join("locks").join(format!("{name}.lock"));
        Ok(LockFile::new(Arc::clone(&self.surroundings.disk), path))
    }

    /// Writes where the server listens. Only who has the duty `server-ports` does that.
    ///
    /// # Errors
    /// `IO` when the file cannot be written.
    pub fn write_ports(&self, ports: &ServerPorts) -> Result<()> {
        let text = serde_json::to_string_pretty(ports).map_err(|e| Error::invalid("ports", e.to_string()))?;
        let (disk, path) = (self.surroundings.disk.as_ref(), self.ports_path());
        Ok(write_file(disk, &path, format!("{text}\n").as_bytes())?)
    }

    /// Removes what [`Memory::write_ports`] wrote.
    ///
    /// # Errors
    /// `IO` when the file is there and cannot be removed.
    pub fn remove_ports(&self) -> Result<()> {
        let path = self.ports_path();
        match self.surroundings.disk.remove(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &path)(e)),
            _ => Ok(()),
        }
    }

    fn ports_path(&self) -> PathBuf {
        self.forge_dir().join(PORTS_FILE)
    }
}
