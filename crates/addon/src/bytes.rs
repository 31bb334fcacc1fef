//! Bytes that cross the border: borrowed or read piece by piece in one direction, copied in the other.

use std::ffi::c_void;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Borrowed bytes, for the duration of a call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Slice<'a> {
    start: *const u8,
    len: usize,
    _bytes: PhantomData<&'a [u8]>,
}

// SAFETY: it is a shared slice of bytes.
unsafe impl Send for Slice<'_> {}
// SAFETY: see above.
unsafe impl Sync for Slice<'_> {}

impl<'a> Slice<'a> {
    /// Borrows bytes.
    pub const fn of(bytes: &'a [u8]) -> Self {
        Slice {
            start: bytes.as_ptr(),
            len: bytes.len(),
            _bytes: PhantomData,
        }
    }

    /// Returns the bytes.
    pub const fn bytes(self) -> &'a [u8] {
        // SAFETY: only `of` makes a slice, on whichever side.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }

    /// Returns the text; bytes that are not UTF-8 count as an empty text.
    pub fn text(self) -> &'a str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

/// Takes the bytes of a result: the caller's own buffer, which grows on the caller's side.
#[repr(C)]
#[derive(Debug)]
pub struct Sink<'a> {
    buffer: *mut c_void,
    append: unsafe extern "C" fn(*mut c_void, Slice<'_>),
    _buffer: PhantomData<&'a mut Vec<u8>>,
}

impl<'a> Sink<'a> {
    /// Makes a sink of a buffer.
    pub fn of(buffer: &'a mut Vec<u8>) -> Self {
        Sink {
            buffer: std::ptr::from_mut(buffer).cast(),
            append,
            _buffer: PhantomData,
        }
    }

    /// Appends to the buffer.
    pub fn append(&mut self, bytes: &[u8]) {
        // SAFETY: the function and the buffer are of the same side, and the buffer is borrowed as long as the sink lives.
        unsafe { (self.append)(self.buffer, Slice::of(bytes)) }
    }
}

/// # Safety
/// `buffer` is that of a living [`Sink`].
unsafe extern "C" fn append(buffer: *mut c_void, bytes: Slice<'_>) {
    // SAFETY: the caller guarantees the buffer.
    let buffer = unsafe { &mut *buffer.cast::<Vec<u8>>() };
    buffer.extend_from_slice(bytes.bytes());
}

/// Bytes of the caller that are read in pieces, so that nobody needs all of them in memory: those of a large file.
#[repr(C)]
#[derive(Debug)]
pub struct Source<'a> {
    /// How many there are.
    pub len: u64,
    reader: *mut c_void,
    read: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> usize,
    _reader: PhantomData<&'a mut ()>,
}

impl<'a> Source<'a> {
    /// Makes a source of a reader of that many bytes.
    pub fn of<R: Read>(reader: &'a mut R, len: u64) -> Self {
        Source {
            len,
            reader: std::ptr::from_mut(reader).cast(),
            read: read::<R>,
            _reader: PhantomData,
        }
    }
}

/// What [`read`] returns when it failed: no buffer is that long.
const FAILED: usize = usize::MAX;

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the function and the reader are of the same side, and the reader is borrowed as long as the source lives.
        match unsafe { (self.read)(self.reader, buffer.as_mut_ptr(), buffer.len()) } {
            count if count <= buffer.len() => Ok(count),
            _ => Err(io::Error::other("the file cannot be read")),
        }
    }
}

/// # Safety
/// `reader` is that of a living [`Source`], and `len` bytes can be written to `buffer`.
unsafe extern "C" fn read<R: Read>(reader: *mut c_void, buffer: *mut u8, len: usize) -> usize {
    // SAFETY: the caller guarantees both; the buffer is one of initialised bytes.
    let (reader, buffer) = unsafe { (&mut *reader.cast::<R>(), std::slice::from_raw_parts_mut(buffer, len)) };
    guarded(FAILED, || reader.read(buffer).unwrap_or(FAILED))
}

/// Runs the work of an exported function; `failed` stands for its result when it panics.
pub fn guarded<T>(failed: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that fails after what it has.
    struct Broken(&'static [u8]);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => panic!("a defect of the reader"),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn a_source_reads_on_the_other_side_and_says_when_it_cannot() {
        let mut bytes = &b"abcde"[..];
        let mut source = Source::of(&mut bytes, 5);
        let mut three = [0; 3];
        source.read_exact(&mut three).unwrap();
        let mut rest = String::new();
        assert_eq!(
            (source.read_to_string(&mut rest).unwrap(), &rest[..], &three),
            (2, "de", b"abc")
        );
        let mut broken = Broken(b"ab");
        let failed = Source::of(&mut broken, 2).read_to_end(&mut Vec::new());
        assert!(failed.is_err());
    }
}
