//! Files that an agent compressed with zstd, decompressed as a stream with a limit on the output.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use forge_memory_journal::{DiskFile, DiskReader, FileState};
use ruzstd::decoding::StreamingDecoder;

/// The largest output of one file, and how it depends on the length of the file: a small one can be a decompression bomb. Sessions shrink to
/// a tenth, hardly ever to a fiftieth.
const UNPACKED_MAX: u64 = 4 << 30;
const UNPACKED_MIN: u64 = 16 << 20;
const RATIO_MAX: u64 = 64;

/// Returns true if a file is compressed, judging by its name.
pub(crate) fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "zst")
}

/// Decompresses a file while it is read. It can be read once and in order only.
pub(crate) fn unpack(file: Box<dyn DiskFile>) -> io::Result<Box<dyn DiskFile>> {
    let state = file.state()?;
    let decoder = StreamingDecoder::new(DiskReader::new(file)).map_err(io::Error::other)?;
    Ok(Box::new(Unpacked {
        state,
        max: UNPACKED_MIN
            .saturating_add(state.len.saturating_mul(RATIO_MAX))
            .min(UNPACKED_MAX),
        stream: Mutex::new((0, Box::new(decoder))),
    }))
}

/// Decompresses a value of a database; `None` when it is damaged or its output is larger than `max` bytes.
pub(crate) fn unpack_bytes(bytes: &[u8], max: u64) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let decoder = StreamingDecoder::new(bytes).ok()?;
    let got = decoder.take(max + 1).read_to_end(&mut unpacked).ok()?;
    (got as u64 <= max).then_some(unpacked)
}

struct Unpacked {
    state: FileState,
    max: u64,
    stream: Mutex<(u64, Box<dyn Read + Send>)>,
}

impl fmt::Debug for Unpacked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacked")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl DiskFile for Unpacked {
    fn append(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut held = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, stream) = &mut *held;
        if offset != *at {
            return Err(io::Error::other("a compressed file is read in order"));
        }
        let mut got = 0;
        while let Some(rest) = buffer.get_mut(got..).filter(|rest| !rest.is_empty()) {
            match stream.read(rest)? {
                0 => break,
                more => got += more,
            }
        }
        *at += got as u64;
        if *at > self.max {
            return Err(io::Error::other("holds more than is unpacked of one file"));
        }
        Ok(got)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn state(&self) -> io::Result<FileState> {
        Ok(self.state)
    }
}
