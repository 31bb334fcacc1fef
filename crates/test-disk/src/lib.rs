//! Disks for tests. All of them are a [`WatchedDisk`]: the real file system, with a [`Watch`] that is asked before every
//! operation and told after it. [`FaultyDisk`] makes one operation fail, [`ReadCounter`] counts what is read, and
//! [`CrashDisk`] remembers what was not synced and makes the states in which a loss of power may leave the files.

#![deny(unsafe_code)]
// Tests fail where they are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod counter;
mod crash;
mod faulty;
mod watched;

pub use counter::ReadCounter;
pub use crash::{CrashDisk, Found, Survivors, SyncCall, SyncKind};
pub use faulty::{Fault, FaultyDisk, Torn};
pub use watched::{Operation, Watch, WatchedDisk};
