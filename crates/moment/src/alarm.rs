//! The deadline of a process: when it passes, the process writes its prepared last words and exits with 0, whatever it waits for.

#[cfg(unix)]
pub(crate) use unix::{call_off, prepare, set};

#[cfg(unix)]
mod unix {
    use std::ffi::{CString, OsString};
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicPtr, Ordering};

    use crate::answer::LastWords;

    /// The current last words. They are never freed, because the deadline may strike at any moment.
    static WORDS: AtomicPtr<Prepared> = AtomicPtr::new(std::ptr::null_mut());

    pub(crate) fn prepare(words: LastWords) {
        WORDS.store(Box::into_raw(Box::new(Prepared::from(words))), Ordering::SeqCst);
    }

    struct Prepared {
        output: Vec<u8>,
        warning: Vec<u8>,
        log: Option<(CString, Vec<u8>)>,
        claim: Option<CString>,
        next: Option<(CString, Vec<CString>, Vec<*const libc::c_char>)>,
    }

    impl From<LastWords> for Prepared {
        fn from(words: LastWords) -> Self {
            let word = |word: OsString| CString::new(word.into_vec()).ok();
            let name = |path: PathBuf| word(path.into_os_string());
            let next = words.next.and_then(|(file, line)| {
                let line = line.into_iter().map(word).collect::<Option<Vec<CString>>>()?;
                let ends = [std::ptr::null()];
                let pointers = line.iter().map(|word| word.as_ptr()).chain(ends).collect();
                Some((name(file)?, line, pointers))
            });
            Prepared {
                output: words.output.into_bytes(),
                warning: words.warning.into_bytes(),
                log: words
                    .log
                    .and_then(|(path, line)| Some((name(path)?, line.into_bytes()))),
                claim: words.claim.and_then(name),
                next: next.filter(|(_, line, _)| !line.is_empty()),
            }
        }
    }

    /// Ends the process with 0 after some milliseconds, unless it is called off.
    pub(crate) fn set(ms: u64) {
        let handler: extern "C" fn(libc::c_int) = strike;
        // SAFETY: the handler calls nothing but functions that POSIX allows in one, and the sets are initialized by the calls.
        unsafe {
            libc::signal(libc::SIGALRM, handler as libc::sighandler_t);
            let mut meant: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut meant);
            libc::sigaddset(&raw mut meant, libc::SIGALRM);
            // Whoever started the process may have blocked it.
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const meant, std::ptr::null_mut());
        }
        time(ms.max(1));
    }

    pub(crate) fn call_off() {
        time(0);
    }

    fn time(ms: u64) {
        let left = std::time::Duration::from_millis(ms);
        // SAFETY: all zero is a valid value, which switches the timer off.
        let mut timer: libc::itimerval = unsafe { std::mem::zeroed() };
        timer.it_value.tv_sec = left.as_secs().try_into().unwrap_or(1);
        #[allow(
            clippy::unnecessary_fallible_conversions,
            reason = "not everywhere is it one of 64 bits"
        )]
        let micros = left.subsec_micros().try_into().unwrap_or(0);
        timer.it_value.tv_usec = micros;
        // SAFETY: the value is read, and no earlier one is asked for.
        unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
    }

    extern "C" fn strike(_signal: libc::c_int) {
        // SAFETY: the words are never freed or changed, and all of these functions are async-signal-safe.
        unsafe {
            if let Some(words) = WORDS.load(Ordering::SeqCst).as_ref() {
                say(1, &words.output);
                say(2, &words.warning);
                if let Some((path, line)) = &words.log {
                    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_NOFOLLOW | libc::O_NONBLOCK;
                    let file = libc::open(path.as_ptr(), flags, 0o600);
                    if file >= 0 {
                        say(file, line);
                    }
                }
                if let Some(claim) = &words.claim {
                    libc::unlink(claim.as_ptr());
                }
                if let Some((file, _, line)) = &words.next {
                    start(file, line);
                }
            }
            libc::_exit(0)
        }
    }

    /// Starts a program in a process of its own, which no host waits for.
    unsafe fn start(file: &CString, line: &[*const libc::c_char]) {
        let Some(program) = line.first() else { return };
        // SAFETY: the strings are never freed, the list ends with a null pointer, and the child calls only async-signal-safe functions.
        unsafe {
            let made = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL, 0o600);
            if made < 0 || libc::fork() != 0 {
                return;
            }
            libc::setpgid(0, 0);
            let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            for stream in 0..3 {
                libc::dup2(nothing, stream);
            }
            libc::execv(*program, line.as_ptr());
            libc::_exit(0)
        }
    }

    unsafe fn say(file: libc::c_int, text: &[u8]) {
        let mut left = text;
        while !left.is_empty() {
            // SAFETY: the bytes are borrowed for the call.
            let written = unsafe { libc::write(file, left.as_ptr().cast(), left.len()) };
            match usize::try_from(written) {
                Ok(count @ 1..) => left = left.get(count..).unwrap_or_default(),
                _ => return,
            }
        }
    }
}

#[cfg(not(unix))]
pub(crate) use other::{call_off, prepare, set};

/// Without signals, a thread waits for the deadline.
#[cfg(not(unix))]
mod other {
    use std::io::Write;
    use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
    use std::time::Duration;

    use crate::answer::LastWords;

    /// The current last words. They are never freed, because the deadline may strike at any moment.
    static WORDS: AtomicPtr<Prepared> = AtomicPtr::new(std::ptr::null_mut());

    pub(crate) fn prepare(words: LastWords) {
        WORDS.store(Box::into_raw(Box::new(Prepared::from(words))), Ordering::SeqCst);
    }

    type Prepared = LastWords;
    /// The number of the deadline that holds.
    static HOLDS: AtomicU64 = AtomicU64::new(0);

    pub(crate) fn set(ms: u64) {
        let own = HOLDS.fetch_add(1, Ordering::SeqCst) + 1;
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(ms));
            if HOLDS.load(Ordering::SeqCst) == own {
                strike();
            }
        });
    }

    pub(crate) fn call_off() {
        HOLDS.fetch_add(1, Ordering::SeqCst);
    }

    fn strike() {
        // SAFETY: the words are never freed or changed.
        if let Some(words) = unsafe { WORDS.load(Ordering::SeqCst).as_ref() } {
            let _ = std::io::stdout().write_all(words.output.as_bytes());
            let _ = std::io::stdout().flush();
            let _ = std::io::stderr().write_all(words.warning.as_bytes());
            if let Some((path, line)) = &words.log {
                let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
                let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
            }
            if let Some(claim) = &words.claim {
                let _ = std::fs::remove_file(claim);
            }
            if let Some((file, line)) = &words.next
                && let Some((program, args)) = line.split_first()
                && std::fs::OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .open(file)
                    .is_ok()
            {
                let _ = std::process::Command::new(program).args(args).spawn();
            }
        }
        std::process::exit(0);
    }
}
