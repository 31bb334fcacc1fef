//! Backfill: turns past sessions into records. It reads files that are new or have grown since the last run, counts how many sessions support each
//! candidate, and stores the findings that the user accepts.
//!
//! Making a plan writes nothing. The state of the files is written after the records (at-least-once), and a record that exists already
//! is not offered again, so a run that was killed at any point can simply be repeated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use forge_memory_core::clock::{Millis, parse_when};
use forge_memory_core::progress::Progress;
use forge_memory_core::{Error, Result};
use forge_memory_journal::Disk;
use schemars::JsonSchema;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::agent::Agent;
use crate::emitter::Skipped;
use crate::find::{Finder, Problem};
use crate::history::forgotten_in;
use crate::known_texts::KnownTexts;
use crate::places::Places;
use crate::plan::Plan;
use crate::plan_builder::PlanBuilder;
use crate::project::Scope;
use crate::reader::FORMATS;
use crate::scan::{FileRead, read_file};
use crate::sources::{self, Job};
use crate::state::State;
use crate::tally::Tally;

/// Threads that read files: the target is a machine with two cores. Each thread holds one line in memory.
const THREADS: usize = 2;

/// Which sessions are read, and which findings are stored. Without `accept`, `only` and `decline` nothing is written.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BackfillOptions {
    /// Only sessions of these agents: `claude`, `codex`, `gemini` and others (default: all).
    pub agents: Vec<String>,
    /// Only newer: an ISO date, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Sessions of all projects; each finding is stored in its own project.
    pub all_projects: bool,
    /// Findings with at least this confidence, 0 to 1, are valid at once; all others wait for review. Without `only` all are stored, and
    /// waiting findings of earlier runs are accepted as well.
    #[schemars(range(min = 0, max = 1))]
    pub accept: Option<f64>,
    /// Stores the findings with these keys and no others.
    pub only: Option<Vec<String>>,
    /// Never offers the findings with these keys again.
    pub decline: Option<Vec<String>>,
}

impl BackfillOptions {
    /// True if a finding is one of those to store.
    pub fn is_chosen(&self, key: &str) -> bool {
        let has = |keys: &Option<Vec<String>>| keys.as_ref().is_some_and(|keys| keys.iter().any(|one| one == key));
        let is_meant = match &self.only {
            Some(_) => has(&self.only),
            None => self.accept.is_some(),
        };
        is_meant && !has(&self.decline)
    }

    /// Returns which sessions are read.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the confidence, the name of an agent or the time is none.
    pub fn filter(&self, now: Millis) -> Result<Filter> {
        if self.accept.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
            return Err(Error::invalid("accept", "expected a number from 0 to 1"));
        }
        Ok(Filter {
            agents: Agent::all_named(&self.agents)?,
            since_ms: (self.since.as_deref())
                .map(|since| parse_when("since", since, now))
                .transpose()?,
            all_projects: self.all_projects,
            ..Filter::default()
        })
    }
}

/// Selects sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only sessions of these agents; of all agents when empty.
    pub agents: Vec<Agent>,
    /// Only events since this time, in milliseconds since the epoch.
    pub since_ms: Option<i64>,
    /// Sessions of all projects, not only of this one.
    pub all_projects: bool,
    /// Only this file, which must be in the store of an agent.
    pub file: Option<PathBuf>,
    /// Skips files with more unread bytes than this; a run without the limit reads them.
    pub bytes_max: Option<u64>,
    /// Begins no file after this time; a later run continues with them.
    pub time_max: Option<Duration>,
}

/// Reads past sessions and plans which records to make of them.
#[derive(Debug)]
pub struct Backfill<'a> {
    /// The file system with the sessions.
    pub disk: &'a dyn Disk,
    /// Where agents keep their sessions.
    pub places: &'a Places,
    /// The project that findings are for.
    pub project_dir: &'a Path,
    /// The user's own folder.
    pub home: &'a Path,
    /// Progress, in KiB.
    pub progress: &'a Progress,
}

impl Backfill<'_> {
    /// Reads new and grown files, and returns a plan of the records to store. Nothing is written.
    ///
    /// # Errors
    /// `IO` when the state of earlier runs cannot be read. Files of agents that cannot be read are listed in the plan instead.
    pub fn plan(&self, filter: &Filter, texts: &KnownTexts) -> Result<Plan> {
        let state_path = self.state_path(filter.all_projects);
        let mut state = State::read(self.disk, &state_path)?;
        let mut finder = Finder::new(self.disk, self.places);
        let jobs = match &filter.file {
            Some(file) => sources::find_one(self.disk, self.places, file, &mut finder),
            None => sources::find(self.disk, self.places, &filter.agents, &mut finder),
        };
        let (mut fresh, unchanged): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(|job| !self.is_same(&state, job));
        if let Some(most) = filter.bytes_max {
            fresh.retain(|job| {
                let covered = state.files.get(&job.path).map_or(0, |known| known.covered);
                job.bytes.saturating_sub(covered) <= most
            });
        }
        self.progress.begin(fresh.iter().map(|job| job.bytes / 1024 + 1).sum());
        let scope = Scope::new(self.project_dir, filter.all_projects);
        let until = filter.time_max.map(|limit| Instant::now() + limit);
        let outcomes = self.read_all(&fresh, &state, &scope, until);
        let mut gathered = PlanBuilder {
            scope,
            forgotten: forgotten_in(self.disk, self.home)?,
            since_ms: filter.since_ms,
            tally: Tally::of(std::mem::take(&mut state.waiting)),
            letters: std::mem::take(&mut state.letters),
            agents: BTreeMap::new(),
            candidates: Vec::new(),
            ran: Vec::new(),
            skipped: Skipped::default(),
            secrets: 0,
        };
        for job in fresh.iter().chain(&unchanged) {
            gathered.count_file(job);
        }
        let read = outcomes.iter().flatten().count() as u64;
        finder.problems.extend(problem_of_unread(&fresh, &outcomes));
        for (job, outcome) in fresh.into_iter().zip(outcomes) {
            match outcome {
                Some(Ok(read)) => {
                    gathered.take(&job, &read);
                    state.files.insert(job.path, read.known);
                }
                Some(Err(error)) => finder.problems.push(Problem {
                    path: job.path,
                    reason: format!("cannot be read: {error}"),
                }),
                None => {}
            }
        }
        finder.problems.sort();
        Ok(gathered.plan(
            state,
            state_path,
            texts,
            (read, unchanged.len() as u64),
            finder.problems,
        ))
    }

    /// Each scope has a state of its own, because a run reads only the sessions of its project.
    fn state_path(&self, all_projects: bool) -> PathBuf {
        let scope = if all_projects {
            "all".to_owned()
        } else {
            format!("{:016x}", xxh3_64(self.project_dir.as_os_str().as_encoded_bytes()))
        };
        self.home.join("backfill").join(format!("{scope}.json"))
    }

    fn is_same(&self, state: &State, job: &Job) -> bool {
        let known = state.files.get(&job.path);
        known.is_some_and(|known| self.disk.stat(&job.path).is_ok_and(|now| known.is_same(now)))
            && sources::log_state(self.disk, job).is_none()
    }

    fn read_all(&self, jobs: &[Job], state: &State, scope: &Scope, until: Option<Instant>) -> Vec<Outcome> {
        let next = AtomicUsize::new(0);
        let outcomes: Vec<Mutex<Outcome>> = jobs.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            while until.is_none_or(|until| Instant::now() < until) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let (Some(job), Some(slot)) = (jobs.get(at), outcomes.get(at)) else {
                    break;
                };
                let outcome = self.read_one(job, state, scope);
                if let Ok(mut slot) = slot.lock() {
                    *slot = Some(outcome);
                }
                self.progress.advance(job.bytes / 1024 + 1);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..THREADS {
                scope.spawn(work);
            }
            work();
        });
        outcomes
            .into_iter()
            .map(|slot| slot.into_inner().unwrap_or_default())
            .collect()
    }

    fn read_one(&self, job: &Job, state: &State, scope: &Scope) -> std::io::Result<FileRead> {
        let Some(format) = FORMATS.get(job.format) else {
            return Err(std::io::ErrorKind::InvalidInput.into());
        };
        read_file(
            format,
            (&job.root, &job.path),
            self.disk,
            state.files.get(&job.path),
            &|cwd| scope.project_of(cwd).is_some(),
            None,
        )
    }
}

/// The result of reading a file: `None` when the time was up before it was begun.
type Outcome = Option<std::io::Result<FileRead>>;

/// Says once that files were left to a later run.
fn problem_of_unread(jobs: &[Job], outcomes: &[Outcome]) -> Option<Problem> {
    let mut unread = jobs.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_none());
    let (first, _) = unread.next()?;
    let others = match unread.count() {
        0 => String::new(),
        1 => " and 1 other file".to_owned(),
        others => format!(" and {others} other files"),
    };
    Some(Problem {
        path: first.path.clone(),
        reason: format!("{others} not read, because the time was up: the next run continues there")
            .trim_start()
            .to_owned(),
    })
}
