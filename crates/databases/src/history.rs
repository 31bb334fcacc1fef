//! Search over past sessions of agents, by words and by meaning.

use std::sync::Arc;
use std::time::Duration;

use forge_memory_core::clock::{Clock, SystemClock, parse_when};
use forge_memory_core::journal::OsDisk;
use forge_memory_core::{Error, SentenceModels};
use forge_memory_embed::InstalledModels;
use forge_memory_transcripts::{Forget, History, HistoryFilter, Places};
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::addons::inference;
use crate::answer::Encoded;
use crate::backfill::{agents_named, places};
use crate::error::Result;
use crate::input::{read, read_or_empty, refused};
use crate::projects::{Project, names_project, open};
use crate::task::{CoreTask, promise};

/// Selects the past sessions to search.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionSearchOptions {
    pub project_dir: Option<String>,
    /// The agents whose sessions are searched, by name; all when absent.
    pub agents: Option<Vec<String>>,
    /// The start of the time range: ISO 8601, or an age such as `30m`, `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Sessions of all projects.
    pub all_projects: Option<bool>,
    /// The maximum number of hits, 1 to 50; 10 when absent.
    pub limit: Option<f64>,
    /// How many of the first hits are left out, for the next page.
    pub offset: Option<f64>,
    /// The maximum time to index new sessions before the search, in milliseconds; unlimited when absent.
    pub update_ms: Option<f64>,
}

names_project!(SessionSearchOptions);

/// Selects the past sessions to forget: exactly one of `session`, `project` and `all`.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForgetSessionsOptions {
    pub project_dir: Option<String>,
    /// The agent's own id of a session.
    pub session: Option<String>,
    /// All sessions of the project until now.
    pub project: Option<bool>,
    /// All sessions until now.
    pub all: Option<bool>,
    /// Only counts them.
    pub dry_run: Option<bool>,
}

names_project!(ForgetSessionsOptions);

/// The result of forgetting past sessions.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForgottenSessions {
    /// The number of sessions that were removed from the index, or with `dryRun` would be.
    pub forgotten: f64,
    pub dry_run: bool,
}

/// The inputs of a call, which may run on any thread.
struct Place {
    project: Arc<Project>,
    places: Places,
}

impl Place {
    fn of(project_dir: Option<&str>) -> forge_memory_core::Result<Self> {
        Ok(Place {
            project: open(project_dir)?,
            places: places(),
        })
    }

    fn with<T>(&self, work: impl FnOnce(&History<'_>) -> forge_memory_core::Result<T>) -> forge_memory_core::Result<T> {
        let home = &self.project.folders().1;
        let model = InstalledModels::of_home(Arc::new(OsDisk), home, inference).choose(None)?;
        let progress = self.project.progress_counter();
        work(&History {
            disk: Arc::new(OsDisk),
            places: &self.places,
            home,
            embedder: Some(model),
            progress: &progress,
        })
    }

    fn project_name(&self) -> String {
        self.project.folders().0.to_string_lossy().into_owned()
    }
}

/// Finds past sessions of the agents on this machine, by words and, with the model installed, by meaning. An empty query lists the newest
/// sessions that no other session started. Updates the index first. The index contains no text; texts are read back from the files of the
/// agents and redacted. Rejects with `INVALID_INPUT`, `UNSUPPORTED` when the settings disable it, or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, options?: SessionSearchOptions",
    ts_return_type = "Promise<SessionSearchReport>"
)]
pub fn search_sessions(query: Unknown, options: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
    let query: String = read("query", &query)?;
    let asked: SessionSearchOptions = read_or_empty("options", &options)?;
    let fail = |error: Error| refused(&options, &error);
    let place = Place::of(asked.project_dir.as_deref()).map_err(fail)?;
    let filter = filter_of(&asked, &place).map_err(fail)?;
    let limit = asked
        .update_ms
        .map(|ms| Duration::from_millis(ms.clamp(0.0, 1e9) as u64));
    Ok(promise(move || {
        Encoded::of(&place.with(|history| history.search(&query, &filter, limit))?)
    }))
}

fn filter_of(asked: &SessionSearchOptions, place: &Place) -> forge_memory_core::Result<HistoryFilter> {
    let limit = match asked.limit {
        None => None,
        Some(limit) if (1.0..=50.0).contains(&limit) && limit.fract() == 0.0 => Some(limit as usize),
        Some(_) => return Err(Error::invalid("limit", "expected a whole number from 1 to 50")),
    };
    let offset = match asked.offset.unwrap_or(0.0) {
        offset if (0.0..=f64::from(u32::MAX)).contains(&offset) && offset.fract() == 0.0 => offset as usize,
        _ => {
            let wanted = format!("expected a whole number from 0 to {}", u32::MAX);
            return Err(Error::invalid("offset", wanted));
        }
    };
    let since_ms = asked
        .since
        .as_deref()
        .map(|since| parse_when("since", since, SystemClock.now_ms()))
        .transpose()?;
    Ok(HistoryFilter {
        agents: agents_named(asked.agents.as_deref())?,
        since_ms,
        project: (!asked.all_projects.unwrap_or(false)).then(|| place.project_name()),
        limit,
        offset,
    })
}

/// Forgets past sessions permanently: they are not indexed again, and nothing is learned from them. The files of the agents are not
/// changed. Throws `INVALID_INPUT`, `NOT_FOUND`, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options: ForgetSessionsOptions",
    ts_return_type = "Promise<ForgottenSessions>"
)]
pub fn forget_sessions(options: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
    let asked: ForgetSessionsOptions = read("options", &options)?;
    let fail = |error: Error| refused(&options, &error);
    let place = Place::of(asked.project_dir.as_deref()).map_err(fail)?;
    let what = match (
        asked.session,
        asked.project.unwrap_or(false),
        asked.all.unwrap_or(false),
    ) {
        (Some(session), false, false) => Forget::Session(session),
        (None, true, false) => Forget::Project(place.project_name()),
        (None, false, true) => Forget::All,
        _ => {
            return Err(fail(Error::invalid(
                "options",
                "expected one of session, project and all",
            )));
        }
    };
    let dry_run = asked.dry_run.unwrap_or(false);
    Ok(promise(move || {
        let forgotten = place.with(|history| match dry_run {
            true => history.count_forgotten_by(&what, SystemClock.now_ms()),
            false => history.forget(&what, SystemClock.now_ms()),
        })?;
        Encoded::of(&ForgottenSessions {
            forgotten: forgotten as f64,
            dry_run,
        })
    }))
}

/// Returns the contents of the index of past sessions. Rejects with `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Promise<SessionIndexStatus>"
)]
pub fn session_index_status(options: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
    let asked = crate::projects::only_project(&options)?;
    let place = Place::of(asked.project_dir.as_deref()).map_err(|error| refused(&options, &error))?;
    Ok(promise(move || Encoded::of(&place.with(|history| history.status())?)))
}
