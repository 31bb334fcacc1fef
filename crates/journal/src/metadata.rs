//! The kind and permissions of the file or folder at a path.

use std::fs;
use std::path::Path;

/// The kind of entry at a path.
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

/// The kind, length and permissions of the file or folder at a path.
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

/// Returns the id of the user that this process runs as, who owns the files that it makes; `None` on systems without such ids.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)]
pub fn user_id() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

/// Returns the id of the user that this process runs as, who owns the files that it makes; `None` on systems without such ids.
#[cfg(not(unix))]
pub fn user_id() -> Option<u32> {
    None
}

/// True if the modes on the file system of a path say who may write. Those of other systems show the same mode for every file: drives of
/// Windows under WSL, folders that a virtual machine shares, FAT.
#[cfg(target_os = "linux")]
pub fn has_modes(path: &Path) -> bool {
    /// 9P, FUSE, VirtualBox, FAT, exFAT, NTFS, CIFS, SMB (`statfs(2)`).
    const OTHERS: [u64; 8] = [
        0x0102_1997,
        0x6573_5546,
        0x786f_4256,
        0x4d44,
        0x2011_bab0,
        0x7366_746e,
        0xff53_4d42,
        0xfe53_4d42,
    ];
    rustix::fs::statfs(path).is_ok_and(|found| !OTHERS.contains(&(found.f_type as u64 & 0xffff_ffff)))
}

/// True if the modes on the file system of a path say who may write.
#[cfg(not(target_os = "linux"))]
pub fn has_modes(_path: &Path) -> bool {
    cfg!(unix)
}
