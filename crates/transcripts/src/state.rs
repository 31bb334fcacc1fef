//! The state of backfill between runs: a checkpoint per file, the evidence that a second session may confirm, and the findings that were
//! offered. Evidence consists of hashes of words, not texts. The file is local to this machine, in the user's own folder.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use forge_memory_core::{Error, Result};
use forge_memory_journal::{Disk, DiskFile, FileState, read_bounded, write_file};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::learn::{Finding, Sighting};
use crate::letters::Letters;

const BYTES_MAX: u64 = 256 << 20;
/// The bytes at the beginning of a file that identify it.
const HEAD_BYTES: u64 = 512;
const VERSION: u32 = 1;

/// How far a file was read, and how to recognise it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Its metadata when it was read.
    pub state: FileState,
    /// The offset up to which it was read.
    pub covered: u64,
    /// The number of lines up to there.
    pub lines: u64,
    /// The hash of its first bytes.
    pub head: u64,
    /// The hash of the last bytes before the offset.
    pub tail: u64,
    /// The resume state of its reader.
    #[serde(default)]
    pub reader: Value,
    /// The state of the learner in its last session.
    #[serde(default)]
    pub learner: Value,
}

impl Checkpoint {
    pub(crate) fn of(state: FileState) -> Self {
        Checkpoint {
            state,
            covered: 0,
            lines: 0,
            head: 0,
            tail: 0,
            reader: Value::Null,
            learner: Value::Null,
        }
    }

    /// Returns true if the file is unchanged.
    pub(crate) fn is_same(&self, state: FileState) -> bool {
        self.state.id == state.id && self.state.len == state.len && self.state.modified_ns == state.modified_ns
    }

    /// Returns true if the file has only been appended to. After any error it is read from the beginning.
    pub(crate) fn continues(&self, file: &dyn DiskFile, state: FileState) -> bool {
        let is_known = || -> io::Result<bool> {
            Ok(head_hash(file, self.covered)? == self.head && tail_hash(file, self.covered)? == self.tail)
        };
        self.covered > 0 && self.state.id == state.id && state.len >= self.covered && is_known().unwrap_or(false)
    }
}

/// Hashes the last bytes before an offset.
pub(crate) fn tail_hash(file: &dyn DiskFile, covered: u64) -> io::Result<u64> {
    const BYTES: u64 = 64;
    let mut bytes = [0_u8; BYTES as usize];
    let got = file.read_at(covered.saturating_sub(BYTES), &mut bytes)?;
    let want = usize::try_from(covered.min(BYTES)).unwrap_or(0).min(got);
    Ok(xxhash_rust::xxh3::xxh3_64(bytes.get(..want).unwrap_or_default()))
}

/// Hashes the first bytes of a file, as far as it was read.
pub(crate) fn head_hash(file: &dyn DiskFile, covered: u64) -> io::Result<u64> {
    let mut bytes = vec![0_u8; usize::try_from(covered.min(HEAD_BYTES)).unwrap_or(0)];
    let got = file.read_at(0, &mut bytes)?;
    Ok(xxh3_64(bytes.get(..got).unwrap_or_default()))
}

/// The evidence for one candidate: which sessions support it, without their words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The kind, as an index into [`crate::FindingKind::ALL`], or the purpose of a command.
    pub kind: u8,
    /// The hashes of the words.
    pub words: Vec<u32>,
    /// The hash of the project's folder.
    pub project: u64,
    /// The records that support it, by hash, and where they are.
    pub records: BTreeMap<u64, Sighting>,
}

/// The state of backfill in one scope.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    version: u32,
    /// The checkpoints, by path.
    pub files: BTreeMap<PathBuf, Checkpoint>,
    /// Evidence that waits for a second session.
    pub waiting: Vec<Evidence>,
    /// The keys of all findings that were stored or declined.
    pub settled: BTreeSet<String>,
    /// The statements of people by their letters.
    #[serde(default)]
    pub letters: Letters,
    /// Undecided findings, redacted.
    #[serde(default)]
    pub open: Vec<Finding>,
}

impl State {
    /// Reads the state; a damaged one, or one of another version, is replaced by an empty one.
    ///
    /// # Errors
    /// `IO` when it exists and cannot be read.
    pub(crate) fn read(disk: &dyn Disk, path: &Path) -> Result<State> {
        match read_bounded(disk, path, BYTES_MAX) {
            Ok(bytes) => {
                let read: Option<State> = serde_json::from_slice(&bytes).ok();
                Ok(read.filter(|state| state.version == VERSION).unwrap_or_default())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::default()),
            Err(error) => Err(Error::io("read", path)(error)),
        }
    }

    /// Replaces the state atomically.
    ///
    /// # Errors
    /// `IO`; the old state is unchanged then.
    pub(crate) fn write(&mut self, disk: &dyn Disk, path: &Path) -> Result<()> {
        self.version = VERSION;
        let bytes = serde_json::to_vec(self).map_err(Error::internal("encode what was read"))?;
        Ok(write_file(disk, path, &bytes)?)
    }
}
