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
use crate::manifest::{MANIFEST, Manifest};
use crate::model::{ModelFolder, NAME, PUBLISHED_WEIGHTS, PinnedFile, TOKENIZER, WEIGHTS, corrupt, io as io_error};
use crate::name::ModelName;
use crate::preparation::{CONFIG, PUBLISHED_FILES, bytes_max, prepare};
use crate::quantize::{self, quantize};
use crate::recipe::{GivenPrefixes, Purpose};
use crate::registry::Models;
use crate::shared::SharedModel;
use crate::source::{Origin, received_name};

/// The files of a download of the known model.
const PUBLISHED: [&PinnedFile; 2] = [&TOKENIZER, &PUBLISHED_WEIGHTS];
/// The folder beside the installed files with the parts that a download has received so far.
const RECEIVED: &str = "received";
const TEMPORARY: &str = ".tmp";

/// The exclusive right to change the installed models, held until this is dropped.
#[derive(Debug)]
pub struct Installation {
    disk: Arc<dyn Disk>,
    home: PathBuf,
    /// The requested model; when none is named, the built-in one or the one in the source.
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
    /// Its purpose; `None` after a removal.
    pub purpose: Option<Purpose>,
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
        self.folder_of(&self.name())
    }

    fn folder_of(&self, name: &ModelName) -> ModelFolder {
        ModelFolder::of_home(Arc::clone(&self.disk), &self.home, name)
    }

    fn name(&self) -> ModelName {
        self.name.clone().unwrap_or_else(ModelName::known)
    }

    /// Returns the published files to download, in this order, and whether each is required.
    pub fn published_files(&self) -> Vec<(&'static str, bool)> {
        if self.name().is_known() {
            return vec![("tokenizer.json", true), ("model.safetensors", true)];
        }
        let needed = [CONFIG, "tokenizer.json", "model.safetensors"];
        PUBLISHED_FILES
            .iter()
            .map(|name| (*name, needed.contains(name)))
            .collect()
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
    /// `INVALID_INPUT` when `from` holds no model or a setting is wrong, `UNSUPPORTED` when it is of another architecture, `CORRUPT` when
    /// it is a different or damaged one, `ADDON_MISSING` without the inference addon, `IO`.
    pub fn install(&self, from: Option<&Path>, given: &GivenPrefixes, inference: InferenceSource) -> Result<Installed> {
        let installed = self.place(from, given, inference)?;
        if installed.purpose == Some(Purpose::Embedding) {
            // A cache, which the next pass that embeds texts makes otherwise.
            let _ = SharedModel::find(&self.folder_of(&installed.name)).and_then(|model| model.measure(inference));
        }
        Ok(installed)
    }

    fn place(&self, from: Option<&Path>, given: &GivenPrefixes, inference: InferenceSource) -> Result<Installed> {
        let locate = || from.map(|from| Origin::locate(self.disk.as_ref(), from)).transpose();
        match &self.name {
            Some(name) if !name.is_known() => self.install_other(name, locate, given, inference),
            Some(_) => self.install_known(locate, given),
            None => {
                // An unreadable source does not matter when the built-in model is already installed.
                if let Ok(Some(origin)) = locate()
                    && let Some(name) = self.other_in(&origin)?
                {
                    return self.install_other(&name, || Ok(Some(origin)), given, inference);
                }
                self.install_known(locate, given)
            }
        }
    }

    /// Returns the name of the model in a source unless it is the built-in one, which is recognised by the length of its weights.
    fn other_in(&self, origin: &Origin) -> Result<Option<ModelName>> {
        let disk = self.disk.as_ref();
        let is_known = origin.small(disk, CONFIG, bytes_max(CONFIG))?.is_none()
            || origin.weights_len(disk)? == PUBLISHED_WEIGHTS.bytes;
        if is_known {
            return Ok(None);
        }
        let name = origin.name().unwrap_or_default();
        let named = ModelName::parse(&name).ok().filter(|name| !name.is_known());
        let unnamed = || {
            Error::invalid(
                "name",
                format!("{name:?} cannot be the name of this model: give another"),
            )
        };
        named.map(Some).ok_or_else(unnamed)
    }

    fn install_known(
        &self,
        locate: impl FnOnce() -> Result<Option<Origin>>,
        given: &GivenPrefixes,
    ) -> Result<Installed> {
        if given.query.is_some() || given.passage.is_some() {
            return Err(Error::invalid("prefix", format!("{NAME} was trained without prefixes")));
        }
        let name = ModelName::known();
        let folder = self.folder_of(&name);
        if folder.verify().is_ok() {
            self.clear(&name)?;
            return Ok(outcome(false, &name, &folder, Purpose::Embedding));
        }
        let (tokenizer, published) = match locate()? {
            // The small file first, because checking it is fast.
            Some(origin) => (
                origin.pinned(self.disk.as_ref(), &TOKENIZER)?,
                origin.pinned(self.disk.as_ref(), &PUBLISHED_WEIGHTS)?,
            ),
            None => (self.read_received(&TOKENIZER)?, self.read_received(&PUBLISHED_WEIGHTS)?),
        };
        let weights_path = folder.file(&WEIGHTS);
        let file = quantize::Published {
            path: &weights_path,
            bytes: published.len() as u64,
            reader: &mut published.as_slice(),
        };
        let quantized = quantize(file, &Manifest::known().architecture, Purpose::Embedding)?;
        WEIGHTS.check(&weights_path, &quantized)?;
        self.put(&folder, &TOKENIZER.name, &tokenizer)?;
        self.put(&folder, &WEIGHTS.name, &quantized)?;
        self.clear(&name)?;
        Ok(outcome(true, &name, &folder, Purpose::Embedding))
    }

    fn install_other(
        &self,
        name: &ModelName,
        locate: impl FnOnce() -> Result<Option<Origin>>,
        given: &GivenPrefixes,
        inference: InferenceSource,
    ) -> Result<Installed> {
        let folder = self.folder_of(name);
        let before = folder.manifest().ok();
        if let Some(manifest) = before.as_ref().filter(|_| folder.verify().is_ok()) {
            check_same(manifest, given)?;
            self.clear(name)?;
            return Ok(outcome(false, name, &folder, manifest.purpose));
        }
        let origin = locate()?;
        let is_received = origin.is_none();
        let origin = origin.unwrap_or_else(|| Origin::Received(folder.path().join(RECEIVED)));
        let prepared = prepare(self.disk.as_ref(), inference()?, &origin, name, given).inspect_err(|error| {
            // A wrong partial file cannot be completed to a right one.
            if is_received && error.code() != "IO" {
                let _ = self.clear(name);
            }
        })?;
        if before.is_some_and(|before| before != prepared.manifest) {
            return Err(
                Error::invalid("name", format!("{name} is not the model that was installed first")).advised(
                    "forge-memory model remove NAME removes the first one; its vectors are not used for another",
                ),
            );
        }
        self.put(&folder, &TOKENIZER.name, &prepared.tokenizer)?;
        self.put(&folder, &WEIGHTS.name, &prepared.weights)?;
        self.put(&folder, MANIFEST, &prepared.manifest.to_json()?)?;
        self.clear(name)?;
        Ok(outcome(true, name, &folder, prepared.manifest.purpose))
    }

    /// Removes the model. `changed` is false when there was none.
    pub fn remove(&self) -> Result<Installed> {
        let name = self.name();
        let folder = self.folder();
        // First the file without which the model does not count as installed.
        let mut removed = false;
        let manifest = (!name.is_known()).then_some(MANIFEST);
        for file in manifest
            .into_iter()
            .chain([WEIGHTS.name.as_ref(), TOKENIZER.name.as_ref(), BACKGROUND])
        {
            removed |= self.remove_file(&folder.path().join(file))?;
        }
        self.clear(&name)?;
        // Fails when other files are in the folder, which then stays.
        let _ = self.disk.remove_empty_folder(folder.path());
        Models::new(Arc::clone(&self.disk), &self.home).forget_default(&name)?;
        Ok(Installed {
            changed: removed,
            folder: folder.path().to_path_buf(),
            name,
            purpose: None,
        })
    }

    fn read_received(&self, file: &PinnedFile) -> Result<Vec<u8>> {
        let outcome = file.read(self.disk.as_ref(), &self.received_path(&file.name));
        if let Err(Error::Corrupt { .. }) = outcome {
            // A wrong partial file cannot be completed to a right one.
            self.forget(&file.name)?;
        }
        outcome
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
    fn clear(&self, name: &ModelName) -> Result<()> {
        let folder = self.folder_of(name);
        let received = folder.path().join(RECEIVED);
        let known: Vec<&str> = PUBLISHED.iter().map(|file| file.name.as_ref()).collect();
        let published = if name.is_known() {
            &known[..]
        } else {
            &PUBLISHED_FILES[..]
        };
        for file in published {
            self.remove_file(&received.join(received_name(file)))?;
        }
        let installed: &[&str] = &[&TOKENIZER.name, &WEIGHTS.name, MANIFEST];
        for file in installed.iter().take(if name.is_known() { 2 } else { 3 }) {
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
        self.folder().path().join(RECEIVED).join(received_name(name))
    }

    /// Returns the largest possible length of a published file, in bytes.
    fn most_of(&self, name: &str) -> Result<u64> {
        let unknown = || Error::invalid("file", "is not a file of the model");
        if self.name().is_known() {
            let known = PUBLISHED.into_iter().find(|file| file.name == name);
            return known.map(|file| file.bytes).ok_or_else(unknown);
        }
        let known = PUBLISHED_FILES.contains(&name);
        known.then(|| bytes_max(name)).ok_or_else(unknown)
    }
}

fn outcome(changed: bool, name: &ModelName, folder: &ModelFolder, purpose: Purpose) -> Installed {
    Installed {
        changed,
        name: name.clone(),
        folder: folder.path().to_path_buf(),
        purpose: Some(purpose),
    }
}

/// Checks that the requested prefixes are those of the installation, with which existing vectors were computed.
fn check_same(manifest: &Manifest, given: &GivenPrefixes) -> Result<()> {
    let recipe = &manifest.recipe;
    for (given, installed) in [
        (&given.query, &recipe.query_prefix),
        (&given.passage, &recipe.passage_prefix),
    ] {
        if given.as_ref().is_some_and(|given| given != installed) {
            let reason = format!("{} is installed with the prefix {installed:?}", manifest.name);
            return Err(Error::invalid("prefix", reason)
                .advised("forge-memory model remove NAME removes it, then install it with the other prefix"));
        }
    }
    Ok(())
}

fn temporary_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
