//! The process of one hook call. Hosts start it at every tool call, so it reads little, starts no thread, and ends with 0 whatever happens: a
//! host may take a failing hook for a refusal.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::alarm;
use crate::answer::LastWords;
use crate::fields::parse_object;
use crate::lines::as_line;
use crate::machine::user_home;
use crate::{Asked, Later, Outcome, index, private, run};

/// The task of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// To answer a call: the event and the host, as far as the command line names them.
    Answer(Option<String>, Option<String>),
    /// To write the index of a project.
    Index(String),
    /// To name its version.
    Version,
}

/// Reads the arguments: `[EVENT] [--host=NAME]`, or those of the work that a call starts afterwards. `None` for anything else.
#[must_use]
pub fn task_of(args: &[String]) -> Option<Task> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let is_name = |name: &str| !name.is_empty() && name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphabetic());
    let host = |option: &str| {
        option
            .strip_prefix("--host=")
            .filter(|host| is_name(host))
            .map(str::to_owned)
    };
    match *words.as_slice() {
        [] => Some(Task::Answer(None, None)),
        ["--version"] => Some(Task::Version),
        ["--index", project] => Some(Task::Index(project.to_owned())),
        [event] if is_name(event) => Some(Task::Answer(Some(event.to_owned()), None)),
        [option] => Some(Task::Answer(None, Some(host(option)?))),
        [event, option] if is_name(event) => Some(Task::Answer(Some(event.to_owned()), Some(host(option)?))),
        _ => None,
    }
}

/// Answers a call on standard output. `program` is the command line that starts this program again, without a task.
pub fn answer(event: Option<&str>, host: Option<&str>, begun: Instant, program: &[OsString]) {
    let input = read_payload();
    let outcome = run(Asked {
        event,
        input: &input,
        host,
        deadline: None,
        begun,
        program,
    });
    alarm::call_off();
    let Outcome {
        answer,
        problem,
        later,
        folder,
    } = outcome;
    for Later { args, needs_node } in later {
        if needs_node && program.len() == 1 {
            start(&launcher(), &args, &folder)
        } else {
            start(program, &args, &folder)
        }
    }
    print(&mut std::io::stdout().lock(), &answer);
    if let Some(problem) = problem {
        print(
            &mut std::io::stderr().lock(),
            &format!("warning: {}", as_line(&problem)),
        );
    }
}

/// Returns the command line of the launcher in Node, which `init` has noted beside the copy of this program. Empty where there is none.
fn launcher() -> Vec<OsString> {
    let home = user_home();
    let words: Vec<String> = private::read(&home, &home.join("bin/launcher.json")).unwrap_or_default();
    words.into_iter().map(OsString::from).collect()
}

/// Writes the index of a project, as a call has asked for.
pub fn index_later(project: &str) {
    alarm::prepare(LastWords::default());
    alarm::set(INDEX_MS);
    // The index is derived: a failure costs time, and the next call asks again.
    let _ = index(Path::new(project));
    alarm::call_off();
}

const INDEX_MS: u64 = 600_000;

/// Writes a line. The host may have closed the pipe; an error cannot be reported then.
fn print(out: &mut impl Write, line: &str) {
    if !line.is_empty() {
        let _ = out.write_all(format!("{line}\n").as_bytes());
        let _ = out.flush();
    }
}

/// Starts the program in a process of its own, which no host waits for. When none can be started, a later call asks again.
fn start(program: &[OsString], args: &[String], folder: &Path) {
    let Some((name, first)) = program.split_first() else {
        return;
    };
    let mut command = Command::new(name);
    command
        .args(first)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    // A group of its own, which the host does not end with its hooks.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    {
        const DETACHED: u32 = 0x0000_0008;
        const NEW_GROUP: u32 = 0x0000_0200;
        std::os::windows::process::CommandExt::creation_flags(&mut command, DETACHED | NEW_GROUP);
    }
    let _ = command.spawn();
}

/// The time limit for the host to write its payload.
const PAYLOAD_TIME: Duration = Duration::from_secs(1);
/// The maximum size of a payload; a larger one gets an empty answer.
const PAYLOAD_MAX: usize = 8 << 20;
const CHUNK: usize = 64 * 1024;

/// Reads standard input to its end, or until it is a complete JSON object, because some hosts leave it open. Empty when it is incomplete.
#[must_use]
pub fn read_payload() -> String {
    let mut bytes = Vec::new();
    let mut total = 0_usize;
    let mut chunk = vec![0; CHUNK];
    let ends = Instant::now() + PAYLOAD_TIME;
    if !input::is_stream() {
        return String::new();
    }
    // Where nothing can be asked for its state, the alarm ends a read that has no end.
    alarm::prepare(LastWords::default());
    alarm::set(2 * u64::try_from(PAYLOAD_TIME.as_millis()).unwrap_or(1000));
    let mut stdin = std::io::stdin().lock();
    while input::waits(ends) {
        let count = match stdin.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::Interrupted | std::io::ErrorKind::WouldBlock
                ) =>
            {
                continue;
            }
            Err(_) => break,
        };
        total += count;
        if total <= PAYLOAD_MAX {
            bytes.extend_from_slice(chunk.get(..count).unwrap_or_default());
        }
        let may_be_whole = total <= PAYLOAD_MAX && bytes.last() == Some(&b'}') && !input::has_more();
        if may_be_whole && std::str::from_utf8(&bytes).is_ok_and(|text| parse_object(text).is_some()) {
            break;
        }
    }
    if total > PAYLOAD_MAX {
        return String::new();
    }
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(unix)]
mod input {
    use std::time::Instant;

    /// True if standard input is more than a terminal, or `/dev/null`.
    pub(super) fn is_stream() -> bool {
        // SAFETY: all zero is a valid value, and the call fills it in.
        unsafe {
            let mut found: libc::stat = std::mem::zeroed();
            libc::fstat(0, &raw mut found) == 0 && found.st_mode & libc::S_IFMT != libc::S_IFCHR
        }
    }

    /// Waits for bytes or the end of the input.
    pub(super) fn waits(ends: Instant) -> bool {
        let left = ends.saturating_duration_since(Instant::now()).as_millis();
        poll(i32::try_from(left).unwrap_or(1000))
    }

    pub(super) fn has_more() -> bool {
        poll(0)
    }

    fn poll(ms: i32) -> bool {
        let mut asked = libc::pollfd {
            fd: 0,
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one `pollfd` is passed.
        unsafe { libc::poll(&raw mut asked, 1, ms) > 0 }
    }
}

#[cfg(not(unix))]
mod input {
    use std::io::IsTerminal;
    use std::time::Instant;

    pub(super) fn is_stream() -> bool {
        !std::io::stdin().is_terminal()
    }

    pub(super) fn waits(_ends: Instant) -> bool {
        true
    }

    pub(super) fn has_more() -> bool {
        false
    }
}
