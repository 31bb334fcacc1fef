//! How much of the raw log carries a hallmark, and whether the hashes still hold.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::journal::{Disk, DiskFile, FileId, Line, OsDisk, scan_lines};
use crate::memory::{CAPTURES_FILE, Memory};
use crate::thought::{Thought, content_hash, thought_hash};

/// How many ids of changed records are named.
const CHANGED_MAX: usize = 100;
/// How many bytes in front of the last count are compared, to go on from there.
const ANCHOR_BYTES: u64 = 64;

/// Whether a record is as it was when it was stamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StampState {
    /// The hash holds.
    Verified,
    /// It does not.
    Changed,
    /// There is no hash to compare with.
    Absent,
}

impl StampState {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            StampState::Verified => "verified",
            StampState::Changed => "changed",
            StampState::Absent => "absent",
        }
    }

    /// Looks at the line of a record.
    pub fn of(line: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            return StampState::Absent;
        };
        match value.pointer("/hallmark/contentHash").and_then(Value::as_str) {
            None => StampState::Absent,
            Some(hash) if hash == content_hash(&value) => StampState::Verified,
            Some(_) => StampState::Changed,
        }
    }
}

/// One tool's records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCoverage {
    /// All of them.
    pub total: u64,
    /// Those with a hallmark.
    pub stamped: u64,
}

/// The counts, gone on with from look to look.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    seen: Option<(FileId, u64, Vec<u8>)>,
    /// All records.
    pub total: u64,
    /// Those with a hallmark.
    pub stamped: u64,
    /// Those whose hash holds.
    pub verified: u64,
    /// Those whose hash does not.
    pub changed: u64,
    /// By tool.
    pub by_tool: BTreeMap<String, ToolCoverage>,
    /// Ids of changed records, a hundred at most.
    pub changed_ids: Vec<String>,
}

impl Memory {
    /// Hands out the counts and the raw log they are of, to be gone on with while nobody waits for the memory.
    pub fn take_coverage(&mut self) -> (Coverage, PathBuf) {
        (std::mem::take(&mut self.coverage), self.forge_dir().join(CAPTURES_FILE))
    }

    /// Takes counts back.
    pub fn keep_coverage(&mut self, coverage: Coverage) {
        self.coverage = coverage;
    }
}

impl Coverage {
    /// Counts what is new in the raw log; everything when it is not the file it was.
    ///
    /// # Errors
    /// Whatever reading the file answers.
    pub fn refresh(&mut self, path: &Path) -> io::Result<()> {
        let file = match OsDisk.open_read(path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                *self = Coverage::default();
                return Ok(());
            }
            Err(e) => return Err(e),
        };
        let state = file.state()?;
        let from = match &self.seen {
            Some((id, at, anchor))
                if *id == state.id && *at <= state.len && anchor_of(file.as_ref(), *at)? == *anchor =>
            {
                *at
            }
            _ => {
                *self = Coverage::default();
                0
            }
        };
        let end = scan_lines(file.as_ref(), from, state.len, &mut |line| self.take(&line))?;
        self.seen = Some((state.id, end, anchor_of(file.as_ref(), end)?));
        Ok(())
    }

    fn take(&mut self, line: &Line<'_>) {
        // Ours come in a fixed shape, which is much quicker to check.
        if let Ok(thought) = serde_json::from_slice::<Thought>(line.bytes) {
            let stamp = thought.hallmark.as_ref();
            let hash = stamp.and_then(|stamp| stamp.content_hash.as_deref());
            let state = match hash {
                None => StampState::Absent,
                Some(hash) if hash == thought_hash(&thought) => StampState::Verified,
                Some(_) => StampState::of(line.bytes),
            };
            let tool = stamp.map_or(thought.source.as_str(), |stamp| stamp.tool_name.as_str());
            self.count(state, stamp.is_some(), tool, &thought.id);
            return;
        }
        let Ok(value) = serde_json::from_slice::<Value>(line.bytes) else {
            return;
        };
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
        if text("/content").is_none() || text("/_action").is_some() {
            return;
        }
        let tool = text("/hallmark/toolName").or(text("/source")).unwrap_or("unknown");
        let stamped = value.get("hallmark").is_some_and(Value::is_object);
        self.count(
            StampState::of(line.bytes),
            stamped,
            tool,
            text("/id").unwrap_or_default(),
        );
    }

    fn count(&mut self, state: StampState, stamped: bool, tool: &str, id: &str) {
        self.total += 1;
        self.stamped += u64::from(stamped);
        match state {
            StampState::Verified => self.verified += 1,
            StampState::Absent => {}
            StampState::Changed => {
                self.changed += 1;
                if self.changed_ids.len() < CHANGED_MAX {
                    self.changed_ids.push(id.to_owned());
                }
            }
        }
        let of_tool = match self.by_tool.get_mut(tool) {
            Some(of_tool) => of_tool,
            None => self.by_tool.entry(tool.to_owned()).or_default(),
        };
        of_tool.total += 1;
        of_tool.stamped += u64::from(stamped);
    }
}

fn anchor_of(file: &dyn DiskFile, offset: u64) -> io::Result<Vec<u8>> {
    let from = offset.saturating_sub(ANCHOR_BYTES);
    let mut bytes = vec![0; usize::try_from(offset - from).unwrap_or(0)];
    let got = file.read_at(from, &mut bytes)?;
    bytes.truncate(got);
    Ok(bytes)
}
