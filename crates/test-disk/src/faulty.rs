//! A disk on which one operation fails, and all that follow if that is what the test asks for.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::watched::{Operation, Watch, WatchedDisk};

/// How much of the bytes an append that fails leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Torn {
    /// The first half of them.
    Half,
    /// The line end is missing.
    AllButLast,
    /// All of them; only the answer is lost.
    All,
}

/// Which operation fails, and how.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Its number, from 1 on; 0 for none.
    pub at: usize,
    /// What an append leaves behind.
    pub torn: Torn,
    /// Whether the process is dead then: nothing succeeds any more.
    pub dead: bool,
}

impl Fault {
    /// None: the disk only counts.
    pub const NONE: Fault = Fault {
        at: 0,
        torn: Torn::Half,
        dead: false,
    };
}

/// Counts operations and makes one of them fail.
#[derive(Debug)]
pub struct Tape {
    fault: Fault,
    done: Mutex<Vec<Operation>>,
    repaired: AtomicBool,
}

impl Tape {
    /// Counts an operation; true when it is to fail.
    fn fails(&self, operation: Operation) -> bool {
        if self.repaired.load(Ordering::Relaxed) {
            return false;
        }
        let mut done = self.done.lock().unwrap();
        done.push(operation);
        let number = done.len();
        number == self.fault.at || (self.fault.dead && self.fault.at > 0 && number > self.fault.at)
    }

    /// True for the very operation that fails, false for those behind it.
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
    /// Returns the real file system, on which `fault` comes.
    pub fn of(fault: Fault) -> Self {
        WatchedDisk(Arc::new(Tape {
            fault,
            done: Mutex::new(Vec::new()),
            repaired: AtomicBool::new(false),
        }))
    }

    /// From now on everything succeeds and nothing is counted.
    pub fn repair(&self) {
        self.0.repaired.store(true, Ordering::Relaxed);
    }

    /// Returns the operations so far, the failed one included.
    pub fn operations(&self) -> Vec<Operation> {
        self.0.done.lock().unwrap().clone()
    }

    /// Tells whether the fault has come.
    pub fn has_failed(&self) -> bool {
        self.0.fault.at > 0 && self.0.done.lock().unwrap().len() >= self.0.fault.at
    }
}
