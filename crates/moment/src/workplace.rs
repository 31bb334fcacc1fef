//! Where a call is about: its project, the package in it, and the memories that are asked.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use forge_memory_core::clock::Millis;
use forge_memory_core::place::Place;
use forge_memory_core::settings::Settings;
use forge_memory_core::{CodeNames, Environment, Memory, RecallHit, RecallOptions, Result, Scope};
use forge_memory_lattice::Lattice;

use crate::machine::place_named;
use crate::scopes::Scopes;
use crate::team::{Team, author_of, team_of};

/// The number of candidates of one question, among which evidence is searched.
const CANDIDATES: f64 = 40.0;
/// The minimum confidence of a record that is injected.
const CONFIDENCE_MIN: f64 = 0.3;

/// The folder of an agent, its project and the memories that are open.
pub(crate) struct Workplace {
    pub home: PathBuf,
    pub project: PathBuf,
    pub cwd: PathBuf,
    pub settings: Settings,
    pub scopes: Scopes,
    /// The time at which lookups stop, so that the notes found are told in time.
    pub ends: Option<Instant>,
    /// True if something was not looked up because of that.
    pub was_cut: bool,
    /// How many bytes without an index there is time to read.
    hurry: Option<u64>,
    memories: Vec<(PathBuf, Memory)>,
    place: Place,
    /// What is asked after the own memory, once it was needed.
    others: Option<Others>,
    graph: Option<Arc<Mutex<Lattice>>>,
}

/// The memories that are asked after the own one.
struct Others {
    beside: Vec<Beside>,
    /// Why the team's is not among them.
    team: Missing,
}

/// A memory of others, whose records are told behind the own ones, each with whose it is.
struct Beside {
    memory: Memory,
    whose: fn(&RecallHit) -> String,
}

/// Why a memory of the team is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is, or there is none.
    No,
    /// The shared store has not confirmed it lately.
    NotConfirmed,
    /// The shared store refuses this user.
    Refused,
}

impl Workplace {
    /// Opens the memory of the project that a folder belongs to.
    pub(crate) fn open(place: Place, cwd: PathBuf, home: PathBuf) -> Self {
        let project = place.project_dir.clone();
        let mut memory = open(place.clone(), &home);
        let settings = memory.config().settings.clone();
        Workplace {
            scopes: Scopes::of(settings.scopes.as_ref(), &project, &cwd),
            memories: vec![(project.clone(), memory)],
            ends: None,
            was_cut: false,
            hurry: None,
            place,
            others: None,
            graph: None,
            home,
            project,
            cwd,
            settings,
        }
    }

    /// Answers from the newest records while more bytes than these are in no index, until something is captured.
    pub(crate) fn hurry(&mut self, most: u64) {
        self.hurry = Some(most);
        self.memories.iter_mut().for_each(|(_, memory)| memory.hurry(most));
    }

    /// Returns the projects that are asked: the own one, and the one that contains it.
    pub(crate) fn projects(&self) -> Vec<PathBuf> {
        [&self.project]
            .into_iter()
            .chain(&self.scopes.around)
            .cloned()
            .collect()
    }

    pub(crate) fn memory(&mut self, project: &Path) -> Result<&mut Memory> {
        let at = match self.memories.iter().position(|(known, _)| known == project) {
            Some(at) => at,
            None => {
                let place = place_named(project.to_str(), &self.home)?;
                let mut memory = open(place, &self.home);
                if let Some(most) = self.hurry {
                    memory.hurry(most);
                }
                self.memories.push((project.to_path_buf(), memory));
                self.memories.len() - 1
            }
        };
        match self.memories.get_mut(at) {
            Some((_, memory)) => Ok(memory),
            None => Err(forge_memory_core::Error::invalid("project", "is not open")),
        }
    }

    /// Returns the memory of the own project, with its current settings.
    pub(crate) fn own(&mut self) -> Result<&mut Memory> {
        let project = self.project.clone();
        let memory = self.memory(&project)?;
        memory.config();
        Ok(memory)
    }

    pub(crate) fn now(&mut self) -> Millis {
        self.memories.first().map_or(0, |(_, memory)| memory.now_ms())
    }

    /// True if the time for looking things up is over.
    pub(crate) fn is_late(&self) -> bool {
        self.ends.is_some_and(|ends| Instant::now() >= ends)
    }

    /// Returns the records that may be about a question, as their words tell.
    pub(crate) fn candidates(&mut self, project: &Path, question: &str) -> Result<Vec<RecallHit>> {
        if question.trim().is_empty() {
            return Ok(Vec::new());
        }
        if self.is_late() {
            self.was_cut = true;
            return Ok(Vec::new());
        }
        let options = RecallOptions {
            limit: Some(CANDIDATES),
            is_literal: true,
            ..RecallOptions::default()
        };
        let mut hits = self.memory(project)?.recall(question, &options)?.hits;
        hits.retain(|hit| hit.confidence >= CONFIDENCE_MIN && hit.is_told_unasked());
        Ok(hits)
    }

    /// Returns records of the own project, those of the package first, filled up with those of the containing repository.
    pub(crate) fn with_around(
        &mut self,
        limit: usize,
        mut ask: impl FnMut(&mut Memory) -> Result<Vec<RecallHit>>,
    ) -> Result<Vec<RecallHit>> {
        let mut hits = ask(self.own()?)?;
        let scopes = self.scopes.clone();
        scopes.fill(&mut hits, limit, |around| ask(self.memory(around)?))?;
        Ok(hits)
    }

    /// Returns records of the memories beside the own one that this has not heard of, each with whose it is. One that cannot be read has none.
    pub(crate) fn beside(
        &mut self,
        mut ask: impl FnMut(&mut Memory) -> Result<Vec<RecallHit>>,
    ) -> Result<Vec<(RecallHit, String)>> {
        if self.is_late() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for Beside { memory, whose } in &mut self.others().beside {
            let mut hits = ask(memory).unwrap_or_default();
            hits.retain(|hit| hit.scope == Scope::Project);
            found.push((hits, *whose));
        }
        let mut told = Vec::new();
        for (mut hits, whose) in found {
            if !hits.is_empty() {
                self.own()?.retain_unknown(&mut hits);
            }
            told.extend(hits.into_iter().map(|hit| {
                let of = whose(&hit);
                (hit, of)
            }));
        }
        Ok(told)
    }

    /// Returns why the memory of the team is not asked.
    pub(crate) fn missing_team(&mut self) -> Missing {
        self.others().team
    }

    fn others(&mut self) -> &mut Others {
        let now = self.now();
        self.others.get_or_insert_with(|| {
            let (memory, team) = match team_of(&self.place, &self.home, &self.settings, now) {
                Team::None => (None, Missing::No),
                Team::Away => (None, Missing::NotConfirmed),
                Team::Refused => (None, Missing::Refused),
                Team::Here(memory) => (Some(*memory), Missing::No),
            };
            let beside = memory.map(|memory| Beside {
                memory,
                whose: author_of,
            });
            Others {
                beside: beside.into_iter().collect(),
                team,
            }
        })
    }

    /// Returns the code graph of the own project, if it has one.
    pub(crate) fn graph(&mut self) -> Option<Arc<Mutex<Lattice>>> {
        if self.graph.is_none() && self.project.join(".forge/lattice").exists() {
            let graph = Lattice::new(self.project.clone(), self.home.clone());
            self.graph = Some(Arc::new(Mutex::new(graph)));
        }
        self.graph.clone()
    }

    /// True if what was read of a journal should be kept in an index.
    pub(crate) fn has_index_work(&mut self) -> bool {
        self.memories
            .iter_mut()
            .any(|(_, memory)| !memory.take_jobs().is_empty())
    }
}

/// Opens a memory, without any model of sentences: reading one takes longer than a note may take.
fn open(place: Place, home: &Path) -> Memory {
    let names = NamesInCode {
        project: place.project_dir.clone(),
        home: home.to_path_buf(),
        graph: Mutex::new(None),
    };
    let mut memory = Memory::open(Environment {
        code_names: Some(Arc::new(names)),
        ..Environment::at(place, home.to_path_buf())
    });
    // Records that cannot be brought back now stay for the next process; the memory itself works without them.
    let _ = memory.restore_removed();
    memory.look_at_worktrees_once();
    memory
}

/// The names in a project's code, as the memory looks them up. The graph is opened for the first of them.
struct NamesInCode {
    project: PathBuf,
    home: PathBuf,
    graph: Mutex<Option<Lattice>>,
}

impl std::fmt::Debug for NamesInCode {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("NamesInCode")
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}

impl CodeNames for NamesInCode {
    fn has(&self, name: &str, since: Millis) -> Option<bool> {
        let mut graph = self.graph.try_lock().ok()?;
        let graph = graph.get_or_insert_with(|| Lattice::new(self.project.clone(), self.home.clone()));
        graph.has_name(name, since)
    }
}
