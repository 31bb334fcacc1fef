//! The open code graphs of this process, and the names in them, which a memory looks up.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use forge_memory_core::CodeNames;
use forge_memory_core::clock::Millis;
use forge_memory_lattice::Lattice;

use forge_memory_moment::machine::user_home;

/// The open graphs of this process, by folder and by whether foreign indexes are accepted; the most recently used one is
/// last.
static OPEN: Mutex<Vec<OpenGraph>> = Mutex::new(Vec::new());
type OpenGraph = ((PathBuf, bool), Arc<Mutex<Lattice>>);
const OPEN_MAX: usize = 16;

/// Returns the open graph of a folder, from an index of another machine only when `accepts_foreign` is true.
pub fn open_code_graph(dir: PathBuf, accepts_foreign: bool) -> Arc<Mutex<Lattice>> {
    open_in((dir, accepts_foreign))
}

fn open_in(name: (PathBuf, bool)) -> Arc<Mutex<Lattice>> {
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all
        .iter()
        .position(|(known, _)| *known == name)
        .map(|at| all.remove(at).1);
    let lattice = found.unwrap_or_else(|| Arc::new(Mutex::new(lattice_of(&name))));
    if all.len() >= OPEN_MAX {
        all.remove(0);
    }
    all.push((name, Arc::clone(&lattice)));
    lattice
}

/// The names in a project's code, as the memory looks them up.
#[derive(Debug)]
pub struct NamesInCode {
    dir: PathBuf,
}

impl NamesInCode {
    /// Returns the names of the project in a folder; nothing is opened yet.
    #[must_use]
    pub fn of(dir: PathBuf) -> Self {
        NamesInCode { dir }
    }
}

impl CodeNames for NamesInCode {
    fn has(&self, name: &str, since: Millis) -> Option<bool> {
        let lattice = open_in((self.dir.clone(), false));
        // A run of the index holds the lock for long.
        let mut lattice = lattice.try_lock().ok()?;
        lattice.has_name(name, since)
    }
}

fn lattice_of((dir, accepts_foreign): &(PathBuf, bool)) -> Lattice {
    let lattice = Lattice::new(dir.clone(), user_home());
    if *accepts_foreign {
        lattice.accepting_foreign()
    } else {
        lattice
    }
}
