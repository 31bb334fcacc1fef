//! The program that hosts start at each event of an agent: `forge-memory-hook [EVENT] [--host=NAME]`, with the payload on standard input. It
//! ends with 0 whatever happens, because a host may take a failing hook for a refusal.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use forge_memory_core::journal::OsDisk;
use forge_memory_core::place::Place;
use forge_memory_core::progress::Progress;
use forge_memory_core::{Environment, Error, Memory, Result};
use forge_memory_moment::machine::{place_of, user_home};
use forge_memory_moment::process::{Task, answer, index_later, learn_later, task_of};
use forge_memory_transcripts::{Backfill, Places, VARIABLES, learn_session, store_new};

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
        Some(Task::Learn(host, transcript)) => learn_later(&host, |folder| learn(folder, Path::new(&transcript))),
        None => {}
    }
}

fn print_version() {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{}", env!("CARGO_PKG_VERSION"));
}

/// Learns from the transcript of an ended session.
fn learn(folder: &Path, transcript: &Path) -> Result<()> {
    let home = user_home();
    let place = place_of(folder, &home)?;
    let variables = VARIABLES.iter().filter_map(|name| {
        let value = env::var_os(name).filter(|value| !value.is_empty())?;
        Some(((*name).to_owned(), PathBuf::from(value)))
    });
    let places = Places {
        home: env::home_dir().unwrap_or_default(),
        variables: variables.collect(),
    };
    let backfill = Backfill {
        disk: &OsDisk,
        places: &places,
        project_dir: &place.project_dir,
        home: &home,
        progress: &Progress::default(),
    };
    let open = |place: Place| Memory::open(Environment::at(place, home.clone()));
    learn_session(
        &backfill,
        place.memory_dir(),
        transcript.to_path_buf(),
        |folder, findings| match place_of(folder, &home) {
            _ if !folder.is_dir() => Ok(None),
            Ok(place) => store_new(&mut open(place), findings).map(Some),
            Err(Error::NoProject { .. } | Error::ForeignFolder { .. }) => Ok(None),
            Err(error) => Err(error),
        },
    )
    .map(|_| ())
}
