//! Counting what a JSONL file holds, going on from where the last count ended.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::clock::{Millis, parse_iso};
use crate::journal::{Disk, DiskFile, FileId, FileState, Line, OsDisk, scan_lines};
use crate::telemetry::CaptureTotals;

/// What is counted besides records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    Plain,
    Queue,
    Telemetry,
}

/// The counts of one file.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    seen: Option<FileState>,
    covered: u64,
    tail: Vec<u8>,
    pub size: u64,
    pub records: u64,
    pub unparsable: u64,
    /// Records that carry a hallmark.
    pub stamped: u64,
    pub versions: BTreeMap<String, u64>,
    pub statuses: BTreeMap<String, u64>,
    /// When the records that wait for a later attempt are due.
    pub due: Vec<Millis>,
    pub totals: CaptureTotals,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "_v")]
    version: Option<serde_json::Value>,
    #[serde(borrow, rename = "_status")]
    status: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "_nextAttemptAt")]
    next_attempt_at: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "_v")]
    version: Option<serde_json::Value>,
}

const TAIL_BYTES: u64 = 64;

impl Tally {
    /// Counts what is new in the file; everything when it is not the one it was.
    pub fn refresh(&mut self, path: &Path, contents: Contents) -> io::Result<()> {
        let file = match OsDisk.open_read(path) {
            Ok(file) => file,
            Err(e) => {
                *self = Tally::default();
                return if e.kind() == io::ErrorKind::NotFound {
                    Ok(())
                } else {
                    Err(e)
                };
            }
        };
        let state = file.state()?;
        if self.seen == Some(state) {
            return Ok(());
        }
        if !self.continues(file.as_ref(), state)? {
            *self = Tally::default();
        }
        let from = self.covered;
        let end = scan_lines(file.as_ref(), from, state.len, &mut |line| self.take(&line, contents))?;
        self.covered = end;
        self.tail = tail_of(file.as_ref(), end)?;
        self.size = state.len;
        self.seen = Some(state);
        Ok(())
    }

    /// Tells whether the file has been looked at and is there.
    pub fn exists(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns which file was counted.
    pub fn file(&self) -> Option<FileId> {
        self.seen.map(|state| state.id)
    }

    fn continues(&self, file: &dyn DiskFile, state: FileState) -> io::Result<bool> {
        let same = self
            .seen
            .is_some_and(|seen| seen.id == state.id && seen.len < state.len);
        Ok(same && self.covered <= state.len && tail_of(file, self.covered)? == self.tail)
    }

    fn take(&mut self, line: &Line<'_>, contents: Contents) {
        // Passing over a text is no check of its bytes, and a list of values would pass for an object of that shape.
        let is_object = line.bytes.first() == Some(&b'{') && std::str::from_utf8(line.bytes).is_ok();
        let version = match contents {
            _ if !is_object => None,
            Contents::Queue => self.take_queue_line(line.bytes),
            Contents::Plain | Contents::Telemetry => version_of(line.bytes),
        };
        let Some(version) = version else {
            self.unparsable += 1;
            return;
        };
        self.records += 1;
        if contents == Contents::Plain {
            self.stamped += u64::from(memchr::memmem::find(line.bytes, b"\"hallmark\":{").is_some());
        }
        match self.versions.get_mut(version.as_ref()) {
            Some(count) => *count += 1,
            None => {
                self.versions.insert(version.into_owned(), 1);
            }
        }
        if contents == Contents::Telemetry {
            self.totals.take_line(line.bytes);
        }
    }

    fn take_queue_line(&mut self, line: &[u8]) -> Option<Cow<'static, str>> {
        let Ok(head) = serde_json::from_slice::<Head<'_>>(line) else {
            return version_of(line);
        };
        let status = head.status.unwrap_or(Cow::Borrowed("pending"));
        if !matches!(status.as_ref(), "delivered" | "failed") {
            self.due.extend(head.next_attempt_at.and_then(|at| parse_iso(&at)));
        }
        *self.statuses.entry(status.into_owned()).or_default() += 1;
        Some(name_version(head.version))
    }
}

fn version_of(line: &[u8]) -> Option<Cow<'static, str>> {
    // Ours begin with the version; the rest of the line only has to be an object.
    if line.starts_with(b"{\"_v\":1,") {
        return serde_json::from_slice::<IgnoredAny>(line)
            .ok()
            .map(|_| Cow::Borrowed("1"));
    }
    if line.first() != Some(&b'{') {
        return None;
    }
    match serde_json::from_slice::<Version>(line) {
        Ok(head) => Some(name_version(head.version)),
        Err(_) => serde_json::from_slice::<serde_json::Value>(line)
            .ok()
            .map(|v| name_version(v.get("_v").cloned())),
    }
}

fn name_version(version: Option<serde_json::Value>) -> Cow<'static, str> {
    match version {
        None => Cow::Borrowed("none"),
        Some(serde_json::Value::Number(number)) if number.as_u64() == Some(1) => Cow::Borrowed("1"),
        Some(other) => Cow::Owned(other.to_string().chars().take(20).collect()),
    }
}

fn tail_of(file: &dyn DiskFile, end: u64) -> io::Result<Vec<u8>> {
    let from = end.saturating_sub(TAIL_BYTES);
    let mut tail = vec![0; (end - from) as usize];
    let got = file.read_at(from, &mut tail)?;
    tail.truncate(got);
    Ok(tail)
}
