//! The vectors of one folder, in immutable files that are merged by size tiers (like the segments of an LSM tree).
//! `vectors.json` lists the files, each named after its checksum. A writer holds the lock, adds a file, and merges the
//! smallest files, so that there are never many and each vector is rewritten only a few times. Readers need no lock,
//! because files never change and the list is replaced atomically.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::nearest::{Near, cosine_of, keep_best, nearest_in};
use super::quantization::CodedQuery;
use super::vector_file::{FORMAT, Passage, VectorFile, body_of};
use crate::error::{Error, Result};
use crate::index::tiers::count_kept;
use crate::index::trailer_of;
use crate::journal::{Disk, FileState, LockFile, LockGuard, read_file, stage_file, write_file};
use crate::project::layout::Layout;
use crate::project::ownership::Marks;

/// The list of the files, and the domain of its seal.
const LIST_FILE: &str = "vectors.json";
/// The folder, beside those of the journals' indexes.
const FOLDER: &str = "index/vectors";
const _: () = assert!(
    FORMAT == 1,
    "another format needs another folder: versions in use at once would remove each other's vectors"
);
/// The lock of writers.
const LOCK: &str = "locks/vectors.lock";
const ENDING: &str = "vec";
/// Files with fewer passages than this form one tier.
const SMALL: u32 = 256;
/// The maximum number of passages in a file.
const PASSAGES_MAX: u32 = 1 << 20;

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Listed {
    /// The checksum of the file's checksums.
    hash: u64,
    passages: usize,
}

impl Listed {
    fn name(&self) -> String {
        format!("{:016x}.{ENDING}", self.hash)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    format: u32,
    model: String,
    files: Vec<Listed>,
}

/// Returns the folder with the vectors of a model. A model that was pinned at installation has its digest after `@` and a folder of its
/// own, so that projects with different models do not overwrite each other's vectors of the user's records.
fn folder_of(model: &str) -> String {
    let digest = model.rsplit_once('@').map(|(_, digest)| digest);
    let is_plain = |digest: &&str| !digest.is_empty() && digest.chars().all(|c| c.is_ascii_alphanumeric());
    match digest.filter(is_plain) {
        Some(digest) => format!("{FOLDER}-{digest}"),
        None => FOLDER.to_owned(),
    }
}

/// True if a folder beside the journals' indexes has vectors.
pub(crate) fn is_of_vectors(name: &str) -> bool {
    FOLDER
        .rsplit('/')
        .next()
        .is_some_and(|vectors| name.starts_with(vectors))
}

/// The vectors of one folder.
#[derive(Debug)]
pub(crate) struct VectorStore {
    disk: Arc<dyn Disk>,
    root: PathBuf,
    folder: PathBuf,
    lock: LockFile,
    /// Distinguishes files of this machine from those of a copied project; `None` accepts all files.
    marks: Option<Arc<Marks>>,
    model: String,
    seen: Option<FileState>,
    files: Vec<(Listed, Arc<VectorFile>)>,
}

impl VectorStore {
    /// Opens the vectors of a project's records. Only those that this machine wrote are used, because forged vectors
    /// could hide a record.
    pub fn of_project(layout: &Layout, marks: &Arc<Marks>, model: &str) -> Self {
        VectorStore::new(layout.forge(), layout.disk(), Some(Arc::clone(marks)), model)
    }

    /// Opens the vectors of the user's own records, which all projects share.
    pub fn of_user(layout: &Layout, model: &str) -> Self {
        VectorStore::new(layout.home(), layout.disk(), None, model)
    }

    fn new(root: &Path, disk: &Arc<dyn Disk>, marks: Option<Arc<Marks>>, model: &str) -> Self {
        VectorStore {
            disk: Arc::clone(disk),
            folder: root.join(folder_of(model)),
            root: root.to_path_buf(),
            lock: LockFile::new(Arc::clone(disk), root.join(LOCK)),
            marks,
            model: model.to_owned(),
            seen: None,
            files: Vec::new(),
        }
    }

    /// Switches to the vectors of this model. Returns true if it was another one.
    pub fn use_model(&mut self, model: &str) -> bool {
        if self.model == model {
            return false;
        }
        model.clone_into(&mut self.model);
        self.folder = self.root.join(folder_of(model));
        self.seen = None;
        self.files.clear();
        true
    }

    /// Returns the first vector of each of the texts with the smallest hashes.
    pub fn sample(&self, count: usize) -> Vec<(u64, Vec<f32>)> {
        let mut found: Vec<(u64, Vec<f32>)> = Vec::new();
        for (_, file) in &self.files {
            let mut last = None;
            let mut taken = 0;
            for passage in 0..file.len() {
                let Some(key) = file.key(passage).filter(|_| taken < count) else {
                    break;
                };
                if last.replace(key) != Some(key) {
                    taken += 1;
                    found.extend(file.unit(passage).map(|unit| (key, unit)));
                }
            }
        }
        found.sort_by_key(|(key, _)| *key);
        found.truncate(count);
        found
    }

    /// Returns a version that changes whenever vectors are added.
    pub fn version(&self) -> Vec<u64> {
        self.files.iter().map(|(one, _)| one.hash).collect()
    }

    /// Returns the number of passages.
    pub fn len(&self) -> usize {
        self.files.iter().map(|(_, file)| file.len()).sum()
    }

    /// Returns the number of texts. A text that was embedded twice at the same time counts twice.
    pub fn texts(&self) -> usize {
        self.files.iter().map(|(_, file)| file.texts()).sum()
    }

    /// Returns the size of the files in bytes.
    pub fn bytes(&self) -> u64 {
        let entries = self.disk.list(&self.folder).unwrap_or_default();
        entries.iter().map(|entry| entry.len).sum()
    }

    /// Opens the files of the current list, unless they are open already. Damaged files are skipped.
    pub fn refresh(&mut self) {
        let seen = self.disk.stat(&self.list_path()).ok();
        if seen == self.seen && !self.is_damaged() {
            return;
        }
        let damaged: HashSet<u64> = self.damaged().collect();
        let before = std::mem::take(&mut self.files);
        // Another process may replace files between reading the list and opening a file.
        for _ in 0..3 {
            self.seen = self.disk.stat(&self.list_path()).ok();
            let Some(list) = self.load() else { return };
            let wanted: Vec<&Listed> = list.files.iter().filter(|one| !damaged.contains(&one.hash)).collect();
            let known = |one: &Listed| {
                before
                    .iter()
                    .find(|(known, _)| known == one)
                    .map(|(_, file)| Arc::clone(file))
            };
            let opened = wanted
                .iter()
                .filter_map(|one| Some(((*one).clone(), known(one).or_else(|| self.open(one))?)));
            self.files = opened.collect();
            if self.files.len() == wanted.len() {
                return;
            }
        }
    }

    /// True if a file turned out to be damaged.
    pub fn is_damaged(&self) -> bool {
        self.damaged().next().is_some()
    }

    fn damaged(&self) -> impl Iterator<Item = u64> {
        self.files
            .iter()
            .filter(|(_, file)| file.is_damaged())
            .map(|(one, _)| one.hash)
    }

    /// True if the vectors of a text are stored.
    pub fn has(&self, key: u64) -> bool {
        self.files.iter().any(|(_, file)| !file.passages_of(key).is_empty())
    }

    /// Returns the nearest `count` passages for each query, nearest first, in one pass over the vectors.
    pub fn nearest<const QUERIES: usize>(&self, queries: [&CodedQuery; QUERIES], count: usize) -> [Vec<Near>; QUERIES] {
        let mut found = [const { Vec::new() }; QUERIES];
        for (_, file) in &self.files {
            let in_file = nearest_in(file, queries, count);
            found
                .iter_mut()
                .zip(in_file)
                .for_each(|(found, near)| found.extend(near));
        }
        found.iter_mut().for_each(|found| keep_best(found, count));
        found
    }

    /// Returns the similarity of a text: that of its nearest passage.
    pub fn cosine_of(&self, query: &CodedQuery, key: u64) -> Option<f32> {
        let passages = self.files.iter().flat_map(|(_, file)| {
            file.passages_of(key)
                .filter_map(move |passage| cosine_of(file, query, passage))
        });
        passages.reduce(f32::max)
    }

    /// Takes the lock of writers; `None` while another process holds it.
    ///
    /// # Errors
    /// `IO` when the lock file cannot be created.
    pub fn try_lock(&self) -> Result<Option<LockGuard>> {
        Ok(self.lock.try_acquire()?.then(|| self.lock.clone().into_guard()))
    }

    /// Adds the vectors of texts, skipping passages that cannot be normalized. The caller holds the lock. `is_needed`
    /// tells which texts still exist: a merge of files drops the vectors of all others.
    ///
    /// # Errors
    /// `IO` when a file cannot be written, otherwise as [`Marks::seal`].
    pub fn add(&mut self, made: &[(u64, Vec<Vec<f32>>)], is_needed: impl Fn(u64) -> bool) -> Result<()> {
        self.refresh();
        let dimensions = made.iter().flat_map(|(_, vectors)| vectors).map(Vec::len).next();
        let Some(dimensions) = dimensions else { return Ok(()) };
        let fits = |vector: &&Vec<f32>| vector.len() == dimensions;
        let fresh = made.iter().filter(|(key, _)| !self.has(*key));
        let mut passages: Vec<Passage> = fresh
            .flat_map(|(key, vectors)| {
                vectors
                    .iter()
                    .filter(fits)
                    .filter_map(|vector| Passage::of(*key, vector))
            })
            .collect();
        if passages.is_empty() {
            return Ok(());
        }
        let stride = passages.first().map_or(0, |one| one.codes.len());
        // Damaged files, and those with another dimension, are not merged: their texts are embedded again.
        self.files
            .retain(|(_, file)| file.stride() == stride && !file.is_damaged());
        let sizes: Vec<u32> = self.files.iter().map(|(_, file)| size_of(file.len())).collect();
        let stay = count_kept(&sizes, size_of(passages.len()), SMALL, PASSAGES_MAX);
        for (_, file) in self.files.split_off(stay) {
            let kept = (0..file.len()).filter_map(|number| file.passage(number));
            let kept: Vec<Passage> = kept.filter(|passage| is_needed(passage.key)).collect();
            if !file.is_damaged() {
                passages.extend(kept);
            }
        }
        let listed = self.write(&mut passages, dimensions)?;
        let mut files: Vec<Listed> = self.files.iter().map(|(one, _)| one.clone()).collect();
        files.push(listed);
        self.write_list(files)?;
        self.refresh();
        self.sweep();
        Ok(())
    }

    fn open(&self, listed: &Listed) -> Option<Arc<VectorFile>> {
        let file = self.disk.open_read(&self.folder.join(listed.name())).ok()?;
        let file = VectorFile::open(file, listed.hash, &self.model)?;
        (file.len() == listed.passages).then(|| Arc::new(file))
    }

    fn load(&self) -> Option<List> {
        let bytes = read_file(self.disk.as_ref(), &self.list_path()).ok()??;
        let is_foreign = |marks: &Arc<Marks>| !marks.checker().is_sealed(LIST_FILE, &bytes);
        if self.marks.as_ref().is_some_and(is_foreign) {
            return None;
        }
        let list: List = serde_json::from_slice(&bytes).ok()?;
        (list.format == FORMAT && list.model == self.model).then_some(list)
    }

    fn list_path(&self) -> PathBuf {
        self.folder.join(LIST_FILE)
    }

    fn write(&self, passages: &mut [Passage], dimensions: usize) -> Result<Listed> {
        let body = body_of(passages, dimensions, &self.model);
        let (trailer, hash) = trailer_of(&body);
        let listed = Listed {
            hash,
            passages: passages.len(),
        };
        stage_file(self.disk.as_ref(), &self.folder.join(listed.name()), &[&body, &trailer])?.place()?;
        Ok(listed)
    }

    fn write_list(&self, files: Vec<Listed>) -> Result<()> {
        let list = List {
            format: FORMAT,
            model: self.model.clone(),
            files,
        };
        let path = self.list_path();
        let mut text = serde_json::to_vec(&list).map_err(|e| Error::io("encode", &path)(std::io::Error::other(e)))?;
        if let Some(marks) = &self.marks {
            marks.seal(LIST_FILE, &mut text)?;
        }
        Ok(write_file(self.disk.as_ref(), &path, &text)?)
    }

    /// Removes files that are no longer listed.
    fn sweep(&self) {
        for entry in self.disk.list(&self.folder).unwrap_or_default() {
            let name = entry.name.to_string_lossy().into_owned();
            let is_old = name.ends_with(ENDING) && self.files.iter().all(|(one, _)| one.name() != name);
            // A temporary file here is left from a killed process, because only the holder of the lock writes.
            if is_old || name.ends_with(".tmp") {
                // An open file cannot be removed on Windows; the next sweep removes it.
                let _ = self.disk.remove(&self.folder.join(&entry.name));
            }
        }
    }
}

fn size_of(passages: usize) -> u32 {
    u32::try_from(passages).unwrap_or(u32::MAX)
}
