//! Files in memory, which are only read.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, DiskFile, DiskLock, Entry};
use super::metadata::{FileKind, Metadata};
use super::state::{FileId, FileState};

/// A file system with a few files, which are only read.
#[derive(Debug, Default)]
pub struct BytesDisk(Vec<(PathBuf, BytesFile)>);

#[derive(Debug, Clone)]
struct BytesFile {
    number: u64,
    bytes: std::sync::Arc<Vec<u8>>,
}

impl BytesDisk {
    /// Returns the file system with these files.
    pub fn new(files: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) -> Self {
        let files = files.into_iter().zip(1..).map(|((path, bytes), number)| {
            let bytes = bytes.into();
            (path, BytesFile { number, bytes })
        });
        BytesDisk(files.collect())
    }

    fn file(&self, path: &Path) -> io::Result<&BytesFile> {
        let found = self.0.iter().find(|(known, _)| known == path);
        found
            .map(|(_, file)| file)
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn refused<T>() -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

impl DiskFile for BytesFile {
    fn append(&mut self, _: &[u8]) -> io::Result<usize> {
        refused()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.bytes.get(from..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(from), Some(to)) = (rest.get(..count), buffer.get_mut(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn state(&self) -> io::Result<FileState> {
        Ok(FileState {
            id: FileId {
                volume: 0,
                index: self.number,
            },
            len: self.bytes.len() as u64,
            modified_ns: 0,
            links: 1,
        })
    }
}

impl Disk for BytesDisk {
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        self.file(path)?.state()
    }

    fn open_append(&self, _: &Path) -> io::Result<Box<dyn DiskFile>> {
        refused()
    }

    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(self.file(path)?.clone()))
    }

    fn open_lock(&self, _: &Path) -> io::Result<Box<dyn DiskLock>> {
        refused()
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        Ok(Metadata {
            kind: FileKind::File,
            len: self.stat(path)?.len,
            access: None,
        })
    }

    fn link_metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.metadata(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.file(path).map(|_| path.to_path_buf())
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }

    fn remove_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove_empty_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn list(&self, _: &Path) -> io::Result<Vec<Entry>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn copy_mode(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn make_dir(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        refused()
    }
}
