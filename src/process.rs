//! The end of the process.

use napi_derive::napi;

/// Ends the process at once, although threads of it may be in the middle of something. `process.exit` waits until every
/// worker has left its native call, and one that waits for a lock would make a deadline meaningless. What the engine
/// writes is safe against it, as against any death.
#[napi]
pub fn end_process(code: i32) {
    std::process::exit(code);
}
