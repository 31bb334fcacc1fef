//! A time series of captures, by type or by tool, from the telemetry.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TELEMETRY;
use crate::clock::{DAY_MS, Millis, format_iso, parse_iso, parse_when};
use crate::error::{Error, Result};
use crate::journal::{Disk, Follower, Line, count_lines, rotated_path, scan_lines};
use crate::observe::telemetry::{CaptureTotals, Sample, add_all};
use crate::project::layout::Layout;

const HOUR_MS: Millis = 3_600_000;
/// 1970 began on a Thursday; weeks begin on Mondays.
const MONDAY_MS: Millis = 4 * DAY_MS;
const POINTS_MAX: Millis = 5000;
/// How many names are reported separately; the rest is `other`.
const KEYS_MAX: usize = 12;
const OTHER: &str = "other";

/// The grouping of the counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The type of the capture.
    #[default]
    Type,
    /// The tool that captured.
    Tool,
}

/// How long a point of the series is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bucket {
    /// An hour.
    Hour,
    /// A day, in UTC.
    #[default]
    Day,
    /// A week from Monday on, in UTC.
    Week,
}

impl Bucket {
    fn length(self) -> Millis {
        match self {
            Bucket::Hour => HOUR_MS,
            Bucket::Day => DAY_MS,
            Bucket::Week => 7 * DAY_MS,
        }
    }

    fn start(self, at: Millis) -> Millis {
        let origin = if self == Bucket::Week { MONDAY_MS } else { 0 };
        (at - origin).div_euclid(self.length()) * self.length() + origin
    }
}

/// Selects a series.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SeriesOptions {
    /// `type` when absent.
    pub by: By,
    /// `day` when absent.
    pub bucket: Bucket,
    /// ISO 8601, or an age such as `7d`; `30d` when absent.
    pub since: Option<String>,
}

/// One point of a series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SeriesPoint")]
pub struct Point {
    /// The beginning of its interval, ISO 8601.
    pub at: String,
    /// The number of captures, duplicates included.
    pub total: u64,
    /// The number of duplicates.
    pub deduped: u64,
    /// The number of captures by type or tool.
    pub counts: BTreeMap<String, u64>,
}

/// Captures over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CaptureSeries")]
pub struct Series {
    /// Its start, in ISO 8601.
    pub since: String,
    /// When it ends.
    pub until: String,
    /// The time from which it is complete, when older telemetry is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete_from: Option<String>,
    /// The types or tools, the most frequent first.
    pub keys: Vec<String>,
    /// All points in the range, empty ones included.
    pub points: Vec<Point>,
}

/// The telemetry by hour, updated incrementally.
#[derive(Debug, Default)]
pub struct Samples {
    followed: Follower,
    hours: BTreeMap<Millis, CaptureTotals>,
    complete_from: Option<Millis>,
}

#[derive(Deserialize)]
struct Head {
    timestamp: Option<String>,
    tool: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    deduped: Option<bool>,
    #[serde(rename = "_action")]
    action: Option<String>,
}

impl AsMut<Follower> for Samples {
    fn as_mut(&mut self) -> &mut Follower {
        &mut self.followed
    }
}

impl Samples {
    /// Returns the captures since a moment (ISO 8601, or an age such as `30d`).
    ///
    /// # Errors
    /// `INVALID_INPUT` when the moment is not valid or too long ago for buckets of this size, `IO` when telemetry cannot be read.
    pub(crate) fn since(
        &mut self,
        layout: &Layout,
        by: By,
        bucket: Bucket,
        since: &str,
        now: Millis,
    ) -> Result<Series> {
        let from = bucket.start(parse_when("since", since, now)?);
        if from > now || (now - from) / bucket.length() >= POINTS_MAX {
            return Err(Error::invalid(
                "since",
                format!("is in the future, or more than {POINTS_MAX} buckets ago"),
            ));
        }
        let path = layout.path_of(TELEMETRY);
        self.refresh(layout.disk().as_ref(), &path)
            .map_err(Error::io("read", &path))?;
        Ok(self.series(by, bucket, from, now))
    }

    fn refresh(&mut self, disk: &dyn Disk, path: &Path) -> io::Result<()> {
        let take_previous = |samples: &mut Samples| match disk.open_read(&rotated_path(path)) {
            Ok(previous) => {
                let len = previous.state()?.len;
                scan_lines(previous.as_ref(), 0, len, &mut |line| samples.take(&line)).map(|_| ())
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(e),
        };
        count_lines(self, disk, path, take_previous, |samples, line| samples.take(line))
    }

    fn take(&mut self, line: &Line<'_>) {
        let Ok(sample) = serde_json::from_slice::<Head>(line.bytes) else {
            return;
        };
        let Some(at) = sample.timestamp.as_deref().and_then(parse_iso) else {
            return;
        };
        if sample.action.is_some() {
            // The first line has the sums of rotated telemetry, which is not known by hour.
            if self.hours.is_empty() {
                self.complete_from = Some(at);
            }
            return;
        }
        if let (Some(tool), Some(kind)) = (&sample.tool, &sample.kind) {
            let deduped = sample.deduped.unwrap_or(false);
            let hour = self.hours.entry(at.div_euclid(HOUR_MS) * HOUR_MS).or_default();
            hour.take_sample(Sample { tool, kind, deduped });
        }
    }

    fn series(&self, by: By, bucket: Bucket, from: Millis, until: Millis) -> Series {
        let names = |hour: &CaptureTotals| match by {
            By::Type => hour.by_type.clone(),
            By::Tool => hour.by_tool.clone(),
        };
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for (_, hour) in self.hours.range(from..) {
            add_all(&mut sums, names(hour));
        }
        let keys = keys_of(sums);
        let mut points: Vec<Point> = (0..=(until - from) / bucket.length())
            .map(|number| Point {
                at: format_iso(from + number * bucket.length()),
                total: 0,
                deduped: 0,
                counts: BTreeMap::new(),
            })
            .collect();
        for (at, hour) in self.hours.range(from..) {
            let number = usize::try_from((bucket.start(*at) - from) / bucket.length()).unwrap_or(usize::MAX);
            let Some(point) = points.get_mut(number) else { continue };
            point.total += hour.total;
            point.deduped += hour.deduped;
            for (name, count) in names(hour) {
                let name = if keys.contains(&name) { name } else { OTHER.to_owned() };
                *point.counts.entry(name).or_default() += count;
            }
        }
        Series {
            since: format_iso(from),
            until: format_iso(until),
            complete_from: self.complete_from.map(format_iso),
            keys,
            points,
        }
    }
}

/// Returns the names, the most frequent first; the rest is one of them when there are too many.
fn keys_of(sums: BTreeMap<String, u64>) -> Vec<String> {
    let mut sorted: Vec<(String, u64)> = sums.into_iter().collect();
    sorted.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    let is_long = sorted.len() > KEYS_MAX;
    let mut keys: Vec<String> = sorted.into_iter().map(|(name, _)| name).collect();
    if is_long {
        keys.truncate(KEYS_MAX - 1);
        keys.retain(|name| name != OTHER);
        keys.push(OTHER.to_owned());
    }
    keys
}
