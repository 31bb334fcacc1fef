//! How much of the raw log carries a hallmark, and whether the hashes still hold.

use crate::clock::Millis;
use crate::model::wire::iso;
use forge_memory_sorting::Arrange;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
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

/// One tool's records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCoverage {
    /// All of them.
    pub total: u64,
    /// Those with a hallmark.
    pub stamped: u64,
}

/// The records of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ToolCoverage")]
pub struct StampsOfTool {
    /// The tool.
    pub tool: String,
    /// Its records.
    pub total: u64,
    /// Those of them with a hallmark.
    pub stamped: u64,
}

/// How many records of the raw log have a hallmark, and how many of their hashes match.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
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
    pub by_tool: Vec<StampsOfTool>,
    /// The ids of records whose hash does not match, at most a hundred.
    pub changed_ids: Vec<String>,
    /// When it was checked.
    #[serde(serialize_with = "iso")]
    #[schemars(with = "String")]
    pub checked_at: Millis,
}

impl Coverage {
    /// Describes the counts.
    pub fn report(&self, checked_at: Millis) -> HallmarkCoverage {
        let tools = self.by_tool.iter().map(|(tool, counts)| StampsOfTool {
            tool: tool.clone(),
            total: counts.total,
            stamped: counts.stamped,
        });
        let mut by_tool: Vec<StampsOfTool> = tools.collect();
        by_tool.arrange_by(|a, b| b.total.cmp(&a.total));
        HallmarkCoverage {
            total: self.total,
            stamped: self.stamped,
            verified: self.verified,
            changed: self.changed,
            absent: self.total - self.stamped,
            coverage: if self.total == 0 {
                1.0
            } else {
                self.stamped as f64 / self.total as f64
            },
            by_tool,
            changed_ids: self.changed_ids.clone(),
            checked_at,
        }
    }
}

/// The counts, updated incrementally.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    followed: Follower,
    /// All records.
    pub total: u64,
    /// Those with a hallmark.
    pub stamped: u64,
    /// The number of records whose hash matches.
    pub verified: u64,
    /// The number of records whose hash does not match.
    pub changed: u64,
    /// By tool.
    pub by_tool: BTreeMap<String, ToolCoverage>,
    /// Ids of changed records, a hundred at most.
    pub changed_ids: Vec<String>,
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
