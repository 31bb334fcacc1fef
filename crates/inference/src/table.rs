//! The functions of this library as the engine calls them.

use std::ffi::c_void;

use forge_memory_addon::{Header, Inference, InferenceTable, QUERY, Sink, Slice, Source, guarded};
use forge_memory_embed::INFERENCE_FORMAT;
use forge_memory_embed::manifest::Network;
use forge_memory_embed::recipe::Recipe;
use forge_memory_embed::weights::Weights;

use crate::embedder::Embedder;
use crate::tokenization::TextTokenizer;

/// The table that the library exports.
#[unsafe(no_mangle)]
pub static FORGE_MEMORY_INFERENCE: InferenceTable = InferenceTable {
    header: Header::new(INFERENCE_FORMAT),
    load,
    embed,
    release,
};

/// The same for a program that has this crate linked.
pub const TABLE: Inference = Inference::of(&FORGE_MEMORY_INFERENCE);

/// Which part of a model does not fit, and why.
struct Unfit(u8, String);

const TOKENIZER: u8 = 1;
const WEIGHTS: u8 = 2;

type Outcome<T> = Result<T, String>;

fn network_of(description: Slice<'_>) -> Outcome<Network> {
    serde_json::from_slice(description.bytes()).map_err(|e| e.to_string())
}

fn tokenizer_of(json: &[u8], network: &Network) -> Outcome<TextTokenizer> {
    let tokenizer = TextTokenizer::read(json, &network.recipe).map_err(|e| format!("it is not a tokenizer: {e}"))?;
    let (count, rows) = (tokenizer.len(), network.architecture.vocabulary);
    if count > rows {
        return Err(format!(
            "it has {count} tokens, and the table of embeddings {rows} rows"
        ));
    }
    if network.recipe == Recipe::MULTILINGUAL && !tokenizer.has_pieces() {
        return Err("it has no vocabulary of sentence pieces, as multilingual-e5-small does".to_owned());
    }
    Ok(tokenizer)
}

/// # Safety
/// The arguments are of the running call.
unsafe extern "C" fn load(
    network: Slice<'_>,
    tokenizer: Slice<'_>,
    weights: &mut Source<'_>,
    part: &mut u8,
    reason: &mut Sink<'_>,
) -> *mut c_void {
    let outcome = || made(network, tokenizer.bytes(), weights);
    match guarded(Err(Unfit(WEIGHTS, String::new())), outcome) {
        Ok(model) => Box::into_raw(Box::new(model)).cast(),
        Err(Unfit(wrong, why)) => {
            *part = wrong;
            reason.append(why.as_bytes());
            std::ptr::null_mut()
        }
    }
}

fn made(network: Slice<'_>, tokenizer: &[u8], source: &mut Source<'_>) -> Result<Embedder, Unfit> {
    let unfit = |part: u8| move |why: String| Unfit(part, why);
    let network = network_of(network).map_err(unfit(WEIGHTS))?;
    let tokenizer = tokenizer_of(tokenizer, &network).map_err(unfit(TOKENIZER))?;
    let len = source.len;
    let weights = Weights::read(source, len).map_err(unfit(WEIGHTS))?;
    Embedder::of(tokenizer, weights, &network).map_err(unfit(WEIGHTS))
}

/// # Safety
/// `model` is one of [`load`] that was not released, and there are `count` texts.
unsafe extern "C" fn embed(
    model: *const c_void,
    kind: u8,
    texts: *const Slice<'_>,
    count: usize,
    numbers: &mut Sink<'_>,
    reason: &mut Sink<'_>,
) -> bool {
    // SAFETY: the caller guarantees both.
    let (model, texts) = unsafe { (&*model.cast::<Embedder>(), std::slice::from_raw_parts(texts, count)) };
    let outcome = || model.embed(kind == QUERY, texts);
    let found = told(guarded(Err(String::new()), outcome), reason);
    if let Some(found) = &found {
        let bytes: Vec<u8> = found.iter().flat_map(|number| number.to_ne_bytes()).collect();
        numbers.append(&bytes);
    }
    found.is_some()
}

/// # Safety
/// `model` is one of [`load`], and is not used again.
unsafe extern "C" fn release(model: *mut c_void) {
    // SAFETY: the caller guarantees it.
    let model = unsafe { Box::from_raw(model.cast::<Embedder>()) };
    guarded((), || drop(model));
}

fn told<T>(outcome: Outcome<T>, reason: &mut Sink<'_>) -> Option<T> {
    outcome.inspect_err(|why| reason.append(why.as_bytes())).ok()
}
