//! Notes at the action of an agent: hooks, the switches of users, packages of a monorepo, and counts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use forge_memory_binding::addons::beside_this_library;
use forge_memory_core::clock::{Clock, SystemClock};
use forge_memory_core::place::Place;
use forge_memory_core::recall::{RecallOutcome, RecallText};
use forge_memory_core::{self as core, Error, RecallOptions, RecallQuery, ScopeFilter};
use forge_memory_moment::process::{Task, answer, index_later, task_of};
use forge_memory_moment::stats::{self, Faults, Stats};
use forge_memory_moment::switches::{self, Pause};
use forge_memory_moment::team::{self, Problem, Told};
use forge_memory_moment::{Asked, Scopes, run};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::Answer;
use crate::error::{Result, thrown};
use crate::input::{InProject, read, read_or_empty};
use crate::projects::{NamesProject, ProjectOptions, only_project, open, place, user_home, with_memory, with_project};
use crate::recall::{recall_in, recall_text_in};

/// How a hook is called.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookOptions {
    /// The host, if the command line names it.
    pub host: Option<String>,
    /// The deadline in milliseconds, in place of that of the event.
    pub deadline: Option<f64>,
}

/// The outcome of a hook call.
#[napi(object, object_from_js = false)]
pub struct HookOutcome {
    /// The text that the host expects on standard output.
    pub answer: String,
    /// Why there is nothing to say although there might have been.
    pub problem: Option<String>,
}

/// Answers a hook call of an agent's host: `input` is the text that the host wrote to standard input. Throws `INVALID_INPUT`.
#[napi(catch_unwind, ts_args_type = "event: string, input: string, options?: HookOptions")]
pub fn run_hook(event: Unknown, input: Unknown, options: Unknown) -> Result<HookOutcome> {
    let event: String = read("event", &event)?;
    let input: String = read("input", &input)?;
    let options: HookOptions = read_or_empty("options", &options)?;
    let outcome = run(Asked {
        event: Some(&event),
        input: &input,
        host: options.host.as_deref(),
        deadline: options.deadline.map(|ms| ms.max(1.0) as u64),
        begun: Instant::now(),
        program: &[],
    });
    Ok(HookOutcome {
        answer: outcome.answer,
        problem: outcome.problem,
    })
}

/// Does the work of the native program for these arguments in this process, and returns true if it has: reads standard input, and answers. The
/// deadline ends the process. `program` starts this program again. Not for users of the package.
#[napi(catch_unwind, ts_args_type = "args: Array<string>, program: Array<string>")]
pub fn answer_hook(args: Unknown, program: Unknown) -> Result<bool> {
    let begun = Instant::now();
    let args: Vec<String> = read("args", &args)?;
    let program: Vec<String> = read("program", &program)?;
    match task_of(&args) {
        Some(Task::Answer(Some(event), host)) => {
            let program: Vec<OsString> = program.into_iter().map(OsString::from).collect();
            answer(Some(&event), host.as_deref(), begun, &program);
        }
        Some(Task::Index(project)) => index_later(&project),
        _ => return Ok(false),
    }
    Ok(true)
}

/// What a shared store said about what a team stored.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplicaNews {
    /// The state of the store; absent when it has nothing for this user.
    pub state: Option<String>,
    /// Its records as lines of JSON, the newest first; absent when the state is that of the replica.
    pub records: Option<Vec<String>>,
    /// Why it has nothing.
    #[napi(ts_type = "'refused' | 'unapproved'")]
    pub problem: Option<Problem>,
}

/// Keeps what a shared store said about what a team stored, for hooks. Not for users of the package. Throws `LOCKED` or `IO`.
#[napi(catch_unwind, ts_args_type = "news: ReplicaNews, options?: ProjectOptions")]
pub fn keep_replica(env: &Env, news: Unknown, options: Unknown) -> Result<()> {
    let news: ReplicaNews = read("news", &news)?;
    let told = match (news.problem, news.state, news.records) {
        (Some(problem), ..) => Told::Nothing(problem),
        (None, Some(state), Some(records)) => Told::New(state, records),
        (None, Some(state), None) => Told::Same(state),
        (None, None, _) => return only_project(&options).map(drop),
    };
    with_project(env, &options, |project, memory, _: ProjectOptions| {
        team::keep_replica(project.place(), &user_home(), memory, told)
    })
}

/// Returns the state of the shared store that the replica of a project is a copy of; `null` when there is none. Not for users of the package.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn replica_state(env: &Env, options: Unknown) -> Result<Option<String>> {
    with_project(env, &options, |project, memory, _: ProjectOptions| {
        let settings = memory.config().settings.clone();
        Ok(team::replica_state(project.place(), &user_home(), &settings))
    })
}

/// Searches what a team stored, as the shared store last said it, with when that was; `null` when there is no such replica for this user. Not for users of
/// the package.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, limit: number, options?: ProjectOptions",
    ts_return_type = "(RecallOutcome & { at: string }) | null"
)]
pub fn recall_replica(
    env: &Env,
    query: Unknown,
    limit: f64,
    options: Unknown,
) -> Result<Answer<Option<team::Replicated>>> {
    let query: String = read("query", &query)?;
    let found = with_project(env, &options, |project, memory, _: ProjectOptions| {
        let settings = memory.config().settings.clone();
        team::recall_replica(project.place(), &user_home(), &settings, &query, limit)
    })?;
    Ok(Answer(found))
}

/// Returns the native program of hooks that lies beside this library; `null` when there is none. Not for users of the package.
#[napi(catch_unwind)]
pub fn hook_program() -> Option<String> {
    let beside = beside_this_library("forge-memory-hook")?;
    let file = beside.with_extension(if cfg!(windows) { "exe" } else { "" });
    file.is_file().then(|| file.to_string_lossy().into_owned())
}

/// The names under which hosts report events to hooks.
#[napi(catch_unwind)]
pub fn hook_events() -> Vec<String> {
    forge_memory_moment::event_names()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// Whether agents get notes, and why not.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct AgentStanding {
    #[napi(ts_type = "'on' | 'off' | 'paused'")]
    pub state: String,
    /// Why it is off.
    pub why: Option<String>,
    /// When the pause began.
    pub since: Option<String>,
    /// When the pause ends; absent when it lasts until `resumeMemory`.
    pub until: Option<String>,
    /// Whether the pause is one of all projects.
    pub everywhere: Option<bool>,
}

/// True if agents get notes in a project now: `FORGE_MEMORY=off` and pauses switch them off.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn agent_standing(options: Unknown) -> Result<AgentStanding> {
    // A folder that is no project may be paused with all others.
    let project = place(&only_project(&options)?).map(|place| place.project_dir).ok();
    let state = |state: &str| state.to_owned();
    Ok(
        match switches::standing_of(&user_home(), project.as_deref(), SystemClock.now_ms()) {
            switches::Standing::On => AgentStanding {
                state: state("on"),
                ..AgentStanding::default()
            },
            switches::Standing::Off(why) => AgentStanding {
                state: state("off"),
                why: Some(why),
                ..AgentStanding::default()
            },
            switches::Standing::Paused { pause, everywhere } => AgentStanding {
                state: state("paused"),
                since: Some(pause.since),
                until: pause.until,
                everywhere: Some(everywhere),
                ..AgentStanding::default()
            },
        },
    )
}

/// How long a pause lasts, and where.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PauseOptions {
    project_dir: Option<String>,
    for_ms: Option<f64>,
    everywhere: Option<bool>,
}

crate::projects::names_project!(PauseOptions);

/// The longest pause: users forget longer ones.
const PAUSE_MAX_MS: f64 = 365.0 * 86_400_000.0;

/// Pauses the memory for agents in one project, or in all, for some time or until it is resumed. Throws `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: { projectDir?: string, forMs?: number, everywhere?: boolean }",
    ts_return_type = "MemoryPause"
)]
pub fn pause_memory(env: &Env, options: Unknown) -> Result<Answer<Pause>> {
    let asked: PauseOptions = read_or_empty("options", &options)?;
    let fail = |error: Error| thrown(env, &error);
    if asked.for_ms.is_some_and(|ms| !(1.0..=PAUSE_MAX_MS).contains(&ms)) {
        return Err(fail(Error::invalid("forMs", "expected a number from 1 ms to a year")));
    }
    let project = match asked.everywhere {
        Some(true) => None,
        _ => Some(place(&asked).map_err(fail)?.project_dir),
    };
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    let ms = asked.for_ms.map(|ms| ms as i64);
    let made = switches::pause(&user_home(), project.as_deref(), ms, SystemClock.now_ms());
    made.map(Answer).map_err(fail)
}

/// Ends the pauses that apply to a project. Returns true if there was one.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn resume_memory(options: Unknown) -> Result<bool> {
    let asked = only_project(&options)?;
    let project = place(&asked).map(|place| place.project_dir).unwrap_or_default();
    Ok(switches::resume(&user_home(), &project))
}

/// The setting `hooks` of a project.
#[napi(object, object_from_js = false)]
pub struct HookSwitches {
    /// The events that are switched off.
    pub off: Vec<String>,
    /// The invalid parts of the setting.
    pub problems: Vec<String>,
}

/// Returns the hook events that a project has switched off: `"hooks": false`, or `"hooks": {"prompt": false}`.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn hook_switches(env: &Env, options: Unknown) -> Result<HookSwitches> {
    let found = with_memory(env, &options, |memory| {
        Ok(switches::hook_switches(&memory.config().settings.hooks))
    })?;
    Ok(HookSwitches {
        off: found.off.into_iter().map(|event| event.name().to_owned()).collect(),
        problems: found.problems,
    })
}

/// Summarizes the notes that hooks have injected into sessions of a project, and their use.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "NoteStats"
)]
pub fn note_stats(env: &Env, options: Unknown) -> Result<Answer<Stats>> {
    let project = project_of(env, &options)?;
    Ok(Answer(stats::stats(&user_home(), &project.project_dir)))
}

/// Returns the hook calls of a project that failed in the last milliseconds; `null` when none did. A failed call does not stop the agent.
#[napi(
    catch_unwind,
    ts_args_type = "lastMs: number, options?: ProjectOptions",
    ts_return_type = "HookFaults | null"
)]
pub fn hook_faults(env: &Env, last_ms: f64, options: Unknown) -> Result<Option<Answer<Faults>>> {
    let project = project_of(env, &options)?;
    #[expect(clippy::cast_possible_truncation, reason = "a time")]
    let since = SystemClock.now_ms() - last_ms as i64;
    let found = stats::faults_since(&user_home(), &project.project_dir, since);
    Ok(found.map(Answer))
}

/// Returns the tags by which a capture in a folder belongs to its package: none at the top of the project. Not for users of the package.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions, folder?: string")]
pub fn package_tags(env: &Env, options: Unknown, folder: Unknown) -> Result<Vec<String>> {
    let folder: Option<String> = read("folder", &folder)?;
    let asked = only_project(&options)?;
    let own = asked.project_dir.clone().map(PathBuf::from);
    let project = project_of(env, &options)?;
    let folder = folder.map(PathBuf::from).or(own).unwrap_or_else(here);
    Ok(scopes_of(&project, &folder).tags)
}

/// Recalls from the current package first, then from the project around it. As `recall` otherwise. Not for users of the package.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, options?: RecallOptions",
    ts_return_type = "RecallOutcome"
)]
pub fn recall_here(env: &Env, query: Unknown, options: Unknown) -> Result<Answer<RecallOutcome>> {
    let query: String = read("query", &query).unwrap_or_default();
    let InProject {
        project_dir,
        options: asked,
    }: InProject<RecallOptions> = read_or_empty("options", &options)?;
    let fail = |error: Error| thrown(env, &error);
    let project = open(project_dir.as_deref()).map_err(fail)?;
    let mut outcome = recall_in(env, &project, &query, &asked)?;
    if asked.scope != ScopeFilter::Global {
        let limit = asked.limit.unwrap_or(10.0) as usize;
        let before = outcome.hits.len();
        let place = project.place();
        scopes_of(place, &workplace_in(&place.project_dir)).fill(&mut outcome.hits, limit, |around| {
            let around = open(around.to_str()).map_err(fail)?;
            let asked = RecallOptions {
                scope: ScopeFilter::Project,
                ..asked.clone()
            };
            let more = recall_in(env, &around, &query, &asked)?;
            outcome.searched += more.searched;
            Ok::<_, napi::Error>(more.hits)
        })?;
        if outcome.hits.len() > before {
            outcome.message = None;
        }
    }
    Ok(Answer(outcome))
}

/// The default number of matches of an answer.
const ANSWER_LIMIT: usize = 20;

/// Answers a query like `memoryRecall`: from the package, then the project around it, then the records for all projects. Not for users of the
/// package.
#[napi(
    catch_unwind,
    ts_args_type = "input: RecallQuery, options?: ProjectOptions",
    ts_return_type = "RecallText"
)]
pub fn memory_recall_here(env: &Env, input: Unknown, options: Unknown) -> Result<Answer<RecallText>> {
    let query: RecallQuery = read("input", &input)?;
    let fail = |error: Error| thrown(env, &error);
    let project = open(only_project(&options)?.project_dir()).map_err(fail)?;
    let mut answer = recall_text_in(env, &project, &query, None)?;
    let place = project.place();
    let scopes = scopes_of(place, &workplace_in(&place.project_dir));
    if query.scope != ScopeFilter::Global && !scopes.is_plain() {
        let (mut own, global): (Vec<_>, Vec<_>) = answer
            .matches
            .into_iter()
            .partition(|hit| hit.scope == core::Scope::Project);
        let mut found = 0;
        let before = own.len();
        scopes.fill(&mut own, ANSWER_LIMIT, |around| {
            let around = open(around.to_str()).map_err(fail)?;
            let more = recall_text_in(env, &around, &query, Some(ScopeFilter::Project))?;
            found = more.found.project;
            Ok::<_, napi::Error>(more.matches)
        })?;
        answer.found.project += found;
        if own.len() > before {
            answer.message = None;
        }
        answer.matches = own.into_iter().chain(global).take(ANSWER_LIMIT).collect();
    }
    Ok(Answer(answer))
}

/// Returns a path that an agent gives relative to the project, with forward slashes; `null` when it is outside of it or no path. Not for users
/// of the package.
#[napi(catch_unwind, ts_args_type = "given: string, cwd: string, options?: ProjectOptions")]
pub fn path_within(env: &Env, given: Unknown, cwd: Unknown, options: Unknown) -> Result<Option<String>> {
    let given: String = read("given", &given)?;
    let cwd: String = read("cwd", &cwd)?;
    let project = project_of(env, &options)?;
    Ok(forge_memory_moment::path_within(
        &project.project_dir,
        &given,
        Path::new(&cwd),
    ))
}

fn project_of(env: &Env, options: &Unknown<'_>) -> Result<Place> {
    place(&only_project(options)?).map_err(|error| thrown(env, &error))
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// The working directory where it is in the project, which a server is told by its client.
fn workplace_in(project: &Path) -> PathBuf {
    let here = here();
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    if real(&here).starts_with(real(project)) {
        here
    } else {
        project.to_path_buf()
    }
}

fn scopes_of(place: &Place, folder: &Path) -> Scopes {
    let settings = core::written_settings(&core::Environment::at(place.clone(), user_home())).settings;
    Scopes::of(settings.scopes.as_ref(), &place.project_dir, folder)
}
