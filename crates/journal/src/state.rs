//! The state of a file: identity, length, modification time.

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};

/// The identity of a file; a file that replaces another has a different one.
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
    /// Its identity.
    pub id: FileId,
    /// Its length in bytes.
    pub len: u64,
    /// When it was last modified, in nanoseconds since the epoch; 0 when it was not requested. With multigrain
    /// timestamps (Linux 6.13) a query of this time makes the next write about twice as expensive.
    pub modified_ns: i64,
    /// The number of its hard links; 0 when it was deleted or replaced.
    pub links: u64,
}

/// How much of the state of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatDetail {
    /// All fields.
    Full,
    /// The modification time may be 0.
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
    // Converted to the epoch of all other times, so that they can be compared.
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

/// Calls `statx` without requesting times.
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
    // Some sandboxes forbid `statx`.
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
    Ok(FileState {
        id: FileId {
            volume: info.volume_serial_number(),
            index: info.file_index(),
        },
        len: info.file_size(),
        modified_ns: epoch_ns_of(info.last_write_time().unwrap_or(0)),
        links: info.number_of_links(),
    })
}

/// Converts a time of Windows, which counts 100 ns since the year 1601. Without the other epoch every time would exceed the 64 bits and be
/// cut off to the same number, so that a changed file would look unchanged.
#[cfg(any(windows, test))]
fn epoch_ns_of(ticks: u64) -> i64 {
    const FROM_1601_TO_1970: i64 = 116_444_736_000_000_000;
    let ticks = i64::try_from(ticks).unwrap_or(i64::MAX);
    ticks.saturating_sub(FROM_1601_TO_1970).saturating_mul(100)
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
    fn times_of_windows_are_times_of_the_common_epoch() {
        // 2026-11-20T10:00:00Z and the 100 ns after it.
        let ticks = 134_082_360_000_000_000_u64;
        let expected = (i64::try_from(ticks).unwrap() - 116_444_736_000_000_000) * 100;
        assert_eq!(epoch_ns_of(ticks), expected);
        assert_eq!(epoch_ns_of(ticks + 1) - epoch_ns_of(ticks), 100);
        assert_eq!(epoch_ns_of(116_444_736_000_000_000), 0);
        assert!(expected > 1_700_000_000_000_000_000 && expected < 1_900_000_000_000_000_000);
    }

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
