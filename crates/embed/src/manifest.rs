//! The manifest of an installed model: its architecture, its recipe, and the digests of its files. That of all-MiniLM-L6-v2 is built in;
//! that of multilingual-e5-small is written when it is installed and checked each time it is loaded.

use std::borrow::Cow;

use forge_memory_core::text::relevance::KNOWS_LANGUAGES;
use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::architecture::{Architecture, KNOWN};
use crate::languages::Languages;
use crate::name::{ModelName, NAME};
use crate::pinned::{MODEL, PUBLISHED_WEIGHTS, PinnedFile, TOKENIZER, WEIGHTS};
use crate::recipe::Recipe;

pub(crate) const MANIFEST: &str = "model.json";
/// The largest manifest; real ones have a few lines.
pub(crate) const MANIFEST_BYTES_MAX: u64 = 64 * 1024;
/// The largest `tokenizer.json`; that of XLM-RoBERTa has 17 MB.
pub(crate) const TOKENIZER_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// The largest published weights that are read; those of multilingual-e5-small have 471 MB.
pub(crate) const WEIGHTS_BYTES_MAX: u64 = 512 * 1024 * 1024;

const FORMAT: u32 = 1;
const PURPOSE: &str = "embedding";
/// The number of hexadecimal digits of the digest in a model's key.
const KEY_DIGITS: usize = 12;

/// The description of an installed model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    /// Its name.
    pub name: String,
    purpose: Cow<'static, str>,
    /// Its architecture.
    pub architecture: Architecture,
    /// How texts are converted to vectors.
    pub recipe: Recipe,
    /// The installed files: the vocabulary and the quantized weights.
    pub files: Vec<PinnedFile>,
    /// The published weights that they were made from.
    pub published: PinnedFile,
    /// The means and directions removed from vectors so that languages do not separate them, if the model knows languages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) languages: Option<Languages>,
}

/// The network: all that the inference addon has to know besides the bytes of the files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// The network.
    pub architecture: Architecture,
    /// How texts become vectors.
    pub recipe: Recipe,
}

impl Network {
    /// Returns it as it crosses the border of the addon.
    ///
    /// # Errors
    /// `INTERNAL`, when it cannot be written as JSON.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(Error::internal("describe a network"))
    }
}

impl Manifest {
    /// Returns the manifest of multilingual-e5-small with these files.
    pub(crate) fn multilingual(architecture: Architecture, files: [PinnedFile; 2], published: PinnedFile) -> Self {
        Manifest {
            name: ModelName::Multilingual.as_str().to_owned(),
            architecture,
            recipe: Recipe::MULTILINGUAL,
            files: files.to_vec(),
            published,
            ..Manifest::known()
        }
    }

    /// Returns the manifest of all-MiniLM-L6-v2.
    pub fn known() -> Self {
        Manifest {
            format: FORMAT,
            name: NAME.to_owned(),
            purpose: Cow::Borrowed(PURPOSE),
            architecture: KNOWN,
            recipe: Recipe::KNOWN,
            files: vec![TOKENIZER, WEIGHTS],
            published: PUBLISHED_WEIGHTS,
            languages: None,
        }
    }

    /// Parses the manifest of multilingual-e5-small, and checks its values.
    ///
    /// # Errors
    /// A description of the problem.
    pub(crate) fn parse(bytes: &[u8]) -> std::result::Result<Self, String> {
        let manifest: Manifest = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        if manifest.format != FORMAT {
            return Err(format!("its format is {}, expected {FORMAT}", manifest.format));
        }
        let model = ModelName::Multilingual;
        let has_its_recipe = manifest.purpose == PURPOSE && manifest.recipe == Recipe::MULTILINGUAL;
        if manifest.name != model.as_str() || !has_its_recipe || !manifest.architecture.is_supported() {
            let found = manifest.name;
            return Err(format!(
                "it describes another model ({found}): {NAME} and {model} are supported"
            ));
        }
        if let Some(languages) = &manifest.languages {
            languages.check(manifest.dimensions())?;
        }
        let [tokenizer, weights] = &manifest.files[..] else {
            return Err("expected two files".to_owned());
        };
        for (file, name, most) in [
            (tokenizer, &TOKENIZER.name, TOKENIZER_BYTES_MAX),
            (weights, &WEIGHTS.name, WEIGHTS_BYTES_MAX),
        ] {
            let is_digest = file.sha256.len() == 64 && file.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
            if file.name != *name || file.bytes > most || !is_digest {
                return Err(format!("{name} is not described as it should be"));
            }
        }
        Ok(manifest)
    }

    /// Returns the text of the file.
    ///
    /// # Errors
    /// `INTERNAL`, when it cannot be written as JSON.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self).map_err(Error::internal("write a manifest"))?;
        text.push(b'\n');
        Ok(text)
    }

    pub(crate) fn network(&self) -> Network {
        Network {
            architecture: self.architecture.clone(),
            recipe: self.recipe.clone(),
        }
    }

    /// Returns true if it is the built-in one.
    pub fn is_known(&self) -> bool {
        self.name == NAME
    }

    /// Returns the dimension of a vector.
    pub fn dimensions(&self) -> usize {
        self.architecture.hidden
    }

    pub(crate) fn tokenizer(&self) -> &PinnedFile {
        self.files.first().unwrap_or(&TOKENIZER)
    }

    pub(crate) fn weights(&self) -> &PinnedFile {
        self.files.get(1).unwrap_or(&WEIGHTS)
    }

    /// Returns the key of its vectors. It contains a digest of everything that they depend on, so that vectors of different models are
    /// never compared.
    pub fn key(&self) -> String {
        if self.is_known() {
            return MODEL.to_owned();
        }
        let mut digest = Sha256::new();
        let parts = (&self.purpose, &self.architecture, &self.recipe, &self.files);
        digest.update(serde_json::to_vec(&parts).unwrap_or_default());
        // Not the numbers: processors round them differently, and vectors of one model are comparable all the same.
        let languages = self.languages.as_ref().map_or("", |_| KNOWS_LANGUAGES);
        digest.update(languages);
        digest.update(self.languages.as_ref().map_or(&[][..], Languages::version));
        let digits = format!("{:x}", digest.finalize());
        let digits = digits.get(..KEY_DIGITS).unwrap_or_default();
        format!("local:{}{languages}@{digits}", self.name)
    }
}

#[cfg(test)]
mod tests;
