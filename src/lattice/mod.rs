//! The code graph: index, query, callers, callees, blast, stat.

pub mod shapes;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use forge_memory_core::Error;
use forge_memory_lattice as core;
use napi::bindgen_prelude::{AsyncTask, FnArgs, FromNapiValue, Function, JsValue, Null, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Either, Env, JsError, Status, Task, ValueType};
use napi_derive::napi;

use crate::error::{Result, internal, to_js};
use crate::projects::{project_dir, user_home};
use crate::reader::{Fields, text};
use shapes::{
    LatticeAnswer, LatticeBlast, LatticeChunk, LatticeEdge, LatticeHot, LatticeIndexOutcome, LatticeStat, LatticeWord,
};

/// The graphs that are open in this process, by folder; what was asked last stands last.
static OPEN: Mutex<Vec<(PathBuf, Arc<Mutex<core::Lattice>>)>> = Mutex::new(Vec::new());
const OPEN_MAX: usize = 16;

fn open(options: &Fields<'_>) -> Result<Arc<Mutex<core::Lattice>>> {
    let dir = project_dir(options)?;
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all
        .iter()
        .position(|(known, _)| *known == dir)
        .map(|at| all.remove(at).1);
    let lattice = found.unwrap_or_else(|| Arc::new(Mutex::new(core::Lattice::new(dir.clone(), user_home()))));
    if all.len() >= OPEN_MAX {
        all.remove(0);
    }
    all.push((dir, Arc::clone(&lattice)));
    Ok(lattice)
}

fn with<T>(options: &Fields<'_>, work: impl FnOnce(&mut core::Lattice) -> forge_memory_core::Result<T>) -> Result<T> {
    let lattice = open(options)?;
    let mut lattice = lattice.lock().unwrap_or_else(PoisonError::into_inner);
    work(&mut lattice).map_err(to_js)
}

type Counts = FnArgs<(u32, u32)>;
type Progress = ThreadsafeFunction<Counts, Unknown<'static>, Counts, Status, false, true>;

/// A run of the index, on the thread pool.
pub struct LatticeIndexTask {
    lattice: core::Lattice,
    options: core::IndexOptions,
    progress: Option<Progress>,
}

impl Task for LatticeIndexTask {
    type Output = forge_memory_core::Result<core::IndexOutcome>;
    type JsValue = LatticeIndexOutcome;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let LatticeIndexTask {
            lattice,
            options,
            progress,
        } = self;
        let progress = progress.as_ref();
        let told = std::sync::atomic::AtomicUsize::new(0);
        let tell = |done: usize, total: usize| {
            let Some(progress) = progress else { return };
            // A hundred steps are as many as anybody sees.
            let step = (done * 100).checked_div(total).unwrap_or(100);
            if done == 0 || told.fetch_max(step, std::sync::atomic::Ordering::Relaxed) < step {
                progress.call(
                    FnArgs::from((number(done), number(total))),
                    ThreadsafeFunctionCallMode::NonBlocking,
                );
            }
        };
        let bug = |_| napi::Error::new(Status::GenericFailure, "internal error");
        catch_unwind(AssertUnwindSafe(|| lattice.index(options, &tell))).map_err(bug)
    }

    fn resolve(&mut self, env: Env, output: Self::Output) -> napi::Result<LatticeIndexOutcome> {
        let outcome = output.map_err(|error| napi::Error::from(JsError::from(to_js(error)).into_unknown(env)))?;
        Ok(LatticeIndexOutcome {
            files_indexed: number(outcome.files_indexed),
            files_changed: number(outcome.files_changed),
            files_removed: number(outcome.files_removed),
            files_skipped: number(outcome.files_skipped()),
            skipped: outcome
                .skipped
                .iter()
                .map(|(reason, count)| ((*reason).to_owned(), number(*count)))
                .collect(),
            chunks: number(outcome.chunks),
            edges: number(outcome.edges),
            limit: outcome.limit.map(|limit| limit.name().to_owned()),
        })
    }
}

/// Brings the index of the code graph up to date. With `paths` or `since` only those files are looked at, and the rest of
/// the index stays. A run that reaches `maxSeconds` or `maxMemoryMb` leaves something out, says so in `limit`, and the next one makes
/// up for it. `onProgress` is told how many files of how many are done. Rejects with
/// `ERR_LATTICE_PATH_OUTSIDE_REPO`, `INVALID_INPUT`, `LOCKED` or `IO`; the index is as it was then.
#[napi(
    catch_unwind,
    ts_args_type = "options?: LatticeIndexOptions, onProgress?: (done: number, total: number) => void",
    ts_return_type = "Promise<LatticeIndexOutcome>"
)]
pub fn lattice_index(options: Unknown, on_progress: Unknown) -> Result<AsyncTask<LatticeIndexTask>> {
    let fields = Fields::optional("options", &options)?;
    fields.only_options(&[c"paths", c"since", c"maxSeconds", c"maxMemoryMb"])?;
    let progress = match on_progress.get_type().map_err(internal)? {
        ValueType::Undefined => None,
        ValueType::Function => Some(progress_of(&on_progress)?),
        _ => return Err(to_js(Error::invalid("onProgress", "a function is due"))),
    };
    Ok(AsyncTask::new(LatticeIndexTask {
        lattice: core::Lattice::new(project_dir(&fields)?, user_home()),
        options: core::IndexOptions {
            paths: fields.texts(c"paths")?,
            since: fields.text(c"since")?,
            max_seconds: fields.number(c"maxSeconds")?,
            max_memory_mb: fields.number(c"maxMemoryMb")?,
        },
        progress,
    }))
}

fn progress_of(value: &Unknown<'_>) -> Result<Progress> {
    let raw = value.value();
    // SAFETY: the value was just seen to be a function of the running call.
    let function =
        unsafe { Function::<Counts, Unknown<'static>>::from_napi_value(raw.env, raw.value) }.map_err(internal)?;
    // Weak: a display must not keep the process alive.
    function
        .build_threadsafe_function::<Counts>()
        .weak::<true>()
        .build()
        .map_err(internal)
}

/// Finds chunks by words, best first. Answers with an empty list and a message when there is no index. Throws
/// `INVALID_INPUT` when an option is wrong.
#[napi(catch_unwind, ts_args_type = "options?: LatticeQueryOptions")]
pub fn lattice_query(options: Unknown) -> Result<LatticeAnswer> {
    let fields = Fields::optional("options", &options)?;
    fields.only_options(&[c"query", c"language", c"kind", c"filePath", c"limit"])?;
    let asked = core::QueryOptions {
        query: fields.text(c"query")?.unwrap_or_default(),
        language: fields.text(c"language")?,
        kind: fields.text(c"kind")?,
        file_path: fields.text(c"filePath")?,
        limit: fields.number(c"limit")?,
    };
    with(&fields, |lattice| lattice.query(&asked)).map(|answers| answer(answers, false))
}

/// Finds who calls what has a name, the surest first; a chunk with several calls counts once. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "options: LatticeSeed")]
pub fn lattice_callers(options: Unknown) -> Result<LatticeAnswer> {
    let fields = Fields::required("options", &options)?;
    fields.only_options(&[c"name", c"chunkId", c"limit"])?;
    let (seed, limit) = (seed(&fields)?, fields.number(c"limit")?);
    with(&fields, |lattice| lattice.callers(&seed, limit)).map(|answers| answer(answers, false))
}

/// Finds what something calls. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "options: LatticeSeed")]
pub fn lattice_callees(options: Unknown) -> Result<LatticeAnswer> {
    let fields = Fields::required("options", &options)?;
    fields.only_options(&[c"name", c"chunkId", c"limit"])?;
    let (seed, limit) = (seed(&fields)?, fields.number(c"limit")?);
    with(&fields, |lattice| lattice.callees(&seed, limit)).map(|answers| answer(answers, true))
}

/// Walks from something to everything within reach: callers, callees or both, each chunk once. It is also the graph
/// around a symbol. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "options: LatticeBlastOptions")]
pub fn lattice_blast(options: Unknown) -> Result<LatticeBlast> {
    let fields = Fields::required("options", &options)?;
    fields.only_options(&[c"name", c"chunkId", c"direction", c"depth", c"limit"])?;
    let direction = fields.text(c"direction")?;
    let direction = direction
        .as_deref()
        .map(core::Direction::parse)
        .transpose()
        .map_err(to_js)?
        .unwrap_or_default();
    let (seed, depth, limit) = (seed(&fields)?, fields.number(c"depth")?, fields.number(c"limit")?);
    let blast = with(&fields, |lattice| lattice.blast(&seed, direction, depth, limit))?;
    let edge = |(from, to, resolved): (String, String, Option<core::resolve::Resolved>)| LatticeEdge {
        from,
        to,
        resolved: resolved.map(|resolved| resolved.name().to_owned()),
    };
    Ok(LatticeBlast {
        truncated: blast.nodes.len() < blast.total,
        nodes: blast.nodes.into_iter().map(LatticeChunk::from).collect(),
        edges: blast.edges.into_iter().map(edge).collect(),
        unresolved_names: blast.unresolved_names,
        total: number(blast.total),
        message: blast.message,
    })
}

/// Tells what the index is like; zeros and nulls when there is none.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn lattice_stat(options: Unknown) -> Result<LatticeStat> {
    let fields = Fields::optional("options", &options)?;
    fields.only_options(&[])?;
    let stat = with(&fields, |lattice| lattice.stat())?;
    let null = |text: Option<String>| match text {
        Some(text) => Either::A(text),
        None => Either::B(Null),
    };
    Ok(LatticeStat {
        chunks: number(stat.chunks),
        edges: number(stat.edges),
        resolved: stat
            .resolved
            .into_iter()
            .map(|(way, count)| (way.to_owned(), number(count)))
            .collect(),
        files_indexed: u32::try_from(stat.files).unwrap_or(u32::MAX),
        files_skipped: u32::try_from(stat.skipped).unwrap_or(u32::MAX),
        languages: stat
            .languages
            .into_iter()
            .map(|(name, count)| (name, number(count)))
            .collect(),
        kinds: stat
            .kinds
            .into_iter()
            .map(|(kind, count)| (kind.to_owned(), number(count)))
            .collect(),
        last_indexed_at: null(stat.last_indexed_at),
        chunker_impl: null(stat.chunker_impl),
        chunker_version: null(stat.chunker_version),
        index_bytes: stat.index_bytes as f64,
        hottest: stat
            .hottest
            .into_iter()
            .map(|(chunk, callers)| LatticeHot {
                chunk: chunk.into(),
                callers: number(callers),
            })
            .collect(),
        limit: stat.limit.map(|limit| limit.name().to_owned()),
    })
}

/// Splits a text into lower-case words, identifiers into their parts, with counts.
#[napi(catch_unwind, ts_args_type = "text: string")]
pub fn lattice_words(text_value: Unknown) -> Vec<LatticeWord> {
    let words = core::rank::tokenize(&text("text", &text_value).unwrap_or_default());
    words
        .into_iter()
        .map(|(word, count)| LatticeWord { word, count })
        .collect()
}

/// Tells how much of a query a chunk's name and path have, 0 to 1; the name counts twice.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, chunk: { name?: string, filePath?: string }"
)]
pub fn score_chunk(query: Unknown, chunk: Unknown) -> Result<f64> {
    let fields = Fields::required("chunk", &chunk)?;
    let field = |name| fields.text(name).map(Option::unwrap_or_default);
    let (name, path) = (field(c"name")?, field(c"filePath")?);
    Ok(core::rank::score_chunk(
        &text("query", &query).unwrap_or_default(),
        &name,
        &path,
    ))
}

fn seed(fields: &Fields<'_>) -> Result<core::Seed> {
    Ok(core::Seed {
        name: fields.text(c"name")?,
        chunk_id: fields.text(c"chunkId")?,
    })
}

fn answer(answers: core::Answers, has_names: bool) -> LatticeAnswer {
    let shown = answers.chunks.len() + if has_names { answers.unresolved_names.len() } else { 0 };
    LatticeAnswer {
        truncated: shown < answers.total,
        chunks: answers.chunks.into_iter().map(LatticeChunk::from).collect(),
        total: number(answers.total),
        unresolved_names: has_names.then_some(answers.unresolved_names),
        message: answers.message,
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
