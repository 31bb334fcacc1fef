//! The transactional outbox (Richardson, *Microservices Patterns*, 2018) between the files and the shared store, shown to users
//! as the anvil: a state machine without a network.
//!
//! Records are appended to a queue in the capture path. A [`Drain`] leases records to a delivery worker and settles the outcome
//! of each; delivery is at least once, and the store deduplicates by id. The class of an outcome decides, not a counter: a record
//! that the store rejects becomes a dead letter at once, an outage never produces dead letters, and a wrong setting pauses the
//! drain. A pass costs O(batch), not O(queue): settlements are appended to a log beside the queue, and the queue is rewritten only
//! when at least half of its bytes are settled (amortized O(1) per record).

mod backoff;
mod dead;
mod drain;
mod files;
mod foreign;
mod known;
mod line;
mod lines;
mod log;
mod lost;
mod missing;
pub mod queue;
mod requeue;
mod scan;
mod settlement;
mod state;

pub use backoff::retry_delay;
pub(crate) use dead::DeadLetters;
pub use dead::{DeadLetter, Dropped, Retried};
pub use drain::Drain;
pub use foreign::Foreign;
pub(crate) use foreign::{foreign_records, trust_foreign_records};
pub(crate) use known::{note_names, shared_names};
pub use line::PastFailure;
pub(crate) use line::{CONFIRMED_AT, QueueLine, is_own, moment, quoted};
pub use log::{DrainPass, LastError, Pause};
pub(crate) use log::{Unsettled, last_pass, read_unsettled};
pub use lost::LostRecord;
pub(crate) use lost::{may_be_lost, missing_records, restore_lost};
pub(crate) use missing::count_missing;
pub use requeue::QueuedAgain;
pub(crate) use requeue::{count_again, queue_again, queue_own_again};

use crate::clock::format_iso;
use crate::model::thought::{Ruling, RulingKind, StoredThought};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The key of a record of the queue: a 128-bit hash of its line.
pub(crate) type Key = u128;

pub(crate) use crate::project::files::{
    ACCEPTING_FILE, ARCHIVE_FILE, DEAD_LETTER_FILE, DRAIN_LOCK, PREVIOUS_ARCHIVE_FILE, QUEUE_FILE, SETTLED_FILE,
    STATS_FILE,
};

/// The file to which Plan Forge captures. It does not know our settlement log.
pub(crate) const OLDER_CAPTURES_FILE: &str = "liveguard-memories.jsonl";

/// The operation that a record asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// To store a thought.
    Store(Box<StoredThought>),
    /// To delete the thoughts with these ids.
    Delete(Vec<String>),
    /// To note a ruling on a thought.
    Rule(Ruling),
}

/// A record that is leased for delivery.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "Lease")]
pub struct LeasedThought {
    /// Its key, for [`Drain::settle`].
    pub key: String,
    /// The operation.
    pub work: Work,
    /// The projects that a delete may affect: this one, under all names under which the thought was delivered.
    pub projects: Vec<String>,
    /// When the thought was captured again, which extends its lifetime in the store.
    pub confirmed_at: Option<String>,
    /// How often the store failed on this record alone.
    pub attempts: u32,
    /// When it was queued, as written.
    pub enqueued_at: String,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
}

/// A leased record, which the caller has to deliver.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LeasedThought")]
pub struct Lease {
    /// Identifies the record for `settle`.
    key: String,
    action: Action,
    /// The id of the thought; for a delete, the first of `ids`.
    id: String,
    /// All ids that a delete covers.
    ids: Vec<String>,
    /// The projects whose thoughts it may change: this one, under every name that it had.
    projects: Vec<String>,
    /// The thought to store.
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<Box<StoredThought>>,
    /// The ruling to note.
    #[serde(skip_serializing_if = "Option::is_none")]
    ruling: Option<QueueRuling>,
    /// How often the store has failed on this record alone.
    attempts: u32,
    /// As written.
    enqueued_at: String,
    /// When the thought was captured again; its expiry in the store is to be extended then.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed_at: Option<String>,
    /// The error of the last attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
}

/// The task for the worker with a leased record.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Store,
    Delete,
    Rule,
}

/// A ruling on a thought, as the shared store notes it.
#[derive(Serialize, JsonSchema)]
struct QueueRuling {
    kind: RulingKind,
    /// The other thought; of a review and of feedback, the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    /// The rule or the author; may be empty.
    why: String,
    /// ISO 8601.
    at: String,
    /// The other fields of its line, such as who said it, by their names.
    #[schemars(with = "BTreeMap<String, Value>")]
    more: Map<String, Value>,
}

impl QueueRuling {
    fn of(ruling: Ruling) -> Self {
        let mut more: Map<String, Value> = serde_json::from_str(&ruling.line()).unwrap_or_default();
        for named in ["_v", "_action", "id", "by", "with", "of", "why", "at"] {
            more.remove(named);
        }
        QueueRuling {
            kind: ruling.kind,
            other: ruling.other,
            why: ruling.why,
            at: format_iso(ruling.at_ms),
            more,
        }
    }
}

impl From<LeasedThought> for Lease {
    fn from(leased: LeasedThought) -> Self {
        let (action, ids, thought, ruling) = match leased.work {
            Work::Store(thought) => (Action::Store, vec![thought.id.clone()], Some(thought), None),
            Work::Delete(ids) => (Action::Delete, ids, None, None),
            Work::Rule(ruling) => (
                Action::Rule,
                vec![ruling.id.clone()],
                None,
                Some(QueueRuling::of(ruling)),
            ),
        };
        Lease {
            key: leased.key,
            action,
            id: ids.first().cloned().unwrap_or_default(),
            ids,
            projects: leased.projects,
            thought,
            ruling,
            attempts: leased.attempts,
            enqueued_at: leased.enqueued_at,
            confirmed_at: leased.confirmed_at,
            last_error: leased.last_error,
        }
    }
}

/// The class of the outcome of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeKind {
    /// The store has it.
    Delivered,
    /// There is nothing left to do.
    Gone,
    /// The store rejects it for good: a dead letter.
    Rejected,
    /// The store cannot accept it now: an outage, which does not count against the record.
    Busy,
    /// The store failed on this record while it accepted others; limited to a number of attempts.
    Failed,
    /// A setting is wrong: delivery is paused until it is corrected.
    Misconfigured,
}

/// The outcome of a delivery.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryOutcome {
    /// The record.
    pub key: String,
    /// `delivered`, or `gone` when nothing was left to do; `rejected` makes a dead letter at once; `busy` is retried later without limit;
    /// `failed` (the store failed on this record but accepted others) makes a dead letter at the fifth time; `misconfigured` pauses the
    /// drain and does not count as an attempt.
    pub kind: OutcomeKind,
    /// The message of the store.
    pub reason: Option<String>,
}

/// The result of a settlement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettleReport {
    /// The number of completed records.
    pub delivered: u64,
    /// The number of records that wait for another attempt.
    pub deferred: u64,
    /// The number of new dead letters.
    pub dead: u64,
    /// The number of records on which the store failed alone.
    pub failed: u64,
    /// The number of outcomes for records that were not leased.
    pub unknown: u64,
    /// Why the drain is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// When the next lease can return a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_due_at: Option<String>,
}
