//! The doorway to the shared store: lease, settle, dead letters, status.

use std::sync::{Arc, Mutex, PoisonError};

use forge_memory_core::Error;
use forge_memory_core::anvil::{self, Drain, DrainPass, LeasedThought as CoreLeased, OutcomeKind, Work};
use forge_memory_core::clock::{Clock, Millis, SystemClock, format_iso, parse_iso, parse_when};
use forge_memory_core::thought::StoredThought as CoreThought;
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::Encoded;
use crate::error::{Result, thrown};
use crate::input::{read, refused};
use crate::inventory::DrainTrend;
use crate::projects::{environment, only_project, with_memory};
use crate::task::{CoreTask, promise};

/// How many records one lease may have.
const BATCH_MAX: f64 = 10_000.0;

/// What is to be in the shared store.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueThought {
    /// The idempotency key.
    pub id: String,
    pub content: String,
    /// The project's own name when the record names none.
    pub project: String,
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    pub source: String,
    pub created_by: String,
    /// ISO 8601, as written.
    pub captured_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    pub tags: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// The id of the thought that this one supersedes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// All other fields of the record: the text of a JSON object.
    pub metadata: String,
}

/// A record of the queue that is the caller's to deliver.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeasedThought {
    /// What `settle` knows it by.
    pub key: String,
    #[napi(ts_type = "'store' | 'delete'")]
    pub action: &'static str,
    /// The thought; the first of `ids` for a delete.
    pub id: String,
    /// The thoughts that a delete means.
    pub ids: Vec<String>,
    /// The projects whose thoughts it may touch: this one, under every name that it had.
    pub projects: Vec<String>,
    /// What is to be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thought: Option<QueueThought>,
    /// How often the store has failed on it alone.
    pub attempts: f64,
    /// As written.
    pub enqueued_at: String,
    /// When the thought was captured again; its life in the store is to last longer then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<String>,
    /// Why the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// What became of a delivery.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryOutcome {
    pub key: String,
    /// `delivered`, or `gone` when nothing was left to do; `rejected` makes a dead letter at once; `busy` is tried
    /// again later, for ever; `failed`, the store failed on this one alone while it took others, becomes a dead letter
    /// at the fifth time; `misconfigured` pauses the drain and costs no attempt.
    #[napi(ts_type = "'delivered' | 'gone' | 'rejected' | 'busy' | 'failed' | 'misconfigured'")]
    pub kind: String,
    /// What the store said.
    pub reason: Option<String>,
}

/// What a settlement has come to.
#[napi(object, object_from_js = false)]
pub struct SettleReport {
    /// Records that are done.
    pub delivered: f64,
    /// Records that wait for another attempt.
    pub deferred: f64,
    /// New dead letters.
    pub dead: f64,
    /// Records that the store failed on alone.
    pub failed: f64,
    /// Outcomes of records that were not leased.
    pub unknown: f64,
    /// Why the drain is paused.
    pub paused: Option<String>,
    /// When the next lease can answer something.
    pub next_due_at: Option<String>,
}

/// How a pass went.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainStats {
    /// When it ended; set by `record`.
    pub timestamp: Option<String>,
    /// What set it off.
    pub source: String,
    pub attempted: f64,
    pub delivered: f64,
    pub deferred: f64,
    pub dlq: f64,
    /// Records that the store failed on alone; 0 when absent.
    pub failed: Option<f64>,
    pub duration_ms: f64,
}

/// What was queued again.
#[napi(object, object_from_js = false)]
pub struct QueuedAgain {
    /// Thoughts that are recalled.
    pub stores: f64,
    /// Orders to delete what is forgotten.
    pub deletes: f64,
}

/// Why delivery is paused until a setting is corrected.
#[napi(object, object_from_js = false)]
pub struct DrainPause {
    pub reason: String,
    pub since: String,
}

/// The last failure of a delivery.
#[napi(object, object_from_js = false)]
pub struct DrainFailure {
    pub message: String,
    pub at: String,
}

/// How the doorway to the shared store stands.
#[napi(object, object_from_js = false)]
pub struct QueueStatus {
    /// Records that are not delivered yet.
    pub queued: f64,
    /// Of these, those that a drain would try now.
    pub due: f64,
    /// Of these, those whose next attempt lies ahead.
    pub deferred: f64,
    /// Of these, those that the store has failed on alone; they are given up on at the fifth time.
    pub retrying: f64,
    pub dead_letters: f64,
    /// Lines of the queue that cannot be parsed; they are kept.
    pub malformed: f64,
    /// Records that this machine did not write. They are kept, and delivered only after `drain --trust`.
    pub foreign: f64,
    pub paused: Option<DrainPause>,
    /// Until when the drain waits because the store took nothing.
    pub back_off_until: Option<String>,
    pub last_error: Option<DrainFailure>,
    pub last_drain: Option<DrainStats>,
    pub trend: DrainTrend,
}

type Shared = Arc<Mutex<Option<Drain>>>;

/// The drain of one project's queue; only one process has it at a time, and it ends with the process.
#[napi]
pub struct OpenBrainDrain {
    drain: Shared,
}

#[napi]
impl OpenBrainDrain {
    /// Takes the drain of a project. Throws `LOCKED` when another process has it.
    #[napi(factory, catch_unwind, ts_args_type = "options?: ProjectOptions")]
    pub fn open(options: Unknown) -> Result<Self> {
        let drain = environment(&only_project(&options)?)
            .and_then(|environment| Drain::open(&environment))
            .map_err(|error| refused(&options, &error))?;
        Ok(OpenBrainDrain {
            drain: Arc::new(Mutex::new(Some(drain))),
        })
    }

    /// Leases at most `maxBatch` records that are due, oldest first; none depends on another one of the batch. Nothing
    /// when the drain is paused or backs off.
    #[napi(
        catch_unwind,
        ts_args_type = "maxBatch: number, now?: string",
        ts_return_type = "Promise<Array<LeasedThought>>"
    )]
    pub fn lease(&self, env: &Env, max_batch: f64, now: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
        if !(1.0..=BATCH_MAX).contains(&max_batch) {
            let error = Error::invalid("maxBatch", format!("expected a number from 1 to {BATCH_MAX}"));
            return Err(thrown(env, &error));
        }
        let now = moment(&now)?;
        Ok(self.promise(move |drain| {
            let leased = drain.lease(max_batch as usize, now)?;
            Encoded::of(&leased.into_iter().map(leased_of).collect::<Vec<_>>())
        }))
    }

    /// Settles what became of leased records. When it rejects, hand the same outcomes in again.
    #[napi(
        catch_unwind,
        ts_args_type = "outcomes: Array<DeliveryOutcome>, now?: string",
        ts_return_type = "Promise<SettleReport>"
    )]
    pub fn settle(&self, outcomes: Unknown, now: Unknown) -> Result<AsyncTask<CoreTask<SettleReport>>> {
        let given: Vec<DeliveryOutcome> = read("outcomes", &outcomes)?;
        let converted: forge_memory_core::Result<Vec<_>> = given.into_iter().map(outcome_of).collect();
        let outcomes = converted.map_err(|error| refused(&outcomes, &error))?;
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.settle(&outcomes, now).map(report_of)))
    }

    /// Ends a pause and every back-off: what waits is due now.
    #[napi(catch_unwind, ts_args_type = "now?: string", ts_return_type = "Promise<void>")]
    pub fn resume(&self, now: Unknown) -> Result<AsyncTask<CoreTask<()>>> {
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.resume(now)))
    }

    /// Puts all dead letters back into the queue, which a worker does once when it starts. Answers how many.
    #[napi(catch_unwind, ts_args_type = "now?: string", ts_return_type = "Promise<number>")]
    pub fn replay_dead_letters(&self, now: Unknown) -> Result<AsyncTask<CoreTask<f64>>> {
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.replay_dead_letters(now).map(|count| count as f64)))
    }

    /// Writes one line about a pass to `openbrain-stats.jsonl`.
    #[napi(
        catch_unwind,
        ts_args_type = "pass: DrainStats, now?: string",
        ts_return_type = "Promise<void>"
    )]
    pub fn record(&self, pass: Unknown, now: Unknown) -> Result<AsyncTask<CoreTask<()>>> {
        let pass = pass_of(read("pass", &pass)?);
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.record(pass, now)))
    }

    /// Answers when a lease can answer something; null when nothing waits or the drain is paused.
    #[napi(
        catch_unwind,
        ts_args_type = "now?: string",
        ts_return_type = "Promise<string | null>"
    )]
    pub fn next_due_at(&self, now: Unknown) -> Result<AsyncTask<CoreTask<Option<String>>>> {
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.next_due_at(now).map(|next| next.map(format_iso))))
    }

    /// Gives the drain back. What is leased is pending again.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        let drain = self.drain.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(drain) = drain {
            drain.close(SystemClock.now_ms());
        }
    }

    fn promise<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Drain) -> forge_memory_core::Result<T> + Send + 'static,
    ) -> AsyncTask<CoreTask<T>>
    where
        CoreTask<T>: napi::Task,
    {
        let shared = Arc::clone(&self.drain);
        promise(move || {
            let mut drain = shared.lock().unwrap_or_else(PoisonError::into_inner);
            work(drain.as_mut().ok_or(Error::Closed { what: "drain" })?)
        })
    }
}

/// Tells how the doorway to the shared store stands.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn queue_status(env: &Env, options: Unknown) -> Result<QueueStatus> {
    let status = with_memory(env, &options, |memory| Ok(memory.queue_status()))?;
    Ok(QueueStatus {
        queued: status.queued as f64,
        due: status.due as f64,
        deferred: status.deferred as f64,
        retrying: status.retrying as f64,
        dead_letters: status.dead_letters as f64,
        malformed: status.malformed as f64,
        foreign: status.foreign as f64,
        paused: status.paused.map(|pause| DrainPause {
            reason: pause.reason,
            since: pause.since,
        }),
        back_off_until: status.back_off_until,
        last_error: status.last_error.map(|error| DrainFailure {
            message: error.message,
            at: error.at,
        }),
        last_drain: status.last_drain.map(stats_of),
        trend: DrainTrend::from(&status.trend),
    })
}

/// Queues again all that the journals of a project have: for a store that is new, was emptied or is another one.
/// `since` is an ISO time or an age such as `7d`; absent means all.
#[napi(catch_unwind, ts_args_type = "since?: string | null, options?: ProjectOptions")]
pub fn queue_again(env: &Env, since: Unknown, options: Unknown) -> Result<QueuedAgain> {
    let since: Option<String> = read("since", &since)?;
    let queued = with_memory(env, &options, |memory| {
        let now = memory.now_ms();
        let since = since.map(|since| parse_when("since", &since, now)).transpose()?;
        memory.queue_again(since)
    })?;
    Ok(QueuedAgain {
        stores: queued.stores as f64,
        deletes: queued.deletes as f64,
    })
}

fn moment(now: &Unknown<'_>) -> Result<Millis> {
    let text: Option<String> = read("now", now)?;
    let Some(text) = text else {
        return Ok(SystemClock.now_ms());
    };
    parse_iso(&text).ok_or_else(|| refused(now, &Error::invalid("now", "is not a valid ISO 8601 time")))
}

fn outcome_of(from: DeliveryOutcome) -> forge_memory_core::Result<anvil::DeliveryOutcome> {
    let reason = "expected delivered, gone, rejected, busy, failed or misconfigured";
    Ok(anvil::DeliveryOutcome {
        key: from.key,
        kind: OutcomeKind::parse(&from.kind).ok_or_else(|| Error::invalid("kind", reason))?,
        reason: from.reason,
    })
}

fn pass_of(from: DrainStats) -> DrainPass {
    let count = |number: f64| number.max(0.0) as u64;
    DrainPass {
        source: from.source,
        attempted: count(from.attempted),
        delivered: count(from.delivered),
        deferred: count(from.deferred),
        dlq: count(from.dlq),
        failed: count(from.failed.unwrap_or(0.0)),
        duration_ms: count(from.duration_ms),
        ..DrainPass::default()
    }
}

fn stats_of(pass: DrainPass) -> DrainStats {
    DrainStats {
        timestamp: Some(pass.timestamp),
        source: pass.source,
        attempted: pass.attempted as f64,
        delivered: pass.delivered as f64,
        deferred: pass.deferred as f64,
        dlq: pass.dlq as f64,
        failed: Some(pass.failed as f64),
        duration_ms: pass.duration_ms as f64,
    }
}

fn report_of(report: anvil::SettleReport) -> SettleReport {
    SettleReport {
        delivered: report.delivered as f64,
        deferred: report.deferred as f64,
        dead: report.dead as f64,
        failed: report.failed as f64,
        unknown: report.unknown as f64,
        paused: report.paused,
        next_due_at: report.next_due_at,
    }
}

fn leased_of(leased: CoreLeased) -> LeasedThought {
    let (action, ids, thought) = match leased.work {
        Work::Store(thought) => ("store", vec![thought.id.clone()], Some(thought_of(*thought))),
        Work::Delete(ids) => ("delete", ids, None),
    };
    LeasedThought {
        key: leased.key,
        action,
        id: ids.first().cloned().unwrap_or_default(),
        ids,
        projects: leased.projects,
        thought,
        attempts: f64::from(leased.attempts),
        enqueued_at: leased.enqueued_at,
        confirmed_at: leased.confirmed_at,
        last_error: leased.last_error,
    }
}

fn thought_of(thought: CoreThought) -> QueueThought {
    QueueThought {
        id: thought.id,
        content: thought.content,
        project: thought.project,
        kind: thought.kind,
        source: thought.source,
        created_by: thought.created_by,
        captured_at: thought.captured_at,
        expires_at: thought.expires_at,
        tags: thought.tags,
        confidence: thought.confidence,
        supersedes: thought.supersedes,
        metadata: thought.metadata,
    }
}
