//! The open memories of this process: one per project, shared by all its threads.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge_memory_core::config::find_project;
use forge_memory_core::journal::{Disk, OsDisk};
use forge_memory_core::progress::Progress;
use forge_memory_core::{Environment, Error, Memory};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use serde::de::DeserializeOwned;

use crate::error::{Result, thrown};
use crate::input::{read_or_empty, refused};
use crate::jobs::IndexTask;
use crate::lattice::NamesInCode;
use crate::types::ProjectOptions;

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
    /// Tells how far the work on the project has come, without waiting for it.
    pub(crate) fn progress(&self) -> (u64, u64) {
        self.progress.read()
    }

    /// Takes the memory for exclusive use.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(|poisoned| {
            // A call broke off half-way. Files are right at every moment; what is in memory is read again.
            let mut memory = PoisonError::into_inner(poisoned);
            *memory = Memory::open(environment_of(&self.folders));
            memory.progress = Arc::clone(&self.progress);
            self.memory.clear_poison();
            memory
        })
    }
}

/// Options that name a project.
pub(crate) trait NamesProject: DeserializeOwned {
    /// The folder, if one is named.
    fn project_dir(&self) -> Option<&str>;
}

/// Implements [`NamesProject`] for structs that have a field `project_dir`.
macro_rules! names_project {
    ($($options:ty),+ $(,)?) => {
        $(impl crate::projects::NamesProject for $options {
            fn project_dir(&self) -> Option<&str> {
                self.project_dir.as_deref()
            }
        })+
    };
}
pub(crate) use names_project;

names_project!(ProjectOptions);

/// Runs `work` on the memory that the options name, and starts the index work that has come together. There are no other
/// options than the project.
pub(crate) fn with_memory<T>(
    env: &Env,
    options: &Unknown<'_>,
    work: impl FnOnce(&mut Memory) -> forge_memory_core::Result<T>,
) -> Result<T> {
    with_options(env, options, |memory, _: ProjectOptions| work(memory))
}

/// The same with options of its own.
pub(crate) fn with_options<O: NamesProject, T>(
    env: &Env,
    options: &Unknown<'_>,
    work: impl FnOnce(&mut Memory, O) -> forge_memory_core::Result<T>,
) -> Result<T> {
    let options: O = read_or_empty("options", options)?;
    let project = open(options.project_dir()).map_err(|error| thrown(env, &error))?;
    let mut memory = project.lock();
    let outcome = adopt_index(&project, &mut memory).and_then(|()| work(&mut memory, options));
    let jobs = memory.take_jobs();
    drop(memory);
    if !jobs.is_empty() {
        IndexTask::start(env, jobs, project)?;
    }
    outcome.map_err(|error| thrown(env, &error))
}

/// Takes over what background work has made of the index.
fn adopt_index(project: &Project, memory: &mut Memory) -> forge_memory_core::Result<()> {
    match project.indexed.swap(false, Ordering::AcqRel) {
        true => memory.adopt(),
        false => Ok(()),
    }
}

/// Reads options that name nothing but a project.
pub(crate) fn only_project(options: &Unknown<'_>) -> Result<ProjectOptions> {
    read_or_empty("options", options)
}

/// Returns what a project is opened with.
pub(crate) fn environment(options: &impl NamesProject) -> forge_memory_core::Result<Environment> {
    let home = user_home();
    let dir = existing(resolve(options.project_dir(), &home)?)?;
    Ok(Environment::new(dir, home))
}

/// Returns the open memory that the options name, for work that another thread does.
pub(crate) fn open_project(options: &Unknown<'_>) -> Result<Arc<Project>> {
    open(only_project(options)?.project_dir()).map_err(|error| refused(options, &error))
}

/// Returns the folder of the project that the options name.
pub(crate) fn project_dir(options: &impl NamesProject) -> forge_memory_core::Result<PathBuf> {
    resolve(options.project_dir(), &user_home())
}

fn resolve(dir: Option<&str>, home: &Path) -> forge_memory_core::Result<PathBuf> {
    match dir {
        Some(dir) if dir.is_empty() || dir.contains('\0') => {
            Err(Error::invalid("projectDir", "is not a valid folder name"))
        }
        Some(dir) => std::path::absolute(dir).map_err(Error::io("resolve", Path::new(dir))),
        None => {
            let here = env::current_dir().map_err(Error::io("look up", Path::new("the working directory")))?;
            Ok(find_project(&OsDisk, &here, home))
        }
    }
}

fn existing(dir: PathBuf) -> forge_memory_core::Result<PathBuf> {
    let disk: &dyn Disk = &OsDisk;
    if disk.has_folder(&dir) {
        return Ok(dir);
    }
    Err(Error::invalid(
        "projectDir",
        format!("there is no folder {}", dir.display()),
    ))
}

fn open(dir: Option<&str>) -> forge_memory_core::Result<Arc<Project>> {
    let home_name = home_name();
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    // The same absolute name is the same folder; everything else has to be resolved.
    let fixed = home_name.as_ref().is_none_or(|name| Path::new(name).is_absolute());
    if let Some(dir) = dir.filter(|dir| fixed && Path::new(dir).is_absolute())
        && let Some(at) = all
            .iter()
            .rposition(|project| project.asked.0 == dir && project.asked.1 == home_name)
    {
        return Ok(reuse(&mut all, at));
    }
    let home = home(home_name.as_ref());
    let folders = (resolve(dir, &home)?, home);
    if let Some(at) = all.iter().rposition(|project| project.folders == folders) {
        return Ok(reuse(&mut all, at));
    }
    let folders = (existing(folders.0)?, folders.1);
    let memory = Memory::open(environment_of(&folders));
    let asked = (dir.unwrap_or_default().to_owned(), home_name);
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

/// What a memory is opened with, the names in the code included.
fn environment_of((dir, home): &(PathBuf, PathBuf)) -> Environment {
    Environment {
        code_names: Some(Arc::new(NamesInCode::of(dir.clone()))),
        ..Environment::new(dir.clone(), home.clone())
    }
}

/// Takes the project at `at`, and moves it to the end, where those stand that were used last.
fn reuse(all: &mut Vec<Arc<Project>>, at: usize) -> Arc<Project> {
    let project = all.remove(at);
    all.push(Arc::clone(&project));
    project
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
