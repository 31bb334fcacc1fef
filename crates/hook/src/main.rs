//! The program that hosts start at each event of an agent: `forge-memory-hook [EVENT] [--host=NAME]`, with the payload on standard input. It
//! ends with 0 whatever happens, because a host may take a failing hook for a refusal.

use std::env;
use std::ffi::OsString;
use std::time::Instant;

use forge_memory_moment::process::{Task, answer, index_later, task_of};

fn main() {
    let begun = Instant::now();
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
    let args: Vec<String> = env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    match task_of(&args) {
        Some(Task::Answer(event, host)) => {
            let program: Vec<OsString> = env::current_exe().map(OsString::from).into_iter().collect();
            answer(event.as_deref(), host.as_deref(), begun, &program);
        }
        Some(Task::Index(project)) => index_later(&project),
        Some(Task::Version) => print_version(),
        None => {}
    }
}

fn print_version() {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{}", env!("CARGO_PKG_VERSION"));
}
