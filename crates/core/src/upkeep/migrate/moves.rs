//! Files of the older tools whose records belong elsewhere: their log of thoughts, and histories in `.json` files.
//!
//! A file is first renamed to a private name, so that a program that appends to the old name starts a new file and nothing is
//! lost; then its records are imported; then it is deleted (its bytes are in the backup). A run that dies in
//! between leaves the renamed file, from which the next run continues.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::convert::{convert, note_of, redacted_lines, unpack_array};
use super::files::{FileFate, FileMigration, OLD_LOG, RecordShape};
use crate::error::{Error, Result};
use crate::journal::{Disk, each_line, read_file};
use crate::model::thought::{LineKind, ROUTED_TYPES, read_line};
use crate::project::layout::{CAPTURES_FILE, Layout};
use crate::upkeep::backup::Backup;

/// Histories that the older tools keep in a `.json` file or in a `.jsonl` file, by version.
const HISTORIES: [&str; 6] = [
    "drift-history",
    "env-diff-history",
    "fix-proposals",
    "health-dna",
    "quorum-history",
    "regression-history",
];

/// One file that is to go.
pub(super) struct Move {
    name: String,
    target: String,
    shape: RecordShape,
}

impl Move {
    /// The private name after the first step.
    pub(super) fn waiting(&self) -> String {
        waiting_name(&self.name)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

pub(super) fn waiting_name(name: &str) -> String {
    format!(".{name}.moving")
}

pub(super) fn moves_in(disk: &dyn Disk, forge: &Path) -> Vec<Move> {
    let log = Move {
        name: OLD_LOG.into(),
        target: CAPTURES_FILE.into(),
        shape: RecordShape::Thoughts,
    };
    let histories = HISTORIES.iter().map(|stem| Move {
        name: format!("{stem}.json"),
        target: format!("{stem}.jsonl"),
        shape: RecordShape::Plain,
    });
    let is_there = |name: &str| disk.lstat(&forge.join(name)).is_ok_and(|found| found.is_some());
    std::iter::once(log)
        .chain(histories)
        .filter(|plan| is_there(&plan.name) || is_there(&plan.waiting()))
        .collect()
}

/// Moves the records of one file. Returns the result for it, and for the renamed file of a killed run, if any.
pub(super) fn migrate_by_moving(
    layout: &Layout,
    plan: &Move,
    redacts: bool,
    dry_run: bool,
    backup: &mut Backup,
) -> Result<Vec<FileMigration>> {
    let disk = layout.disk();
    let (source, waiting) = (layout.path_of(&plan.name), layout.path_of(&plan.waiting()));
    let mut files = Vec::new();
    if let Some(bytes) = read_file(disk.as_ref(), &waiting)? {
        files.push(take_over(layout, plan, &bytes, redacts, dry_run, backup)?);
    }
    if let Some(bytes) = read_file(disk.as_ref(), &source)? {
        let file = describe(plan, &bytes, redacts)?;
        if dry_run || file.fate != FileFate::Moved {
            files.push(file);
            return Ok(files);
        }
        backup.keep(&plan.name, &bytes)?;
        disk.rename(&source, &waiting).map_err(Error::io("rename", &source))?;
        files.push(take_over(layout, plan, &bytes, redacts, dry_run, backup)?);
    }
    Ok(files)
}

fn take_over(
    layout: &Layout,
    plan: &Move,
    bytes: &[u8],
    redacts: bool,
    dry_run: bool,
    backup: &mut Backup,
) -> Result<FileMigration> {
    let file = describe(plan, bytes, redacts)?;
    if dry_run {
        return Ok(file);
    }
    let (disk, waiting) = (layout.disk(), &layout.path_of(&plan.waiting()));
    let mut taken = bytes.to_vec();
    loop {
        merge_into(layout, plan, &lines_of(&taken, plan.shape, redacts), backup)?;
        // A program that had it open when it was renamed may have appended since.
        let now = read_file(disk.as_ref(), waiting)?.unwrap_or_default();
        if now.len() <= taken.len() {
            break;
        }
        taken = now;
    }
    disk.remove(waiting).map_err(Error::io("remove", waiting))?;
    Ok(file)
}

fn describe(plan: &Move, bytes: &[u8], redacts: bool) -> Result<FileMigration> {
    let mut file = convert(&document(bytes), plan.shape).into_file(&plan.name);
    if file.fate == FileFate::Newer {
        return Ok(file);
    }
    if file.records == 0 && file.unparsable > 0 {
        file.fate = FileFate::Foreign;
        file.notes = vec!["it contains no records".into()];
        return Ok(file);
    }
    let secrets = if redacts { redacted_lines(&document(bytes)).1 } else { 0 };
    file.notes.extend((secrets > 0).then(|| note_of(secrets)));
    file.fate = FileFate::Moved;
    file.target = Some(plan.target.clone());
    file.changed = file.records;
    Ok(file)
}

fn merge_into(layout: &Layout, plan: &Move, lines: &[Vec<u8>], backup: &mut Backup) -> Result<()> {
    if plan.shape == RecordShape::Thoughts {
        return merge_thoughts(layout, lines, backup);
    }
    let target = &plan.target;
    layout
        .journal_of(target)
        .replace::<Error>(|old| {
            let fresh = missing_lines(lines, old);
            if fresh.is_empty() {
                return Ok(None);
            }
            if !old.is_empty() {
                backup.keep(target, old)?;
            }
            // Records of the older file come first.
            let mut out = join(&fresh);
            out.extend_from_slice(old);
            Ok(Some(out))
        })
        .map(|_| ())
}

/// Imports thoughts into the raw log, then into the files of their types.
fn merge_thoughts(layout: &Layout, lines: &[Vec<u8>], backup: &mut Backup) -> Result<()> {
    let _lock = layout.capture_lock().guard()?;
    merge_unknown(layout, CAPTURES_FILE, lines, &|_| true, backup)?;
    for (kind, file) in ROUTED_TYPES {
        let of_kind = |line: &[u8]| matches!(read_line(line), LineKind::Record(fields) if fields.kind == kind);
        if lines.iter().any(|line| of_kind(line)) {
            merge_unknown(layout, file, lines, &of_kind, backup)?;
        }
    }
    Ok(())
}

fn merge_unknown(
    layout: &Layout,
    name: &str,
    lines: &[Vec<u8>],
    admit: &dyn Fn(&[u8]) -> bool,
    backup: &mut Backup,
) -> Result<()> {
    layout
        .journal_of(name)
        .replace::<Error>(|old| {
            let mut known: FxHashSet<String> = each_line(old).filter_map(|(_, line)| key_of(line)).collect();
            let fresh: Vec<&Vec<u8>> = lines
                .iter()
                .filter(|line| admit(line) && key_of(line).is_some_and(|key| known.insert(key)))
                .collect();
            if fresh.is_empty() {
                return Ok(None);
            }
            if !old.is_empty() {
                backup.keep(name, old)?;
            }
            let mut out = old.to_vec();
            if !out.is_empty() && !out.ends_with(b"\n") {
                out.push(b'\n');
            }
            out.extend_from_slice(&join(&fresh));
            Ok(Some(out))
        })
        .map(|_| ())
}

/// The identity of a line: the record's id, else its bytes.
fn key_of(line: &[u8]) -> Option<String> {
    match read_line(line) {
        LineKind::Record(fields) => Some(fields.id.into_owned()),
        _ if line.is_empty() => None,
        _ => Some(String::from_utf8_lossy(line).into_owned()),
    }
}

/// A pretty-printed object is one record.
fn document(bytes: &[u8]) -> Vec<u8> {
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice::<Value>(body) {
        Ok(record @ Value::Object(_)) => format!("{record}\n").into_bytes(),
        _ => bytes.to_vec(),
    }
}

fn lines_of(bytes: &[u8], shape: RecordShape, redacts: bool) -> Vec<Vec<u8>> {
    let bytes = document(bytes);
    let converted = convert(&bytes, shape);
    let mut body = converted.bytes.unwrap_or(bytes);
    if redacts {
        (body, _) = redacted_lines(&body);
    }
    debug_assert!(unpack_array(&body).0.is_none());
    each_line(&body)
        .filter(|(_, line)| !line.is_empty())
        .map(|(_, line)| line.to_vec())
        .collect()
}

/// Skips as many copies of a line as already exist.
fn missing_lines<'a>(lines: &'a [Vec<u8>], old: &[u8]) -> Vec<&'a Vec<u8>> {
    let mut there: FxHashMap<&[u8], usize> = FxHashMap::default();
    for (_, line) in each_line(old) {
        *there.entry(line).or_default() += 1;
    }
    lines
        .iter()
        .filter(|line| match there.get_mut(line.as_slice()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

fn join(lines: &[&Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}
