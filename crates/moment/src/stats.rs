//! Counts of injected and used notes, and their cost.

use std::path::Path;

use forge_memory_core::clock::{Millis, parse_iso};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::journal::entries;

/// Counts of notes, and their tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// Notes that were injected.
    pub injected: u64,
    /// Those that the agent used.
    pub used: u64,
    /// The others.
    pub wasted: u64,
    /// The tokens of all.
    pub tokens: u64,
}

/// The counts of one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "HookNoteCount")]
pub struct OfHook {
    /// The event.
    pub hook: String,
    /// Its counts.
    #[serde(flatten)]
    pub count: Count,
}

/// The counts of one week, by ISO 8601.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WeekNoteCount")]
pub struct OfWeek {
    /// The week, such as `2026-W47`.
    pub week: String,
    /// Its counts.
    #[serde(flatten)]
    pub count: Count,
}

/// The notes that hooks have injected into sessions of a project, and their use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NoteStats")]
pub struct Stats {
    /// All notes.
    #[serde(flatten)]
    pub count: Count,
    /// Latencies of hooks that injected notes, in milliseconds from the start of their process.
    pub ms_p50: u64,
    /// The slowest of a hundred.
    pub ms_p99: u64,
    /// By event.
    pub by_hook: Vec<OfHook>,
    /// By week.
    pub by_week: Vec<OfWeek>,
    /// Failed hook calls.
    pub faults: u64,
}

/// Summarizes the injections of a project and their use.
#[must_use]
pub fn stats(home: &Path, project: &Path) -> Stats {
    let entries = entries(home, project);
    let notes = entries.into_iter().filter(|entry| !is(entry, "stored"));
    let (faults, entries): (Vec<Value>, Vec<Value>) = notes.partition(|entry| is(entry, "fault"));
    let told = entries.iter().filter(|entry| is(entry, "told"));
    let mut times: Vec<u64> = told.map(|entry| number(entry, "ms")).collect();
    times.sort_unstable();
    let percentile = |share: usize| {
        let at = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(at).copied().unwrap_or(0)
    };
    Stats {
        count: count_of(&entries.iter().collect::<Vec<_>>()),
        ms_p50: percentile(50),
        ms_p99: percentile(99),
        by_hook: grouped(
            &entries,
            |entry| text(entry, "hook").to_owned(),
            |hook, count| OfHook { hook, count },
        ),
        by_week: grouped(
            &entries,
            |entry| week_of(text(entry, "at")),
            |week, count| OfWeek { week, count },
        ),
        faults: faults.len() as u64,
    }
}

/// Hook calls that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "HookFaults")]
pub struct Faults {
    /// How many there were.
    pub count: usize,
    /// The event of the last one.
    pub hook: String,
    /// Its host.
    pub host: String,
    /// The problem.
    pub message: String,
}

/// Returns the failed hook calls since a moment, if there are any. A failed hook does not stop the agent, so the user has not seen it.
#[must_use]
pub fn faults_since(home: &Path, project: &Path, since: Millis) -> Option<Faults> {
    let entries = entries(home, project);
    let is_recent = |entry: &&Value| is(entry, "fault") && parse_iso(text(entry, "at")).is_some_and(|at| at >= since);
    let recent: Vec<&Value> = entries.iter().filter(is_recent).collect();
    let last = recent.last()?;
    let own = |name: &str| text(last, name).to_owned();
    Some(Faults {
        count: recent.len(),
        hook: own("hook"),
        host: own("host"),
        message: own("message"),
    })
}

fn text<'e>(entry: &'e Value, name: &str) -> &'e str {
    entry.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(entry: &Value, name: &str) -> u64 {
    let number = entry.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count, or nothing"
    )]
    let whole = number.max(0.0) as u64;
    whole
}

fn is(entry: &Value, kind: &str) -> bool {
    text(entry, "kind") == kind
}

fn count_of(entries: &[&Value]) -> Count {
    let told = || entries.iter().filter(|entry| is(entry, "told"));
    let injected = told()
        .map(|entry| entry.get("ids").and_then(Value::as_array).map_or(0, Vec::len) as u64)
        .sum();
    let used = entries.iter().filter(|entry| is(entry, "used")).count() as u64;
    Count {
        injected,
        used,
        wasted: u64::saturating_sub(injected, used),
        tokens: told().map(|entry| number(entry, "tokens")).sum(),
    }
}

fn grouped<G>(entries: &[Value], name_of: impl Fn(&Value) -> String, group: impl Fn(String, Count) -> G) -> Vec<G> {
    let mut groups = std::collections::BTreeMap::<String, Vec<&Value>>::new();
    for entry in entries {
        groups.entry(name_of(entry)).or_default().push(entry);
    }
    let counted = groups.into_iter();
    counted.map(|(name, entries)| group(name, count_of(&entries))).collect()
}

const DAY: Millis = 24 * 3_600_000;

/// Returns the week of an instant by ISO 8601.
fn week_of(instant: &str) -> String {
    let day = parse_iso(instant).unwrap_or(0).div_euclid(DAY);
    // The year of an ISO week is that of its Thursday; the first day of 1970 was one.
    let thursday = day - (day + 3).rem_euclid(7) + 3;
    let year_of = |day: Millis| {
        forge_memory_core::clock::format_iso(day * DAY)
            .get(..4)
            .map(str::to_owned)
    };
    let year = year_of(thursday).unwrap_or_default();
    let first = parse_iso(&format!("{year}-01-01T00:00:00.000Z"))
        .unwrap_or(0)
        .div_euclid(DAY);
    format!("{year}-W{:02}", (thursday - first) / 7 + 1)
}
