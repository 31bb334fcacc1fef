//! Files with pinned lengths and digests, those of the model that is built in among them, and reading such files.

use std::borrow::Cow;
use std::io::{ErrorKind, Read, Take};
use std::path::Path;

use forge_memory_core::journal::{Disk, DiskReader};
use forge_memory_core::text::calibration::MEASURED_MODEL;
use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The key of its vectors: vectors of different models cannot be compared.
pub const MODEL: &str = MEASURED_MODEL;
/// The dimension of the vectors of both models.
pub const DIMENSIONS: usize = 384;

/// How much of a file is read at once where nobody needs its bytes.
const PIECE_BYTES: usize = 64 * 1024;

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
        self.check_digest(path, Sha256::new_with_prefix(bytes))
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
    pub fn read(&self, disk: &dyn Disk, path: &Path) -> Result<Vec<u8>> {
        let mut stream = self.stream(disk, path)?;
        let mut bytes = Vec::with_capacity(usize::try_from(self.bytes).unwrap_or(0) + 1);
        // The stream keeps the error.
        let _ = stream.read_to_end(&mut bytes);
        stream.finish()?;
        Ok(bytes)
    }

    /// Opens the file as a stream that is checked while it is read. Nothing is read when the length is wrong.
    pub(crate) fn stream<'f>(&'f self, disk: &dyn Disk, path: &'f Path) -> Result<CheckedStream<'f>> {
        let file = disk.open_read(path).map_err(io("open", path))?;
        self.check_len(path, file.state().map_err(io("inspect", path))?.len)?;
        Ok(CheckedStream {
            pinned: self,
            path,
            // One byte more than expected, because the file may grow while it is read.
            reader: DiskReader::new(file).take(self.bytes + 1),
            digest: Sha256::new(),
            count: 0,
            failure: None,
        })
    }

    pub(crate) fn check_digest(&self, path: &Path, digest: Sha256) -> Result<()> {
        let found = format!("{:x}", digest.finalize());
        if found == self.sha256 {
            return Ok(());
        }
        Err(corrupt(
            path,
            format!("its SHA-256 is {found}, expected {}", self.sha256),
        ))
    }
}

/// A file that is checked while it is read: what was made of its bytes may be used once [`CheckedStream::finish`] agrees.
pub(crate) struct CheckedStream<'f> {
    pinned: &'f PinnedFile,
    path: &'f Path,
    reader: Take<DiskReader>,
    digest: Sha256,
    count: u64,
    failure: Option<ErrorKind>,
}

impl CheckedStream<'_> {
    /// Reads what is left, and checks the length and the digest of all that was read.
    pub fn finish(mut self) -> Result<()> {
        let mut piece = vec![0; PIECE_BYTES];
        while self.failure.is_none() && matches!(self.read(&mut piece), Ok(1..)) {}
        if let Some(kind) = self.failure {
            return Err(io("read", self.path)(kind.into()));
        }
        self.pinned.check_len(self.path, self.count)?;
        self.pinned.check_digest(self.path, self.digest)
    }
}

impl Read for CheckedStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer).inspect_err(|e| match e.kind() {
            // The caller tries again.
            ErrorKind::Interrupted => (),
            kind => self.failure = Some(kind),
        })?;
        self.digest.update(buffer.get(..count).unwrap_or_default());
        self.count += count as u64;
        Ok(count)
    }
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

/// Returns true if an error means that a file does not exist.
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
