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
use crate::recipe::Purpose;

/// The file with the user's default. Names of models cannot begin with a dot.
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
    pub fn folder(&self, name: &ModelName) -> ModelFolder {
        ModelFolder::of_home(Arc::clone(&self.disk), &self.home, name)
    }

    /// Returns the name of the built-in model, installed or not, followed by those of all models with a manifest.
    pub fn names(&self) -> Result<Vec<ModelName>> {
        let folder = models_in(&self.home);
        let entries = match self.disk.list(&folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(io("read", &folder)(e)),
        };
        let mut names: Vec<ModelName> = entries
            .iter()
            .filter(|entry| entry.is_folder)
            .filter_map(|entry| ModelName::parse(&entry.name.to_string_lossy()).ok())
            .filter(|name| !name.is_known() && self.disk.stat(&folder.join(name.as_str()).join(MANIFEST)).is_ok())
            .collect();
        names.sort_unstable();
        names.insert(0, ModelName::known());
        Ok(names)
    }

    /// Returns the default model.
    pub fn default_name(&self) -> Result<ModelName> {
        let path = self.choice_path();
        let bytes = match read_bounded(self.disk.as_ref(), &path, MANIFEST_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if is_not_found(&error) => return Ok(ModelName::known()),
            Err(error) => return Err(error),
        };
        let choice = serde_json::from_slice::<Choice>(&bytes).ok();
        Ok(choice
            .and_then(|choice| ModelName::parse(&choice.model).ok())
            .unwrap_or_else(ModelName::known))
    }

    /// Makes a model the user's default.
    ///
    /// # Errors
    /// `MODEL_MISSING` when it is not installed, `INVALID_INPUT` when it is not an embedding model, `CORRUPT`, `IO`.
    pub fn set_default(&self, name: &ModelName) -> Result<()> {
        let (manifest, _) = self.folder(name).states()?;
        if manifest.purpose != Purpose::Embedding {
            return Err(forge_memory_core::Error::invalid(
                "name",
                format!("{name} is a cross-encoder, which makes no vectors"),
            ));
        }
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
    pub fn forget_default(&self, name: &ModelName) -> Result<()> {
        if self.default_name()? == *name {
            self.remove_choice(&self.choice_path())
        } else {
            Ok(())
        }
    }

    /// Returns the first cross-encoder by name, if one is installed.
    pub fn reranker(&self) -> Option<ModelFolder> {
        let names = self.names().ok()?;
        let folders = names.iter().map(|name| self.folder(name));
        let mut rerankers = folders.filter(|folder| {
            let states = folder.states();
            states.is_ok_and(|(manifest, _)| manifest.purpose == Purpose::Reranking)
        });
        rerankers.next()
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
