//! The errors of this crate: the file system's, and invalid arguments.

use std::io;
use std::path::{Path, PathBuf};

use crate::UnsafePath;

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The hint of an invalid argument.
pub const INVALID_INPUT_HINT: &str = "correct the value that the message names and try again; nothing was written";

/// The only error that leaves this crate; branch on [`Error::code`], the text may change.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is invalid; nothing was written.
    #[error("{field}: {reason}")]
    InvalidInput {
        /// The name of the argument for the caller.
        field: String,
        /// The problem with it.
        reason: String,
    },
    /// An operation of the file system failed.
    #[error("cannot {operation} {}: {source}", path.display())]
    Io {
        /// The operation, as a verb.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's own reason.
        source: io::Error,
    },
    /// A path was not opened: it is a link that leads elsewhere, or not a regular file.
    #[error("cannot {operation} {}: {reason}", path.display())]
    UnsafePath {
        /// The operation, as a verb.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The problem with it.
        reason: String,
    },
    /// Another process held a lock for longer than a writer waits.
    #[error("{} has been locked by another process for more than {waited_ms} ms", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long this writer waited.
        waited_ms: u64,
    },
}

/// Returns a hint for a failed operation of the file system.
fn hint_of(kind: io::ErrorKind) -> &'static str {
    use io::ErrorKind;
    match kind {
        ErrorKind::NotFound | ErrorKind::NotADirectory => "check the path: no file or folder of that name exists",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "check who may read and write that path",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space on that disk, and try again",
        _ => "check that the file and its folder can be read and written, and that the disk is in order",
    }
}

impl Error {
    /// Returns the stable code that callers branch on.
    pub fn code(&self) -> &'static str {
        match self {
            Error::InvalidInput { .. } => "INVALID_INPUT",
            Error::Io { .. } => "IO",
            Error::UnsafePath { .. } => "UNSAFE_PATH",
            Error::Locked { .. } => "LOCKED",
        }
    }

    /// Returns a hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Error::InvalidInput { .. } => INVALID_INPUT_HINT,
            Error::Io { source, .. } => hint_of(source.kind()),
            Error::UnsafePath { .. } => {
                "check what is at that path: remove it, or replace it with a regular file; nothing was read or written"
            }
            Error::Locked { .. } => {
                "another process is writing; try again, and run forge-memory doctor if this persists"
            }
        }
    }

    /// Returns an `INVALID_INPUT` error about an argument.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Error::InvalidInput {
            field: field.into(),
            reason: reason.into(),
        }
    }

    /// Returns a function that wraps an [`io::Error`] in an `IO` error about `path`, or in `UNSAFE_PATH` when that is
    /// its cause.
    pub fn io<'a>(operation: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| {
            let path = path.to_path_buf();
            match source.get_ref().and_then(|inner| inner.downcast_ref::<UnsafePath>()) {
                Some(UnsafePath { reason }) => Error::UnsafePath {
                    operation,
                    path,
                    reason: reason.clone(),
                },
                None => Error::Io {
                    operation,
                    path,
                    source,
                },
            }
        }
    }
}
