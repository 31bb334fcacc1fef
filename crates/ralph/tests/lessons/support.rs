use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::clock::{Clock, Millis, parse_iso};
use forge_memory_core::error::Result;
use forge_memory_core::journal::{ApprovalKind, OsDisk, approval_path};
use forge_memory_core::{Environment, Memory};
use forge_memory_ralph::{
    ClearOptions, ClearOutcome, GLOBAL_FILE, Lessons, ListOutcome, QueryOutcome, RalphAddInput, RalphAddOutcome,
    RalphFilter,
};

/// A clock that always returns the same time.
#[derive(Debug)]
pub struct Still(pub Millis);

impl Clock for Still {
    fn now_ms(&self) -> Millis {
        self.0
    }
}

/// Gives access to the lessons in the project of a memory.
pub trait HasLessons {
    fn ralph_list(&mut self, filter: &RalphFilter) -> Result<ListOutcome>;
    fn ralph_query(&mut self, query: Option<&str>, limit: Option<f64>, filter: &RalphFilter) -> Result<QueryOutcome>;
    fn ralph_clear(&mut self, options: &ClearOptions) -> Result<ClearOutcome>;
    fn ralph_add(&mut self, input: RalphAddInput) -> Result<RalphAddOutcome>;
}

impl HasLessons for Memory {
    fn ralph_list(&mut self, filter: &RalphFilter) -> Result<ListOutcome> {
        Lessons::of(self).list(filter)
    }
    fn ralph_query(&mut self, query: Option<&str>, limit: Option<f64>, filter: &RalphFilter) -> Result<QueryOutcome> {
        Lessons::of(self).query(query, limit, filter)
    }
    fn ralph_clear(&mut self, options: &ClearOptions) -> Result<ClearOutcome> {
        Lessons::of(self).clear(options)
    }
    fn ralph_add(&mut self, input: RalphAddInput) -> Result<RalphAddOutcome> {
        Lessons::of(self).add(input)
    }
}

pub struct Project {
    pub folder: tempfile::TempDir,
}

impl Project {
    pub fn new() -> Self {
        Project {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A project with this text as its global store.
    pub fn with(text: &str) -> Self {
        let project = Project::new();
        project.write(GLOBAL_FILE, text);
        project
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join("project").join(file)
    }

    pub fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    pub fn memory(&self) -> Memory {
        self.memory_at("2026-04-08T10:42:00Z")
    }

    pub fn memory_at(&self, now: &str) -> Memory {
        fs::create_dir_all(self.path("")).unwrap();
        Memory::open(self.surroundings(now))
    }

    pub fn surroundings(&self, now: &str) -> Environment {
        Environment {
            code_names: None,
            embedder: None,
            models: None,
            project_dir: self.path(""),
            main: Default::default(),
            git_settings: Vec::new(),
            users: Vec::new(),
            home: self.folder.path().join("home"),
            clock: Arc::new(Still(parse_iso(now).unwrap())),
            disk: Arc::new(OsDisk),
        }
    }

    /// Approves what the settings ask for, as `forge-memory trust` does.
    pub fn approve(&self, setting: &str) {
        let kind = ApprovalKind {
            folder: "trusted-settings",
            field: "setting",
        };
        let project = fs::canonicalize(self.path("")).unwrap().display().to_string();
        let path = approval_path(&self.folder.path().join("home"), &project, kind, setting).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = serde_json::json!({"_v": 1, "project": project, "setting": setting}).to_string();
        fs::write(path, text).unwrap();
    }

    /// Returns the ids of a list, in its order.
    pub fn listed(&self, filter: RalphFilter) -> Vec<String> {
        let list = self.memory().ralph_list(&filter).unwrap();
        list.entries.into_iter().map(|entry| entry.id).collect()
    }
}

pub fn of_loop(id: &str) -> RalphFilter {
    RalphFilter {
        loop_id: Some(id.into()),
        ..RalphFilter::default()
    }
}

pub fn since(when: &str) -> RalphFilter {
    RalphFilter {
        since: Some(when.into()),
        ..RalphFilter::default()
    }
}

/// Returns the name and bytes of every file under a folder, except locks.
pub fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().ends_with(".lock") {
                found.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The store of the examples.
pub const EIGHT: &str = r#"[
  {"id":"mem_a1b2c3","loopId":"abc123","iteration":2,"createdAt":"2026-04-01T10:42:00Z","type":"failure_pattern","lesson":"Auth mocks must be in beforeEach, not module scope","context":"src/auth/auth.test.ts iteration 2","tags":["auth","mocks","jest"],"confidence":0.9},
  {"id":"mem_x9y0z1","loopId":"ghi789","iteration":1,"createdAt":"2026-03-25T08:00:00Z","type":"failure_pattern","lesson":"Passport mock must stub req.user before middleware chain","context":"src/auth/middleware.test.ts","tags":["auth","passport","mocks"],"confidence":0.6},
  {"id":"mem_e5f6g7","loopId":"def456","iteration":5,"createdAt":"2026-03-28T12:00:00Z","type":"success_pattern","lesson":"ESM imports require .js extension in TypeScript","context":"tsconfig.json","tags":["esm"],"confidence":0.9},
  {"id":"mem_c3d4e5","loopId":"abc123","iteration":3,"createdAt":"2026-04-01T10:41:00Z","type":"lesson_learned","lesson":"Use jest.resetAllMocks() in afterEach to prevent mock state leakage","context":"src/auth/auth.test.ts iteration 3","tags":["auth","jest","cleanup"],"confidence":0.8},
  {"id":"mem_g7h8i9","loopId":"def456","iteration":2,"createdAt":"2026-03-28T11:00:00Z","type":"failure_pattern","lesson":"ts-node does not support isolatedModules by default","tags":[],"confidence":0.7},
  {"id":"mem_j1k2l3","loopId":"def456","iteration":3,"createdAt":"2026-03-28T10:00:00Z","type":"lesson_learned","lesson":"Run tsc before the bundler","tags":[],"confidence":0.7},
  {"id":"mem_m4n5o6","loopId":"def456","iteration":4,"createdAt":"2026-03-28T09:00:00Z","type":"lesson_learned","lesson":"Keep paths relative","tags":[],"confidence":0.7},
  {"id":"mem_p7q8r9","loopId":"abc123","iteration":1,"createdAt":"2026-04-01T10:40:00Z","type":"lesson_learned","lesson":"Reset the clock","tags":[],"confidence":0.7}
]
"#;
