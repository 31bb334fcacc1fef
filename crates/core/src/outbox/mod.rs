//! The transactional outbox (Richardson, *Microservices Patterns*, 2018) between the files and the shared store, shown to users
//! as the anvil: a state machine without a network.
//!
//! Records are appended to a queue in the capture path. A [`Drain`] leases records to a delivery worker and settles the outcome
//! of each; delivery is at least once, and the store deduplicates by id. The class of an outcome decides, not a counter: a record
//! that the store rejects becomes a dead letter at once, an outage never produces dead letters, and a wrong setting pauses the
//! drain. A pass costs O(batch), not O(queue): settlements are appended to a log beside the queue, and the queue is rewritten only
//! when at least half of its bytes are settled (amortized O(1) per record).

mod again;
mod backoff;
mod compaction;
mod dead;
mod delivered;
mod drain;
mod foreign;
mod intake;
mod lease;
mod line;
pub mod queue;
mod rows;
mod settled;
mod settling;
mod status;

pub use again::QueuedAgain;
pub(crate) use again::queue_again;
pub(crate) use dead::DeadLetters;
pub use dead::{DeadLetter, Dropped, Retried};
pub use drain::Drain;
pub use foreign::Foreign;
pub(crate) use foreign::{foreign_records, trust_foreign_records};
pub use line::PastFailure;
pub use settled::{LastError, Pause};
pub use status::DrainPass;

pub(crate) use line::{CONFIRMED_AT, QueueLine, is_own, moment, quoted};
pub(crate) use status::{Unsettled, last_pass, read_unsettled};

use crate::model::thought::StoredThought;

/// What a record of the queue is known by: a hash of its line.
pub(crate) type Key = u128;

/// The queue, relative to `.forge/`.
pub(crate) const QUEUE_FILE: &str = "openbrain-queue.jsonl";
/// What was delivered.
pub(crate) const ARCHIVE_FILE: &str = "openbrain-queue.archive.jsonl";
/// What the store has refused.
pub(crate) const DEAD_LETTER_FILE: &str = "openbrain-dlq.jsonl";
/// How the passes went.
pub(crate) const STATS_FILE: &str = "openbrain-stats.jsonl";
/// What became of the records that are still in the queue.
pub(crate) const SETTLED_FILE: &str = "openbrain-settled.jsonl";

/// What is to be done with a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// To store a thought.
    Store(Box<StoredThought>),
    /// To delete the thoughts with these ids.
    Delete(Vec<String>),
}

/// A record that is leased for delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct LeasedThought {
    /// What [`Drain::settle`] knows it by.
    pub key: String,
    /// What is to be done.
    pub work: Work,
    /// The projects that a delete may reach: this one, under all names that we delivered the thought under.
    pub projects: Vec<String>,
    /// When the thought was captured again; its life in the store is to last longer then.
    pub confirmed_at: Option<String>,
    /// How often the store has failed on it alone.
    pub attempts: u32,
    /// When it was queued, as written.
    pub enqueued_at: String,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeKind {
    /// The store has it.
    Delivered,
    /// There is nothing left to do.
    Gone,
    /// The store will never take it: a dead letter.
    Rejected,
    /// The store could not take it now: an outage, which is no fault of the record.
    Busy,
    /// The store failed on this one alone while it took others. So often and no more.
    Failed,
    /// A setting is wrong: delivery is paused until it is corrected.
    Misconfigured,
}

impl OutcomeKind {
    /// Returns the kind that a name means.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "delivered" => Some(OutcomeKind::Delivered),
            "gone" => Some(OutcomeKind::Gone),
            "rejected" => Some(OutcomeKind::Rejected),
            "busy" => Some(OutcomeKind::Busy),
            "failed" => Some(OutcomeKind::Failed),
            "misconfigured" => Some(OutcomeKind::Misconfigured),
            _ => None,
        }
    }
}

/// What the store answered about one record.
#[derive(Debug, Clone)]
pub struct DeliveryOutcome {
    /// The record.
    pub key: String,
    /// What became of it.
    pub kind: OutcomeKind,
    /// What the store said.
    pub reason: Option<String>,
}

/// What a settlement has come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettleReport {
    /// Records that are done.
    pub delivered: u64,
    /// Records that wait for another attempt.
    pub deferred: u64,
    /// New dead letters.
    pub dead: u64,
    /// Records that the store failed on alone, those among the new dead letters too.
    pub failed: u64,
    /// Outcomes of records that were not leased.
    pub unknown: u64,
    /// Why the drain is paused.
    pub paused: Option<String>,
    /// When the next lease can answer something.
    pub next_due_at: Option<String>,
}
