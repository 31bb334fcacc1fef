//! How much of the raw log carries a hallmark, and whether the hashes still hold.

use crate::clock::Millis;
use crate::model::wire::iso;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::journal::{Disk, Follower, Line, count_lines};
use crate::model::hallmark::{Standing, verify_line};
use crate::model::thought::{LineKind, read_line};

/// How many ids of changed records are named.
const CHANGED_MAX: usize = 100;

/// Whether a record is as it was when it was stamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StampState {
    /// The hash holds.
    Verified,
    /// It does not.
    Changed,
    /// The record has no hash.
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

    /// Checks the line of a record like [`Memory::verify`], but not the source file that it is about.
    pub fn of(line: &[u8]) -> Self {
        match verify_line(line, None).standing {
            Standing::Intact | Standing::Drifted => StampState::Verified,
            Standing::Edited => StampState::Changed,
            Standing::Unstamped => StampState::Absent,
        }
    }
}

/// The tool name of a record.
#[derive(Deserialize)]
struct Stamped<'a> {
    #[serde(borrow)]
    hallmark: Option<Stamp<'a>>,
}

#[derive(Deserialize)]
struct Stamp<'a> {
    #[serde(borrow, rename = "toolName")]
    tool_name: Option<Cow<'a, str>>,
}

/// The records of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolCoverage {
    /// The tool.
    pub tool: String,
    /// Its records.
    pub total: u64,
    /// Those of them with a hallmark.
    pub stamped: u64,
}

/// How many records of the raw log have a hallmark, and how many of their hashes match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HallmarkCoverage {
    /// The number of records.
    pub total: u64,
    /// The number of records with a hallmark.
    pub stamped: u64,
    /// The number of records whose hash matches.
    pub verified: u64,
    /// The number of records whose hash does not match.
    pub changed: u64,
    /// The number of records without a hallmark.
    pub absent: u64,
    /// `stamped` / `total`; 1 without records.
    pub coverage: f64,
    /// By tool, the largest number first.
    pub by_tool: Vec<ToolCoverage>,
    /// The ids of records whose hash does not match, at most a hundred.
    pub changed_ids: Vec<String>,
    /// When it was checked.
    #[serde(serialize_with = "iso")]
    #[schemars(with = "String")]
    pub checked_at: Millis,
}

/// The counts, updated incrementally.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    followed: Follower,
    counts: HallmarkCoverage,
}

impl AsMut<Follower> for Coverage {
    fn as_mut(&mut self) -> &mut Follower {
        &mut self.followed
    }
}

impl Coverage {
    /// Counts lines appended to the raw log; counts everything again when the file was replaced.
    pub fn refresh(&mut self, disk: &dyn Disk, path: &Path) -> io::Result<()> {
        count_lines(self, disk, path, |_| Ok(()), |coverage, line| coverage.take(line))
    }

    fn take(&mut self, line: &Line<'_>) {
        let LineKind::Record(fields) = read_line(line.bytes) else {
            return;
        };
        // A hallmark of another shape was edited, so its tool name is not trusted.
        let stamp = serde_json::from_slice::<Stamped<'_>>(line.bytes)
            .ok()
            .and_then(|record| record.hallmark);
        let named = stamp.as_ref().and_then(|stamp| stamp.tool_name.as_deref());
        let source = if fields.source.is_empty() {
            "unknown"
        } else {
            &fields.source
        };
        let state = StampState::of(line.bytes);
        let is_stamped = stamp.is_some() || state != StampState::Absent;
        self.count(state, is_stamped, named.unwrap_or(source), &fields.id);
    }

    fn count(&mut self, state: StampState, stamped: bool, tool: &str, id: &str) {
        let counts = &mut self.counts;
        counts.total += 1;
        counts.stamped += u64::from(stamped);
        counts.absent += u64::from(!stamped);
        match state {
            StampState::Verified => counts.verified += 1,
            StampState::Absent => {}
            StampState::Changed => {
                counts.changed += 1;
                if counts.changed_ids.len() < CHANGED_MAX {
                    counts.changed_ids.push(id.to_owned());
                }
            }
        }
        let at = counts.by_tool.binary_search_by(|known| known.tool.as_str().cmp(tool));
        let at = at.unwrap_or_else(|at| {
            let tool = tool.to_owned();
            let (total, stamped) = (0, 0);
            counts.by_tool.insert(at, ToolCoverage { tool, total, stamped });
            at
        });
        if let Some(of_tool) = counts.by_tool.get_mut(at) {
            of_tool.total += 1;
            of_tool.stamped += u64::from(stamped);
        }
    }

    /// Describes the counts.
    pub fn report(&self, checked_at: Millis) -> HallmarkCoverage {
        let mut report = self.counts.clone();
        report.by_tool.sort_by_key(|tool| std::cmp::Reverse(tool.total));
        report.coverage = match report.total {
            0 => 1.0,
            total => report.stamped as f64 / total as f64,
        };
        report.checked_at = checked_at;
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::thought::HALLMARK_VERSION;

    #[test]
    fn a_hash_matches_differs_or_is_missing() {
        let hash = format!("sha256:{}", "0".repeat(64));
        let stamped = format!(
            r#"{{"id":"a","content":"x","hallmark":{{"schemaVersion":"{HALLMARK_VERSION}","toolName":"t","capturedAt":"2026-11-20T10:00:00.000Z","contentHash":"{hash}"}}}}"#
        );
        for (line, state) in [
            (stamped.as_str(), StampState::Changed),
            (r#"{"id":"a","content":"x"}"#, StampState::Absent),
            (
                r#"{"id":"a","content":"x","hallmark":{"toolName":7}}"#,
                StampState::Changed,
            ),
        ] {
            assert_eq!(StampState::of(line.as_bytes()), state, "{line}");
        }
    }
}
