//! Healing after merges: conflict markers, concurrent revisions of one record, and edits of forgotten records.

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::each_line;
use crate::judgement::standing::Standings;
use crate::model::lineage::{Conflict, conflicts_among, may_conflict, rings_among};
use crate::model::markers::{has_markers, split_sides};
use crate::model::thought::{Ruling, RulingKind};
use crate::observe::report::Finding;
use crate::project::layout::{CAPTURES_FILE, Layout, PATTERNS_FILE, committed_files};
use crate::upkeep::backup::Backup;
use crate::upkeep::disagreements::find_rivals;
use crate::upkeep::merge::merge;
use schemars::JsonSchema;
use serde::Serialize;

/// A healed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HealedFile")]
pub struct Healed {
    /// Its name within `.forge/`.
    pub name: String,
    /// The number of conflicts that git had marked in it.
    pub markers: u64,
    /// Edits of forgotten records that are forgotten now as well.
    pub forgotten_edits: u64,
    /// Lines now.
    pub lines: u64,
}

/// The result of healing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealReport {
    /// The files.
    pub files: Vec<Healed>,
    /// Where the originals are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}

/// How many ids of a cycle are listed.
const RING_IDS_SHOWN: usize = 10;

/// Finds leftovers of merges in the committed files.
pub(crate) fn find_leftovers(layout: &Layout) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in committed_files() {
        // A file that cannot be read is already reported.
        let Ok(bytes) = layout.read(name) else {
            continue;
        };
        check_file(name, &bytes, &mut findings);
    }
    findings
}

/// Resolves leftovers of merges in the committed files. Concurrent revisions stay: only people know which one is right.
///
/// # Errors
/// `LOCKED` or `IO`; the current file is unchanged then.
pub(crate) fn heal(layout: &Layout, now: Millis) -> Result<HealReport> {
    Backup::remove_old(layout, now);
    let mut backup = Backup::new(layout, now);
    let mut report = HealReport::default();
    for name in committed_files().filter(|name| layout.has(name)) {
        let mut healed = None;
        layout.journal_of(name).replace::<Error>(|old| {
            let sides = split_sides(old);
            let mut merged = merge(&sides.base, &sides.ours, &sides.theirs);
            let is_merged = has_markers(old) || merged.forgotten_edits > 0;
            if !is_merged {
                old.clone_into(&mut merged.bytes);
            }
            let untold = untold_rivals(name, &merged.bytes);
            if !is_merged && untold.is_empty() {
                return Ok(None);
            }
            backup.keep(name, old)?;
            if !merged.bytes.is_empty() && !merged.bytes.ends_with(b"\n") {
                merged.bytes.push(b'\n');
            }
            for ruling in &untold {
                merged.bytes.extend_from_slice(ruling.line().as_bytes());
                merged.bytes.push(b'\n');
            }
            healed = Some(Healed {
                name: name.to_owned(),
                markers: sides.conflicts,
                forgotten_edits: merged.forgotten_edits,
                lines: each_line(&merged.bytes).count() as u64,
            });
            Ok(Some(merged.bytes))
        })?;
        report.files.extend(healed);
    }
    report.backup = backup.made();
    Ok(report)
}

/// Returns the rulings that put revisions of one record before a person which a merge without the driver has left beside each other.
fn untold_rivals(name: &str, bytes: &[u8]) -> Vec<Ruling> {
    if !has_rulings(name) || !may_conflict(bytes) {
        return Vec::new();
    }
    let standings = Standings::in_file(bytes);
    let is_current = |id: &String| standings.hidden_since(id, None).is_none();
    let is_told = |one: &String, other: &String| {
        let kinds = [RulingKind::Conflict, RulingKind::Hold];
        kinds
            .iter()
            .any(|kind| standings.latest_between(one, other, *kind).is_some())
    };
    let lines: Vec<&[u8]> = each_line(bytes).map(|(_, line)| line).collect();
    find_rivals(&lines, |one, other| {
        let (one, other) = (one.to_owned(), other.to_owned());
        is_current(&one) && is_current(&other) && !is_told(&one, &other)
    })
}

/// True for the files with records of their own: those of types repeat them, without what is said about them.
fn has_rulings(name: &str) -> bool {
    name == CAPTURES_FILE || name == PATTERNS_FILE
}

fn check_file(name: &str, bytes: &[u8], findings: &mut Vec<Finding>) {
    if has_markers(bytes) {
        findings.push(Finding::problem(
            "CONFLICT_MARKERS",
            name,
            "git could not merge the file and left conflict markers in it",
            "forge-memory doctor --fix keeps the records of both sides",
        ));
        return;
    }
    if !has_rulings(name) || !may_conflict(bytes) {
        return;
    }
    let standings = Standings::in_file(bytes);
    for conflict in conflicts_among(each_line(bytes).map(|(_, line)| line)) {
        let Conflict { of, mut ids } = conflict;
        // A person may have decided, or said that both hold.
        ids.retain(|id| standings.hidden_since(id, None).is_none());
        let is_open = |(at, id): (usize, &String)| ids.iter().skip(at + 1).any(|other| !standings.is_held(id, other));
        if !ids.iter().enumerate().any(is_open) {
            continue;
        }
        findings.push(Finding::warning(
            "CONFLICTING_REVISIONS",
            name,
            format!(
                "{of} was changed on two branches, and both revisions are recalled: {}",
                ids.join(", ")
            ),
            "forge-memory review --conflicts shows both texts and asks which one holds; doctor --fix tells it of revisions that it does not know",
        ));
    }
    let rings = rings_among(each_line(bytes).map(|(_, line)| line));
    if !rings.is_empty() {
        let shown = rings
            .iter()
            .take(RING_IDS_SHOWN)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        let more = if rings.len() > RING_IDS_SHOWN { ", ..." } else { "" };
        findings.push(Finding::warning(
            "REVISION_RING",
            name,
            format!(
                "{} records supersede each other in a cycle, and all of them are recalled: {shown}{more}",
                rings.len()
            ),
            "inspect each with forge-memory show, then forget the wrong ones",
        ));
    }
    let edits = merge(bytes, bytes, bytes).forgotten_edits;
    if edits > 0 {
        findings.push(Finding::warning(
            "FORGOTTEN_EDITS",
            name,
            format!("{edits} revisions of forgotten records are still recalled"),
            "forge-memory doctor --fix forgets them as well",
        ));
    }
}
