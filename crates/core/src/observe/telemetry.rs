//! Capture telemetry: one small line for every capture, and the sums over all of them.

use schemars::JsonSchema;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::{Millis, format_iso};
use crate::error::Result;
use crate::journal::{Journal, JournalWriter, Line, Rotation};
use crate::model::encode::encode;
use crate::plain::{Plain, each_member};

/// One capture, as it is counted.
#[derive(Debug, Clone, Serialize)]
pub struct CaptureSample<'a> {
    /// Version of the format.
    #[serde(rename = "_v")]
    pub version: u32,
    /// When, in ISO 8601 UTC.
    pub timestamp: &'a str,
    /// The tool, as given; the source when none was.
    pub tool: &'a str,
    /// The type.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// The source, as stored.
    pub source: &'a str,
    /// Why the source that was given is not stored.
    #[serde(rename = "sourceRejected", skip_serializing_if = "Option::is_none")]
    pub source_rejected: Option<&'a str>,
    /// The project.
    pub project: &'a str,
    /// Length of the text in UTF-16 units.
    #[serde(rename = "contentLen")]
    pub content_len: usize,
    /// Whether it was a duplicate.
    pub deduped: bool,
}

/// Sums over all captures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CaptureTelemetry")]
pub struct CaptureTotals {
    /// All captures, duplicates included.
    pub total: u64,
    /// Duplicates among them.
    pub deduped: u64,
    /// By tool.
    #[serde(rename = "byTool")]
    pub by_tool: BTreeMap<String, u64>,
    /// By type.
    #[serde(rename = "byType")]
    pub by_type: BTreeMap<String, u64>,
}

/// A line of the file: a sample, or the totals that a rotation carried over.
#[derive(Deserialize)]
struct ReadLine {
    #[serde(rename = "_action")]
    action: Option<String>,
    tool: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    deduped: Option<bool>,
    total: Option<u64>,
    #[serde(rename = "dedupedTotal")]
    deduped_total: Option<u64>,
    #[serde(rename = "byTool", default)]
    by_tool: BTreeMap<String, u64>,
    #[serde(rename = "byType", default)]
    by_type: BTreeMap<String, u64>,
}

impl CaptureTotals {
    /// Adds one line of the telemetry file.
    pub fn take_line(&mut self, line: &[u8]) {
        let plain = std::str::from_utf8(line).ok().and_then(plain_sample);
        if let Some(sample) = plain {
            self.take_sample(sample);
            return;
        }
        let Ok(read) = serde_json::from_slice::<ReadLine>(line) else {
            return;
        };
        if read.action.as_deref() == Some("carried") {
            self.total += read.total.unwrap_or(0);
            self.deduped += read.deduped_total.unwrap_or(0);
            add_all(&mut self.by_tool, read.by_tool);
            add_all(&mut self.by_type, read.by_type);
        } else if let (Some(tool), Some(kind)) = (&read.tool, &read.kind) {
            let deduped = read.deduped.unwrap_or(false);
            self.take_sample(Sample { tool, kind, deduped });
        }
    }

    pub(super) fn take_sample(&mut self, sample: Sample<'_>) {
        self.total += 1;
        self.deduped += u64::from(sample.deduped);
        for (counts, name) in [(&mut self.by_tool, sample.tool), (&mut self.by_type, sample.kind)] {
            match counts.get_mut(name) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(name.to_owned(), 1);
                }
            }
        }
    }
}

pub(super) struct Sample<'a> {
    pub tool: &'a str,
    pub kind: &'a str,
    pub deduped: bool,
}

/// Reads a sample in the compact form; `None` for every other line.
fn plain_sample(line: &str) -> Option<Sample<'_>> {
    let (mut tool, mut kind, mut deduped) = (None, None, None);
    each_member(line, |name, value| {
        let is_first = match (name, value) {
            ("tool", Plain::Text(text)) => tool.replace(text).is_none(),
            ("type", Plain::Text(text)) => kind.replace(text).is_none(),
            ("deduped", Plain::Flag(flag)) => deduped.replace(flag).is_none(),
            ("tool" | "type" | "deduped" | "_action" | "total" | "dedupedTotal" | "byTool" | "byType", _) => false,
            _ => true,
        };
        is_first.then_some(())
    })?;
    Some(Sample {
        tool: tool?,
        kind: kind?,
        deduped: deduped.unwrap_or(false),
    })
}

pub(super) fn add_all(sums: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    for (name, count) in more {
        *sums.entry(name).or_default() += count;
    }
}

/// The telemetry file.
#[derive(Debug)]
pub struct TelemetryLog {
    pub(crate) journal: Journal,
}

impl TelemetryLog {
    /// Returns the telemetry in a journal.
    pub fn new(journal: Journal) -> Self {
        TelemetryLog { journal }
    }

    /// Counts one capture. When the file is rotated, the new one opens with the sums of the old one, so that totals
    /// are over all time.
    pub fn push(&mut self, sample: &CaptureSample<'_>, now: Millis, bytes_max: u64) -> Result<()> {
        let mut compose = |_: &mut JournalWriter<'_>| encode(sample);
        self.journal
            .append_rotating(bytes_max, &mut |writer| carry_totals(writer, now), &mut compose)?;
        Ok(())
    }
}

fn carry_totals(writer: &mut JournalWriter<'_>, now: Millis) -> Result<Rotation> {
    let mut totals = CaptureTotals::default();
    let len = writer.len();
    writer
        .journal()
        .scan(0, len, &mut |line: Line<'_>| totals.take_line(line.bytes))?;
    let line = encode(&serde_json::json!({
        "_v": 1,
        "_action": "carried",
        "timestamp": format_iso(now),
        "total": totals.total,
        "dedupedTotal": totals.deduped,
        "byTool": totals.by_tool,
        "byType": totals.by_type,
    }))?;
    Ok(Rotation::Now(Some(line)))
}
