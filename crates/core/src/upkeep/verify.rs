//! Verification: every record is checked against its hallmark, and every file for lines that are not records.

use crate::upkeep::repair::FileRepair;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::journal::{each_line, halves, read_file};
use crate::model::hallmark::{Sources, Standing, Verdict, verify_line};
use crate::model::rings::is_of_ring;
use crate::model::thought::{ActionKind, LineKind, read_line};
use crate::project::layout::{CAPTURES_FILE, Layout, PATTERNS_FILE};
use crate::upkeep::progress::Progress;

/// Options of a verification.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct VerifyOptions {
    /// Whether type files, queue and index are rebuilt from the raw log, and lines that are not records are moved aside.
    pub repair: bool,
}

/// More findings are counted, not listed.
const LISTED_MAX: usize = 1000;
/// Smaller files are processed by one thread.
const SPLIT_BYTES: usize = 1 << 20;

/// A record that does not match its hallmark, or a line that is not a record.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suspect {
    /// The file, within `.forge/` or the user's own folder.
    pub file: String,
    /// The line number, from 1.
    pub line: u64,
    /// The record; absent for a line that is not a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `edited`, `drifted` or `damaged`.
    pub standing: &'static str,
    /// Why.
    pub reason: String,
}

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// Records.
    pub records: u64,
    /// The number of records that match their hallmark.
    pub intact: u64,
    /// Records that were changed outside.
    pub edited: u64,
    /// Records whose source has changed.
    pub drifted: u64,
    /// Records without a hash.
    pub unstamped: u64,
    /// The number of lines that are not JSON objects.
    pub damaged: u64,
    /// The share of records with a hash, 0 to 1.
    pub coverage: f64,
    /// The suspects, at most a thousand.
    pub suspects: Vec<Suspect>,
    /// Whether nothing is edited, drifted or damaged.
    pub ok: bool,
    /// The repaired files, when a repair was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repaired: Option<Vec<FileRepair>>,
}

#[derive(Default)]
struct Part {
    lines: u64,
    found: Verification,
}

pub(crate) fn verify(layout: &Layout, progress: &Progress) -> Result<Verification> {
    let files = [
        (CAPTURES_FILE.to_owned(), layout.path_of(CAPTURES_FILE)),
        (PATTERNS_FILE.to_owned(), layout.path_of(PATTERNS_FILE)),
        (
            "~/.forge/memory/global.jsonl".to_owned(),
            layout.home().join("memory/global.jsonl"),
        ),
    ];
    let sizes = files
        .iter()
        .map(|(_, path)| layout.disk().stat(path).map_or(0, |state| state.len));
    progress.begin(sizes.sum());
    let mut all = Verification::default();
    for (name, path) in files {
        verify_file(layout, &name, &path, progress, &mut all)?;
    }
    all.coverage = if all.records == 0 {
        1.0
    } else {
        (all.records - all.unstamped) as f64 / all.records as f64
    };
    all.ok = all.edited + all.drifted + all.damaged == 0;
    Ok(all)
}

fn verify_file(layout: &Layout, name: &str, path: &Path, progress: &Progress, all: &mut Verification) -> Result<()> {
    let Some(bytes) = read_file(layout.disk().as_ref(), path)? else {
        return Ok(());
    };
    let retired = retired_in(&bytes);
    let (first, second) = halves(&bytes, SPLIT_BYTES);
    let check = |half: &[u8]| verify_part(name, half, layout, &retired, progress);
    let (first, second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| check(second));
        let first = check(first);
        // Propagate a panic of the other thread.
        let second = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (first, second)
    });
    all.take(first.found, 0);
    all.take(second.found, first.lines);
    Ok(())
}

impl Verification {
    fn take(&mut self, other: Verification, lines_before: u64) {
        self.records += other.records;
        self.intact += other.intact;
        self.edited += other.edited;
        self.drifted += other.drifted;
        self.unstamped += other.unstamped;
        self.damaged += other.damaged;
        let room = LISTED_MAX.saturating_sub(self.suspects.len());
        self.suspects
            .extend(other.suspects.into_iter().take(room).map(|suspect| Suspect {
                line: suspect.line + lines_before,
                ..suspect
            }));
    }

    fn list(&mut self, suspect: Suspect) {
        if self.suspects.len() < LISTED_MAX {
            self.suspects.push(suspect);
        }
    }
}

/// Replaced and forgotten records: drift of their source is not reported.
fn retired_in(bytes: &[u8]) -> FxHashSet<String> {
    let mut retired = FxHashSet::default();
    let rings = crate::judgement::gone::rings_in(bytes);
    let mut claims = Vec::new();
    let (link, action) = (
        memchr::memmem::Finder::new("\"supersedes\""),
        memchr::memmem::Finder::new("\"_action\""),
    );
    for (_, line) in each_line(bytes) {
        if link.find(line).is_none() && action.find(line).is_none() {
            continue;
        }
        match read_line(line) {
            LineKind::Record(fields) => {
                let Some(older) = fields.supersedes else { continue };
                claims.push((fields.id.into_owned(), older.into_owned()));
            }
            LineKind::Action(action) if action.kind == ActionKind::Delete => {
                retired.insert(action.id.into_owned());
            }
            _ => {}
        }
    }
    let claims = claims
        .into_iter()
        .filter(|(newer, older)| !is_of_ring(&rings, newer, older));
    retired.extend(claims.map(|(_, older)| older));
    retired
}

fn verify_part(name: &str, bytes: &[u8], layout: &Layout, retired: &FxHashSet<String>, progress: &Progress) -> Part {
    let mut part = Part::default();
    let mut sources = Sources::new(Arc::clone(layout.disk()), layout.project_dir());
    for (raw, line) in each_line(bytes) {
        part.lines += 1;
        progress.advance(raw.len() as u64);
        if line.is_empty() {
            continue;
        }
        let fields = match read_line(line) {
            LineKind::Record(fields) => fields,
            LineKind::Unparsable => {
                let reason = if crate::model::markers::is_marker(line) {
                    "a git conflict marker"
                } else {
                    "not a JSON object"
                };
                part.found.damaged += 1;
                let line = part.lines;
                part.found.list(suspect(name, line, None, "damaged", reason.into()));
                continue;
            }
            LineKind::Action(_) | LineKind::Ruling(_) | LineKind::Other => continue,
        };
        part.found.records += 1;
        let looked_at = (!retired.contains(fields.id.as_ref())).then_some(&mut sources);
        let Verdict { standing, reason } = verify_line(line, looked_at);
        let counter = match standing {
            Standing::Intact => &mut part.found.intact,
            Standing::Edited => &mut part.found.edited,
            Standing::Drifted => &mut part.found.drifted,
            Standing::Unstamped => &mut part.found.unstamped,
        };
        *counter += 1;
        if matches!(standing, Standing::Edited | Standing::Drifted) {
            let (id, line) = (fields.id.into_owned(), part.lines);
            part.found.list(suspect(
                name,
                line,
                Some(id),
                standing.name(),
                reason.unwrap_or_default(),
            ));
        }
    }
    part
}

fn suspect(file: &str, line: u64, id: Option<String>, standing: &'static str, reason: String) -> Suspect {
    Suspect {
        file: file.to_owned(),
        line,
        id,
        standing,
        reason,
    }
}
