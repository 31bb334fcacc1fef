//! Where a project's server listens, and who serves.

use std::sync::{Mutex, PoisonError};

use forge_memory_core::ports::{Duty, ServerPorts as CorePorts};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::{Result, invalid, to_js};
use crate::projects::with_memory;
use crate::reader::{Fields, text};

/// Where a project's server listens; `.forge/server-ports.json`.
#[napi(object, object_to_js = false)]
pub struct ServerPorts {
    pub ws: f64,
    pub http: Option<f64>,
    pub pid: f64,
    /// ISO 8601.
    pub started_at: String,
    pub token: String,
}

/// A duty of which a project has one holder at a time, whatever process: `server-ports`, `watcher` or `lattice-keeper`.
#[napi]
pub struct ProjectDuty {
    held: Mutex<Option<Duty>>,
}

#[napi]
impl ProjectDuty {
    /// Takes the duty; `isHeld` tells whether it was free. Throws `INVALID_INPUT` or `IO`.
    #[napi(
        factory,
        catch_unwind,
        ts_args_type = "name: 'server-ports' | 'watcher' | 'lattice-keeper', options?: ProjectOptions"
    )]
    pub fn take(env: &Env, name: Unknown, options: Unknown) -> Result<ProjectDuty> {
        let name = text("name", &name)?;
        let held = with_memory(env, &options, |memory, _| memory.take_duty(&name).map_err(to_js))?;
        Ok(ProjectDuty { held: Mutex::new(held) })
    }

    /// Whether this object has the duty.
    #[napi(getter)]
    pub fn is_held(&self) -> bool {
        self.inner().is_some()
    }

    /// Gives the duty up; the end of the process does the same.
    #[napi]
    pub fn release(&self) {
        self.inner().take();
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Option<Duty>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells whether some process has a duty. Throws `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "name: 'server-ports' | 'watcher' | 'lattice-keeper', options?: ProjectOptions"
)]
pub fn is_duty_taken(env: &Env, name: Unknown, options: Unknown) -> Result<bool> {
    let name = text("name", &name)?;
    with_memory(env, &options, |memory, _| memory.is_duty_taken(&name).map_err(to_js))
}

/// Writes where the server listens. Only who has the duty `server-ports` does that. Throws `INVALID_INPUT` or `IO`.
#[napi(catch_unwind, ts_args_type = "ports: ServerPorts, options?: ProjectOptions")]
pub fn write_server_ports(env: &Env, ports: Unknown, options: Unknown) -> Result<()> {
    let fields = Fields::required("ports", &ports)?;
    let ports = CorePorts {
        ws: port("ws", fields.number(c"ws")?)?,
        http: fields
            .number(c"http")?
            .map(|number| port("http", Some(number)))
            .transpose()?,
        pid: fields.number(c"pid")?.unwrap_or(0.0) as u32,
        started_at: fields.text(c"startedAt")?.unwrap_or_default(),
        token: fields.text(c"token")?.unwrap_or_default(),
    };
    with_memory(env, &options, |memory, _| memory.write_ports(&ports).map_err(to_js))
}

/// Removes what `writeServerPorts` wrote. Throws `IO`.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn remove_server_ports(env: &Env, options: Unknown) -> Result<()> {
    with_memory(env, &options, |memory, _| memory.remove_ports().map_err(to_js))
}

fn port(name: &str, number: Option<f64>) -> Result<u16> {
    match number {
        Some(number) if (1.0..=65_535.0).contains(&number) && number.fract() == 0.0 => Ok(number as u16),
        _ => Err(invalid(name, "is no port")),
    }
}
