//! What a look at a path tells of whatever stands there.

use std::fs;
use std::path::Path;

use super::disk::Disk;

/// What kind of thing stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket or a device.
    Other,
}

/// Who may do what with a file, as POSIX has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The permission bits.
    pub mode: u32,
    /// The number of the user that owns it.
    pub owner: u32,
    /// The number of its group.
    pub group: u32,
}

/// What a look at a path tells of whatever stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Its length in bytes.
    pub len: u64,
    /// Its permissions; `None` on systems without such.
    pub access: Option<Access>,
}

impl From<&fs::Metadata> for Metadata {
    fn from(found: &fs::Metadata) -> Self {
        let kind = match found.file_type() {
            kind if kind.is_symlink() => FileKind::Link,
            kind if kind.is_dir() => FileKind::Folder,
            kind if kind.is_file() => FileKind::File,
            _ => FileKind::Other,
        };
        Metadata {
            kind,
            len: found.len(),
            access: access_of(found),
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)]
fn access_of(found: &fs::Metadata) -> Option<Access> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    Some(Access {
        mode: found.permissions().mode(),
        owner: found.uid(),
        group: found.gid(),
    })
}

#[cfg(not(unix))]
fn access_of(_found: &fs::Metadata) -> Option<Access> {
    None
}

impl dyn Disk + '_ {
    /// Tells whether anything stands at a path; links are followed. What cannot be looked at is not there.
    pub fn has(&self, path: &Path) -> bool {
        self.metadata(path).is_ok()
    }

    /// Tells likewise whether a regular file stands there.
    pub fn has_file(&self, path: &Path) -> bool {
        self.metadata(path).is_ok_and(|found| found.kind == FileKind::File)
    }

    /// Tells likewise whether a folder stands there.
    pub fn has_folder(&self, path: &Path) -> bool {
        self.metadata(path).is_ok_and(|found| found.kind == FileKind::Folder)
    }
}
