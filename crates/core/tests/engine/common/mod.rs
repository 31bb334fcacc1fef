//! Shared test support: temporary folders, a fixed clock, a random generator.

pub mod corpus;
pub mod dice;
pub mod lines;
pub mod other;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use forge_memory_core::clock::{Clock, Millis};
use forge_memory_core::journal::{ApprovalKind, Disk, OsDisk, approval_path};
use forge_memory_core::{CaptureInput, Environment, Memory, RecallHit, RecallOptions, SaveInput};

/// 2096-11-20T10:00:00Z: later than any file of a test was changed, as on a machine whose clock is right.
pub const NOON: Millis = 4_004_244_000_000;

/// A clock that is set by the test.
#[derive(Debug)]
pub struct StoppedClock(AtomicI64);

impl StoppedClock {
    pub fn advance(&self, ms: Millis) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for StoppedClock {
    fn now_ms(&self) -> Millis {
        self.0.load(Ordering::Relaxed)
    }
}

/// A project and a home in a temporary folder.
pub struct Workshop {
    folder: tempfile::TempDir,
    pub clock: Arc<StoppedClock>,
}

impl Workshop {
    pub fn new() -> Self {
        Workshop::at(NOON)
    }

    /// Creates one whose clock is at `now`.
    pub fn at(now: Millis) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("shop")).unwrap();
        Workshop {
            folder,
            clock: Arc::new(StoppedClock(AtomicI64::new(now))),
        }
    }

    /// Makes one whose settings are `config`.
    pub fn with_config(config: &str) -> Self {
        let workshop = Workshop::new();
        fs::write(workshop.project().join(".forge.json"), config).unwrap();
        workshop
    }

    /// Approves what the settings ask for, as `forge-memory trust` does.
    pub fn approve(&self, setting: &str) {
        let kind = ApprovalKind {
            folder: "trusted-settings",
            field: "setting",
        };
        let project = fs::canonicalize(self.project()).unwrap().display().to_string();
        let path = approval_path(&self.home(), &project, kind, setting).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = serde_json::json!({"_v": 1, "project": project, "setting": setting}).to_string();
        fs::write(path, text).unwrap();
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn forge(&self) -> PathBuf {
        self.project().join(".forge")
    }

    pub fn raw_log(&self) -> PathBuf {
        self.forge().join("memory-captures.jsonl")
    }

    pub fn patterns(&self) -> PathBuf {
        self.forge().join("memory/project.jsonl")
    }

    pub fn global_patterns(&self) -> PathBuf {
        self.home().join("memory/global.jsonl")
    }

    pub fn open(&self) -> Memory {
        self.open_on(Arc::new(OsDisk))
    }

    pub fn open_on(&self, disk: Arc<dyn Disk>) -> Memory {
        Memory::open(self.environment_on(disk))
    }

    pub fn environment_on(&self, disk: Arc<dyn Disk>) -> Environment {
        Environment {
            code_names: None,
            embedder: None,
            models: None,
            project_dir: self.project(),
            main: Default::default(),
            home: self.home(),
            git_settings: Vec::new(),
            users: Vec::new(),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            disk,
        }
    }
}

/// Deletes the index of a folder that is in use. Windows refuses to delete open files.
pub fn delete_index(root: &Path) {
    let outcome = fs::remove_dir_all(root.join("index"));
    assert!(outcome.is_ok() || cfg!(windows), "{outcome:?}");
}

/// Returns the input of a lesson that is like no other one.
pub fn lesson(number: usize) -> CaptureInput {
    let (about, what, went) = (number * 7, number * 13, number * 31);
    capture_of("lesson", &format!("lesson{number} about{about} what{what} went{went}"))
}

/// Captures lessons, each of them new.
pub fn capture_lessons(memory: &mut Memory, numbers: std::ops::Range<usize>) {
    for number in numbers {
        assert!(memory.capture(lesson(number)).unwrap().captured);
    }
}

/// Returns the input of a capture with nothing but its type and text.
pub fn capture_of(kind: &str, body: &str) -> CaptureInput {
    CaptureInput {
        kind: Some(kind.into()),
        body: Some(body.into()),
        ..CaptureInput::default()
    }
}

/// Returns the input of a save.
pub fn save_of(scope: &str, category: &str, pattern: &str) -> SaveInput {
    SaveInput {
        pattern: Some(pattern.into()),
        category: Some(category.into()),
        scope: Some(scope.into()),
        ..SaveInput::default()
    }
}

/// Returns the newest thousand records, expired ones included.
pub fn list_all(memory: &mut Memory) -> Vec<RecallHit> {
    let options = RecallOptions {
        limit: Some(1000.0),
        include_expired: true,
        ..RecallOptions::default()
    };
    memory.list(&options).unwrap().0
}

/// Tells how often a recall for the words of `text` answers with exactly that text.
pub fn times_recalled(memory: &mut Memory, text: &str) -> usize {
    let options = RecallOptions {
        limit: Some(100.0),
        ..RecallOptions::default()
    };
    let outcome = memory.recall(text, &options).unwrap();
    outcome.hits.iter().filter(|hit| hit.text == text).count()
}
