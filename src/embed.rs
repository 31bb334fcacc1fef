//! Sentence embeddings on this machine, and the vectors of records.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge_memory_core::limits::check_whole;
use forge_memory_core::{EmbedOptions, Error, Memory};
use forge_memory_embed::{SharedModel, TextKind};
use napi::bindgen_prelude::{AsyncTask, Float32Array, Unknown};
use napi_derive::napi;

use crate::addons::inference;
use crate::answer::count;
use crate::error::Result;
use crate::input::{InProject, read, read_or_empty, refused};
use crate::models::folder_of;
use crate::projects::environment;
use crate::task::{CoreTask, promise};

/// Embeds texts as vectors of length 1 with an installed model, which is loaded by the first text and stays loaded in this process.
#[napi]
pub struct LocalEmbedder {
    model: Mutex<Option<Arc<SharedModel>>>,
    name: String,
    key: String,
    dimensions: usize,
}

#[napi]
impl LocalEmbedder {
    /// Finds an installed model. Throws `MODEL_MISSING` when it is not installed, `CORRUPT` when a file has the wrong
    /// length or it is another model.
    #[napi(factory, catch_unwind, ts_args_type = "options?: ModelOptions")]
    pub fn open(options: Unknown) -> Result<Self> {
        let folder = folder_of(&options)?;
        let model = SharedModel::find(&folder).map_err(|error| refused(&options, &error))?;
        let manifest = model.manifest();
        Ok(LocalEmbedder {
            name: manifest.name.clone(),
            key: manifest.key(),
            dimensions: manifest.dimensions(),
            model: Mutex::new(Some(model)),
        })
    }

    /// The model's name.
    #[napi(getter)]
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// The name under which stores keep its vectors: that of the model with the digest of everything that they depend on. Vectors of
    /// different models cannot be compared.
    #[napi(getter)]
    pub fn key(&self) -> String {
        self.key.clone()
    }

    /// The dimension of a vector.
    #[napi(getter)]
    pub fn dimensions(&self) -> u32 {
        count(self.dimensions)
    }

    /// Resolves to one vector per text, in their order. Texts are passages unless `kind` says that they are queries: some models have a
    /// prefix for each. Only the first tokens of a text count, as many as the model reads. Throws `INVALID_INPUT` when a text is not a
    /// string or the embedder is closed. Rejects with `CORRUPT` when a file differs from the installed one, with `MODEL_MISSING`
    /// when it is gone, or with `IO`.
    #[napi(
        catch_unwind,
        ts_args_type = "texts: Array<string>, kind?: 'passage' | 'query'",
        ts_return_type = "Promise<Array<Float32Array>>"
    )]
    pub fn embed(&self, texts_given: Unknown, kind: Unknown) -> Result<AsyncTask<CoreTask<Vec<Float32Array>>>> {
        let texts: Vec<String> = read("texts", &texts_given)?;
        let kind = match read::<Option<String>>("kind", &kind)?.as_deref() {
            None | Some("passage") => TextKind::Passage,
            Some("query") => TextKind::Query,
            Some(_) => {
                let wrong = Error::invalid("kind", "expected passage or query");
                return Err(refused(&texts_given, &wrong));
            }
        };
        let closed = || refused(&texts_given, &Error::invalid("embedder", "is closed"));
        let model = self.lock().clone().ok_or_else(closed)?;
        Ok(promise(move || {
            Ok(model
                .embedder(inference)?
                .embed_as(kind, &texts)?
                .into_iter()
                .map(Float32Array::new)
                .collect())
        }))
    }

    /// Releases the model after pending calls.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.lock().take();
    }
}

impl LocalEmbedder {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<SharedModel>>> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The default and the maximum number of passages per pass.
const PASSAGES: usize = 256;
const PASSAGES_MAX: f64 = 100_000.0;

/// The result of a pass that computes vectors.
#[napi(object, object_from_js = false)]
pub struct EmbeddingPass {
    /// How many texts were embedded.
    pub made: u32,
    /// How many texts have vectors now.
    pub covered: u32,
    /// How many texts there are; copies of one count once.
    pub total: u32,
    /// True when another process is embedding; nothing was done then.
    pub busy: bool,
}

/// Computes vectors for records that have none yet, newest first, for semantic `recall`. Each batch is stored, so that
/// the next call continues from there. Rejects with `UNSUPPORTED` when the model is not installed, `CORRUPT`, `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: EmbedOptions",
    ts_return_type = "Promise<EmbeddingPass>"
)]
pub fn embed_memories(options_given: Unknown) -> Result<AsyncTask<CoreTask<EmbeddingPass>>> {
    let options: InProject<EmbedOptions> = read_or_empty("options", &options_given)?;
    let limit = check_whole("limit", options.options.limit, PASSAGES, 1.0, PASSAGES_MAX)
        .map_err(|error| refused(&options_given, &error))?;
    let environment = environment(&options).map_err(|error| refused(&options_given, &error))?;
    // A separate memory, so that captures and searches do not wait for this.
    Ok(promise(move || {
        let pass = Memory::open(environment).vectors().embed_missing(limit)?;
        Ok(EmbeddingPass {
            made: count(pass.made),
            covered: count(pass.coverage.covered),
            total: count(pass.coverage.total),
            busy: pass.is_busy,
        })
    }))
}
