//! The duties of which one process of a project does each at a time.

use super::Memory;
use crate::agent::ports;
use crate::error::Result;

impl Memory {
    /// Takes a duty, whose name is that of its lock, unless another process holds it.
    ///
    /// # Errors
    /// `IO` when its lock cannot be made.
    pub fn take_duty(&mut self, name: &str) -> Result<Option<ports::Duty>> {
        ports::take_duty(&mut self.project, name)
    }

    /// True if a process holds a duty.
    ///
    /// # Errors
    /// As [`Memory::take_duty`].
    pub fn is_duty_taken(&self, name: &str) -> Result<bool> {
        ports::is_duty_taken(&self.project.layout, name)
    }

    /// Writes the ports of the server, or removes them. Only the holder of the duty `server-ports` calls this.
    ///
    /// # Errors
    /// `IO` when the file cannot be written or removed.
    pub fn write_ports(&self, ports: Option<&ports::ServerPorts>) -> Result<()> {
        ports::write_ports(&self.project.layout, ports)
    }
}
