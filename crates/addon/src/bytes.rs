//! Bytes that cross the border: borrowed in one direction, copied in the other.

use std::ffi::c_void;
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

/// Runs the work of an exported function; `failed` stands for its result when it panics.
pub fn guarded<T>(failed: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(failed)
}
