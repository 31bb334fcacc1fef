//! The open memories of this process: one per project, shared by all its threads.

use std::env;
use std::ffi::{CStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge_memory_core::config::find_project;
use forge_memory_core::progress::Progress;
use forge_memory_core::{Error, Memory, Surroundings};
use napi::Env;
use napi::bindgen_prelude::Unknown;

use crate::error::{Result, invalid, to_js};
use crate::jobs::IndexTask;
use crate::reader::Fields;

/// How many projects stay open; the one that was used longest ago goes.
const OPEN_MAX: usize = 16;

/// An open memory.
pub(crate) struct Project {
    /// The project's folder and the user's own, and the names they were last asked for by.
    folders: (PathBuf, PathBuf),
    asked: (String, Option<OsString>),
    memory: Mutex<Memory>,
    progress: Arc<Progress>,
    /// Set when background work has made new index segments.
    pub indexed: AtomicBool,
}

static OPEN: Mutex<Vec<Arc<Project>>> = Mutex::new(Vec::new());

impl Project {
    /// Takes the memory; nobody else uses it meanwhile.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(|poisoned| {
            // A call broke off half-way. Files are right at every moment; what is in memory is read again.
            let mut memory = PoisonError::into_inner(poisoned);
            *memory = Memory::open(Surroundings::new(self.folders.0.clone(), self.folders.1.clone()));
            memory.progress = Arc::clone(&self.progress);
            self.memory.clear_poison();
            memory
        })
    }
}

/// Runs `work` on the memory that the options name, and sees to the index work that has come together. There are no other
/// options than the project.
pub(crate) fn with_memory<T>(
    env: &Env,
    options: &Unknown<'_>,
    work: impl FnOnce(&mut Memory, &Fields<'_>) -> Result<T>,
) -> Result<T> {
    with_options(env, options, &[], work)
}

/// The same with options of its own.
pub(crate) fn with_options<T>(
    env: &Env,
    options: &Unknown<'_>,
    names: &[&CStr],
    work: impl FnOnce(&mut Memory, &Fields<'_>) -> Result<T>,
) -> Result<T> {
    let options = Fields::optional("options", options)?;
    options.only_options(names)?;
    let project = open(&options)?;
    let mut memory = project.lock();
    if project.indexed.swap(false, Ordering::AcqRel) {
        memory.adopt().map_err(to_js)?;
    }
    let outcome = work(&mut memory, &options);
    let jobs = memory.take_jobs();
    drop(memory);
    if !jobs.is_empty() {
        IndexTask::start(env, jobs, project)?;
    }
    outcome
}

/// Returns what a project is opened with that the options name.
pub(crate) fn surroundings(options: &Fields<'_>) -> Result<Surroundings> {
    let home = home(home_name().as_ref());
    let dir = resolve(options.text(c"projectDir")?.as_deref(), &home)?;
    if !dir.is_dir() {
        return Err(invalid("projectDir", &format!("there is no folder {}", dir.display())));
    }
    Ok(Surroundings::new(dir, home))
}

/// Returns the user's own folder.
pub(crate) fn user_folder() -> PathBuf {
    home(home_name().as_ref())
}

/// Returns the open memory that the options name, for work that another thread does.
pub(crate) fn open_project(options: &Unknown<'_>) -> Result<Arc<Project>> {
    let options = Fields::optional("options", options)?;
    options.only_options(&[])?;
    open(&options)
}

/// Tells how far the work on a project has come, without waiting for it.
pub(crate) fn progress_of(options: &Fields<'_>) -> Result<(u64, u64)> {
    Ok(open(options)?.progress.read())
}

/// Returns the folder of the project that the options name.
pub(crate) fn project_dir(options: &Fields<'_>) -> Result<PathBuf> {
    resolve(options.text(c"projectDir")?.as_deref(), &home(home_name().as_ref()))
}

fn resolve(dir: Option<&str>, home: &Path) -> Result<PathBuf> {
    match dir {
        Some(dir) if dir.is_empty() || dir.contains('\0') => Err(invalid("projectDir", "is no folder's name")),
        Some(dir) => std::path::absolute(dir).map_err(|source| io("resolve", dir, source)),
        None => {
            let here = env::current_dir().map_err(|source| io("look up", "the working directory", source))?;
            Ok(find_project(&here, home))
        }
    }
}

fn io(doing: &'static str, path: &str, source: std::io::Error) -> napi::Error<&'static str> {
    to_js(Error::io(doing, Path::new(path))(source))
}

fn open(options: &Fields<'_>) -> Result<Arc<Project>> {
    let dir = options.text(c"projectDir")?;
    let home_name = home_name();
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    // The same absolute name is the same folder; everything else has to be resolved.
    let fixed = home_name.as_ref().is_none_or(|name| Path::new(name).is_absolute());
    if let Some(dir) = dir.as_ref().filter(|dir| fixed && Path::new(dir).is_absolute())
        && let Some(at) = all
            .iter()
            .rposition(|project| project.asked.0 == *dir && project.asked.1 == home_name)
    {
        return Ok(take_last(&mut all, at));
    }
    let home = home(home_name.as_ref());
    let folders = (resolve(dir.as_deref(), &home)?, home);
    if let Some(at) = all.iter().rposition(|project| project.folders == folders) {
        return Ok(take_last(&mut all, at));
    }
    if !folders.0.is_dir() {
        return Err(invalid(
            "projectDir",
            &format!("there is no folder {}", folders.0.display()),
        ));
    }
    let memory = Memory::open(Surroundings::new(folders.0.clone(), folders.1.clone()));
    let asked = (dir.unwrap_or_default(), home_name);
    let progress = Arc::clone(&memory.progress);
    let project = Arc::new(Project {
        folders,
        asked,
        memory: Mutex::new(memory),
        progress,
        indexed: AtomicBool::new(false),
    });
    if all.len() >= OPEN_MAX {
        all.remove(0);
    }
    all.push(Arc::clone(&project));
    Ok(project)
}

/// Moves a project to the end, where those stand that were used last.
fn take_last(all: &mut Vec<Arc<Project>>, at: usize) -> Arc<Project> {
    if at + 1 < all.len() {
        let project = all.remove(at);
        all.push(project);
    }
    Arc::clone(&all[all.len() - 1])
}

fn home_name() -> Option<OsString> {
    env::var_os("FORGE_HOME").filter(|name| !name.is_empty())
}

/// Returns the user's own folder.
pub(crate) fn user_home() -> PathBuf {
    home(home_name().as_ref())
}

/// The user's own folder: `FORGE_HOME`, else `.forge` in the home directory.
fn home(named: Option<&OsString>) -> PathBuf {
    let home = named
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".forge")))
        .unwrap_or_else(|| PathBuf::from(".forge"));
    std::path::absolute(&home).unwrap_or(home)
}
