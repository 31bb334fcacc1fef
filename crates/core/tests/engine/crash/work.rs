//! All write operations, recorded on a simulated disk that loses unsynced data.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use forge_memory_core::journal::{Disk, Journal};
use forge_memory_core::{CaptureInput, EditInput, Error, Memory, RecallOptions};
use forge_memory_test_disk::{CrashDisk, SyncCall};

use crate::common::{Workshop, capture_of, list_all, save_of};

pub const CONFIG: &str = r#"{"projectName":"shop","durability":"disk"}"#;

/// A change, or work on the files.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    Capture(&'static str, &'static str),
    Save(&'static str, &'static str),
    Edit(&'static str, &'static str),
    Forget(&'static str),
    /// A capture that retires a record, and the record.
    Replace(&'static str, &'static str),
    /// A capture that is in conflict with a record.
    Dispute(&'static str),
    /// Makes a retired record current again.
    Keep(&'static str),
    /// Rewrites the raw log as another program of ours would.
    Rewrite,
    Compact,
    /// Persists the index.
    Settle,
}

/// Forgotten or replaced texts, and the files from which the compaction removes them.
/// What a forgetting takes out is in no backup either.
pub const TAKEN_OUT: [(&str, &str); 1] = [("memory/project.jsonl", REPLACED)];
const FORGOTTEN: &str = "Queue retries use jittered exponential backoff";
const RATE: &str = "The API rate limit is 100 requests per minute";
const REPLACED: &str = "npm test -- --runInBand";

const STEPS: [Step; 22] = [
    Step::Capture("lesson", "Always close the pool after integration tests"),
    Step::Capture("gotcha", "Windows runners need short temporary paths"),
    Step::Save("project", REPLACED),
    Step::Save("global", "cargo nextest run --workspace"),
    Step::Edit(
        "Windows runners need short temporary paths",
        "Windows runners want D:/tmp as their scratch folder",
    ),
    Step::Settle,
    Step::Capture("decision", FORGOTTEN),
    Step::Forget(FORGOTTEN),
    Step::Edit(REPLACED, "npx jest --maxWorkers=2"),
    Step::Rewrite,
    Step::Capture("lesson", "Prices are stored as integers of cents"),
    Step::Forget("cargo nextest run --workspace"),
    Step::Compact,
    Step::Capture("gotcha", "The staging certificate expires every quarter"),
    Step::Save("project", "docker compose up -d postgres"),
    Step::Settle,
    Step::Capture("lesson", RATE),
    Step::Replace(RATE, "The API rate limit is 250 requests per minute"),
    Step::Keep(RATE),
    Step::Dispute("The API rate limit is 400 requests per minute"),
    Step::Settle,
    Step::Capture("decision", "Invoices are numbered per fiscal year without gaps"),
];

/// The work, done once.
pub struct Recording {
    /// Kept so that the folder stays.
    _workshop: Workshop,
    pub root: PathBuf,
    pub disk: CrashDisk,
    pub steps: Vec<Step>,
    /// The events of each step; at the end of one it is acknowledged.
    pub spans: Vec<Range<usize>>,
}

impl Recording {
    pub fn make() -> Self {
        let workshop = Workshop::with_config(CONFIG);
        let root = workshop.project().parent().unwrap().to_path_buf();
        let disk = CrashDisk::over(&root);
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        let mut memory = workshop.open_on(Arc::clone(&shared));
        let spans = STEPS.map(|step| {
            let start = disk.events();
            take(step, &workshop, &shared, &mut memory);
            start..disk.events()
        });
        Recording {
            _workshop: workshop,
            root,
            disk,
            steps: STEPS.to_vec(),
            spans: spans.to_vec(),
        }
    }

    /// Returns the events before the compaction.
    pub fn start_of_compaction(&self) -> usize {
        let at = self
            .steps
            .iter()
            .position(|step| matches!(step, Step::Compact))
            .unwrap();
        self.spans[at].start
    }

    /// True if all that a sync makes last is about files with these in their names.
    pub fn is_about(&self, sync: &SyncCall, names: &[&str]) -> bool {
        let covered = self.disk.covered(sync.at);
        covered
            .iter()
            .all(|path| names.iter().any(|name| path.to_string_lossy().contains(name)))
    }

    /// True if all names that a sync makes last end like these, temporary ones aside.
    pub fn is_about_names(&self, sync: &SyncCall, ends: &[&str]) -> bool {
        let covered = self.disk.covered(sync.at);
        let mut lasting = covered.iter().filter(|path| path.extension() != Some("tmp".as_ref()));
        lasting.all(|path| ends.iter().any(|end| path.ends_with(end)))
    }

    /// Returns the events until the next step is acknowledged.
    pub fn next_end(&self, events: usize) -> usize {
        let mut ends = self.spans.iter().map(|span| span.end).filter(|end| *end > events);
        ends.next().unwrap_or(self.disk.events())
    }

    /// True if a step is acknowledged at this very event.
    pub fn is_end(&self, events: usize) -> bool {
        self.spans.iter().any(|span| span.end == events)
    }
}

fn take(step: Step, workshop: &Workshop, disk: &Arc<dyn Disk>, memory: &mut Memory) {
    let id_of = |memory: &mut Memory, text: &str| {
        let hits = list_all(memory);
        hits.into_iter().find(|hit| hit.text == text).unwrap().id
    };
    match step {
        Step::Capture(kind, text) => assert!(memory.capture(capture_of(kind, text)).unwrap().captured),
        Step::Save(scope, text) => drop(memory.save(save_of(scope, "test_command", text)).unwrap()),
        Step::Edit(old, new) => {
            let id = id_of(memory, old);
            let changes = EditInput {
                body: Some(new.into()),
                ..EditInput::default()
            };
            memory.edit(&id, changes).unwrap();
        }
        Step::Forget(text) => {
            let id = id_of(memory, text);
            assert!(memory.forget(&id).unwrap());
        }
        Step::Replace(old, new) => {
            let input = CaptureInput {
                author: Some("person".into()),
                ..capture_of("lesson", new)
            };
            let outcome = memory.capture(input).unwrap();
            assert_eq!(outcome.retired.len(), 1, "{old}");
        }
        Step::Dispute(text) => {
            let outcome = memory.capture(capture_of("lesson", text)).unwrap();
            // What was kept, and what a person said.
            assert_eq!((outcome.retired.len(), outcome.conflicts.len()), (0, 2));
        }
        Step::Keep(text) => {
            let history = memory.recall(text, &RecallOptions::default()).unwrap().hits;
            let retired = history
                .iter()
                .flat_map(|hit| &hit.supersedes)
                .find(|retired| retired.text == text);
            let id = retired.unwrap().id.clone();
            assert!(memory.resolver().keep(&id).unwrap().kept);
        }
        Step::Rewrite => {
            let forge = workshop.forge();
            let lock = forge.join("locks/memory-captures.lock");
            let mut journal = Journal::new(Arc::clone(disk), forge.join("memory-captures.jsonl"), lock);
            let note = b"{\"_v\":1,\"_action\":\"note\"}\n";
            assert!(journal.replace::<Error>(|old| Ok(Some([old, note].concat()))).unwrap());
        }
        Step::Compact => drop(memory.compact(false).unwrap()),
        Step::Settle => memory.settle().unwrap(),
    }
}
