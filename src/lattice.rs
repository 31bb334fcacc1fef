//! The code graph: index, query, callers, callees, blast, stat.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use forge_memory_core::Error;
use forge_memory_lattice::{self as core, BlastOptions, IndexOptions, QueryOptions, Seed, StatOptions};
use napi::bindgen_prelude::{AsyncTask, FnArgs, FromNapiValue, Function, JsValue, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, Task, ValueType};
use napi_derive::napi;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::addons::grammars;
use crate::answer::{Answer, Encoded, count};
use crate::code_graphs::open_code_graph;
use crate::error::{Result, thrown};
use crate::input::{InProject, read, read_or_empty, refused};
use crate::projects::{project_dir, user_home};

/// Runs `work` on the graph of the project that the options name; `accepts` returns whether it may be a foreign one.
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

type Counts = FnArgs<(u32, u32)>;
type Progress = ThreadsafeFunction<Counts, Unknown<'static>, Counts, Status, false, true>;

/// A run of the index on the thread pool.
pub struct LatticeIndexTask {
    lattice: Option<core::Lattice>,
    options: core::IndexOptions,
    progress: Option<Progress>,
}

impl Task for LatticeIndexTask {
    type Output = forge_memory_core::Result<core::IndexOutcome>;
    type JsValue = Encoded;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let LatticeIndexTask {
            lattice,
            options,
            progress,
        } = self;
        let progress = progress.as_ref();
        let reported = std::sync::atomic::AtomicUsize::new(0);
        let tell = |done: usize, total: usize| {
            let Some(progress) = progress else { return };
            // Progress is reported in at most a hundred steps.
            let step = (done * 100).checked_div(total).unwrap_or(100);
            if done == 0 || reported.fetch_max(step, std::sync::atomic::Ordering::Relaxed) < step {
                progress.call(
                    FnArgs::from((count(done), count(total))),
                    ThreadsafeFunctionCallMode::NonBlocking,
                );
            }
        };
        let bug = |_| napi::Error::new(Status::GenericFailure, "internal error");
        let index = || {
            let closed = || Error::Closed { what: "code graph" };
            let lattice = lattice.take().ok_or_else(closed)?;
            lattice.parsing_with(grammars()?).index(options, &tell)
        };
        catch_unwind(AssertUnwindSafe(index)).map_err(bug)
    }

    fn resolve(&mut self, env: Env, output: Self::Output) -> napi::Result<Encoded> {
        let encoded = output.and_then(|outcome| Encoded::of(&outcome));
        encoded.map_err(|error| thrown(&env, &error))
    }
}

/// Updates the index of the code graph. With `paths` or `since` only those files are read, and the rest of the index stays.
/// A run that reaches `maxSeconds` or `maxMemoryMb` leaves something out, reports that in `limit`, and the next run makes
/// up for it. `onProgress` is called with the number of files done and the total. Rejects with
/// `ERR_LATTICE_PATH_OUTSIDE_REPO`, `INVALID_INPUT`, `ADDON_MISSING` or `ADDON_UNUSABLE` (the grammars are a package of their own:
/// `forge-memory-lattice`), `LOCKED` or `IO`; the index is unchanged then.
#[napi(
    catch_unwind,
    ts_args_type = "options?: LatticeIndexOptions, onProgress?: (done: number, total: number) => void",
    ts_return_type = "Promise<LatticeIndexOutcome>"
)]
pub fn lattice_index(options: Unknown, on_progress: Unknown) -> Result<AsyncTask<LatticeIndexTask>> {
    let asked: InProject<IndexOptions> = read_or_empty("options", &options)?;
    let progress = match on_progress.get_type()? {
        ValueType::Undefined => None,
        ValueType::Function => Some(progress_of(&on_progress)?),
        _ => {
            return Err(refused(
                &on_progress,
                &Error::invalid("onProgress", "expected a function"),
            ));
        }
    };
    let dir = project_dir(&asked).map_err(|error| refused(&options, &error))?;
    Ok(AsyncTask::new(LatticeIndexTask {
        lattice: Some(core::Lattice::new(dir, user_home())),
        options: asked.options,
        progress,
    }))
}

fn progress_of(value: &Unknown<'_>) -> Result<Progress> {
    let raw = value.value();
    // SAFETY: the value is a function of the running call, as checked above.
    let function = unsafe { Function::<Counts, Unknown<'static>>::from_napi_value(raw.env, raw.value) }?;
    // Weak: reporting progress must not keep the process alive.
    function.build_threadsafe_function::<Counts>().weak::<true>().build()
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
    with(
        &options,
        |seed: &Seed| seed.foreign,
        |lattice, seed| lattice.callers(&seed, seed.limit),
    )
    .map(Answer)
}

/// Finds what a definition calls. Throws `INVALID_INPUT`.
#[napi(
    catch_unwind,
    ts_args_type = "options: LatticeSeed",
    ts_return_type = "LatticeAnswer"
)]
pub fn lattice_callees(options: Unknown) -> Result<Answer<core::Answers>> {
    with(
        &options,
        |seed: &Seed| seed.foreign,
        |lattice, seed| lattice.callees(&seed, seed.limit),
    )
    .map(Answer)
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
            ..Seed::default()
        };
        lattice.blast(&seed, options.direction, options.depth, options.limit)
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
