//! The code graph: query, callers, callees, blast, stat. Its index is made by the second library.

use std::sync::PoisonError;

use forge_memory_lattice::{self as core, BlastOptions, QueryOptions, Seed, StatOptions};
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::answer::Answer;
use crate::code_graphs::open_code_graph;
use crate::error::Result;
use crate::input::{InProject, read, read_or_empty, refused};
use crate::projects::project_dir;

/// Runs `work` on the graph of the project that the options name; `accepts` returns true if it may be a foreign one.
fn with<O: DeserializeOwned, T>(
    given: &Unknown<'_>,
    accepts: fn(&O) -> bool,
    work: impl FnOnce(&mut core::Lattice, O) -> forge_memory_core::Result<T>,
) -> Result<T> {
    let asked: InProject<O> = read_or_empty("options", given)?;
    let outcome = project_dir(&asked).and_then(|dir| {
        let lattice = open_code_graph(dir, accepts(&asked.options));
        let mut lattice = lattice.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut lattice, asked.options)
    });
    outcome.map_err(|error| refused(given, &error))
}

/// Searches chunks by words, best first. Without an index the answer is an empty list and a message. Throws `INVALID_INPUT`
/// when an option is invalid.
#[napi(
    catch_unwind,
    ts_args_type = "options?: LatticeQueryOptions",
    ts_return_type = "LatticeAnswer"
)]
pub fn lattice_query(options: Unknown) -> Result<Answer<core::Answers>> {
    let accepts = |options: &QueryOptions| options.foreign;
    with(&options, accepts, |lattice, options| lattice.query(&options)).map(Answer)
}

/// Finds the callers of a definition, most certain first; a chunk with several calls counts once. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "options: LatticeSeed",
    ts_return_type = "LatticeAnswer"
)]
pub fn lattice_callers(options: Unknown) -> Result<Answer<core::Answers>> {
    let accepts = |seed: &Seed| seed.foreign;
    with(&options, accepts, |lattice, seed| lattice.callers(&seed)).map(Answer)
}

/// Finds the callees of a definition. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "options: LatticeSeed",
    ts_return_type = "LatticeAnswer"
)]
pub fn lattice_callees(options: Unknown) -> Result<Answer<core::Answers>> {
    let accepts = |seed: &Seed| seed.foreign;
    with(&options, accepts, |lattice, seed| lattice.callees(&seed)).map(Answer)
}

/// Finds everything that is reachable from a definition by callers, callees or both, each chunk once: its blast radius, and
/// the graph around a symbol. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "options: LatticeBlastOptions",
    ts_return_type = "LatticeBlast"
)]
pub fn lattice_blast(options: Unknown) -> Result<Answer<core::Blast>> {
    let blast = |lattice: &mut core::Lattice, options: BlastOptions| {
        let seed = Seed {
            name: options.name,
            chunk_id: options.chunk_id,
            limit: options.limit,
            foreign: options.foreign,
        };
        lattice.blast(&seed, options.direction, options.depth)
    };
    with(&options, |options: &BlastOptions| options.foreign, blast).map(Answer)
}

/// Returns statistics of the index; zeros and nulls without an index.
#[napi(
    catch_unwind,
    ts_args_type = "options?: LatticeStatOptions",
    ts_return_type = "LatticeStat"
)]
pub fn lattice_stat(options: Unknown) -> Result<Answer<core::Stat>> {
    with(
        &options,
        |options: &StatOptions| options.foreign,
        |lattice, _| lattice.stat(),
    )
    .map(Answer)
}

/// A word and its count.
#[napi(object, object_from_js = false)]
pub struct LatticeWord {
    pub word: String,
    pub count: u32,
}

/// Splits a text into lower-case words, and identifiers into their parts. Returns each word with its count.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn lattice_words(text_value: Unknown) -> Vec<LatticeWord> {
    let text: String = read("text", &text_value).unwrap_or_default();
    core::rank::tokenize(&text)
        .into_iter()
        .map(|(word, count)| LatticeWord { word, count })
        .collect()
}

/// The fields of a chunk that its score depends on.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct NamedPlace {
    name: String,
    file_path: String,
}

/// Returns the share of a query's words that occur in a chunk's name and path, 0 to 1; the name counts twice.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, chunk: { name?: string, filePath?: string }"
)]
pub fn score_chunk(query: Unknown, chunk: Unknown) -> Result<f64> {
    let NamedPlace { name, file_path } = read("chunk", &chunk)?;
    let query: String = read("query", &query).unwrap_or_default();
    Ok(core::rank::score_chunk(&query, &name, &file_path))
}
