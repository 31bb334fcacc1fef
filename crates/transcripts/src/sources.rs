//! Enumerates the session files of all formats.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use forge_memory_journal::{Disk, FileState};
use serde_json::Value;

use crate::agent::Agent;
use crate::compressed;
use crate::find::Finder;
use crate::places::Places;
use crate::reader::{FORMATS, Format, Storage, named_database};

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job {
    /// The index of its format in [`FORMATS`].
    pub format: usize,
    pub root: PathBuf,
    pub path: PathBuf,
    pub bytes: u64,
}

/// The files of one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentFiles {
    /// The agent.
    pub agent: Agent,
    /// How many.
    pub files: u64,
    /// The bytes in them.
    pub bytes: u64,
}

/// Counts the files in the stores of all agents, without reading a session.
#[must_use]
pub fn count_files(disk: &dyn Disk, places: &Places) -> Vec<AgentFiles> {
    let mut finder = Finder::new(disk, places);
    let mut counts: BTreeMap<Agent, AgentFiles> = BTreeMap::new();
    for job in find(disk, places, &[], &mut finder) {
        let Some(format) = FORMATS.get(job.format) else {
            continue;
        };
        let agent = format.agent;
        let count = counts.entry(agent).or_insert(AgentFiles {
            agent,
            files: 0,
            bytes: 0,
        });
        count.files += 1;
        count.bytes += job.bytes;
    }
    counts.into_values().collect()
}

/// Returns the files of the given agents, or of all when none is given, by format.
pub(crate) fn find(disk: &dyn Disk, places: &Places, agents: &[Agent], finder: &mut Finder<'_>) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (at, format) in FORMATS.iter().enumerate() {
        if !agents.is_empty() && !agents.contains(&format.agent) {
            continue;
        }
        for root in (format.roots)(places) {
            let job = |path: PathBuf, bytes: u64| Job {
                format: at,
                root: root.clone(),
                path,
                bytes,
            };
            for (path, bytes) in finder.files(&root, &format.accepts) {
                if path.ends_with("projects.json") && format.agent == Agent::Crush {
                    for (folder, path) in listed_databases(disk, &path) {
                        let bytes = finder.listed(&folder, &path);
                        jobs.extend(bytes.map(|bytes| job(path, bytes)));
                    }
                } else {
                    jobs.push(job(path, bytes));
                }
            }
        }
        if let Some((root, path)) = named_store(format, places)
            && let Some(bytes) = finder.listed(&root, &path)
        {
            jobs.push(Job {
                format: at,
                root,
                path,
                bytes,
            });
        }
    }
    without_copies(jobs)
}

/// Returns the database that a variable names, with its folder, if this is its format.
fn named_store(format: &Format, places: &Places) -> Option<(PathBuf, PathBuf)> {
    if format.agent != Agent::Opencode || !matches!(format.storage, Storage::Database(_)) {
        return None;
    }
    let path = named_database(places)?;
    Some((path.parent()?.to_path_buf(), path))
}

/// Returns one file, if it is in the store of an agent and may be opened.
pub(crate) fn find_one(disk: &dyn Disk, places: &Places, file: &Path, finder: &mut Finder<'_>) -> Vec<Job> {
    // A store may be reached through a link, so the path is compared as a walk of the store would spell it.
    let real = disk.real_path(file).ok();
    for (at, format) in FORMATS.iter().enumerate() {
        for root in (format.roots)(places) {
            let real_root = disk.real_path(&root).ok();
            let resolved = real.as_deref().zip(real_root.as_deref());
            let below = file
                .strip_prefix(&root)
                .ok()
                .or_else(|| resolved.and_then(|(file, root)| file.strip_prefix(root).ok()));
            let Some(below) = below.filter(|below| (format.accepts)(below)) else {
                continue;
            };
            let path = root.join(below);
            if let Some(bytes) = finder.file(&root, &path, &format.accepts) {
                return vec![Job {
                    format: at,
                    root,
                    path,
                    bytes,
                }];
            }
        }
    }
    Vec::new()
}

/// Removes files that were found twice, and compressed files that have an uncompressed copy beside them.
fn without_copies(mut jobs: Vec<Job>) -> Vec<Job> {
    let plain: BTreeSet<PathBuf> = jobs.iter().map(|job| job.path.clone()).collect();
    let mut seen = BTreeSet::new();
    jobs.retain(|job| {
        let is_copy = compressed::is_named(&job.path) && plain.contains(&job.path.with_extension(""));
        !is_copy && seen.insert((job.format, job.path.clone()))
    });
    jobs
}

/// Returns the state of a database's write-ahead log, which may contain the latest rows; `None` when there is none.
pub(crate) fn log_state(disk: &dyn Disk, job: &Job) -> Option<FileState> {
    let format = FORMATS.get(job.format)?;
    if !matches!(format.storage, Storage::Database(_)) {
        return None;
    }
    let mut log = job.path.clone().into_os_string();
    log.push("-wal");
    disk.stat(Path::new(&log)).ok().filter(|state| state.len > 0)
}

/// Returns the databases that a list of projects names, each with the folder that it has to be in, if the file is such a list.
fn listed_databases(disk: &dyn Disk, list: &Path) -> Vec<(PathBuf, PathBuf)> {
    let Ok(bytes) = forge_memory_journal::read_bounded(disk, list, 4 << 20) else {
        return Vec::new();
    };
    let whole: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let projects = whole
        .get("projects")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let folders = projects.iter().filter_map(|project| {
        let path = Path::new(project.get("path")?.as_str()?);
        let data = project.get("data_dir").and_then(Value::as_str).unwrap_or(".crush");
        let folder = path.join(data);
        // a folder that the user has moved elsewhere is its own bound
        let bound = if folder.starts_with(path) {
            path.to_path_buf()
        } else {
            folder.clone()
        };
        Some((bound, folder.join("crush.db")))
    });
    folders
        .filter(|(_, path)| path.is_absolute() && disk.link_metadata(path).is_ok())
        .collect()
}
