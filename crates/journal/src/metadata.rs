//! The kind and permissions of what is at a path.

use std::fs;
use std::path::Path;

use super::disk::Disk;

/// The kind of what is at a path.
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

/// POSIX permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The permission bits.
    pub mode: u32,
    /// The id of the owning user.
    pub owner: u32,
    /// The id of the owning group.
    pub group: u32,
}

/// The kind, length and permissions of what is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// The kind.
    pub kind: FileKind,
    /// Its length in bytes.
    pub len: u64,
    /// The permissions; `None` on systems without POSIX permissions.
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
    /// Tells whether anything exists at a path, following links. What cannot be inspected counts as missing.
    pub fn has(&self, path: &Path) -> bool {
        self.metadata(path).is_ok()
    }

    /// Tells whether a regular file exists at a path, following links.
    pub fn has_file(&self, path: &Path) -> bool {
        self.metadata(path).is_ok_and(|found| found.kind == FileKind::File)
    }

    /// Tells whether a folder exists at a path, following links.
    pub fn has_folder(&self, path: &Path) -> bool {
        self.metadata(path).is_ok_and(|found| found.kind == FileKind::Folder)
    }
}
