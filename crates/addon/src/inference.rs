//! The addon of the models: tokenization, and the network.

use std::ffi::c_void;
use std::io::Read;

use crate::bytes::{Sink, Slice, Source};
use crate::header::Header;

/// A text that is searched.
pub const PASSAGE: u8 = 0;
/// A text that is searched by.
pub const QUERY: u8 = 1;

/// The functions of the addon. Numbers are 32-bit floats of this machine; `reason` receives why a function failed.
#[repr(C)]
#[derive(Debug)]
pub struct InferenceTable {
    /// The kind and version of the table.
    pub header: Header,
    /// Makes a model of its description, its vocabulary and its weights; null when they do not fit each other. `part` tells which of
    /// them does not: 1 for the vocabulary, 2 for the weights.
    pub load: unsafe extern "C" fn(
        manifest: Slice<'_>,
        tokenizer: Slice<'_>,
        weights: &mut Source<'_>,
        part: &mut u8,
        reason: &mut Sink<'_>,
    ) -> *mut c_void,
    /// Computes one vector per text.
    pub embed: unsafe extern "C" fn(
        model: *const c_void,
        kind: u8,
        texts: *const Slice<'_>,
        count: usize,
        numbers: &mut Sink<'_>,
        reason: &mut Sink<'_>,
    ) -> bool,
    /// Releases a model.
    pub release: unsafe extern "C" fn(model: *mut c_void),
}

/// The inference addon, wherever it is linked.
#[derive(Debug, Clone, Copy)]
pub struct Inference {
    table: &'static InferenceTable,
}

/// Why a model could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// The vocabulary is wrong.
    Tokenizer(String),
    /// The weights are wrong.
    Weights(String),
}

impl Inference {
    /// The symbol that the library exports.
    pub const SYMBOL: &'static [u8] = b"FORGE_MEMORY_INFERENCE\0";

    /// Uses a table.
    pub const fn of(table: &'static InferenceTable) -> Self {
        Inference { table }
    }

    /// Makes a model of its description, its vocabulary and its weights, of which there are `len` bytes.
    ///
    /// # Errors
    /// Which of them is wrong, and why.
    pub fn load(
        &self,
        manifest: &[u8],
        tokenizer: &[u8],
        mut weights: &mut dyn Read,
        len: u64,
    ) -> Result<Model, Unfit> {
        let (mut part, mut reason) = (0, Vec::new());
        let (manifest, tokenizer) = (Slice::of(manifest), Slice::of(tokenizer));
        let (mut source, mut sink) = (Source::of(&mut weights, len), Sink::of(&mut reason));
        // SAFETY: as in `Grammars::facts`.
        let model = unsafe { (self.table.load)(manifest, tokenizer, &mut source, &mut part, &mut sink) };
        if !model.is_null() {
            return Ok(Model {
                table: self.table,
                model,
            });
        }
        Err(match part {
            1 => Unfit::Tokenizer(text(reason)),
            _ => Unfit::Weights(text(reason)),
        })
    }
}

/// A loaded model.
#[derive(Debug)]
pub struct Model {
    table: &'static InferenceTable,
    model: *mut c_void,
}

// SAFETY: the addon keeps a model that it only reads after it was made.
unsafe impl Send for Model {}
// SAFETY: see above.
unsafe impl Sync for Model {}

impl Model {
    /// Returns the numbers of one vector per text, one after the other.
    pub fn embed<T: AsRef<str>>(&self, kind: u8, texts: &[T]) -> Result<Vec<f32>, String> {
        let texts = slices(texts);
        let (mut numbers, mut reason) = (Vec::new(), Vec::new());
        let (mut to, mut why) = (Sink::of(&mut numbers), Sink::of(&mut reason));
        // SAFETY: the model is one of this table, and as many texts are there.
        let done = unsafe { (self.table.embed)(self.model, kind, texts.as_ptr(), texts.len(), &mut to, &mut why) };
        if done { Ok(floats(&numbers)) } else { Err(text(reason)) }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the model is one of this table, and is not used again.
        unsafe { (self.table.release)(self.model) }
    }
}

fn slices<T: AsRef<str>>(texts: &[T]) -> Vec<Slice<'_>> {
    texts.iter().map(|text| Slice::of(text.as_ref().as_bytes())).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect()
}

fn text(reason: Vec<u8>) -> String {
    match String::from_utf8(reason) {
        Ok(reason) if !reason.is_empty() => reason,
        _ => "it ended early".to_owned(),
    }
}
