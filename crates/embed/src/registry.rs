//! The installed models, and the one that is used: the project's setting, else the user's default, else all-MiniLM-L6-v2.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::Result;
use forge_memory_core::journal::Disk;
use serde::{Deserialize, Serialize};

use crate::manifest::{MANIFEST, MANIFEST_BYTES_MAX};
use crate::model::{ModelFolder, io, is_not_found, models_in, read_bounded};
use crate::name::ModelName;

/// The file with the user's default. No model has this name.
const CHOICE: &str = ".default.json";

/// The models of a user.
#[derive(Debug, Clone)]
pub struct Models {
    disk: Arc<dyn Disk>,
    home: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Choice {
    model: String,
}

impl Models {
    /// Returns the registry of a user's own folder.
    pub fn new(disk: Arc<dyn Disk>, home: &Path) -> Self {
        Models {
            disk,
            home: home.to_path_buf(),
        }
    }

    /// Returns true if there is a folder of models at all: on most machines there is none, and that is all that need be looked at.
    pub fn are_any(&self) -> bool {
        self.disk.link_metadata(&models_in(&self.home)).is_ok()
    }

    /// Returns the folder of a model.
    pub fn folder(&self, name: ModelName) -> ModelFolder {
        ModelFolder::of_home(Arc::clone(&self.disk), &self.home, name)
    }

    /// Returns the name of the built-in model, installed or not, and that of the other one if it has a manifest.
    pub fn names(&self) -> Vec<ModelName> {
        let manifest = self.folder(ModelName::Multilingual).path().join(MANIFEST);
        let other = self.disk.stat(&manifest).is_ok().then_some(ModelName::Multilingual);
        [ModelName::Known].into_iter().chain(other).collect()
    }

    /// Returns the default model.
    pub fn default_name(&self) -> Result<ModelName> {
        let path = self.choice_path();
        let bytes = match read_bounded(self.disk.as_ref(), &path, MANIFEST_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if is_not_found(&error) => return Ok(ModelName::Known),
            Err(error) => return Err(error),
        };
        let choice = serde_json::from_slice::<Choice>(&bytes).ok();
        Ok(choice
            .and_then(|choice| ModelName::parse(&choice.model).ok())
            .unwrap_or(ModelName::Known))
    }

    /// Makes a model the user's default.
    ///
    /// # Errors
    /// `MODEL_MISSING` when it is not installed, `CORRUPT`, `IO`.
    pub fn set_default(&self, name: ModelName) -> Result<()> {
        self.folder(name).states()?;
        let path = self.choice_path();
        if name.is_known() {
            return self.remove_choice(&path);
        }
        let choice = Choice {
            model: name.as_str().to_owned(),
        };
        let text =
            serde_json::to_vec(&choice).map_err(forge_memory_core::Error::internal("write the choice of a model"))?;
        forge_memory_core::journal::write_file(self.disk.as_ref(), &path, &text)?;
        Ok(())
    }

    /// Clears the user's default if it is this model.
    pub fn forget_default(&self, name: ModelName) -> Result<()> {
        if self.default_name()? == name {
            self.remove_choice(&self.choice_path())
        } else {
            Ok(())
        }
    }

    fn remove_choice(&self, path: &Path) -> Result<()> {
        match self.disk.remove(path) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(io("remove", path)(e)),
            _ => Ok(()),
        }
    }

    fn choice_path(&self) -> PathBuf {
        models_in(&self.home).join(CHOICE)
    }
}
