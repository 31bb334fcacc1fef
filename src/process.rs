//! The end of the process.

use napi_derive::napi;

/// Ends the process at once, although threads of it may be in the middle of something. `process.exit` waits until every
/// worker has left its native call, and one that waits for a lock would make a deadline meaningless. What the engine
/// writes is safe against it, as against any death.
#[napi]
pub fn end_process(code: i32) {
    // An ordinary exit takes V8 down under the threads that still run in it, and about one time in ten that is a crash.
    // SAFETY: the call takes a number and does not return; nothing of this process is used after it.
    unsafe { libc::_exit(code) }
}

/// Tells whether the reader of a file descriptor is gone: a pipe or a socket whose other end is closed, or a closed
/// terminal. A program that writes rarely learns it only this way. On Windows the next write tells.
#[napi]
pub fn is_reader_gone(descriptor: i32) -> bool {
    #[cfg(unix)]
    {
        let mut asked = libc::pollfd {
            fd: descriptor,
            events: 0,
            revents: 0,
        };
        // SAFETY: one description of a file is handed over, and the call returns at once.
        let found = unsafe { libc::poll(&mut asked, 1, 0) };
        found > 0 && asked.revents & (libc::POLLERR | libc::POLLHUP | libc::POLLNVAL) != 0
    }
    #[cfg(not(unix))]
    {
        let _ = descriptor;
        false
    }
}
