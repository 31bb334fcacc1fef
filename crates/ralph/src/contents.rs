//! The contents of a store's file, in memory.

use std::io;
use std::panic::resume_unwind;
use std::str::Utf8Error;
use std::thread;

use memmap2::MmapMut;

use forge_memory_journal::DiskFile;

/// The size from which two threads read the file, into an anonymous mapping.
const LARGE_BYTES: usize = 1024 * 1024;

/// The bytes of a file.
#[derive(Debug)]
pub(super) struct Contents {
    buffer: Buffer,
    len: usize,
}

#[derive(Debug)]
enum Buffer {
    Small(Vec<u8>),
    Large(MmapMut),
}

impl Contents {
    /// Reads at most `len` bytes of a file; fewer when it has become shorter.
    pub fn read(file: &dyn DiskFile, len: usize) -> io::Result<Self> {
        let mut buffer = Buffer::new(len);
        let len = fill(file, buffer.bytes_mut())?;
        Ok(Contents { buffer, len })
    }

    /// Returns the bytes as text.
    pub fn text(&self) -> Result<&str, Utf8Error> {
        let bytes: &[u8] = match &self.buffer {
            Buffer::Small(bytes) => bytes,
            Buffer::Large(bytes) => bytes,
        };
        std::str::from_utf8(bytes.get(..self.len).unwrap_or(bytes))
    }
}

impl Buffer {
    fn new(len: usize) -> Self {
        if len >= LARGE_BYTES
            && let Ok(bytes) = MmapMut::map_anon(len)
        {
            // Huge pages where available: page faults of small pages cost more than the copy.
            #[cfg(target_os = "linux")]
            let _ = bytes.advise(memmap2::Advice::HugePage);
            return Buffer::Large(bytes);
        }
        Buffer::Small(vec![0; len])
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Buffer::Small(bytes) => bytes,
            Buffer::Large(bytes) => bytes,
        }
    }
}

/// Reads from the beginning of a file; returns the number of bytes read.
fn fill(file: &dyn DiskFile, bytes: &mut [u8]) -> io::Result<usize> {
    if bytes.len() < LARGE_BYTES {
        return file.read_at(0, bytes);
    }
    let middle = bytes.len() / 2;
    let (first, second) = bytes.split_at_mut(middle);
    thread::scope(|scope| {
        let other = scope.spawn(|| file.read_at(middle as u64, second));
        let first = file.read_at(0, first)?;
        // Propagate a panic of the other thread.
        let second = other.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok(if first < middle { first } else { first + second })
    })
}
