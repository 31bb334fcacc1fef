//! Search over past sessions of agents, by words and by meaning.

use std::sync::Arc;
use std::time::Duration;

use forge_memory_core::clock::{Clock, SystemClock};
use forge_memory_core::journal::OsDisk;
use forge_memory_core::{Error, SentenceModels};
use forge_memory_embed::InstalledModels;
use forge_memory_transcripts::{ForgetSessionsOptions, ForgottenSessions, History, Places, SessionSearchOptions};
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;

use crate::addons::inference;
use crate::answer::Encoded;
use crate::backfill::places;
use crate::error::Result;
use crate::input::{InProject, read, read_or_empty, refused};
use crate::projects::{Project, open};
use crate::task::{CoreTask, promise};

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
    let asked: InProject<SessionSearchOptions> = read_or_empty("options", &options)?;
    let fail = |error: Error| refused(&options, &error);
    let place = Place::of(asked.project_dir.as_deref()).map_err(fail)?;
    let now = SystemClock.now_ms();
    let filter = asked.options.filter(place.project_name(), now).map_err(fail)?;
    let limit = (asked.options.update_ms).map(|ms| Duration::from_millis(ms.clamp(0.0, 1e9) as u64));
    Ok(promise(move || {
        Encoded::of(&place.with(|history| history.search(&query, &filter, limit))?)
    }))
}

/// Forgets past sessions permanently: they are not indexed again, and nothing is learned from them. The files of the agents are not
/// changed. Throws `INVALID_INPUT`, `NOT_FOUND`, `LOCKED` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options: ForgetSessionsOptions",
    ts_return_type = "Promise<ForgottenSessions>"
)]
pub fn forget_sessions(options: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
    let asked: InProject<ForgetSessionsOptions> = read("options", &options)?;
    let fail = |error: Error| refused(&options, &error);
    let place = Place::of(asked.project_dir.as_deref()).map_err(fail)?;
    let what = asked.options.which(place.project_name()).map_err(fail)?;
    let is_dry_run = asked.options.dry_run;
    Ok(promise(move || {
        let forgotten = place.with(|history| {
            if is_dry_run {
                history.count_forgotten_by(&what, SystemClock.now_ms())
            } else {
                history.forget(&what, SystemClock.now_ms())
            }
        })?;
        Encoded::of(&ForgottenSessions {
            forgotten: forgotten as u64,
            is_dry_run,
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
