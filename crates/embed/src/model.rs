//! A model's files: names, places and pinned digests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::journal::{Disk, FileState};
use forge_memory_core::{Error, Result};

use crate::manifest::{MANIFEST, MANIFEST_BYTES_MAX, Manifest};
use crate::name::ModelName;
pub use crate::name::NAME;
pub(crate) use crate::pinned::{CheckedStream, corrupt, io, is_not_found, read_bounded};
pub use crate::pinned::{DIMENSIONS, MODEL, PUBLISHED_WEIGHTS, PinnedFile, TOKENIZER, WEIGHTS};

/// The code of the error that a model, or a part of it, is not there.
const MISSING: &str = "MODEL_MISSING";
/// What to do about a manifest that describes neither model.
const FOREIGN: &str = "forge-memory model install installs all-MiniLM-L6-v2, with its name multilingual-e5-small";

/// The state of a model folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelState {
    /// Every file is there and intact.
    Installed,
    /// A file is missing, or all are.
    Missing,
    /// A file differs from the pinned one.
    Damaged,
}

impl ModelState {
    /// Returns the name that answers contain.
    pub fn name(self) -> &'static str {
        match self {
            ModelState::Installed => "installed",
            ModelState::Missing => "missing",
            ModelState::Damaged => "damaged",
        }
    }
}

/// The folder of an installed model.
#[derive(Debug, Clone)]
pub struct ModelFolder {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    /// The expected name; `None` for a folder that was given by its path.
    name: Option<ModelName>,
}

impl ModelFolder {
    /// Returns the folder of a model in a user's own folder.
    pub fn of_home(disk: Arc<dyn Disk>, home: &Path, name: ModelName) -> Self {
        ModelFolder {
            disk,
            path: models_in(home).join(name.as_str()),
            name: Some(name),
        }
    }

    /// Returns the folder at this path.
    pub fn at(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        ModelFolder { disk, path, name: None }
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of one of the files.
    pub fn file(&self, file: &PinnedFile) -> PathBuf {
        self.path.join(file.name.as_ref())
    }

    /// Returns the disk that the folder is on.
    pub(crate) fn disk(&self) -> &dyn Disk {
        self.disk.as_ref()
    }

    /// Reads one of the files and checks it.
    pub(crate) fn read(&self, file: &PinnedFile) -> Result<Vec<u8>> {
        file.read(self.disk.as_ref(), &self.file(file))
    }

    /// Opens one of the files as a stream that is checked while it is read; `path` is that of the file.
    pub(crate) fn stream<'f>(&self, file: &'f PinnedFile, path: &'f Path) -> Result<CheckedStream<'f>> {
        file.stream(self.disk.as_ref(), path)
    }

    /// Returns the description of the model: the built-in one, or the one that was written when it was installed.
    pub fn manifest(&self) -> Result<Manifest> {
        if self.name.is_some_and(ModelName::is_known) {
            return Ok(Manifest::known());
        }
        let path = self.path.join(MANIFEST);
        match read_bounded(self.disk.as_ref(), &path, MANIFEST_BYTES_MAX) {
            Ok(bytes) => Manifest::parse(&bytes).map_err(|reason| corrupt(&path, reason).advised(FOREIGN)),
            Err(error) if !is_not_found(&error) => Err(error),
            Err(_) if self.name.is_some() => Err(self.missing()),
            Err(_) => Ok(Manifest::known()),
        }
    }

    /// Checks that the files are there and have the right lengths, without reading them.
    pub fn check_lengths(&self) -> Result<()> {
        self.states().map(|_| ())
    }

    /// Checks the lengths, and returns the manifest with the states of the files.
    pub fn states(&self) -> Result<(Manifest, Vec<FileState>)> {
        let manifest = self.manifest()?;
        let states = manifest.files.iter().map(|file| {
            let path = self.file(file);
            match self.disk.stat(&path) {
                Ok(state) => file.check_len(&path, state.len).map(|()| state),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => Err(self.missing()),
                Err(e) => Err(io("inspect", &path)(e)),
            }
        });
        let states = states.collect::<Result<_>>()?;
        Ok((manifest, states))
    }

    /// Reads every file and checks every byte.
    pub fn verify(&self) -> Result<Manifest> {
        let (manifest, _) = self.states()?;
        manifest
            .files
            .iter()
            .try_for_each(|file| self.stream(file, &self.file(file))?.finish())?;
        Ok(manifest)
    }

    /// Returns the result of [`ModelFolder::verify`] as a state.
    pub fn state(&self) -> Result<ModelState> {
        match self.verify() {
            Ok(_) => Ok(ModelState::Installed),
            Err(Error::Feature { code: MISSING, .. }) => Ok(ModelState::Missing),
            Err(e) if e.code() == "CORRUPT" => Ok(ModelState::Damaged),
            Err(e) => Err(e),
        }
    }

    fn missing(&self) -> Error {
        let name = self.name.map_or(NAME, ModelName::as_str);
        Error::Feature {
            code: MISSING,
            message: format!("the model {name} is not installed in {}", self.path.display()),
            hint: "forge-memory model install installs all-MiniLM-L6-v2, with its name multilingual-e5-small; until then, searches use words only",
        }
    }
}

pub(crate) fn models_in(home: &Path) -> PathBuf {
    home.join("models")
}
