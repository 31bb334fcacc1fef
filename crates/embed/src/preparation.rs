//! Converts the published files of a model to the installed ones: the vocabulary and the weights. What is not pinned is tried out: one text
//! is embedded, so that no model is installed that cannot be used.

use std::io::{self, Read};

use forge_memory_addon::{Inference, Unfit};
use forge_memory_core::journal::Disk;
use forge_memory_core::{Error, Result};
use sha2::{Digest, Sha256};

use crate::architecture::Architecture;
use crate::embedder::Embedder;
use crate::languages::Languages;
use crate::loading::InferenceSource;
use crate::manifest::{Manifest, TOKENIZER_BYTES_MAX};
use crate::model::{PUBLISHED_WEIGHTS, PinnedFile, TOKENIZER, WEIGHTS, corrupt};
use crate::name::ModelName;
use crate::quantize::{Published, quantize};
use crate::source::Origin;

#[derive(Debug)]
pub(crate) struct Prepared {
    pub manifest: Manifest,
    pub tokenizer: Vec<u8>,
    pub weights: Vec<u8>,
}

/// Reads and converts a published model.
///
/// # Errors
/// `INVALID_INPUT` when a file is missing, `CORRUPT` when one is not of this model, `ADDON_MISSING`, `IO`.
pub(crate) fn prepare(
    disk: &dyn Disk,
    inference: InferenceSource,
    origin: &Origin,
    name: ModelName,
) -> Result<Prepared> {
    let tokenizer_path = origin.path_of(&TOKENIZER.name);
    let missing = || Error::invalid("from", format!("{} is missing", tokenizer_path.display()));
    let read = origin.small(disk, &TOKENIZER.name, TOKENIZER_BYTES_MAX)?;
    let tokenizer = read.ok_or_else(missing)?;
    if name.is_known() {
        TOKENIZER.check(&tokenizer_path, &tokenizer)?;
        let (weights, _, _) = quantized(disk, origin, Some(&PUBLISHED_WEIGHTS))?;
        WEIGHTS.check(&origin.path_of(&PUBLISHED_WEIGHTS.name), &weights)?;
        return Ok(Prepared {
            manifest: Manifest::known(),
            tokenizer,
            weights,
        });
    }
    let inference = inference()?;
    let (weights, architecture, published) = quantized(disk, origin, None)?;
    let files = [
        PinnedFile::of(&TOKENIZER.name, &tokenizer),
        PinnedFile::of(&WEIGHTS.name, &weights),
    ];
    let mut prepared = Prepared {
        manifest: Manifest::multilingual(architecture, files, published),
        tokenizer,
        weights,
    };
    prepared.manifest.languages = try_out(inference, origin, &prepared)?;
    Ok(prepared)
}

/// Returns the quantized weights, their network, and what was read.
fn quantized(
    disk: &dyn Disk,
    origin: &Origin,
    pinned: Option<&PinnedFile>,
) -> Result<(Vec<u8>, Architecture, PinnedFile)> {
    origin.with_weights(disk, |path, bytes, reader| {
        pinned.map_or(Ok(()), |pinned| pinned.check_len(path, bytes))?;
        let mut hashed = Hashed {
            reader,
            digest: Sha256::new(),
        };
        let file = Published {
            path,
            bytes,
            reader: &mut hashed,
        };
        let (weights, architecture) = quantize(file)?;
        pinned.map_or(Ok(()), |pinned| pinned.check_digest(path, hashed.digest.clone()))?;
        let published = PinnedFile {
            name: PUBLISHED_WEIGHTS.name,
            bytes,
            sha256: format!("{:x}", hashed.digest.finalize()).into(),
        };
        Ok((weights, architecture, published))
    })
}

/// Runs the network: finite weights can still overflow to infinite results. Returns its languages, if it knows them.
fn try_out(inference: Inference, origin: &Origin, prepared: &Prepared) -> Result<Option<Languages>> {
    let Prepared {
        manifest,
        tokenizer,
        weights,
    } = prepared;
    let network = manifest.network().to_json()?;
    let loaded = inference.load(&network, tokenizer, &mut &weights[..], weights.len() as u64);
    let path = origin.path_of(&PUBLISHED_WEIGHTS.name);
    let model = loaded.map_err(|unfit| match unfit {
        Unfit::Tokenizer(reason) => corrupt(&origin.path_of(&TOKENIZER.name), reason),
        Unfit::Weights(reason) => corrupt(&path, reason),
    })?;
    let embedder = Embedder::of(model, manifest);
    let vectors = embedder.embed(&["a text"])?;
    if !vectors.iter().flatten().all(|number| number.is_finite()) {
        return Err(corrupt(
            &path,
            "the network computes no finite numbers with these weights",
        ));
    }
    Languages::measure(|kind, texts| embedder.embed_as(kind, texts))
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
