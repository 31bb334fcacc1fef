//! A file of a [`Disk`](crate::Disk) as a stream, for parsers that read from one.

use std::io::{self, Read, Seek, SeekFrom};

use super::disk::DiskFile;

/// Reads an open file from its beginning.
#[derive(Debug)]
pub struct DiskReader {
    file: Box<dyn DiskFile>,
    at: u64,
}

impl DiskReader {
    /// Returns a stream over a file.
    pub fn new(file: Box<dyn DiskFile>) -> Self {
        DiskReader { file, at: 0 }
    }
}

impl Read for DiskReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read_at(self.at, buffer)?;
        self.at += got as u64;
        Ok(got)
    }
}

impl Seek for DiskReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.state()?.len.checked_add_signed(by),
        };
        self.at = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Seek, SeekFrom};

    use super::DiskReader;
    use crate::{Disk, OsDisk};

    #[test]
    fn a_stream_reads_and_seeks_as_that_of_a_file_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ten");
        fs::write(&path, "0123456789").unwrap();
        let mut ours = DiskReader::new(OsDisk.open_read(&path).unwrap());
        let mut theirs = fs::File::open(&path).unwrap();
        let moves = [
            SeekFrom::Start(3),
            SeekFrom::Current(4),
            SeekFrom::End(-2),
            SeekFrom::Current(-5),
            SeekFrom::End(7),
            SeekFrom::Current(-9),
            SeekFrom::Current(i64::MIN),
        ];
        for to in moves {
            assert_eq!(ours.seek(to).ok(), theirs.seek(to).ok(), "{to:?}");
            let (mut one, mut other) = (Vec::new(), Vec::new());
            ours.by_ref().take(2).read_to_end(&mut one).unwrap();
            theirs.by_ref().take(2).read_to_end(&mut other).unwrap();
            assert_eq!(one, other, "{to:?}");
        }
    }
}
