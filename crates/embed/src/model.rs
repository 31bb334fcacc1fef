//! The model's files: names, places and pinned digests.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::journal::{Disk, DiskReader};
use forge_memory_core::{Error, Result};
use sha2::{Digest, Sha256};

/// The model's name, as its makers gave it.
pub const NAME: &str = "all-MiniLM-L6-v2";
/// The dimensions of a vector.
pub const DIMENSIONS: usize = 384;
/// How many tokens of a text count, including `[CLS]` and `[SEP]`; the rest is truncated.
pub const TOKENS_MAX: usize = 256;

/// A file with a pinned length and digest.
#[derive(Debug)]
pub struct PinnedFile {
    /// The file's name.
    pub name: &'static str,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: &'static str,
}

/// The published weights, in 32 bits.
pub const PUBLISHED_WEIGHTS: PinnedFile = PinnedFile {
    name: "model.safetensors",
    bytes: 90_868_376,
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
};

/// The vocabulary, installed as published.
pub const TOKENIZER: PinnedFile = PinnedFile {
    name: "tokenizer.json",
    bytes: 466_247,
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
};

/// The installed weights, quantized to eight bits. Quantizing is deterministic, so their digest is pinned as well.
pub const WEIGHTS: PinnedFile = PinnedFile {
    name: "model.int8.safetensors",
    bytes: 22_879_840,
    sha256: "2b5c2985c6aeabb4392d1e7e536eb79f9669797a09e5bf146857b7e189b12e75",
};

/// The installed files: both or none.
pub const INSTALLED: [&PinnedFile; 2] = [&TOKENIZER, &WEIGHTS];

impl PinnedFile {
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
    /// Returns the name as answers have it.
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
}

impl ModelFolder {
    /// Returns the model's folder in a user's own folder.
    pub fn of_home(disk: Arc<dyn Disk>, home: &Path) -> Self {
        ModelFolder::at(disk, home.join("models").join(NAME))
    }

    /// Takes this very folder.
    pub fn at(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        ModelFolder { disk, path }
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of one of the files.
    pub fn file(&self, file: &PinnedFile) -> PathBuf {
        self.path.join(file.name)
    }

    /// Reads one of the files and checks it.
    ///
    /// # Errors
    /// `IO`, `CORRUPT`.
    pub(crate) fn read(&self, file: &PinnedFile) -> Result<Vec<u8>> {
        file.read(self.disk.as_ref(), &self.file(file))
    }

    /// Checks that the files are there and have the right lengths, without reading them.
    ///
    /// # Errors
    /// `MODEL_MISSING`, `CORRUPT`, `IO`.
    pub fn check_lengths(&self) -> Result<()> {
        for file in INSTALLED {
            let path = self.file(file);
            match self.disk.stat(&path) {
                Ok(state) => file.check_len(&path, state.len)?,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(self.missing()),
                Err(e) => return Err(io("inspect", &path)(e)),
            }
        }
        Ok(())
    }

    /// Reads every file and checks every byte.
    ///
    /// # Errors
    /// As [`ModelFolder::check_lengths`].
    pub fn verify(&self) -> Result<()> {
        self.check_lengths()?;
        INSTALLED.iter().try_for_each(|file| self.read(file).map(|_| ()))
    }

    /// Returns what [`ModelFolder::verify`] finds as a state.
    ///
    /// # Errors
    /// `IO` when a file cannot be read.
    pub fn state(&self) -> Result<ModelState> {
        match self.verify() {
            Ok(()) => Ok(ModelState::Installed),
            Err(Error::ModelMissing { .. }) => Ok(ModelState::Missing),
            Err(Error::Corrupt { .. }) => Ok(ModelState::Damaged),
            Err(e) => Err(e),
        }
    }

    fn missing(&self) -> Error {
        Error::ModelMissing {
            name: NAME,
            folder: self.path.clone(),
        }
    }
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
