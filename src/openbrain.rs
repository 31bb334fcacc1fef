//! The embedded shared store of this user.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use forge_memory_core::Error;
use forge_memory_core::clock::{Clock, Millis, SystemClock, parse_iso, parse_when};
use forge_memory_core::journal::OsDisk;
use forge_memory_core::said::Said;
use forge_memory_core::thought::{DEFAULT_CONFIDENCE, Lift, Ruling};
use forge_memory_embed::InstalledModels;
use forge_memory_sqlite_store::{self as core, EmbeddedStore as Store, Meaning, STORE_FILE, StoreFilter};
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use serde::Serialize;

use crate::addons::inference;
use crate::answer::Encoded;
use crate::error::Result;
use crate::input::{Floats, read, read_or_empty, refused};
use crate::projects::user_home;
use crate::store_shapes::{EmbeddedQuery, EmbeddedWanted, StoredRuling, StoredThought, ThoughtPieces, ThoughtVector};
use crate::task::{CoreTask, promise};

const LIMIT_MAX: f64 = 1000.0;
/// The maximum number of thoughts in a list of those without vectors.
const PENDING_MAX: f64 = 100_000.0;

enum State {
    Unopened,
    Open(Box<Store>),
    Closed,
}

/// The user's embedded store, which all projects and processes share.
#[napi]
pub struct EmbeddedStore {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

#[napi]
impl EmbeddedStore {
    /// Returns the store at a path, `~/.forge/openbrain.db` (or in `FORGE_HOME`) when absent. It is opened by the first
    /// call.
    #[napi(factory, catch_unwind, ts_args_type = "path?: string")]
    pub fn open(path: Unknown) -> Result<Self> {
        let given: Option<String> = read("path", &path)?;
        let given = given.map(PathBuf::from);
        let is_file_name = |path: &PathBuf| path.file_name().is_some() && !path.to_string_lossy().contains('\0');
        if !given.as_ref().is_none_or(is_file_name) {
            return Err(refused(&path, &Error::invalid("path", "is not a valid file name")));
        }
        let path = given.unwrap_or_else(|| user_home().join(STORE_FILE));
        let path = std::path::absolute(&path).unwrap_or(path);
        let state = Arc::new(Mutex::new(State::Unopened));
        Ok(EmbeddedStore { path, state })
    }

    /// Returns the file's path.
    #[napi(getter)]
    pub fn path(&self) -> String {
        self.path.display().to_string()
    }

    /// Stores thoughts, all or none. A stored thought is unchanged, except for a later expiry. Resolves, for each
    /// thought, to whether it is new, was known, or is forgotten and stays so.
    #[napi(
        catch_unwind,
        ts_args_type = "thoughts: Array<StoredThought>",
        ts_return_type = "Promise<Array<'stored' | 'known' | 'forgotten'>>"
    )]
    pub fn put(&self, thoughts: Unknown) -> Result<AsyncTask<CoreTask<Vec<String>>>> {
        let given: Vec<StoredThought> = read("thoughts", &thoughts)?;
        let converted: forge_memory_core::Result<Vec<_>> = given.into_iter().map(stored_of).collect();
        let thoughts = converted.map_err(|error| refused(&thoughts, &error))?;
        Ok(self.promise(move |store| {
            let outcomes = store.put(&thoughts)?;
            Ok(outcomes.into_iter().map(|outcome| outcome.name().to_owned()).collect())
        }))
    }

    /// Removes thoughts and those that they superseded, for good. Resolves to the number of ids that existed.
    #[napi(
        catch_unwind,
        ts_args_type = "ids: Array<string>, projects?: Array<string>",
        ts_return_type = "Promise<number>"
    )]
    pub fn remove(&self, ids: Unknown, projects: Unknown) -> Result<AsyncTask<CoreTask<f64>>> {
        let ids: Vec<String> = read("ids", &ids)?;
        let projects: Option<Vec<String>> = read("projects", &projects)?;
        Ok(self.promise(move |store| store.remove_within(&ids, projects.as_deref()).map(|count| count as f64)))
    }

    /// Notes rulings on thoughts, all or none, in any order; one that is known changes nothing.
    #[napi(
        catch_unwind,
        ts_args_type = "rulings: Array<StoredRuling>",
        ts_return_type = "Promise<void>"
    )]
    pub fn rule(&self, rulings: Unknown) -> Result<AsyncTask<CoreTask<()>>> {
        let given: Vec<StoredRuling> = read("rulings", &rulings)?;
        let converted: forge_memory_core::Result<Vec<_>> = given.into_iter().map(ruling_of).collect();
        let given = converted.map_err(|error| refused(&rulings, &error))?;
        Ok(self.promise(move |store| store.rule(&given)))
    }

    /// Searches by words and, when the query has a vector of a model with vectors in the store, by meaning.
    #[napi(
        catch_unwind,
        ts_args_type = "query: EmbeddedQuery",
        ts_return_type = "Promise<EmbeddedAnswer>"
    )]
    pub fn search(&self, query: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
        let mut asked: EmbeddedQuery = read("query", &query)?;
        let missing = || refused(&query, &Error::invalid("text", "is required"));
        let text = asked.text.take().ok_or_else(missing)?;
        let (meaning, filter) = meaning_of(asked.vector.take(), asked.model.take())
            .and_then(|meaning| Ok((meaning, filter_of(asked)?)))
            .map_err(|error| refused(&query, &error))?;
        Ok(self.answer(move |store| {
            let models = InstalledModels::of_home(Arc::new(OsDisk), &user_home(), inference);
            let others = meaning
                .as_ref()
                .and_then(|meaning| models.background_of(&meaning.model));
            store.search_beside(&text, meaning.as_ref(), others.as_deref(), &filter)
        }))
    }

    /// Lists thoughts, newest first.
    #[napi(
        catch_unwind,
        ts_args_type = "filter?: EmbeddedQuery",
        ts_return_type = "Promise<Array<EmbeddedHit>>"
    )]
    pub fn list(&self, filter: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
        let asked: EmbeddedQuery = read_or_empty("filter", &filter)?;
        let filter = filter_of(asked).map_err(|error| refused(&filter, &error))?;
        Ok(self.answer(move |store| store.list(&filter)))
    }

    /// Reads thoughts as they were stored, with the rulings on them, also those that no search finds, in the order in which they were
    /// stored.
    #[napi(
        catch_unwind,
        ts_args_type = "wanted: EmbeddedWanted",
        ts_return_type = "Promise<Array<EmbeddedRecord>>"
    )]
    pub fn read(&self, wanted: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
        let asked: EmbeddedWanted = read("wanted", &wanted)?;
        let limit = check_limit(asked.limit, LIMIT_MAX).map_err(|error| refused(&wanted, &error))?;
        let wanted = core::Wanted {
            ids: asked.ids.unwrap_or_default(),
            projects: asked.projects,
            after: asked.after.unwrap_or_default() as i64,
            limit,
        };
        Ok(self.answer(move |store| store.read(&wanted)))
    }

    /// Reads what was decided about the thoughts of a project behind a place in the store, as lines of journals: rulings, tombstones, and records that
    /// supersede others.
    #[napi(
        catch_unwind,
        ts_args_type = "projects: Array<string>, rulings: number, gone: number",
        ts_return_type = "Promise<{ lines: Array<string>; rulings: number; gone: number }>"
    )]
    pub fn decisions(&self, projects: Unknown, rulings: f64, gone: f64) -> Result<AsyncTask<CoreTask<Encoded>>> {
        let projects: Vec<String> = read("projects", &projects)?;
        let since = core::Upto {
            rulings: rulings as i64,
            gone: gone as i64,
        };
        Ok(self.answer(move |store| store.decisions(&projects, since)))
    }

    /// Resolves, for each id, to whether the store has it.
    #[napi(
        catch_unwind,
        ts_args_type = "ids: Array<string>",
        ts_return_type = "Promise<Array<boolean>>"
    )]
    pub fn has(&self, ids: Unknown) -> Result<AsyncTask<CoreTask<Vec<bool>>>> {
        let ids: Vec<String> = read("ids", &ids)?;
        let nothing = vec![false; ids.len()];
        Ok(self.look(nothing, move |store| store.has(&ids)))
    }

    /// Counts the visible thoughts of one project or of all.
    #[napi(catch_unwind, ts_args_type = "project?: string", ts_return_type = "Promise<number>")]
    pub fn count(&self, project: Unknown) -> Result<AsyncTask<CoreTask<f64>>> {
        let project: Option<String> = read("project", &project)?;
        Ok(self.look(0.0, move |store| {
            store.count(project.as_deref()).map(|count| count as f64)
        }))
    }

    /// Checks the whole file for damage. Resolves to the problems; an empty list when there are none or there is no
    /// file.
    #[napi(catch_unwind, ts_return_type = "Promise<Array<string>>")]
    pub fn damage(&self) -> AsyncTask<CoreTask<Vec<String>>> {
        self.look(Vec::new(), |store| store.damage())
    }

    /// Resolves to a version of the data, which changes with every added thought or vector and every deletion, by any
    /// process.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn state(&self) -> AsyncTask<CoreTask<String>> {
        self.look(String::new(), |store| store.state())
    }

    /// Lists the models with vectors in the store.
    #[napi(catch_unwind, ts_return_type = "Promise<Array<EmbeddedModel>>")]
    pub fn models(&self) -> AsyncTask<CoreTask<Encoded>> {
        self.answer(|store| store.models())
    }

    /// Lists thoughts without a vector of a model, newest first.
    #[napi(
        catch_unwind,
        ts_args_type = "model: string, limit: number",
        ts_return_type = "Promise<Array<PendingText>>"
    )]
    pub fn without_vectors(&self, model: Unknown, limit: f64) -> Result<AsyncTask<CoreTask<Encoded>>> {
        let limit = check_limit(Some(limit), PENDING_MAX).map_err(|error| refused(&model, &error))?;
        let model: String = read("model", &model)?;
        let now = now();
        Ok(self.answer(move |store| store.without_vectors(&model, limit, now)))
    }

    /// Stores vectors of a model for thoughts. Resolves to the number of thoughts that existed.
    #[napi(
        catch_unwind,
        ts_args_type = "model: string, vectors: Array<ThoughtVector>",
        ts_return_type = "Promise<number>"
    )]
    pub fn put_vectors(&self, model: Unknown, vectors: Unknown) -> Result<AsyncTask<CoreTask<f64>>> {
        let model: String = read("model", &model)?;
        let given: Vec<ThoughtVector> = read("vectors", &vectors)?;
        let vectors: Vec<_> = given.into_iter().map(|given| (given.id, given.vector.0)).collect();
        Ok(self.promise(move |store| store.put_vectors(&model, &vectors).map(|count| count as f64)))
    }

    /// Stores the vectors of the pieces of long texts, all behind the first of a text, or none when it has one only. Resolves to the number of
    /// thoughts that had a vector of the model and no pieces.
    #[napi(
        catch_unwind,
        ts_args_type = "model: string, texts: Array<ThoughtPieces>",
        ts_return_type = "Promise<number>"
    )]
    pub fn put_pieces(&self, model: Unknown, texts: Unknown) -> Result<AsyncTask<CoreTask<f64>>> {
        let model: String = read("model", &model)?;
        let given: Vec<ThoughtPieces> = read("texts", &texts)?;
        let vectors = |given: ThoughtPieces| given.vectors.into_iter().map(|Floats(vector)| vector).collect();
        let texts: Vec<(String, Vec<Vec<f32>>)> = given
            .into_iter()
            .map(|given| (given.id.clone(), vectors(given)))
            .collect();
        Ok(self.promise(move |store| store.put_pieces(&model, &texts).map(|count| count as f64)))
    }

    /// Lists thoughts with a vector of a model that may be long and whose pieces have no vectors yet, newest first.
    #[napi(
        catch_unwind,
        ts_args_type = "model: string, limit: number",
        ts_return_type = "Promise<Array<PendingText>>"
    )]
    pub fn without_pieces(&self, model: Unknown, limit: f64) -> Result<AsyncTask<CoreTask<Encoded>>> {
        let limit = check_limit(Some(limit), PENDING_MAX).map_err(|error| refused(&model, &error))?;
        let model: String = read("model", &model)?;
        let now = now();
        Ok(self.answer(move |store| store.without_pieces(&model, limit, now)))
    }

    /// Deletes the vectors of a model. Resolves to their number.
    #[napi(catch_unwind, ts_args_type = "model: string", ts_return_type = "Promise<number>")]
    pub fn drop_model(&self, model: Unknown) -> Result<AsyncTask<CoreTask<f64>>> {
        let model: String = read("model", &model)?;
        Ok(self.promise(move |store| store.drop_model(&model).map(|count| count as f64)))
    }

    /// Closes the file.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Closed;
    }

    /// Reads from the store; returns `nothing` when it does not exist yet.
    fn look<T: Send + 'static>(
        &self,
        nothing: T,
        work: impl FnOnce(&mut Store) -> forge_memory_core::Result<T> + Send + 'static,
    ) -> AsyncTask<CoreTask<T>>
    where
        CoreTask<T>: napi::Task,
    {
        self.run(Missing::Answer(Ok(nothing)), work)
    }

    /// The same for an answer that is handed out as a whole.
    fn answer<T: Default + Serialize>(
        &self,
        work: impl FnOnce(&mut Store) -> forge_memory_core::Result<T> + Send + 'static,
    ) -> AsyncTask<CoreTask<Encoded>> {
        let nothing = Encoded::of(&T::default());
        self.run(Missing::Answer(nothing), |store| Encoded::of(&work(store)?))
    }

    /// Writes to the store, which is created when it does not exist yet.
    fn promise<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Store) -> forge_memory_core::Result<T> + Send + 'static,
    ) -> AsyncTask<CoreTask<T>>
    where
        CoreTask<T>: napi::Task,
    {
        self.run(Missing::Create, work)
    }

    fn run<T: Send + 'static>(
        &self,
        missing: Missing<T>,
        work: impl FnOnce(&mut Store) -> forge_memory_core::Result<T> + Send + 'static,
    ) -> AsyncTask<CoreTask<T>>
    where
        CoreTask<T>: napi::Task,
    {
        let (state, path) = (Arc::clone(&self.state), self.path.clone());
        promise(move || {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*state, State::Unopened) {
                let store = match missing {
                    Missing::Create => Store::open(&OsDisk, &path)?,
                    Missing::Answer(nothing) => match Store::open_existing(&OsDisk, &path)? {
                        Some(store) => store,
                        None => return nothing,
                    },
                };
                *state = State::Open(Box::new(store));
            }
            match &mut *state {
                State::Open(store) => work(store),
                _ => Err(Error::Closed { what: "store" }),
            }
        })
    }
}

/// While there is no store yet: its creation, or an answer.
enum Missing<T> {
    Create,
    Answer(forge_memory_core::Result<T>),
}

fn now() -> Millis {
    SystemClock.now_ms()
}

fn meaning_of(vector: Option<Floats>, model: Option<String>) -> forge_memory_core::Result<Option<Meaning>> {
    match (vector, model) {
        (Some(Floats(vector)), Some(model)) => Ok(Some(Meaning { model, vector })),
        (None, _) => Ok(None),
        (Some(_), None) => Err(Error::invalid("model", "is required together with a vector")),
    }
}

fn stored_of(from: StoredThought) -> forge_memory_core::Result<(core::StoredThought, Option<Meaning>)> {
    let or_unknown = |name: Option<String>| name.unwrap_or_else(|| "unknown".into());
    let thought = core::StoredThought {
        id: from.id,
        content: from.content,
        project: from.project,
        kind: from.kind,
        source: or_unknown(from.source),
        created_by: or_unknown(from.created_by),
        captured_at: from.captured_at,
        expires_at: from.expires_at,
        tags: from.tags.unwrap_or_default(),
        confidence: from.confidence.unwrap_or(DEFAULT_CONFIDENCE),
        supersedes: from.supersedes,
        metadata: from.metadata.unwrap_or_else(|| "{}".into()),
    };
    Ok((thought, meaning_of(from.vector, from.model)?))
}

fn ruling_of(from: StoredRuling) -> forge_memory_core::Result<core::StoredRuling> {
    let invalid = |field: &'static str| Error::invalid(field, "is not one of a ruling");
    let ruling = Ruling {
        kind: from.kind,
        id: from.id,
        other: from.other,
        why: from.why.unwrap_or_default(),
        at_ms: parse_iso(&from.at).ok_or_else(|| invalid("at"))?,
        said: Said::default(),
        lift: Lift::default(),
    };
    let ruling = core::with_more(ruling, from.more.as_deref().unwrap_or_default());
    let projects = from.projects;
    Ok(core::StoredRuling { ruling, projects })
}

fn filter_of(from: EmbeddedQuery) -> forge_memory_core::Result<StoreFilter> {
    let invalid = || Error::invalid("now", "is not a valid ISO 8601 time");
    let now = match from.now {
        None => now(),
        Some(at) => parse_iso(&at).ok_or_else(invalid)?,
    };
    Ok(StoreFilter {
        project: from.project,
        kind: from.kind,
        since: from.since.map(|since| parse_when("since", &since, now)).transpose()?,
        limit: check_limit(from.limit, LIMIT_MAX)?,
        now,
    })
}

fn check_limit(limit: Option<f64>, most: f64) -> forge_memory_core::Result<usize> {
    let limit = limit.unwrap_or(10.0);
    if (1.0..=most).contains(&limit) {
        Ok(limit as usize)
    } else {
        Err(Error::invalid("limit", format!("expected a number from 1 to {most}")))
    }
}
