//! Fault injection: a disk on which one operation fails, or all from that one on.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::watched::{Operation, Watch, WatchedDisk};

/// The bytes that a failing append writes.
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
    /// The bytes that a failing append writes.
    pub torn: Torn,
    /// True if every later operation fails too, as after the death of the process.
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
    /// The kind of operations that are counted; all when there is none.
    kind: Option<Operation>,
    progress: Mutex<Progress>,
    repaired: AtomicBool,
}

#[derive(Debug, Default)]
struct Progress {
    done: Vec<Operation>,
    counted: usize,
    has_failed: bool,
}

/// True if an operation fails.
enum Fate {
    Succeeds,
    /// It is the first one that fails.
    FailsFirst,
    /// It follows the first one that failed, and the disk is dead.
    FailsLater,
}

impl Tape {
    /// Counts an operation.
    fn count(&self, operation: Operation) -> Fate {
        if self.repaired.load(Ordering::Relaxed) {
            return Fate::Succeeds;
        }
        let mut progress = self.progress.lock().unwrap();
        progress.done.push(operation);
        progress.counted += usize::from(self.kind.is_none_or(|kind| kind == operation));
        if progress.has_failed {
            return if self.fault.dead {
                Fate::FailsLater
            } else {
                Fate::Succeeds
            };
        }
        progress.has_failed = self.fault.at > 0 && progress.counted == self.fault.at;
        if progress.has_failed {
            Fate::FailsFirst
        } else {
            Fate::Succeeds
        }
    }
}

fn fault() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "made to fail")
}

impl Watch for Tape {
    fn before(&self, operation: Operation, _: &Path) -> io::Result<()> {
        match self.count(operation) {
            Fate::Succeeds => Ok(()),
            Fate::FailsFirst | Fate::FailsLater => Err(fault()),
        }
    }

    fn before_append(&self, _: &Path, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
        let kept = match (self.count(Operation::Append), self.fault.torn) {
            (Fate::Succeeds, _) => return Ok(()),
            (Fate::FailsLater, _) => 0,
            (Fate::FailsFirst, Torn::Half) => bytes.len() / 2,
            (Fate::FailsFirst, Torn::AllButLast) => bytes.len() - 1,
            (Fate::FailsFirst, Torn::All) => bytes.len(),
        };
        Err((kept, fault()))
    }
}

/// A disk on which one operation fails.
pub type FaultyDisk = WatchedDisk<Tape>;

impl FaultyDisk {
    /// Returns the real file system with a fault.
    pub fn of(fault: Fault) -> Self {
        Self::counting(None, fault)
    }

    /// Returns the real file system with a fault whose number counts the operations of one kind. The order of operations of several
    /// threads differs from run to run; their number does not.
    pub fn of_kind(kind: Operation, fault: Fault) -> Self {
        Self::counting(Some(kind), fault)
    }

    fn counting(kind: Option<Operation>, fault: Fault) -> Self {
        WatchedDisk(Arc::new(Tape {
            fault,
            kind,
            progress: Mutex::default(),
            repaired: AtomicBool::new(false),
        }))
    }

    /// Ends the fault: from now on everything succeeds and nothing is counted.
    pub fn repair(&self) {
        self.0.repaired.store(true, Ordering::Relaxed);
    }

    /// Returns the operations so far, including the failed one.
    pub fn operations(&self) -> Vec<Operation> {
        self.0.progress.lock().unwrap().done.clone()
    }

    /// True if the fault has occurred.
    pub fn has_failed(&self) -> bool {
        self.0.progress.lock().unwrap().has_failed
    }
}
