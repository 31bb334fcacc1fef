//! The files of a project, and those that git ignores.

mod gitignore;
mod listing;

pub use gitignore::Ignored;
pub use listing::{changed_since, inside, language_of, list};

/// The maximum size of a source file; larger ones are data.
pub(crate) const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;
