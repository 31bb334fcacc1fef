//! Sources of published files: a folder, an archive (wheel or zip), the weights file itself, or the received files of a download. Archives
//! are read in place and not extracted, so no name in them becomes a path.

use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use forge_memory_core::journal::{Disk, DiskReader, FileKind};
use forge_memory_core::{Error, Result};
use zip::ZipArchive;

use crate::model::{PUBLISHED_WEIGHTS, TOKENIZER, corrupt, io, is_not_found, read_bounded};
use crate::name::ModelName;

/// How deep below the given folder the files may be: packages and caches nest them in a few folders.
const DEPTH_MAX: usize = 5;
/// How many folder entries are examined before the search gives up.
const ENTRIES_MAX: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A folder, with the name of the weights in it.
    Folder(PathBuf, String),
    /// An archive, and the common prefix of the names in it.
    Archive(PathBuf, String),
    /// The folder of a download.
    Received(PathBuf),
}

impl Origin {
    /// Finds the published files at a path that the user gave.
    ///
    /// # Errors
    /// `INVALID_INPUT` when it contains no model, `CORRUPT` when it cannot be read as an archive, `IO`.
    pub fn locate(disk: &dyn Disk, from: &Path) -> Result<Self> {
        let found = disk.metadata(from).map_err(io("open", from))?;
        if found.kind == FileKind::Folder {
            let mut budget = ENTRIES_MAX;
            let folder = find(disk, from, DEPTH_MAX, &mut budget)?.ok_or_else(|| no_model(from))?;
            return Ok(Origin::Folder(folder, PUBLISHED_WEIGHTS.name.into_owned()));
        }
        if is_archive(disk, from)? {
            return locate_in_archive(disk, from);
        }
        let beside = from.with_file_name(TOKENIZER.name.as_ref());
        if !has_file(disk, &beside)? {
            return Err(Error::invalid(
                "from",
                format!("expected {} beside {}", TOKENIZER.name, from.display()),
            ));
        }
        let folder = from.parent().unwrap_or(Path::new(".")).to_path_buf();
        let weights = from.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Origin::Folder(folder, weights.unwrap_or_default()))
    }

    /// Returns the model that the folder, or the archive without its extension, is named after.
    pub fn model(&self) -> Option<ModelName> {
        let name = match self {
            Origin::Folder(folder, _) => folder.file_name(),
            Origin::Archive(path, _) => path.file_stem(),
            Origin::Received(_) => None,
        };
        ModelName::parse(name?.to_str()?).ok()
    }

    /// Reads a small file; `None` when it does not exist.
    ///
    /// # Errors
    /// `CORRUPT` when it is longer than `most`, `IO`.
    pub fn small(&self, disk: &dyn Disk, name: &str, most: u64) -> Result<Option<Vec<u8>>> {
        if let Origin::Archive(path, prefix) = self {
            return small_in_archive(disk, path, &format!("{prefix}{name}"), most);
        }
        match read_bounded(disk, &self.path_of(name), most) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the weights and calls `work` with the path for messages, the length in bytes, and a reader.
    ///
    /// # Errors
    /// `CORRUPT`, `IO`, and those of `work`.
    pub fn with_weights<T>(
        &self,
        disk: &dyn Disk,
        work: impl FnOnce(&Path, u64, &mut dyn Read) -> Result<T>,
    ) -> Result<T> {
        if let Origin::Archive(path, prefix) = self {
            let mut archive = open_archive(disk, path)?;
            let name = format!("{prefix}{}", PUBLISHED_WEIGHTS.name);
            let entry = archive.by_name(&name).map_err(|e| unreadable(path, &name, &e))?;
            let bytes = entry.size();
            // An entry can contain more bytes than the archive declares.
            return work(&path.join(&name), bytes, &mut entry.take(bytes.saturating_add(1)));
        }
        let path = self.path_of(&PUBLISHED_WEIGHTS.name);
        let file = disk.open_read(&path).map_err(io("open", &path))?;
        let bytes = file.state().map_err(io("inspect", &path))?.len;
        work(
            &path,
            bytes,
            &mut BufReader::with_capacity(1 << 16, DiskReader::new(file)),
        )
    }

    /// Returns the path of a file; inside an archive it is for messages only.
    pub fn path_of(&self, name: &str) -> PathBuf {
        match self {
            Origin::Folder(folder, weights) if name == PUBLISHED_WEIGHTS.name => folder.join(weights),
            Origin::Archive(path, prefix) => path.join(format!("{prefix}{name}")),
            Origin::Folder(folder, _) | Origin::Received(folder) => folder.join(name),
        }
    }
}

/// Returns true if a file exists. A file that cannot be inspected is an error, not a missing file.
fn has_file(disk: &dyn Disk, path: &Path) -> Result<bool> {
    match disk.metadata(path) {
        Ok(found) => Ok(found.kind == FileKind::File),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(e) => Err(io("look at", path)(e)),
    }
}

/// Finds the nearest folder that holds both files.
fn find(disk: &dyn Disk, folder: &Path, depth: usize, budget: &mut usize) -> Result<Option<PathBuf>> {
    let has = |name: &str| has_file(disk, &folder.join(name));
    if has(&PUBLISHED_WEIGHTS.name)? && has(&TOKENIZER.name)? {
        return Ok(Some(folder.to_path_buf()));
    }
    if depth == 0 {
        return Ok(None);
    }
    let mut folders = Vec::new();
    for entry in disk.list(folder).map_err(io("read", folder))? {
        *budget = budget.saturating_sub(1);
        if *budget == 0 {
            return Ok(None);
        }
        // Links are not followed, because they may form a cycle.
        if entry.is_folder {
            folders.push(folder.join(entry.name));
        }
    }
    folders.sort();
    for inner in folders {
        if let Some(found) = find(disk, &inner, depth - 1, budget)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn is_archive(disk: &dyn Disk, path: &Path) -> Result<bool> {
    let mut start = [0; 4];
    let file = disk.open_read(path).map_err(io("open", path))?;
    let got = file.read_at(0, &mut start).map_err(io("read", path))?;
    Ok(got == start.len() && start == *b"PK\x03\x04")
}

type Archive = ZipArchive<BufReader<DiskReader>>;

fn open_archive(disk: &dyn Disk, path: &Path) -> Result<Archive> {
    let file = disk.open_read(path).map_err(io("open", path))?;
    let broken = |e: zip::result::ZipError| corrupt(path, format!("it cannot be read as an archive: {e}"));
    ZipArchive::new(BufReader::new(DiskReader::new(file))).map_err(broken)
}

fn locate_in_archive(disk: &dyn Disk, path: &Path) -> Result<Origin> {
    let archive = open_archive(disk, path)?;
    let folder = archive
        .file_names()
        .filter_map(|name| Some(name.ok()?.strip_suffix(PUBLISHED_WEIGHTS.name.as_ref())?.to_owned()))
        .filter(|folder| folder.is_empty() || folder.ends_with('/'))
        .min_by_key(|folder| (folder.len(), folder.clone()))
        .ok_or_else(|| no_model(path))?;
    Ok(Origin::Archive(path.to_path_buf(), folder))
}

fn small_in_archive(disk: &dyn Disk, path: &Path, name: &str, most: u64) -> Result<Option<Vec<u8>>> {
    let mut archive = open_archive(disk, path)?;
    let entry = match archive.by_name(name) {
        Ok(entry) => entry,
        Err(zip::result::ZipError::FileNotFound) => return Ok(None),
        Err(e) => return Err(unreadable(path, name, &e)),
    };
    let mut bytes = Vec::new();
    entry
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| corrupt(path, format!("{name} cannot be unpacked: {e}")))?;
    if bytes.len() as u64 > most {
        return Err(corrupt(path, format!("{name} has more than {most} bytes")));
    }
    Ok(Some(bytes))
}

fn unreadable(path: &Path, name: &str, error: &zip::result::ZipError) -> Error {
    match error {
        zip::result::ZipError::FileNotFound => no_model(path),
        e => corrupt(path, format!("{name} cannot be read: {e}")),
    }
}

fn no_model(from: &Path) -> Error {
    let (weights, tokenizer) = (&PUBLISHED_WEIGHTS.name, &TOKENIZER.name);
    Error::invalid(
        "from",
        format!("{} contains no {weights} with a {tokenizer} beside it", from.display()),
    )
}
