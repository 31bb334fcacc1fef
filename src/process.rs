//! Ends the process, and detects that the readers of its output are gone.

use std::sync::atomic::{AtomicPtr, Ordering};

use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::Result;
use crate::input::read;

/// The text that is written when the user interrupts the process. It is never freed, because a signal may come at any moment.
static FAREWELL: AtomicPtr<String> = AtomicPtr::new(std::ptr::null_mut());
/// The rest is cut off.
const FAREWELL_CHARS_MAX: usize = 1000;

/// From now on, Ctrl-C writes a text to standard error and ends the process with 130, even during a call into the engine, which
/// keeps handlers of JavaScript from running. On Windows the process ends without a text.
#[napi(catch_unwind, ts_args_type = "farewell: string")]
pub fn end_on_interrupt(farewell: Unknown) -> Result<()> {
    let farewell: String = read("farewell", &farewell)?;
    let kept = farewell.chars().take(FAREWELL_CHARS_MAX).collect::<String>();
    FAREWELL.store(Box::into_raw(Box::new(kept)), Ordering::SeqCst);
    #[cfg(unix)]
    {
        let handler: extern "C" fn(libc::c_int) = say_farewell;
        // SAFETY: the handler calls nothing but functions that POSIX allows in one.
        unsafe { libc::signal(libc::SIGINT, handler as libc::sighandler_t) };
    }
    Ok(())
}

#[cfg(unix)]
extern "C" fn say_farewell(_signal: libc::c_int) {
    // SAFETY: the text is never freed or changed, and `write` and `_exit` are async-signal-safe.
    unsafe {
        if let Some(text) = FAREWELL.load(Ordering::SeqCst).as_ref() {
            libc::write(2, text.as_ptr().cast(), text.len());
        }
        libc::_exit(130)
    }
}

/// Ends the process at once, even while its threads are running. `process.exit` waits until every worker thread has left
/// its native call, so that a thread that waits for a lock would break a deadline. The engine's files are safe in this
/// case, as they are when a process is killed.
#[napi]
pub fn end_process(code: i32) {
    // A normal exit tears V8 down under the threads that still run in it, which crashes about one time in ten.
    // SAFETY: the call takes a number and does not return; nothing of this process is used after it.
    unsafe { libc::_exit(code) }
}

/// True if standard input is the terminal that controls this process, where a person types. A terminal that a process of another session was handed
/// is not its own. On Windows it is any console.
#[napi]
pub fn is_own_terminal() -> bool {
    #[cfg(unix)]
    {
        // SAFETY: both calls take numbers, and only ask.
        let (of_terminal, own) = unsafe { (libc::tcgetsid(0), libc::getsid(0)) };
        of_terminal != -1 && of_terminal == own
    }
    #[cfg(not(unix))]
    std::io::IsTerminal::is_terminal(&std::io::stdin())
}

/// True if the reader of a file descriptor is gone: a pipe or socket whose other end is closed, or a closed terminal.
/// A program that seldom writes notices it only this way. On Windows the next write reports it.
#[napi]
pub fn is_reader_gone(descriptor: i32) -> bool {
    #[cfg(unix)]
    {
        let mut asked = libc::pollfd {
            fd: descriptor,
            events: 0,
            revents: 0,
        };
        // SAFETY: one `pollfd` is passed, and the call returns at once.
        let found = unsafe { libc::poll(&mut asked, 1, 0) };
        found > 0 && asked.revents & (libc::POLLERR | libc::POLLHUP | libc::POLLNVAL) != 0
    }
    #[cfg(not(unix))]
    {
        let _ = descriptor;
        false
    }
}
