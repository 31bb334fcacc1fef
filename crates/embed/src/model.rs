//! What the model is: its files, where they lie, and the digests that they must have.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use forge_memory_core::journal::open_regular;
use forge_memory_core::{Error, Result};
use sha2::{Digest, Sha256};

/// The model's name, as its makers gave it.
pub const NAME: &str = "all-MiniLM-L6-v2";
/// How many numbers a vector has.
pub const DIMENSIONS: usize = 384;
/// How many tokens of a text count, the two special ones included; the rest is cut off.
pub const TOKENS_MAX: usize = 256;

/// A file whose every byte is known beforehand.
#[derive(Debug)]
pub struct PinnedFile {
    /// The file's name.
    pub name: &'static str,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: &'static str,
}

/// The weights as they are published, in 32 bits.
pub const PUBLISHED_WEIGHTS: PinnedFile = PinnedFile {
    name: "model.safetensors",
    bytes: 90_868_376,
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
};

/// The vocabulary, published and installed alike.
pub const TOKENIZER: PinnedFile = PinnedFile {
    name: "tokenizer.json",
    bytes: 466_247,
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
};

/// The weights as they are installed: rows of eight-bit numbers, each row with a scale. They follow from the published
/// ones number by number, so that their digest is known as well.
pub const WEIGHTS: PinnedFile = PinnedFile {
    name: "model.int8.safetensors",
    bytes: 22_879_840,
    sha256: "2b5c2985c6aeabb4392d1e7e536eb79f9669797a09e5bf146857b7e189b12e75",
};

/// What is installed: both or nothing.
pub const INSTALLED: [&PinnedFile; 2] = [&TOKENIZER, &WEIGHTS];

impl PinnedFile {
    /// Tells what is wrong with bytes that should be this file's.
    ///
    /// # Errors
    /// `CORRUPT`, with the length or the digest that they have; `path` is what the error names.
    pub fn check(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.check_len(path, bytes.len() as u64)?;
        let found = format!("{:x}", Sha256::digest(bytes));
        if found == self.sha256 {
            return Ok(());
        }
        Err(corrupt(path, format!("its SHA-256 is {found}, not {}", self.sha256)))
    }

    /// Tells whether a length is this file's.
    ///
    /// # Errors
    /// `CORRUPT` when it is not.
    pub fn check_len(&self, path: &Path, len: u64) -> Result<()> {
        if len == self.bytes {
            return Ok(());
        }
        Err(corrupt(path, format!("it has {len} bytes, not {}", self.bytes)))
    }

    /// Reads the whole file and checks every byte of it. Nothing is read when the length is wrong.
    ///
    /// # Errors
    /// `IO`, `CORRUPT`.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let file = open_regular(path).map_err(io("open", path))?;
        let len = file.metadata().map_err(io("look at", path))?.len();
        self.check_len(path, len)?;
        // One byte more than is due: the file may grow while it is read.
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0) + 1);
        file.take(len + 1).read_to_end(&mut bytes).map_err(io("read", path))?;
        self.check(path, &bytes)?;
        Ok(bytes)
    }
}

/// How far a folder is from a model that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelState {
    /// Every file is there.
    Installed,
    /// Some file is missing, or all are.
    Missing,
    /// Some file is not what it should be.
    Damaged,
}

impl ModelState {
    /// Returns the word for it.
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
    path: PathBuf,
}

impl ModelFolder {
    /// Returns where the model lies under a user's own folder.
    pub fn of_home(home: &Path) -> Self {
        ModelFolder::at(home.join("models").join(NAME))
    }

    /// Takes a folder as it is.
    pub fn at(path: PathBuf) -> Self {
        ModelFolder { path }
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns where one of the files lies.
    pub fn file(&self, file: &PinnedFile) -> PathBuf {
        self.path.join(file.name)
    }

    /// Looks whether the files are there and as long as they must be; this reads none of them.
    ///
    /// # Errors
    /// `MODEL_MISSING`, `CORRUPT`, `IO`.
    pub fn glance(&self) -> Result<()> {
        for file in INSTALLED {
            let path = self.file(file);
            match fs::metadata(&path) {
                Ok(facts) => file.check_len(&path, facts.len())?,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(self.missing()),
                Err(e) => return Err(io("look at", &path)(e)),
            }
        }
        Ok(())
    }

    /// Reads every file and checks every byte.
    ///
    /// # Errors
    /// As [`ModelFolder::glance`].
    pub fn verify(&self) -> Result<()> {
        self.glance()?;
        INSTALLED
            .iter()
            .try_for_each(|file| file.read(&self.file(file)).map(|_| ()))
    }

    /// Sums up what [`ModelFolder::verify`] finds.
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

/// Says that a file is not what it should be.
pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        reason: reason.into(),
    }
}

/// Says that the file system refused.
pub(crate) fn io<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> Error + 'a {
    Error::io(doing, path)
}
