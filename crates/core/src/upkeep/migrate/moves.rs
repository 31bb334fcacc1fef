//! Files of the older tools whose records belong elsewhere: their log of thoughts, and histories in `.json` files.
//!
//! A file is first renamed to a private name, so that a program that appends to the old name starts a new file and nothing is
//! lost; then its records are imported; then it is deleted (its bytes are in the backup). A run that dies in
//! between leaves the renamed file, from which the next run continues.
//!
//! The log of thoughts is left with the same records under their ids: the older tool's searches read it. A record with an id is a copy, which
//! no reader here counts, and no later run imports again, also when it was forgotten, revised or has expired since.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::convert::{convert, note_of, redacted_lines, unpack_array};
use super::files::{FileFate, FileMigration, RecordShape};
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::{Disk, each_line, read_file};
use crate::model::lineage::lineage_in;
use crate::model::thought::{ActionKind, LineKind, ROUTED_TYPES, read_line};
use crate::outbox::OLDER_CAPTURES_FILE;
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
        name: OLDER_CAPTURES_FILE.into(),
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

/// How records are moved.
pub(super) struct Moving<'m> {
    pub layout: &'m Layout,
    pub redacts: bool,
    pub now: Millis,
    pub dry_run: bool,
    pub backup: &'m mut Backup,
}

impl Moving<'_> {
    /// Moves the records of one file. Returns the result for it, and for the renamed file of a killed run, if any.
    pub(super) fn migrate(&mut self, plan: &Move) -> Result<Vec<FileMigration>> {
        let (layout, disk) = (self.layout, self.layout.disk());
        let (source, waiting) = (layout.path_of(&plan.name), layout.path_of(&plan.waiting()));
        let mut files = Vec::new();
        if let Some(bytes) = read_file(disk.as_ref(), &waiting)? {
            files.push(self.take_over(plan, &bytes)?);
        }
        if let Some(bytes) = read_file(disk.as_ref(), &source)? {
            let file = self.describe(plan, &bytes)?;
            if self.dry_run || file.fate != FileFate::Moved {
                files.push(file);
                return Ok(files);
            }
            self.backup.keep(&plan.name, &bytes)?;
            disk.rename(&source, &waiting).map_err(Error::io("rename", &source))?;
            files.push(self.take_over(plan, &bytes)?);
        }
        Ok(files)
    }

    fn take_over(&mut self, plan: &Move, bytes: &[u8]) -> Result<FileMigration> {
        let file = self.describe(plan, bytes)?;
        if self.dry_run {
            return Ok(file);
        }
        let (disk, waiting) = (self.layout.disk(), &self.layout.path_of(&plan.waiting()));
        let mut taken = bytes.to_vec();
        loop {
            let lines = lines_of(&taken, plan.shape, self.redacts);
            self.merge_into(plan, &lines)?;
            // A program that had it open when it was renamed may have appended since.
            let now = read_file(disk.as_ref(), waiting)?.unwrap_or_default();
            if now.len() <= taken.len() {
                break;
            }
            taken = now;
        }
        if plan.shape == RecordShape::Thoughts {
            self.leave_copy(plan, &lines_of(&taken, plan.shape, self.redacts))?;
        }
        disk.remove(waiting).map_err(Error::io("remove", waiting))?;
        Ok(file)
    }

    fn describe(&self, plan: &Move, bytes: &[u8]) -> Result<FileMigration> {
        let bytes = document(bytes);
        let mut file = convert(&bytes, plan.shape).into_file(&plan.name);
        if file.fate == FileFate::Newer {
            return Ok(file);
        }
        if file.records == 0 && file.unparsable > 0 {
            file.fate = FileFate::Foreign;
            file.notes = vec!["it contains no records".into()];
            return Ok(file);
        }
        if plan.shape == RecordShape::Thoughts {
            let settled = self.settled()?;
            let lines = lines_of(&bytes, plan.shape, false);
            file.changed = lines.iter().filter(|line| !settled.has(line)).count() as u64;
            if file.changed == 0 && file.fate == FileFate::Current {
                return Ok(file);
            }
        } else {
            file.changed = file.records;
        }
        let secrets = if self.redacts { redacted_lines(&bytes).1 } else { 0 };
        file.notes.extend((secrets > 0).then(|| note_of(secrets)));
        file.fate = FileFate::Moved;
        file.target = Some(plan.target.clone());
        Ok(file)
    }

    fn merge_into(&mut self, plan: &Move, lines: &[Vec<u8>]) -> Result<()> {
        if plan.shape == RecordShape::Thoughts {
            return self.merge_thoughts(lines);
        }
        let (target, backup) = (&plan.target, &mut *self.backup);
        self.layout
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
    fn merge_thoughts(&mut self, lines: &[Vec<u8>]) -> Result<()> {
        let _lock = self.layout.capture_lock().guard()?;
        let gone = self.settled()?.gone;
        let lines: Vec<&Vec<u8>> = lines
            .iter()
            .filter(|line| key_of(line).is_some_and(|key| !gone.contains(&key)))
            .collect();
        merge_unknown(self.layout, CAPTURES_FILE, &lines, self.backup)?;
        for (kind, file) in ROUTED_TYPES {
            let typed: Vec<&Vec<u8>> = lines.iter().copied().filter(|line| has_type(line, kind)).collect();
            if !typed.is_empty() {
                merge_unknown(self.layout, file, &typed, self.backup)?;
            }
        }
        Ok(())
    }

    /// Appends the records with their ids to the log that the older tool reads, and has perhaps started again meanwhile.
    fn leave_copy(&self, plan: &Move, lines: &[Vec<u8>]) -> Result<()> {
        let mut journal = self.layout.journal_of(&plan.name);
        journal.replace::<Error>(|old| Ok(without_torn_end(old, lines)))?;
        let there = self.layout.read(&plan.name)?;
        let mut known: FxHashSet<String> = each_line(&there).filter_map(|(_, line)| key_of(line)).collect();
        let missing: Vec<&Vec<u8>> = lines
            .iter()
            .filter(|line| record_id(line).is_some_and(|id| known.insert(id)))
            .collect();
        if !missing.is_empty() {
            journal.append_lines(&join(&missing))?;
        }
        Ok(())
    }

    /// Returns which records need no import any more.
    fn settled(&self) -> Result<Settled> {
        let log = self.layout.read(CAPTURES_FILE)?;
        let mut settled = Settled {
            now: self.now,
            ..Settled::default()
        };
        for (_, line) in each_line(&log) {
            settled.gone.extend(lineage_in(line).map(|(_, older)| older));
            match read_line(line) {
                LineKind::Action(action) if action.kind == ActionKind::Delete => {
                    settled.gone.insert(action.id.into_owned());
                }
                LineKind::Record(fields) => {
                    settled.known.insert(fields.id.into_owned());
                }
                _ => {}
            }
        }
        Ok(settled)
    }
}

/// Returns the text without its end, if that is the beginning of one of the lines: a killed run wrote it.
fn without_torn_end(text: &[u8], lines: &[Vec<u8>]) -> Option<Vec<u8>> {
    let start = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (whole, end) = text.split_at_checked(start)?;
    if end.is_empty() || !lines.iter().any(|line| line.starts_with(end)) {
        return None;
    }
    Some(whole.to_vec())
}

fn has_type(line: &[u8], kind: &str) -> bool {
    matches!(read_line(line), LineKind::Record(fields) if fields.kind == kind)
}

fn record_id(line: &[u8]) -> Option<String> {
    match read_line(line) {
        LineKind::Record(fields) => Some(fields.id.into_owned()),
        _ => None,
    }
}

/// The records of the raw log, and those that were forgotten or revised.
#[derive(Default)]
struct Settled {
    known: FxHashSet<String>,
    gone: FxHashSet<String>,
    now: Millis,
}

impl Settled {
    /// True if a line of the older log is a copy, or nothing that could be imported.
    fn has(&self, line: &[u8]) -> bool {
        let LineKind::Record(fields) = read_line(line) else {
            return true;
        };
        let id = fields.id.as_ref();
        self.known.contains(id) || self.gone.contains(id) || fields.expires_ms.is_some_and(|at| at <= self.now)
    }
}

fn merge_unknown(layout: &Layout, name: &str, lines: &[&Vec<u8>], backup: &mut Backup) -> Result<()> {
    layout
        .journal_of(name)
        .replace::<Error>(|old| {
            let mut known: FxHashSet<String> = each_line(old).filter_map(|(_, line)| key_of(line)).collect();
            let fresh: Vec<&Vec<u8>> = lines
                .iter()
                .copied()
                .filter(|line| key_of(line).is_some_and(|key| known.insert(key)))
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
