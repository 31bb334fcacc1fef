//! The index of a repository: git's own list of the files of a checkout, read without starting git.

use std::io::{self, BufReader};
use std::path::Path;

use forge_memory_journal::{Disk, DiskReader};

/// The index and the names of files are far below that; a longer path is not one of a memory.
const PATH_BYTES_MAX: usize = 4096;
/// How the hashes of an empty file begin, by SHA-1 and by SHA-256.
const EMPTY: [[u8; 8]; 2] = [
    [0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43],
    [0x47, 0x3a, 0x0f, 0x4c, 0x3b, 0xe8, 0xa9, 0x36],
];

/// What the index says of a file of the work tree: how it was when git last looked at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    /// Its size; 0 as well when the index does not say it, because the file was changed while the index was written.
    pub size: u64,
    /// When it was changed, in nanoseconds since the epoch; 0 when git has not looked at it.
    pub modified_ns: i64,
    /// True if git has an empty file in its place.
    pub is_empty: bool,
}

/// True if the index of a repository knows a file of a folder as it is: what git wrote about the files of a checkout shows whose it is. A few files
/// are enough, as all are there after a clone.
pub(super) fn has_file_of_index(disk: &dyn Disk, own: &Path, top: &Path, hash_bytes: usize) -> bool {
    const FILES_MAX: u32 = 256;
    let Ok(file) = disk.open_read(&own.join("index")) else {
        return false;
    };
    let mut index = IndexReader::new(BufReader::new(DiskReader::new(file)), hash_bytes);
    let Ok((version, count)) = index.head() else {
        return false;
    };
    for _ in 0..count.min(FILES_MAX) {
        let Ok(stamp) = index.next_path(version) else {
            return false;
        };
        let path = top.join(String::from_utf8_lossy(&index.path).as_ref());
        // Through a link, the file could be that of the true checkout.
        if disk.real_path(&path).is_ok_and(|real| real == path) && is_as_noted(disk, &path, stamp) {
            return true;
        }
    }
    false
}

fn is_as_noted(disk: &dyn Disk, path: &Path, stamp: Stamp) -> bool {
    const SECOND_NS: i64 = 1_000_000_000;
    let Ok(Some(state)) = disk.lstat(path) else {
        return false;
    };
    // Some programs note whole seconds.
    let is_whole = stamp.modified_ns % SECOND_NS == 0 && state.modified_ns / SECOND_NS == stamp.modified_ns / SECOND_NS;
    stamp.size > 0 && state.len == stamp.size && (is_whole || state.modified_ns == stamp.modified_ns)
}

/// Journals of the memory are in its folder and in `memory/`; the code graph, for example, has files of its own.
fn is_journal(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"memory/").unwrap_or(name);
    name.ends_with(b".jsonl") && !name.contains(&b'/')
}

/// Reads the paths of an index (`gitformat-index`, versions 2 to 4).
pub(crate) struct IndexReader<R> {
    source: R,
    hash_bytes: usize,
    path: Vec<u8>,
}

impl<R: io::Read> IndexReader<R> {
    pub(crate) fn new(source: R, hash_bytes: usize) -> Self {
        IndexReader {
            source,
            hash_bytes,
            path: Vec::new(),
        }
    }

    pub(crate) fn each_journal_below(
        &mut self,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], Stamp) -> bool,
    ) -> io::Result<()> {
        let (version, count) = self.head()?;
        for _ in 0..count {
            let stamp = self.next_path(version)?;
            match self.path.strip_prefix(prefix) {
                Some(name) if is_journal(name) && !visit(name, stamp) => break,
                None if self.path.as_slice() > prefix => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the version, and how many paths follow.
    fn head(&mut self) -> io::Result<(u32, u32)> {
        let mut signature = [0; 4];
        self.source.read_exact(&mut signature)?;
        let (version, count) = (self.number()?, self.number()?);
        if &signature != b"DIRC" || !(2..=4).contains(&version) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok((version, count))
    }

    fn next_path(&mut self, version: u32) -> io::Result<Stamp> {
        // Ten numbers of four bytes about the file, its hash, the flags.
        let mut read = 40 + self.hash_bytes;
        let stamp = self.stamp()?;
        let flags = self.short()?;
        read += 2;
        if flags & 0x4000 != 0 {
            self.short()?;
            read += 2;
        }
        if version == 4 {
            let removed = self.varint()?;
            let kept = self.path.len().checked_sub(removed).ok_or(io::ErrorKind::InvalidData)?;
            self.path.truncate(kept);
            self.text()?;
            return Ok(stamp);
        }
        self.path.clear();
        read += self.text()? + 1;
        // Entries are padded with NUL bytes to a multiple of eight bytes; the first of them ends the path.
        let padding = (8 - read % 8) % 8;
        self.skip(padding)?;
        Ok(stamp)
    }

    fn stamp(&mut self) -> io::Result<Stamp> {
        self.skip(8)?;
        let (seconds, nanoseconds) = (self.number()?, self.number()?);
        self.skip(20)?;
        let size = self.number()?.into();
        let mut hash = [0; 32];
        for byte in hash.iter_mut().take(self.hash_bytes) {
            *byte = self.byte()?;
        }
        Ok(Stamp {
            size,
            modified_ns: i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds),
            is_empty: EMPTY.iter().any(|empty| hash.starts_with(empty)),
        })
    }

    fn skip(&mut self, bytes: usize) -> io::Result<()> {
        for _ in 0..bytes {
            self.byte()?;
        }
        Ok(())
    }

    /// Reads a text up to its NUL byte to the end of the path, and returns its length.
    fn text(&mut self) -> io::Result<usize> {
        let before = self.path.len();
        loop {
            match self.byte()? {
                0 => return Ok(self.path.len() - before),
                _ if self.path.len() >= PATH_BYTES_MAX => return Err(io::ErrorKind::InvalidData.into()),
                byte => self.path.push(byte),
            }
        }
    }

    /// Reads a number as `gitformat-pack` writes offsets.
    fn varint(&mut self) -> io::Result<usize> {
        let mut byte = self.byte()?;
        let mut number = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            let shifted = number.checked_add(1).and_then(|number| number.checked_mul(128));
            number = shifted.ok_or(io::ErrorKind::InvalidData)? + usize::from(byte & 0x7f);
        }
        Ok(number)
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.source.read_exact(&mut byte)?;
        let [byte] = byte;
        Ok(byte)
    }

    fn short(&mut self) -> io::Result<u16> {
        let mut bytes = [0; 2];
        self.source.read_exact(&mut bytes)?;
        Ok(u16::from_be_bytes(bytes))
    }

    fn number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.source.read_exact(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }
}
