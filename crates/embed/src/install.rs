//! Installing the model into the user's own folder, and removing it.
//!
//! Only one process installs at a time, under a file lock. Each file is written under a temporary name, synced and renamed; the
//! weights last, because a model counts as installed when both files are there. An interrupted installation leaves the model as it
//! was, and the next one continues from what was downloaded.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forge_memory_core::journal::{Disk, LockFile, LockGuard};
use forge_memory_core::{Error, Result};

use crate::model::{
    INSTALLED, ModelFolder, PUBLISHED_WEIGHTS, PinnedFile, TOKENIZER, WEIGHTS, corrupt, io as io_error,
};
use crate::source::{self, Published};
use crate::weights;

/// The files of a download.
const PUBLISHED: [&PinnedFile; 2] = [&TOKENIZER, &PUBLISHED_WEIGHTS];
/// The folder beside the installed files for what a download has received so far.
const RECEIVED: &str = "received";
const TEMPORARY: &str = ".tmp";

/// The exclusive right to change the installed model, held until this is dropped.
#[derive(Debug)]
pub struct Installation {
    disk: Arc<dyn Disk>,
    folder: ModelFolder,
    _lock: LockGuard,
}

impl Installation {
    /// Acquires the right to change the model in a user's own folder.
    ///
    /// # Errors
    /// `LOCKED` when another process holds it for longer than `timeout`, `IO`.
    pub fn begin(disk: Arc<dyn Disk>, home: &Path, timeout: Duration) -> Result<Self> {
        let lock = LockFile::new(Arc::clone(&disk), home.join("locks").join("model.lock"));
        Ok(Installation {
            folder: ModelFolder::of_home(Arc::clone(&disk), home),
            disk,
            _lock: lock.guard_within(timeout)?,
        })
    }

    /// Returns the folder of the model.
    pub fn folder(&self) -> &ModelFolder {
        &self.folder
    }

    /// Returns how many bytes of a published file an earlier download has left: the next one continues after them.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the model has no such file, `IO`.
    pub fn received(&self, name: &str) -> Result<u64> {
        let file = published(name)?;
        let path = self.received_path(file);
        match self.disk.stat(&path) {
            Ok(state) if state.len <= file.bytes => Ok(state.len),
            Ok(_) => self.forget(file).map(|()| 0),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(e) => Err(io_error("inspect", &path)(e)),
        }
    }

    /// Appends to what was received of a published file.
    ///
    /// # Errors
    /// `CORRUPT` when the file grows beyond its known length, and it is then discarded; `INVALID_INPUT`, `IO`.
    pub fn receive(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let file = published(name)?;
        let path = self.received_path(file);
        let len = self.received(name)? + bytes.len() as u64;
        if len > file.bytes {
            self.forget(file)?;
            return Err(corrupt(
                &path,
                format!("it has {len} bytes or more, not {}", file.bytes),
            ));
        }
        self.append(&path, bytes)
    }

    /// Discards what was received of a published file.
    ///
    /// # Errors
    /// `INVALID_INPUT`, `IO`.
    pub fn restart(&self, name: &str) -> Result<()> {
        self.forget(published(name)?)
    }

    /// Installs the model from a folder, an archive or the published weights, or from what was received when `from` is
    /// absent. Returns false when it was installed already, checked byte for byte.
    ///
    /// # Errors
    /// `INVALID_INPUT` when `from` holds no model, `CORRUPT` when it holds a different or damaged one, `IO`.
    pub fn install(&self, from: Option<&Path>) -> Result<bool> {
        if self.folder.verify().is_ok() {
            self.clear()?;
            return Ok(false);
        }
        let published = match from {
            Some(from) => source::read(self.disk.as_ref(), from)?,
            None => self.read_received()?,
        };
        let weights_path = self.folder.file(&WEIGHTS);
        let quantized = weights::quantize(&published.weights).map_err(|e| corrupt(&weights_path, e))?;
        WEIGHTS.check(&weights_path, &quantized)?;
        self.put(&TOKENIZER, &published.tokenizer)?;
        self.put(&WEIGHTS, &quantized)?;
        self.clear()?;
        Ok(true)
    }

    /// Removes the model. Returns false when there was none.
    ///
    /// # Errors
    /// `IO`.
    pub fn remove(&self) -> Result<bool> {
        // The weights first: without them, the rest does not count as a model.
        let mut removed = false;
        for file in INSTALLED.iter().rev() {
            removed |= self.remove_file(&self.folder.file(file))?;
        }
        self.clear()?;
        // Fails when other files are in the folder, which then stays.
        let _ = self.disk.remove_empty_folder(self.folder.path());
        Ok(removed)
    }

    fn read_received(&self) -> Result<Published> {
        let read = |file: &PinnedFile| {
            let outcome = file.read(self.disk.as_ref(), &self.received_path(file));
            if let Err(Error::Corrupt { .. }) = outcome {
                // Continuing after wrong bytes never makes a right file.
                self.forget(file)?;
            }
            outcome
        };
        Ok(Published {
            tokenizer: read(&TOKENIZER)?,
            weights: read(&PUBLISHED_WEIGHTS)?,
        })
    }

    fn put(&self, file: &PinnedFile, bytes: &[u8]) -> Result<()> {
        let path = self.folder.file(file);
        let temporary = temporary_path(&path);
        self.remove_file(&temporary)?;
        self.append(&temporary, bytes)?;
        let written = self.disk.open_read(&temporary).map_err(io_error("open", &temporary))?;
        written.sync().map_err(io_error("sync", &temporary))?;
        drop(written);
        self.disk
            .rename(&temporary, &path)
            .map_err(io_error("replace", &path))?;
        self.disk
            .sync_dir(self.folder.path())
            .map_err(io_error("sync", self.folder.path()))
    }

    fn append(&self, path: &Path, mut bytes: &[u8]) -> Result<()> {
        if let Some(parent) = path.parent() {
            self.disk.make_dir(parent).map_err(io_error("create", parent))?;
        }
        let mut file = self.disk.open_append(path).map_err(io_error("open", path))?;
        while !bytes.is_empty() {
            let count = file.append(bytes).map_err(io_error("write", path))?;
            if count == 0 {
                return Err(io_error("write", path)(io::ErrorKind::WriteZero.into()));
            }
            bytes = bytes.get(count..).unwrap_or_default();
        }
        Ok(())
    }

    /// Removes the temporary files of an installation.
    fn clear(&self) -> Result<()> {
        for file in PUBLISHED {
            self.forget(file)?;
        }
        for file in INSTALLED {
            self.remove_file(&temporary_path(&self.folder.file(file)))?;
        }
        let _ = self.disk.remove_empty_folder(&self.folder.path().join(RECEIVED));
        Ok(())
    }

    fn forget(&self, file: &PinnedFile) -> Result<()> {
        self.remove_file(&self.received_path(file)).map(|_| ())
    }

    fn remove_file(&self, path: &Path) -> Result<bool> {
        match self.disk.remove(path) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(io_error("remove", path)(e)),
        }
    }

    fn received_path(&self, file: &PinnedFile) -> PathBuf {
        self.folder.path().join(RECEIVED).join(file.name)
    }
}

fn published(name: &str) -> Result<&'static PinnedFile> {
    let known = PUBLISHED.into_iter().find(|file| file.name == name);
    known.ok_or_else(|| Error::invalid("file", "is not a file of the model"))
}

fn temporary_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
