//! Counts the records of a JSON Lines file, incrementally from where the last count ended.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use memchr::memmem::Finder;
use once_cell::sync::Lazy;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::clock::{Millis, parse_iso};
use crate::journal::{Disk, FileId, Follower, Line, count_lines};
use crate::observe::telemetry::CaptureTotals;
use crate::outbox::is_own;
use crate::plain::{Plain, each_member};
use crate::project::ownership::Checker;

/// The things counted in a file besides records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    Plain,
    Queue,
    Letters,
    Telemetry,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    #[serde(flatten)]
    followed: Follower,
    pub size: u64,
    pub records: u64,
    pub unparsable: u64,
    /// Records that carry a hallmark.
    pub stamped: u64,
    pub versions: BTreeMap<String, u64>,
    /// Records of the queue that this machine did not write.
    pub foreign: u64,
    pub statuses: BTreeMap<String, u64>,
    /// Records that were tried before.
    pub retried: u64,
    /// When the records that wait for a later attempt are due.
    pub due: Vec<Millis>,
    pub totals: CaptureTotals,
}

#[derive(Default, Deserialize)]
struct Head<'a> {
    #[serde(rename = "_v")]
    version: Option<serde_json::Value>,
    #[serde(borrow, rename = "_status")]
    status: Option<Cow<'a, str>>,
    #[serde(rename = "_attempts")]
    attempts: Option<serde_json::Value>,
    #[serde(borrow, rename = "_enqueuedAt")]
    enqueued_at: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "_nextAttemptAt")]
    next_attempt_at: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "_v")]
    version: Option<serde_json::Value>,
}

/// Built once: building a finder takes as long as searching a line.
static HALLMARK: Lazy<Finder<'static>> = Lazy::new(|| Finder::new(b"\"hallmark\":{"));

impl AsMut<Follower> for Tally {
    fn as_mut(&mut self) -> &mut Follower {
        &mut self.followed
    }
}

impl Tally {
    /// Counts lines appended to the file; counts everything again when it was replaced.
    pub fn refresh(&mut self, disk: &dyn Disk, path: &Path, contents: Contents, check: &Checker) -> io::Result<()> {
        count_lines(
            self,
            disk,
            path,
            |_| Ok(()),
            |tally, line| tally.take(line, contents, check),
        )?;
        self.size = self.followed.seen().map_or(0, |state| state.len);
        Ok(())
    }

    /// Returns how many bytes of a file of this size there are to count.
    pub fn uncounted(&self, size: u64) -> u64 {
        size.saturating_sub(self.followed.covered())
    }

    /// True if the file was counted and exists.
    pub fn is_there(&self) -> bool {
        self.followed.seen().is_some()
    }

    /// Returns which file was counted.
    pub fn file(&self) -> Option<FileId> {
        self.followed.file()
    }

    fn take(&mut self, line: &Line<'_>, contents: Contents, check: &Checker) {
        let text = std::str::from_utf8(line.bytes).ok();
        // A list of values would pass for an object of that shape.
        let is_foreign = matches!(contents, Contents::Queue | Contents::Letters) && !is_own(line.bytes, check);
        let version = match text.filter(|text| text.starts_with('{')) {
            None => None,
            Some(text) if contents == Contents::Queue && !is_foreign => self.take_queue_line(text),
            Some(text) => version_of(text),
        };
        let Some(version) = version else {
            self.unparsable += 1;
            return;
        };
        self.records += 1;
        self.foreign += u64::from(is_foreign);
        if matches!(contents, Contents::Plain | Contents::Letters) {
            self.stamped += u64::from(HALLMARK.find(line.bytes).is_some());
        }
        count_one(&mut self.versions, &version);
        if contents == Contents::Telemetry {
            self.totals.take_line(line.bytes);
        }
    }

    fn take_queue_line(&mut self, line: &str) -> Option<Cow<'static, str>> {
        let Some(head) = plain_head(line).or_else(|| serde_json::from_str(line).ok()) else {
            return version_of(line);
        };
        let status = head.status.unwrap_or(Cow::Borrowed("pending"));
        if !matches!(status.as_ref(), "delivered" | "failed") {
            // A record without a delivery attempt is due at once.
            let postponed = head.next_attempt_at.filter(|at| head.enqueued_at.as_ref() != Some(at));
            let attempts = head.attempts.as_ref().and_then(serde_json::Value::as_u64);
            self.retried += u64::from(attempts.is_some_and(|attempts| attempts > 0));
            self.due.extend(postponed.and_then(|at| parse_iso(&at)));
        }
        count_one(&mut self.statuses, &status);
        Some(name_version(head.version))
    }
}

fn count_one(counts: &mut BTreeMap<String, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}

/// Reads the same as the parser, for a line in the compact form.
fn plain_head(line: &str) -> Option<Head<'_>> {
    let mut head = Head::default();
    let mut seen = 0_u8;
    each_member(line, |name, value| {
        let (bit, place) = match name {
            "_v" => (1, None),
            "_status" => (2, Some(&mut head.status)),
            "_enqueuedAt" => (4, Some(&mut head.enqueued_at)),
            "_nextAttemptAt" => (8, Some(&mut head.next_attempt_at)),
            "_attempts" => (16, None),
            _ => return Some(()),
        };
        match (place, value) {
            (None, Plain::Number("1")) if bit == 1 => head.version = Some(1.into()),
            (None, Plain::Number(number)) if bit == 16 => head.attempts = Some(number.parse::<u64>().ok()?.into()),
            (Some(place), Plain::Text(text)) => *place = Some(Cow::Borrowed(text)),
            _ => return None,
        }
        // A repeated field: leave the line to the parser.
        let is_first = seen & bit == 0;
        seen |= bit;
        is_first.then_some(())
    })?;
    Some(head)
}

fn plain_version(line: &str) -> Option<Cow<'static, str>> {
    let mut version = None;
    each_member(line, |name, value| match (name, value, version) {
        ("_v", Plain::Number("1"), None) => {
            version = Some("1");
            Some(())
        }
        ("_v", ..) => None,
        _ => Some(()),
    })?;
    Some(Cow::Borrowed(version.unwrap_or("none")))
}

fn version_of(line: &str) -> Option<Cow<'static, str>> {
    if let Some(version) = plain_version(line) {
        return Some(version);
    }
    // Lines of this tool begin with the version; the rest of the line only has to be an object.
    if line.starts_with("{\"_v\":1,") {
        return serde_json::from_str::<IgnoredAny>(line)
            .ok()
            .map(|_| Cow::Borrowed("1"));
    }
    match serde_json::from_str::<Version>(line) {
        Ok(head) => Some(name_version(head.version)),
        Err(_) => serde_json::from_str::<serde_json::Value>(line)
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
