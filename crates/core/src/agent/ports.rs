//! Service discovery: the ports of a project's server, and duties of which a project has one holder at a time (leader election by
//! a file lock).

use serde::Serialize;

use crate::error::{Error, Result};
use crate::journal::{LockFile, write_file};
use crate::project::Project;
use crate::project::layout::Layout;

/// The file, within `.forge/`.
pub const PORTS_FILE: &str = "server-ports.json";

/// The address of the server.
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
    /// The token that every request must present.
    pub token: String,
}

/// A duty of this process, until it is released or the process ends.
#[derive(Debug)]
pub struct Duty {
    lock: LockFile,
}

impl Duty {
    /// Releases the duty.
    pub fn release(self) {
        drop(self);
    }
}

impl Drop for Duty {
    fn drop(&mut self) {
        self.lock.release();
    }
}

/// Takes a duty, whose name is that of its lock, unless another process holds it.
///
/// # Errors
/// `IO` when its lock cannot be made.
pub(crate) fn take_duty(project: &mut Project, name: &str) -> Result<Option<Duty>> {
    project.ensure_gitignore(true)?;
    let lock = project.layout.lock_of(name);
    Ok(lock.try_acquire()?.then_some(Duty { lock }))
}

pub(crate) fn is_duty_taken(layout: &Layout, name: &str) -> Result<bool> {
    let lock = layout.lock_of(name);
    if layout.disk().stat(lock.path()).is_err() {
        return Ok(false);
    }
    let free = lock.try_acquire()?;
    if free {
        lock.release();
    }
    Ok(!free)
}

/// Writes the ports of the server, or removes them. Only the holder of the duty `server-ports` calls this.
///
/// # Errors
/// `IO` when the file cannot be written or removed.
pub(crate) fn write_ports(layout: &Layout, ports: Option<&ServerPorts>) -> Result<()> {
    let path = layout.path_of(PORTS_FILE);
    let Some(ports) = ports else {
        return match layout.disk().remove(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &path)(e)),
            _ => Ok(()),
        };
    };
    let text = serde_json::to_string_pretty(ports).map_err(Error::internal("encode the ports"))?;
    Ok(write_file(
        layout.disk().as_ref(),
        &path,
        format!("{text}\n").as_bytes(),
    )?)
}
