//! The published port of a project's server, and the duties of which a project has one holder.

use std::sync::{Mutex, PoisonError};

use forge_memory_core::Error;
use forge_memory_core::ports::{Duty, ServerPorts as CorePorts};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::error::Result;
use crate::input::read;
use crate::projects::with_memory;

/// The port of a project's server; `.forge/server-ports.json`.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerPorts {
    pub ws: f64,
    pub http: Option<f64>,
    #[serde(default)]
    pub pid: f64,
    /// ISO 8601.
    #[serde(default)]
    pub started_at: String,
    #[serde(default)]
    pub token: String,
}

/// Duties of which a project has one holder at a time.
const DUTIES: [&str; 3] = ["server-ports", "watcher", "lattice-keeper"];

fn known(duty: &str) -> forge_memory_core::Result<&str> {
    let known = DUTIES.contains(&duty).then_some(duty);
    known.ok_or_else(|| Error::invalid("duty", "unknown duty"))
}

/// A duty that one process of a project holds at a time: `server-ports`, `watcher` or `lattice-keeper`.
#[napi]
pub struct ProjectDuty {
    duty: Mutex<Option<Duty>>,
}

#[napi]
impl ProjectDuty {
    /// Tries to take the duty; `isHeld` is true if it was free. Throws `INVALID_INPUT` or `IO`.
    #[napi(
        factory,
        catch_unwind,
        ts_args_type = "name: 'server-ports' | 'watcher' | 'lattice-keeper', options?: ProjectOptions"
    )]
    pub fn take(env: &Env, name: Unknown, options: Unknown) -> Result<ProjectDuty> {
        let name: String = read("name", &name)?;
        let duty = with_memory(env, &options, |memory| memory.take_duty(known(&name)?))?;
        Ok(ProjectDuty { duty: Mutex::new(duty) })
    }

    /// Whether this object holds the duty.
    #[napi(getter)]
    pub fn is_held(&self) -> bool {
        self.inner().is_some()
    }

    /// Releases the duty, as the end of the process does.
    #[napi]
    pub fn release(&self) {
        self.inner().take();
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Option<Duty>> {
        self.duty.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// True if any process holds a duty. Throws `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "name: 'server-ports' | 'watcher' | 'lattice-keeper', options?: ProjectOptions"
)]
pub fn is_duty_taken(env: &Env, name: Unknown, options: Unknown) -> Result<bool> {
    let name: String = read("name", &name)?;
    with_memory(env, &options, |memory| memory.is_duty_taken(known(&name)?))
}

/// Publishes the port of the server. Only the holder of the duty `server-ports` may call it. Throws `INVALID_INPUT` or
/// `IO`.
#[napi(catch_unwind, ts_args_type = "ports: ServerPorts, options?: ProjectOptions")]
pub fn write_server_ports(env: &Env, ports: Unknown, options: Unknown) -> Result<()> {
    let ports: ServerPorts = read("ports", &ports)?;
    with_memory(env, &options, |memory| {
        memory.write_ports(Some(&CorePorts {
            ws: port("ws", ports.ws)?,
            http: ports.http.map(|number| port("http", number)).transpose()?,
            pid: ports.pid as u32,
            started_at: ports.started_at,
            token: ports.token,
        }))
    })
}

/// Removes the file that `writeServerPorts` wrote. Throws `IO`.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn remove_server_ports(env: &Env, options: Unknown) -> Result<()> {
    with_memory(env, &options, |memory| memory.write_ports(None))
}

fn port(name: &str, number: f64) -> forge_memory_core::Result<u16> {
    if (1.0..=65_535.0).contains(&number) && number.fract() == 0.0 {
        Ok(number as u16)
    } else {
        Err(Error::invalid(name, "is not a port number"))
    }
}
