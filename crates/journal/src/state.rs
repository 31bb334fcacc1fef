//! The state of a file: identity, length, time of change.

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};

/// Which file a path leads to; a replaced file has another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct FileId {
    /// Device or volume.
    pub volume: u64,
    /// Inode or file index.
    pub index: u64,
}

/// The state of a file, as `stat` reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileState {
    /// Which file it is.
    pub id: FileId,
    /// Its length in bytes.
    pub len: u64,
    /// When it was last changed, in nanoseconds since the epoch; 0 when that was not asked for. With multigrain timestamps
    /// (Linux 6.13) a query of the time makes the next write about twice as expensive.
    pub modified_ns: i64,
    /// How many names it has; 0 when it was deleted or replaced.
    pub links: u64,
}

/// How much of the state of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatDetail {
    /// All fields.
    Full,
    /// The time of change may be 0.
    WithoutTimes,
}

#[cfg(unix)]
fn state_from(meta: &std::fs::Metadata) -> FileState {
    use std::os::unix::fs::MetadataExt;
    FileState {
        id: FileId {
            volume: meta.dev(),
            index: meta.ino(),
        },
        len: meta.len(),
        modified_ns: meta
            .mtime()
            .saturating_mul(1_000_000_000)
            .saturating_add(meta.mtime_nsec()),
        links: meta.nlink(),
    }
}

/// Returns the state of a regular file from its metadata.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)]
pub(super) fn file_state(_path: &Path, found: &std::fs::Metadata) -> io::Result<FileState> {
    Ok(state_from(found))
}

/// Returns the state of a regular file from its metadata.
#[cfg(windows)]
pub(super) fn file_state(path: &Path, found: &std::fs::Metadata) -> io::Result<FileState> {
    // Since the epoch of all other clocks, so that it can be compared with one.
    let since_epoch = found
        .modified()?
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Ok(FileState {
        modified_ns: i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX),
        ..state_at(path)?
    })
}

#[cfg(unix)]
pub(super) fn state_of(file: &File) -> io::Result<FileState> {
    Ok(state_from(&file.metadata()?))
}

#[cfg(unix)]
pub(super) fn state_at(path: &Path) -> io::Result<FileState> {
    Ok(state_from(&std::fs::metadata(path)?))
}

/// Calls `statx` without asking for times.
#[cfg(target_os = "linux")]
fn statx_untimed(folder: impl AsFd, path: &Path, flags: AtFlags) -> io::Result<FileState> {
    let found = statx(
        folder,
        path,
        flags,
        StatxFlags::INO | StatxFlags::SIZE | StatxFlags::NLINK,
    )?;
    Ok(FileState {
        id: FileId {
            volume: makedev(found.stx_dev_major, found.stx_dev_minor),
            index: found.stx_ino,
        },
        len: found.stx_size,
        modified_ns: 0,
        links: u64::from(found.stx_nlink),
    })
}

#[cfg(target_os = "linux")]
pub(super) fn file_state_untimed(file: &File) -> io::Result<FileState> {
    // Some sandboxes forbid that call.
    statx_untimed(file, Path::new(""), AtFlags::EMPTY_PATH).or_else(|_| state_of(file))
}

#[cfg(target_os = "linux")]
pub(super) fn path_state_untimed(path: &Path) -> io::Result<FileState> {
    statx_untimed(CWD, path, AtFlags::empty()).or_else(|_| state_at(path))
}

#[cfg(not(target_os = "linux"))]
pub(super) use {state_at as path_state_untimed, state_of as file_state_untimed};

#[cfg(windows)]
pub(super) fn state_of(file: &File) -> io::Result<FileState> {
    let info = winapi_util::file::information(file)?;
    // Windows counts 100 ns ticks.
    let ticks = info.last_write_time().unwrap_or(0);
    Ok(FileState {
        id: FileId {
            volume: info.volume_serial_number(),
            index: info.file_index(),
        },
        len: info.file_size(),
        modified_ns: i64::try_from(ticks).unwrap_or(i64::MAX).saturating_mul(100),
        links: info.number_of_links(),
    })
}

#[cfg(windows)]
pub(super) fn state_at(path: &Path) -> io::Result<FileState> {
    state_of(&File::open(path)?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_glance_sees_the_file_that_a_look_sees() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "four").unwrap();
        let file = File::open(&path).unwrap();
        let looked = state_at(&path).unwrap();
        assert!(looked.modified_ns > 0);
        assert_eq!((looked.len, looked.links), (4, 1));
        for glanced in [path_state_untimed(&path).unwrap(), file_state_untimed(&file).unwrap()] {
            assert_eq!((glanced.id, glanced.len, glanced.links), (looked.id, 4, 1));
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(path_state_untimed(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        // Windows keeps the name of an open file for a while.
        if cfg!(unix) {
            assert_eq!(file_state_untimed(&file).unwrap().links, 0);
        }
    }
}
