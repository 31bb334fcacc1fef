//! A cache of loaded models, shared by the whole process: loading a model and checking its digest takes longer than embedding many texts.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use forge_memory_core::journal::{Disk, FileState};
use forge_memory_core::{BackgroundTexts, Result, SentenceModels, TextEmbedder};
use once_cell::sync::OnceCell;

use crate::background;
use crate::embedder::Embedder;
use crate::loading::InferenceSource;
use crate::manifest::Manifest;
use crate::model::{MODEL, ModelFolder};
use crate::name::ModelName;
use crate::registry::Models;

/// The most models kept loaded: those of different projects.
const LOADED_MAX: usize = 2;

/// A model that is loaded on first use.
#[derive(Debug)]
pub struct SharedModel {
    folder: ModelFolder,
    /// The state of its files when it was loaded, to reload a model that was installed again.
    manifest: Manifest,
    files: Vec<FileState>,
    embedder: OnceCell<Embedder>,
    background: OnceCell<Arc<BackgroundTexts>>,
}

/// The cache, least recently used first.
static LAST: Mutex<Vec<Arc<SharedModel>>> = Mutex::new(Vec::new());

impl SharedModel {
    /// Returns the model in a folder; it is loaded on first use.
    ///
    /// # Errors
    /// `MODEL_MISSING` when it is not installed, `CORRUPT` when a file has another length, `IO`.
    pub fn find(folder: &ModelFolder) -> Result<Arc<Self>> {
        let (manifest, files) = folder.states()?;
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |known: &Arc<SharedModel>| {
            known.folder.path() == folder.path() && known.files == files && known.manifest == manifest
        };
        if let Some(at) = last.iter().position(is_it) {
            let known = last.remove(at);
            last.push(Arc::clone(&known));
            return Ok(known);
        }
        // Its files have changed since, so the cached model is stale.
        last.retain(|known| known.folder.path() != folder.path());
        if last.len() >= LOADED_MAX {
            last.remove(0);
        }
        let model = Arc::new(SharedModel {
            folder: folder.clone(),
            manifest,
            files,
            embedder: OnceCell::new(),
            background: OnceCell::new(),
        });
        last.push(Arc::clone(&model));
        Ok(model)
    }

    /// Returns the description of the model.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the loaded model; the first call loads it.
    ///
    /// # Errors
    /// As [`Embedder::open`]; `ADDON_MISSING` without the inference addon.
    pub fn embedder(&self, inference: InferenceSource) -> Result<&Embedder> {
        let open = || Embedder::open(&self.folder, inference()?);
        self.embedder.get_or_try_init(open)
    }

    /// Returns what the model was measured by, if it was.
    pub fn background(&self) -> Option<Arc<BackgroundTexts>> {
        let read = || background::read(&self.folder, &self.manifest).ok_or(());
        self.background.get_or_try_init(read).ok().cloned()
    }

    /// Measures the model by these texts, unless that was done before.
    ///
    /// # Errors
    /// As [`SharedModel::embedder`].
    pub fn measure(&self, inference: InferenceSource) -> Result<()> {
        if self.background().is_none() {
            let embedder = self.embedder(inference)?;
            let embed = |kind, texts: &[&str]| embedder.embed_as(kind, texts);
            let _ = self
                .background
                .set(background::measure(&self.folder, &self.manifest, embed)?);
        }
        Ok(())
    }
}

/// An embedding model, installed or not.
#[derive(Debug)]
struct InstalledModel {
    folder: ModelFolder,
    /// True if there was a folder of models when it was chosen.
    is_in_a_folder: bool,
    inference: InferenceSource,
    key: String,
}

impl TextEmbedder for InstalledModel {
    fn model(&self) -> &str {
        &self.key
    }

    fn is_installed(&self) -> bool {
        self.is_in_a_folder && self.folder.check_lengths().is_ok()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        SharedModel::find(&self.folder)?.embedder(self.inference)?.embed(texts)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<Vec<f32>>> {
        SharedModel::find(&self.folder)?
            .embedder(self.inference)?
            .embed_query(query)
    }

    fn background(&self) -> Option<Arc<BackgroundTexts>> {
        SharedModel::find(&self.folder).ok()?.background()
    }

    fn measure(&self) -> Result<()> {
        SharedModel::find(&self.folder)?.measure(self.inference)
    }

    fn is_measured(&self) -> bool {
        self.key == MODEL
    }
}

/// The models of a user, among which a project's settings choose.
#[derive(Debug)]
pub struct InstalledModels {
    models: Models,
    inference: InferenceSource,
}

impl InstalledModels {
    /// Returns the models in a user's own folder, and the addon that computes with them.
    pub fn of_home(disk: Arc<dyn Disk>, home: &Path, inference: InferenceSource) -> Self {
        InstalledModels {
            models: Models::new(disk, home),
            inference,
        }
    }

    /// Returns what the installed model with this key was measured by, if it was; the user's choice is looked at first.
    pub fn background_of(&self, key: &str) -> Option<Arc<BackgroundTexts>> {
        let names = self.models.default_name().into_iter().chain(self.models.names());
        let mut folders = names.map(|name| self.models.folder(name));
        let folder = folders.find(|folder| folder.manifest().is_ok_and(|manifest| manifest.key() == key))?;
        SharedModel::find(&folder).ok()?.background()
    }
}

impl SentenceModels for InstalledModels {
    fn choose(&self, name: Option<&str>) -> Result<Arc<dyn TextEmbedder>> {
        let are_any = self.models.are_any();
        let name = match name {
            Some(name) => ModelName::parse(name)?,
            None if are_any => self.models.default_name()?,
            None => ModelName::Known,
        };
        let folder = self.models.folder(name);
        // A model that is not installed has no digest, and no vectors were computed with it.
        let key = folder
            .manifest()
            .map_or_else(|_| format!("local:{name}"), |manifest| manifest.key());
        Ok(Arc::new(InstalledModel {
            folder,
            is_in_a_folder: are_any,
            inference: self.inference,
            key,
        }))
    }
}
