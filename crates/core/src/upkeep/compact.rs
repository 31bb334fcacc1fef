//! Log compaction: removes lines that no answer needs; all other lines keep their bytes.
//!
//! Removed are expired, superseded and forgotten records and their confirmations. What has expired only by this machine's clock, and not by the
//! dates of the records, stays: the clock may be ahead. Tombstones stay: they are small, and
//! without them a merge with another copy would bring the record back.

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::{clean, each_line};
use crate::judgement::gone::{Reason, find_gone, passed, rings_in};
use crate::judgement::standing::VERDICTS_MAX;
use crate::model::lineage::{lineage_in, lineage_line};
use crate::model::rings::is_of_ring;
use crate::model::thought::{ActionKind, LineKind, ROUTED_TYPES, RulingKind, read_line};
use crate::outbox::OLDER_CAPTURES_FILE;
use crate::project::Project;
use crate::project::layout::{CAPTURES_FILE, Layout, PATTERNS_FILE};
use crate::upkeep::backup::Backup;
use crate::upkeep::forgotten::forget_copies;
use crate::upkeep::progress::Progress;

/// One file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileCompaction {
    /// Its name within `.forge/`.
    pub name: String,
    /// Lines that stay.
    pub kept: u64,
    /// Expired records.
    pub expired: u64,
    /// Superseded records.
    pub superseded: u64,
    /// Forgotten records.
    pub forgotten: u64,
    /// The number of confirmations whose record is removed.
    pub remarks: u64,
    /// Size before.
    pub bytes_before: u64,
    /// Size after.
    pub bytes_after: u64,
}

impl FileCompaction {
    /// Returns how many lines are removed.
    pub fn removed(&self) -> u64 {
        self.expired + self.superseded + self.forgotten + self.remarks
    }
}

/// The result of a compaction, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionReport {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// How many lines were removed.
    pub removed: u64,
    /// The folder with the originals, when something was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
    /// The files.
    pub files: Vec<FileCompaction>,
}

/// Removes the lines that no answer needs.
///
/// # Errors
/// `LOCKED` or `IO`; the current file is unchanged then, and the next run continues.
pub(crate) fn compact(project: &Project, dry_run: bool, progress: &Progress) -> Result<CompactionReport> {
    let (layout, now) = (&project.layout, project.now());
    if !dry_run {
        Backup::remove_old(layout, now);
    }
    let mut backup = Backup::new(layout, now);
    let mut files = Vec::new();
    let mut forgotten = FxHashSet::default();
    progress.begin(bytes_to_read(layout, dry_run));
    {
        let _lock = if dry_run {
            None
        } else {
            Some(layout.capture_lock().guard()?)
        };
        let log = layout.read(CAPTURES_FILE)?;
        let gone = find_gone(&log, passed(&log, now));
        forgotten.extend(forgotten_of(&gone));
        // The raw log comes last: until then another run finds the same records. The log of an older tool has copies.
        let typed = ROUTED_TYPES.iter().map(|(_, file)| *file);
        for name in typed.chain([OLDER_CAPTURES_FILE, CAPTURES_FILE]) {
            files.extend(compact_file(
                layout,
                name,
                &|_| gone.clone(),
                dry_run,
                &mut backup,
                progress,
            )?);
        }
    }
    let patterns = layout.read(PATTERNS_FILE)?;
    forgotten.extend(forgotten_of(&find_gone(&patterns, passed(&patterns, now))));
    files.extend(compact_file(
        layout,
        PATTERNS_FILE,
        &|bytes| find_gone(bytes, passed(bytes, now)),
        dry_run,
        &mut backup,
        progress,
    )?);
    if !dry_run {
        forget_copies(project, &forgotten)?;
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(CompactionReport {
        dry_run,
        removed: files.iter().map(FileCompaction::removed).sum(),
        backup: backup.made(),
        files,
    })
}

/// Returns the ids of the forgotten records: a backup must not have what a compaction removes for good.
fn forgotten_of(gone: &FxHashMap<String, Reason>) -> impl Iterator<Item = String> {
    let forgotten = gone.iter().filter(|(_, reason)| matches!(reason, Reason::Forgotten));
    forgotten.map(|(id, _)| id.clone())
}

/// Every file is read once to count its lines, and again when it is rewritten.
fn bytes_to_read(layout: &Layout, dry_run: bool) -> u64 {
    let typed = ROUTED_TYPES.iter().map(|(_, file)| *file);
    let names = typed.chain([OLDER_CAPTURES_FILE, CAPTURES_FILE, PATTERNS_FILE]);
    let size = |name: &str| layout.disk().stat(&layout.path_of(name)).map_or(0, |state| state.len);
    names.map(size).sum::<u64>() * if dry_run { 1 } else { 2 }
}

fn compact_file(
    layout: &Layout,
    name: &str,
    gone_in: &dyn Fn(&[u8]) -> FxHashMap<String, Reason>,
    dry_run: bool,
    backup: &mut Backup,
    progress: &Progress,
) -> Result<Option<FileCompaction>> {
    let old = layout.read(name)?;
    if old.is_empty() {
        return Ok(None);
    }
    let (mut counts, _) = filter_lines(name, &old, &gone_in(&old), progress);
    if counts.removed() > 0 && !dry_run {
        layout.journal_of(name).replace::<Error>(|old| {
            let (found, fresh) = filter_lines(name, old, &gone_in(old), progress);
            counts = found;
            if counts.removed() == 0 {
                return Ok(None);
            }
            backup.keep(name, old)?;
            Ok(Some(fresh))
        })?;
    } else if !dry_run {
        progress.advance(old.len() as u64);
    }
    Ok(Some(counts))
}

fn filter_lines(
    name: &str,
    bytes: &[u8],
    gone: &FxHashMap<String, Reason>,
    progress: &Progress,
) -> (FileCompaction, Vec<u8>) {
    let mut counts = FileCompaction {
        name: name.to_owned(),
        bytes_before: bytes.len() as u64,
        ..FileCompaction::default()
    };
    let repeated = repeated_lines(bytes);
    let rings = rings_in(bytes);
    let idle = idle_feedback(bytes);
    let mut out = Vec::with_capacity(bytes.len());
    for (at, (raw, line)) in each_line(bytes).enumerate() {
        progress.advance(raw.len() as u64);
        let counter = match read_line(line) {
            LineKind::Record(fields) => match gone.get(fields.id.as_ref()) {
                // The rest of a cycle would look like a chain, of which only the newest record is recalled.
                Some(Reason::Expired | Reason::Superseded) if rings.contains(fields.id.as_ref()) => None,
                Some(Reason::Expired) => Some(&mut counts.expired),
                Some(Reason::Superseded) => Some(&mut counts.superseded),
                Some(Reason::Forgotten) => Some(&mut counts.forgotten),
                None if repeated.contains(&at) => Some(&mut counts.superseded),
                None => None,
            },
            LineKind::Action(action) if action.kind == ActionKind::Confirm => {
                gone.contains_key(action.id.as_ref()).then_some(&mut counts.remarks)
            }
            LineKind::Ruling(ruling) if ruling.kind.is_feedback() => {
                (gone.contains_key(&ruling.id) || idle.contains(&at)).then_some(&mut counts.remarks)
            }
            _ => None,
        };
        match counter {
            Some(counter) => {
                *counter += 1;
                // A merge needs the link to its predecessor.
                if let Some((id, older)) = lineage_in(line) {
                    let is_of_ring = is_of_ring(&rings, &id, &older);
                    out.extend_from_slice(lineage_line(&id, &older, is_of_ring).as_bytes());
                    out.push(b'\n');
                }
            }
            None => {
                counts.kept += u64::from(!clean(raw).is_empty());
                out.extend_from_slice(raw);
            }
        }
    }
    counts.bytes_after = out.len() as u64;
    (counts, out)
}

/// Feedback: when, of which session, and the number of its line.
type FeedbackLine = (Millis, String, usize);

/// Finds feedback that affects no result, now or in the past: repetitions by a session, and verdicts beyond the
/// maximum. Returns line numbers.
fn idle_feedback(bytes: &[u8]) -> FxHashSet<usize> {
    let mut idle = FxHashSet::default();
    if memchr::memmem::find(bytes, b"\"_action\"").is_none() {
        return idle;
    }
    let mut feedback: FxHashMap<(String, RulingKind), Vec<FeedbackLine>> = FxHashMap::default();
    let mut accepted: FxHashMap<String, Vec<Millis>> = FxHashMap::default();
    // Of these sessions every line says something about a moment.
    let mut taken_back: FxHashSet<(String, String)> = FxHashSet::default();
    for (at, (_, line)) in each_line(bytes).enumerate() {
        let LineKind::Ruling(ruling) = read_line(line) else {
            continue;
        };
        if ruling.kind == RulingKind::Accept {
            accepted.entry(ruling.id).or_default().push(ruling.at_ms);
        } else if ruling.kind == RulingKind::Withdraw {
            taken_back.insert((ruling.id, ruling.other.unwrap_or_default()));
        } else if ruling.kind.is_feedback() && !ruling.kind.is_of_place() {
            let session = ruling.other.unwrap_or_default();
            feedback
                .entry((ruling.id, ruling.kind))
                .or_default()
                .push((ruling.at_ms, session, at));
        }
    }
    for ((id, kind), mut lines) in feedback {
        lines.sort_unstable();
        let settled = accepted.get(&id).map_or(&[][..], Vec::as_slice);
        // A `wrong` verdict counts between two acceptances.
        let mut counted: FxHashSet<(usize, String)> = FxHashSet::default();
        let mut sizes: FxHashMap<usize, usize> = FxHashMap::default();
        lines.retain(|(_, session, _)| {
            kind == RulingKind::Wrong || !taken_back.contains(&(id.clone(), session.clone()))
        });
        for (at_ms, session, at) in lines {
            let period = match kind {
                RulingKind::Wrong => settled.iter().filter(|accepted| at_ms > **accepted).count(),
                _ => 0,
            };
            let size = sizes.entry(period).or_default();
            if *size < VERDICTS_MAX && counted.insert((period, session)) {
                *size += 1;
            } else {
                idle.insert(at);
            }
        }
    }
    idle
}

/// When an id occurs on several lines, the last one counts; returns the numbers of the others.
fn repeated_lines(bytes: &[u8]) -> FxHashSet<usize> {
    let mut last: FxHashMap<u64, usize> = FxHashMap::default();
    let mut repeated = FxHashSet::default();
    for (at, (_, line)) in each_line(bytes).enumerate() {
        if let LineKind::Record(fields) = read_line(line)
            && let Some(before) = last.insert(crate::model::thought::id_hash(&fields.id), at)
        {
            repeated.insert(before);
        }
    }
    repeated
}
