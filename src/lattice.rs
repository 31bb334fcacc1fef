//! The code graph: index, query, callers, callees, blast, stat.

use std::collections::HashMap;
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
use crate::projects::project_dir;
use crate::reader::{Fields, text};

/// What is to be indexed.
#[napi(object, object_to_js = false)]
pub struct LatticeIndexOptions {
    pub project_dir: Option<String>,
    /// Only files in or under these; all when absent.
    pub paths: Option<Vec<String>>,
    /// Only files that differ from this revision, and those git does not know yet.
    pub since: Option<String>,
}

/// What became of it.
#[napi(object, object_from_js = false)]
pub struct LatticeIndexOutcome {
    /// How many files the index has now.
    pub files_indexed: u32,
    /// How many of them were read anew.
    pub files_changed: u32,
    /// How many left it.
    pub files_removed: u32,
    /// How many there are that were not read.
    pub files_skipped: u32,
    /// The same by reason: large, minified, binary, unreadable, unparsed.
    pub skipped: HashMap<String, u32>,
    /// How many chunks the index has.
    pub chunks: u32,
    /// How many edges the index has.
    pub edges: u32,
}

/// What may be found.
#[napi(object, object_to_js = false)]
pub struct LatticeQueryOptions {
    pub project_dir: Option<String>,
    /// Words; without any, everything comes in the order of files.
    pub query: Option<String>,
    /// Only this language, by its name or by an extension of its files.
    pub language: Option<String>,
    /// Only this kind: file, module, class, struct, trait, interface, enum, type, function, method, macro, section,
    /// table, view, trigger, index.
    pub kind: Option<String>,
    /// Only files whose path has this in it.
    pub file_path: Option<String>,
    /// How many chunks, 1 to 1,000; 25 when absent.
    pub limit: Option<f64>,
}

/// Whose callers or callees are asked for.
#[napi(object, object_to_js = false)]
pub struct LatticeSeed {
    pub project_dir: Option<String>,
    /// A name, perhaps with the type it belongs to: `push`, `Stack.push`, `Stack::push`.
    pub name: Option<String>,
    /// The id of a chunk; counts more than the name.
    pub chunk_id: Option<String>,
    /// How many chunks, 1 to 1,000; 25 when absent.
    pub limit: Option<f64>,
}

/// How far to go.
#[napi(object, object_to_js = false)]
pub struct LatticeBlastOptions {
    pub project_dir: Option<String>,
    /// A name, perhaps with the type it belongs to.
    pub name: Option<String>,
    /// The id of a chunk; counts more than the name.
    pub chunk_id: Option<String>,
    /// `both` when absent.
    #[napi(ts_type = "'callers' | 'callees' | 'both'")]
    pub direction: Option<String>,
    /// How many edges away, 1 to 50; 3 when absent.
    pub depth: Option<f64>,
    /// How many chunks, 1 to 1,000; 50 when absent.
    pub limit: Option<f64>,
}

/// A file, a definition or a section.
#[napi(object, object_from_js = false)]
pub struct LatticeChunk {
    /// 16 hexadecimal digits that stay when lines above it change.
    pub id: String,
    /// From the project's folder, with forward slashes.
    pub file_path: String,
    pub language: String,
    pub kind: String,
    /// Empty for a file.
    pub name: String,
    /// The type that a method belongs to.
    pub owner: Option<String>,
    /// Its first line, without its body.
    pub signature: String,
    /// What a comment says of it.
    pub doc: Option<String>,
    pub start_byte: u32,
    pub end_byte: u32,
    /// From 1.
    pub start_line: u32,
    pub end_line: u32,
    pub content_hash: String,
    /// How well it answers, larger is better; in answers to words only.
    pub score: Option<f64>,
    /// How the edge that leads to it was resolved.
    #[napi(ts_type = "'exact' | 'import' | 'name'")]
    pub resolved: Option<String>,
    /// How many definitions that edge may mean, when that is not one.
    pub candidates: Option<u32>,
    /// Where the call is, in the file of the caller.
    pub call_line: Option<u32>,
    /// How many edges away it is; in answers of `latticeBlast` only.
    pub distance: Option<u32>,
    /// The names on the way to it, itself last; in answers of `latticeBlast` only.
    pub path: Option<Vec<String>>,
    /// Whether its file has changed since it was indexed.
    #[napi(ts_type = "'changed' | 'deleted'")]
    pub stale: Option<String>,
}

/// Chunks that answer.
#[napi(object, object_from_js = false)]
pub struct LatticeAnswer {
    pub chunks: Vec<LatticeChunk>,
    /// How many there are in all; for callees those in `unresolvedNames` as well.
    pub total: u32,
    /// True when the limit left some out.
    pub truncated: bool,
    /// Names that lead to nothing in this project; in answers of `latticeCallees` only.
    pub unresolved_names: Option<Vec<String>>,
    /// In words.
    pub message: String,
}

/// An edge between two chunks.
#[napi(object, object_from_js = false)]
pub struct LatticeEdge {
    /// The id of the chunk that calls.
    pub from: String,
    /// The id of the one that is called.
    pub to: String,
    #[napi(ts_type = "'exact' | 'import' | 'name'")]
    pub resolved: Option<String>,
}

/// What is within reach.
#[napi(object, object_from_js = false)]
pub struct LatticeBlast {
    /// By distance; what was asked for has 0.
    pub nodes: Vec<LatticeChunk>,
    /// Between the nodes, each pair once.
    pub edges: Vec<LatticeEdge>,
    /// Names that lead to nothing in this project.
    pub unresolved_names: Vec<String>,
    /// How many chunks there are in all.
    pub total: u32,
    /// True when the limit left some out.
    pub truncated: bool,
    /// In words.
    pub message: String,
}

/// A chunk and how many others call it.
#[napi(object, object_from_js = false)]
pub struct LatticeHot {
    pub chunk: LatticeChunk,
    pub callers: u32,
}

/// What the index is like.
#[napi(object, object_from_js = false)]
pub struct LatticeStat {
    pub chunks: u32,
    pub edges: u32,
    /// How many edges were resolved in which way; `none` lead out of the project or may mean too many things.
    pub resolved: HashMap<String, u32>,
    pub files_indexed: u32,
    pub files_skipped: u32,
    /// How many chunks in each language.
    pub languages: HashMap<String, u32>,
    /// How many chunks of each kind.
    pub kinds: HashMap<String, u32>,
    /// When the index last changed.
    #[napi(ts_type = "string | null")]
    pub last_indexed_at: Either<String, Null>,
    #[napi(ts_type = "string | null")]
    pub chunker_impl: Either<String, Null>,
    #[napi(ts_type = "string | null")]
    pub chunker_version: Either<String, Null>,
    /// All its files together.
    pub index_bytes: f64,
    /// What most others call, the hottest first.
    pub hottest: Vec<LatticeHot>,
}

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
    let lattice = found.unwrap_or_else(|| Arc::new(Mutex::new(core::Lattice::new(dir.clone()))));
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
        })
    }
}

/// Brings the index of the code graph up to date. With `paths` or `since` only those files are looked at, and the rest of
/// the index stays. `onProgress` is told how many files of how many are done. Rejects with
/// `ERR_LATTICE_PATH_OUTSIDE_REPO`, `INVALID_INPUT`, `LOCKED` or `IO`; the index is as it was then.
#[napi(
    catch_unwind,
    ts_args_type = "options?: LatticeIndexOptions, onProgress?: (done: number, total: number) => void",
    ts_return_type = "Promise<LatticeIndexOutcome>"
)]
pub fn lattice_index(options: Unknown, on_progress: Unknown) -> Result<AsyncTask<LatticeIndexTask>> {
    let fields = Fields::optional("options", &options)?;
    let progress = match on_progress.get_type().map_err(internal)? {
        ValueType::Undefined => None,
        ValueType::Function => Some(progress_of(&on_progress)?),
        _ => return Err(to_js(Error::invalid("onProgress", "a function is due"))),
    };
    Ok(AsyncTask::new(LatticeIndexTask {
        lattice: core::Lattice::new(project_dir(&fields)?),
        options: core::IndexOptions {
            paths: fields.texts(c"paths")?.unwrap_or_default(),
            since: fields.text(c"since")?,
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
    let (seed, limit) = (seed(&fields)?, fields.number(c"limit")?);
    with(&fields, |lattice| lattice.callers(&seed, limit)).map(|answers| answer(answers, false))
}

/// Finds what something calls. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "options: LatticeSeed")]
pub fn lattice_callees(options: Unknown) -> Result<LatticeAnswer> {
    let fields = Fields::required("options", &options)?;
    let (seed, limit) = (seed(&fields)?, fields.number(c"limit")?);
    with(&fields, |lattice| lattice.callees(&seed, limit)).map(|answers| answer(answers, true))
}

/// Walks from something to everything within reach: callers, callees or both, each chunk once. It is also the graph
/// around a symbol. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "options: LatticeBlastOptions")]
pub fn lattice_blast(options: Unknown) -> Result<LatticeBlast> {
    let fields = Fields::required("options", &options)?;
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
    let stat = with(&fields, |lattice| Ok(lattice.stat()))?;
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
    })
}

/// A word and how often it occurs.
#[napi(object, object_from_js = false)]
pub struct LatticeWord {
    pub word: String,
    pub count: u32,
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

impl From<core::ChunkAnswer> for LatticeChunk {
    fn from(chunk: core::ChunkAnswer) -> Self {
        LatticeChunk {
            id: chunk.id,
            file_path: chunk.file_path,
            language: chunk.language,
            kind: chunk.kind.to_owned(),
            name: chunk.name,
            owner: chunk.owner,
            signature: chunk.signature,
            doc: chunk.doc,
            start_byte: chunk.range.0,
            end_byte: chunk.range.1,
            start_line: chunk.lines.0,
            end_line: chunk.lines.1,
            content_hash: chunk.content_hash,
            score: chunk.score,
            resolved: chunk.resolved.map(|resolved| resolved.name().to_owned()),
            candidates: chunk.candidates,
            call_line: chunk.call_line,
            path: chunk.distance.is_some().then_some(chunk.path),
            distance: chunk.distance,
            stale: chunk.stale.map(|stale| stale.name().to_owned()),
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
