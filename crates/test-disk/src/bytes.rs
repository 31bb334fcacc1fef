//! A file that is only read, in memory.

use std::io;

use forge_memory_journal::{DiskFile, FileState};

/// Bytes that are read as a file.
#[derive(Debug)]
pub struct BytesFile<'a>(pub &'a [u8]);

impl DiskFile for BytesFile<'_> {
    fn append(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn state(&self) -> io::Result<FileState> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
