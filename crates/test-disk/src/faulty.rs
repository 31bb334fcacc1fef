//! Fault injection: a disk on which one operation fails, or all from that one on.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::watched::{Operation, Watch, WatchedDisk};

/// What a failing append writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Torn {
    /// The first half of the bytes.
    Half,
    /// Everything except the line end.
    AllButLast,
    /// All bytes: only the result reports a failure.
    All,
}

/// Which operation fails, and how.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Its number, from 1; 0 for none.
    pub at: usize,
    /// What a failing append writes.
    pub torn: Torn,
    /// Whether every later operation fails too, as after the death of the process.
    pub dead: bool,
}

impl Fault {
    /// No fault: the disk only counts.
    pub const NONE: Fault = Fault {
        at: 0,
        torn: Torn::Half,
        dead: false,
    };
}

/// Counts operations, and makes one of them fail.
#[derive(Debug)]
pub struct Tape {
    fault: Fault,
    done: Mutex<Vec<Operation>>,
    repaired: AtomicBool,
}

impl Tape {
    /// Counts an operation; returns whether it fails.
    fn fails(&self, operation: Operation) -> bool {
        if self.repaired.load(Ordering::Relaxed) {
            return false;
        }
        let mut done = self.done.lock().unwrap();
        done.push(operation);
        let number = done.len();
        number == self.fault.at || (self.fault.dead && self.fault.at > 0 && number > self.fault.at)
    }

    /// True for the first operation that fails, false for later ones.
    fn is_at_fault(&self) -> bool {
        self.done.lock().unwrap().len() == self.fault.at
    }
}

fn fault() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "made to fail")
}

impl Watch for Tape {
    fn before(&self, operation: Operation, _: &Path) -> io::Result<()> {
        if self.fails(operation) { Err(fault()) } else { Ok(()) }
    }

    fn before_append(&self, _: &Path, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
        if !self.fails(Operation::Append) {
            return Ok(());
        }
        let kept = match self.fault.torn {
            _ if !self.is_at_fault() => 0,
            Torn::Half => bytes.len() / 2,
            Torn::AllButLast => bytes.len() - 1,
            Torn::All => bytes.len(),
        };
        Err((kept, fault()))
    }
}

/// A disk on which one operation fails.
pub type FaultyDisk = WatchedDisk<Tape>;

impl FaultyDisk {
    /// Returns the real file system with a fault.
    pub fn of(fault: Fault) -> Self {
        WatchedDisk(Arc::new(Tape {
            fault,
            done: Mutex::new(Vec::new()),
            repaired: AtomicBool::new(false),
        }))
    }

    /// Ends the fault: from now on everything succeeds and nothing is counted.
    pub fn repair(&self) {
        self.0.repaired.store(true, Ordering::Relaxed);
    }

    /// Returns the operations so far, including the failed one.
    pub fn operations(&self) -> Vec<Operation> {
        self.0.done.lock().unwrap().clone()
    }

    /// Tells whether the fault has occurred.
    pub fn has_failed(&self) -> bool {
        self.0.fault.at > 0 && self.0.done.lock().unwrap().len() >= self.0.fault.at
    }
}
