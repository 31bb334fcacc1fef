//! Disks for tests. Each is a [`WatchedDisk`]: the real file system with a [`Watch`] that is called before and after every
//! operation. [`FaultyDisk`] makes one operation fail, [`ReadCounter`] counts the bytes read, and [`CrashDisk`] simulates
//! power failures. [`BytesFile`] is a file in memory.

#![deny(unsafe_code)]
// Helpers of tests may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bytes;
mod counter;
mod crash;
mod faulty;
mod watched;

pub use bytes::BytesFile;
pub use counter::ReadCounter;
pub use crash::{CrashDisk, Found, Survivors, SyncCall, SyncKind};
pub use faulty::{Fault, FaultyDisk, Torn};
pub use watched::{Operation, Watch, WatchedDisk};
