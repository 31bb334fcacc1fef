//! Crash simulation: a disk that forgets writes that were not synced, as the page cache does in a power failure.
//!
//! The model is that of ALICE (Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014) at its strictest,
//! because POSIX promises no more. The bytes of an append are durable once the file was synced after it. A directory entry
//! (that a name leads to a file, was replaced or was removed, or that a folder exists) is durable once its parent folder
//! was synced after it; a sync of the file does not cover its name. Whatever is not durable may survive or not, each part
//! independently: later writes may have reached the disk before earlier ones. Where an append was lost before one that
//! survived, the file has zeros.
//!
//! While the test runs, every operation is performed on the real file system and recorded. Afterwards [`CrashDisk::state`]
//! returns the state that a machine finds when it has lost power after any number of these events.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::watched::{Operation, Watch, WatchedDisk};

/// A recorded operation.
#[derive(Debug, Clone)]
enum Event {
    Create { path: PathBuf, file: u64 },
    Rename { from: PathBuf, to: PathBuf, file: u64 },
    Remove { path: PathBuf },
    MakeDir { path: PathBuf },
    Append { file: u64, bytes: Vec<u8> },
    Sync { file: u64, path: PathBuf },
    SyncDir { path: PathBuf },
}

impl Event {
    /// The folder whose sync makes it durable.
    fn folder(&self) -> Option<&Path> {
        match self {
            Event::Create { path, .. } | Event::Remove { path } | Event::MakeDir { path } => path.parent(),
            Event::Rename { to, .. } => to.parent(),
            _ => None,
        }
    }

    /// True if a sync makes an earlier event durable.
    fn covers(&self, earlier: &Event) -> bool {
        match (self, earlier) {
            (Event::Sync { file, .. }, Event::Append { file: written, .. }) => file == written,
            (Event::SyncDir { path }, earlier) => earlier.folder() == Some(path),
            _ => false,
        }
    }
}

/// The kind of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncKind {
    /// The bytes of a file.
    File,
    /// The entries of a folder.
    Folder,
}

/// A recorded sync.
#[derive(Debug, Clone)]
pub struct SyncCall {
    /// The number of its event.
    pub at: usize,
    /// True if a file or a folder was synced.
    pub kind: SyncKind,
    /// Its path; of a file, the name at that time.
    pub path: PathBuf,
}

/// Which of the parts that are not durable survive.
#[derive(Debug, Clone, Copy)]
pub enum Survivors {
    /// None of them.
    Nothing,
    /// All of them, as after the death of a process.
    Everything,
    /// All except one.
    AllBut(usize),
    /// Only one.
    Only(usize),
    /// A random choice with this seed; appends may survive in part.
    Dice(u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    None,
    Half,
    All,
}

impl Survivors {
    fn share(self, number: usize) -> Share {
        let is_there = |holds: bool| if holds { Share::All } else { Share::None };
        match self {
            Survivors::Nothing => Share::None,
            Survivors::Everything => Share::All,
            Survivors::AllBut(other) => is_there(number != other),
            Survivors::Only(one) => is_there(number == one),
            Survivors::Dice(seed) => match mixed(seed ^ (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)) % 5 {
                0 | 1 => Share::None,
                2 => Share::Half,
                _ => Share::All,
            },
        }
    }
}

/// The final step of splitmix64.
fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The state that a machine finds after a power failure: folders, and files with their bytes, below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    root: PathBuf,
    folders: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Found {
    /// Returns the files and their bytes by path below the root.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        let files = self.files.iter();
        files.map(|(path, bytes)| (path.strip_prefix(&self.root).unwrap(), bytes.as_slice()))
    }

    /// Writes the files below another root.
    pub fn write_to(&self, root: &Path) {
        let moved = |path: &Path| root.join(path.strip_prefix(&self.root).unwrap());
        for folder in &self.folders {
            fs::create_dir_all(moved(folder)).unwrap();
        }
        for (path, bytes) in &self.files {
            fs::write(moved(path), bytes).unwrap();
        }
    }
}

/// The log of operations below a folder.
#[derive(Debug)]
pub struct Log {
    root: PathBuf,
    /// The state at the beginning.
    start: Start,
    inner: Mutex<Inner>,
}

#[derive(Debug, Clone, Default)]
struct Start {
    folders: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, u64>,
    bytes: BTreeMap<u64, Vec<u8>>,
}

#[derive(Debug, Default)]
struct Inner {
    events: Vec<Event>,
    /// The file that each name leads to now.
    names: BTreeMap<PathBuf, u64>,
    count: u64,
}

impl Inner {
    fn new_file(&mut self, path: &Path) -> u64 {
        self.count += 1;
        self.names.insert(path.to_path_buf(), self.count);
        self.count
    }
}

impl Watch for Log {
    fn before(&self, operation: Operation, path: &Path) -> io::Result<()> {
        if operation == Operation::MakeDir {
            let missing: Vec<_> = path.ancestors().take_while(|folder| !folder.exists()).collect();
            let mut inner = self.inner.lock().unwrap();
            for path in missing.into_iter().rev().map(Path::to_path_buf) {
                inner.events.push(Event::MakeDir { path });
            }
        }
        Ok(())
    }

    fn opened(&self, path: &Path, existed: bool) -> u64 {
        let mut inner = self.inner.lock().unwrap();
        if let Some(file) = inner.names.get(path).filter(|_| existed) {
            return *file;
        }
        let file = inner.new_file(path);
        let path = path.to_path_buf();
        inner.events.push(Event::Create { path, file });
        file
    }

    fn appended(&self, file: u64, bytes: &[u8]) {
        let bytes = bytes.to_vec();
        self.inner.lock().unwrap().events.push(Event::Append { file, bytes });
    }

    fn synced(&self, file: u64) {
        let mut inner = self.inner.lock().unwrap();
        let name = inner.names.iter().find(|(_, known)| **known == file);
        let path = name.map(|(path, _)| path.clone()).unwrap_or_default();
        inner.events.push(Event::Sync { file, path });
    }

    fn done(&self, operation: Operation, path: &Path, to: Option<&Path>) {
        let mut inner = self.inner.lock().unwrap();
        let path = path.to_path_buf();
        match (operation, to) {
            (Operation::Rename, Some(to)) => {
                let Some(file) = inner.names.remove(&path) else { return };
                let to = to.to_path_buf();
                inner.names.insert(to.clone(), file);
                inner.events.push(Event::Rename { from: path, to, file });
            }
            (Operation::Remove, _) => {
                inner.names.retain(|name, _| !name.starts_with(&path));
                inner.events.push(Event::Remove { path });
            }
            (Operation::SyncDir, _) => inner.events.push(Event::SyncDir { path }),
            _ => {}
        }
    }
}

/// A disk that forgets writes that were not synced.
pub type CrashDisk = WatchedDisk<Log>;

impl CrashDisk {
    /// Returns the real file system. Files below `root` now are durable; operations there are recorded from now on.
    pub fn over(root: &Path) -> Self {
        let (mut inner, mut start) = (Inner::default(), Start::default());
        start.folders.insert(root.to_path_buf());
        let mut waiting = vec![root.to_path_buf()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    start.folders.insert(path.clone());
                    waiting.push(path);
                } else {
                    let file = inner.new_file(&path);
                    start.bytes.insert(file, fs::read(&path).unwrap());
                }
            }
        }
        start.names.clone_from(&inner.names);
        WatchedDisk(Arc::new(Log {
            root: root.to_path_buf(),
            start,
            inner: Mutex::new(inner),
        }))
    }

    /// Returns the number of events so far.
    pub fn events(&self) -> usize {
        self.0.inner.lock().unwrap().events.len()
    }

    /// Returns the syncs so far.
    pub fn syncs(&self) -> Vec<SyncCall> {
        let inner = self.0.inner.lock().unwrap();
        let call = |(at, event): (usize, &Event)| match event {
            Event::Sync { path, .. } => Some((at, SyncKind::File, path.clone())),
            Event::SyncDir { path } => Some((at, SyncKind::Folder, path.clone())),
            _ => None,
        };
        let calls = inner.events.iter().enumerate().filter_map(call);
        calls.map(|(at, kind, path)| SyncCall { at, kind, path }).collect()
    }

    /// Counts the parts that are not durable after a number of events, if the disk ignores one of the syncs.
    pub fn pending(&self, events: usize, ignored: Option<usize>) -> usize {
        pending(&self.0.inner.lock().unwrap().events[..events], ignored).len()
    }

    /// Returns the names whose creation or removal a sync makes durable.
    pub fn covered(&self, sync: usize) -> Vec<PathBuf> {
        let inner = self.0.inner.lock().unwrap();
        let events = &inner.events[..=sync];
        let before = pending(&events[..sync], None);
        let after = pending(events, None);
        let begun = before.into_iter().filter(|at| !after.contains(at));
        let name_of = |at: usize| match &events[at] {
            Event::Create { path, .. } | Event::Remove { path } | Event::MakeDir { path } => Some(path.clone()),
            Event::Rename { to, .. } => Some(to.clone()),
            _ => None,
        };
        begun.filter_map(name_of).collect()
    }

    /// Returns the state after a power failure after a number of events, if the disk ignores one of the syncs.
    pub fn state(&self, events: usize, ignored: Option<usize>, survivors: Survivors) -> Found {
        let inner = self.0.inner.lock().unwrap();
        let events = &inner.events[..events];
        let mut shares = vec![Share::All; events.len()];
        for (number, at) in pending(events, ignored).into_iter().enumerate() {
            shares[at] = survivors.share(number);
        }
        let start = self.0.start.clone();
        let mut replay = Replay {
            names: start.names,
            folders: start.folders,
            bytes: start.bytes,
            lost: BTreeMap::new(),
        };
        for (event, share) in events.iter().zip(shares) {
            replay.step(event, share);
        }
        replay.found(&self.0.root)
    }
}

/// Returns the numbers of the events that no sync covers.
fn pending(events: &[Event], ignored: Option<usize>) -> Vec<usize> {
    let lasts = |at: usize| {
        let later = events.iter().enumerate().skip(at + 1);
        later
            .filter(|(number, _)| Some(*number) != ignored)
            .any(|(_, later)| later.covers(&events[at]))
    };
    let is_part = |event: &Event| matches!(event, Event::Append { .. }) || event.folder().is_some();
    (0..events.len())
        .filter(|at| is_part(&events[*at]) && !lasts(*at))
        .collect()
}

/// Replays the events as far as they survive.
struct Replay {
    names: BTreeMap<PathBuf, u64>,
    folders: BTreeSet<PathBuf>,
    bytes: BTreeMap<u64, Vec<u8>>,
    /// How many bytes were lost at the end of a file; they become zeros when more follows.
    lost: BTreeMap<u64, usize>,
}

impl Replay {
    fn step(&mut self, event: &Event, share: Share) {
        if let Event::Append { file, bytes } = event {
            let kept = match share {
                Share::None => 0,
                Share::Half => bytes.len() / 2,
                Share::All => bytes.len(),
            };
            let lost = self.lost.entry(*file).or_default();
            if kept > 0 {
                let content = self.bytes.entry(*file).or_default();
                content.resize(content.len() + std::mem::take(lost), 0);
                content.extend_from_slice(&bytes[..kept]);
            }
            *lost += bytes.len() - kept;
            return;
        }
        if share == Share::None {
            return;
        }
        match event {
            Event::Create { path, file } => drop(self.names.insert(path.clone(), *file)),
            Event::Rename { from, to, file } => {
                if self.names.get(from) == Some(file) {
                    self.names.remove(from);
                }
                self.names.insert(to.clone(), *file);
            }
            Event::Remove { path } => {
                self.names.retain(|name, _| !name.starts_with(path));
                self.folders.retain(|name| !name.starts_with(path));
            }
            Event::MakeDir { path } => drop(self.folders.insert(path.clone())),
            Event::Append { .. } | Event::Sync { .. } | Event::SyncDir { .. } => {}
        }
    }

    /// Returns the files and folders that are reachable from the root.
    fn found(self, root: &Path) -> Found {
        let folders = &self.folders;
        let is_reached = |path: &Path| {
            let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
            above.into_iter().all(|folder| folders.contains(folder))
        };
        let content = |file: u64| self.bytes.get(&file).cloned().unwrap_or_default();
        let files = self.names.iter().filter(|(path, _)| is_reached(path));
        Found {
            root: root.to_path_buf(),
            files: files.map(|(path, file)| (path.clone(), content(*file))).collect(),
            folders: folders.iter().filter(|path| is_reached(path)).cloned().collect(),
        }
    }
}
