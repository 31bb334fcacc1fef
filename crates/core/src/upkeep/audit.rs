//! The rot audit: measures duplicates, recall loops, secrets and records that are never recalled.
//!
//! score = max(0, 100 - sum over kinds of points(kind) * min(1, share(kind) / full)), where full = 0.02 for secrets, else 0.25.

use schemars::JsonSchema;
use serde::Serialize;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::index::{Family, find_repeats};
use crate::journal::{each_line, write_file};
use crate::model::scrub::redact_record;
use crate::model::thought::{Fields, LineKind, ROUTED_TYPES, read_line};
use crate::observe::events::renew_mark;
use crate::project::Project;
use crate::project::backups::files_in_backups;
use crate::project::files::QUEUE_FILE;
use crate::project::layout::{CAPTURES_FILE, PATTERNS_FILE};
use crate::redact::{find_secrets, redact};
use crate::text::{fold, has_words};
use crate::upkeep::backup::Backup;
use crate::upkeep::forgotten::files_with_copies;
use crate::upkeep::progress::Progress;

/// The first lines of recalled text; a record that quotes one is a copy of a recall (a feedback loop).
const RECALL_SIGNS: [&str; 3] = [
    "matches in project memory:",
    "matches in global memory:",
    "match in project memory:",
];
/// The minimum length of a quotation; shorter texts may be repeated by chance.
const QUOTE_BYTES_MIN: usize = 40;
/// How many findings of each kind are listed.
const LISTED_MAX: usize = 100;

/// One kind of rot.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotPart {
    /// Its name.
    pub name: &'static str,
    /// How many records, or lines, have it.
    pub count: u64,
    /// The number of records, or lines, that were checked.
    pub of: u64,
    /// How many points it subtracts.
    pub cost: f64,
    /// The ids or lines, at most a hundred.
    pub ids: Vec<String>,
}

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditReport {
    /// Records that were checked: those that are neither superseded nor forgotten.
    pub records: u64,
    /// 100 without any rot, 0 at worst.
    pub score: f64,
    /// The parts of the score.
    pub parts: Vec<RotPart>,
}

/// The result of redacting stored records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedactionReport {
    /// Secrets that were redacted.
    pub secrets: u64,
    /// Records and lines that held them.
    pub lines: u64,
    /// The rewritten files.
    pub files: Vec<String>,
}

/// How many points the whole of a kind costs.
const WEIGHTS: [(&str, f64); 7] = [
    ("exact duplicates", 20.0),
    ("near duplicates", 15.0),
    ("recall loops", 15.0),
    ("secrets", 30.0),
    ("never recallable", 10.0),
    ("damaged lines", 10.0),
    ("expired", 10.0),
];

/// The share at which a kind, except for secrets, costs all its points.
const FULL_COST_SHARE: f64 = 0.25;

#[derive(Default)]
struct Findings {
    records: u64,
    lines: u64,
    ids: [Vec<String>; 7],
}

/// Measures the rot of this project's memory. Writes nothing.
pub(crate) fn audit(project: &Project, progress: &Progress) -> Result<AuditReport> {
    let now = project.now();
    let threshold = project.config().settings.dedup_threshold();
    let mut found = Findings::default();
    progress.begin(2);
    for (name, family) in [(CAPTURES_FILE, Family::Thoughts), (PATTERNS_FILE, Family::Patterns)] {
        let bytes = project.layout.read(name)?;
        found.look_at(name, &bytes, family, threshold, now);
        progress.advance(1);
    }
    Ok(found.into_report())
}

/// Redacts the secrets in everything that is stored. No backup is made, since it would contain them.
///
/// # Errors
/// `LOCKED` or `IO`; the current file is unchanged then, and the next run continues.
pub(crate) fn redact_stored(project: &Project) -> Result<RedactionReport> {
    let layout = &project.layout;
    Backup::remove_old(layout, project.now());
    let names = [CAPTURES_FILE, PATTERNS_FILE, QUEUE_FILE];
    let typed = ROUTED_TYPES.iter().map(|(_, file)| *file);
    let mut report = RedactionReport::default();
    let copies = files_with_copies(layout)?;
    for name in names.into_iter().chain(typed).chain(copies.iter().map(String::as_str)) {
        if !layout.has(name) {
            continue;
        }
        let (mut secrets, mut lines) = (0, 0);
        let changed = layout.journal_of(name).replace::<Error>(|old| {
            let fresh;
            (fresh, secrets, lines) = redacted_lines(old);
            if lines > 0 {
                renew_mark(project, name, old, &fresh)?;
            }
            Ok((lines > 0).then_some(fresh))
        })?;
        if changed {
            report.secrets += secrets;
            report.lines += lines;
            report.files.push(name.to_owned());
        }
    }
    for name in files_in_backups(layout) {
        let (fresh, secrets, lines) = redacted_lines(&layout.read(&name)?);
        if lines > 0 {
            write_file(layout.disk().as_ref(), &layout.path_of(&name), &fresh)?;
            report.secrets += secrets;
            report.lines += lines;
            report.files.push(name);
        }
    }
    Ok(report)
}

/// Returns the lines without their secrets, with the number of secrets and of lines that held some.
fn redacted_lines(old: &[u8]) -> (Vec<u8>, u64, u64) {
    let mut fresh = Vec::with_capacity(old.len());
    let (mut secrets, mut lines) = (0, 0);
    for (raw, line) in each_line(old) {
        match redacted_line(line) {
            Some((text, count)) => {
                secrets += count;
                lines += 1;
                fresh.extend_from_slice(text.as_bytes());
                fresh.push(b'\n');
            }
            None => fresh.extend_from_slice(raw),
        }
    }
    (fresh, secrets, lines)
}

/// Returns a line without its secrets and their number; `None` when it contains no secret.
pub(super) fn redacted_line(line: &[u8]) -> Option<(String, u64)> {
    let text = std::str::from_utf8(line).ok().filter(|line| !line.is_empty())?;
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) => {
            let count = redact_record(&mut value);
            (count > 0).then(|| (value.to_string(), count))
        }
        // A torn line can contain secrets, too.
        Err(_) => {
            let redacted = redact(text);
            (redacted.count > 0).then(|| (redacted.text.replace('\n', " "), redacted.count as u64))
        }
    }
}

impl Findings {
    fn look_at(&mut self, name: &str, bytes: &[u8], family: Family, threshold: f64, now: i64) {
        let over = crate::judgement::gone::find_hidden(bytes, i64::MIN);
        let expired = crate::judgement::gone::find_gone(bytes, now);
        let mut records: Vec<Fields<'_>> = Vec::new();
        for (number, (_, line)) in each_line(bytes).enumerate() {
            if line.is_empty() {
                continue;
            }
            self.lines += 1;
            match read_line(line) {
                LineKind::Record(fields) if over.contains(fields.id.as_ref()) => {}
                LineKind::Record(fields) => records.push(fields),
                LineKind::Unparsable => self.ids[5].push(format!("{name}:{}", number + 1)),
                LineKind::Action(_) | LineKind::Ruling(_) | LineKind::Other => {}
            }
        }
        self.records += records.len() as u64;
        for fields in &records {
            if expired.contains_key(fields.id.as_ref()) {
                self.ids[6].push(fields.id.to_string());
            }
            if !find_secrets(&fields.text).is_empty() {
                self.ids[3].push(fields.id.to_string());
            }
            if !has_words(&fields.text) && fields.tags.is_empty() {
                self.ids[4].push(fields.id.to_string());
            }
        }
        let exact = self.count_copies(&records);
        self.count_loops(&records);
        if family == Family::Thoughts {
            self.count_near_copies(&records, &exact, threshold);
        }
    }

    /// Counts exact copies of earlier records; returns their positions.
    fn count_copies(&mut self, records: &[Fields<'_>]) -> FxHashSet<usize> {
        let mut texts_seen: FxHashSet<(&str, &str, String)> = FxHashSet::default();
        let mut copies = FxHashSet::default();
        for (at, fields) in records.iter().enumerate() {
            if !texts_seen.insert((&fields.kind, &fields.project, fold(&fields.text))) {
                self.ids[0].push(fields.id.to_string());
                copies.insert(at);
            }
        }
        copies
    }

    /// Counts records that quote a recalled block, or the whole text of another record.
    fn count_loops(&mut self, records: &[Fields<'_>]) {
        let texts: FxHashMap<String, usize> = records
            .iter()
            .enumerate()
            .filter(|(_, fields)| fields.text.len() >= QUOTE_BYTES_MIN && !fields.text.contains('\n'))
            .map(|(at, fields)| (fold(&fields.text), at))
            .collect();
        for (at, fields) in records.iter().enumerate() {
            let marked = RECALL_SIGNS.iter().any(|sign| fields.text.contains(sign));
            let quotes = |line: &str| {
                let quote = line.split_once(" \u{2014} ").map_or(line, |(_, quote)| quote);
                let quote = quote.trim().trim_start_matches(['-', '*', '>', ' ']);
                quote.len() >= QUOTE_BYTES_MIN && texts.get(&fold(quote)).is_some_and(|other| *other != at)
            };
            let several = fields.text.contains('\n') || fields.text.contains(" \u{2014} ");
            if marked || (several && fields.text.lines().any(quotes)) {
                self.ids[2].push(fields.id.to_string());
            }
        }
    }

    fn count_near_copies(&mut self, records: &[Fields<'_>], copies: &FxHashSet<usize>, threshold: f64) {
        let repeats = find_repeats(records, threshold, |at| copies.contains(&at));
        let repeated = repeats.into_iter().filter_map(|at| records.get(at));
        self.ids[1].extend(repeated.map(|record| record.id.to_string()));
    }

    fn into_report(self) -> AuditReport {
        let Findings { records, lines, ids } = self;
        let parts: Vec<RotPart> = WEIGHTS
            .iter()
            .zip(ids)
            .map(|((name, weight), ids)| {
                let of = if *name == "damaged lines" { lines } else { records };
                let count = ids.len() as u64;
                let share = if of == 0 { 0.0 } else { count as f64 / of as f64 };
                // Secrets cost all their points at a share of 2 %.
                let full = if *name == "secrets" { 0.02 } else { FULL_COST_SHARE };
                RotPart {
                    name,
                    count,
                    of,
                    cost: weight * (share / full).min(1.0),
                    ids: ids.into_iter().take(LISTED_MAX).collect(),
                }
            })
            .collect();
        let cost: f64 = parts.iter().map(|part| part.cost).sum();
        AuditReport {
            records,
            score: (100.0 - cost).max(0.0),
            parts,
        }
    }
}
