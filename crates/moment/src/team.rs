//! What a team stored: a replica of what the shared store has about a project and its own files have not, as a memory in the user's own
//! folder. A hook asks no database. It reads the replica, as long as the store has confirmed it within the last minute, so that a grant that
//! ends, ends the notes as well; and lets it be read again by a process that no host waits for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::clock::{Clock, Millis, SystemClock, format_iso};
use forge_memory_core::journal::{Disk, LockFile, OsDisk, write_file};
use forge_memory_core::place::{InMain, Place};
use forge_memory_core::recall::{RecallOptions, RecallOutcome};
use forge_memory_core::redact::redact;
use forge_memory_core::said::NOBODY;
use forge_memory_core::settings::{OWN_STORE_FILE, Settings, layered};
use forge_memory_core::{Environment, Error, Memory, RecallHit, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lines::{as_line, shorten};
use crate::machine::store_in_environment;
use crate::private;

/// How long after the store has confirmed a replica its notes are told.
const CONFIRMED_MS: Millis = 60_000;
/// How long nobody asks a store again that refuses this user.
const REFUSED_MS: Millis = 600_000;
/// The most records of a replica: the newest.
const RECORDS_MAX: usize = 2000;
const AUTHOR_MAX: usize = 60;
const FOLDER: &str = "replicas";
const STATE_FILE: &str = "replica.json";
/// The fields of a record that a replica has.
const FIELDS: [&str; 17] = [
    "_v",
    "_action",
    "with",
    "at",
    "id",
    "content",
    "project",
    "type",
    "author",
    "session",
    "created_by",
    "from",
    "captured_at",
    "expiresAt",
    "tags",
    "confidence",
    "hallmark",
];

/// Why a store has no notes for this user, which a person can mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Problem {
    /// The store refuses this user.
    Refused,
    /// The address is one of the project's files, and not approved.
    Unapproved,
}

/// What is known of a replica.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Known {
    /// The store, as a hash of its address.
    store: String,
    /// The state of the store that it is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// When the store said last that this is its state, or that it refuses this user.
    at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// What the team has for a hook.
#[derive(Debug)]
pub(crate) enum Team {
    /// No store of several people is named, or it is not wanted.
    None,
    /// Notes that the store has confirmed.
    Here(Box<Memory>),
    /// Nothing now: the store is to be asked.
    Away,
    /// Nothing, as long as nobody mends it.
    Refused,
}

#[derive(Debug)]
struct Replica<'a> {
    home: &'a Path,
    folder: PathBuf,
    store: String,
}

impl<'a> Replica<'a> {
    /// Returns where the replica of a project is; `None` when its settings name no store that has one, or do not want it.
    fn of(place: &Place, home: &'a Path, settings: &Settings) -> Option<Self> {
        let user = private::read(home, &home.join(OWN_STORE_FILE)).unwrap_or_default();
        let (given, user) = (&settings.openbrain, layered([user]).settings.openbrain);
        let named = [&given.url, &given.endpoint, &user.url, &user.endpoint];
        let address = store_in_environment().or_else(|| named.into_iter().flatten().next().cloned())?;
        let address = address.trim();
        let is_database = address.starts_with("postgres://") || address.starts_with("postgresql://");
        (is_database && given.recall && user.recall).then(|| Replica {
            folder: home
                .join(FOLDER)
                .join(private::digest(&place.memory_dir().to_string_lossy(), 32)),
            store: private::digest(address, 32),
            home,
        })
    }

    fn state_file(&self) -> PathBuf {
        self.folder.join(STATE_FILE)
    }

    fn records(&self) -> PathBuf {
        self.folder.join(".forge/memory-captures.jsonl")
    }

    /// Returns what is known of it, unless it is that of another store.
    fn known(&self) -> Option<Known> {
        let known: Known = private::read(self.home, &self.state_file())?;
        (known.store == self.store).then_some(known)
    }

    fn note(&self, state: Option<String>, problem: Option<Problem>) -> Result<()> {
        let known = Known {
            store: self.store.clone(),
            state,
            at: SystemClock.now_ms(),
            problem,
        };
        let text = serde_json::to_string(&known).unwrap_or_default();
        private::write(self.home, &self.state_file(), &text)
    }

    /// Opens it as a memory about the files of the project.
    fn open(&self, place: &Place) -> Memory {
        let place = Place {
            main: InMain::Memory(self.folder.clone()),
            ..place.clone()
        };
        Memory::open(Environment::at(place, self.home.to_path_buf()))
    }

    fn lock(&self) -> LockFile {
        LockFile::new(Arc::new(OsDisk), self.folder.join("replica.lock"))
    }

    fn clear(&self) -> Result<()> {
        let folder = self.folder.join(".forge");
        if folder.is_dir() {
            OsDisk.remove_folder(&folder).map_err(Error::io("remove", &folder))
        } else {
            Ok(())
        }
    }
}

/// Returns what the team has for a hook at a moment.
pub(crate) fn team_of(place: &Place, home: &Path, settings: &Settings, now: Millis) -> Team {
    let Some(replica) = Replica::of(place, home, settings) else {
        return Team::None;
    };
    let Some(known) = replica.known() else {
        return Team::Away;
    };
    let is_within = |ms: Millis| (0..=ms).contains(&(now - known.at));
    match known.problem {
        Some(Problem::Refused) if is_within(REFUSED_MS) => Team::Refused,
        // Nobody is asked to approve what a clone names: `status` says it.
        Some(Problem::Unapproved) if is_within(REFUSED_MS) => Team::None,
        None if is_within(CONFIRMED_MS) => Team::Here(Box::new(replica.open(place))),
        _ => Team::Away,
    }
}

/// Says whose a record of a replica is.
pub(crate) fn author_of(hit: &RecallHit) -> String {
    if NOBODY.contains(&hit.source.as_str()) {
        "the team".to_owned()
    } else {
        format!("{} of the team", shorten(&as_line(&hit.source), AUTHOR_MAX))
    }
}

/// Returns the state of the store that the replica of a project is a copy of; empty when there is none.
#[must_use]
pub fn replica_state(place: &Place, home: &Path, settings: &Settings) -> Option<String> {
    let replica = Replica::of(place, home, settings)?;
    replica.records().exists().then(|| replica.known()?.state)?
}

/// What a replica says to a question.
#[derive(Debug, Serialize)]
pub struct Replicated {
    #[serde(flatten)]
    outcome: RecallOutcome,
    /// When the store said last that this is its state, ISO 8601.
    at: String,
}

/// Searches the replica of a project, however long ago the store has confirmed it; `None` when there is none for this user.
///
/// # Errors
/// As a recall.
pub fn recall_replica(
    place: &Place,
    home: &Path,
    settings: &Settings,
    query: &str,
    limit: f64,
) -> Result<Option<Replicated>> {
    let Some(replica) = Replica::of(place, home, settings).filter(|replica| replica.records().exists()) else {
        return Ok(None);
    };
    let Some(known) = replica.known().filter(|known| known.problem.is_none()) else {
        return Ok(None);
    };
    let options = RecallOptions {
        limit: Some(limit),
        ..RecallOptions::default()
    };
    let outcome = replica.open(place).recall(query, &options)?;
    let at = format_iso(known.at);
    Ok(Some(Replicated { outcome, at }))
}

/// What a store said.
#[derive(Debug)]
pub enum Told {
    /// The replica is a copy of it still.
    Same(String),
    /// Its state, and its records as lines of JSON, the newest first.
    New(String, Vec<String>),
    /// There is none for this user.
    Nothing(Problem),
}

/// Keeps what a store said about a project. `own` is its memory.
///
/// # Errors
/// `LOCKED` or `IO`; the replica may be that of before then.
pub fn keep_replica(place: &Place, home: &Path, own: &mut Memory, told: Told) -> Result<()> {
    let settings = own.config().settings.clone();
    let Some(replica) = Replica::of(place, home, &settings) else {
        return Ok(());
    };
    private::refuse_links(home, &replica.records())?;
    OsDisk
        .make_dir(&replica.folder)
        .map_err(Error::io("create", &replica.folder))?;
    let _guard = replica.lock().guard()?;
    match told {
        Told::Same(state) => replica.note(Some(state), None),
        Told::Nothing(problem) => {
            replica.clear()?;
            replica.note(None, Some(problem))
        }
        Told::New(state, lines) => {
            let lines = lines.iter().filter_map(|line| record_of(own, line));
            let mut text: String = lines.take(RECORDS_MAX).map(|line| line + "\n").collect();
            if text.is_empty() {
                text.push('\n');
            }
            let records = replica.records();
            OsDisk
                .make_dir(records.parent().unwrap_or(&replica.folder))
                .map_err(Error::io("create", &records))?;
            write_file(&OsDisk, &records, text.as_bytes())?;
            // Without its index it is read as a whole by each hook.
            replica.open(place).settle()?;
            replica.note(Some(state), None)
        }
    }
}

/// Returns a record as the line of a replica, without secrets; `None` for what is none, and for what the own files have.
fn record_of(own: &mut Memory, line: &str) -> Option<String> {
    let given: Map<String, Value> = serde_json::from_str(line).ok()?;
    let id = given.get("id")?.as_str()?;
    // A line about two records says that they contradict each other.
    let is_record = !given.contains_key("_action");
    if is_record && own.has_record(id) {
        return None;
    }
    let mut kept: Map<String, Value> = FIELDS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), without_secrets(given.get(*name)?))))
        .collect();
    if let Some(author) = kept.remove("created_by") {
        kept.insert("source".to_owned(), author);
    }
    serde_json::to_string(&kept).ok()
}

fn without_secrets(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text).text.into_owned()),
        Value::Array(items) => items.iter().map(without_secrets).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), without_secrets(value)))
            .collect(),
        other => other.clone(),
    }
}
