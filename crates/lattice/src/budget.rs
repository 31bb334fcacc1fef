//! Resource limits of one indexing run. A repository can be made to be expensive, so a run ends in bounded time and memory,
//! and reports when it left something out.

use schemars::JsonSchema;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use forge_memory_core::config::{CONFIG_FILE, Config};
use forge_memory_core::journal::Disk;
use forge_memory_core::settings::{LATTICE_MEMORY_MB, LATTICE_SECONDS};
use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};

const SECONDS_MAX: f64 = 86_400.0;
const MEMORY_MIB_MIN: f64 = 64.0;
const MEMORY_MIB_MAX: f64 = 1_048_576.0;
const MIB: u64 = 1024 * 1024;
/// The memory that a run needs per byte of facts, for definitions, edges and lines (measured: 4.1 for 41,500 files).
const BYTES_PER_FACT_BYTE: u64 = 6;
/// The share of the time that reading may take; resolving needs the rest.
const READING_PERCENT: u32 = 60;

/// The timeout of git, which usually answers within seconds; it is also limited to this percentage of the time.
const GIT_TIMEOUT: Duration = Duration::from_secs(60);
const WAITING_PERCENT: u32 = 20;

/// A limit that a run reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
}

impl Limit {
    /// Returns the name that files and answers contain.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
        }
    }
}

/// The remaining time and memory of a run.
#[derive(Debug)]
pub(crate) struct Budget {
    begin: Instant,
    time: Duration,
    memory: u64,
    taken: AtomicU64,
    is_late: AtomicBool,
    is_full: AtomicBool,
}

impl Budget {
    /// Returns the limits of a run: those of the caller, else those of the project. The project's file is not trusted,
    /// so it can only lower the defaults.
    pub(crate) fn of(
        max_seconds: Option<f64>,
        max_memory_mb: Option<f64>,
        disk: &dyn Disk,
        project: &Path,
    ) -> Result<Self> {
        let limits = Config::load(disk, &project.join(CONFIG_FILE)).settings.lattice;
        let seconds = asked("maxSeconds", max_seconds, 0.0, SECONDS_MAX)?;
        let memory = asked("maxMemoryMb", max_memory_mb, MEMORY_MIB_MIN, MEMORY_MIB_MAX)?;
        let usual = |configured: Option<u64>, usual: u64| configured.unwrap_or(usual).min(usual) as f64;
        let seconds = seconds.unwrap_or_else(|| usual(limits.max_seconds, LATTICE_SECONDS));
        let memory = memory.unwrap_or_else(|| usual(limits.max_memory_mb, LATTICE_MEMORY_MB));
        Ok(Budget {
            begin: Instant::now(),
            time: Duration::from_secs_f64(seconds),
            memory: (memory as u64).saturating_mul(MIB),
            taken: AtomicU64::new(0),
            is_late: AtomicBool::new(false),
            is_full: AtomicBool::new(false),
        })
    }

    pub(crate) fn git_timeout(&self) -> Duration {
        GIT_TIMEOUT.min(self.time * WAITING_PERCENT / 100)
    }

    /// Subtracts the memory needed for this many bytes of facts.
    pub(crate) fn take_facts(&self, bytes: usize) {
        let bytes = (bytes as u64).saturating_mul(BYTES_PER_FACT_BYTE);
        self.taken.fetch_add(bytes, Ordering::Relaxed);
    }

    /// True if another file may be read, and records when not.
    pub(crate) fn allows_reading(&self) -> bool {
        let is_full = self.taken.load(Ordering::Relaxed) > self.memory;
        let is_late = self.begin.elapsed() > self.time * READING_PERCENT / 100;
        self.is_full.fetch_or(is_full, Ordering::Relaxed);
        self.is_late.fetch_or(is_late && !is_full, Ordering::Relaxed);
        !is_full && !is_late
    }

    /// True if another reference may be resolved, and records when not.
    pub(crate) fn allows_resolving(&self) -> bool {
        let is_late = self.begin.elapsed() > self.time;
        self.is_late.fetch_or(is_late, Ordering::Relaxed);
        !is_late
    }

    pub(crate) fn reached(&self) -> Option<Limit> {
        match (
            self.is_full.load(Ordering::Relaxed),
            self.is_late.load(Ordering::Relaxed),
        ) {
            (true, _) => Some(Limit::Memory),
            (_, true) => Some(Limit::Time),
            _ => None,
        }
    }
}

fn asked(field: &'static str, value: Option<f64>, min: f64, max: f64) -> Result<Option<f64>> {
    match value {
        Some(value) if !(value > 0.0 && value >= min && value <= max) => {
            let due = if min > 0.0 {
                format!("from {min}")
            } else {
                "above 0".into()
            };
            Err(Error::invalid(field, format!("expected a number {due} to {max}")))
        }
        value => Ok(value),
    }
}
