//! Healing after merges: conflict markers, concurrent revisions of one record, and edits of forgotten records.

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::each_line;
use crate::model::lineage::{conflicts_among, may_conflict, rings_among};
use crate::model::markers::{has_markers, split_sides};
use crate::observe::report::Finding;
use crate::project::layout::{CAPTURES_FILE, Layout, PATTERNS_FILE, committed_files};
use crate::upkeep::backup::Backup;
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
            let merged = merge(&sides.base, &sides.ours, &sides.theirs);
            if !has_markers(old) && merged.forgotten_edits == 0 {
                return Ok(None);
            }
            backup.keep(name, old)?;
            healed = Some(Healed {
                name: name.to_owned(),
                markers: sides.conflicts,
                forgotten_edits: merged.forgotten_edits,
                lines: merged.lines,
            });
            Ok(Some(merged.bytes))
        })?;
        report.files.extend(healed);
    }
    report.backup = backup.made();
    Ok(report)
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
    if name != CAPTURES_FILE && name != PATTERNS_FILE {
        return;
    }
    if !may_conflict(bytes) {
        return;
    }
    for conflict in conflicts_among(each_line(bytes).map(|(_, line)| line)) {
        findings.push(Finding::warning(
            "CONFLICTING_REVISIONS",
            name,
            format!(
                "{} was changed on two branches, and both revisions are recalled: {}",
                conflict.of,
                conflict.ids.join(", ")
            ),
            "inspect each with forge-memory show, then forget the wrong one",
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
