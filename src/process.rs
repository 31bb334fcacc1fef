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
