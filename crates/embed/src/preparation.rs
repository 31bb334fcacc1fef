//! Converts the published files of a model to the installed ones: the configuration, the vocabulary, the weights. At the end one text is
//! embedded, so that no model is installed that cannot be used.

use std::io::{self, Read};
use std::path::Path;

use forge_memory_addon::{Inference, Unfit};
use forge_memory_core::journal::Disk;
use forge_memory_core::{Error, Result};
use sha2::{Digest, Sha256};

use crate::architecture::Architecture;
use crate::cross_encoder::CrossEncoder;
use crate::embedder::Embedder;
use crate::languages::Languages;
use crate::manifest::{Manifest, Network, TOKENIZER_BYTES_MAX};
use crate::model::{PUBLISHED_WEIGHTS, PinnedFile, TOKENIZER, WEIGHTS, corrupt};
use crate::name::ModelName;
use crate::published::{Config, parse};
use crate::quantize::{Published, quantize};
use crate::recipe::{GivenPrefixes, Purpose, Recipe, SentenceFiles};
use crate::source::Origin;

pub(crate) const CONFIG: &str = "config.json";
/// The files of a published model that are read. The small ones come first, because they show early whether the model is supported.
pub(crate) const PUBLISHED_FILES: [&str; 7] = [
    CONFIG,
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "tokenizer.json",
    "model.safetensors",
];
/// The largest configuration file; those of classifiers have a line per label.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Prepared {
    pub manifest: Manifest,
    pub tokenizer: Vec<u8>,
    pub weights: Vec<u8>,
}

/// Returns the largest accepted length of a published file, in bytes.
pub(crate) fn bytes_max(name: &str) -> u64 {
    match name {
        "model.safetensors" => crate::manifest::WEIGHTS_BYTES_MAX,
        "tokenizer.json" => TOKENIZER_BYTES_MAX,
        _ => CONFIG_BYTES_MAX,
    }
}

/// Reads and converts a published model.
///
/// # Errors
/// `UNSUPPORTED` when it is not of the BERT family, `INVALID_INPUT` when a file is missing or wrong, `CORRUPT` when the weights are not
/// those that the configuration describes, `IO`.
pub(crate) fn prepare(
    disk: &dyn Disk,
    inference: Inference,
    origin: &Origin,
    name: &ModelName,
    given: &GivenPrefixes,
) -> Result<Prepared> {
    let small = |file: &str| origin.small(disk, file, bytes_max(file));
    let config: Config = parse(CONFIG, &small(CONFIG)?.ok_or_else(|| missing(origin, CONFIG))?)?;
    let purpose = Purpose::of(&config)?;
    let architecture = Architecture::of(&config)?;
    let recipe = Recipe::of(name.as_str(), &architecture, &sentence_files(&small)?, given)?;
    let tokenizer = small(&TOKENIZER.name)?.ok_or_else(|| missing(origin, &TOKENIZER.name))?;
    let network = Network {
        purpose,
        architecture,
        recipe,
    };
    inference
        .check_tokenizer(&network.to_json()?, &tokenizer)
        .map_err(|reason| corrupt(&origin.path_of(&TOKENIZER.name), reason))?;
    let (weights, published) = origin.with_weights(disk, |path, bytes, reader| {
        let mut hashed = Hashed {
            reader,
            digest: Sha256::new(),
        };
        let file = Published {
            path,
            bytes,
            reader: &mut hashed,
        };
        let weights = quantize(file, &network.architecture, purpose)?;
        let sha256 = format!("{:x}", hashed.digest.finalize());
        let published = PinnedFile {
            name: PUBLISHED_WEIGHTS.name,
            bytes,
            sha256: sha256.into(),
        };
        Ok((weights, published))
    })?;
    let files = [
        PinnedFile::of(&TOKENIZER.name, &tokenizer),
        PinnedFile::of(&WEIGHTS.name, &weights),
    ];
    let mut manifest = Manifest::new(name, network, files, published);
    manifest.languages = try_out(
        inference,
        &tokenizer,
        &weights,
        &manifest,
        &origin.path_of(&PUBLISHED_WEIGHTS.name),
    )?;
    Ok(Prepared {
        manifest,
        tokenizer,
        weights,
    })
}

fn sentence_files(small: &dyn Fn(&str) -> Result<Option<Vec<u8>>>) -> Result<SentenceFiles> {
    fn read<T: serde::de::DeserializeOwned>(
        small: &dyn Fn(&str) -> Result<Option<Vec<u8>>>,
        name: &str,
    ) -> Result<Option<T>> {
        small(name)?.map(|bytes| parse(name, &bytes)).transpose()
    }
    Ok(SentenceFiles {
        modules: read(small, "modules.json")?,
        pooling: read(small, "1_Pooling/config.json")?,
        sentence: read(small, "sentence_bert_config.json")?.unwrap_or_default(),
        prompts: read(small, "config_sentence_transformers.json")?.unwrap_or_default(),
    })
}

/// Runs the network: finite weights can still overflow to infinite results. Returns its languages, if it knows them.
fn try_out(
    inference: Inference,
    tokenizer: &[u8],
    weights: &[u8],
    manifest: &Manifest,
    path: &Path,
) -> Result<Option<Languages>> {
    let broken = |reason: String| corrupt(path, reason);
    let len = weights.len() as u64;
    let loaded = inference.load(&manifest.network().to_json()?, tokenizer, &mut &weights[..], len);
    let model = loaded.map_err(|unfit| match unfit {
        Unfit::Tokenizer(reason) | Unfit::Weights(reason) => broken(reason),
    })?;
    let is_finite = |numbers: &[f32]| {
        if numbers.iter().all(|number| number.is_finite()) {
            Ok(())
        } else {
            Err(broken(
                "the network computes no finite numbers with these weights".to_owned(),
            ))
        }
    };
    match manifest.purpose {
        Purpose::Embedding => {
            let embedder = Embedder::of(model, manifest);
            is_finite(&embedder.embed(&["a text"])?.concat())?;
            Languages::measure(|kind, texts| embedder.embed_as(kind, texts))
        }
        Purpose::Reranking => is_finite(&CrossEncoder::of(model).score("a query", &["a text"])?).map(|()| None),
    }
}

fn missing(origin: &Origin, name: &str) -> Error {
    Error::invalid("from", format!("{} is missing", origin.path_of(name).display()))
}

/// A reader that hashes the bytes that it passes on.
struct Hashed<'a> {
    reader: &'a mut dyn Read,
    digest: Sha256,
}

impl Read for Hashed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.digest.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
