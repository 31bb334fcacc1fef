//! Temporary home folders with stores of agents, and the events that readers produce.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use forge_memory_core::progress::Progress;
use forge_memory_journal::OsDisk;
use forge_memory_transcripts::{
    Agent, Backfill, Event, FORMATS, Filter, KnownTexts, Places, Plan, Session, Sink, Skipped, read_file,
};

/// A temporary home folder.
pub struct Home(pub tempfile::TempDir);

impl Home {
    pub fn new() -> Self {
        Home(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn places(&self) -> Places {
        Places {
            home: self.path().to_path_buf(),
            variables: BTreeMap::new(),
        }
    }

    /// Reads all files of an agent and returns its events as text.
    pub fn shown(&self, agent: Agent) -> Shown {
        let mut shown = Shown::default();
        let places = self.places();
        for format in FORMATS.iter().filter(|format| format.agent == agent) {
            for root in (format.roots)(&places) {
                for path in files(&root) {
                    if (format.accepts)(path.strip_prefix(&root).unwrap()) && !path.ends_with("projects.json") {
                        let read =
                            read_file(format, (&root, &path), &OsDisk, None, &|_| true, Some(&mut shown)).unwrap();
                        shown.skipped.add(&read.skipped);
                    }
                }
            }
        }
        shown
    }

    pub fn plan(&self, project: &str) -> Plan {
        self.plan_with(project, &Filter::default())
    }

    pub fn plan_at(&self, places: &Places, project: &str) -> Plan {
        self.planned(places, project, &Filter::default())
    }

    pub fn plan_with(&self, project: &str, filter: &Filter) -> Plan {
        self.planned(&self.places(), project, filter)
    }

    fn planned(&self, places: &Places, project: &str, filter: &Filter) -> Plan {
        let progress = Progress::default();
        let backfill = Backfill {
            disk: &OsDisk,
            places,
            project_dir: Path::new(project),
            home: &self.path().join(".forge"),
            progress: &progress,
        };
        backfill.plan(filter, &KnownTexts::default()).unwrap()
    }
}

pub fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(root) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Events as lines of text.
#[derive(Debug, Default)]
pub struct Shown {
    pub sessions: Vec<Session>,
    pub lines: Vec<String>,
    pub skipped: Skipped,
}

impl Sink for Shown {
    fn session(&mut self, session: &Session) {
        match self.sessions.iter_mut().find(|known| known.id == session.id) {
            Some(known) => known.clone_from(session),
            None => self.sessions.push(session.clone()),
        }
    }

    fn event(&mut self, event: Event) {
        let what = match (&event.command, event.paths.is_empty()) {
            (Some(command), _) => format!("`{command}`"),
            (None, false) => event.paths.join(","),
            (None, true) => event.text.replace('\n', "\\n"),
        };
        let outcome = match event.outcome {
            forge_memory_transcripts::Outcome::Unknown => String::new(),
            outcome => format!(" {outcome:?}"),
        };
        self.lines.push(format!("{:?}{outcome}: {what}", event.kind));
    }
}
