//! The one error type that leaves this crate.

use forge_memory_redact::redact;
use schemars::JsonSchema;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

pub use forge_memory_journal::Error as FileError;
use forge_memory_journal::INVALID_INPUT_HINT;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// A part of the program that is large, that many never need, and that is therefore installed apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addon {
    /// The name of its package.
    pub package: &'static str,
    /// How it is installed.
    pub hint: &'static str,
}

/// Why a folder is never a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAProject {
    /// The root of the file system, or of a drive.
    Root,
    /// The home folder of the user.
    HomeFolder,
    /// The folder in which programs make temporary files.
    TemporaryRoot,
    /// The user's own folder of this program.
    OwnFolder,
    /// A hidden folder of the home folder, which is neither a git work tree nor has a memory.
    ProgramFolder,
}

impl NotAProject {
    fn is(self) -> &'static str {
        match self {
            NotAProject::Root => "the root of the file system",
            NotAProject::HomeFolder => "a home folder",
            NotAProject::TemporaryRoot => "where programs put temporary files",
            NotAProject::OwnFolder => "in your own folder of forge-memory",
            NotAProject::ProgramFolder => "in a hidden folder of your home folder, where programs keep their settings",
        }
    }
}

/// The only error that leaves this crate; branch on [`Error::code`], the text may change.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is wrong; nothing was written.
    #[error("{field}: {reason}")]
    InvalidInput {
        /// The argument, as the caller knows it.
        field: String,
        /// The problem with it.
        reason: String,
    },
    /// No stored thing of this kind has the id.
    #[error("no {kind} has the id {id}")]
    NotFound {
        /// The kind of thing that was looked for.
        kind: &'static str,
        /// The id it was looked for by.
        id: String,
    },
    /// The change waits for a person, because others than a person asked for it; nothing else was changed.
    #[error("{}: {what}", if *is_rejected { "a person has rejected this" } else { "proposed, and waits for a person" })]
    Proposed {
        /// The requested change.
        what: String,
        /// Whether a person has rejected it before.
        is_rejected: bool,
    },
    /// A file or its lock was refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file has contents that do not belong there; it was left as it is.
    #[error("{} is damaged: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        reason: String,
    },
    /// The folder is never a project, so there is no memory in it.
    #[error("{} is not a project: it is {}", folder.display(), reason.is())]
    NoProject {
        /// The folder from which a project was looked for.
        folder: PathBuf,
        /// Why it is none.
        reason: NotAProject,
    },
    /// The memory that would be used is not the user's alone.
    #[error("{} {reason}, so the memory of {} is not used", path.display(), project.display())]
    ForeignFolder {
        /// The project's folder.
        project: PathBuf,
        /// The folder whose `.forge` has its memory.
        memory_dir: PathBuf,
        /// The file or folder that is not the user's alone.
        path: PathBuf,
        /// Whose it is.
        reason: &'static str,
    },
    /// The thing exists, but this version or this kind of record cannot do that.
    #[error("{what} is not supported: {reason}")]
    Unsupported {
        /// The request.
        what: String,
        /// Why it cannot be done.
        reason: String,
    },
    /// A part of the program that is installed apart is not there.
    #[error("the package {} is not installed", _0.package)]
    AddonMissing(Addon),
    /// A part of the program that is installed apart is of another version, or cannot be loaded.
    #[error("the package {} cannot be used: {reason}", addon.package)]
    AddonUnusable {
        /// Which one.
        addon: Addon,
        /// Why not.
        reason: String,
    },
    /// An error of a feature that is built on this crate.
    #[error("{message}")]
    Feature {
        /// The stable code.
        code: &'static str,
        /// The problem, in words.
        message: String,
        /// The remedy.
        hint: &'static str,
    },
    /// The object that the caller works with was closed.
    #[error("the {what} is closed")]
    Closed {
        /// The closed object.
        what: &'static str,
    },
    /// An error whose maker knows a better remedy than that of its kind.
    #[error("{error}")]
    Advised {
        /// The error.
        error: Box<Error>,
        /// The remedy.
        hint: &'static str,
    },
    /// Something failed that cannot fail: a defect of this program.
    #[error("cannot {operation}: {reason}")]
    Internal {
        /// The operation, as a verb.
        operation: &'static str,
        /// The reported error.
        reason: String,
    },
}

/// The failure of one part of an operation whose other parts succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// A stable code to branch on.
    pub code: String,
    /// The problem, in words.
    pub message: String,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Problem {
    /// Returns the message of an error, without secrets: it may quote an argument that is one.
    pub fn of(error: &Error) -> Self {
        Problem {
            code: error.code().to_owned(),
            message: redact(&error.to_string()).text.into_owned(),
            hint: Some(error.hint().to_owned()),
        }
    }
}

impl Error {
    /// Returns the stable code that callers branch on.
    pub fn code(&self) -> &'static str {
        match self {
            Error::InvalidInput { .. } => "INVALID_INPUT",
            Error::NotFound { .. } => "NOT_FOUND",
            Error::Proposed { .. } => "PROPOSED",
            Error::File(error) => error.code(),
            Error::Corrupt { .. } => "CORRUPT",
            Error::NoProject { .. } => "NO_PROJECT",
            Error::ForeignFolder { .. } => "FOREIGN_FOLDER",
            Error::Feature { code, .. } => code,
            Error::Unsupported { .. } | Error::Closed { .. } => "UNSUPPORTED",
            Error::AddonMissing(_) => "ADDON_MISSING",
            Error::AddonUnusable { .. } => "ADDON_UNUSABLE",
            Error::Advised { error, .. } => error.code(),
            Error::Internal { .. } => "INTERNAL",
        }
    }

    /// Returns a hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Error::InvalidInput { .. } => INVALID_INPUT_HINT,
            Error::NotFound { kind: "memory", .. } => {
                "forge-memory list shows the stored records with their ids; the last six characters of an id are enough"
            }
            Error::NotFound { .. } => "check the id",
            Error::Proposed { .. } => "a person decides with forge-memory review; asking again changes nothing",
            Error::Advised { hint, .. } | Error::Feature { hint, .. } => hint,
            Error::AddonMissing(addon) | Error::AddonUnusable { addon, .. } => addon.hint,
            Error::File(error) => error.hint(),
            Error::Corrupt { .. } => "forge-memory doctor shows the file and the line; nothing was changed",
            Error::NoProject { .. } => {
                "go to the folder of a project, or name it: --project DIR, projectDir in the library; git init makes a folder below it one"
            }
            Error::ForeignFolder { .. } => {
                "if you trust its owner, forge-memory trust --folder approves it on this machine; --project DIR names another project"
            }
            Error::Unsupported { .. } => "a newer version may support it: npm install forge-memory@latest",
            Error::Closed { .. } => "open it again",
            Error::Internal { .. } => {
                "this is a bug in forge-memory; please report it together with the call or command that caused it"
            }
        }
    }

    /// Returns the same error again, for several that one failure concerns.
    pub fn try_clone(&self) -> Option<Self> {
        match self {
            Error::File(FileError::Locked { path, waited_ms }) => Some(Error::File(FileError::Locked {
                path: path.clone(),
                waited_ms: *waited_ms,
            })),
            _ => None,
        }
    }

    /// Returns an `INVALID_INPUT` error about `field`.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Error::InvalidInput {
            field: field.into(),
            reason: reason.into(),
        }
    }

    /// Returns the `NOT_FOUND` error about a record.
    pub fn no_memory(id: &str) -> Self {
        Error::NotFound {
            kind: "memory",
            id: id.chars().take(128).collect(),
        }
    }

    /// Returns the error with a hint that fits better than that of its kind.
    pub fn advised(self, hint: &'static str) -> Self {
        let error = Box::new(self);
        Error::Advised { error, hint }
    }

    /// Returns the innermost error, without the hints added around it.
    pub fn unadvised(&self) -> &Error {
        match self {
            Error::Advised { error, .. } => error.unadvised(),
            error => error,
        }
    }

    /// Returns a function that turns a reported error into an `INTERNAL` error.
    pub fn internal<E: std::fmt::Display>(operation: &'static str) -> impl FnOnce(E) -> Self {
        move |reported| Error::Internal {
            operation,
            reason: reported.to_string(),
        }
    }

    /// Returns a function that turns an [`io::Error`] into an `IO` error about `path`, or into `UNSAFE_PATH` where that is the cause.
    pub fn io<'a>(operation: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Error::File(FileError::io(operation, path)(source))
    }
}
