//! The types of the code graph's arguments and answers in `index.d.ts`.

use napi_derive::napi;
use serde::Deserialize;

use crate::projects::names_project;

/// The scope and the limits of a run.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeIndexOptions {
    pub project_dir: Option<String>,
    /// Only files in or under these paths; all when absent, none when empty.
    pub paths: Option<Vec<String>>,
    /// Only files that differ from this revision, and untracked ones.
    pub since: Option<String>,
    /// The time limit in seconds; 600 when absent, or less if `.forge.json` says so.
    pub max_seconds: Option<f64>,
    /// The memory limit in MiB; 4,096 when absent, or less if `.forge.json` says so.
    pub max_memory_mb: Option<f64>,
}

/// Selects the code graph.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeStatOptions {
    /// The project's folder; found from the working directory when absent.
    pub project_dir: Option<String>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// Options that may accept foreign indexes.
pub(super) trait Accepts {
    /// Whether they do.
    fn accepts_foreign(&self) -> bool;
}

macro_rules! accepts {
    ($($options:ty),+ $(,)?) => {
        $(impl Accepts for $options {
            fn accepts_foreign(&self) -> bool {
                self.foreign == Some(true)
            }
        })+
    };
}

accepts!(
    LatticeQueryOptions,
    LatticeSeed,
    LatticeBlastOptions,
    LatticeStatOptions
);

names_project!(
    LatticeIndexOptions,
    LatticeQueryOptions,
    LatticeSeed,
    LatticeBlastOptions,
    LatticeStatOptions
);

/// The options of a search.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeQueryOptions {
    pub project_dir: Option<String>,
    /// The words to search for. Without words, all chunks match, in the order of files.
    pub query: Option<String>,
    /// Only this language, by name or by file extension.
    pub language: Option<String>,
    /// Only this kind: file, module, class, struct, trait, interface, enum, type, function, method, macro, section,
    /// table, view, trigger, index.
    pub kind: Option<String>,
    /// Only files whose path contains this text.
    pub file_path: Option<String>,
    /// The maximum number of chunks, 1 to 1,000; 25 when absent.
    pub limit: Option<f64>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// The definition whose callers or callees are wanted.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeSeed {
    pub project_dir: Option<String>,
    /// Its name, optionally with its type: `push`, `Stack.push`, `Stack::push`.
    pub name: Option<String>,
    /// The id of its chunk, which takes precedence over the name.
    pub chunk_id: Option<String>,
    /// The maximum number of chunks, 1 to 1,000; 25 when absent.
    pub limit: Option<f64>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// The start, the direction and the limits of a walk.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeBlastOptions {
    pub project_dir: Option<String>,
    /// Its name, optionally with its type.
    pub name: Option<String>,
    /// The id of its chunk, which takes precedence over the name.
    pub chunk_id: Option<String>,
    /// `both` when absent.
    #[napi(ts_type = "'callers' | 'callees' | 'both'")]
    pub direction: Option<String>,
    /// The maximum distance in edges, 1 to 50; 3 when absent.
    pub depth: Option<f64>,
    /// The maximum number of chunks, 1 to 1,000; 50 when absent.
    pub limit: Option<f64>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// A word and its count.
#[napi(object, object_from_js = false)]
pub struct LatticeWord {
    pub word: String,
    pub count: u32,
}
