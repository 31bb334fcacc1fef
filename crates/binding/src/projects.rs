//! The open memories of this process: one per project, shared by all its threads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge_memory_core::journal::{Disk, OsDisk};
pub use forge_memory_core::place::ProjectOptions;
use forge_memory_core::place::{Place, find_place};
use forge_memory_core::progress::Progress;
use forge_memory_core::{Environment, Error, Memory};
use forge_memory_embed::InstalledModels;
pub use forge_memory_moment::machine::user_home;
use forge_memory_moment::machine::{self, home_name, place_named, surroundings};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use serde::de::DeserializeOwned;

use crate::addons::inference;
use crate::code_graphs::NamesInCode;
use crate::error::{Result, thrown};
use crate::input::{InProject, read_or_empty, refused};
use crate::jobs::IndexTask;
use crate::vectors::VectorWork;

/// The maximum number of open projects; the least recently used one is closed.
const OPEN_MAX: usize = 16;

/// An open memory.
pub struct Project {
    /// The project's folder and the user's own, and the names by which they were requested last.
    folders: (PathBuf, PathBuf),
    place: Place,
    asked: (String, Option<OsString>),
    memory: Mutex<Memory>,
    progress: Arc<Progress>,
    /// Set when background work has written new index segments.
    indexed: Arc<AtomicBool>,
    vectors: Arc<VectorWork>,
}

static OPEN: Mutex<Vec<Arc<Project>>> = Mutex::new(Vec::new());

impl Project {
    /// Returns the progress of the project's work, without waiting for it.
    pub fn progress(&self) -> (u64, u64) {
        self.progress.read()
    }

    /// Returns the counter of the work on the project.
    pub fn progress_counter(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Returns the project's folder and the user's own.
    pub fn folders(&self) -> &(PathBuf, PathBuf) {
        &self.folders
    }

    /// Returns where the project and its memory are.
    pub fn place(&self) -> &Place {
        &self.place
    }

    fn environment(&self) -> Environment {
        environment_of(&self.place, &self.folders.1)
    }

    /// Computes missing vectors in the background, after a search.
    pub fn compute_vectors(&self, memory: &Memory) {
        self.vectors.start(memory, || self.environment());
    }

    /// Locks the memory for exclusive use.
    pub fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(|poisoned| {
            // An earlier call panicked. The files are consistent at every moment; the state in memory is read
            // again.
            let mut memory = PoisonError::into_inner(poisoned);
            *memory = Memory::open(self.environment());
            memory.progress = Arc::clone(&self.progress);
            self.memory.clear_poison();
            memory
        })
    }
}

/// Options that select a project.
pub trait NamesProject: DeserializeOwned {
    /// The folder, if one is named.
    fn project_dir(&self) -> Option<&str>;
}

impl<T: DeserializeOwned> NamesProject for InProject<T> {
    fn project_dir(&self) -> Option<&str> {
        self.project_dir.as_deref()
    }
}

/// Implements [`NamesProject`] for structs that have a field `project_dir`.
#[macro_export]
macro_rules! names_project {
    ($($options:ty),+ $(,)?) => {
        $(impl $crate::projects::NamesProject for $options {
            fn project_dir(&self) -> Option<&str> {
                self.project_dir.as_deref()
            }
        })+
    };
}
pub use names_project;

names_project!(ProjectOptions);

/// Runs `work` on the memory that the options select, and then starts the index work that has accumulated. The options have
/// no other fields.
pub fn with_memory<T>(
    env: &Env,
    options: &Unknown<'_>,
    work: impl FnOnce(&mut Memory) -> forge_memory_core::Result<T>,
) -> Result<T> {
    with_project(env, options, |_, memory, _: ProjectOptions| work(memory))
}

/// The same for options with other fields.
pub fn with_options<O: DeserializeOwned, T>(
    env: &Env,
    options: &Unknown<'_>,
    work: impl FnOnce(&mut Memory, O) -> forge_memory_core::Result<T>,
) -> Result<T> {
    with_project(env, options, |_, memory, InProject { options, .. }| {
        work(memory, options)
    })
}

/// The same for work that also begins something in the background.
pub fn with_project<O: NamesProject, T>(
    env: &Env,
    options: &Unknown<'_>,
    work: impl FnOnce(&Project, &mut Memory, O) -> forge_memory_core::Result<T>,
) -> Result<T> {
    let options: O = read_or_empty("options", options)?;
    let project = open(options.project_dir()).map_err(|error| thrown(env, &error))?;
    let outcome = with_open(env, Arc::clone(&project), |memory| work(&project, memory, options))?;
    outcome.map_err(|error| thrown(env, &error))
}

/// Loads the index segments that background work has written.
fn adopt_index(project: &Project, memory: &mut Memory) -> forge_memory_core::Result<()> {
    if project.indexed.swap(false, Ordering::AcqRel) {
        memory.adopt()
    } else {
        Ok(())
    }
}

/// Reads options that have no field but the project.
pub fn only_project(options: &Unknown<'_>) -> Result<ProjectOptions> {
    read_or_empty("options", options)
}

/// Returns the environment in which a project is opened.
pub fn environment(options: &impl NamesProject) -> forge_memory_core::Result<Environment> {
    let home = user_home();
    let place = existing(place_named(options.project_dir(), &home)?)?;
    Ok(with_model(Environment::at(place, home)))
}

/// Names the user's models of sentences, whether any is installed or not.
fn with_model(environment: Environment) -> Environment {
    let models = InstalledModels::of_home(Arc::clone(&environment.disk), &environment.home, inference);
    Environment {
        models: Some(Arc::new(models)),
        ..environment
    }
}

/// Returns the open memory that the options select, for work on another thread.
pub fn open_project(options: &Unknown<'_>) -> Result<Arc<Project>> {
    open(only_project(options)?.project_dir()).map_err(|error| refused(options, &error))
}

/// Returns the open memory of the project that a folder belongs to; `None` when the folder does not exist, or belongs to none.
pub fn open_project_of(folder: &Path) -> forge_memory_core::Result<Option<Arc<Project>>> {
    let disk: &dyn Disk = &OsDisk;
    if !disk.has_folder(folder) {
        return Ok(None);
    }
    match find_place(disk, folder, &surroundings(&user_home())) {
        Ok(found) => open(Some(&found.project_dir.to_string_lossy())).map(Some),
        Err(Error::NoProject { .. } | Error::ForeignFolder { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Runs `work` on an open memory, and starts the index work that has come together.
pub fn with_open<T>(
    env: &Env,
    project: Arc<Project>,
    work: impl FnOnce(&mut Memory) -> forge_memory_core::Result<T>,
) -> Result<forge_memory_core::Result<T>> {
    let mut memory = project.lock();
    let outcome = adopt_index(&project, &mut memory).and_then(|()| work(&mut memory));
    let jobs = memory.take_jobs();
    drop(memory);
    if !jobs.is_empty() {
        IndexTask::start(env, jobs, Arc::clone(&project.indexed))?;
    }
    Ok(outcome)
}

/// Returns the folder of the project that the options select.
pub fn project_dir(options: &impl NamesProject) -> forge_memory_core::Result<PathBuf> {
    place(options).map(|place| place.project_dir)
}

/// Returns the project that the options select.
pub fn place(options: &impl NamesProject) -> forge_memory_core::Result<Place> {
    place_named(options.project_dir(), &user_home())
}

/// Returns the project that a folder belongs to, as it is found from the working directory.
pub fn place_of(folder: &Path) -> forge_memory_core::Result<Place> {
    machine::place_of(folder, &user_home())
}

fn existing(place: Place) -> forge_memory_core::Result<Place> {
    let disk: &dyn Disk = &OsDisk;
    if disk.has_folder(&place.project_dir) {
        return Ok(place);
    }
    Err(Error::invalid(
        "projectDir",
        format!("there is no folder {}", place.project_dir.display()),
    ))
}

/// Returns the open memory of the project in a folder; without one, of the project that the working directory belongs to.
///
/// # Errors
/// `INVALID_INPUT` when there is no such folder.
pub fn open(dir: Option<&str>) -> forge_memory_core::Result<Arc<Project>> {
    let home_name = home_name();
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    // The same absolute path is the same folder; every other one must be resolved.
    let fixed = home_name.as_ref().is_none_or(|name| Path::new(name).is_absolute());
    if let Some(dir) = dir.filter(|dir| fixed && Path::new(dir).is_absolute())
        && let Some(at) = all
            .iter()
            .rposition(|project| project.asked.0 == dir && project.asked.1 == home_name)
    {
        return Ok(reuse(&mut all, at));
    }
    let home = user_home();
    let place = place_named(dir, &home)?;
    let is_same = |project: &Arc<Project>| {
        project.folders.0 == place.project_dir && project.folders.1 == home && project.place.main == place.main
    };
    if let Some(at) = all.iter().rposition(is_same) {
        return Ok(reuse(&mut all, at));
    }
    let place = existing(place)?;
    let mut memory = Memory::open(environment_of(&place, &home));
    // Records that cannot be brought back now stay for the next process; the memory itself works without them.
    let _ = memory.restore_removed();
    let asked = (dir.unwrap_or_default().to_owned(), home_name);
    let progress = Arc::clone(&memory.progress);
    let project = Arc::new(Project {
        folders: (place.project_dir.clone(), home),
        place,
        asked,
        memory: Mutex::new(memory),
        progress,
        indexed: Arc::default(),
        vectors: Arc::default(),
    });
    if all.len() >= OPEN_MAX {
        all.remove(0);
    }
    all.push(Arc::clone(&project));
    Ok(project)
}

/// Returns the environment of a memory, with the names in the code.
fn environment_of(place: &Place, home: &Path) -> Environment {
    with_model(Environment {
        code_names: Some(Arc::new(NamesInCode::of(place.project_dir.clone()))),
        ..Environment::at(place.clone(), home.to_path_buf())
    })
}

/// Takes the project at `at`, and moves it to the end, as the most recently used one.
fn reuse(all: &mut Vec<Arc<Project>>, at: usize) -> Arc<Project> {
    let project = all.remove(at);
    all.push(Arc::clone(&project));
    project
}
