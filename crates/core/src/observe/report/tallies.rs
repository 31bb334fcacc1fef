//! The counts of all files, updated incrementally: in memory between reports, and in a file beside the index between processes.
//! Writers update that file; a report reads it and counts lines appended since. Without the file it counts everything.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::tally::{Contents, Tally};
use super::{FILES, PREVIOUS_ARCHIVE, TELEMETRY};
use crate::error::Result;
use crate::journal::{self, Disk, read_file, write_file};
use crate::model::encode::encode;
use crate::project::layout::CAPTURES_FILE;
use crate::project::ownership::{Checker, Marks};

/// The version of the counting rules.
const FORMAT: u32 = 2;
/// The file of counts, in the folder of the index, with the version of its format: two versions in use at once each keep their own.
const STORED: &str = "tallies.2.json";
/// A larger file of counts was not written by this tool.
const STORED_BYTES_MAX: u64 = 16 << 20;

#[derive(Debug, Default)]
pub(crate) struct Tallies {
    by_file: BTreeMap<&'static str, Tally>,
    is_loaded: bool,
    /// True if the key of this machine was there when they were counted.
    had_key: bool,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    files: BTreeMap<String, Tally>,
}

impl Tallies {
    /// Returns the counts of a file, once they have been refreshed.
    pub(super) fn get(&self, name: &str) -> Option<&Tally> {
        self.by_file.get(name)
    }

    /// Counts lines appended to every file; large files in parallel.
    pub(super) fn refresh(&mut self, disk: &dyn Disk, forge: &Path, check: &Checker) {
        self.load(disk, forge, check);
        let mut work: Vec<(&'static str, Contents, u64, Tally)> = FILES
            .iter()
            .chain([&(PREVIOUS_ARCHIVE, Contents::Plain)])
            .map(|(name, contents)| {
                let size = disk.stat(&forge.join(name)).map_or(0, |state| state.len);
                let tally = self.by_file.remove(name).unwrap_or_default();
                (*name, *contents, tally.uncounted(size), tally)
            })
            .collect();
        // Greedy load balancing (longest processing time first).
        work.sort_by_key(|(_, _, bytes, _)| std::cmp::Reverse(*bytes));
        let mut halves = [(0, Vec::new()), (0, Vec::new())];
        for item in work {
            let [first, second] = &mut halves;
            let (bytes, part) = if second.0 < first.0 { second } else { first };
            *bytes += item.2;
            part.push(item);
        }
        let [(_, mut ours), (other_bytes, mut others)] = halves;
        let count = |part: &mut [(&'static str, Contents, u64, Tally)]| {
            for (name, contents, _, tally) in part {
                // An unreadable file counts nothing; `doctor` reports it.
                let _ = tally.refresh(disk, &forge.join(*name), *contents, check);
            }
        };
        if other_bytes == 0 {
            count(&mut others);
            count(&mut ours);
        } else {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| count(&mut others));
                count(&mut ours);
                let _ = other.join();
            });
        }
        let counted = ours.into_iter().chain(others);
        self.by_file.extend(counted.map(|(name, _, _, tally)| (name, tally)));
    }

    /// Counts new lines of the telemetry.
    pub(super) fn refresh_telemetry(&mut self, disk: &dyn Disk, forge: &Path, check: &Checker) -> &Tally {
        self.load(disk, forge, check);
        let tally = self.by_file.entry(TELEMETRY).or_default();
        // As above.
        let _ = tally.refresh(disk, &forge.join(TELEMETRY), Contents::Telemetry, check);
        tally
    }

    fn load(&mut self, disk: &dyn Disk, forge: &Path, check: &Checker) {
        // Without the key all records were counted as foreign; the key may only have been unreadable.
        if check.has_key() && !self.had_key {
            *self = Tallies::default();
        }
        self.had_key = check.has_key();
        if std::mem::replace(&mut self.is_loaded, true) {
            return;
        }
        let mut stored = read_stored(disk, forge, check).unwrap_or_default();
        for (name, _) in FILES.iter().chain([&(PREVIOUS_ARCHIVE, Contents::Plain)]) {
            if let Some(tally) = stored.remove(*name) {
                self.by_file.insert(name, tally);
            }
        }
    }
}

/// Counts new lines and stores the counts beside the index.
pub(crate) fn keep_tallies(disk: &dyn Disk, forge: &Path, marks: &Marks) -> Result<()> {
    let mut tallies = Tallies::default();
    tallies.refresh(disk, forge, &marks.checker());
    let files = tallies
        .by_file
        .into_iter()
        .filter(|(_, tally)| tally.is_there())
        .map(|(name, tally)| (name.to_owned(), tally))
        .collect();
    let mut text = encode(&Stored { format: FORMAT, files })?;
    marks.seal(STORED, &mut text)?;
    match write_file(disk, &stored_path(forge), &text) {
        // A repair in another process has just removed the folder: whoever needs the counts makes them again.
        Err(journal::Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(()),
        outcome => Ok(outcome?),
    }
}

/// Returns how many bytes of the raw log the kept counts cover; none when it is another file, a copy for example.
pub(crate) fn counted_bytes(disk: &dyn Disk, forge: &Path, marks: &Marks) -> u64 {
    let id = disk.stat(&forge.join(CAPTURES_FILE)).ok().map(|state| state.id);
    let stored = read_stored(disk, forge, &marks.checker()).and_then(|mut files| files.remove(CAPTURES_FILE));
    stored.filter(|tally| tally.file() == id).map_or(0, |tally| tally.size)
}

fn stored_path(forge: &Path) -> PathBuf {
    forge.join("index").join(STORED)
}

fn read_stored(disk: &dyn Disk, forge: &Path, check: &Checker) -> Option<BTreeMap<String, Tally>> {
    let path = stored_path(forge);
    if disk.stat(&path).ok()?.len > STORED_BYTES_MAX {
        return None;
    }
    let text = read_file(disk, &path).ok()??;
    // Counts that came with a copy of the project are recomputed.
    if !check.is_sealed(STORED, &text) {
        return None;
    }
    let stored: Stored = serde_json::from_slice(&text).ok()?;
    (stored.format == FORMAT).then_some(stored.files)
}
