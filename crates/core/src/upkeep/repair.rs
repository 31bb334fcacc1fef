//! Repair: rebuilds derived files from the raw log (the source of truth) and quarantines lines that are not records.
//!
//! Bad lines are copied to `.forge/quarantine/` before they leave their file; every other line keeps its bytes.

use schemars::JsonSchema;
use serde::Serialize;
use std::io::ErrorKind;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::index::Stores;
use crate::journal::{each_line, write_file};
use crate::meaning::is_of_vectors;
use crate::model::thought::{ActionKind, LineKind, ROUTED_TYPES, id_hash, read_line};
use crate::outbox::queue::{delete_order, thought_record};
use crate::project::Project;
use crate::project::files::{ARCHIVE_FILE, DEAD_LETTER_FILE, QUEUE_FILE, STATS_FILE};
use crate::project::layout::{CAPTURES_FILE, Layout, PATTERNS_FILE, flat_name};
use crate::upkeep::background::settle;
use crate::upkeep::progress::Progress;

/// Files that programs only append to, whose torn lines every reader passes over.
const DERIVED: [&str; 4] = [
    "hub-events.jsonl",
    "telemetry/memory-captures.jsonl",
    STATS_FILE,
    "memory-search-cache.jsonl",
];

/// The files of records that have left the queue.
const LEFT_QUEUE: [&str; 2] = [ARCHIVE_FILE, DEAD_LETTER_FILE];

/// A repaired file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileRepair {
    /// Its name within `.forge/`.
    pub name: String,
    /// The number of lines that were moved aside.
    pub quarantined: u64,
    /// The file that holds them now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<String>,
    /// The number of missing lines that were added.
    pub added: u64,
    /// The number of lines that differed from the raw log and were corrected.
    pub corrected: u64,
}

/// The result of a repair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// The files that were changed.
    pub files: Vec<FileRepair>,
    /// Whether the index was rebuilt.
    pub reindexed: bool,
}

/// Rebuilds the type files, the queue and the index from the raw log.
///
/// # Errors
/// `LOCKED` or `IO`; earlier repairs stay, and another run continues.
pub(crate) fn repair(project: &Project, stores: &mut Stores, progress: &Progress) -> Result<RepairReport> {
    let (layout, now) = (&project.layout, project.now());
    let mut report = RepairReport::default();
    progress.begin((ROUTED_TYPES.len() + DERIVED.len()) as u64 + 4);
    let patterns = put_aside(layout, PATTERNS_FILE)?;
    report.take(patterns);
    for name in DERIVED {
        report.take(put_aside(layout, name)?);
        progress.advance(1);
    }
    {
        let _lock = layout.capture_lock().guard()?;
        let log = put_aside(layout, CAPTURES_FILE)?;
        report.take(log);
        progress.advance(2);
        let log = layout.read(CAPTURES_FILE)?;
        for (kind, name) in ROUTED_TYPES {
            report.take(repair_type_file(layout, kind, name, &log)?);
            progress.advance(1);
        }
        report.take(repair_queue(layout, &log, now)?);
        progress.advance(1);
    }
    report.reindexed = reindex(project, stores)?;
    progress.advance(1);
    Ok(report)
}

fn put_aside(layout: &Layout, name: &str) -> Result<FileRepair> {
    let mut repair = FileRepair::named(name);
    if !layout.has(name) {
        return Ok(repair);
    }
    layout.journal_of(name).replace::<Error>(|old| {
        let (kept, bad) = split_damaged(old);
        if bad.is_empty() {
            return Ok(None);
        }
        quarantine(layout, name, &bad, &mut repair)?;
        Ok(Some(kept))
    })?;
    Ok(repair)
}

/// Writes lines to the quarantine. The name of the file is a hash of the lines, so a repeated run writes the same file.
fn quarantine(layout: &Layout, name: &str, bad: &[&[u8]], repair: &mut FileRepair) -> Result<()> {
    let mut bytes = Vec::new();
    for line in bad {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    let file = flat_name(name);
    let hash = xxhash_rust::xxh3::xxh3_64(&bytes);
    let path = layout.path_of(&format!("quarantine/{file}-{hash:016x}.jsonl"));
    write_file(layout.disk().as_ref(), &path, &bytes)?;
    repair.quarantined += bad.len() as u64;
    repair.quarantine = Some(path.display().to_string());
    Ok(())
}

fn repair_type_file(layout: &Layout, kind: &str, name: &str, log: &[u8]) -> Result<FileRepair> {
    let mut repair = FileRepair::named(name);
    let expected = records_of(log, kind);
    if expected.is_empty() && !layout.has(name) {
        return Ok(repair);
    }
    let elsewhere = ids_in(log);
    layout.journal_of(name).replace::<Error>(|old| {
        let rebuilt = rebuild_type_file(old, &expected, &elsewhere);
        if !rebuilt.bad.is_empty() {
            quarantine(layout, name, &rebuilt.bad, &mut repair)?;
        }
        repair.added = rebuilt.added;
        repair.corrected = rebuilt.corrected;
        Ok((rebuilt.bytes != old).then_some(rebuilt.bytes))
    })?;
    Ok(repair)
}

/// Queues records and tombstones that are in none of the queue files.
fn repair_queue(layout: &Layout, log: &[u8], now: Millis) -> Result<FileRepair> {
    let mut repair = FileRepair::named(QUEUE_FILE);
    let mut known = Known::default();
    for name in LEFT_QUEUE {
        known.take(&layout.read(name)?);
    }
    let live = live_records(log, now);
    if live.is_empty() && !layout.has(QUEUE_FILE) {
        return Ok(repair);
    }
    let missing = |known: &Known| known.missing(&live, now);
    known.take(&layout.read(QUEUE_FILE)?);
    if missing(&known).is_empty() && !layout.has(QUEUE_FILE) {
        return Ok(repair);
    }
    layout.journal_of(QUEUE_FILE).replace::<Error>(|old| {
        let (mut kept, bad) = split_damaged(old);
        if !bad.is_empty() {
            quarantine(layout, QUEUE_FILE, &bad, &mut repair)?;
        }
        known.take(old);
        let missing = missing(&known);
        if !missing.is_empty() && !kept.is_empty() && !kept.ends_with(b"\n") {
            kept.push(b'\n');
        }
        for line in &missing {
            push_line(&mut kept, line.as_bytes());
        }
        repair.added = missing.len() as u64;
        Ok((kept != old).then_some(kept))
    })?;
    Ok(repair)
}

/// Deletes the index and rebuilds it. Vectors stay: they are keyed by texts and checked when they are read, and a model takes hours to make them.
fn reindex(project: &Project, stores: &mut Stores) -> Result<bool> {
    let disk = project.disk();
    for root in [project.layout.forge(), project.layout.home()] {
        let folder = root.join("index");
        for entry in disk.list(&folder).unwrap_or_default() {
            let path = folder.join(&entry.name);
            let removed = if entry.name.to_str().is_some_and(is_of_vectors) {
                Ok(())
            } else if entry.is_folder {
                disk.remove_folder(&path)
            } else {
                disk.remove(&path)
            };
            match removed {
                Ok(()) => {}
                // Windows cannot delete mapped files, and another process may write new ones meanwhile; all are checked before they are used.
                Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) || cfg!(windows) => {}
                Err(e) => return Err(Error::io("remove", &path)(e)),
            }
        }
    }
    stores.rebuild();
    settle(project, stores)?;
    Ok(true)
}

impl FileRepair {
    fn named(name: &str) -> Self {
        FileRepair {
            name: name.to_owned(),
            ..FileRepair::default()
        }
    }
}

impl RepairReport {
    fn take(&mut self, repair: FileRepair) {
        if repair.quarantined + repair.added + repair.corrected > 0 {
            self.files.push(repair);
        }
    }
}

/// Returns the bytes without the lines that are not JSON objects, and those lines.
fn split_damaged(bytes: &[u8]) -> (Vec<u8>, Vec<&[u8]>) {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut bad = Vec::new();
    for (raw, line) in each_line(bytes) {
        if !line.is_empty() && read_line(line) == LineKind::Unparsable {
            bad.push(line);
        } else {
            kept.extend_from_slice(raw);
        }
    }
    (kept, bad)
}

fn records_of<'a>(log: &'a [u8], kind: &str) -> Vec<(String, &'a [u8])> {
    each_line(log)
        .filter_map(|(_, line)| match read_line(line) {
            LineKind::Record(fields) if fields.kind == kind => Some((fields.id.into_owned(), line)),
            _ => None,
        })
        .collect()
}

fn ids_in(log: &[u8]) -> FxHashSet<String> {
    each_line(log)
        .filter_map(|(_, line)| match read_line(line) {
            LineKind::Record(fields) => Some(fields.id.into_owned()),
            LineKind::Action(action) if action.kind == ActionKind::Delete => Some(action.id.into_owned()),
            _ => None,
        })
        .collect()
}

struct Rebuilt<'a> {
    bytes: Vec<u8>,
    bad: Vec<&'a [u8]>,
    added: u64,
    corrected: u64,
}

/// Rebuilds a type file: its lines in their order with the bytes of the raw log, then missing records. Lines of records that are
/// not in the raw log stay; those that have another type or a tombstone there are removed.
fn rebuild_type_file<'a>(old: &'a [u8], expected: &[(String, &[u8])], known: &FxHashSet<String>) -> Rebuilt<'a> {
    let by_id: FxHashMap<&str, &[u8]> = expected.iter().map(|(id, line)| (id.as_str(), *line)).collect();
    let mut written: FxHashSet<&str> = FxHashSet::default();
    let mut made = Rebuilt {
        bytes: Vec::with_capacity(old.len()),
        bad: Vec::new(),
        added: 0,
        corrected: 0,
    };
    for (raw, line) in each_line(old) {
        let LineKind::Record(fields) = read_line(line) else {
            if !line.is_empty() && read_line(line) == LineKind::Unparsable {
                made.bad.push(line);
            } else {
                made.bytes.extend_from_slice(raw);
            }
            continue;
        };
        match by_id.get_key_value(fields.id.as_ref()) {
            Some((id, _)) if !written.insert(id) => made.corrected += 1,
            Some((_, expected)) if *expected != line => {
                made.corrected += 1;
                made.bad.push(line);
                push_line(&mut made.bytes, expected);
            }
            None if known.contains(fields.id.as_ref()) => {
                made.corrected += 1;
                made.bad.push(line);
            }
            _ => push_line(&mut made.bytes, raw.trim_ascii_end()),
        }
    }
    for (id, line) in expected {
        if written.insert(id) {
            made.added += 1;
            push_line(&mut made.bytes, line);
        }
    }
    made
}

fn push_line(bytes: &mut Vec<u8>, line: &[u8]) {
    bytes.extend_from_slice(line);
    bytes.push(b'\n');
}

/// The content of the queue files: ids, and the texts of lines without one.
#[derive(Default)]
struct Known {
    ids: FxHashSet<u64>,
    texts: FxHashSet<u64>,
    deletes: FxHashSet<u64>,
}

impl Known {
    fn take(&mut self, bytes: &[u8]) {
        for (_, line) in each_line(bytes) {
            match read_line(line) {
                LineKind::Record(fields) => {
                    self.ids.insert(id_hash(&fields.id));
                    if memchr::memmem::find(line, b"\"id\"").is_none() {
                        self.texts.insert(text_hash(&fields.kind, &fields.text));
                    }
                }
                LineKind::Action(action) if action.kind == ActionKind::Delete => {
                    self.deletes.insert(id_hash(&action.id));
                }
                _ => {}
            }
        }
    }

    /// Composes the lines of records that are in none of the files. A record of this machine has its mark already; without it the user
    /// has to approve them, because the raw log may have come with a clone.
    fn missing(&self, live: &Live<'_>, now: Millis) -> Vec<String> {
        let records = live.records.iter().filter(|(id, line)| !self.has(id, line));
        let deletes = live.forgotten.iter().filter(|id| !self.deletes.contains(&id_hash(id)));
        records
            .map(|(_, line)| thought_record(&String::from_utf8_lossy(line), None, now))
            .chain(deletes.map(|id| thought_record(&delete_order(id), None, now)))
            .collect()
    }

    fn has(&self, id: &str, line: &[u8]) -> bool {
        self.ids.contains(&id_hash(id))
            || matches!(read_line(line), LineKind::Record(fields)
                if self.texts.contains(&text_hash(&fields.kind, &fields.text)))
    }
}

fn text_hash(kind: &str, text: &str) -> u64 {
    id_hash(&format!("{kind}\0{text}"))
}

struct Live<'a> {
    records: Vec<(String, &'a [u8])>,
    forgotten: Vec<String>,
}

impl Live<'_> {
    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.forgotten.is_empty()
    }
}

fn live_records(log: &[u8], now: Millis) -> Live<'_> {
    let gone = crate::judgement::gone::find_hidden(log, now);
    let mut live = Live {
        records: Vec::new(),
        forgotten: Vec::new(),
    };
    let mut deleted_ids = FxHashSet::default();
    for (_, line) in each_line(log) {
        match read_line(line) {
            LineKind::Record(fields) if !gone.contains(fields.id.as_ref()) => {
                live.records.push((fields.id.into_owned(), line));
            }
            LineKind::Action(action)
                if action.kind == ActionKind::Delete && deleted_ids.insert(action.id.to_string()) =>
            {
                live.forgotten.push(action.id.into_owned());
            }
            _ => {}
        }
    }
    live
}
