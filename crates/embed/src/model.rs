//! A model's files: names, places and pinned digests.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::journal::{Disk, DiskReader, FileState};
use forge_memory_core::text::calibration::MEASURED_MODEL;
use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::manifest::{MANIFEST, MANIFEST_BYTES_MAX, Manifest};
use crate::name::ModelName;

/// The name of the model that is built in, as its authors call it.
pub const NAME: &str = "all-MiniLM-L6-v2";
/// The key of its vectors: vectors of different models cannot be compared.
pub const MODEL: &str = MEASURED_MODEL;
/// The dimension of its vectors.
pub const DIMENSIONS: usize = 384;
/// Its maximum number of tokens of a text, including `[CLS]` and `[SEP]`; the rest is truncated.
pub const TOKENS_MAX: usize = 256;

/// A file with a pinned length and digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedFile {
    /// The file's name.
    pub name: Cow<'static, str>,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: Cow<'static, str>,
}

/// The published weights, in 32-bit floating point.
pub const PUBLISHED_WEIGHTS: PinnedFile = PinnedFile {
    name: Cow::Borrowed("model.safetensors"),
    bytes: 90_868_376,
    sha256: Cow::Borrowed("53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
};

/// The vocabulary, installed as published.
pub const TOKENIZER: PinnedFile = PinnedFile {
    name: Cow::Borrowed("tokenizer.json"),
    bytes: 466_247,
    sha256: Cow::Borrowed("be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
};

/// The installed weights, quantized to eight bits. Quantizing is deterministic, so their digest is pinned as well.
pub const WEIGHTS: PinnedFile = PinnedFile {
    name: Cow::Borrowed("model.int8.safetensors"),
    bytes: 22_879_840,
    sha256: Cow::Borrowed("2b5c2985c6aeabb4392d1e7e536eb79f9669797a09e5bf146857b7e189b12e75"),
};

impl PinnedFile {
    /// Pins bytes under a name.
    pub(crate) fn of(name: &str, bytes: &[u8]) -> Self {
        PinnedFile {
            name: Cow::Owned(name.to_owned()),
            bytes: bytes.len() as u64,
            sha256: Cow::Owned(format!("{:x}", Sha256::digest(bytes))),
        }
    }

    /// Checks bytes against this file's length and digest.
    ///
    /// # Errors
    /// `CORRUPT`, with the length or digest that was found; `path` is the file that the error names.
    pub fn check(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.check_len(path, bytes.len() as u64)?;
        let found = format!("{:x}", Sha256::digest(bytes));
        if found == self.sha256 {
            return Ok(());
        }
        Err(corrupt(
            path,
            format!("its SHA-256 is {found}, expected {}", self.sha256),
        ))
    }

    /// Checks a length against this file's.
    ///
    /// # Errors
    /// `CORRUPT` when it differs.
    pub fn check_len(&self, path: &Path, len: u64) -> Result<()> {
        if len == self.bytes {
            return Ok(());
        }
        Err(corrupt(path, format!("it has {len} bytes, expected {}", self.bytes)))
    }

    /// Reads the whole file and checks it. Nothing is read when the length is wrong.
    ///
    /// # Errors
    /// `IO`, `CORRUPT`.
    pub fn read(&self, disk: &dyn Disk, path: &Path) -> Result<Vec<u8>> {
        let file = disk.open_read(path).map_err(io("open", path))?;
        let len = file.state().map_err(io("inspect", path))?.len;
        self.check_len(path, len)?;
        // One byte more than expected, because the file may grow while it is read.
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0) + 1);
        DiskReader::new(file)
            .take(len + 1)
            .read_to_end(&mut bytes)
            .map_err(io("read", path))?;
        self.check(path, &bytes)?;
        Ok(bytes)
    }
}

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
    pub fn of_home(disk: Arc<dyn Disk>, home: &Path, name: &ModelName) -> Self {
        ModelFolder {
            disk,
            path: models_in(home).join(name.as_str()),
            name: Some(name.clone()),
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

    /// Reads one of the files and checks it.
    ///
    /// # Errors
    /// `IO`, `CORRUPT`.
    pub(crate) fn read(&self, file: &PinnedFile) -> Result<Vec<u8>> {
        file.read(self.disk.as_ref(), &self.file(file))
    }

    /// Returns the description of the model: the built-in one, or the one that was written when it was installed.
    ///
    /// # Errors
    /// `MODEL_MISSING`, `CORRUPT`, `IO`.
    pub fn manifest(&self) -> Result<Manifest> {
        if self.name.as_ref().is_some_and(ModelName::is_known) {
            return Ok(Manifest::known());
        }
        let path = self.path.join(MANIFEST);
        match read_bounded(self.disk.as_ref(), &path, MANIFEST_BYTES_MAX) {
            Ok(bytes) => {
                let manifest = Manifest::parse(&bytes).map_err(|reason| corrupt(&path, reason))?;
                let is_other = self.name.as_ref().is_some_and(|name| name.as_str() != manifest.name);
                if is_other || manifest.is_known() {
                    return Err(corrupt(&path, format!("it describes the model {}", manifest.name)));
                }
                Ok(manifest)
            }
            Err(error) if !is_not_found(&error) => Err(error),
            Err(_) if self.name.is_some() => Err(self.missing()),
            Err(_) => Ok(Manifest::known()),
        }
    }

    /// Checks that the files are there and have the right lengths, without reading them.
    ///
    /// # Errors
    /// `MODEL_MISSING`, `CORRUPT`, `IO`.
    pub fn check_lengths(&self) -> Result<()> {
        self.states().map(|_| ())
    }

    /// Checks the lengths, and returns the manifest with the states of the files.
    ///
    /// # Errors
    /// As [`ModelFolder::check_lengths`].
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
    ///
    /// # Errors
    /// As [`ModelFolder::check_lengths`].
    pub fn verify(&self) -> Result<Manifest> {
        let (manifest, _) = self.states()?;
        manifest.files.iter().try_for_each(|file| self.read(file).map(|_| ()))?;
        Ok(manifest)
    }

    /// Returns the result of [`ModelFolder::verify`] as a state.
    ///
    /// # Errors
    /// `IO` when a file cannot be read.
    pub fn state(&self) -> Result<ModelState> {
        match self.verify() {
            Ok(_) => Ok(ModelState::Installed),
            Err(Error::ModelMissing { .. }) => Ok(ModelState::Missing),
            Err(Error::Corrupt { .. }) => Ok(ModelState::Damaged),
            Err(e) => Err(e),
        }
    }

    fn missing(&self) -> Error {
        Error::ModelMissing {
            name: self.name.as_ref().map_or(NAME, ModelName::as_str).to_owned(),
            folder: self.path.clone(),
        }
    }
}

/// Returns the folder with all models of a user.
pub(crate) fn models_in(home: &Path) -> PathBuf {
    home.join("models")
}

/// Reads a whole file of at most `most` bytes; a longer one is refused before it is read.
///
/// # Errors
/// `IO`, `CORRUPT` when it is longer.
pub(crate) fn read_bounded(disk: &dyn Disk, path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = disk.open_read(path).map_err(io("open", path))?;
    let len = file.state().map_err(io("inspect", path))?.len;
    if len > most {
        return Err(corrupt(path, format!("it has {len} bytes, at most {most} are read")));
    }
    let mut bytes = Vec::new();
    DiskReader::new(file)
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(io("read", path))?;
    if bytes.len() as u64 > most {
        return Err(corrupt(path, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Returns whether an error means that a file does not exist.
pub(crate) fn is_not_found(error: &Error) -> bool {
    use forge_memory_core::error::FileError;
    use std::io::ErrorKind;
    let Error::File(FileError::Io { source, .. }) = error else {
        return false;
    };
    matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Makes the error for a file that differs from the pinned one.
pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        reason: reason.into(),
    }
}

/// Makes the error for a failed operation of the file system.
pub(crate) fn io<'a>(operation: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> Error + 'a {
    Error::io(operation, path)
}
