//! The paths of the stores.

use std::path::{Path, PathBuf};

use forge_memory_journal::Disk;
use schemars::JsonSchema;
use serde::Deserialize;

/// The shared store of loops that run in a session.
pub const GLOBAL_FILE: &str = ".aiwg/ralph/memory.json";
/// The shared store of loops that run outside of a session.
pub const EXTERNAL_FILE: &str = ".aiwg/ralph-external/memory.json";

const LOOPS_FOLDER: &str = ".aiwg/ralph-external/loops";
const STATE_FILE: &str = "session-state.json";
/// The state of the only loop, where loops have no folders of their own.
const SINGLE_LOOP_FILE: &str = ".aiwg/ralph-external/session-state.json";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The displayed path: relative to the project, with forward slashes.
    pub shown: String,
    pub path: PathBuf,
    /// The loop, from the name of its folder, empty where only the file itself names it; `None` for the shared stores.
    pub loop_name: Option<String>,
}

/// Which of the shared stores are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// `.aiwg/ralph/memory.json`.
    #[default]
    Global,
    /// `.aiwg/ralph-external/memory.json`.
    External,
    /// Both; with a loop, its own store as well.
    All,
}

impl Choice {
    /// Returns the given choice; without one, all stores of a loop, else the global one.
    pub(super) fn of(given: Option<Choice>, has_loop: bool) -> Self {
        let usual = if has_loop { Choice::All } else { Choice::Global };
        given.unwrap_or(usual)
    }

    pub(super) fn common_places(self, project_dir: &Path) -> Vec<Place> {
        let files: &[&str] = match self {
            Choice::All => &[GLOBAL_FILE, EXTERNAL_FILE],
            Choice::Global => &[GLOBAL_FILE],
            Choice::External => &[EXTERNAL_FILE],
        };
        files.iter().map(|file| common_place(project_dir, file)).collect()
    }
}

pub(super) fn common_place(project_dir: &Path, file: &str) -> Place {
    Place {
        shown: file.to_owned(),
        path: join(project_dir, file),
        loop_name: None,
    }
}

/// Finds the stores of single loops by listing the folder: an id never becomes part of a path.
pub(super) fn loop_places(disk: &dyn Disk, project_dir: &Path) -> Vec<Place> {
    let folder = join(project_dir, LOOPS_FOLDER);
    let entries = disk.list(&folder).unwrap_or_default();
    let mut places: Vec<Place> = entries
        .into_iter()
        .filter_map(|entry| {
            let name = entry.name.into_string().ok()?;
            let path = folder.join(&name);
            if let Some(stem) = name.strip_suffix(".json")
                && !name.starts_with('.')
                && !entry.is_folder
            {
                return Some(Place {
                    shown: format!("{LOOPS_FOLDER}/{name}"),
                    path,
                    loop_name: Some(stem.to_owned()),
                });
            }
            let state = path.join(STATE_FILE);
            disk.stat(&state).is_ok().then(|| Place {
                shown: format!("{LOOPS_FOLDER}/{name}/{STATE_FILE}"),
                path: state,
                loop_name: Some(name),
            })
        })
        .collect();
    places.sort_by(|a, b| a.shown.cmp(&b.shown));
    places.push(Place {
        loop_name: Some(String::new()),
        ..common_place(project_dir, SINGLE_LOOP_FILE)
    });
    places
}

fn join(project_dir: &Path, file: &str) -> PathBuf {
    file.split('/')
        .fold(project_dir.to_path_buf(), |path, part| path.join(part))
}
