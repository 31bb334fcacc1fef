//! Installs a model into the user's own folder, and removes it.
//!
//! Only one process installs at a time, under a file lock. Each file is written under a temporary name, synced and renamed. The file
//! without which a model does not count as installed comes last: the manifest, or the weights of the built-in model. An interrupted
//! installation leaves the installed model unchanged, and the next one resumes the download.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forge_memory_core::journal::{Disk, LockFile, LockGuard};
use forge_memory_core::{Error, Result};

use crate::background::BACKGROUND;
use crate::loading::InferenceSource;
use crate::manifest::{MANIFEST, TOKENIZER_BYTES_MAX, WEIGHTS_BYTES_MAX};
use crate::model::{ModelFolder, PUBLISHED_WEIGHTS, TOKENIZER, WEIGHTS, corrupt, io as io_error};
use crate::name::ModelName;
use crate::preparation::prepare;
use crate::registry::Models;
use crate::shared::SharedModel;
use crate::source::Origin;

/// The published files of a model; the small one comes first, because it shows early whether it is the right one.
pub const PUBLISHED: [&str; 2] = ["tokenizer.json", "model.safetensors"];
/// The folder beside the installed files with the parts that a download has received so far.
const RECEIVED: &str = "received";
const TEMPORARY: &str = ".tmp";

/// The exclusive right to change the installed models, held until this is dropped.
#[derive(Debug)]
pub struct Installation {
    disk: Arc<dyn Disk>,
    home: PathBuf,
    /// The requested model; when none is named, the one that the source is named after, or the built-in one.
    name: Option<ModelName>,
    _lock: LockGuard,
}

/// The result of an installation or a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// False when nothing had to be done.
    pub changed: bool,
    /// The model's name.
    pub name: ModelName,
    /// Its folder.
    pub folder: PathBuf,
}

impl Installation {
    /// Acquires the exclusive right to change the models in a user's own folder.
    ///
    /// # Errors
    /// `LOCKED` when another process holds it for longer than `timeout`, `IO`.
    pub fn begin(disk: Arc<dyn Disk>, home: &Path, name: Option<ModelName>, timeout: Duration) -> Result<Self> {
        let lock = LockFile::new(Arc::clone(&disk), home.join("locks").join("model.lock"));
        Ok(Installation {
            home: home.to_path_buf(),
            disk,
            name,
            _lock: lock.guard_within(timeout)?,
        })
    }

    /// Returns the folder of the requested model.
    pub fn folder(&self) -> ModelFolder {
        self.folder_of(self.name())
    }

    fn folder_of(&self, name: ModelName) -> ModelFolder {
        ModelFolder::of_home(Arc::clone(&self.disk), &self.home, name)
    }

    fn name(&self) -> ModelName {
        self.name.unwrap_or(ModelName::Known)
    }

    /// Returns how many bytes of a published file an earlier download received; the next one resumes there.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the model has no such file, `IO`.
    pub fn received(&self, name: &str) -> Result<u64> {
        let most = self.most_of(name)?;
        let path = self.received_path(name);
        match self.disk.stat(&path) {
            Ok(state) if state.len <= most => Ok(state.len),
            Ok(_) => self.forget(name).map(|()| 0),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(e) => Err(io_error("inspect", &path)(e)),
        }
    }

    /// Appends to the received part of a published file.
    ///
    /// # Errors
    /// `CORRUPT` when the file grows beyond the length that it can have, and is discarded; `INVALID_INPUT`, `IO`.
    pub fn receive(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let most = self.most_of(name)?;
        let path = self.received_path(name);
        let len = self.received(name)? + bytes.len() as u64;
        if len > most {
            self.forget(name)?;
            return Err(corrupt(&path, format!("it has {len} bytes or more, not {most}")));
        }
        self.append(&path, bytes)
    }

    /// Discards the received part of a published file.
    pub fn restart(&self, name: &str) -> Result<()> {
        self.most_of(name)?;
        self.forget(name)
    }

    /// Installs a model from a folder, an archive or published weights, or from a download when `from` is absent. `changed` is false when
    /// it was installed already, checked byte for byte.
    ///
    /// # Errors
    /// `INVALID_INPUT` when `from` holds no model, `CORRUPT` when it is a different or damaged one, `ADDON_MISSING` without the inference
    /// addon, `IO`.
    pub fn install(&self, from: Option<&Path>, inference: InferenceSource) -> Result<Installed> {
        let installed = self.place(from, inference)?;
        // A cache, which the next pass that embeds texts makes otherwise.
        let _ = SharedModel::find(&self.folder_of(installed.name)).and_then(|model| model.measure(inference));
        Ok(installed)
    }

    fn place(&self, from: Option<&Path>, inference: InferenceSource) -> Result<Installed> {
        let disk = self.disk.as_ref();
        // An unreadable source does not matter when the model is already installed.
        let origin = from.map(|from| Origin::locate(disk, from)).transpose();
        let in_source = origin.as_ref().ok().and_then(|origin| origin.as_ref()?.model());
        let name = self.name.or(in_source).unwrap_or(ModelName::Known);
        let folder = self.folder_of(name);
        if folder.verify().is_ok() {
            self.clear(name)?;
            return Ok(outcome(false, name, &folder));
        }
        let before = folder.manifest().ok();
        let origin = origin?.unwrap_or_else(|| Origin::Received(folder.path().join(RECEIVED)));
        let prepared = prepare(disk, inference, &origin, name).inspect_err(|error| {
            // A wrong partial file cannot be completed to a right one.
            if from.is_none() && error.code() == "CORRUPT" {
                let _ = self.clear(name);
            }
        })?;
        if before.is_some_and(|before| before.published != prepared.manifest.published) {
            return Err(
                Error::invalid("name", format!("{name} is not the model that was installed first")).advised(
                    "forge-memory model remove NAME removes the first one; its vectors are not used for another",
                ),
            );
        }
        self.put(&folder, &TOKENIZER.name, &prepared.tokenizer)?;
        self.put(&folder, &WEIGHTS.name, &prepared.weights)?;
        if !name.is_known() {
            self.put(&folder, MANIFEST, &prepared.manifest.to_json()?)?;
        }
        self.clear(name)?;
        Ok(outcome(true, name, &folder))
    }

    /// Removes the model. `changed` is false when there was none.
    pub fn remove(&self) -> Result<Installed> {
        let name = self.name();
        let folder = self.folder();
        // First the file without which the model does not count as installed.
        let mut removed = false;
        for file in [MANIFEST, &WEIGHTS.name, &TOKENIZER.name, BACKGROUND] {
            removed |= self.remove_file(&folder.path().join(file))?;
        }
        self.clear(name)?;
        // Fails when other files are in the folder, which then stays.
        let _ = self.disk.remove_empty_folder(folder.path());
        Models::new(Arc::clone(&self.disk), &self.home).forget_default(name)?;
        Ok(outcome(removed, name, &folder))
    }

    fn put(&self, folder: &ModelFolder, name: &str, bytes: &[u8]) -> Result<()> {
        let path = folder.path().join(name);
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
            .sync_dir(folder.path())
            .map_err(io_error("sync", folder.path()))
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
    fn clear(&self, name: ModelName) -> Result<()> {
        let folder = self.folder_of(name);
        let received = folder.path().join(RECEIVED);
        for file in PUBLISHED {
            self.remove_file(&received.join(file))?;
        }
        for file in [&TOKENIZER.name, &WEIGHTS.name, MANIFEST] {
            self.remove_file(&temporary_path(&folder.path().join(file)))?;
        }
        let _ = self.disk.remove_empty_folder(&received);
        Ok(())
    }

    fn forget(&self, name: &str) -> Result<()> {
        self.remove_file(&self.received_path(name)).map(|_| ())
    }

    fn remove_file(&self, path: &Path) -> Result<bool> {
        match self.disk.remove(path) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(io_error("remove", path)(e)),
        }
    }

    fn received_path(&self, name: &str) -> PathBuf {
        self.folder().path().join(RECEIVED).join(name)
    }

    /// Returns the largest possible length of a published file, in bytes.
    fn most_of(&self, name: &str) -> Result<u64> {
        let most = match PUBLISHED.iter().position(|file| *file == name) {
            Some(0) => [TOKENIZER.bytes, TOKENIZER_BYTES_MAX],
            Some(_) => [PUBLISHED_WEIGHTS.bytes, WEIGHTS_BYTES_MAX],
            None => return Err(Error::invalid("file", "is not a file of the model")),
        };
        Ok(if self.name().is_known() { most[0] } else { most[1] })
    }
}

fn outcome(changed: bool, name: ModelName, folder: &ModelFolder) -> Installed {
    Installed {
        changed,
        name,
        folder: folder.path().to_path_buf(),
    }
}

fn temporary_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
