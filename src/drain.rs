//! The drain of the queue to the shared store: lease, settle, dead letters, status.

use std::sync::{Arc, Mutex, PoisonError};

use forge_memory_core::anvil::{DeliveryOutcome, Drain, DrainPass, QueuedAgain};
use forge_memory_core::clock::{Clock, Millis, SystemClock, format_iso, parse_iso, parse_when};
use forge_memory_core::report::QueueStatus;
use forge_memory_core::{Error, Memory};
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;

use crate::answer::{Answer, Encoded};
use crate::error::{Result, thrown};
use crate::input::{read, refused};
use crate::projects::{environment, only_project, with_memory};
use crate::task::{CoreTask, promise};

const BATCH_MAX: f64 = 10_000.0;

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
            Encoded::of(&leased)
        }))
    }

    /// Settles the outcomes of leased records. When it rejects, the same outcomes must be passed again.
    #[napi(
        catch_unwind,
        ts_args_type = "outcomes: Array<DeliveryOutcome>, now?: string",
        ts_return_type = "Promise<SettleReport>"
    )]
    pub fn settle(&self, outcomes: Unknown, now: Unknown) -> Result<AsyncTask<CoreTask<Encoded>>> {
        let outcomes: Vec<DeliveryOutcome> = read("outcomes", &outcomes)?;
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

/// Queues the records of this machine again, for a store that went back to an earlier state.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "QueuedAgain"
)]
pub fn queue_own_again(env: &Env, options: Unknown) -> Result<Answer<QueuedAgain>> {
    with_memory(env, &options, |memory| memory.queue_own_again().map(Answer))
}

/// Counts the records that `queueAgain` would queue.
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
