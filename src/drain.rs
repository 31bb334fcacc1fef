//! The drain of the queue to the shared store: lease, settle, dead letters, status.

use std::sync::{Arc, Mutex, PoisonError};

use forge_memory_core::anvil::{self, Drain, DrainPass, LeasedThought as CoreLeased, OutcomeKind, QueuedAgain, Work};
use forge_memory_core::clock::{Clock, Millis, SystemClock, format_iso, parse_iso, parse_when};
use forge_memory_core::report::QueueStatus;
use forge_memory_core::thought::Ruling;
use forge_memory_core::{Error, Memory};
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Encoded};
use crate::error::{Result, thrown};
use crate::input::{read, refused};
use crate::projects::{environment, only_project, with_memory};
use crate::stored::with_stored_thought;
use crate::task::{CoreTask, promise};

/// The maximum number of records of a lease.
const BATCH_MAX: f64 = 10_000.0;

/// A thought for the shared store.
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
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The id of the thought that this one supersedes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// All other fields of the record: the text of a JSON object.
    pub metadata: String,
}

/// A ruling on a thought, as the shared store notes it.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueRuling {
    #[napi(ts_type = "'retire' | 'keep' | 'conflict' | 'hold' | 'accept' | 'reject' | 'useful' | 'wrong'")]
    pub kind: &'static str,
    /// The other thought; of a review and of feedback, the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The rule or the author; may be empty.
    pub why: String,
    /// ISO 8601.
    pub at: String,
}

/// A leased record, which the caller has to deliver.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeasedThought {
    /// Identifies the record for `settle`.
    pub key: String,
    #[napi(ts_type = "'store' | 'delete' | 'rule'")]
    pub action: &'static str,
    /// The id of the thought; for a delete, the first of `ids`.
    pub id: String,
    /// All ids that a delete covers.
    pub ids: Vec<String>,
    /// The projects whose thoughts it may change: this one, under every name that it had.
    pub projects: Vec<String>,
    /// The thought to store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thought: Option<QueueThought>,
    /// The ruling to note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<QueueRuling>,
    /// How often the store has failed on this record alone.
    pub attempts: f64,
    /// As written.
    pub enqueued_at: String,
    /// When the thought was captured again; its expiry in the store is to be extended then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<String>,
    /// The error of the last attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// The outcome of a delivery.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryOutcome {
    pub key: String,
    /// `delivered`, or `gone` when nothing was left to do; `rejected` makes a dead letter at once; `busy` is retried
    /// later without limit; `failed` (the store failed on this record but accepted others) makes a dead letter at the
    /// fifth time; `misconfigured` pauses the drain and does not count as an attempt.
    #[napi(ts_type = "'delivered' | 'gone' | 'rejected' | 'busy' | 'failed' | 'misconfigured'")]
    pub kind: String,
    /// The message of the store.
    pub reason: Option<String>,
}

type Shared = Arc<Mutex<Option<Drain>>>;

/// The drain of a project's queue. Only one process holds it at a time, at most until it ends.
#[napi]
pub struct OpenBrainDrain {
    drain: Shared,
}

#[napi]
impl OpenBrainDrain {
    /// Takes the drain lock of a project. Throws `LOCKED` when another process holds it.
    #[napi(factory, catch_unwind, ts_args_type = "options?: ProjectOptions")]
    pub fn open(options: Unknown) -> Result<Self> {
        let project = only_project(&options)?;
        if let Ok(environment) = environment(&project) {
            // Completes accepted reviews that a crash interrupted before they reached the queue; on failure the next
            // drain tries again.
            let _ = Memory::open(environment).reviewer().finish();
        }
        let drain = environment(&project)
            .and_then(|environment| Drain::open(&environment))
            .map_err(|error| refused(&options, &error))?;
        Ok(OpenBrainDrain {
            drain: Arc::new(Mutex::new(Some(drain))),
        })
    }

    /// Leases at most `maxBatch` due records, oldest first, none of which depends on another one in the batch. Resolves
    /// to an empty list while the drain is paused or backs off.
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

    /// Settles the outcomes of leased records. When it rejects, the same outcomes must be passed again.
    #[napi(
        catch_unwind,
        ts_args_type = "outcomes: Array<DeliveryOutcome>, now?: string",
        ts_return_type = "Promise<SettleReport>"
    )]
    pub fn settle(&self, outcomes: Unknown, now: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
        let given: Vec<DeliveryOutcome> = read("outcomes", &outcomes)?;
        let converted: forge_memory_core::Result<Vec<_>> = given.into_iter().map(outcome_of).collect();
        let outcomes = converted.map_err(|error| refused(&outcomes, &error))?;
        let now = moment(&now)?;
        Ok(self.promise(move |drain| Encoded::of(&drain.settle(&outcomes, now)?)))
    }

    /// Ends a pause and all back-offs: everything that waits is due now.
    #[napi(catch_unwind, ts_args_type = "now?: string", ts_return_type = "Promise<void>")]
    pub fn resume(&self, now: Unknown) -> Result<AsyncTask<CoreTask<()>>> {
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.resume(now)))
    }

    /// Puts all dead letters back into the queue, as a worker does once when it starts. Resolves to their number.
    #[napi(catch_unwind, ts_args_type = "now?: string", ts_return_type = "Promise<number>")]
    pub fn replay_dead_letters(&self, now: Unknown) -> Result<AsyncTask<CoreTask<f64>>> {
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.replay_dead_letters(now).map(|count| count as f64)))
    }

    /// Appends the statistics of a pass to `openbrain-stats.jsonl`.
    #[napi(
        catch_unwind,
        ts_args_type = "pass: DrainStats, now?: string",
        ts_return_type = "Promise<void>"
    )]
    pub fn record(&self, pass: Unknown, now: Unknown) -> Result<AsyncTask<CoreTask<()>>> {
        let pass: DrainPass = read("pass", &pass)?;
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.record(pass, now)))
    }

    /// Resolves to the time at which a lease can return a record; null when nothing waits or the drain is paused.
    #[napi(
        catch_unwind,
        ts_args_type = "now?: string",
        ts_return_type = "Promise<string | null>"
    )]
    pub fn next_due_at(&self, now: Unknown) -> Result<AsyncTask<CoreTask<Option<String>>>> {
        let now = moment(&now)?;
        Ok(self.promise(move |drain| drain.next_due_at(now).map(|next| next.map(format_iso))))
    }

    /// Releases the drain lock. Leased records become pending again.
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

/// Returns the status of the queue to the shared store.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "QueueStatus"
)]
pub fn queue_status(env: &Env, options: Unknown) -> Result<Answer<QueueStatus>> {
    with_memory(env, &options, |memory| Ok(Answer(memory.queue_status())))
}

/// Queues all records in a project's journals again, for a store that is new, was emptied or was replaced. `since` is an
/// ISO time or an age such as `7d`; everything when absent.
#[napi(
    catch_unwind,
    ts_args_type = "since?: string | null, options?: ProjectOptions",
    ts_return_type = "QueuedAgain"
)]
pub fn queue_again(env: &Env, since: Unknown, options: Unknown) -> Result<Answer<QueuedAgain>> {
    again(env, &since, &options, Memory::queue_again)
}

/// Queues again what this machine wrote, for a store that went back to an earlier state.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "QueuedAgain"
)]
pub fn queue_own_again(env: &Env, options: Unknown) -> Result<Answer<QueuedAgain>> {
    with_memory(env, &options, |memory| memory.queue_own_again().map(Answer))
}

/// Counts what `queueAgain` would queue.
#[napi(
    catch_unwind,
    ts_args_type = "since?: string | null, options?: ProjectOptions",
    ts_return_type = "QueuedAgain"
)]
pub fn count_again(env: &Env, since: Unknown, options: Unknown) -> Result<Answer<QueuedAgain>> {
    again(env, &since, &options, Memory::count_again)
}

fn again(
    env: &Env,
    since: &Unknown<'_>,
    options: &Unknown<'_>,
    work: fn(&mut Memory, Option<Millis>) -> forge_memory_core::Result<QueuedAgain>,
) -> Result<Answer<QueuedAgain>> {
    let since: Option<String> = read("since", since)?;
    with_memory(env, options, |memory| {
        let now = memory.now_ms();
        let since = since.map(|since| parse_when("since", &since, now)).transpose()?;
        work(memory, since).map(Answer)
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

fn leased_of(leased: CoreLeased) -> LeasedThought {
    let (action, ids, thought, ruling) = match leased.work {
        Work::Store(thought) => (
            "store",
            vec![thought.id.clone()],
            Some(with_stored_thought!(QueueThought, *thought)),
            None,
        ),
        Work::Delete(ids) => ("delete", ids, None, None),
        Work::Rule(ruling) => ("rule", vec![ruling.id.clone()], None, Some(ruling_of(ruling))),
    };
    LeasedThought {
        key: leased.key,
        action,
        id: ids.first().cloned().unwrap_or_default(),
        ids,
        projects: leased.projects,
        thought,
        ruling,
        attempts: f64::from(leased.attempts),
        enqueued_at: leased.enqueued_at,
        confirmed_at: leased.confirmed_at,
        last_error: leased.last_error,
    }
}

fn ruling_of(ruling: Ruling) -> QueueRuling {
    QueueRuling {
        kind: ruling.kind.name(),
        other: ruling.other,
        why: ruling.why,
        at: format_iso(ruling.at_ms),
    }
}
