//! The declaration of a project's settings. Each group of settings belongs to one feature. What the page of the settings shows besides a type, a default and a
//! description is written as `x-value`, `x-default` and `x-see`; what a message says is expected, as `x-expected`; and what an invalid
//! value counts as where the default would lower a guard, as `x-invalid`.

use forge_memory_journal::Durability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most former names of a project.
const FORMER_NAMES_MAX: usize = 16;
/// The size at which a journal of events or counts is rotated.
const ROTATED_BYTES: u64 = 8 << 20;
/// With a lower one, a clone could make new records pass for known ones.
const DEDUP_THRESHOLD_MIN: f64 = 0.9;
/// The limits of a run of the code index, which a project can only lower.
pub const LATTICE_SECONDS: u64 = 600;
/// The same for its memory, in MiB.
pub const LATTICE_MEMORY_MB: u64 = 4096;
/// Time limits of the shared store, in milliseconds.
const TIMEOUT_MIN: u64 = 100;
const TIMEOUT_MAX: u64 = 600_000;

/// The settings of a project that are used. Unknown keys belong to other tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "ProjectSettings")]
pub struct Settings {
    /// The project name in every record; one that another repository of this machine uses takes effect after `forge-memory trust`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "see [the project's name](../agents.md#branches-and-worktrees)"))]
    pub project_name: Option<String>,
    /// What the project was called before: its records are compared under these names too, and found in the shared store after
    /// `forge-memory trust`.
    #[schemars(length(max = FORMER_NAMES_MAX), extend("x-value" = "list of texts", "x-expected" = "a list of names, at most 16"))]
    pub former_names: Vec<String>,
    /// `"disk"` syncs every capture and delivery to the disk, so that a power failure loses nothing that was acknowledged.
    #[schemars(with = "String", extend("enum" = ["os", "disk"]))]
    pub durability: Durability,
    /// `false` stores texts without redacting secrets, once you have approved it with `forge-memory trust`; `doctor` reports it as a problem.
    pub redact: bool,
    /// The shared store.
    pub openbrain: OpenBrain,
    /// The search by meaning.
    pub embedder: Embedder,
    /// The watcher of files.
    pub watch: Watch,
    /// The sizes of files.
    pub limits: Limits,
    /// The index of the code.
    pub lattice: Lattice,
    /// `agents`: what no person captured waits for a review; `all`: all captures. Any other value counts as `agents`.
    #[schemars(extend("x-invalid" = "agents", "x-see" = "[the review inbox](../truth.md#the-review-inbox)"))]
    pub review: ReviewPolicy,
    /// `false` turns off checking whether files and commands that a record mentions still exist.
    #[schemars(extend("x-see" = "[drift](../truth.md#drift)"))]
    pub freshness: bool,
    /// `false`, or `{"prompt": false}` for one event, turns off hooks.
    #[schemars(extend("type" = ["boolean", "object"], "x-value" = "boolean or object", "x-see" = "[switches](../hooks.md#switches)"))]
    pub hooks: Value,
    /// The packages of a monorepo, by name; a submodule that it names belongs to this project.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "object", "x-see" = "[packages](../hooks.md#packages-of-a-monorepo)"))]
    pub scopes: Option<Value>,
    /// The lessons of agent loops.
    pub ralph: Ralph,
}

/// The shared store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "StoreSettings")]
pub struct OpenBrain {
    /// The shared store: `"file"`, `postgres://...` or `https://...`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "`\"file\"`", "x-see" = "[stores](../openbrain.md)"))]
    pub url: Option<String>,
    /// Another name of `openbrain.url`, which takes precedence: that of Plan Forge's documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Also sends thoughts to a server that stores only their text.
    pub text_only: bool,
    /// Allows a key to be sent over plain `http` to another machine.
    pub insecure: bool,
    /// The timeout of a request about one thought, and of a PostgreSQL statement.
    #[schemars(range(min = TIMEOUT_MIN, max = TIMEOUT_MAX))]
    pub timeout_ms: f64,
    /// How long a search waits for a connection before the project's own files are searched.
    #[schemars(range(min = TIMEOUT_MIN, max = TIMEOUT_MAX))]
    pub reach_timeout_ms: f64,
    /// How long it then waits for the answer.
    #[schemars(range(min = TIMEOUT_MIN, max = TIMEOUT_MAX))]
    pub search_timeout_ms: f64,
    /// How many candidates a vector index of PostgreSQL examines.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 10, max = 1000), extend("x-default" = "measured", "x-see" = "[PostgreSQL](openbrain.md#postgresql)"))]
    pub ef_search: Option<u64>,
    /// Whether `recall` and `memory_recall` have what colleagues stored about this project behind the own records, and hooks tell agents of
    /// it; `false` in the project's file or your own turns both off.
    #[schemars(extend("x-see" = "[teams](../teams.md#it-is-asked-by-itself), [hooks](../hooks.md#what-a-team-stored)"))]
    pub recall: bool,
    /// How long it waits for them.
    #[schemars(range(min = TIMEOUT_MIN, max = TIMEOUT_MAX))]
    pub recall_timeout_ms: f64,
    /// The cosine from which two texts can be duplicates.
    #[schemars(range(min = DEDUP_THRESHOLD_MIN, max = 1), extend("x-see" = "[rule](../duplicates.md)"))]
    pub dedup_threshold: f64,
    /// The words of a plan that imply a search query.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "built-in words", "x-see" = "[plans](../hub.md#at-the-start-of-a-plan)"))]
    pub keyword_map: Option<Vec<Value>>,
}

/// The key of [`Settings::keyword_map`].
pub const KEYWORD_MAP: &str = "openbrain.keywordMap";

/// What all of the memory uses has its key in the group of the shared store, for which it was made.
impl Settings {
    /// Returns the cosine from which two texts can be duplicates.
    pub fn dedup_threshold(&self) -> f64 {
        self.openbrain.dedup_threshold
    }

    /// Returns the words of a plan that imply a search query; empty when none are given.
    pub fn keyword_map(&self) -> &[Value] {
        self.openbrain.keyword_map.as_deref().unwrap_or_default()
    }
}

/// The search by meaning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "MeaningSettings")]
pub struct Embedder {
    /// The embedder for search by meaning.
    #[schemars(extend("x-invalid" = "unknown", "x-see" = "[embedders](openbrain.md#search-by-meaning)"))]
    pub kind: EmbedderKind,
    /// The address of that server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its model; with `"local"` one of the two, else your `model use`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-see" = "[two models](../embedding.md#two-models)"))]
    pub model: Option<String>,
}

/// What computes the vectors of texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// A model of this machine.
    #[default]
    Local,
    /// A server of Ollama.
    Ollama,
    /// A server with the interface of OpenAI.
    OpenAi,
    /// Nothing: searches use words only.
    None,
    /// One that this version does not know: the shared store is not used.
    #[schemars(skip)]
    Unknown,
}

impl Embedder {
    /// True if searches are by meaning.
    pub fn is_wanted(&self) -> bool {
        self.kind != EmbedderKind::None
    }

    /// Returns the name of an installed model, if one is chosen. The model of a server is its own affair.
    pub fn local_model(&self) -> Option<&str> {
        self.model.as_deref().filter(|_| self.kind == EmbedderKind::Local)
    }
}

/// The watcher of files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "WatchSettings")]
pub struct Watch {
    /// Captures changes of files.
    #[schemars(extend("x-see" = "[rules](../hub.md#the-watcher)"))]
    pub rules: Vec<Value>,
}

/// The sizes of files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "LimitSettings")]
pub struct Limits {
    /// The size at which `hub-events.jsonl` is rotated.
    #[schemars(range(min = 4096), extend("x-expected" = "a number of bytes, at least 4096"))]
    pub events_bytes: u64,
    /// The size at which the telemetry file is rotated.
    #[schemars(range(min = 4096), extend("x-expected" = "a number of bytes, at least 4096"))]
    pub telemetry_bytes: u64,
}

/// The index of the code.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "LatticeSettings")]
pub struct Lattice {
    /// Whether `serve` keeps the index of the code up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "an index exists"))]
    pub watch: Option<bool>,
    /// The time limit of a run of the code index, in seconds; it can only be lowered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("x-default" = LATTICE_SECONDS.to_string()))]
    pub max_seconds: Option<u64>,
    /// Its memory limit; it can only be lowered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 64), extend("x-default" = LATTICE_MEMORY_MB.to_string()))]
    pub max_memory_mb: Option<u64>,
}

/// The lessons of agent loops.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "RalphSettings")]
pub struct Ralph {
    /// Lessons added to an agent loop are captured as well.
    pub capture: bool,
}

/// Whose records require a review before agents get them, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewPolicy {
    /// No records.
    #[default]
    Off,
    /// Records of all speakers except people.
    Agents,
    /// All records.
    All,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            project_name: None,
            former_names: Vec::new(),
            durability: Durability::Os,
            redact: true,
            openbrain: OpenBrain::default(),
            embedder: Embedder::default(),
            watch: Watch::default(),
            limits: Limits::default(),
            lattice: Lattice::default(),
            review: ReviewPolicy::Off,
            freshness: true,
            hooks: Value::Bool(true),
            scopes: None,
            ralph: Ralph::default(),
        }
    }
}

impl Default for OpenBrain {
    fn default() -> Self {
        OpenBrain {
            url: None,
            endpoint: None,
            text_only: false,
            insecure: false,
            timeout_ms: 10_000.0,
            reach_timeout_ms: 1500.0,
            search_timeout_ms: 5000.0,
            ef_search: None,
            recall: true,
            // What nobody notices.
            recall_timeout_ms: 150.0,
            dedup_threshold: DEDUP_THRESHOLD_MIN,
            keyword_map: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            events_bytes: ROTATED_BYTES,
            telemetry_bytes: ROTATED_BYTES,
        }
    }
}
